"""The legal actions of the player on turn: a canonical basis, sorted and without repeats.

A proposal is cheap and may be wrong; `MeldBook` (that is `scorer.melds.readings`) settles each one, and what a lay
leaves in hand is settled by `scorer.game.check.stranded`. The basis holds the shortest melds, single added cards and
the discards; every larger legal action is a sequence of these (a test plays random larger ones back as sequences).
Two kinds of larger action are in it because their first half alone is refused: the last two cards that together make
the burraco and close, and cards that reach the one that must be laid from the pile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement
from typing import Final

from scorer.cards import CARDS, JOKER_CODE, UNKNOWN_CODE
from scorer.game.check import (
    Seen,
    after_top,
    barred_after,
    close_faults,
    last_discard_faults,
    new_meld,
    own_melds,
    pot_waits,
    stranded,
    without,
)
from scorer.game.state import (
    ADD,
    DISCARD,
    DRAW,
    DRAW_CARD,
    LAY,
    LAY_SOMETHING,
    NO_DUTY,
    OVER,
    PLAY,
    TAKE,
    TOP,
    Action,
    Meld,
)
from scorer.melds import RUN, SET
from scorer.moves import Codes, MeldBook

_CACHE_LIMIT: Final = 200_000
_RANK_OF: Final = tuple(card.rank_no for card in CARDS)
_SUIT_OF: Final = tuple(card.suit_no for card in CARDS)
_IS_TWO_OR_JOKER: Final = tuple(card.is_wild for card in CARDS)
#: For each code the one discard action, and the draw: made once, shared by every state.
DISCARDS: Final = tuple(Action(DISCARD, (code,)) for code in range(JOKER_CODE + 1))
DRAW_ACTION: Final = Action(DRAW_CARD)
TAKE_ALL: Final = Action(TAKE)


def legal_actions(state: Seen) -> list[Action]:
    """The basis of legal actions of the player on turn, sorted; empty only when the deal is over.

    >>> from scorer.cards import DECK
    >>> from scorer.game.state import deal
    >>> from scorer.profile import load_profile
    >>> legal_actions(deal([card.code for card in DECK], load_profile("vanikar"), players=2))
    [Action(kind=0, cards=(), meld=-1, depth=0, roles=())]
    """
    return _PHASES[state.phase](state)


def _over(state: Seen) -> list[Action]:
    return []


# --- drawing -----------------------------------------------------------------------------------------------------


def _draw_actions(state: Seen) -> list[Action]:
    flags = state.game.flags
    out: list[Action] = []
    if state.stock_count or (flags.stock_end == "pot_as_stock" and state.pot_count):
        out.append(DRAW_ACTION)
    if state.pile:
        if flags.pickup == "whole":
            out.append(TAKE_ALL)
        elif flags.pickup == "any_depth":
            depths = [depth for depth in range(1, len(state.pile) + 1) if can_use_pile(state, depth)]
            out += [Action(TAKE, (), -1, depth) for depth in depths]
        elif can_use_pile(state, len(state.pile)):
            out.append(TAKE_ALL)
    return out


class _Supposed:
    """A seat's knowledge after taking from the pile, as far as laying needs it (satisfies `Seen`)."""

    __slots__ = (
        "barred", "duty", "game", "hand", "laid", "melds", "phase", "pile", "pot", "pot_count", "sides",
        "stock_count", "turn",
    )  # fmt: skip

    def __init__(self, state: Seen, hand: Codes, pile: Codes, phase: int, duty: int) -> None:
        self.game, self.turn, self.melds, self.sides = state.game, state.turn, state.melds, state.sides
        self.pot, self.pot_count, self.stock_count = state.pot, state.pot_count, state.stock_count
        self.hand, self.pile, self.phase, self.duty = hand, pile, phase, duty
        self.barred, self.laid = (barred_after(state) if not pile else -1), False


