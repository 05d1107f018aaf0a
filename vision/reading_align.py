"""Aligning a chain of cards with the runs and sets it could be: the dynamic programme behind the joint reading.

For every suit, both directions and every rank the cheapest way is found to explain the chain as that run or set,
where a card may be what it says, be misread, be the wild, be no card at all, or have a hidden card before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from scorer.cards import JOKER_CODE
from scorer.profile import MeldRules

Item = tuple[int, int | None]
"""(code, number of the card in the chain); code -1: that card is dropped; number None: a card that was added."""
DROP: Final = -4.0
"""Added to the log of a card's doubt when it is taken for no card at all."""
_MOST_HIDDEN: Final = 2
_MOST_DROPPED: Final = 2
_MOST_MISFITS: Final = 3
_ODD: Final = 2.0
"""Evidence from which even a card that fits a set may be no card of its own."""
_SECOND: Final = -4.0
"""Log weight of a second unseen card in a place wide enough for two."""
_WORST: Final = -19.0


class Labels(NamedTuple):
    """Log probabilities of one card's faces; `kin` and `stranger` are the floors for faces that were not listed."""

    logs: dict[int, float]
    top: int
    kin: float
    stranger: float
    shape: float = 0.0
    """Log evidence, from where it lies and how it shows, for this being no card of its own."""

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
        return max(-12.0, math.log(max(1e-4, 1 - sure)) + DROP + self.shape)


class Gaps(NamedTuple):
    """Log weight of one hidden card before card 0 .. n - 1 and after the last: n + 1 values."""

    weights: tuple[float, ...]
    wide: frozenset[int] = frozenset()
    """Places where two cards may be missing."""
    joker: float = -1.5
    """Log odds that an unseen card is a joker rather than the run's own card."""


