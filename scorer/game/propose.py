"""What is worth asking the meld book: the shortest melds in a hand and the cards that a table of melds may take.

Proposals may be wrong, the book (that is `scorer.melds.readings`) settles each one. Hands change by a card or two and
tables by a meld, so the answers are remembered by groups of cards and by the tuple of melds.
"""

from __future__ import annotations

from collections.abc import Iterator
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
#: Adding one card to one meld without a word about wilds: made once, shared by every state.
_ADDS: Final = tuple(tuple(Action(ADD, (code,), index) for code in range(JOKER_CODE + 1)) for index in range(40))


def add_action(code: int, index: int) -> Action:
    """Adding a card to a meld."""
    return _ADDS[index][code] if index < len(_ADDS) else Action(ADD, (code,), index)


class TableFacts(NamedTuple):
    """What is known of a tuple of melds: for each the cards that fit and its suit (-1: a set); sets as (home, rank)."""

    melds: tuple[Meld, ...]
    fits: tuple[Fit, ...]
    suits: tuple[int, ...]
    sets: tuple[tuple[int, int], ...]


class Memory:
    """The proposals of one book."""

    __slots__ = ("_known", "_one_wild", "_settled", "book", "runs", "sets", "tables")

    def __init__(self, book: MeldBook) -> None:
        self.book = book
        #: By wilds, then by the cards of a suit (or of a rank): the lays they make, sorted by cards.
        self.runs: dict[Codes, dict[Codes, tuple[Action, ...]]] = {}
        self.sets: dict[Codes, dict[Codes, tuple[Action, ...]]] = {}
        self.tables: dict[int, TableFacts] = {}
        self._settled: dict[Codes, tuple[Action, ...]] = {}
        self._known: dict[Meld, tuple[Fit, int, int]] = {}
        self._one_wild = book.rules.max_wilds <= 1

    def facts(self, melds: tuple[Meld, ...]) -> TableFacts:
        """The facts of a table; kept while the very same tuple is in use."""
        found = self.tables.get(id(melds))
        if found is None or found.melds is not melds:
            if len(self.tables) >= 1024:
                self.tables.clear()
            known = [self._meld(meld) for meld in melds]
            sets = tuple([(meld.home, rank) for meld, (_, _, rank) in zip(melds, known, strict=True) if rank])
            fits, suits = tuple([fit for fit, _, _ in known]), tuple([suit for _, suit, _ in known])
            found = self.tables[id(melds)] = TableFacts(melds, fits, suits, sets)
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
        suits, ranks, wilds = _groups(hand)
        # one wild a meld: how many copies there are makes no difference
        wild = tuple(dict.fromkeys(wilds)) if self._one_wild else tuple(wilds)
        least = 2 if wild else 3
        out: list[Action] = []
        row = _row(self.runs, wild)
        for cards in suits:
            if len(cards) >= least:
                key = tuple(cards)
                found = row.get(key)
                out += self._find(row, RUN, key, wild) if found is None else found
        if self.book.rules.sets:
            row = _row(self.sets, wild)
            for rank, cards in ranks.items():
                if len(cards) >= least and rank not in barred:
                    key = tuple(cards)
                    found = row.get(key)
                    out += self._find(row, SET, key, wild) if found is None else found
        if len(out) > 1:
            out.sort(key=_cards)
        return out

    def _find(self, row: dict[Codes, tuple[Action, ...]], kind: str, cards: Codes, wilds: Codes) -> tuple[Action, ...]:
        bags = _run_bags(cards, wilds, self.book) if kind == RUN else _set_bags(cards, wilds, self.book)
        out: list[Action] = []
        for bag in sorted(bags):
            out += self._settle(bag)
        found = row[cards] = tuple(out)
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


def _groups(hand: Codes) -> tuple[tuple[list[int], ...], dict[int, list[int]], list[int]]:
    """A hand by suit (twos included), by rank (without twos), and its wilds (twos included)."""
    suits: tuple[list[int], ...] = ([], [], [], [])
    ranks: dict[int, list[int]] = {}
    wilds: list[int] = []
    for code in hand:
        if code < JOKER_CODE:
            suits[SUIT_OF[code]].append(code)
            if IS_WILD[code]:
                wilds.append(code)
            else:
                rank = RANK_OF[code]
                if rank in ranks:
                    ranks[rank].append(code)
                else:
                    ranks[rank] = [code]
        elif code == JOKER_CODE:
            wilds.append(code)
    return suits, ranks, wilds


def _cards(action: Action) -> Codes:
    return action.cards


def _row(groups: dict[Codes, dict[Codes, tuple[Action, ...]]], wild: Codes) -> dict[Codes, tuple[Action, ...]]:
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


def wild_choices(wilds: Codes, count: int) -> list[Codes]:
    """Every choice of so many wilds, as multisets."""
    if count == 0:
        return [()]
    kinds = sorted(set(wilds))
    if count == 1:
        return [(code,) for code in kinds]
    picks = combinations_with_replacement(kinds, count)
    return [pick for pick in picks if all(pick.count(code) <= wilds.count(code) for code in pick)]
