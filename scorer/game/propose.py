"""What is worth asking the meld book: the shortest melds in a hand and the cards that a table of melds may take.

Proposals may be wrong, the book (that is `scorer.melds.readings`) settles each one. Hands change by a card or two and
tables by a meld, so the answers are remembered by groups of cards and by the tuple of melds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
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
#: The first code after each suit; the rank a card has in sets (0: a wild, or no known card).
_SUIT_ENDS: Final = (13, 26, 39, 52)
_SET_RANK: Final = tuple(0 if card.is_wild or card.code >= JOKER_CODE else card.rank_no for card in CARDS)
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


Row = dict[Codes, Found]


class Memory:
    """The proposals of one book."""

    __slots__ = ("_known", "_last", "_one_wild", "_settled", "book", "longest", "runs", "sets", "tables")

    def __init__(self, book: MeldBook) -> None:
        self.book = book
        #: By wilds, then by the cards of a suit (or of a rank): the lays they make.
        self.runs: dict[Codes, Row] = {}
        self.sets: dict[Codes, Row] = {}
        self.tables: dict[int, TableFacts] = {}
        self._last = TableFacts((), (), (), (), ())
        self._settled: dict[Codes, tuple[Action, ...]] = {}
        self._known: dict[Meld, tuple[Fit, int, int]] = {}
        self._one_wild = book.rules.max_wilds <= 1
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
            sets = tuple([(meld.home, rank) for meld, (_, _, rank) in zip(melds, known, strict=True) if rank])
            fits, suits = tuple([one[0] for one in known]), tuple([one[1] for one in known])
            found = self.tables[id(melds)] = TableFacts(melds, known, fits, suits, sets)
        self._last = found
        return found

    def _meld(self, meld: Meld) -> tuple[Fit, int, int]:
        """The fit of a meld, its suit if it is a run (else -1), its rank if it is a set (else 0)."""
        found = self._known.get(meld)
        if found is None:
            if len(self._known) >= _CACHE_LIMIT:
                self._known.clear()
            status = self.book.status(meld.codes)
            fit = self.book.fit(meld.codes, meld.reading)
            found = (fit, -1, status.group) if status.kind == SET else (fit, status.group, 0)
            self._known[meld] = found
        return found

    def lays(self, hand: Codes, barred: frozenset[int]) -> list[Action]:
        """The shortest melds in a hand, sorted; no set of a barred rank."""
        wild = self._wilds(hand)
        least = 2 if wild else 3
        out: list[Action] = []
        row = _row(self.runs, wild)
        start = 0
        for end in _SUIT_ENDS:
            stop = bisect_left(hand, end, start)
            if stop - start >= least:
                key = hand[start:stop]
                found = row.get(key)
                out += (self._find(row, RUN, key, wild) if found is None else found).actions
            start = stop
        if self.book.rules.sets:
            row = _row(self.sets, wild)
            for key in _ranks(hand, least):
                if RANK_OF[key[0]] not in barred:
                    found = row.get(key)
                    out += (self._find(row, SET, key, wild) if found is None else found).actions
        if len(out) > 1:
            out.sort(key=_cards)
        return out

    def lays_with(self, hand: Codes, code: int, barred: frozenset[int]) -> bool:
        """Whether some shortest meld in the hand holds this card, which is no wild."""
        wild = self._wilds(hand)
        start = bisect_left(hand, code // 13 * 13)
        key = hand[start : bisect_left(hand, code // 13 * 13 + 13, start)]
        row = _row(self.runs, wild)
        found = row.get(key)
        if (self._find(row, RUN, key, wild) if found is None else found).cover >> code & 1:
            return True
        rank = RANK_OF[code]
        if not self.book.rules.sets or rank in barred:
            return False
        key = tuple([other for other in hand if RANK_OF[other] == rank])
        row = _row(self.sets, wild)
        found = row.get(key)
        return bool((self._find(row, SET, key, wild) if found is None else found).cover >> code & 1)

    def _wilds(self, hand: Codes) -> Codes:
        """The wilds of a hand; each once where a meld has one at most, for copies then make no difference."""
        wilds = tuple([code for code in hand if IS_WILD[code]])
        return tuple(dict.fromkeys(wilds)) if self._one_wild and len(wilds) > 1 else wilds

    def _find(self, row: Row, kind: str, cards: Codes, wilds: Codes) -> Found:
        """Lays of a group of cards with these wilds. With one wild a meld, each wild is looked up by itself."""
        out: list[Action] = []
        if self._one_wild and len(wilds) > 1:
            groups = self.runs if kind == RUN else self.sets
            seen: set[Codes] = set()
            for code in wilds:
                less = _row(groups, (code,))
                found = less.get(cards)
                actions = (self._find(less, kind, cards, (code,)) if found is None else found).actions
                out += [action for action in actions if action.cards not in seen]
                seen |= {action.cards for action in actions}
            out.sort(key=_cards)
        else:
            bags = _run_bags(cards, wilds, self.book) if kind == RUN else _set_bags(cards, wilds, self.book)
            for bag in sorted(bags):
                out += self._settle(bag)
        cover = 0
        for action in out:
            for code in action.cards:
                cover |= 1 << code
        found = row[cards] = Found(tuple(out), cover)
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


def _ranks(hand: Codes, least: int) -> list[Codes]:
    """The cards of a hand by rank, without wilds; only ranks of at least so many cards."""
    groups: dict[int, list[int]] = {}
    for code in hand:
        rank = _SET_RANK[code]
        if rank:
            if rank in groups:
                groups[rank].append(code)
            else:
                groups[rank] = [code]
    return [tuple(group) for group in groups.values() if len(group) >= least]


def _cards(action: Action) -> Codes:
    return action.cards


def _row(groups: dict[Codes, Row], wild: Codes) -> Row:
    row = groups.get(wild)
    if row is None:
        if len(groups) >= 2_000:
            groups.clear()
        row = groups[wild] = {}
    elif len(row) >= _CACHE_LIMIT:
        row.clear()
    return row


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