def aligned(labels: Sequence[Labels], gaps: Gaps, rules: MeldRules) -> Iterator[tuple[tuple[Item, ...], float]]:
    """The best explanation of the chain as each run and set that it may be; none below the floor."""
    count = len(labels)
    if count < 2 or count > 16:
        return
    for suit in range(4):
        if _support(labels, suit=suit) >= max(1, count - 4, (count + 1) // 2):
            for backwards in (False, True):
                yield from _run(labels, gaps, rules, suit, backwards)
    if rules.sets:
        least = max(1, count - 3, (count + 1) // 2)
        for rank in range(1, 14):
            if rank != 2 and rules.set_ranks >> rank & 1 and _support(labels, rank=rank) >= least:
                yield from _set(labels, rules, rank)


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


_STRAY, _SKIP, _DROPPED, _HIDDEN, _WILD, _SLOT = 1, 2, 4, 16, 64, 1024
"""How far a walk has come, packed into one number: from the left the next slot, wilds (15 at most), hidden and dropped
cards so far (3 at most), a slot was left to a wild that lies elsewhere, such a wild was met."""
_MOST_WILDS: Final = 15

_Trail = tuple[Any, Item] | None
"""The walk so far as a chain: (what came before, the last item)."""
_States = dict[int, tuple[float, _Trail]]


def _run(
    labels: Sequence[Labels], gaps: Gaps, rules: MeldRules, suit: int, backwards: bool
) -> Iterator[tuple[tuple[Item, ...], float]]:
    """Walk the chain upwards through the slots of a suit, keeping the best way to every state."""
    count = len(labels)
    order = list(range(count - 1, -1, -1)) if backwards else list(range(count))
    lowest = 1 if rules.ace_low else 2
    highest = 14 if rules.ace_high else 13
    most_wilds = min(rules.max_wilds, _MOST_WILDS)
    displaced = any(one.wild()[1] == one.top for one in labels)
    states: _States = {slot * _SLOT: (0.0, None) for slot in range(lowest, highest + 1)}
    for number in order:
        place = number + 1 if backwards else number
        states = _with_hidden(states, gaps.weights[place], suit, highest, displaced, most_wilds, gaps.joker)
        if place in gaps.wide:
            states = _with_hidden(states, _SECOND, suit, highest, False, most_wilds, gaps.joker)
        states = _with_card(states, labels[number], number, suit, highest, most_wilds)
        if not states:
            return
    after = gaps.weights[0] if backwards else gaps.weights[count]
    states = _with_hidden(states, after, suit, highest, False, most_wilds, gaps.joker)
    done = [state for key, state in states.items() if bool(key & _SKIP) <= bool(key & _STRAY)]
    for value, trail in sorted(done, key=lambda state: -state[0])[:8]:
        items = _items(trail)
        yield items if backwards else items[::-1], value


def _items(trail: _Trail) -> tuple[Item, ...]:
    """The items of a walk, the last one first."""
    out = []
    while trail is not None:
        trail, item = trail
        out.append(item)
    return tuple(out)


def _code(suit: int, slot: int) -> int:
    return suit * 13 + (0 if slot == 14 else slot - 1)


def _with_card(states: _States, one: Labels, number: int, suit: int, highest: int, most_wilds: int) -> _States:
    """Explain the next card: as the slot's own, as the wild there, as a wild that belongs elsewhere, or as no card."""
    following: _States = {}
    wild_log, wild_code = one.wild()
    as_wild, dropped = (wild_code, number), (-1, number)
    own = [(one.log(_code(suit, slot)), (_code(suit, slot), number)) for slot in range(15)]
    drop = one.drop()
    for key, (value, trail) in states.items():
        slot = key // _SLOT
        spare = key // _WILD % 16 < most_wilds
        if slot <= highest:
            gain, item = own[slot]
            _better(following, key + _SLOT, value + gain, trail, item)
            if spare and wild_code != item[0]:
                _better(following, key + _SLOT + _WILD, value + wild_log, trail, as_wild)
        if spare and (one.top == wild_code or slot > highest):
            # it fills a slot elsewhere, or lengthens the other end (the scorer checks)
            _better(following, (key + _WILD) | _STRAY, value + wild_log - 0.7, trail, as_wild)
        if key // _DROPPED % 4 < _MOST_DROPPED:
            _better(following, key + _DROPPED, value + drop, trail, dropped)
    return following


def _with_hidden(
    states: _States, weight: float, suit: int, highest: int, displaced: bool, most_wilds: int, odds: float
) -> _States:
    """Allow one unseen card here: as a card of the run, or as the gap that a wild lying elsewhere fills."""
    out = dict(states)
    for key, (value, trail) in states.items():
        slot = key // _SLOT
        if slot > highest:
            continue
        if key // _HIDDEN % 4 < _MOST_HIDDEN:
            further = key + _SLOT + _HIDDEN
            _better(out, further, value + weight, trail, (_code(suit, slot), None))
            if key // _WILD % 16 < most_wilds:
                # jokers are what a reader misses most
                _better(out, further + _WILD, value + weight + odds, trail, (JOKER_CODE, None))
        if displaced and trail is not None and not key & _SKIP:
            left = (key + _SLOT) | _SKIP
            if left not in out or out[left][0] < value - 0.6:
                out[left] = value - 0.6, trail
    return out


def _better(states: _States, key: int, value: float, trail: _Trail, item: Item) -> None:
    if value < _WORST:
        return
    known = states.get(key)
    if known is None or known[0] < value:
        states[key] = value, (trail, item)


def _set(labels: Sequence[Labels], rules: MeldRules, rank: int) -> Iterator[tuple[tuple[Item, ...], float]]:
    """Explain the chain as a set of one rank: each card its likeliest suit, one the wild; or a misfit dropped."""
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
    if value > _WORST:
        yield tuple(items), value
    if len(labels) <= rules.min_meld:
        return
    losses = [(one.drop() - one.log(items[n][0]), n) for n, one in enumerate(labels) if items[n][0] != one.top]
    losses += [(one.drop() - one.log(one.top), n) for n, one in enumerate(labels) if one.shape > _ODD]
    ranked = sorted(losses, reverse=True)
    for loss, number in ranked[:2]:
        if value + loss > _WORST:
            yield _dropping(items, {number}), value + loss
    better = ranked[: min(_MOST_MISFITS, len(labels) - rules.min_meld)]
    for count in range(2, len(better) + 1):
        total = value + sum(loss for loss, _ in better[:count])
        if total > _WORST:
            yield _dropping(items, {number for _, number in better[:count]}), total


def _dropping(items: Sequence[Item], gone: set[int]) -> tuple[Item, ...]:
    return tuple((-1, n) if n in gone else item for n, item in enumerate(items))
