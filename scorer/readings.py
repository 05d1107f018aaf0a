"""Every legal reading of a bag of cards.

A *reading* gives every card a slot. In a run the slots go from 1 (low ace) to 14 (high ace); a two is natural only in
slot 2 of its own suit, any other two is wild. The burraco type belongs to a reading and is derived here, never stored.

Readings are ordered best first: fewest wilds, then the highest bonus, then the ace low, then the wild low
(rules.md 2.1 and 2.5). Points of the cards never change with the reading, only type and bonus do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import permutations
from typing import Final, NamedTuple

from scorer.cards import CARDS, JOKER_CODE, Card, face
from scorer.profile import BURRACO_TYPES, MeldRules

Params = tuple[tuple[str, str | int], ...]

RUN: Final = "run"
SET: Final = "set"
_CLEAN, SEMI, _DIRTY, _FULL_CLEAN, _FULL_DIRTY, _ACE_TO_ACE, _SUPER_CLEAN, _SUPER_DIRTY = range(8)
#: The types that hold no wild: a table that asks for a clean burraco to close accepts any of them.
CLEAN_TYPES: Final = frozenset({"clean", "full_clean", "ace_to_ace", "super_clean"})


class Binding(NamedTuple):
    """What a person says of one card: `2s=7h` makes it wild, `2h=2h` natural."""

    card: Card
    stands_for: Card


class Slot(NamedTuple):
    """One card of a reading and what it stands for; in a set a wild stands for the partial card `7?`."""

    card: Card
    stands_for: Card
    wild: bool


class Violation(NamedTuple):
    """A breach of the rules: a stable code, the cards at fault, the option key that decided, message parameters."""

    code: str
    cards: tuple[Card, ...] = ()
    rule: str = ""
    params: Params = ()


class Notice(NamedTuple):
    """Something worth knowing that breaks no rule; the same shape as a `Violation`."""

    code: str
    cards: tuple[Card, ...] = ()
    rule: str = ""
    params: Params = ()


class Reading(NamedTuple):
    """One legal way to read a meld. `suit_no` is -1 for a set, `low` the first slot of a run or the rank of a set."""

    kind: str
    wilds: int
    type: str | None
    bonus: int
    doubled: bool
    suit_no: int
    low: int
    slots: tuple[Slot, ...]


#: Slots recur, and to find one costs less than to make it: every card in its own place, by code ...
_OWN: Final = tuple([Slot(card, card, False) for card in CARDS])
#: ... and the places 0 to 14 of a run in each suit (place 0 is never used, 14 is the ace again).
_RUN_SLOTS: Final = tuple([(_OWN[s * 13], *_OWN[s * 13 : s * 13 + 13], _OWN[s * 13]) for s in range(4)])


@cache
def _wild(code: int, stands: int) -> Slot:
    return Slot(CARDS[code], CARDS[stands], True)


# --- from cards to readings ---------------------------------------------------------------------------------------


def readings(cards: Iterable[Card], rules: MeldRules, bindings: Sequence[Binding] = ()) -> tuple[Reading, ...]:
    """All legal readings of a bag of cards, best first; empty when there is none.

    >>> from scorer.profile import load_profile
    >>> bag = [Card.of(c) for c in ("Qh", "Kh", "JK")]
    >>> [r.low for r in readings(bag, load_profile("fibur").rules)]
    [11, 12]
    """
    codes = sorted([card.code for card in cards])
    size = len(codes)
    if size < rules.min_meld or size > 14 or codes[-1] > JOKER_CODE or _over_copies(codes, size):
        return ()
    seen = _look(codes)
    if seen is None:
        return ()
    suit, rank, natural, aces, wilds = seen
    found = _run_readings(codes, natural, suit, aces, wilds, rules, bool(bindings)) if suit >= 0 else ()
    if rank > 0:
        # one natural card and wilds can be both, where a house rule allows so many wilds
        of_set = _set_reading(codes, rank, wilds, rules)
        found = tuple(sorted(found + of_set, key=_preference)) if found else of_set
    return _bound(found, bindings) if bindings else found


def _look(codes: list[int]) -> tuple[int, int, int, int, list[int]] | None:
    """What the surely natural cards share: (suit or -1, rank or 0, bit r for each rank r, aces, the twos and jokers).

    None when they share nothing, or when there is none. A rank that occurs twice (but the ace) rules out a run.
    """
    suit = rank = -1
    one_suit = one_rank = True
    natural = aces = 0
    wilds: list[int] = []
    for code in codes:
        r = code % 13 + 1
        if code == JOKER_CODE or r == 2:
            wilds.append(code)
            continue
        s = code // 13
        if suit < 0:
            suit, rank = s, r
        else:
            one_suit = one_suit and s == suit
            one_rank = one_rank and r == rank
        if r == 1:
            aces += 1
        elif natural >> r & 1:
            one_suit = False
        natural |= 1 << r
    if suit < 0 or not (one_suit or one_rank):
        return None
    return (suit if one_suit else -1), (rank if one_rank else 0), natural, aces, wilds


def _over_copies(codes: list[int], size: int) -> bool:
    """More copies of a card than the deck holds (codes sorted)."""
    for i in range(size - 2):
        if codes[i] == codes[i + 2] and (codes[i] != JOKER_CODE or (i + 4 < size and codes[i + 4] == JOKER_CODE)):
            return True
    return False


def _run_readings(
    codes: list[int], natural: int, suit: int, aces: int, wilds: list[int], rules: MeldRules, every_place: bool
) -> tuple[Reading, ...]:
    if aces == 0:
        placed = [natural]
    elif aces == 1:
        rest = natural & ~2
        placed = ([rest | 2] if rules.ace_low else []) + ([rest | 1 << 14] if rules.ace_high else [])
    elif aces == 2 and rules.ace_both:
        placed = [natural | 1 << 14]
    else:
        return ()
    two = suit * 13 + 1
    choices = [(wilds, 0)]
    if two in wilds and rules.natural_two:
        rest_wilds = wilds.copy()
        rest_wilds.remove(two)
        choices.insert(0, (rest_wilds, 4))
    out: list[Reading] = []
    for free, two_bit in choices:
        if len(free) > rules.max_wilds:
            continue
        for mask in placed:
            _spans(codes, mask | two_bit, suit, free, two, rules, every_place, out)
    if len(out) > 1:
        out.sort(key=_preference)
    return tuple(out)


def _spans(
    codes: list[int], mask: int, suit: int, free: list[int], two: int, rules: MeldRules, every_place: bool,
    out: list[Reading],
) -> None:  # fmt: skip
    """Add the readings in which the natural cards stand at `mask` and the wilds `free` fill holes or ends."""
    count = mask.bit_count()
    size = len(codes)
    if count < rules.min_natural or size > rules.max_run:
        return
    low = (mask & -mask).bit_length() - 1
    high = mask.bit_length() - 1
    spare = size - (high - low + 1)
    if spare < 0:
        return
    bottom = 1 if rules.ace_low else 2
    top = 14 if rules.ace_high else 13
    for below in range(spare, -1, -1):
        start = low - below
        if start < bottom or start + size - 1 > top:
            continue
        holes = [slot for slot in range(start, start + size) if not mask >> slot & 1]
        orders = sorted(set(permutations(free))) if every_place and len(free) > 1 else [_placed(free, holes, two)]
        # a suited two that lands in slot 2 would be the natural two of another reading, not a wild
        watched = rules.natural_two and two in free and 2 in holes
        for order in orders:
            if watched and order[holes.index(2)] == two:
                continue
            out.append(_run_reading(suit, start, size, holes, order, rules))


def _placed(free: list[int], holes: list[int], two: int) -> tuple[int, ...]:
    """The wild cards for the holes, in order, keeping a suited two out of slot 2 where another wild can stand there."""
    if len(free) > 1 and 2 in holes and free[holes.index(2)] == two:
        at = holes.index(2)
        other = next((i for i, code in enumerate(free) if code != two), at)
        order = free.copy()
        order[at], order[other] = order[other], order[at]
        return tuple(order)
    return tuple(free)


def _run_reading(
    suit: int, start: int, size: int, holes: list[int], wild: tuple[int, ...], rules: MeldRules
) -> Reading:
    slots = list(_RUN_SLOTS[suit][start : start + size])
    for hole, code in zip(holes, wild, strict=True):
        slots[hole - start] = _wild(code, slots[hole - start].card.code)
    at = len(holes)
    kind = _run_type(size, holes, start, rules) if size >= rules.burraco_cards else -1
    if kind < 0:
        return Reading(RUN, at, None, 0, False, suit, start, tuple(slots))
    bonus = rules.bonus_run[kind] or 0
    doubled = suit == rules.trump
    if doubled:
        bonus *= rules.trump_factor
    return Reading(RUN, at, BURRACO_TYPES[kind], bonus, doubled, suit, start, tuple(slots))


def _run_type(size: int, holes: list[int], start: int, rules: MeldRules) -> int:
    pays = rules.bonus_run
    if not holes:
        if size == 14 and pays[_ACE_TO_ACE] is not None:
            return _ACE_TO_ACE
        return _FULL_CLEAN if size >= 13 and pays[_FULL_CLEAN] is not None else _CLEAN
    if size >= 13 and pays[_FULL_DIRTY] is not None:
        return _FULL_DIRTY
    if pays[SEMI] is not None and len(holes) == 1 and _half_clean(size, holes[0] - start, rules.end_only):
        return SEMI
    return _DIRTY


def _half_clean(size: int, below: int, end_only: bool) -> bool:
    """Seven naturals in a row on one side of the only wild; `below` of them stand under it (rules.md 2.4)."""
    above = size - 1 - below
    if end_only and below and above:
        return False
    return below >= 7 or above >= 7


def _set_reading(codes: list[int], rank: int, wilds: list[int], rules: MeldRules) -> tuple[Reading, ...]:
    size, wild = len(codes), len(wilds)
    natural = size - wild
    if (
        not rules.sets
        or not rules.set_ranks >> rank & 1
        or wild > rules.max_wilds
        or natural < rules.min_natural
        or size > rules.max_set
    ):
        return ()
    faces = [code for code in codes if code != JOKER_CODE and code % 13 != 1]
    if not rules.set_duplicates and len(set(faces)) < natural:
        return ()
    any_suit = face(rank, -1).code
    slots = [_OWN[code] for code in faces]
    slots += [_wild(code, any_suit) for code in wilds]
    kind = _set_type(size, wild, rules) if size >= rules.burraco_cards else -1
    if kind < 0:
        return (Reading(SET, wild, None, 0, False, -1, rank, tuple(slots)),)
    return (Reading(SET, wild, BURRACO_TYPES[kind], rules.bonus_set[kind] or 0, False, -1, rank, tuple(slots)),)


def _set_type(size: int, wild: int, rules: MeldRules) -> int:
    pays = rules.bonus_set
    if not wild:
        return _SUPER_CLEAN if size == 8 and pays[_SUPER_CLEAN] is not None else _CLEAN
    if size - wild == 8 and pays[_SUPER_DIRTY] is not None:
        return _SUPER_DIRTY
    large = size == 8 if rules.exactly_8 else size >= 8
    return SEMI if pays[SEMI] is not None and wild == 1 and large else _DIRTY


def _preference(reading: Reading) -> tuple[int, int, bool, int]:
    ace_high = reading.slots[-1].stands_for.rank_no == 1 and reading.low + len(reading.slots) == 15
    return (reading.wilds, -reading.bonus, ace_high, reading.low)


def _bound(found: tuple[Reading, ...], bindings: Sequence[Binding]) -> tuple[Reading, ...]:
    return tuple(reading for reading in found if _holds(reading, bindings))


def _holds(reading: Reading, bindings: Sequence[Binding]) -> bool:
    """Whether every binding can be given a slot of its own in this reading."""
    left = list(reading.slots)
    for card, target in bindings:
        for slot in left:
            fits = slot.stands_for is target or (
                reading.kind == SET and slot.wild and slot.stands_for.rank_no == target.rank_no
            )
            if slot.card is card and fits:
                left.remove(slot)
                break
        else:
            return False
    return True
