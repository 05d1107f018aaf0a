"""Every stated fact of the rules holds through the command's JSON too, and HTTP shares that code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parents[1] / "conformance"


def rows(*names: str) -> list[Any]:
    found = []
    for name in names:
        for number, line in enumerate((CASES / name).read_text(encoding="utf-8").splitlines(), 1):
            row = json.loads(line)
            found.append(pytest.param(row, id=f"{row['id']}-{name[0]}{number}"))
    assert found
    return found


def option_args(row: dict[str, Any]) -> list[str]:
    return [arg for key, value in row["options"].items() for arg in ("--option", f"{key}={_typed(value)}")]


def _typed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value).lower()


def expect_meld(row: dict[str, Any], answer: dict[str, Any]) -> None:
    stated = {key: row[key] for key in ("legal", "type", "doubled", "card_points", "bonus", "total") if key in row}
    assert {key: answer[key] for key in stated} == stated
    assert bool(answer["violations"]) is not row["legal"]
    assert sorted(answer["cards"]) == sorted(row["cards"].split())


def expect_score(row: dict[str, Any], answer: dict[str, Any]) -> None:
    assert answer["void"] is row["void"]
    for side, expected in zip(answer["sides"], row["expect"], strict=True):
        figures = {key: value for key, value in expected.items() if key != "name"}
        assert (side["name"], {key: side["score"][key] for key in figures}) == (expected["name"], figures)
        assert sum(line["points"] for line in side["lines"]) == side["score"]["total"]


@pytest.mark.parametrize("row", rows("melds.jsonl", "known_faults.jsonl"))
def test_a_meld(row: dict[str, Any], burraco: Callable[..., Any]) -> None:
    ran = burraco("meld", row["cards"], "--rules", row["rules"], *option_args(row), "--json")
    expect_meld(row, ran.data)
    assert ran.code == (0 if row["legal"] else 1)


@pytest.mark.parametrize("row", rows("hands.jsonl", "more_hands.jsonl"))
def test_a_deal(row: dict[str, Any], burraco: Callable[..., Any]) -> None:
    ran = burraco("score", "-", "--json", stdin=json.dumps(row))
    expect_score(row, ran.data)
    assert ran.code == (0 if ran.data["legal"] else 1)


def burraco_process(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    start = "import sys; from scorer.cli import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", start, *args], input=stdin, capture_output=True, text=True, timeout=60)


def test_a_stream_as_a_process() -> None:
    same = [param.values[0] for param in rows("melds.jsonl") if param.values[0]["rules"] == "vanikar"]
    same = [row for row in same if not row["options"]]
    ran = burraco_process("meld", "-", "--json", stdin="".join(row["cards"] + "\n" for row in same))
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(answers) == len(same) > 20
    for row, answer in zip(same, answers, strict=True):
        expect_meld(row, answer)
    assert (ran.returncode, ran.stderr) == (1, "")


def test_a_file_as_a_process(tmp_path: Path) -> None:
    row = rows("hands.jsonl")[0].values[0]
    file = tmp_path / "deal.json"
    file.write_text(json.dumps(row), encoding="utf-8")
    ran = burraco_process("score", str(file), "--json")
    expect_score(row, json.loads(ran.stdout))
    assert (ran.returncode, ran.stderr) == (0, "")