def can_use_pile(state: Seen, depth: int) -> bool:
    """Whether, having taken `depth` cards, the player could lay what the rule set then wants laid."""
    pickup = state.game.flags.pickup
    pile = state.pile
    if pickup == "top_melded":
        supposed = _Supposed(state, tuple(sorted((*state.hand, pile[-1]))), pile[:-1], TOP, pile[-1])
    elif pickup == "any_depth":
        supposed = _Supposed(state, tuple(sorted(state.hand + pile[-depth:])), pile[:-depth], TOP, pile[-depth])
    else:
        supposed = _Supposed(state, tuple(sorted(state.hand + pile)), (), PLAY, LAY_SOMETHING)
    if supposed.hand and supposed.hand[-1] == UNKNOWN_CODE:
        return True
    return next(_lays_and_adds(supposed), None) is not None


# --- laying ------------------------------------------------------------------------------------------------------


def _top_actions(state: Seen) -> list[Action]:
    return sorted(_lays_and_adds(state))


def _play_actions(state: Seen) -> list[Action]:
    out = sorted(_lays_and_adds(state))
    if state.duty != LAY_SOMETHING or state.laid:
        out += _discard_actions(state)
    return out


def _discard_actions(state: Seen) -> list[Action]:
    hand = state.hand
    if len(hand) == 1:
        card = hand[0]
        if card == UNKNOWN_CODE:
            return []
        return [] if last_discard_faults(state, card, state.melds) else [DISCARDS[card]]
    out = []
    last = state.barred
    for code in hand:
        if code != last and code != state.barred and code != UNKNOWN_CODE:
            out.append(DISCARDS[code])
            last = code
    return out


def _lays_and_adds(state: Seen) -> Iterator[Action]:
    duty = state.duty
    # only a lay that leaves one card or none can strand the player
    tight = _after_laying(state, max(_sizes(state.game.book))) <= 1
    for action in _lays(state):
        if duty >= 0 and duty not in action.cards:
            continue
        if not tight or not _strands_lay(state, action):
            yield action
    yield from _adds(state)


def _after_laying(state: Seen, cards: int) -> int:
    """How many cards the hand would hold after laying some."""
    more = len(state.pile) if state.phase == TOP and state.game.flags.pickup == "top_melded" else 0
    return len(state.hand) + more - cards


def _strands_lay(state: Seen, action: Action) -> bool:
    left = without(state.hand, action.cards)
    assert left is not None
    if state.phase == TOP:
        left = after_top(state, left)
    if len(left) > 1:
        return False
    book = state.game.book
    number = book.choose(action.cards, range(len(book.readings(action.cards))), action.roles)
    return bool(stranded(state, left, (*state.melds, new_meld(state, action.cards, number))))


def _lays(state: Seen) -> Iterator[Action]:
    """The shortest new melds: runs suit by suit, sets rank by rank; groups are remembered by the cards in them."""
    book = state.game.book
    suits: tuple[list[int], list[int], list[int], list[int]] = ([], [], [], [])
    ranks: dict[int, list[int]] = {}
    wilds: list[int] = []
    for code in state.hand:
        if code > JOKER_CODE:
            continue
        if _IS_TWO_OR_JOKER[code]:
            wilds.append(code)
            if code == JOKER_CODE:
                continue
        else:
            ranks.setdefault(_RANK_OF[code], []).append(code)
        suits[_SUIT_OF[code]].append(code)
    wild = tuple(wilds)
    memory = _memory(book)
    for cards in suits:
        if len(cards) > 1:
            yield from memory.runs(tuple(cards), wild)
    if book.rules.sets:
        barred = _set_ranks(state)
        for rank, cards in ranks.items():
            if rank not in barred and len(cards) > 1:
                yield from memory.sets(tuple(cards), wild)


def _set_ranks(state: Seen) -> frozenset[int] | set[int]:
    """Ranks of which the side may open no further set."""
    if state.game.flags.dup_sets:
        return _NONE
    book = state.game.book
    side = state.sides[state.turn]
    found = set()
    for meld in state.melds:
        if state.sides[meld.home] == side:
            status = book.status(meld.codes)
            if status.kind == SET:
                found.add(status.group)
    return found


_NONE: Final[frozenset[int]] = frozenset()


