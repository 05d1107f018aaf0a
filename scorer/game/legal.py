"""The legal actions of the player on turn: a canonical basis, sorted and without repeats.

A proposal is cheap and may be wrong; `MeldBook` (that is `scorer.melds.readings`) settles each one, and what a lay
leaves in hand is settled by `scorer.game.faults.stranded`. The basis holds the shortest melds, single added cards and
the discards; every larger legal action is a sequence of these (a test plays random larger ones back as sequences).
Two kinds of larger action are in it because their first half alone is refused: the last two cards that together make
the burraco and close, and cards that reach the one that must be laid from the pile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

from scorer.cards import JOKER_CODE, UNKNOWN_CODE
from scorer.game.faults import (
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
from scorer.game.propose import (
    IS_WILD,
    RANK_OF,
    SUIT_OF,
    Memory,
    TableFacts,
    add_action,
    masks_of,
    memory_of,
    wild_choices,
)
from scorer.game.state import (
    ADD,
    DISCARD,
    DRAW,
    DRAW_CARD,
    LAY_SOMETHING,
    NO_DUTY,
    OVER,
    PLAY,
    TAKE,
    TOP,
    Action,
    Meld,
)
from scorer.moves import Codes, Fit, MeldBook

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
    pile = state.pile
    if pile:
        if flags.pickup == "whole":
            out.append(TAKE_ALL)
        elif flags.pickup == "any_depth":
            out += [Action(TAKE, (), -1, depth) for depth in _usable_depths(state)]
        elif can_use_pile(state, len(pile)):
            out.append(TAKE_ALL)
    return out


def _usable_depths(state: Seen) -> Iterator[int]:
    """The depths at which the pile may be taken, under `any_depth`."""
    hand, pile = state.hand, state.pile
    memory = memory_of(state.game.book)
    mask, twice = masks_of(hand)
    # nothing that is laid can strand a hand as long as this: any place for the card is then enough
    long = memory.longest + 1 - len(hand)
    known = memory.one_wild and not (hand and hand[-1] == UNKNOWN_CODE)
    for depth in range(1, len(pile) + 1):
        duty = pile[-depth]
        mask, twice = masks_of((duty,), mask, twice)
        known = known and duty != UNKNOWN_CODE
        if known and depth > long and not IS_WILD[duty]:
            if _has_place(state, memory, depth, mask, twice):
                yield depth
        elif can_use_pile(state, depth):
            yield depth


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
    hand = supposed.hand
    if hand and hand[-1] == UNKNOWN_CODE:
        return True
    return bool(_lays(supposed, hand) or (supposed.melds and _adds(supposed, hand)))


def _has_place(state: Seen, memory: Memory, depth: int, mask: int, twice: int) -> bool:
    """Whether the card gone for has any place, for a hand so long that no lay can strand it.

    `mask` and `twice` are the hand with what is taken (`masks_of`).
    """
    melds, pile = state.melds, state.pile
    duty = pile[-depth]
    facts = memory.facts(melds)
    sides, anyone = state.sides, state.game.flags.layoff_any
    side, suit = sides[state.turn], SUIT_OF[duty]
    near = []
    for index, fit in enumerate(facts.fits):
        run = facts.suits[index] == suit
        if (run or fit.plausible >> duty & 1) and (anyone or sides[melds[index].home] == side):
            if fit.plausible & ~fit.seen & 1 << duty:
                memory.book.settle(fit, melds[index].codes, melds[index].reading, 1 << duty)
            if fit.yes >> duty & 1:
                return True
            if run and _gaps(memory.book, melds[index], duty, mask):
                near.append(index)
    if memory.lays_with(mask, twice, duty, _set_ranks(state, facts)):
        return True
    if not near:
        return False
    supposed = _Supposed(state, tuple(sorted(state.hand + pile[-depth:])), pile[:-depth], TOP, duty)
    return any(next(_reaching(supposed, index, melds[index], duty), None) for index in near)


# --- laying ------------------------------------------------------------------------------------------------------


def _top_actions(state: Seen) -> list[Action]:
    hand = state.hand
    return [*_lays(state, hand), *_adds(state, hand)]


def _play_actions(state: Seen) -> list[Action]:
    hand = state.hand
    out = _lays(state, hand)
    if state.melds:
        out += _adds(state, hand)
    if state.duty != LAY_SOMETHING or state.laid:
        out += _discard_actions(state, hand)
    return out


def _discard_actions(state: Seen, hand: Codes) -> list[Action]:
    if len(hand) == 1:
        card = hand[0]
        if card == UNKNOWN_CODE:
            return []
        return [] if last_discard_faults(state, card, state.melds) else [DISCARDS[card]]
    out = []
    last = barred = state.barred
    for code in hand:
        if code != last and code != barred and code != UNKNOWN_CODE:
            out.append(DISCARDS[code])
            last = code
    return out


def _after_laying(state: Seen, holding: int, cards: int) -> int:
    """How many cards a hand of `holding` cards would hold after laying some."""
    if state.phase == TOP and state.game.flags.pickup == "top_melded":
        holding += len(state.pile)
    return holding - cards


def _hand_after(state: Seen, cards: Codes) -> Codes:
    """The hand once these cards are laid, with the rest of the pile where laying them is what takes it."""
    left = without(state.hand, cards)
    assert left is not None
    return after_top(state, left) if state.phase == TOP else left


def _strands_lay(state: Seen, action: Action) -> bool:
    left = _hand_after(state, action.cards)
    if len(left) > 1:
        return False
    book = state.game.book
    number = book.choose(action.cards, range(len(book.readings(action.cards))), action.roles)
    return bool(stranded(state, left, (*state.melds, new_meld(state, action.cards, number))))


def _lays(state: Seen, hand: Codes) -> list[Action]:
    """The shortest new melds that leave a legal end of the turn."""
    memory = memory_of(state.game.book)
    duty = state.duty
    asked = hand if duty < 0 or IS_WILD[duty] else _company(hand, duty)
    barred = _NONE if state.game.flags.dup_sets or not state.melds else _set_ranks(state, memory.facts(state.melds))
    found = memory.lays(asked, barred)
    if duty >= 0:
        found = [action for action in found if duty in action.cards]
    # only a lay that leaves one card or none can strand the player
    if found and _after_laying(state, len(hand), memory.longest) <= 1:
        found = [action for action in found if not _strands_lay(state, action)]
    return found


def _company(hand: Codes, duty: int) -> Codes:
    """The cards of a hand that may stand in one meld with a card that is no wild."""
    suit, rank = SUIT_OF[duty], RANK_OF[duty]
    return tuple([code for code in hand if SUIT_OF[code] == suit or RANK_OF[code] == rank or IS_WILD[code]])


def _set_ranks(state: Seen, facts: TableFacts) -> frozenset[int]:
    """Ranks of which the side may open no further set."""
    if state.game.flags.dup_sets or not facts.sets:
        return _NONE
    sides = state.sides
    side = sides[state.turn]
    return frozenset([rank for home, rank in facts.sets if sides[home] == side])


_NONE: Final[frozenset[int]] = frozenset()


# --- adding ------------------------------------------------------------------------------------------------------


def _adds(state: Seen, hand: Codes) -> list[Action]:
    """Single cards that go to a meld, sorted by card and meld, and the larger ones of the module's docstring."""
    duty, melds = state.duty, state.melds
    mask = 0
    for code in hand if duty < 0 else (duty,):
        mask |= 1 << code
    mask &= _REAL
    out: list[Action] = []
    facts = memory_of(state.game.book).facts(melds)
    suit = SUIT_OF[duty] if 0 <= duty < JOKER_CODE else -2  # -1 stands for a set among the facts
    sides = state.sides
    side, anyone = sides[state.turn], state.game.flags.layoff_any
    for index, fit in enumerate(facts.fits):
        near = mask & fit.plausible
        if (near or facts.suits[index] == suit) and (anyone or sides[melds[index].home] == side):
            if near & ~fit.seen:
                meld = melds[index]
                state.game.book.settle(fit, meld.codes, meld.reading, near & ~fit.seen)
            found = fit.yes & mask
            if found:
                _single_adds(fit, index, found, out)
            elif facts.suits[index] == suit:
                out += _reaching(state, index, melds[index], duty)
    rest = _after_laying(state, len(hand), 1)
    if rest <= 1:
        out = [action for action in out if not _strands_add(state, action)]
        if rest == 1 and duty == NO_DUTY and not pot_waits(state):
            out += _closing_pairs(state, own_melds(state, melds))
    if len(out) > 1:
        out.sort()
    return out


