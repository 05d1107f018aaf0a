"""Moves on the table: laying a meld, and adding to one under the rule about the wild that is already there.

A layout and a move are different questions (rules.md, fact 3). `scorer.melds.readings` says what a bag of cards may
be; this module says which of those readings a meld may *become*. Both use the same readings: there is no second set
of meld rules here, only what `wild_move` forbids (rules.md 2.5):

* `free`: any legal reading of the grown bag;
* `free_end`: a wild at an end of a run may slide, an enclosed one moves only when its very card arrives;
* `locked`: every wild keeps its slot until its very card arrives, and then goes to the low end (to the high end where
  a low ace stands there), or becomes the natural two of slot 2.

In a set a wild has no place, so nothing is ever forbidden there.

>>> from scorer.profile import load_profile
>>> book = book_of(load_profile("fibur"))
>>> table = codes_of("6c JK 8c")
>>> book.grow(table, 0, codes_of("10c")), book.grow(table, 0, codes_of("7c 10c"))
((), (0,))
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from scorer.cards import CARDS, JOKER_CODE, Card
from scorer.melds import CLEAN_TYPES, RUN, SET, Binding, Reading, Violation, readings
from scorer.profile import MeldRules, RuleProfile

Codes = tuple[int, ...]
#: What wild cards are said to stand for: (code of the card, code of the card it stands for), sorted.
Roles = tuple[tuple[int, int], ...]

#: Entries in one cache before it is emptied: bounds the memory of a long simulation, never changes an answer.
_CACHE_LIMIT: Final = 150_000


def codes_of(text: str) -> Codes:
    """Sorted codes of canonical cards separated by spaces; ValueError for anything else.

    >>> codes_of("JK 4h 3h")
    (2, 3, 52)
    """
    return tuple(sorted(Card.of(token).code for token in text.split()))


def sorted_codes(cards: Iterable[Card]) -> Codes:
    """Sorted codes of cards."""
    return tuple(sorted(card.code for card in cards))


class Fit:
    """Which single cards a meld can take, filled in as they are asked for; bit masks over card codes."""

    __slots__ = ("plausible", "roles", "seen", "yes")

    def __init__(self, plausible: int) -> None:
        #: Cards that share the suit or the rank, and the wilds: nothing else can ever fit.
        self.plausible = plausible
        self.seen = 0
        self.yes = 0
        #: For each card that fits, the roles that must be said to get each different outcome; `()` is the first one.
        self.roles: dict[int, tuple[Roles, ...]] = {}


class Status(NamedTuple):
    """What the engine needs to know of a meld on the table: which class it is, and what it looks like."""

    burraco: bool
    clean: bool
    kind: str
    #: Suit number of a run, rank number of a set.
    group: int


class MeldBook:
    """The readings of `scorer.melds` under one rule set, remembered by sorted codes; melds are (codes, reading number).

    Answers never depend on what was asked before, and threads may share a book.
    """

    __slots__ = ("_fits", "_grown", "_lock", "_read", "_status", "attached", "moves", "rules", "wild_mask")

    def __init__(self, rules: MeldRules, wild_move: str) -> None:
        self.rules = rules
        self.moves = wild_move
        #: For a caller's own memory of this book (`scorer.game.propose`).
        self.attached: object = None
        self._lock = threading.Lock()
        self.wild_mask = sum(1 << code for code in range(JOKER_CODE + 1) if CARDS[code].is_wild)
        self._read: dict[Codes, tuple[Reading, ...]] = {}
        self._grown: dict[tuple[Codes, int, Codes], tuple[int, ...]] = {}
        self._fits: dict[tuple[Codes, int], Fit] = {}
        self._status: dict[Codes, Status] = {}

    def readings(self, codes: Codes) -> tuple[Reading, ...]:
        """Every legal reading of a sorted bag, best first: `scorer.melds.readings`, remembered."""
        found = self._read.get(codes)
        if found is None:
            if len(self._read) >= _CACHE_LIMIT:
                self._read.clear()
            found = self._read[codes] = readings([CARDS[code] for code in codes], self.rules)
        return found

    def reading(self, codes: Codes, number: int) -> Reading:
        """One reading of a legal meld."""
        return self.readings(codes)[number]

    def status(self, codes: Codes) -> Status:
        """The class of a meld when counted now: that of its best reading, as at the end of the deal."""
        found = self._status.get(codes)
        if found is None:
            if len(self._status) >= _CACHE_LIMIT:
                self._status.clear()
            every = self.readings(codes)
            best = every[0]
            clean = any(reading.type in CLEAN_TYPES for reading in every)
            group = best.suit_no if best.kind == RUN else best.low
            found = self._status[codes] = Status(best.type is not None, clean, best.kind, group)
        return found

    def choose(self, codes: Codes, numbers: Iterable[int], roles: Roles) -> int:
        """The first of the numbered readings in which the roles hold, -1 for none."""
        every = self.readings(codes)
        for number in numbers:
            if not roles or says(every[number], roles):
                return number
        return -1

    def grow(self, codes: Codes, number: int, added: Codes) -> tuple[int, ...]:
        """The readings that a meld may take when cards are added to it, as numbers into `readings` of the larger bag.

        The first one is what the meld becomes when nobody says otherwise. Empty: the move is refused.
        """
        key = (codes, number, added)
        found = self._grown.get(key)
        if found is None:
            if len(self._grown) >= _CACHE_LIMIT:
                self._grown.clear()
            found = self._grown[key] = self._grow(codes, number, added)
        return found

    def _grow(self, codes: Codes, number: int, added: Codes) -> tuple[int, ...]:
        later = self.readings(tuple(sorted(codes + added)))
        if self.moves == "free" or not later:
            return tuple(range(len(later)))
        before = self.readings(codes)[number]
        locked = self.moves == "locked"
        return tuple([n for n, after in enumerate(later) if _may_become(before, after, locked)])

    def fit(self, codes: Codes, number: int) -> Fit:
        """The single cards that this meld is known to take; `settle` fills it."""
        key = (codes, number)
        found = self._fits.get(key)
        if found is None:
            if len(self._fits) >= _CACHE_LIMIT:
                self._fits.clear()
            mask = self.wild_mask
            for form in self.forms(codes, number):
                mask |= self._near(form) if form.kind == RUN else sum(1 << s * 13 + form.low - 1 for s in range(4))
            found = self._fits[key] = Fit(mask)
        return found

    def forms(self, codes: Codes, number: int) -> tuple[Reading, ...]:
        """What a meld may grow from: as it is read, and where wilds are free also as a meld of the other kind.

        One natural card and wilds can be both, where a house rule allows so many wilds.
        """
        every = self.readings(codes)
        now = every[number]
        other = next((reading for reading in every if reading.kind != now.kind), None) if self.moves == "free" else None
        return (now,) if other is None else (now, other)

    def _near(self, run: Reading) -> int:
        """The cards of a run's suit that stand in reach of it: further off no number of wilds could bridge the gap."""
        reach = 1 + self.rules.max_wilds
        low, high = run.low - reach, run.low + len(run.slots) - 1 + reach
        taken = {run.low + at for at, slot in enumerate(run.slots) if not slot.wild}
        mask = 0
        for slot in range(max(1, low), min(14, high) + 1):
            if slot not in taken:
                mask |= 1 << run.suit_no * 13 + (slot - 1) % 13
        return mask

    def settle(self, fit: Fit, codes: Codes, number: int, new: int) -> None:
        """Find out which of the cards in the mask `new` the meld takes; a card counts as seen once that is known."""
        with self._lock:
            new &= ~fit.seen
            left, yes = new, 0
            while left:
                bit = left & -left
                left ^= bit
                code = bit.bit_length() - 1
                numbers = self.grow(codes, number, (code,))
                if numbers:
                    yes |= bit
                    fit.roles[code] = self.variants(tuple(sorted((*codes, code))), numbers)
            fit.yes |= yes
            fit.seen |= new

    def variants(self, codes: Codes, numbers: tuple[int, ...]) -> tuple[Roles, ...]:
        """The roles to say for each outcome that matters.

        One, unless a wild's place binds later moves (`locked`) or the cards may be a run or a set and stay what they
        are called (unless wilds are `free`).
        """
        if self.moves == "free" or len(numbers) == 1:
            return ((),)
        every = self.readings(codes)
        first = every[numbers[0]]
        binding = [every[n] for n in numbers[1:] if self.moves == "locked" or every[n].kind != first.kind]
        others = sorted({roles_of(reading) for reading in binding} - {roles_of(first)} - {()})
        return ((), *others)


