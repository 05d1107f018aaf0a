"""What is worth asking the meld book: the shortest melds in a hand and the cards that a table of melds may take.

Proposals may be wrong, the book (that is `scorer.melds.readings`) settles each one. Hands change by a card or two and
tables by a meld, so the answers are remembered by groups of cards and by the tuple of melds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

from scorer.cards import CARDS, JOKER_CODE
from scorer.game.state import ADD, LAY, Action, Meld
from scorer.melds import RUN, SET
from scorer.moves import Codes, Fit, MeldBook

_CACHE_LIMIT: Final = 200_000
RANK_OF: Final = tuple(card.rank_no for card in CARDS)
SUIT_OF: Final = tuple(card.suit_no for card in CARDS)
IS_WILD: Final = tuple(card.is_wild for card in CARDS)
_WILDS: Final = tuple([code for code in range(JOKER_CODE + 1) if IS_WILD[code]])
#: The bit of each card, none for a partial one; the bits of the thirteen ranks of a suit, of one rank in each suit, and
#: of all cards that are no wilds; the first code of each suit.
BITS: Final = tuple([1 << card.code if card.code <= JOKER_CODE else 0 for card in CARDS])
_RANKS: Final = (1 << 13) - 1
_FOUR: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39
_NATURAL: Final = (1 << 52) - 1 - (_FOUR << 1)
_SUITS: Final = (0, 13, 26, 39)
#: Adding one card to one meld without a word about wilds: made once, shared by every state.
_ADDS: Final = tuple(tuple(Action(ADD, (code,), index) for code in range(JOKER_CODE + 1)) for index in range(40))


def add_action(code: int, index: int) -> Action:
    """Adding a card to a meld."""
    return _ADDS[index][code] if index < len(_ADDS) else Action(ADD, (code,), index)


class TableFacts(NamedTuple):
    """What is known of a tuple of melds: for each the cards that fit and its suit (-1: a set); sets as (home, rank)."""

    melds: tuple[Meld, ...]
    known: tuple[tuple[Fit, int, int], ...]
    fits: tuple[Fit, ...]
    suits: tuple[int, ...]
    sets: tuple[tuple[int, int], ...]


class Found(NamedTuple):
    """The lays of a group of cards, sorted by cards, and a bit for every card that stands in one of them."""

    actions: tuple[Action, ...]
    cover: int


#: Lays of groups of cards with one choice of wilds, by a number made of the cards.
Row = dict[int, Found]


class Memory:
    """The proposals of one book."""

    __slots__ = (
        "_known", "_last", "_plain", "_rows", "_settled", "_wilds", "book", "longest", "one_natural", "one_wild",
        "tables",
    )  # fmt: skip

    def __init__(self, book: MeldBook) -> None:
        self.book = book
        #: By choice of wilds, the lays that use them all: of the cards of one suit, and of those of one rank.
        self._rows: dict[Codes, tuple[Codes, Row, Row]] = {}
        self._plain = (self._row(()),)
        self._wilds: dict[int, tuple[tuple[Codes, Row, Row], ...]] = {0: self._plain}
        self.tables: dict[int, TableFacts] = {}
        self._last = TableFacts((), (), (), (), ())
        self._settled: dict[Codes, tuple[Action, ...]] = {}
        self._known: dict[Meld, tuple[Fit, int, int]] = {}
        #: Whether a meld has one wild at most: each wild of a hand is then looked up by itself.
        self.one_wild = book.rules.max_wilds <= 1
        #: Whether one natural card and wilds are a meld: a group of a single card is then worth a look.
        self.one_natural = book.rules.min_natural == 1 and book.rules.max_wilds >= book.rules.min_meld - 1
        #: Cards of the longest lay that is ever proposed.
        self.longest = lay_sizes(book)[-1]

    def facts(self, melds: tuple[Meld, ...]) -> TableFacts:
        """The facts of a table; kept while the very same tuple is in use, else made from those of the last table."""
        last = self._last
        if last.melds is melds:
            return last
        found = self.tables.get(id(melds))
        if found is None or found.melds is not melds:
            if len(self.tables) >= 1024:
                self.tables.clear()
            # tables differ by a meld: what is the very same meld at the same place needs no look
            before, same = last.known, len(last.melds)
            known = tuple([
                before[at] if at < same and last.melds[at] is meld else self._meld(meld)
                for at, meld in enumerate(melds)
            ])  # fmt: skip
            fits, suits, ranks = zip(*known, strict=True) if known else ((), (), ())
            sets = tuple([(meld.home, rank) for meld, rank in zip(melds, ranks, strict=True) if rank])
            found = self.tables[id(melds)] = TableFacts(melds, known, fits, suits, sets)
        self._last = found
        return found

    def _meld(self, meld: Meld) -> tuple[Fit, int, int]:
        """The fit of a meld, its suit if it may grow as a run (else -1), its rank if it counts as a set (else 0)."""
        found = self._known.get(meld)
        if found is None:
            if len(self._known) >= _CACHE_LIMIT:
                self._known.clear()
            status = self.book.status(meld.codes)
            run = next((form for form in self.book.forms(meld.codes, meld.reading) if form.kind == RUN), None)
            suit, rank = -1 if run is None else run.suit_no, status.group if status.kind == SET else 0
            found = self._known[meld] = (self.book.fit(meld.codes, meld.reading), suit, rank)
        return found

    def lays(self, hand: Codes, barred: frozenset[int]) -> list[Action]:
        """The shortest melds in a hand, sorted; no set of a barred rank."""
        mask, twice = masks_of(hand)
        rows = self._rows_of(mask) if self.one_wild else self._rows_with(hand)
        alone = self.one_natural and rows is not self._plain
        out: list[Action] = []
        for suit in _SUITS:
            cards = mask >> suit & _RANKS
            if cards & cards - 1 or (cards and alone):
                at = ((twice >> suit + 1 & 1) << 13 | cards) << 6 | suit
                for wilds, runs, _ in rows:
                    found = runs.get(at)
                    out += (self._run(runs, at, wilds) if found is None else found).actions
        if self.book.rules.sets:
            for rank in _often(mask, twice, 3 if rows is self._plain else 1 if alone else 2):
                if rank + 1 not in barred:
                    at = ((twice >> rank & _FOUR) << 40 | mask >> rank & _FOUR) << 4 | rank
                    for wilds, _, sets in rows:
                        found = sets.get(at)
                        out += (self._set(sets, at, wilds) if found is None else found).actions
        if alone:  # a bag that is a run and a set was found twice
            out = list(dict.fromkeys(out))
        if len(out) > 1:
            out.sort(key=_cards)
        return out

    def lays_with(self, mask: int, twice: int, code: int, barred: frozenset[int]) -> bool:
        """Whether some shortest meld in a hand (see `masks_of`) holds this card, which is no wild; `one_wild` only."""
        suit, rank = code // 13 * 13, code % 13
        run = ((twice >> suit + 1 & 1) << 13 | mask >> suit & _RANKS) << 6 | suit
        same = ((twice >> rank & _FOUR) << 40 | mask >> rank & _FOUR) << 4 | rank
        with_sets = self.book.rules.sets and rank + 1 not in barred
        for wilds, runs, sets in self._rows_of(mask):
            found = runs.get(run)
            if (self._run(runs, run, wilds) if found is None else found).cover >> code & 1:
                return True
            if with_sets:
                found = sets.get(same)
                if (self._set(sets, same, wilds) if found is None else found).cover >> code & 1:
                    return True
        return False

    def _rows_of(self, mask: int) -> tuple[tuple[Codes, Row, Row], ...]:
        """The rows that a hand with at most one wild a meld looks at: without a wild, and with each one it holds."""
        mask &= self.book.wild_mask
        found = self._wilds.get(mask)
        if found is None:
            rows = [self._row((code,)) for code in _WILDS if mask >> code & 1]
            found = self._wilds[mask] = (*self._plain, *rows)
        return found

    def _rows_with(self, hand: Codes) -> tuple[tuple[Codes, Row, Row], ...]:
        """The same where a meld may have several: one row for all the wilds together."""
        wilds = tuple([code for code in hand if IS_WILD[code]])
        return (self._row(wilds),) if wilds else self._plain

    def _row(self, wilds: Codes) -> tuple[Codes, Row, Row]:
        found = self._rows.get(wilds)
        if found is None:
            found = self._rows.setdefault(wilds, (wilds, {}, {}))
        return found

    def _run(self, row: Row, at: int, wilds: Codes) -> Found:
        """The runs of some cards of one suit; `at` says which: the two twice, the ranks, the suit's first code."""
        suit, ranks = at & 63, at >> 6
        held = [suit + rank for rank in range(13) if ranks >> rank & 1] + [suit + 1] * (ranks >> 13)
        cards = tuple(sorted(held))
        bags = _run_bags(cards, wilds, self.book)
        if self.one_wild and wilds:
            bags -= _run_bags(cards, (), self.book)
        return self._keep(row, at, bags)

    def _set(self, row: Row, at: int, wilds: Codes) -> Found:
        """The sets of some cards of one rank; `at` says which: suits held twice, suits held, the rank from 0."""
        rank, suits = at & 15, at >> 4
        held = [suit + rank for mask in (suits, suits >> 40) for suit in _SUITS if mask >> suit & 1]
        cards = tuple(sorted(held))
        bags = _set_bags(cards, wilds, self.book)
        if self.one_wild and wilds:
            bags -= _set_bags(cards, (), self.book)
        return self._keep(row, at, bags)

    def _keep(self, row: Row, at: int, bags: set[Codes]) -> Found:
        actions: list[Action] = []
        for bag in sorted(bags):
            actions += self._settle(bag)
        cover = 0
        for action in actions:
            for code in action.cards:
                cover |= BITS[code]
        if len(row) >= _CACHE_LIMIT:
            row.clear()
        found = row[at] = Found(tuple(actions), cover)
        return found

    def _settle(self, bag: Codes) -> tuple[Action, ...]:
        """The lays of one bag: none, one, or one for each role of a wild that matters."""
        found = self._settled.get(bag)
        if found is None:
            if len(self._settled) >= _CACHE_LIMIT:
                self._settled.clear()
            every = self.book.readings(bag)
            said = self.book.variants(bag, tuple(range(len(every)))) if every else ()
            found = self._settled[bag] = tuple([Action(LAY, bag, -1, 0, roles) for roles in said])
        return found


