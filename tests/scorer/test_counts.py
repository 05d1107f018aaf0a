"""Counts that have a closed form, so that a slip anywhere in cards, values or melds shows."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import comb

import pytest

from scorer.cards import CARDS, DECK, JOKER, copies, face
from scorer.melds import readings
from scorer.profile import load_profile, profile_ids

FACES = CARDS[:53]
SUITS, RANKS = 4, 13


def test_the_deck() -> None:
    assert len(DECK) == 108 == 2 * SUITS * RANKS + 4
    assert sum(card.is_wild for card in DECK) == 12 == 4 + 2 * SUITS
    assert Counter(DECK) == {card: copies(card) for card in FACES}


@pytest.mark.parametrize("ident", profile_ids())
def test_the_points_of_the_deck(ident: str) -> None:
    usual = 4 * 30 + 8 * 20 + 8 * 15 + 6 * 8 * 10 + 5 * 8 * 5
    expected = {
        "stekius": usual - 4 * 10 - 8 * 10,
        # jokers at 20, and the numbers 3 to 9 at their own value
        "brasile": usual - 4 * 10 + 8 * (sum(range(3, 10)) - 5 * 5 - 2 * 10),
    }
    points = load_profile(ident).rules.points
    assert usual == 1080
    assert sum(points[card.code] for card in DECK) == expected.get(ident, usual)


@pytest.mark.parametrize(
    ("ident", "count"),
    [
        ("canasta", 312),  # 12 + 11 + ... + 1 windows in fourteen slots, four suits
        ("vanikar", 312 - 4),  # without ace to ace
        ("fibur", 312 - 4),
        ("classico", 4 * sum(range(1, 12))),  # thirteen slots
    ],
)
def test_natural_runs(ident: str, count: int) -> None:
    """Readings of all runs without a wild, from three cards on."""
    rules = load_profile(ident).rules
    found = set()
    for suit in range(SUITS):
        for low in range(1, 13):
            for high in range(low + 2, 15):
                bag = [face(slot, suit) for slot in range(low, high + 1)]
                found |= {r for r in readings(bag, rules) if r.wilds == 0}
    assert len(found) == count


@pytest.mark.parametrize("ident", ["vanikar", "fibur", "brasile", "classico", "buraco-aberto", "internazionale"])
def test_every_meld_of_three_cards(ident: str) -> None:
    """All 26 k bags of three against a count made with pencil and paper."""
    profile = load_profile(ident)
    wilds = SUITS + 1  # faces that can be wild: four twos and the joker
    slots = 14 if profile.run.ace_high else 13
    # a run: three in a row, or two naturals at most one apart and a wild; the own two under a 3 4 or in A 3 is natural
    runs = SUITS * (slots - 2) + SUITS * (((slots - 1) + (slots - 2)) * wilds - 2)
    # a set: three of a rank with at most two alike, or two and a wild
    twins = profile.set.set_duplicates
    naturals = comb(4, 3) + (4 * 3 if twins else 0)
    pairs = comb(4, 2) + (4 if twins else 0)
    sets = len(profile.set.set_ranks) * (naturals + pairs * wilds) if profile.set.sets else 0
    legal = 0
    for bag in combinations_with_replacement(FACES, 3):
        if bag[0] is not bag[2] or bag[0] is JOKER:
            legal += bool(readings(bag, profile.rules))
    assert legal == runs + sets


def test_burraco_windows() -> None:
    """Clean runs of seven and more: 8 + 7 + ... + 1 windows of fourteen slots, in four suits."""
    rules = load_profile("canasta").rules
    kinds: Counter[str | None] = Counter()
    for suit in range(SUITS):
        for low in range(1, 13):
            for high in range(low + 2, 15):
                bag = [face(slot, suit) for slot in range(low, high + 1)]
                kinds += Counter(r.type for r in readings(bag, rules) if r.wilds == 0 and r.low == low)
    assert kinds == {"clean": 4 * 36, None: 312 - 4 * 36}


def test_places_of_one_wild_in_a_run_of_seven() -> None:
    """Seven slots less one, and a joker: the joker stands where the card is missing, or at both ends if none is."""
    rules = load_profile("fibur").rules
    window = [face(slot, 0) for slot in range(4, 11)]
    lows = [len(readings([*window[:i], *window[i + 1 :], JOKER], rules)) for i in range(7)]
    assert lows == [2, 1, 1, 1, 1, 1, 2]
