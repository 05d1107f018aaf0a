"""`burraco play` in this process: the turns of the conversation that a good game never sees."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import scorer.cli.play as module
from scorer.cli import main
from scorer.cli.play import Desk, fresh_name, load_game, new_game
from scorer.errors import BurracoError
from scorer.game.session import Session
from scorer.game.state import LAY, Action
from scorer.profile import load_profile

VANIKAR = load_profile("vanikar")
SHORT = ("--rules", "vanikar", "--players", "2", "--bots", "casuale", "--seed", "4")


class Keys(io.StringIO):
    """The lines that a person types; `^C` is the key that interrupts."""

    def readline(self, size: int | None = -1, /) -> str:
        line = super().readline(-1 if size is None else size)
        if line == "^C\n":
            raise KeyboardInterrupt
        return line


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", Keys("".join(line + "\n" for line in lines)))


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., str]:
    """`play(lines, *arguments)`: a whole conversation in an empty folder; what it showed."""
    monkeypatch.chdir(tmp_path)

    def run(lines: list[str], *args: str, code: int = 0) -> str:
        typed(monkeypatch, *lines)
        assert main(["play", *args]) == code
        shown = capsys.readouterr()
        return shown.out + shown.err

    return run


@pytest.mark.parametrize(
    ("seats", "words"),
    [
        (("--players", "3"), "3"), (("--players", "2", "--seat", "E"), "E"), (("--seat", "SN"), "SN"),
        (("--bots", "facile,normale"), "2"),
    ],
)  # fmt: skip
def test_seats_and_bots_that_cannot_be(seats: tuple[str, ...], words: str, play: Callable[..., str]) -> None:
    shown = play([], "--rules", "vanikar", *seats, code=2)
    assert words in shown and len(shown.splitlines()) == 1


def test_help_and_a_file_named_in_the_game(play: Callable[..., str], tmp_path: Path) -> None:
    shown = play(["help", "save mine.toml", "quit"], *SHORT)
    assert "undo" in shown and shown.count("mine.toml") == 3
    assert load_game((tmp_path / "mine.toml").read_text(encoding="utf-8")).seed == 4
    assert [file.name for file in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize("change", ["_seed = ", '_bots = "casuale"', "_people = [7"])
def test_a_record_that_is_no_saved_game(change: str, play: Callable[..., str], tmp_path: Path) -> None:
    play(["quit"], *SHORT, "--save", "game.toml")
    words = (tmp_path / "game.toml").read_text(encoding="utf-8")
    key = change.partition(" ")[0]
    bad = "\n".join(change + "]" if "[" in change and line.startswith(key) else change if line.startswith(key) else line
                    for line in words.splitlines())  # fmt: skip
    (tmp_path / "bad.toml").write_text(bad + "\n", encoding="utf-8")
    assert len(play([], "--resume", "bad.toml", code=2).splitlines()) == 1


def test_ctrl_c_at_the_prompt_and_while_a_bot_thinks(
    play: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "go on with" in play(["^C"], *SHORT)

    def interrupted(_session: Session) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "bot_moves", interrupted)
    assert "go on with" in play([], *SHORT)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_kill_stops_the_game_as_ctrl_c_does() -> None:
    import signal

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), module.stoppable():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def bots_only(target: int) -> Session:
    return Session(load_profile("vanikar", {"target": target}), 2, frozenset(), ("facile", "facile"), ("Ada", "Bea"), 4)


def test_after_a_deal_the_next_one_is_offered_and_may_be_declined(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, session = tmp_path / "game.toml", bots_only(2005)
    typed(monkeypatch, "", "no")
    assert Desk(session, "en", str(file)).run(None) == 0
    shown = capsys.readouterr().out
    assert "game.toml" in shown.replace("\n", "") and len(session.decks) == 2 == len(session.results)
    assert file.read_text(encoding="utf-8").count("[[deal]]") == 2


def test_the_winner_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    session = bots_only(505)
    typed(monkeypatch, *[""] * 50)
    assert Desk(session, "en", None).run(None) == 0
    now = session.standing()
    last = capsys.readouterr().out.splitlines()[-1]
    assert now.finished and last == f"the match goes to {('Ada', 'Bea')[now.winners[0]]}"


def test_a_lay_is_taken_back_and_the_table_shown_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = new_game(VANIKAR, 2, [], "", "casuale", 4)
    assert session.next_deal() is session.state and session.dealer == session.state.game.dealer
    desk = Desk(session, "en", None)
    before = session.state
    melds = Action(LAY, before.hands[before.turn][:3], -1, 0, ())
    session.actions[-1].append(melds)
    session.states.append(before)
    assert desk._obey("undo") and session.state is before and session.actions[-1] == []
    assert "hand" in capsys.readouterr().out


def test_a_game_that_cannot_be_kept_here_goes_to_the_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "gettempdir", lambda: str(tmp_path))
    session = new_game(VANIKAR, 2, [], "", "casuale", 4)
    session.next_deal()
    assert Desk(session, "en", "no/such/folder/game.toml").leave() == 0
    (kept,) = tmp_path.iterdir()
    assert kept.name in capsys.readouterr().out.replace("\n", "")


def test_a_fresh_name_is_of_no_other_game(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        names.append(fresh_name(str(tmp_path)))
        Path(names[-1]).write_text("x", encoding="utf-8")
    assert len(set(names)) == 3


def test_nothing_is_taken_back_before_anything_was_done() -> None:
    session = new_game(VANIKAR, 2, [], "", "casuale", 4)
    session.next_deal()
    with pytest.raises(BurracoError) as caught:
        session.undo()
    assert caught.value.code == "nothing_to_undo"


def test_a_record_of_a_deal_is_no_saved_game(play: Callable[..., str]) -> None:
    record = Path(__file__).resolve().parents[2] / "samples" / "records" / "fibur-4.toml"
    shown = play([], "--resume", str(record), code=2)
    assert shown == "burraco: this is no game that burraco play has kept\n"
