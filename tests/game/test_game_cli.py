"""`burraco move`, `lint`, `replay`, `simulate`: what they print, in two languages, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.messages import fields, part

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "records"
FIBUR = str(SAMPLES / "fibur-4.toml")


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(list(args))
    out = capsys.readouterr()
    assert "Traceback" not in out.err
    return code, out.out, out.err


def test_messages_are_twins() -> None:
    english, italian = part("game", "en"), part("game", "it")
    assert english.keys() == italian.keys()
    assert all(fields(english[code]) == fields(italian[code]) for code in english)


def test_every_code_of_the_engine_has_a_sentence() -> None:
    import re

    from scorer.messages import has

    root = SAMPLES.parents[1] / "scorer"
    sources = [*sorted((root / "game").glob("*.py")), *sorted(root.glob("record*.py")), root / "moves.py"]
    pattern = re.compile(
        r'(?:Violation\(|Notice\(|code=|_fault\(|refuse\(|self\.fault\([^"]*|Finding\([^"]*)\s*"([a-z_]+)"'
    )
    codes = {code for file in sources for code in pattern.findall(file.read_text(encoding="utf-8"))}
    assert len(codes) > 50
    codes -= {"error", "line", "format"}  # arguments before the code, not codes
    for lang in ("it", "en"):
        assert {code for code in codes if not has(code, lang) and not has(f"notice.{code}", lang)} == set()


def test_move_legal_and_illegal(capsys: pytest.CaptureFixture[str]) -> None:
    table = ("--rules", "fibur", "--mine", "6c JK 8c", "--hand", "7c 10c 4d")
    code, out, _ = run(capsys, "move", "add N1 + 7c 10c", *table)
    assert code == 0 and "6♣ 7♣ 8♣ JK 10♣" in out
    code, out, _ = run(capsys, "move", "add N1 + 10c", *table)
    assert code == 1 and "max_wilds" in out
    code, out, err = run(capsys, "move", "add N7 + 10c", *table)
    assert (code, out) == (2, "") and "N7" in err and err.count("\n") == 1
    assert run(capsys, "move", "jump", *table)[0] == 2


def test_move_in_italian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys,
        "move",
        "cala 9P 9F 9C",
        "--hand",
        "9P 9F 9C 4Q",
        "--pot",
        "played",
        "--lang",
        "it",
        "--rules",
        "vanikar",
    )
    assert code == 1 and out.startswith("non permesso") and "burraco" in out


def test_move_json_and_stream(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run(capsys, "move", "discard JK", "--rules", "fibur", "--hand", "JK", "--pot", "played", "--mine",
                       "3d 4d 5d 6d 7d 8d 9d", "--json")  # fmt: skip
    data = json.loads(out)
    assert code == 1 and data["legal"] is False and data["after"] is None
    assert [v["code"] for v in data["violations"]] == ["wild_closing_discard"]
    assert data["violations"][0]["rule"] == "close_wild_discard" and data["violations"][0]["source"]
    import io
    import sys

    lines = ['{"hand": "7h 7d 7s 4c", "action": "lay 7h 7d 7s"}', '{"hand": "7h", "action": "lay"}', '{"hands": 1}']
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    code, out, _ = run(capsys, "move", "-")
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 2 and answers[0]["legal"] is True
    assert [a["error"]["code"] for a in answers[1:]] == ["no_cards_named", "unknown_field"]


def test_move_from_a_sheet(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sheet = tmp_path / "t.txt"
    words = "rules: vanikar\nlang: it\n[Noi: Anna]\n4C-9C\nmano Anna: RC 10C 5P\npozzetto: sì\n[Loro: Bruno]\n"
    sheet.write_text(words, encoding="utf-8")
    code, out, _ = run(capsys, "move", "lega N1 + 10C", "--table", str(sheet))
    assert code == 0 and "4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥" in out


def test_lint(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "lint", FIBUR, "--lang", "it")
    assert (code, out.strip().endswith("nessun errore")) == (0, True)
    code, out, _ = run(capsys, "lint", FIBUR, str(SAMPLES / "broken" / "not-held.toml"))
    assert code == 1 and ":19:9: error not_in_hand" in out
    assert run(capsys, "lint", str(SAMPLES / "broken" / "no-toml.toml"))[0] == 2
    code, out, _ = run(capsys, "lint", str(SAMPLES / "broken" / "wrong-points.toml"), "--json")
    data = json.loads(out)
    assert code == 1 and data["findings"][0]["code"] == "wrong_points" and data["findings"][0]["line"] == 59
    assert run(capsys, "lint", "nowhere.toml")[0] == 2


def test_replay(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "replay", FIBUR)
    assert code == 0 and "closes" in out and "TOTAL" in out
    code, out, _ = run(capsys, "replay", FIBUR, "--to", "3", "--json")
    data = json.loads(out)
    assert code == 0 and [step["number"] for step in data["steps"]] == [1, 2, 3]
    assert data["result"] is None and data["state"]["stock"] >= 35 and len(data["state"]["hands"]) == 4
    code, out, _ = run(capsys, "replay", FIBUR, "--json")
    data = json.loads(out)
    assert data["result"]["end"] == "close" and len(data["result"]["score"]["sides"]) == 2
    assert run(capsys, "replay", FIBUR, "--boards", "--lang", "it")[1].count("tallone") > 20
    assert run(capsys, "replay", FIBUR, "--deal", "2")[0] == 2
    code, _, err = run(capsys, "replay", str(SAMPLES / "broken" / "other-version.toml"))
    assert code == 2 and "other-version.toml:1:1: played under version 2" in err
    code, _, err = run(capsys, "replay", str(SAMPLES / "broken" / "not-drawn.toml"), "--lang", "it", "--json")
    assert code == 1 and ":19:3: 'discard 7h' non è permesso: prima si pesca" in err


def test_simulate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    code, out, _ = run(capsys, "simulate", "--rules", "stekius", "--players", "3", "--deals", "2", "--seed", "5",
                       "--json", "--record", str(file))  # fmt: skip
    data = json.loads(out)
    assert code == 0 and data["deals"] == 2 and data["seconds"] >= 0 and data["players"] == 3
    assert run(capsys, "lint", str(file))[0] == 0
    assert run(capsys, "simulate", "--rules", "vanikar", "--players", "3")[0] == 2
    assert run(capsys, "simulate", "--bots", "nobody", "--deals", "1")[0] == 2
    assert "moves a second" in run(capsys, "simulate", "--deals", "1")[1]


def keys(monkeypatch: pytest.MonkeyPatch, words: str, *, terminal: bool = True) -> None:
    """What a person types; the end of `words` is the end of the input."""
    import io
    import sys

    stdin = io.StringIO(words)
    monkeypatch.setattr(stdin, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(sys, "stdin", stdin)


@pytest.mark.parametrize(("typed", "turns"), [("\n\nq\n", 3), ("\n", 2), ("Q\n", 1)])
def test_replay_waits_after_every_turn_until_q_or_the_end_of_the_input(
    typed: str, turns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys(monkeypatch, typed)
    code, out, _ = run(capsys, "replay", FIBUR, "--step", "--lang", "it")
    assert code == 0 and out.count("tallone") == turns and "TOTALE" not in out


def test_replay_waits_for_nobody_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys(monkeypatch, "", terminal=False)
    assert run(capsys, "replay", FIBUR, "--step") == run(capsys, "replay", FIBUR, "--boards")


def test_replay_stops_where_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "replay", FIBUR, "--to", "3")
    steps = [line for line in out.splitlines() if line[:1].isdigit()]
    assert code == 0 and [line.split(".")[0] for line in steps] == ["1", "2", "3"] and "TOTAL" not in out
    code, out, err = run(capsys, "replay", FIBUR, "--to", "-1")
    assert (code, out) == (2, "") and "--to" in err and err.count("\n") == 1
    code, out, err = run(capsys, "replay", str(SAMPLES / "broken" / "no-toml.toml"))
    assert (code, out) == (2, "") and "no-toml.toml:2:9: " in err and err.count("\n") == 1


def test_replay_says_the_whole_reason_of_a_refused_move(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "replay", str(SAMPLES / "broken" / "wrong-turn.toml"))
    assert code == 1 and err.rstrip().endswith("'draw' is not allowed: it is not this player's turn, but S's")
    named = tmp_path / "named.toml"
    words = Path(FIBUR).read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(words) if "; add " in line)
    words[at] = words[at].replace("; add ", "; add W77 + 8c; add ", 1)
    named.write_text("\n".join(words) + "\n", encoding="utf-8")
    code, _, err = run(capsys, "replay", str(named), "--lang", "it")
    assert code == 1 and f"named.toml:{at + 1}:" in err and "non c'è il gioco W77; sul tavolo: " in err


def test_a_stream_of_moves_may_hold_empty_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    ask = b'{"hand": "7h 7d 7s 4c", "action": "lay 7h 7d 7s"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n" + ask + b"  \n" + ask)))
    code, out, _ = run(capsys, "move", "-")
    assert code == 0 and [json.loads(line)["legal"] for line in out.splitlines()] == [True, True]