def roles_of(reading: Reading) -> Roles:
    """What the wilds of a reading stand for."""
    return tuple(sorted((slot.card.code, slot.stands_for.code) for slot in reading.slots if slot.wild))


def says(reading: Reading, roles: Roles) -> bool:
    """Whether a reading gives every card of `roles` its part, each a slot of its own; `2h=2h` means natural."""
    left = list(reading.slots)
    for code, target in roles:
        for slot in left:
            same = slot.stands_for.code == target
            of_rank = reading.kind == SET and slot.wild and slot.stands_for.rank_no == CARDS[target].rank_no
            if slot.card.code == code and (same or of_rank):
                left.remove(slot)
                break
        else:
            return False
    return True


def _may_become(before: Reading, after: Reading, locked: bool) -> bool:
    """Whether a meld read as `before` may be read as `after` once cards were added (rules.md 2.5)."""
    if before.kind != after.kind:
        return False
    if before.kind == SET:
        return True
    last = before.low + len(before.slots) - 1
    stay: list[Card] = []
    for slot, place in enumerate(before.slots, before.low):
        free = not locked and slot in (before.low, last)
        if place.wild:
            if not free and not _stays_or_replaced(slot, place.card, after, locked):
                return False
            if not free and after.slots[slot - after.low].wild:
                stay.append(place.card)
        elif place.card.rank_no == 2 and not free:
            # a natural two that is not at a free end stays natural
            at = 2 - after.low
            if not 0 <= at < len(after.slots) or after.slots[at].card is not place.card:
                return False
    # A reading names one order of the wilds in their slots; any other will do, so only their cards are counted.
    return not Counter(stay) - Counter(place.card for place in after.slots if place.wild)


