"""Rows L01..L30 of the rules reference, each under the profile that it speaks of."""

from __future__ import annotations

from typing import Any

import pytest

from scorer.cards import CARDS, DECK, Card
from scorer.game import GameState, apply, check, deal, legal_actions, notices, position, read_action, result_of
from scorer.game.actions import format_action
from scorer.game.state import ADD, LAY
from scorer.notation import parse_cards, parse_meld
from scorer.profile import load_profile

BURRACO = "3d 4d 5d 6d 7d 8d 9d"
DIRTY = "3d 4d JK 6d 7d 8d 9d"


def at(
    rules: str, hand: str, *, mine: tuple[str, ...] = (), others: tuple[str, ...] = (), pile: str = "",
    options: dict[str, object] | None = None, **more: Any,
) -> GameState:  # fmt: skip
    return position(
        load_profile(rules, options),
        parse_cards(hand),
        mine=[parse_meld(text) for text in mine],
        others=[parse_meld(text) for text in others],
        pile=parse_cards(pile) if pile else (),
        **more,
    )


def why(state: GameState, text: str) -> list[str]:
    """The codes that refuse an action; every refusal must also be missing from the legal actions, and the reverse."""
    action = read_action(text, state)
    codes = [fault.code for fault in check(state, action)]
    if codes:
        assert action not in legal_actions(state)
    return codes


def play(state: GameState, *texts: str) -> GameState:
    for text in texts:
        state = apply(state, read_action(text, state))
    return state


def shown(state: GameState, index: int = 0) -> str:
    meld = state.melds[index]
    return " ".join(slot.card.text for slot in state.game.book.reading(meld.codes, meld.reading).slots)


def test_l01_pot_no_burraco_meld_leaving_one_is_refused() -> None:
    state = at("vanikar", "9s 9c 9h 4d", pot="played")
    assert why(state, "lay 9s 9c 9h") == ["closing_needs_burraco"]


def test_l02_pot_no_burraco_meld_leaving_none_is_refused() -> None:
    state = at("vanikar", "9s 9c 9h 9d", pot="played")
    assert why(state, "lay 9s 9c 9h 9d") == ["closing_needs_burraco"]


def test_l03_the_lay_off_itself_makes_the_burraco() -> None:
    state = at("vanikar", "9d 10d Jd 4s", mine=("3d 4d 5d 6d 7d 8d",), pot="played")
    assert why(state, "add N1 + 9d 10d Jd") == []
    state = play(state, "add N1 + 9d 10d Jd", "discard 4s")
    assert (state.end, state.closer) == ("close", 0)


def test_l03_as_single_cards() -> None:
    state = at("vanikar", "9d 10d Jd 4s", mine=("3d 4d 5d 6d 7d 8d",), pot="played")
    state = play(state, "add N1 + 9d", "add N1 + 10d", "add N1 + Jd", "discard 4s")
    assert state.end == "close"


def test_l04_melding_the_hand_takes_the_pot_and_play_goes_on() -> None:
    state = at("vanikar", "9s 9c 9h")
    after = play(state, "lay 9s 9c 9h")
    assert (after.turn, after.phase, len(after.hand), after.pot[0]) == (0, 2, 11, 2)


def test_l05_vanikar_closes_by_melding() -> None:
    state = at("vanikar", "9s 9c 9h", mine=(BURRACO,), pot="played")
    after = play(state, "lay 9s 9c 9h")
    assert (after.end, after.closer) == ("close", 0)


@pytest.mark.parametrize("rules", ["fibur", "classico", "brasile"])
def test_l06_a_final_discard_is_required(rules: str) -> None:
    state = at(rules, "9s 9c 9h", mine=(BURRACO,), pot="not_taken" if rules == "brasile" else "played")
    assert why(state, "lay 9s 9c 9h") == ["closing_discard_required"]


@pytest.mark.parametrize("rules", ["fibur", "classico"])
@pytest.mark.parametrize("card", ["JK", "2s", "2d"])
def test_l07_no_wild_as_closing_discard(rules: str, card: str) -> None:
    # the run of diamonds lacks its two: even a two that could be natural stays a pinella
    state = at(rules, card, mine=(BURRACO,), pot="played")
    assert why(state, f"discard {card}") == ["wild_closing_discard"]


def test_l08_a_wild_discard_may_take_the_pot() -> None:
    after = play(at("fibur", "2s"), "discard 2s")
    assert (after.turn, len(after.hands[0]), after.pot[0]) == (1, 11, 1)


def test_l09_last_joker_while_it_can_be_laid_off() -> None:
    state = at("vanikar", "JK", mine=(BURRACO, "4s 5s 6s"), pot="played")
    assert why(state, "discard JK") == ["joker_can_be_laid"]
    assert play(state, "add N2 + JK").end == "close"
    full = at("vanikar", "JK", mine=("3d 4d 5d 6d 7d 8d JK",), pot="played")
    assert why(full, "discard JK") == []


