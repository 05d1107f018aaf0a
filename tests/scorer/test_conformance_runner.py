"""`burraco conformance`: our own engine agrees, behind a pipe too; a wrong one is found out, case by case."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.conformance import FORMAT, Case, cases, faults

FACTS = Path(__file__).parents[1] / "conformance"
SHIPPED = Path(__file__).parents[2] / "scorer" / "conformance"
OURS = [sys.executable, "-c", "import sys; from scorer.cli import main; sys.exit(main())", "conformance", "--answer"]
#: An engine that calls everything legal, clean and worth nothing, and never heard of deals.
NAIVE = """
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    if ask["kind"] == "deal":
        print(json.dumps({"void": False, "sides": []}))
    else:
        print(json.dumps({"legal": True, "type": "clean", "doubled": False, "card_points": 0, "bonus": 0, "total": 0}))
"""


def test_the_shipped_cases_are_the_facts_under_tests() -> None:
    """The two copies may not drift: `python tests/conformance/ship.py` after a fact was added."""
    spec = importlib.util.spec_from_file_location("ship", FACTS / "ship.py")
    assert spec is not None and spec.loader is not None
    ship = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ship)
    for name, words in ship.shipped().items():
        assert (SHIPPED / name).read_text(encoding="utf-8") == words
    assert len({case.ident for case in cases()}) == len(cases()) > 180


def test_our_library_agrees_with_every_case(burraco: Callable[..., Any]) -> None:
    ran = burraco("conformance", "--json")
    assert ran.code == 0 and ran.data["wrong"] == [] and ran.data["right"] == ran.data["cases"] == len(cases())
    assert f"{len(cases())} casi giusti" in burraco("conformance", "--lang", "it").out


def test_our_command_as_an_engine_behind_a_pipe(burraco: Callable[..., Any]) -> None:
    ran = burraco("conformance", "--json", "--timeout", "900", "--", *OURS)
    assert ran.code == 0 and ran.data["right"] == len(cases()) and ran.data["engine"] == OURS


def test_a_wrong_engine_is_named_case_by_case(burraco: Callable[..., Any]) -> None:
    ran = burraco("conformance", "--json", "--", sys.executable, "-c", NAIVE)
    wrong = {one["id"]: one["faults"] for one in ran.data["wrong"]}
    assert ran.code == 1 and len(wrong) == len(cases())
    assert "card_points: expected 50, got 0" in wrong["M001"]
    assert wrong["H01-S0"] == [next(iter(wrong["H01-S0"]))] and wrong["H01-S0"][0].startswith("sides: expected [")
    shown = burraco("conformance", "--only", "M001", "--", sys.executable, "-c", NAIVE)
    assert shown.code == 1 and "M001" in shown.out and "0 of 1" in shown.out


@pytest.mark.parametrize(
    ("script", "fault"),
    [("", "no answer"), ("print('what?')", "the answer is no JSON"), ('print(\'{"id": "M002"}\')', "another case")],
)
def test_an_engine_that_talks_nonsense(burraco: Callable[..., Any], script: str, fault: str) -> None:
    ran = burraco("conformance", "--only", "M001", "--json", "--", sys.executable, "-c", script)
    assert ran.code == 1 and fault in ran.data["wrong"][0]["faults"][0]


def test_an_engine_that_cannot_be_run_or_never_ends_is_one_line(burraco: Callable[..., Any]) -> None:
    for args in (
        ["--", "no-such-engine"], ["--only", "M001", "--", sys.executable, "-c", "print(1);print(2)"],
        ["--only", "nothing"], ["--rules", "nothing"], ["--timeout", "0"],
        ["--timeout", "1", "--", sys.executable, "-c", "import time; time.sleep(30)"],
    ):  # fmt: skip
        ran = burraco("conformance", *args)
        assert ran.code == 2 and ran.err.count("\n") == 1 and not ran.out


def test_requests_are_printed_for_engines_that_read_files(burraco: Callable[..., Any]) -> None:
    lines = burraco("conformance", "--requests", "--rules", "fibur").out.splitlines()
    assert lines and all(json.loads(line)["rules"] == "fibur" for line in lines)


def test_a_true_is_not_a_one() -> None:
    case = Case("x", "meld", "", {}, {"total": 1, "legal": True})
    assert faults(case, {"total": True, "legal": 1, "more": "is fine"}) and not faults(case, dict(case.expect))
    assert faults(case, "nothing") and faults(case, {"total": 1})


def test_a_case_that_our_library_cannot_read_is_wrong_and_does_not_stop_the_run(
    burraco: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = cases()[0]
    odd = good._replace(ident="X001", request={**good.request, "cards": "4h zz"})
    monkeypatch.setattr("scorer.cli.conformance.cases", lambda: (odd, good))
    ran = burraco("conformance", "--json")
    assert ran.code == 1 and (ran.data["cases"], ran.data["right"]) == (2, 1)
    (wrong,) = ran.data["wrong"]
    assert wrong["id"] == "X001" and wrong["faults"][0].endswith("got nothing")


def test_cases_of_another_format_are_not_taken_for_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = SHIPPED / "melds.jsonl"
    later = pack.read_text(encoding="utf-8").replace(FORMAT, "burraco-conformance/2", 1)
    (tmp_path / "melds.jsonl").write_text(later, encoding="utf-8")
    monkeypatch.setattr("scorer.conformance.resources.files", lambda _package: tmp_path)
    with pytest.raises(ValueError, match=r"melds\.jsonl is burraco-conformance/2, not burraco-conformance/1"):
        cases.__wrapped__()


def test_answering_what_cannot_be_read(burraco: Callable[..., Any]) -> None:
    ran = burraco("conformance", "--answer", stdin='nonsense\n[]\n{"cards": "4h 5h 6h"}\n{"cards": "zz", "id": "q"}\n')
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 2 and ["error" in one for one in answers] == [True, True, False, True]
