"""Laws that hold for any bag and any table: order, suits, sides and sums."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from scorer.cards import CARDS, DECK, JOKER, Card, face
from scorer.melds import MeldVerdict, check_meld
from scorer.profile import RuleProfile, load_profile, profile_ids
from scorer.scoring import ScoreSheet, score
from scorer.table import Hand, MeldText, Side, Table

BAG = st.lists(st.sampled_from(CARDS[:53]), min_size=0, max_size=15)


@st.composite
def near_melds(draw: st.DrawFn) -> list[Card]:
    """A window of one suit or copies of one rank, some cards taken out and some wilds put in, in any order."""
    suit, wild = draw(st.integers(0, 3)), st.sampled_from([JOKER, *(face(2, s) for s in range(4))])
    if draw(st.booleans()):
        low = draw(st.integers(1, 12))
        bag = [face(slot, suit) for slot in range(low, draw(st.integers(low + 2, 14)) + 1)]
    else:
        bag = [face(draw(st.integers(1, 13)), s) for s in draw(st.lists(st.integers(0, 3), min_size=2, max_size=8))]
    for at in draw(st.lists(st.integers(0, 13), max_size=2)):
        if at < len(bag) > 1:
            bag.pop(at)
    bag += draw(st.lists(wild, max_size=2))
    return draw(st.permutations(bag))


MELDS = st.one_of(near_melds(), near_melds(), BAG)
PROFILES = st.sampled_from(profile_ids()).map(load_profile)
TRUMPS = st.sampled_from(("none", "h", "d", "c", "s"))


def essence(verdict: MeldVerdict) -> tuple[object, ...]:
    """What may not depend on the order of the cards."""
    faults = sorted((v.code, sorted(c.code for c in v.cards), v.rule) for v in verdict.violations)
    return verdict.readings, verdict.card_points, verdict.total, faults, sorted(n.code for n in verdict.notices)


@given(MELDS, PROFILES, st.randoms(use_true_random=False))
def test_the_order_of_the_cards_means_nothing(bag: list[Card], profile: RuleProfile, rng: random.Random) -> None:
    mixed = rng.sample(bag, len(bag))
    assert essence(check_meld(bag, profile)) == essence(check_meld(mixed, profile))


@given(MELDS, PROFILES, TRUMPS, st.permutations("hdcs"))
def test_other_suits_change_nothing_but_trump(
    bag: list[Card], profile: RuleProfile, trump: str, suits: list[str]
) -> None:
    renamed = dict(zip("hdcs", suits, strict=True))
    profile = profile.with_options({"trump": trump, "bonus.trump_factor": 2})
    other = profile.with_options({"trump": renamed.get(trump, "none")})
    moved = [c if c.is_joker else Card.of(c.text[:-1] + renamed[c.text[-1]]) for c in bag]
    before, after = check_meld(bag, profile), check_meld(moved, other)
    assert len(before.readings) == len(after.readings)
    for name in ("legal", "kind", "type", "bonus", "doubled", "card_points", "total"):
        assert getattr(before, name) == getattr(after, name), name
    assert [v.code for v in before.violations] == [v.code for v in after.violations]
    # and without a trump the suit is of no account at all
    plain = check_meld(moved, profile.with_options({"trump": "none"}))
    assert plain.type == before.type
    assert before.bonus == plain.bonus * (2 if before.doubled else 1)


@given(MELDS, PROFILES)
def test_a_verdict_is_whole(bag: list[Card], profile: RuleProfile) -> None:
    verdict = check_meld(bag, profile)
    assert sorted(c.code for c in verdict.cards) == sorted(c.code for c in bag)
    assert verdict.card_points == sum(profile.rules.points[c.code] for c in bag)
    assert verdict.legal == (not verdict.violations) == bool(verdict.readings)
    assert verdict.total == verdict.card_points + verdict.bonus
    assert (verdict.type is not None) == (verdict.legal and len(bag) >= profile.meld.burraco_cards)
    assert all(len(v.cards) == 0 or set(v.cards) <= set(bag) for v in verdict.violations)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Two or three sides that share one shuffled deck; now and then a card is there too often."""
    deck = draw(st.permutations(DECK))
    at = 0

    def take(most: int) -> tuple[Card, ...]:
        nonlocal at
        count = draw(st.integers(0, most))
        at += count
        return tuple(deck[at - count : at])

    sides = []
    for name in ("A", "B", "C")[: draw(st.integers(2, 3))]:
        state = draw(st.sampled_from(("played", "unplayed", "not_taken", None)))
        melds = tuple(MeldText(tuple(draw(near_melds()))) for _ in range(draw(st.integers(0, 2))))
        hands = tuple(Hand(take(4)) for _ in range(draw(st.integers(0, 2))))
        pot = take(11) if state == "unplayed" else ()
        sides.append(Side(name, (), melds, hands, state, pot, draw(st.booleans())))
    return Table(tuple(sides))


def by_name(sheet: ScoreSheet) -> dict[str, object]:
    return {side.name: (side.score, side.lines) for side in sheet.sides}


@given(tables(), PROFILES)
def test_the_total_is_the_sum_of_its_lines(table: Table, profile: RuleProfile) -> None:
    for side in score(table, profile).sides:
        *parts, total = side.score
        assert sum(line.points for line in side.lines) == sum(parts) == total
        assert side.score.hand <= 0 and side.score.pozzetto <= 0 and side.score.closing >= 0


@given(tables(), PROFILES)
def test_the_order_of_the_sides_means_nothing(table: Table, profile: RuleProfile) -> None:
    there, back = score(table, profile), score(Table(table.sides[::-1]), profile)
    assert by_name(there) == by_name(back) and there.void == back.void
    codes = sorted(v.code for v in there.violations)
    assert codes == sorted(v.code for v in back.violations)


@given(tables(), PROFILES, st.sampled_from(DECK))
def test_one_more_card_in_hand_costs_its_value(table: Table, profile: RuleProfile, card: Card) -> None:
    first = table.sides[0]
    richer = replace(first, hands=(*first.hands, Hand((card,))), closed=False)
    before = score(Table((replace(first, closed=False), *table.sides[1:])), profile)
    after = score(Table((richer, *table.sides[1:])), profile)
    cost = 0 if before.void else profile.rules.points[card.code]
    assert before.sides[0].score.total - after.sides[0].score.total == cost