def test_l10_fibur_closes_on_a_dirty_burraco() -> None:
    state = at("fibur", "9s", mine=(DIRTY,), pot="played")
    assert why(state, "discard 9s") == []
    assert play(state, "discard 9s").end == "close"


@pytest.mark.parametrize(
    ("rules", "options"),
    [("internazionale", {}), ("brasile", {}), ("stekius", {"close_burraco": "clean"}), ("buraco-aberto", {})],
)
def test_l11_a_clean_burraco_is_needed(rules: str, options: dict[str, object]) -> None:
    pot = "not_taken" if rules == "brasile" else "played"
    state = at(rules, "9s", mine=(DIRTY,), options=options, pot=pot)
    assert why(state, "discard 9s") == ["closing_needs_clean"]
    assert why(at(rules, "9s", mine=(BURRACO,), options=options, pot=pot), "discard 9s") == []


def test_l12_stekius_closes_without_any_biriba_and_is_told_so() -> None:
    state = at("stekius", "9s", mine=("4h 5h 6h",), pot="played")
    action = read_action("discard 9s", state)
    assert why(state, "discard 9s") == []
    assert [notice.code for notice in notices(state, action)] == ["closed_without_burraco"]
    assert play(state, "discard 9s").end == "close"


def test_l13_a_single_taken_card_does_not_go_straight_back() -> None:
    state = at("fibur", "4d 9s", pile="7h", drawn=False)
    after = play(state, "take")
    assert why(after, "discard 7h") == ["rediscard"]
    assert why(after, "discard 4d") == []
    twin = play(at("fibur", "4d 7h", pile="7h", drawn=False), "take")
    assert why(twin, "discard 7h") == []
    two = play(at("fibur", "4d 9s", pile="7h 8h", drawn=False), "take")
    assert why(two, "discard 7h") == []
    assert why(play(at("vanikar", "4d 9s", pile="7h", drawn=False), "take"), "discard 7h") == []


def test_l14_the_top_card_must_go_to_the_table() -> None:
    options: dict[str, object] = {"pickup": "top_melded"}
    assert why(at("stekius", "4d 9s Kc", pile="3c 7h", drawn=False, options=options), "take") == [
        "pile_card_must_be_laid"
    ]
    good = at("stekius", "5h 6h Kc", pile="3c 7h", drawn=False, options=options)
    after = play(good, "take")
    assert why(after, "discard Kc") == ["taken_card_first"]
    after = play(after, "lay 5h 6h 7h")
    assert [CARDS[code].text for code in after.hand] == ["3c", "Kc"]


def test_l15_down_to_the_king_only_to_lay_the_king() -> None:
    state = at("brasile", "Jd Qd 5s", pile="Kd 4c 9h", drawn=False)
    after = play(state, "take 3")
    assert why(after, "discard 5s") == ["taken_card_first"]
    after = play(after, "lay Jd Qd Kd")
    assert [CARDS[code].text for code in after.hand] == ["9h", "4c", "5s"]
    assert why(at("brasile", "Jd 3d 5s", pile="Kd 4c 9h", drawn=False), "take 3") == ["pile_card_must_be_laid"]
    assert why(state, "take 2") == ["pile_card_must_be_laid"]


def test_l16_brasile_lays_off_on_anyone() -> None:
    state = at("brasile", "8h 4d 9s", others=("5h 6h 7h",), players=2)
    assert why(state, "add S1 + 8h") == []
    after = play(state, "add S1 + 8h")
    assert shown(after) == "5h 6h 7h 8h" and after.melds[0].home == 1


@pytest.mark.parametrize("rules", ["vanikar", "stekius", "classico", "canasta", "fibur"])
def test_l17_nobody_else_does(rules: str) -> None:
    state = at(rules, "8h 4d 9s", others=("5h 6h 7h",))
    assert why(state, "add E1 + 8h") == ["not_your_meld"]


def test_l18_the_joker_stays_in_the_meld() -> None:
    state = at("brasile", "6h 4d 9s", mine=("5h JK 7h",))
    after = play(state, "add N1 + 6h")
    assert shown(after) == "JK 5h 6h 7h" and 52 not in after.hand
    locked = at("brasile", "6h 4d 9s", mine=("5h JK 7h",), options={"wild_move": "locked"})
    assert shown(play(locked, "add N1 + 6h")) == "JK 5h 6h 7h"  # its very card came: low end by convention


