"""Aligning a chain of cards with the runs and sets it could be: the dynamic programme behind the joint reading.

For every suit, both directions and every rank the cheapest way is found to explain the chain as that run or set,
where a card may be what it says, be misread, be the wild, be no card at all, or have a hidden card before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from scorer.cards import CARDS, JOKER_CODE
from scorer.profile import MeldRules

Item = tuple[int, int | None]
"""(code, number of the card in the chain); code -1: that card is dropped; number None: a card that was added."""
_DROP: Final = -4.5
"""Added to the log of a card's doubt when it is taken for no card at all."""
_MOST_HIDDEN: Final = 2
_WORST: Final = -34.0


class Labels(NamedTuple):
    """Log probabilities of one card's faces; `kin` and `stranger` are the floors for faces that were not listed."""

    logs: dict[int, float]
    top: int
    kin: float
    stranger: float

    def log(self, code: int) -> float:
        """Log probability that the card is this face."""
        known = self.logs.get(code)
        if known is not None:
            return known
        if code == JOKER_CODE or self.top == JOKER_CODE:
            return self.stranger
        kin = code // 13 == self.top // 13 or code % 13 == self.top % 13
        return self.kin if kin else self.stranger

    def wild(self) -> tuple[float, int]:
        """The likeliest wild this card can be."""
        choices = [(value, code) for code, value in self.logs.items() if code == JOKER_CODE or code % 13 == 1]
        if not choices:
            return self.stranger, JOKER_CODE
        return max(choices)

    def drop(self) -> float:
        """Log weight of this being no card."""
        sure = math.exp(self.logs.get(self.top, 0.0))
        return max(-12.0, math.log(max(1e-4, 1 - sure)) + _DROP)


class Gaps(NamedTuple):
    """Log weight of one hidden card before card 0 .. n - 1 and after the last: n + 1 values."""

    weights: tuple[float, ...]