def masks_of(cards: Iterable[int], mask: int = 0, twice: int = 0) -> tuple[int, int]:
    """A bit for every card, and one for every card that is there twice; added to those of other cards."""
    for code in cards:
        bit = BITS[code]
        twice |= mask & bit
        mask |= bit
    return mask, twice


def _often(mask: int, twice: int, least: int) -> list[int]:
    """The ranks, from 0, of which there are at least so many cards (1 to 3), wilds left out."""
    mask &= _NATURAL
    twice &= _NATURAL
    h, d, c, s = mask & _RANKS, mask >> 13 & _RANKS, mask >> 26 & _RANKS, mask >> 39
    same = (twice | twice >> 13 | twice >> 26 | twice >> 39) & _RANKS
    both = h & d | c & s | (h | d) & (c | s)
    if least == 1:
        return [rank for rank in range(13) if (h | d | c | s) >> rank & 1]
    left = both | same if least == 2 else h & d & (c | s) | c & s & (h | d) | both & same
    out = []
    while left:
        bit = left & -left
        left ^= bit
        out.append(bit.bit_length() - 1)
    return out


def _cards(action: Action) -> Codes:
    return action.cards


def memory_of(book: MeldBook) -> Memory:
    """The memory that belongs to a book."""
    found = book.attached
    if not isinstance(found, Memory):
        found = book.attached = Memory(book)
    return found