def test_l19_no_second_set_of_a_rank() -> None:
    state = at("fibur", "Jc Jc Jh 4d 5s", mine=("Jh Jd Js",))
    assert why(state, "lay Jc Jc Jh") == ["equal_set"]
    assert why(at("vanikar", "Jc Jc Jh 4d 5s", mine=("Jh Jd Js",)), "lay Jc Jc Jh") == []
    assert why(at("fibur", "Jc Jc Jh 4d 5s", others=("Jh Jd Js",)), "lay Jc Jc Jh") == []


def test_l20_an_enclosed_wild_moves_only_for_its_card() -> None:
    state = at("fibur", "7c 10c 4d 5s", mine=("6c JK 8c",))
    assert why(state, "add N1 + 10c") == ["hole"]
    assert why(state, "add N1 + 7c 10c") == []
    assert shown(play(state, "add N1 + 7c 10c")) == "6c 7c 8c JK 10c"
    assert shown(play(state, "add N1 + 7c", "add N1 + 10c")) == "6c 7c 8c JK 10c"


def test_l21_free_moving_does_not_help_two_holes() -> None:
    assert why(at("vanikar", "10c 4d 5s", mine=("6c JK 8c",)), "add N1 + 10c") == ["hole"]


@pytest.mark.parametrize("rules", ["vanikar", "fibur"])
def test_l22_a_free_end_wild_slides(rules: str) -> None:
    state = at(rules, "8h 4d 5s", mine=("2s=4h 5h 6h",))
    assert shown(state) == "2s 5h 6h"
    assert shown(play(state, "add N1 + 8h")) == "5h 6h 2s 8h"


def test_l23_a_locked_wild_does_not() -> None:
    state = at("fibur", "8h 4d 5s", mine=("2s=4h 5h 6h",), options={"wild_move": "locked"})
    assert why(state, "add N1 + 8h") == ["wild_may_not_move"]
    assert why(at("fibur", "8h 4d 5s", mine=("2s=7h 5h 6h",), options={"wild_move": "locked"}), "add N1 + 8h") == []


@pytest.mark.parametrize("rules", ["fibur", "classico"])
def test_l24_the_third_last_card_makes_the_last_turn(rules: str) -> None:
    state = at(rules, "4d 9s", stock=3, pile="7h", drawn=False)
    after = play(state, "draw")
    assert len(after.stock) == 2 and not after.over
    after = play(after, "discard 9s")
    assert (after.end, after.closer, legal_actions(after)) == ("stock", -1, [])


def test_l25_vanikar_ends_with_the_last_card_drawn() -> None:
    after = play(at("vanikar", "4d 9s", stock=1, pile="7h", drawn=False), "draw")
    assert (after.end, len(after.hands[0]), legal_actions(after)) == ("stock", 3, [])


def test_l26_canasta_turns_the_leftover_pot_into_the_stock() -> None:
    state = at("canasta", "4d 9s", stock=0, pots_left=1, pot="played", drawn=False)
    assert why(state, "draw") == []
    after = play(state, "draw")
    assert (len(after.stock), after.pot_count, len(after.hand)) == (10, 0, 3)
    none_left = at("canasta", "4d 9s", stock=1, pots_left=0, pot="played", others_pot="played", drawn=False)
    assert play(none_left, "draw", "discard 9s").end == "stock"


def test_l27_classico_void_when_nobody_took_a_pot() -> None:
    deck = [card.code for card in DECK]
    state = deal(deck, load_profile("classico"), players=4)._replace(stock=tuple(deck[:3]))
    after = play(state, "draw")
    after = apply(after, next(a for a in legal_actions(after) if a.kind == 4))
    result = result_of(after)
    assert (result.end, result.void, result.points) == ("stock", True, (0, 0, 0, 0))


def test_l28_no_second_pot_for_the_same_pair() -> None:
    state = at("canasta", "9s", pot="played", pots_left=1)
    assert why(state, "discard 9s") == ["closing_needs_burraco"]
    after = play(at("canasta", "9s", mine=(BURRACO,), pot="played", pots_left=1), "discard 9s")
    assert after.end == "close" and after.pot_count == 1


@pytest.mark.parametrize("rules", ["vanikar", "canasta", "buraco-aberto"])
def test_l29_an_empty_pile_cannot_be_taken(rules: str) -> None:
    state = deal([card.code for card in DECK], load_profile(rules), players=4)
    assert why(state, "take") == ["pile_empty"]


def test_l30_partner_took_the_pot_in_flight() -> None:
    state = at("fibur", "9s 9c 9h", mine=("4h 5h 6h",), pot="played", pots_left=1)
    assert why(state, "lay 9s 9c 9h") == ["closing_discard_required", "closing_needs_burraco"]


# --- what stands between the rows -----------------------------------------------------------------------------------


