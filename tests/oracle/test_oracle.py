"""The meld reader against the naive oracle: same legality, readings, best reading and points, for every rule set."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import pytest

from scorer.cards import DECK, JOKER, Card, face
from scorer.melds import Reading, check_meld
from scorer.profile import OPTIONS, RuleProfile, load_profile, profile_ids
from tests.oracle.naive import Placement, placements, points, rank_of


def faces(text: str) -> list[Card]:
    return [Card.of(token) for token in text.split()]


FEW = faces("Ah 2h 3h 4h Qh Kh 2s 3s Ad 3d JK")
MANY = faces("Ah 2h 3h 4h 5h 6h Jh Qh Kh As 2s 3s 4s Ks 2d 3d Kd Ac 3c JK")


def plain_rules(profile: RuleProfile) -> dict[str, Any]:
    return {key: profile.get(key) for key in OPTIONS}


def as_placement(reading: Reading) -> Placement:
    """A reading in the oracle's words: slots by number, no matter which wild stands in which hole."""
    if reading.kind == "set":
        places = [(slot.stands_for.rank_no, "", slot.wild) for slot in reading.slots]
    else:
        suit = "hdcs"[reading.suit_no]
        places = [(reading.low + i, suit, slot.wild) for i, slot in enumerate(reading.slots)]
        for i, slot in enumerate(reading.slots):
            assert slot.stands_for is face(reading.low + i, reading.suit_no)
            assert slot.wild or slot.card is slot.stands_for
    return Placement(reading.kind, tuple(places), reading.type, reading.bonus)


def agree(bag: Sequence[Card], profile: RuleProfile, rules: dict[str, Any]) -> bool:
    """Assert that both say the same of one bag; tell whether it was legal."""
    expected = placements(bag, rules)
    verdict = check_meld(bag, profile)
    seen = [as_placement(reading) for reading in verdict.readings]
    where = f"{' '.join(map(str, bag))} under {profile.id} {dict(profile.options)}"
    assert len(set(seen)) == len(seen), where
    assert set(seen) == expected, where
    assert verdict.legal == bool(expected), where
    assert verdict.card_points == points(bag, rules), where
    assert all(fault.code != "not_a_meld" for fault in verdict.violations), f"no reason given: {where}"
    if expected:
        assert rank_of(seen[0]) == min(map(rank_of, expected)), where
        assert (verdict.type, verdict.bonus) == (seen[0].type, seen[0].bonus), where
        for reading in verdict.readings:
            assert sorted(s.card.code for s in reading.slots) == sorted(c.code for c in bag), where
    return bool(expected)


def multisets(deck: Sequence[Card], most: int) -> Iterator[tuple[Card, ...]]:
    for size in range(1, most + 1):
        for bag in combinations_with_replacement(deck, size):
            if all(bag.count(card) <= 2 for card in bag if card is not JOKER):
                yield bag


def near_meld(rng: random.Random) -> list[Card]:
    """A bag that is, or nearly is, a meld of up to 15 cards: a window or a rank, wilds, holes, sometimes a stranger."""
    if rng.random() < 0.3:
        rank = rng.choice((1, 3, 4, 7, 8, 13))
        copies = [face(rank, suit) for suit in range(4)] * 2
        bag = rng.sample(copies, rng.randint(2, 8))
    else:
        size, suit = rng.randint(4, 14), rng.randrange(4)
        start = rng.randint(1, 15 - size)
        bag = [face(slot, suit) for slot in range(start, start + size)]
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            bag.pop(rng.randrange(len(bag)))
    for _ in range(rng.choice((0, 0, 1, 1, 1, 1, 1, 2, 2, 3, 4, 5))):
        bag.append(rng.choice((JOKER, face(2, rng.randrange(4)), face(2, max(bag[0].suit_no, 0)))))
    if rng.random() < 0.1:
        bag.append(rng.choice(DECK))
    rng.shuffle(bag)
    return bag[:15]


def mixed_options(rng: random.Random) -> dict[str, object]:
    """House rules that touch every leaf the meld reader knows."""
    low, high = rng.random() < 0.8, rng.random() < 0.8
    return {
        "max_wilds": rng.randint(0, 4), "min_natural": rng.randint(1, 3), "natural_two": rng.random() < 0.7,
        "ace_low": low, "ace_high": high, "ace_both": low and high and rng.random() < 0.5,
        "max_run": rng.choice((7, 10, 13, 14)), "max_set": rng.choice((4, 7, 8, 9, 12)),
        "set_duplicates": rng.random() < 0.8, "burraco_cards": rng.choice((5, 7, 7, 8)),
        "bonus.semi": rng.choice((None, 150)), "semi_position": rng.choice(("one_side", "end_only")),
        "semi_set": rng.choice(("at_least_8", "exactly_8")), "bonus.full_clean": rng.choice((None, 300)),
        "bonus.full_dirty": rng.choice((None, 250)), "bonus.ace_to_ace": rng.choice((None, 1000)),
        "bonus.super_clean": rng.choice((None, 250)), "bonus.super_dirty": rng.choice((None, 200)),
        "bonus.set_clean": rng.choice((None, 300)), "trump": rng.choice(("none", "h", "s")),
        "bonus.trump_factor": rng.choice((1, 2, 3)),
    }  # fmt: skip


def check_random(ident: str, count: int, seed: int) -> None:
    profile, rng = load_profile(ident), random.Random(seed)
    rules = plain_rules(profile)
    legal = sum(agree(near_meld(rng), profile, rules) for _ in range(count))
    assert count * 0.1 < legal < count * 0.9, "the random melds must be neither all good nor all bad"


def check_mixed(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        profile = load_profile(rng.choice(profile_ids())).with_options(mixed_options(rng))
        rules = plain_rules(profile)
        for _ in range(10):
            agree(near_meld(rng), profile, rules)


@pytest.mark.parametrize("ident", profile_ids())
def test_every_small_meld(ident: str) -> None:
    profile = load_profile(ident)
    rules = plain_rules(profile)
    legal = sum(agree(bag, profile, rules) for bag in multisets(FEW, 4))
    assert legal > 40


@pytest.mark.parametrize("ident", profile_ids())
def test_random_melds(ident: str) -> None:
    check_random(ident, 250, seed=1)


def test_random_house_rules() -> None:
    check_mixed(100, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("ident", profile_ids())
def test_every_small_meld_of_a_larger_deck(ident: str) -> None:
    profile = load_profile(ident)
    rules = plain_rules(profile)
    for bag in multisets(MANY, 4):
        agree(bag, profile, rules)


@pytest.mark.slow
@pytest.mark.parametrize("ident", profile_ids())
def test_20000_random_melds(ident: str) -> None:
    check_random(ident, 20_000, seed=3)


@pytest.mark.slow
def test_many_house_rules() -> None:
    check_mixed(2_000, seed=4)
