"""What the scorer says of melds and tables that break the rules, and what it only remarks: every code, by name."""

from __future__ import annotations

from typing import Any

import pytest

from scorer.cards import DECK, Card
from scorer.explain import fault_text
from scorer.melds import Binding, check_meld
from scorer.profile import load_profile
from scorer.scoring import score
from scorer.table import Hand, MeldText, Side, Table


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.of(token) for token in text.split())


@pytest.mark.parametrize(
    ("rules", "bag", "codes"),
    [
        ("vanikar", "", "too_few_cards"),
        ("vanikar", "5h 6h", "too_few_cards"),
        ("vanikar", "7h ? 9h", "unknown_card"),
        ("vanikar", "7h 8? 9h", "unknown_card"),
        ("vanikar", "JK JK JK", "only_wilds"),
        ("vanikar", "5h JK 2s", "too_many_wilds too_few_naturals"),
        ("vanikar", "4h JK 2s 7h", "too_many_wilds"),
        ("vanikar", "2h Qh JK", "too_many_wilds too_few_naturals"),
        ("vanikar", "7h 7d JK JK", "too_many_wilds"),
        ("vanikar", "5h 7h 9h JK", "hole"),
        ("vanikar", "5h 9h JK JK", "hole too_many_wilds"),
        ("vanikar", "5h 5h 6h 7h", "rank_twice"),
        ("vanikar", "5h 6d 7h", "mixed_suits"),
        ("vanikar", "5h 6d 7h JK JK", "mixed_suits too_many_wilds"),
        ("vanikar", "5h 5d 5s 9c", "mixed_ranks"),
        ("vanikar", "7h 7h 7h", "too_many_copies"),
        ("vanikar", "Kh Ah 3h", "wrap_around"),
        ("vanikar", "Ah 5h 9h JK", "hole"),
        ("vanikar", "8h Qh Kh Ah", "hole"),
        ("vanikar", "Ah 3h 4h 5h 6h Jh Qh Kh", "wrap_around"),
        ("vanikar", "Ah 3h 4h 5h 6h 10h Jh Qh Kh", "hole"),
        ("vanikar", "Kh Ah 2h 3h", "wrap_around"),
        ("vanikar", "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh Ah", "two_aces"),
        ("vanikar", "7h 7h 7d 7d 7s 7s 7c 7c JK JK", "too_many_wilds set_too_large"),
        ("classico", "Qh Kh Ah", "ace_not_high"),
        ("classico", "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh JK", "run_too_long ace_not_high"),
        ("classico", "2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh JK 2s", "run_too_long too_many_wilds no_room"),
        ("brasile", "9s 9s 9h", "identical_cards"),
        ("brasile", "9s 9h 9d 9c JK", "set_too_large"),
        ("stbl", "9s 9h 9d", "sets_not_allowed"),
        ("stbl", "Ah Ah JK", "sets_not_allowed"),
        ("internazionale", "9s 9h 9d", "set_rank_not_allowed"),
        ("canasta", "Ah Ah Kh 2h", "hole"),
    ],
)
def test_an_illegal_meld_names_all_that_is_wrong(rules: str, bag: str, codes: str) -> None:
    verdict = check_meld(cards(bag), load_profile(rules))
    assert {fault.code for fault in verdict.violations} == set(codes.split())
    assert verdict.bonus == 0 and verdict.type is None


def test_of_an_illegal_meld_only_the_card_points_are_known() -> None:
    verdict = check_meld(cards("5h 6h 8h"), load_profile("stekius", {"trump": "h"}))
    assert (verdict.legal, verdict.reading, verdict.kind, verdict.type) == (False, None, None, None)
    assert (verdict.card_points, verdict.bonus, verdict.total, verdict.doubled) == (20, 0, 20, False)
    assert verdict.slots == () == verdict.readings


@pytest.mark.parametrize(
    ("bag", "code", "named"),
    [
        ("Qh Kh Ah 3h", "wrap_around", "Qh Kh Ah"),
        ("Kh Ah 3h 4h", "wrap_around", "Kh Ah"),
        ("5h 5h 6h 7h", "rank_twice", "5h"),
        ("5h JK 2s", "too_many_wilds", "JK 2s"),
        ("5h 7h 10h JK", "hole", "5h 7h 10h"),
        ("5h 6d 7h", "mixed_suits", "6d"),
        ("7h 7h 7h", "too_many_copies", "7h 7h 7h"),
    ],
)
def test_a_violation_shows_the_cards_at_fault(bag: str, code: str, named: str) -> None:
    faults = {v.code: v for v in check_meld(cards(bag), load_profile("vanikar")).violations}
    assert sorted(faults[code].cards) == sorted(cards(named))


