"""The library, `burraco ... --json` and HTTP give the same JSON, for every case of the conformance files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from api.schemas import MeldResult, ScoreResult
from bench.tables import random_tables
from scorer.cli import main
from scorer.contract import answer_meld, answer_score, error_json, score_request, verdict_json
from scorer.errors import BurracoError
from scorer.melds import check_meld
from scorer.profile import load_profile

CASES = Path(__file__).resolve().parents[1] / "conformance"
MELDS = ("melds.jsonl", "known_faults.jsonl")
UNREADABLE = (
    {"cards": "4h 5h 6F"},
    {"cards": "4h 5z"},
    {"cards": "4C 5h", "lang": "it"},
    {"cards": "4h 5h 6h", "rules": "nope"},
    {"cards": "4h 5h 6h", "options": {"max_wildz": 2}},
    {"cards": "4h 5h 6h", "options": {"max_wilds": "many"}},
)


def rows(*names: str) -> list[Any]:
    found = []
    for name in names:
        for line in (CASES / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found.append(pytest.param(row, id=f"{name.partition('.')[0]}-{row['id']}"))
    return found


def command(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    """The exit code of a command and the JSON it printed (None when it printed none)."""
    capsys.readouterr()
    code = main(argv)
    out = capsys.readouterr().out
    return code, json.loads(out) if out.strip() else None


def options_of(row: dict[str, Any]) -> list[str]:
    out: list[str] = []
    for key, value in row.get("options", {}).items():
        text = json.dumps(value) if isinstance(value, bool) else str(value)
        out += ["--option", f"{key}={text}"]
    return out


def no_more_than(model: Any, data: Any) -> None:
    """Every key of an answer is in the documented shape, at every depth."""
    made = model.model_validate(data)
    assert made.model_dump(mode="json", exclude_unset=True) == data


@pytest.mark.parametrize("row", rows(*MELDS))
def test_meld(row: dict[str, Any], client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    library = answer_meld(row)
    answered = client.post("/v1/melds", json=row)
    assert (answered.status_code, answered.json()) == (200, library)
    code, printed = command(capsys, "meld", row["cards"], "--rules", row["rules"], *options_of(row), "--json")
    assert (code, printed) == (0 if row["legal"] else 1, library)
    stated = {key: row[key] for key in ("legal", "type", "doubled", "card_points", "bonus", "total") if key in row}
    assert {key: library[key] for key in stated} == stated
    no_more_than(MeldResult, library)


@pytest.mark.parametrize("row", rows("hands.jsonl"))
def test_table(row: dict[str, Any], client: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    library = answer_score(row)
    answered = client.post("/v1/scores", json=row)
    assert (answered.status_code, answered.json()) == (200, library)
    file = tmp_path / "table.json"
    file.write_text(json.dumps(row), encoding="utf-8")
    code, printed = command(capsys, "score", str(file), "--json")
    assert (code, printed) == (0 if library["legal"] else 1, library)
    assert [side["score"]["total"] for side in library["sides"]] == [side["total"] for side in row["expect"]]
    no_more_than(ScoreResult, library)


@pytest.mark.parametrize("lang", ["en", "it"])
@pytest.mark.parametrize("row", UNREADABLE, ids=lambda row: json.dumps(row))
def test_unreadable(row: dict[str, Any], lang: str, client: Any) -> None:
    """An error has the library's code, sentence and place; a batch answers it in its place."""
    try:
        answer_meld(row)
    except BurracoError as error:
        library = error_json(error, lang)["error"]
    else:
        pytest.fail("this was to be unreadable")
    answered = client.post("/v1/melds", json=row, headers={"Accept-Language": lang})
    problem = answered.json()
    assert answered.status_code == 422
    assert answered.headers["content-type"] == "application/problem+json"
    assert problem.pop("detail") == library.pop("message")
    assert {key: problem[key] for key in library} == library
    batch = client.post("/v1/melds:batch", json=[row, {"cards": "4h 5h 6h"}], headers={"Accept-Language": lang})
    assert [next(iter(item)) for item in batch.json()] == ["error", "rules"]
    assert batch.json()[0]["error"]["code"] == library["code"]


def test_batches_give_what_single_requests_give(client: Any) -> None:
    melds = [case.values[0] for case in rows(*MELDS)]
    assert client.post("/v1/melds:batch", json=melds).json() == [answer_meld(row) for row in melds]
    tables = [case.values[0] for case in rows("hands.jsonl")]
    assert client.post("/v1/scores:batch", json=tables).json() == [answer_score(row) for row in tables]


def test_comparison_is_that_of_the_command(client: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    row = {"sides": [{"name": "A", "melds": ["3h-10h 2s"], "closed": True}, {"name": "B", "hand": "JK"}]}
    ids = ["vanikar", "fibur", "canasta"]
    answered = client.post("/v1/compare", json={"sides": row["sides"], "under": ids}).json()
    file = tmp_path / "table.json"
    file.write_text(json.dumps({"sides": row["sides"]}), encoding="utf-8")
    _, printed = command(capsys, "score", str(file), "--compare", ",".join(ids), "--json")
    assert answered == printed
    assert answered["compare"] == ids and answered["differences"]


def test_rule_sets_are_those_of_the_command(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    _, listed = command(capsys, "rules", "list", "--json")
    assert client.get("/v1/rules").json()["rules"] == listed
    for line in listed:
        _, shown = command(capsys, "rules", "show", line["id"], "--effective", "--json")
        assert client.get(f"/v1/rules/{line['id']}").json() == shown


def test_move_is_that_of_the_library(client: Any) -> None:
    from scorer.game.judge import answer_move

    row = {"rules": "fibur", "mine": ["6c JK 8c"], "hand": "10c 4d 5d", "action": "add N1 + 10c"}
    assert client.post("/v1/moves", json=row).json() == answer_move(row)


@pytest.mark.parametrize("lang", ["en", "it"])
def test_a_table_scored_again_and_again_stays_the_same(client: Any, lang: str) -> None:
    """What the server remembers of melds (and has written already) is what the library says anew."""
    for table in random_tables(6, seed=11):
        table["lang"] = "en"
        expected = answer_score(table)
        for _ in range(3):
            answer = client.post("/v1/scores", json=table, headers={"Accept-Language": lang}).json()
            assert [side["score"] for side in answer["sides"]] == [side["score"] for side in expected["sides"]]
            if lang == "en":
                assert answer == expected
            else:
                assert [side["melds"] for side in answer["sides"]] == [
                    [verdict_json(check_meld(meld.cards, profile, meld.bindings), profile, "it") for meld in side.melds]
                    for profile in [load_profile("vanikar")]
                    for side in score_request(table).table.sides
                ]