class _Memory:
    """The shortest lays of a group of cards, remembered: hands change by a card or two, so most groups recur."""

    __slots__ = ("book", "groups")

    def __init__(self, book: MeldBook) -> None:
        self.book = book
        self.groups: dict[tuple[bool, Codes, Codes], tuple[Action, ...]] = {}

    def runs(self, cards: Codes, wilds: Codes) -> tuple[Action, ...]:
        return self._group(True, cards, wilds)

    def sets(self, cards: Codes, wilds: Codes) -> tuple[Action, ...]:
        return self._group(False, cards, wilds)

    def _group(self, run: bool, cards: Codes, wilds: Codes) -> tuple[Action, ...]:
        key = (run, cards, wilds)
        found = self.groups.get(key)
        if found is None:
            if len(self.groups) >= _CACHE_LIMIT:
                self.groups.clear()
            bags = _run_bags(cards, wilds, self.book) if run else _set_bags(cards, wilds, self.book)
            kind = RUN if run else SET
            found = self.groups[key] = tuple([action for bag in sorted(bags) for action in self._settle(bag, kind)])
        return found

    def _settle(self, bag: Codes, kind: str) -> Iterator[Action]:
        every = self.book.readings(bag)
        if every and every[0].kind == kind:
            for roles in self.book.variants(bag, tuple(range(len(every)))):
                yield Action(LAY, bag, -1, 0, roles)


_MEMORIES: Final[dict[int, _Memory]] = {}


def _memory(book: MeldBook) -> _Memory:
    found = _MEMORIES.get(id(book))
    if found is None or found.book is not book:
        found = _MEMORIES[id(book)] = _Memory(book)
    return found


def _sizes(book: MeldBook) -> range:
    """Sizes of shortest melds: `min_meld`, and longer ones only where several wilds may stand in one gap."""
    rules = book.rules
    return range(rules.min_meld, max(rules.min_meld, rules.min_natural + rules.max_wilds) + 1)


def _run_bags(cards: Codes, wilds: Codes, book: MeldBook) -> set[Codes]:
    """Bags that may be shortest runs: naturals of one suit within a window, its holes filled with wilds."""
    rules = book.rules
    slots: dict[int, int] = {}
    for code in cards:
        slots[_RANK_OF[code]] = code
    if 1 in slots:
        slots[14] = slots[1]
    places = sorted(slots)
    out: set[Codes] = set()
    for size in _sizes(book):
        for spare in range(min(rules.max_wilds, size - rules.min_natural) + 1):
            fillers = _wild_choices(wilds, spare)
            for chosen in combinations(places, size - spare):
                span = chosen[-1] - chosen[0] + 1
                if span > size or (size > rules.min_meld and not _is_shortest(size, spare, span, book)):
                    continue
                natural = [slots[place] for place in chosen]
                for filler in fillers:
                    out.add(tuple(sorted((*natural, *filler))))
    return {bag for bag in out if _held(bag, cards, wilds)}


def _is_shortest(size: int, spare: int, span: int, book: MeldBook) -> bool:
    """A longer run is in the basis only when wilds alone join its few naturals: no end card could come later."""
    return spare > 1 and span == size and size - spare == book.rules.min_natural


def _set_bags(cards: Codes, wilds: Codes, book: MeldBook) -> set[Codes]:
    rules = book.rules
    out: set[Codes] = set()
    for spare in range(min(rules.max_wilds, rules.min_meld - rules.min_natural) + 1):
        fillers = _wild_choices(wilds, spare)
        for chosen in set(combinations(cards, rules.min_meld - spare)):
            for filler in fillers:
                out.add(tuple(sorted(chosen + filler)))
    return out


def _wild_choices(wilds: Codes, count: int) -> list[Codes]:
    if count == 0:
        return [()]
    if count == 1:
        return [(code,) for code in sorted(set(wilds))]
    kinds = sorted(set(wilds))
    picks = combinations_with_replacement(kinds, count)
    return [pick for pick in picks if all(pick.count(code) <= wilds.count(code) for code in pick)]


def _held(bag: Codes, cards: Codes, wilds: Codes) -> bool:
    """A suited two counts among the cards and among the wilds: never use one copy twice."""
    return all(bag.count(code) <= max(cards.count(code), wilds.count(code)) for code in bag)


# --- adding ------------------------------------------------------------------------------------------------------


