"""Requests, positions and actions that cannot be: each is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scorer.cards import DECK, Card
from scorer.cli import main
from scorer.errors import BurracoError, MatchError, NotationError
from scorer.game.actions import read_action, say, spoken_text
from scorer.game.apply import advance
from scorer.game.bots.forte import Belief, _still_open
from scorer.game.check import check, notices
from scorer.game.judge import answer_move
from scorer.game.legal import legal_actions
from scorer.game.position import position
from scorer.game.shape import view_shape
from scorer.game.state import ADD, DISCARD, DRAW_CARD, LAY, TAKE, Action, deal
from scorer.game.view import view_of
from scorer.moves import add_violations
from scorer.notation import parse_cards, parse_meld
from scorer.profile import load_profile

VANIKAR = load_profile("vanikar")
CODES = [card.code for card in DECK]


def codes(text: str) -> tuple[int, ...]:
    return tuple(sorted(card.code for card in parse_cards(text)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": 3}, {"action": " "}, {"hand": 3}, {"hand": "7h " * 1000}, {"mine": 3}, {"mine": [3]}, {"stock": "x"},
        {"stock": True}, {"stock": 200}, {"players": 9}, {"drawn": 1}, {"pot": 3}, {"pots_left": 7}, {"barred": 3},
    ],
)  # fmt: skip
def test_a_request_with_a_wrong_field(wrong: dict[str, Any]) -> None:
    with pytest.raises(BurracoError) as caught:
        answer_move({"action": "discard 7h", "hand": "7h 8h 9h", **wrong}, profile=VANIKAR)
    assert caught.value.code in ("bad_field", "missing_field", "bad_players", "no_cards_named", "empty_meld")


def test_cards_of_a_request_may_be_a_list_and_one_meld_a_text() -> None:
    said = answer_move({"action": "add N1 + 7h", "hand": ["7h", "9d", "Kd"], "mine": "8h 9h 10h"}, profile=VANIKAR)
    assert said["legal"] is True


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"stock": 109}, "bad_stock"), ({"pile": parse_cards("7h 7h 7h")}, "deck_copies"),
        ({"pot": "lost"}, "bad_pot_state"),
        ({"mine": (parse_meld("7h 8h 10h"),)}, "illegal_table_meld"),
    ],
)  # fmt: skip
def test_a_position_that_cannot_be(more: dict[str, Any], code: str) -> None:
    with pytest.raises(MatchError) as caught:
        position(VANIKAR, parse_cards("5h 6c"), **more)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("draw 7h", "words_after_action"), ("take x", "bad_depth"), ("take 0", "bad_depth"), ("lay", "no_cards_named"),
        ("add 7h", "no_meld_named"), ("jump 7h", "unknown_action_word"), ("pot", "mark_is_no_action"),
    ],
)  # fmt: skip
def test_words_that_are_no_action(words: str, code: str) -> None:
    state = position(VANIKAR, parse_cards("5h 6c"))
    with pytest.raises(NotationError) as caught:
        read_action(words, state)
    assert caught.value.code == code


def test_what_a_wild_stands_for_may_follow() -> None:
    state = position(VANIKAR, parse_cards("2s 5h 7h 9d"), mine=(parse_meld("JK 4c 5c"),))
    said = read_action("lay 5h 7h 2s with 2s=6h", state)
    assert said.kind == LAY and said.roles
    assert read_action(spoken_text(say(state, said)), state) == said
    grown = Action(ADD, codes("6c"), 0, 0, ((Card.of("JK").code, Card.of("7c").code),))
    assert spoken_text(say(state, grown)) == "add N1 + 6c with JK=7c"


def faults(state: Any, action: Action) -> list[str]:
    return [fault.code for fault in check(state, action)]


def test_actions_that_are_none() -> None:
    fresh = deal(CODES, VANIKAR, players=2)
    drawn = advance(fresh, Action(DRAW_CARD))
    assert faults(fresh, Action(77)) == ["unknown_action"]
    assert faults(drawn, Action(TAKE)) == ["already_drawn"] == faults(drawn, Action(DRAW_CARD))
    assert faults(drawn, Action(DISCARD, ())) == ["one_discard"]
    assert faults(drawn, Action(ADD, codes("7h"), 3))[-1] == "no_such_meld"
    laid = position(VANIKAR, parse_cards("5h 6c"), mine=(parse_meld("7h 8h 9h"),))
    assert faults(laid, Action(ADD, (), 0)) == ["no_cards"]
    empty = position(load_profile("stekius"), parse_cards("5h 6c"), stock=0, drawn=False)
    assert "stock_empty" in faults(empty, Action(DRAW_CARD))


def test_closing_without_a_burraco_is_remarked_where_it_is_allowed() -> None:
    stekius = load_profile("stekius", {"close_discard": False})
    at = position(stekius, parse_cards("7h 7d 7s"), pot="played", others_pot="played", mine=(parse_meld("9h 10h Jh"),))
    lay = Action(LAY, codes("7h 7d 7s"))
    assert [n.code for n in notices(at, lay)] == ["closed_without_burraco"]
    last = position(stekius, parse_cards("8h"), pot="played", others_pot="played", mine=(parse_meld("9h 10h Jh"),))
    assert [n.code for n in notices(last, Action(ADD, codes("8h"), 0))] == ["closed_without_burraco"]
    assert notices(last, Action(DRAW_CARD)) == ()


def test_a_view_tells_the_public_history() -> None:
    state = deal(CODES, VANIKAR, players=2)
    for _ in range(4):
        state = advance(state, legal_actions(state)[-1])
    told = view_of(state, 0).events()
    assert told[0][0] == told[1][0] != told[2][0]
    assert len(told) == 4 and view_of(state, 0).over is False


def ran(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(list(args))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_the_arena_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "arena", "casuale", "facile", "normale", "--matches", "2", "--option", "target=505",
                       "--players", "2")  # fmt: skip
    assert code == 0 and len(out.splitlines()) > 4
    assert ran(capsys, "arena", "casuale", "facile", "--matches", "1")[0] == 2


def test_matches_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "simulate", "--matches", "2", "--option", "target=505", "--players", "2")
    assert code == 0 and "2" in out
    assert ran(capsys, "simulate", "--rules", "classico", "--deals", "2")[0] == 0


@pytest.mark.parametrize("where", ["no/such/folder/run.jsonl", "."])
def test_a_state_file_that_cannot_be_kept(where: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = ran(capsys, "simulate", "--deals", "1", "--state", str(tmp_path / where))
    assert code == 2 and len(err.strip().splitlines()) == 1


def test_a_plot_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code, _, err = ran(capsys, "simulate", "--deals", "1", "--plot", str(tmp_path / "no" / "x.svg"))
    assert code == 2 and len(err.strip().splitlines()) == 1


def test_progress_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    code, _, err = ran(
        capsys, "arena", "casuale", "facile", "--matches", "2", "--option", "target=505", "--players", "2"
    )
    assert code == 0 and "casuale - facile" in err
    assert ran(capsys, "simulate", "--deals", "2")[0] == 0


def test_a_hidden_card_may_be_the_one_that_the_pile_needs() -> None:
    stbl = load_profile("stbl")
    for hand, why in (("4c Ks 5h", ["pile_card_must_be_laid"]), ("? ? 5h", [])):
        at = position(stbl, parse_cards(hand), pile=parse_cards("9c 7d"), drawn=False)
        assert faults(at, Action(TAKE)) == why
        assert (TAKE in [action.kind for action in legal_actions(at)]) is (not why)
    assert not legal_actions(position(VANIKAR, parse_cards("?")))  # nobody may say what it is


def test_a_view_shows_its_own_hand_and_counts_the_others() -> None:
    shown = view_shape(view_of(deal(CODES, VANIKAR, players=2), 1))
    assert shown["seat"] == "S" and shown["hand_counts"] == {"N": 11, "S": 11} and len(shown["hand"]) == 11
    assert "hands" not in shown and shown["known"] == {"N": [], "S": []}
    assert sorted(Card.of(text).code for text in shown["hand"]) == list(deal(CODES, VANIKAR, players=2).hands[1])


def test_why_cards_cannot_be_added() -> None:
    fibur = load_profile("fibur")
    meld = parse_cards("4h JK 6h")
    assert add_violations(fibur, meld, 0, parse_cards("7h")) == ()
    assert [v.code for v in add_violations(fibur, meld, 0, parse_cards("8h"))] == ["hole"]


def test_thinking_ends_when_one_candidate_is_surely_the_best() -> None:
    sure, bad, lucky = Belief(0.0), Belief(0.0), Belief(0.0)
    for _ in range(50):
        sure.add(400.0)
        bad.add(-400.0)
    lucky.add(1.0)
    first = Belief(0.0)
    assert _still_open([0, 1, 2], [first, sure, bad]) == [1]
    assert _still_open([0, 1, 2], [first, lucky, bad]) == [0, 1]  # ahead by chance: go on