def aligned(
    labels: Sequence[Labels], gaps: Gaps, rules: MeldRules
) -> Iterator[tuple[tuple[Item, ...], float]]:
    """The best explanation of the chain as each run and set that it may be; none below the floor."""
    count = len(labels)
    if count < 2 or count > 16:
        return
    for suit in range(4):
        if _support(labels, suit=suit) >= max(1, count - 4, (count + 1) // 2):
            for backwards in (False, True):
                yield from _run(labels, gaps, rules, suit, backwards, _WORST)
    if rules.sets:
        least = max(1, count - 3, (count + 1) // 2)
        for rank in range(1, 14):
            if rank != 2 and rules.set_ranks >> rank & 1 and _support(labels, rank=rank) >= least:
                found = _set(labels, gaps, rules, rank)
                if found is not None:
                    yield found


def _support(labels: Sequence[Labels], suit: int = -1, rank: int = 0) -> int:
    """How many cards have a listed face of the suit or rank, or a wild one."""
    total = 0
    for one in labels:
        for code in one.logs:
            fits = code // 13 == suit if suit >= 0 else code % 13 + 1 == rank
            if code == JOKER_CODE or code % 13 == 1 or (fits and code < JOKER_CODE):
                total += 1
                break
    return total


class _State(NamedTuple):
    value: float
    items: tuple[Item, ...]


def _run(
    labels: Sequence[Labels], gaps: Gaps, rules: MeldRules, suit: int, backwards: bool, floor: float
) -> Iterator[tuple[tuple[Item, ...], float]]:
    """Walk the chain upwards through the slots of a suit; a state is (next slot, wilds used, hidden used, dropped)."""
    count = len(labels)
    order = list(range(count - 1, -1, -1)) if backwards else list(range(count))
    lowest = 1 if rules.ace_low else 2
    highest = 14 if rules.ace_high else 13
    displaced = any(one.wild()[1] == one.top for one in labels)
    states: dict[tuple[int, int, int, int], _State] = {
        (slot, 0, 0, 0): _State(0.0, ()) for slot in range(lowest, highest + 1)
    }
    for number in order:
        before = gaps.weights[number + 1] if backwards else gaps.weights[number]
        states = _with_hidden(states, before, suit, highest, displaced)
        following: dict[tuple[int, int, int, int], _State] = {}
        one = labels[number]
        wild_log, wild_code = one.wild()
        drop = one.drop()
        for (slot, wilds, hidden, dropped), state in states.items():
            spare = wilds < rules.max_wilds
            as_wild = wild_code, number
            if slot <= highest:
                code = suit * 13 + (0 if slot == 14 else slot - 1)
                _better(following, (slot + 1, wilds, hidden, dropped), state, one.log(code), (code, number), floor)
                if spare and wild_code != code:
                    _better(following, (slot + 1, wilds + 1, hidden, dropped), state, wild_log, as_wild, floor)
            elif spare:
                _better(following, (slot, wilds + 1, hidden, dropped), state, wild_log - 0.5, as_wild, floor)
            if spare and one.top == wild_code:
                # the wild lies away from its slot: it fills a gap elsewhere (checked by the scorer afterwards)
                _better(following, (slot, wilds + 1, hidden, dropped), state, wild_log - 0.7, as_wild, floor)
            if dropped < 1:
                _better(following, (slot, wilds, hidden, dropped + 1), state, drop, (-1, number), floor)
        states = following
        if not states:
            return
    after = gaps.weights[0] if backwards else gaps.weights[count]
    states = _with_hidden(states, after, suit, highest, displaced)
    ranked = sorted(states.values(), key=lambda state: -state.value)
    for state in ranked[:10]:
        items = state.items[::-1] if backwards else state.items
        yield items, state.value


def _with_hidden(
    states: dict[tuple[int, int, int, int], _State], weight: float, suit: int, highest: int, displaced: bool
) -> dict[tuple[int, int, int, int], _State]:
    """Allow one unseen card here: as a card of the run, or as the gap that a wild lying elsewhere fills."""
    out = dict(states)
    for (slot, wilds, hidden, dropped), state in states.items():
        if slot > highest:
            continue
        code = suit * 13 + (0 if slot == 14 else slot - 1)
        if hidden < _MOST_HIDDEN:
            _better(out, (slot + 1, wilds, hidden + 1, dropped), state, weight, (code, None), _WORST)
        if not displaced or not state.items:
            continue
        # the slot that a displaced wild stands for: no card lies here
        key = (slot + 1, wilds, hidden, dropped)
        moved = state.value - 0.6
        if key not in out or out[key].value < moved:
            out[key] = _State(moved, state.items)
    return out


def _better(
    states: dict[tuple[int, int, int, int], _State], key: tuple[int, int, int, int], old: _State, gain: float,
    item: Item, floor: float,
) -> None:  # fmt: skip
    value = old.value + gain
    if value < floor:
        return
    known = states.get(key)
    if known is None or known.value < value:
        states[key] = _State(value, (*old.items, item))


def _set(labels: Sequence[Labels], gaps: Gaps, rules: MeldRules, rank: int) -> tuple[tuple[Item, ...], float] | None:
    """Explain the chain as a set of one rank: each card its likeliest suit, the likeliest wild, the misfit dropped."""
    value = 0.0
    items: list[Item] = []
    gains: list[tuple[float, int, int]] = []
    for number, one in enumerate(labels):
        best = max((one.log(suit * 13 + rank - 1), suit * 13 + rank - 1) for suit in range(4))
        wild = one.wild()
        gains.append((wild[0] - best[0], number, wild[1]))
        value += best[0]
        items.append((best[1], number))
    for gain, number, code in sorted(gains, reverse=True)[: rules.max_wilds]:
        if gain > 0:
            value += gain
            items[number] = (code, number)
    for number, one in enumerate(labels):
        now = one.log(items[number][0])
        if one.drop() > now and len(labels) > rules.min_meld:
            value += one.drop() - now
            items[number] = (-1, number)
            break
    return (tuple(items), value) if value > _WORST else None


def face_text(code: int) -> str:
    """Canonical text of a code."""
    return CARDS[code].text