# --- bags ------------------------------------------------------------------------------------------------------------


def lay_sizes(book: MeldBook) -> range:
    """Sizes of shortest melds: `min_meld`, and longer ones only where several wilds may stand in one gap."""
    rules = book.rules
    return range(rules.min_meld, max(rules.min_meld, rules.min_natural + rules.max_wilds) + 1)


def _run_bags(cards: Codes, wilds: Codes, book: MeldBook) -> set[Codes]:
    """Bags that may be shortest runs: naturals of one suit within a window, its holes filled with wilds."""
    rules = book.rules
    slots: dict[int, int] = {}
    for code in cards:
        slots[RANK_OF[code]] = code
    if 1 in slots:
        slots[14] = slots[1]
    places = sorted(slots)
    out: set[Codes] = set()
    for size in lay_sizes(book):
        for spare in range(min(rules.max_wilds, size - rules.min_natural) + 1):
            fillers = wild_choices(wilds, spare)
            shortest = size == rules.min_meld or (spare > 1 and size - spare == rules.min_natural)
            if fillers and shortest:
                for chosen in _windows(places, size - spare, size, size > rules.min_meld):
                    natural = [slots[place] for place in chosen]
                    for filler in fillers:
                        out.add(tuple(sorted((*natural, *filler))))
    two = cards[0] // 13 * 13 + 1
    if two in cards and cards.count(two) == 1:
        # the suited two counts among the cards and among the wilds: never use the one copy twice
        out = {bag for bag in out if bag.count(two) < 2}
    return out


def _windows(places: list[int], count: int, size: int, longer: bool) -> Iterator[tuple[int, ...]]:
    """Choices of `count` slots that lie within `size` slots.

    `longer`: only those that wilds alone join from end to end, for no end card of such a run could come later.
    """
    for at, first in enumerate(places):
        near = [place for place in places[at + 1 :] if place < first + size]
        if longer:
            near_enough = [
                (first, *rest) for rest in combinations(near, count - 1) if rest and rest[-1] - first + 1 == size
            ]
            yield from near_enough
        else:
            for rest in combinations(near, count - 1):
                yield (first, *rest)


def _set_bags(cards: Codes, wilds: Codes, book: MeldBook) -> set[Codes]:
    rules = book.rules
    out: set[Codes] = set()
    for spare in range(min(rules.max_wilds, rules.min_meld - rules.min_natural) + 1):
        fillers = wild_choices(wilds, spare)
        for chosen in set(combinations(cards, rules.min_meld - spare)) if fillers else ():
            for filler in fillers:
                out.add(tuple(sorted(chosen + filler)))
    return out


@lru_cache(maxsize=4096)
def wild_choices(wilds: Codes, count: int) -> tuple[Codes, ...]:
    """Every choice of so many wilds, as multisets."""
    if count == 0:
        return ((),)
    kinds = sorted(set(wilds))
    if count == 1:
        return tuple([(code,) for code in kinds])
    picks = combinations_with_replacement(kinds, count)
    return tuple([pick for pick in picks if all(pick.count(code) <= wilds.count(code) for code in pick)])