def test_the_low_ace_by_option() -> None:
    verdict = check_meld(cards("Ah 2h 3h"), load_profile("fibur", {"ace_low": False}))
    assert [fault.code for fault in verdict.violations] == ["ace_not_low"]


def test_a_run_that_is_full_because_an_end_is_closed() -> None:
    house = load_profile("stbl", {"ace_low": False, "ace_both": False, "max_wilds": 3})
    verdict = check_meld(cards("2d 2d 3d 4d 5d 6d 7d 8d 10d Jd Qd Kd 2h JK"), house)
    assert [(fault.code, fault.rule) for fault in verdict.violations] == [("no_room", "ace_low")]
    wide = load_profile("classico", {"max_run": 14, "max_wilds": 2})
    full = check_meld(cards("2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh JK 2s"), wide)
    assert [(fault.code, fault.rule) for fault in full.violations] == [("no_room", "ace_high")]


def test_a_binding_that_cannot_hold() -> None:
    bound = (Binding(Card.of("2s"), Card.of("9h")),)
    verdict = check_meld(cards("4h 5h 6h 2s"), load_profile("fibur"), bound)
    assert [fault.code for fault in verdict.violations] == ["binding_impossible"]


def test_a_binding_chooses_the_reading() -> None:
    bag, profile = cards("4h 5h 6h 7h 8h 9h 10h JK"), load_profile("fibur")
    low, high = (check_meld(bag, profile, (Binding(Card.of("JK"), Card.of(c)),)) for c in ("3h", "Jh"))
    assert [str(slot.stands_for) for slot in low.slots if slot.wild] == ["3h"]
    assert [str(slot.stands_for) for slot in high.slots if slot.wild] == ["Jh"]


@pytest.mark.parametrize(
    ("rules", "bag", "codes"),
    [
        ("vanikar", "3h 4h 5h 2h 7h 8h 9h", "suited_two_is_wild"),
        ("vanikar", "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh JK", "fourteenth_card"),
        ("canasta", "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh JK", ""),
        ("fibur", "3h 4h 5h 6h 7h 8h 9h JK Jh", "disputed_semi"),
        ("fibur", "7h 7h 7d 7d 7s 7s 7c 7c JK", "disputed_semi"),
        ("fibur", "4h 5h 6h 7h 8h 9h 10h JK", ""),
        ("vanikar", "3h 4h 5h 6h 7h 8h 9h JK Jh", ""),
    ],
)
def test_notices_of_a_meld(rules: str, bag: str, codes: str) -> None:
    verdict = check_meld(cards(bag), load_profile(rules))
    assert [notice.code for notice in verdict.notices] == codes.split() and verdict.legal


def test_a_set_needs_its_natural_cards() -> None:
    (fault,) = check_meld(cards("7h 7d JK"), load_profile("fibur", {"min_natural": 3})).violations
    assert (fault.code, fault.cards, fault.params) == ("too_few_naturals", cards("7h 7d"), (("least", 3),))


def test_a_suited_two_leaves_its_own_place_to_another_wild() -> None:
    """With two wilds in a run the two of its suit is natural in slot 2, or wild anywhere else."""
    found = check_meld(cards("2h 3h JK 5h"), load_profile("fibur", {"max_wilds": 2})).readings
    shown = {" ".join(slot.card.text for slot in reading.slots): reading.wilds for reading in found}
    assert shown["2h 3h JK 5h"] == 1 and shown["JK 3h 2h 5h"] == 2
    assert all(not slot.wild for r in found for slot in r.slots if slot.card.text == "2h" == slot.stands_for.text)


def test_a_disputed_semi_says_what_the_other_reading_gives() -> None:
    (notice,) = check_meld(cards("3h 4h 5h 6h 7h 8h 9h JK Jh"), load_profile("fibur")).notices
    params = dict(notice.params)
    assert (params["option"], params["value"]) == ("semi_position", "end_only")
    assert (params["type"], params["bonus"]) == ("dirty", 100)
    other = load_profile("fibur", {str(params["option"]): params["value"]})
    assert check_meld(cards("3h 4h 5h 6h 7h 8h 9h JK Jh"), other).bonus == 100


@pytest.mark.parametrize(("position", "other"), [("one_side", "dirty"), ("end_only", "half-clean")])
def test_a_dispute_names_only_what_the_other_reading_gives(position: str, other: str) -> None:
    """The best reading may be the dirty one: the sentence must not call the meld half-clean by itself."""
    profile = load_profile("fibur", {"semi_position": position})
    (notice,) = check_meld(cards("3h 4h 5h 6h 7h 8h 9h JK Jh"), profile).notices
    said = fault_text(notice, "en")
    assert "the half-clean burraco is" not in said and f"a {other} burraco" in said


CLEAN, DIRTY = "4h 5h 6h 7h 8h 9h 10h", "4c 5c 6c JK 8c 9c 10c"