def test_a_wild_left_alone_would_strand_the_player() -> None:
    state = at("fibur", "9s 9c 9h JK", mine=(BURRACO,), pot="played")
    assert why(state, "lay 9s 9c 9h") == ["wild_closing_discard"]
    assert why(at("fibur", "9s 9c 9h 4s", mine=(BURRACO,), pot="played"), "lay 9s 9c 9h") == []


def test_last_two_cards_make_the_burraco_and_close() -> None:
    state = at("vanikar", "8d 9d", mine=("3d 4d 5d 6d 7d",), pot="played")
    assert why(state, "add N1 + 8d") == ["closing_needs_burraco"]
    pair = read_action("add N1 + 8d 9d", state)
    assert pair in legal_actions(state) and apply(state, pair).end == "close"


def test_internazionale_lays_at_least_one_card_after_taking() -> None:
    state = at("internazionale", "5h 6h 9s 4d", pile="7h Kc", drawn=False)
    after = play(state, "take")
    assert why(after, "discard Kc") == ["must_lay_something"]
    assert why(play(after, "lay 5h 6h 7h"), "discard Kc") == []
    assert why(at("internazionale", "5h 9h 4s 4d", pile="7h Kc", drawn=False), "take") == ["pile_needs_a_lay"]


def test_two_jokers_and_a_natural_two() -> None:
    state = at("vanikar", "JK JK 4d 9s", mine=("2h 3h 4h",))
    after = play(state, "add N1 + JK")
    assert why(after, "add N1 + JK") == ["too_many_wilds"]


def test_natural_two_turns_wild_at_a_free_end_only() -> None:
    for rules, options, legal in (
        ("fibur", {}, True),
        ("vanikar", {}, True),
        ("fibur", {"wild_move": "locked"}, False),
    ):
        state = at(rules, "9h 4d 5s", mine=("2h 3h 4h 5h 6h 7h",), options=dict(options))
        assert (why(state, "add N1 + 9h") == []) is legal
    enclosed = at("fibur", "5h 4d 5s", mine=("Ah 2h 3h",))
    assert why(enclosed, "add N1 + 5h") != []


def test_replaced_suited_two_falls_into_its_slot() -> None:
    after = play(at("canasta", "6h 4d 9s", mine=("3h 4h 5h 2h=6h 7h",)), "add N1 + 6h")
    reading = after.game.book.reading(after.melds[0].codes, after.melds[0].reading)
    assert reading.wilds == 0 and reading.slots[0].card is Card.of("2h")


def test_house_option_two_wilds_in_one_gap() -> None:
    state = at("classico", "5h 8h JK 2s 9c 9d", options={"max_wilds": 2})
    assert read_action("lay 5h JK 2s 8h", state) in legal_actions(state)


@pytest.mark.parametrize(
    ("move", "card", "lays"),
    [
        ("free", "7h", {"7h 2s JK": "run"}),
        ("free_end", "7h", {"7h 2s JK": "run", "7h 2s=7? JK=7?": "set"}),
        ("locked", "7h", {"7h 2s JK": "run", "7h 2s=6h JK=8h": "run", "7h 2s=8h JK=9h": "run",
                          "7h 2s=7? JK=7?": "set"}),
        ("locked", "Ah", {"Ah 2s JK": "set", "Ah 2s=Qh JK=Kh": "run"}),
    ],
)  # fmt: skip
def test_one_natural_card_and_wilds_may_be_a_run_or_a_set(move: str, card: str, lays: dict[str, str]) -> None:
    """A house rule lets two wilds join one card; what may come later depends on what it is called."""
    options = {"min_natural": 1, "max_wilds": 2, "wild_move": move, "ace_low": False}
    state = at("fibur", f"{card} 2s JK 4d 9c", options=options)
    found = {}
    for action in legal_actions(state):
        if action.kind == LAY and Card.of(card).code in action.cards:
            (meld,) = apply(state, action).melds
            said = format_action(state, action).removeprefix("lay N1 = ")
            found[said] = state.game.book.reading(meld.codes, meld.reading).kind
    assert found == lays


@pytest.mark.parametrize(("move", "faults"), [("free", []), ("free_end", ["wild_may_not_move"])])
def test_what_was_called_a_set_stays_one_unless_wilds_are_free(move: str, faults: list[str]) -> None:
    options = {"min_natural": 1, "max_wilds": 2, "wild_move": move}
    state = play(at("fibur", "7h 2s JK 8h 7d 4d 9c", options=options), "lay 7h 2s=7? JK=7?")
    assert why(state, "add N1 + 7d") == [] and why(state, "add N1 + 8h") == faults
    fitting = {Card.of(card).code for card in ("7d", "8h")[: 1 + (move == "free")]}
    assert {a.cards[0] for a in legal_actions(state) if a.kind == ADD} == fitting
