"""A deal typed step by step: each meld is judged at once, a line can be taken back, nothing typed is lost."""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scorer.cli.ask import Draft, ask_on_terminal, ask_sheet, free_name, offer_to_save, replay
from scorer.cli.common import Choice, choice
from scorer.notation import format_sheet, parse_sheet
from scorer.profile import load_profile
from scorer.scoring import score

WHOLE = [
    "fibur", "it", "", "Anna, Bruno", "4C-10C", "RP RQ RC", "", "", "5F 9Q", "sì",
    "", "", "3F 4F 5F 6F 2P 8F 9F", "", "JK", "no", "", "anna",
]  # fmt: skip
SHEET = """regole: fibur
lingua: it

[Noi: Anna, Bruno]
4C 5C 6C 7C 8C 9C 10C
RP RQ RC
mano Anna: -
mano Bruno: 5F 9Q
pozzetto: sì
chiude: Anna

[Loro]
3F 4F 5F 6F 2P 8F 9F
mano: JK
pozzetto: no
"""
PLAIN = choice(None, None, None, None)


def typed(lines: list[str]) -> Callable[[str], str]:
    left = list(lines)

    def read(_prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return read


def asked(lines: list[str], chosen: Choice = PLAIN) -> tuple[Draft, list[str]]:
    shown: list[str] = []
    return ask_sheet(chosen, typed(lines), shown.append, []), shown


def test_a_whole_deal() -> None:
    draft, shown = asked(WHOLE)
    assert format_sheet(draft.sheet()) == SHEET
    assert shown[0] == "  4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥  scala, burraco pulito: 250 punti"
    assert shown[2] == "  5♣ 9♦"
    sheet = draft.sheet()
    totals = [side.score.total for side in score(sheet.table, load_profile("fibur")).sides]
    assert totals == [365, 30]


def test_a_bad_line_changes_nothing_and_is_asked_again() -> None:
    lines = list(WHOLE)
    bad = ["fibr", "fr", "[", "Anna, Anna", "4x", "7h", "4C 4", "\x07", "9z"]
    for at, wrong in [(0, bad[0]), (2, bad[1]), (4, bad[2]), (6, bad[3]), (8, bad[4]), (9, bad[5]), (10, bad[6])]:
        lines.insert(at, wrong)
    draft, shown = asked(lines)
    assert format_sheet(draft.sheet()) == SHEET
    assert any("fibur" in line for line in shown) and any("«4x»" in line for line in shown)


def test_an_illegal_meld_is_told_at_once_and_can_be_taken_back() -> None:
    lines = [*WHOLE[:5], "RP RQ 2C 2P", "annulla", *WHOLE[5:]]
    draft, shown = asked(lines)
    assert any("2 matte" in line for line in shown) and "  annullato: RP RQ 2C 2P" in shown
    assert format_sheet(draft.sheet()) == SHEET
    kept, _ = asked([*WHOLE[:5], "RP RQ 2C 2P", *WHOLE[5:]])
    assert len(kept.sheet().table.sides[0].melds) == 3


def test_who_closed_must_have_played() -> None:
    draft, shown = asked([*WHOLE[:-1], "Carla", "loro"])
    assert shown[-1] == "  rispondi Noi, Anna, Bruno, Loro"
    assert [side.closed for side in draft.sheet().table.sides] == [False, True]


def test_what_is_odd_about_a_legal_meld_is_told_at_once() -> None:
    _, shown = asked([*WHOLE[:4], "5C 6C 2C 8C", "undo", *WHOLE[4:]])
    assert shown[:2] == [
        "  5♥ 6♥ 2♥=7♥ 8♥  scala: 40 punti",
        "  - 2♥ non è al suo posto: fa da 7♥ e conta come matta",
    ]


def test_every_answer_can_be_taken_back_down_to_the_first() -> None:
    answers: list[str] = []
    ask_sheet(PLAIN, typed(WHOLE), lambda _line: None, answers)
    for count in range(len(answers) - 1, -1, -1):
        _, step = replay(answers[:count], PLAIN)
        assert step is not None
    draft, shown = asked(["undo", *WHOLE[:9], *["undo"] * 9, *WHOLE])
    assert format_sheet(draft.sheet()) == SHEET
    assert shown[0] == "  nothing to take back"


def test_help_depends_on_the_question() -> None:
    _, shown = asked(["?", *WHOLE[:4], "aiuto", *WHOLE[4:7], "help", *WHOLE[7:]])
    assert "Ctrl-D" in shown[0]
    assert any("4C-10C" in line for line in shown) and any("vuoto se non" in line for line in shown)


def test_an_unplayed_pozzetto_asks_for_its_cards() -> None:
    lines = ["vanikar", "en", "", "", "", "", "unplayed", "4h 5h", "", "", "", "", "unplayed: 6h", "", ""]
    draft, _ = asked(lines)
    assert [[card.text for card in side.pozzetto_cards] for side in draft.sheet().table.sides] == [["4h", "5h"], ["6h"]]


def test_no_pozzetto_is_asked_for_where_there_is_none() -> None:
    _, shown = asked(["brasile", "en", "Rita", "Rita", "", "", "Ugo", "Ugo", "", "", "Zoe", "Zoe", "", "", "", ""])
    assert not any("pozzetto" in line for line in shown)


def test_rules_and_language_from_the_command_line_are_not_asked() -> None:
    chosen = choice("stekius", ["trump=h", "sets=true"], None, "it")
    draft, _ = asked(WHOLE[2:], chosen)
    sheet = draft.sheet()
    assert (sheet.rules, sheet.lang, sheet.options) == ("stekius", "it", {"trump": "h", "sets": "true"})


@pytest.mark.parametrize("count", range(3, len(WHOLE)))
def test_what_was_typed_can_always_be_read_again(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", typed(WHOLE[:count]))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        ask_on_terminal(PLAIN)
    (file,) = tmp_path.iterdir()
    assert file.name in capsys.readouterr().out
    again = parse_sheet(file.read_text(encoding="utf-8"))
    whole = parse_sheet(SHEET).table.sides
    assert again.rules == "fibur"
    for side, full in zip(again.table.sides, whole, strict=False):
        assert side.name == full.name and [m.cards for m in side.melds] == [
            m.cards for m in full.melds[: len(side.melds)]
        ]
        assert side.hands == full.hands[: len(side.hands)]


def broken_off(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", typed(lines))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        ask_on_terminal(PLAIN)


def test_before_the_first_side_there_is_nothing_to_keep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    broken_off(WHOLE[:2], monkeypatch)
    assert list(tmp_path.iterdir()) == [] and len(capsys.readouterr().out.splitlines()) == 1  # the welcome


def test_a_sheet_too_long_to_be_read_is_kept_as_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("scorer.notation_sheet.MAX_SHEET", 60)
    broken_off([*WHOLE[:5], *["4C 5C 6C"] * 6], monkeypatch)
    (file,) = tmp_path.iterdir()
    kept = file.read_text(encoding="utf-8")
    assert kept.startswith("rules: fibur\nlang: it\n\n[Noi: Anna, Bruno]\n4C-10C\n")
    assert kept.count("4C 5C 6C\n") == 6


def test_where_nothing_can_be_written_the_sheet_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_args: object, **_params: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", refuse)
    monkeypatch.setattr("builtins.input", typed(WHOLE[:6]))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        ask_on_terminal(PLAIN)
    shown = capsys.readouterr().out
    assert "Permission denied" in shown and "[Noi: Anna, Bruno]\n4C 5C 6C 7C 8C 9C 10C\nRP RQ RC" in shown


def test_a_saved_sheet_never_overwrites_another(tmp_path: Path) -> None:
    first = free_name(tmp_path, "deal")
    first.write_text("x", encoding="utf-8")
    assert free_name(tmp_path, "deal") != first


def test_the_finished_sheet_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "foglio.txt"
    monkeypatch.setattr("builtins.input", typed([str(tmp_path), str(file)]))
    monkeypatch.setattr("sys.stdout", io.StringIO())
    offer_to_save(parse_sheet(SHEET), "it")
    assert file.read_text(encoding="utf-8") == SHEET


class Terminal:
    """The command on a pseudo terminal."""

    def __init__(self, folder: Path, *args: str) -> None:
        import pty

        start = "import sys; from scorer.cli import main; sys.exit(main())"
        self.shown = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(PYTHONPATH=str(Path(__file__).parents[2]), TERM="xterm", COLUMNS="100")
            for ignored in (signal.SIGINT, signal.SIGHUP):  # by a background run or nohup, and children inherit that
                signal.signal(ignored, signal.SIG_DFL)
            os.chdir(folder)
            os.execv(sys.executable, [sys.executable, "-c", start, "score", *args])

    def until(self, words: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while words.encode() not in self.shown and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.shown += os.read(self.fd, 65536)
                except OSError:
                    break
        assert words.encode() in self.shown, self.shown.decode()
        self.shown = self.shown.split(words.encode(), 1)[1]

    def press(self, key: str | Callable[[], None], words: str) -> None:
        """Press a key, or do something, until it is answered.

        Python notices a signal that falls just before input() starts to wait with the next one only.
        """
        for _ in range(10):
            self.type(key) if isinstance(key, str) else key()
            try:
                self.until(words, 3)
            except AssertionError:
                continue
            return
        self.until(words, 3)

    def type(self, words: str) -> None:
        os.write(self.fd, words.encode())

    def end(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo terminal")
@pytest.mark.parametrize("stop", ["\x03", "\x04", "SIGHUP"])
def test_on_a_real_terminal_nothing_typed_is_lost(stop: str, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "--rules", "fibur", "--lang", "it")
    for prompt, answer in [("[Noi]", "\n"), ("Giocatori", "\n"), ("gioco 1", "4C-10C\n"), ("250 punti", "zz\n")]:
        terminal.until(prompt)
        terminal.type(answer)
    terminal.until("«zz»")
    terminal.until("gioco 2")
    if stop == "SIGHUP":
        terminal.press(lambda: os.kill(terminal.pid, signal.SIGHUP), "salvato in")
    else:
        terminal.press(stop, "salvato in")
    assert terminal.end() == 2
    (file,) = tmp_path.iterdir()
    assert parse_sheet(file.read_text(encoding="utf-8")).table.sides[0].melds[0].cards[0].text == "4h"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo terminal")
@pytest.mark.parametrize("args", [(), ("--save", "foglio.txt")])
def test_a_whole_deal_on_a_real_terminal_is_scored_and_kept(args: tuple[str, ...], tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, *args)
    terminal.until("vanikar")
    for answer in WHOLE:
        terminal.type(answer + "\n")
    terminal.until("TOTALE")
    terminal.until("365")
    if not args:
        terminal.until("foglio")
        terminal.type("foglio.txt\n")
    assert terminal.end() == 0
    assert (tmp_path / "foglio.txt").read_text(encoding="utf-8") == SHEET