DISPUTES = [
    # rules, option, meld: what the notice says of the other reading, or nothing where both readings agree
    ({"semi_position": "end_only"}, "3h 4h 5h 6h 7h 8h JK 10h", None),
    ({"semi_position": "end_only"}, "3h 4h 5h 6h 7h 8h 9h JK Jh", ("semi_position", "one_side", "semi", 150)),
    ({"semi_position": "end_only"}, "3h 4h JK 6h 7h 8h 9h 10h Jh Qh", ("semi_position", "one_side", "semi", 150)),
    ({"semi_position": "one_side"}, "3h 4h 5h 6h 7h 8h 9h JK Jh", ("semi_position", "end_only", "dirty", 100)),
    ({"semi_position": "one_side"}, "4h 5h 6h 7h 8h 9h 10h JK", None),
    # the other reading moves the ace to the other end
    (
        {"semi_position": "end_only"},
        "Ah 2h 3h 4h 5h 6h JK 8h 9h 10h Jh Qh Kh",
        ("semi_position", "one_side", "semi", 150),
    ),
    ({"semi_set": "at_least_8"}, "7h 7h 7d 7d 7s 7s 7c 7c JK", ("semi_set", "exactly_8", "dirty", 100)),
    ({"semi_set": "exactly_8"}, "7h 7h 7d 7d 7s 7s 7c 7c JK", ("semi_set", "at_least_8", "semi", 150)),
    ({"semi_set": "exactly_8"}, "7h 7h 7d 7d 7s 7s 7c JK", None),
]


@pytest.mark.parametrize(("options", "bag", "said"), DISPUTES)
def test_a_dispute_says_what_the_other_reading_pays(
    options: dict[str, object], bag: str, said: tuple[str, str, str, int] | None
) -> None:
    notices = [n for n in check_meld(cards(bag), load_profile("fibur", options)).notices if n.code == "disputed_semi"]
    assert [tuple(dict(n.params).values()) for n in notices] == ([said] if said else [])


def side(name: str, *bags: str, hand: str = "", **state: Any) -> Side:
    return Side(name, melds=tuple(MeldText(cards(bag)) for bag in bags), hands=(Hand(cards(hand)),), **state)


def judged(rules: str, *sides: Side) -> tuple[set[str], set[str]]:
    sheet = score(Table(sides), load_profile(rules))
    return {fault.code for fault in sheet.violations}, {notice.code for notice in sheet.notices}


PLAYED: dict[str, Any] = {"pozzetto": "played"}
CLOSED: dict[str, Any] = {"pozzetto": "played", "closed": True}


@pytest.mark.parametrize(
    ("rules", "first", "second", "codes"),
    [
        ("vanikar", side("A", CLEAN, **CLOSED), side("B", **PLAYED), ""),
        ("vanikar", side("A", **CLOSED), side("B", **PLAYED), "close_without_burraco"),
        ("internazionale", side("A", DIRTY, **CLOSED), side("B", **PLAYED), "close_without_clean"),
        ("internazionale", side("A", CLEAN, **CLOSED), side("B", **PLAYED), ""),
        ("stekius", side("A", **CLOSED), side("B", **PLAYED), ""),
        ("vanikar", side("A", CLEAN, closed=True, pozzetto="not_taken"), side("B", **PLAYED), "close_without_pot"),
        ("brasile", side("A", CLEAN, closed=True), side("B"), ""),
        ("vanikar", side("A", CLEAN, **CLOSED), side("B", DIRTY, **CLOSED), "two_closed"),
        (
            "vanikar",
            side("A", CLEAN, hand="5c", players=("Anna",), **CLOSED),
            side("B", **PLAYED),
            "closer_holds_cards",
        ),
        ("vanikar", side("A", "7h 7d 7s", hand="7h 7h", **PLAYED), side("B", **PLAYED), "too_many_copies"),
        ("vanikar", side("A", hand="JK JK JK", **PLAYED), side("B", hand="JK JK", **PLAYED), "too_many_copies"),
        ("vanikar", side("A", hand="?", **PLAYED), side("B", **PLAYED), "unknown_card"),
        ("fibur", side("A", "Jh Jd Js", "Jc Jc Jh", **PLAYED), side("B", **PLAYED), "two_equal_sets"),
        ("vanikar", side("A", "Jh Jd Js", "Jc Jc Jh", **PLAYED), side("B", **PLAYED), ""),
        ("fibur", side("A", "Jh Jd Js", **PLAYED), side("B", "Jc Jc Jh", **PLAYED), ""),
        ("vanikar", side("A", "5h 5h 6h", **PLAYED), side("B", **PLAYED), "rank_twice"),
    ],
)
def test_what_is_wrong_at_a_table(rules: str, first: Side, second: Side, codes: str) -> None:
    assert judged(rules, first, second)[0] == set(codes.split())


