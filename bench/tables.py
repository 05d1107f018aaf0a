"""Random tables for the benches: all different, mostly legal. The same seed gives the same tables."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = "hdcs"
DECK = Counter({rank + suit: 2 for rank in RANKS for suit in SUITS} | {"JK": 4})


def _run(rng: random.Random) -> list[str]:
    suit, size = rng.choice(SUITS), rng.choice((3, 3, 4, 4, 5, 7, 7, 8))
    low = rng.randint(2, 13 - size)  # from the three up; the two is a wild
    cards = [RANKS[n] + suit for n in range(low, low + size)]
    if rng.random() < 0.5:
        cards[rng.randrange(size)] = rng.choice(["JK", "2" + rng.choice(SUITS)])
    return cards


def _set(rng: random.Random) -> list[str]:
    rank, size = rng.choice([r for r in RANKS if r != "2"]), rng.choice((3, 3, 4, 5, 7))
    cards = rng.sample([rank + suit for suit in SUITS] * 2, size)
    if rng.random() < 0.4:
        cards[-1] = rng.choice(["JK", "2" + rng.choice(SUITS)])
    return cards


def _side(rng: random.Random, left: Counter[str], name: str, players: list[str], melds: int) -> dict[str, Any]:
    laid: list[str] = []
    while len(laid) < melds:
        cards = _run(rng) if rng.random() < 0.7 else _set(rng)
        need = Counter(cards)
        if all(left[card] >= count for card, count in need.items()):
            left.subtract(need)
            laid.append(" ".join(cards))
    return {"name": name, "players": players, "melds": laid}


def _hand(rng: random.Random, left: Counter[str], size: int) -> str:
    cards = rng.sample(sorted(left.elements()), size)
    left.subtract(cards)
    return " ".join(cards)


def random_table(rng: random.Random) -> dict[str, Any]:
    """A `score` request: eleven melds and three hands of one deck, one side has closed."""
    left = Counter(DECK)
    us = _side(rng, left, "Noi", ["Anna", "Bruno"], 6)
    them = _side(rng, left, "Loro", ["Carla", "Dino"], 5)
    us |= {"hand": ["", _hand(rng, left, 2)], "closed": True, "closed_by": "Anna", "pozzetto": "played"}
    them |= {"hand": [_hand(rng, left, 3), _hand(rng, left, 1)], "pozzetto": "not_taken"}
    return {"rules": "vanikar", "sides": [us, them]}


def random_tables(count: int, seed: int = 7) -> list[dict[str, Any]]:
    """So many tables, no two alike.

    >>> tables = random_tables(3)
    >>> [len(side["melds"]) for side in tables[0]["sides"]], tables == random_tables(3)
    ([6, 5], True)
    """
    rng = random.Random(seed)
    return [random_table(rng) for _ in range(count)]