def _stays_or_replaced(slot: int, wild: Card, after: Reading, locked: bool) -> bool:
    at = slot - after.low
    if not 0 <= at < len(after.slots):
        return False
    if after.slots[at].wild or not locked:
        return True
    return any(_is_convention(i, after, wild) for i in range(len(after.slots)))


def _is_convention(index: int, after: Reading, wild: Card) -> bool:
    """A replaced wild goes to the low end, to the high end over a low ace, or falls into slot 2 as a natural two."""
    place = after.slots[index]
    if not place.wild:
        return place.card is wild
    return index == (len(after.slots) - 1 if after.low == 1 and not after.slots[0].wild else 0)


@lru_cache(maxsize=64)
def _book(rules: MeldRules, wild_move: str) -> MeldBook:
    return MeldBook(rules, wild_move)


def book_of(profile: RuleProfile) -> MeldBook:
    """The shared book of a profile. Trump pays but never decides what is legal, so it is left out of the key."""
    return _book(profile.rules._replace(trump=-1), profile.turn.wild_move)


def lay_violations(profile: RuleProfile, cards: tuple[Card, ...], roles: Roles = ()) -> tuple[Violation, ...]:
    """Why these cards cannot be laid as a new meld; empty when they can."""
    from scorer.melds import check_meld

    bindings = tuple(Binding(CARDS[code], CARDS[target]) for code, target in roles)
    return check_meld(cards, profile, bindings).violations


def add_violations(
    profile: RuleProfile, table: tuple[Card, ...], number: int, added: tuple[Card, ...], roles: Roles = ()
) -> tuple[Violation, ...]:
    """Why these cards cannot be added to the meld `table`, read as its reading `number`; empty when they can.

    >>> from scorer.profile import load_profile
    >>> cards = [tuple(Card.of(c) for c in text.split()) for text in ("4h JK 6h", "7h 8h 10h")]
    >>> [v.code for v in add_violations(load_profile("fibur"), cards[0], 0, cards[1])]
    ['hole']
    """
    book = book_of(profile)
    codes, more = sorted_codes(table), sorted_codes(added)
    bag = tuple(sorted(codes + more))
    numbers = book.grow(codes, number, more)
    if numbers and book.choose(bag, numbers, roles) >= 0:
        return ()
    cards = (*table, *added)
    faults = lay_violations(profile, cards, roles)
    if faults:
        return faults
    wilds = tuple(slot.card for slot in book.reading(codes, number).slots if slot.wild)
    return (Violation("wild_may_not_move", wilds or added, "wild_move", (("regime", profile.turn.wild_move),)),)