def test_a_table_of_more_than_the_deck() -> None:
    heap = " ".join(["3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh"] * 10)
    faults, _ = judged("vanikar", side("A", hand=heap, **PLAYED), side("B", **PLAYED))
    assert faults == {"too_many_copies", "too_many_cards"}


@pytest.mark.parametrize(
    ("rules", "sides", "codes"),
    [
        ("vanikar", (side("A", **PLAYED),), "one_side"),
        ("vanikar", (side("A"), side("B", **PLAYED)), "pot_not_stated"),
        ("brasile", (side("A", **PLAYED), side("B")), "no_pots"),
        ("fibur", (side("A", **PLAYED), side("B", pozzetto="unplayed", pozzetto_cards=cards("3h 4h"))), "pot_size"),
        ("stekius", (side("A", **CLOSED), side("B", **PLAYED)), "closed_without_burraco"),
        ("classico", (side("A", pozzetto="not_taken"), side("B", pozzetto="not_taken")), "void"),
    ],
)
def test_what_is_only_remarked(rules: str, sides: tuple[Side, ...], codes: str) -> None:
    faults, notices = judged(rules, *sides)
    assert faults == set() and codes in notices


def test_a_whole_deck_is_not_more_than_the_deck() -> None:
    def codes(more: tuple[Card, ...]) -> list[str]:
        held = Side("A", hands=(Hand((*DECK, *more)),), pozzetto="played")
        return [v.code for v in score(Table((held, Side("B", pozzetto="played"))), load_profile("vanikar")).violations]

    assert codes(()) == []
    assert codes(cards("4h")) == ["too_many_copies", "too_many_cards"]


def test_where_the_third_copy_lies() -> None:
    first, second = side("A", "7h 7d 7s", hand="7h", **PLAYED), side("B", "7h 8h 9h", **PLAYED)
    (fault,) = score(Table((first, second)), load_profile("vanikar")).violations
    assert fault.cards == cards("7h 7h 7h")
    assert dict(fault.params) == {"count": 3, "where": "A/1; A/hand; B/1"}


def test_an_irregular_closing_pays_nothing_and_the_rest_stands() -> None:
    good = score(Table((side("A", CLEAN, **CLOSED), side("B", **PLAYED))), load_profile("internazionale"))
    bad = score(Table((side("A", DIRTY, **CLOSED), side("B", **PLAYED))), load_profile("internazionale"))
    assert (good.sides[0].score.closing, bad.sides[0].score.closing) == (100, 0)
    assert bad.sides[0].score.total == check_meld(cards(DIRTY), load_profile("internazionale")).total


def test_a_fault_that_two_sides_share_is_told_once() -> None:
    other = side("B", "4s 5s 6s 7s 8s 9s 10s", **CLOSED)
    sheet = score(Table((side("A", CLEAN, **CLOSED), other)), load_profile("vanikar"))
    assert [fault.code for fault in sheet.violations] == ["two_closed"]
    assert [one.score.closing for one in sheet.sides] == [0, 0]


@pytest.mark.parametrize(
    ("players", "hands", "good"),
    [
        ((), ("5c", "9d"), False), ((), ("", "9d"), True), (("x", "y"), ("5c", "9d"), False),
        (("x", "y"), ("5c",), True), ((), ("5c 9d",), True), (("x",), ("5c",), False), (("x",), ("",), True),
        (("x", "y"), ("5c", ""), True),
    ],
)  # fmt: skip
def test_one_partner_must_have_emptied_his_hand(players: tuple[str, ...], hands: tuple[str, ...], good: bool) -> None:
    """As far as the sheet tells: with one text for the whole side nobody knows whose the cards are."""
    named = tuple(Hand(cards(held)) for held in hands)
    run = MeldText(cards(CLEAN))
    a = Side("A", players, (run,), named, pozzetto="played", closed=True)
    sheet = score(Table((a, Side("B", pozzetto="played"))), load_profile("vanikar"))
    assert sheet.sides[0].score.closing == (100 if good else 0) and sheet.legal is good


def test_who_plays_alone_cannot_close_with_cards_in_hand() -> None:
    brasile = load_profile("brasile")
    (fault,) = score(Table((side("A", CLEAN, hand="2c", closed=True), side("B"))), brasile).violations
    assert (fault.code, fault.cards) == ("closer_holds_cards", cards("2c"))
    three = Table((side("A", CLEAN, hand="2c", **CLOSED), side("B", **PLAYED), side("C", **PLAYED)))
    assert [fault.code for fault in score(three, load_profile("stekius")).violations] == ["closer_holds_cards"]
    pairs = Table((side("A", CLEAN, hand="2c", **CLOSED), side("B", **PLAYED)))
    assert score(pairs, load_profile("stekius")).legal, "the card may be the partner's"
