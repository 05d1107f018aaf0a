"""A second opinion on melds: brute force over placements, written from the rules, importing only `scorer.cards`.

It takes the rule values as a plain mapping of option keys and knows nothing of profiles, bit masks or readings. It is
slow on purpose: it lays the cards into the slots one by one, in every way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scorer.cards import Card

Rules = Mapping[str, Any]
NAMES = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")


class Placement(NamedTuple):
    """One legal way to lay a meld. `places`: for each slot what it stands for (rank 1..14, suit) and whether wild."""

    kind: str
    places: tuple[tuple[int, str, bool], ...]
    type: str | None
    bonus: int

    @property
    def wilds(self) -> int:
        return sum(wild for _, _, wild in self.places)


def points(cards: Sequence[Card], rules: Rules) -> int:
    """The sum of the faces, wilds at their own."""
    return sum(rules["values.joker"] if c.is_joker else rules[f"values.{NAMES[c.rank_no - 1]}"] for c in cards)


def placements(cards: Sequence[Card], rules: Rules) -> set[Placement]:
    """Every legal way to lay these cards as one meld, runs and sets."""
    count = Counter(cards)
    if any(n > (4 if card.is_joker else 2) for card, n in count.items()):
        return set()
    if len(cards) < rules["min_meld"] or all(c.is_joker or c.rank_no == 2 for c in cards):
        return set()
    return {*_runs(list(cards), rules), *_sets(list(cards), rules)}


def _runs(cards: list[Card], rules: Rules) -> Iterator[Placement]:
    size = len(cards)
    if size > rules["max_run"]:
        return
    for suit in "hdcs":
        for start in range(1, 16 - size):
            if (start == 1 and not rules["ace_low"]) or (start + size - 1 == 14 and not rules["ace_high"]):
                continue
            for places in _lay(cards, suit, start, rules):
                naturals = [rank for rank, _, wild in places if not wild]
                if len(naturals) < rules["min_natural"] or size - len(naturals) > rules["max_wilds"]:
                    continue
                if 1 in naturals and 14 in naturals and not rules["ace_both"]:
                    continue
                kind = _run_type([wild for _, _, wild in places], rules)
                bonus = 0 if kind is None else rules[f"bonus.{kind}"]
                if rules["trump"] == suit:
                    bonus *= rules["bonus.trump_factor"]
                yield Placement("run", tuple(places), kind, bonus)


def _lay(cards: list[Card], suit: str, slot: int, rules: Rules) -> Iterator[list[tuple[int, str, bool]]]:
    """Put one of the cards at this slot, then the others behind it, in every way."""
    if not cards:
        yield []
        return
    for card in dict.fromkeys(cards):
        own = not card.is_joker and str(card) == _name(slot, suit)
        natural = own and (card.rank_no != 2 or rules["natural_two"])
        if not natural and not card.is_joker and card.rank_no != 2:
            continue
        rest = list(cards)
        rest.remove(card)
        for behind in _lay(rest, suit, slot + 1, rules):
            yield [(slot, suit, not natural), *behind]


def _name(slot: int, suit: str) -> str:
    return ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")[slot - 1] + suit


def _run_type(wild: list[bool], rules: Rules) -> str | None:
    """The burraco type of a run from which of its slots are wild."""
    size = len(wild)
    if size < rules["burraco_cards"]:
        return None
    if not any(wild):
        if size == 14 and rules["bonus.ace_to_ace"] is not None:
            return "ace_to_ace"
        return "full_clean" if size >= 13 and rules["bonus.full_clean"] is not None else "clean"
    if size >= 13 and rules["bonus.full_dirty"] is not None:
        return "full_dirty"
    if rules["bonus.semi"] is not None and sum(wild) == 1:
        before = wild.index(True)
        after = size - 1 - before
        at_an_end = before == 0 or after == 0
        if max(before, after) >= 7 and (rules["semi_position"] == "one_side" or at_an_end):
            return "semi"
    return "dirty"


def _sets(cards: list[Card], rules: Rules) -> Iterator[Placement]:
    size = len(cards)
    wild = [c for c in cards if c.is_joker or c.rank_no == 2]
    natural = [c for c in cards if c not in wild]
    ranks = {str(c)[:-1] for c in natural}
    if not rules["sets"] or len(ranks) != 1 or not ranks <= set(rules["set_ranks"]):
        return
    if len(wild) > rules["max_wilds"] or len(natural) < rules["min_natural"] or size > rules["max_set"]:
        return
    if not rules["set_duplicates"] and max(Counter(natural).values()) > 1:
        return
    kind = _set_type(len(natural), len(wild), rules)
    bonus = 0
    if kind is not None:
        special = rules.get(f"bonus.set_{kind}")
        bonus = rules[f"bonus.{kind}"] if special is None else special
    rank = natural[0].rank_no
    places = [(rank, "", False)] * len(natural) + [(rank, "", True)] * len(wild)
    yield Placement("set", tuple(places), kind, bonus)


def _set_type(natural: int, wild: int, rules: Rules) -> str | None:
    size = natural + wild
    if size < rules["burraco_cards"]:
        return None
    if wild == 0:
        return "super_clean" if natural == 8 and rules["bonus.super_clean"] is not None else "clean"
    if natural == 8 and rules["bonus.super_dirty"] is not None:
        return "super_dirty"
    enough = size == 8 if rules["semi_set"] == "exactly_8" else size >= 8
    return "semi" if rules["bonus.semi"] is not None and wild == 1 and enough else "dirty"


def rank_of(placement: Placement) -> tuple[int, int, bool, int]:
    """Smaller is better: fewest wilds, highest bonus, no ace at the high end, then as low as it can lie."""
    slots = [rank for rank, _, _ in placement.places]
    return placement.wilds, -placement.bonus, placement.kind == "run" and slots[-1] == 14, slots[0]