def _single_adds(fit: Fit, index: int, found: int, out: list[Action]) -> None:
    """The cards that go to one meld, given as a mask."""
    while found:
        bit = found & -found
        found ^= bit
        code = bit.bit_length() - 1
        out.append(add_action(code, index))
        roles = fit.roles[code]
        if len(roles) > 1:
            out += [Action(ADD, (code,), index, 0, said) for said in roles[1:]]


#: A bit for every card that is no partial one.
_REAL: Final = (1 << UNKNOWN_CODE) - 1


def _strands_add(state: Seen, action: Action) -> bool:
    left = _hand_after(state, action.cards)
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
    """Adding the card that must be laid together with the fewest cards of the hand that join it to this run."""
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
    out: set[Codes] = set()
    paths = _gaps(state.game.book, meld, duty, masks_of(state.hand)[0])
    if paths:
        wilds = tuple([code for code in state.hand if IS_WILD[code]])
        most = state.game.book.rules.max_wilds
        fillers = [pick for count in range(most + 1) for pick in wild_choices(wilds, count)]
        for path in paths:
            for count in range(len(path) + 1):
                for chosen in combinations(path, count):
                    out |= {tuple(sorted((duty, *chosen, *filler))) for filler in fillers if chosen or filler}
    return sorted(out, key=lambda cards: (len(cards), cards))


def _gaps(book: MeldBook, meld: Meld, duty: int, mask: int) -> list[list[int]]:
    """The cards of a hand (a bit each) between a run and a card, for each side where they may bridge the gap."""
    reading = book.reading(meld.codes, meld.reading)
    have = [place for place, slot in enumerate(reading.slots, reading.low) if not slot.wild]
    low, high = have[0], have[-1]
    first = SUIT_OF[duty] * 13 - 1
    wilds = (mask & book.wild_mask).bit_count() + len(meld.codes) - len(have)
    # a two of the suit that stands for another card may yet fall into its own slot
    most = book.rules.max_wilds
    holes = (min(most, wilds) if most == 1 else most) + meld.codes.count(first + 2)
    out = []
    for target in (14, 1) if RANK_OF[duty] == 1 else (RANK_OF[duty],):
        between = range(high + 1, target) if target > high else range(target + 1, low)
        path = [first + place for place in between if mask >> first + place & 1]
        # every other slot between that no card fills needs a wild in the meld that comes out
        if len(between) - len(path) <= holes:
            out.append(path)
    return out


_PHASES: Final = {DRAW: _draw_actions, TOP: _top_actions, PLAY: _play_actions, OVER: _over}