def _adds(state: Seen) -> Iterator[Action]:
    hand = state.hand
    mine = own_melds(state, state.melds)
    if not mine:
        return
    duty = state.duty
    if duty >= 0:
        mask = 1 << duty
    else:
        mask = 0
        for code in hand:
            mask |= 1 << code
        mask &= (1 << UNKNOWN_CODE) - 1
    rest = _after_laying(state, 1)
    book = state.game.book
    for index, meld in mine:
        fit = book.fits(meld.codes, meld.reading, mask)
        found = fit.yes & mask
        while found:
            bit = found & -found
            found ^= bit
            code = bit.bit_length() - 1
            for roles in fit.roles[code]:
                action = Action(ADD, (code,), index, 0, roles)
                if rest > 1 or not _strands_add(state, action):
                    yield action
        if duty >= 0 and not fit.yes & mask:
            yield from _reaching(state, index, meld, duty)
    if rest == 1 and duty == NO_DUTY and not pot_waits(state):
        yield from _closing_pairs(state, mine)


def _strands_add(state: Seen, action: Action) -> bool:
    left = without(state.hand, action.cards)
    assert left is not None
    if state.phase == TOP:
        left = after_top(state, left)
    if len(left) > 1:
        return False
    after = _grown(state, action)
    return after is None or bool(stranded(state, left, after))


def _grown(state: Seen, action: Action) -> tuple[Meld, ...] | None:
    """The melds after adding, None when the cards do not fit."""
    meld = state.melds[action.meld]
    book = state.game.book
    numbers = book.grow(meld.codes, meld.reading, action.cards)
    if not numbers:
        return None
    bag = tuple(sorted(meld.codes + action.cards))
    after = list(state.melds)
    after[action.meld] = meld._replace(codes=bag, reading=book.choose(bag, numbers, action.roles))
    return tuple(after)


def _closing_pairs(state: Seen, mine: Iterable[tuple[int, Meld]]) -> Iterator[Action]:
    """The last two cards, added together, where one alone would leave the other without a burraco to close on."""
    if state.game.flags.close_discard or UNKNOWN_CODE in state.hand:
        return
    for index, _ in mine:
        action = Action(ADD, state.hand, index)
        after = _grown(state, action)
        if after is None or close_faults(state, after, discard=-1):
            continue
        singles = [Action(ADD, (code,), index) for code in sorted(set(state.hand))]
        if all(_grown(state, one) is None or _strands_add(state, one) for one in singles):
            yield action


def _reaching(state: Seen, index: int, meld: Meld, duty: int) -> Iterator[Action]:
    """Adding the card that must be laid together with the fewest cards of the hand that join it to a run."""
    book = state.game.book
    status = book.status(meld.codes)
    if status.kind != RUN or _SUIT_OF[duty] != status.group:
        return
    found: list[frozenset[int]] = []
    for cards in _bridges(state, meld, duty):
        if any(less < set(cards) for less in found) or without(state.hand, cards) is None:
            continue
        action = Action(ADD, cards, index)
        if _grown(state, action) is not None and not _strands_add(state, action):
            found.append(frozenset(cards))
            yield action


def _bridges(state: Seen, meld: Meld, duty: int) -> list[Codes]:
    """Bags that may join the card to the run, the shortest first: it, cards between, and wilds."""
    book = state.game.book
    suit = _SUIT_OF[duty]
    reading = book.reading(meld.codes, meld.reading)
    have = {reading.low + at for at, slot in enumerate(reading.slots) if not slot.wild}
    wilds = tuple(code for code in state.hand if code <= JOKER_CODE and _IS_TWO_OR_JOKER[code])
    fillers = [pick for count in range(book.rules.max_wilds + 1) for pick in _wild_choices(wilds, count)]
    low, high = min(have), max(have)
    out: set[Codes] = set()
    for target in (14, 1) if _RANK_OF[duty] == 1 else (_RANK_OF[duty],):
        between = range(high + 1, target) if target > high else range(target + 1, low)
        path = sorted({c for c in state.hand if _SUIT_OF[c] == suit and _RANK_OF[c] in between and c != duty})
        for count in range(len(path) + 1):
            for chosen in combinations(path, count):
                out |= {tuple(sorted((duty, *chosen, *filler))) for filler in fillers if chosen or filler}
    return sorted(out, key=lambda cards: (len(cards), cards))


_PHASES: Final = {DRAW: _draw_actions, TOP: _top_actions, PLAY: _play_actions, OVER: _over}
