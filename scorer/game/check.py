"""The only place that says whether an action is legal: one small function per kind, and all violations at once.

Every function here works on a *seat's knowledge* (`Seen`): the hand on turn and what lies open. A full `GameState` and
a `View` both are that, so that nothing hidden can ever decide.
"""

from __future__ import annotations

from typing import Final, Protocol

from scorer.cards import CARDS, JOKER_CODE, UNKNOWN_CODE, Card
from scorer.game.state import (
    ADD,
    DISCARD,
    DRAW,
    DRAW_CARD,
    LAY,
    LAY_SOMETHING,
    NO_DUTY,
    NOT_TAKEN,
    OVER,
    PLAY,
    TAKE,
    TOP,
    Action,
    Game,
    Meld,
)
from scorer.melds import SET, Notice, Params, Violation
from scorer.moves import Codes, add_violations, lay_violations


class Seen(Protocol):
    """What the rules may look at: everything open, and the hand of the player on turn."""

    @property
    def game(self) -> Game: ...
    @property
    def phase(self) -> int: ...
    @property
    def turn(self) -> int: ...
    @property
    def hand(self) -> Codes: ...
    @property
    def melds(self) -> tuple[Meld, ...]: ...
    @property
    def pile(self) -> Codes: ...
    @property
    def stock_count(self) -> int: ...
    @property
    def pot_count(self) -> int: ...
    @property
    def sides(self) -> tuple[int, ...]: ...
    @property
    def pot(self) -> tuple[int, ...]: ...
    @property
    def duty(self) -> int: ...
    @property
    def barred(self) -> int: ...
    @property
    def laid(self) -> bool: ...


Faults = tuple[Violation, ...]
FINE: Final[Faults] = ()


def cards_of(codes: Codes) -> tuple[Card, ...]:
    """The cards of codes."""
    return tuple([CARDS[code] for code in codes])


def without(hand: Codes, cards: Codes) -> Codes | None:
    """The hand less some cards; an unknown card in the hand stands for any. None when they are not all there.

    >>> without((4, 4, 9), (4, 9)), without((4, 9), (4, 4)), without((4, 53), (4, 4))
    ((4,), None, ())
    """
    if len(cards) == 1 and cards[0] in hand:
        at = hand.index(cards[0])
        return hand[:at] + hand[at + 1 :]
    left = list(hand)
    for code in cards:
        if code in left:
            left.remove(code)
        elif UNKNOWN_CODE in left:
            left.remove(UNKNOWN_CODE)
        else:
            return None
    return tuple(left)


def check(state: Seen, action: Action) -> Faults:
    """Every reason why the player on turn may not do this now; empty when he may.

    >>> from scorer.cards import DECK
    >>> from scorer.game.state import deal
    >>> from scorer.profile import load_profile
    >>> state = deal([card.code for card in DECK], load_profile("vanikar"), players=2)
    >>> [v.code for v in check(state, Action(TAKE))]
    ['pile_empty']
    """
    if state.phase == OVER:
        return (Violation("deal_over"),)
    rule = _CHECKS.get(action.kind)
    if rule is None:
        return (Violation("unknown_action", (), "", (("kind", action.kind),)),)
    return rule(state, action)


# --- drawing -----------------------------------------------------------------------------------------------------


def _check_draw(state: Seen, action: Action) -> Faults:
    if state.phase != DRAW:
        return (Violation("already_drawn"),)
    if state.stock_count or (state.game.flags.stock_end == "pot_as_stock" and state.pot_count):
        return FINE
    return (Violation("stock_empty", (), "stock_end"),)


def _check_take(state: Seen, action: Action) -> Faults:
    if state.phase != DRAW:
        return (Violation("already_drawn"),)
    size = len(state.pile)
    if not size:
        return (Violation("pile_empty", (), "discard_start"),)
    pickup = state.game.flags.pickup
    depth = action.depth
    if pickup != "any_depth":
        if depth not in (0, size):
            return (Violation("whole_pile_only", (), "pickup", (("count", size),)),)
    elif not 0 <= depth <= size:
        return (Violation("pile_depth", (), "pickup", (("depth", depth), ("count", size))),)
    if pickup == "whole" or _can_use(state, depth or size):
        return FINE
    if pickup == "meld_one":
        return (Violation("pile_needs_a_lay", (), "pickup"),)
    wanted = state.pile[-(depth or size) if pickup == "any_depth" else -1]
    return (Violation("pile_card_must_be_laid", cards_of((wanted,)), "pickup"),)


def barred_after(state: Seen) -> int:
    """The card that may not go straight back once the pile is taken: a single one without its twin in hand (L13)."""
    if len(state.pile) != 1 or state.game.flags.rediscard:
        return -1
    card = state.pile[0]
    return -1 if card in state.hand or card == UNKNOWN_CODE or UNKNOWN_CODE in state.hand else card


def _can_use(state: Seen, depth: int) -> bool:
    from scorer.game.legal import can_use_pile

    return can_use_pile(state, depth)


# --- laying ------------------------------------------------------------------------------------------------------


def _check_lay(state: Seen, action: Action) -> Faults:
    left, faults = _from_hand(state, action)
    book = state.game.book
    codes = action.cards
    every = book.readings(codes)
    number = book.choose(codes, range(len(every)), action.roles)
    if number < 0:
        return tuple(faults) + lay_violations(state.game.profile, cards_of(codes), action.roles)
    faults += dup_set(state, codes)
    if left is not None and len(left) <= 1:
        faults += stranded(state, left, (*state.melds, new_meld(state, codes, number)))
    return tuple(faults) if faults else FINE


def _check_add(state: Seen, action: Action) -> Faults:
    left, faults = _from_hand(state, action)
    if not 0 <= action.meld < len(state.melds):
        return (*faults, Violation("no_such_meld", (), "", (("number", action.meld + 1),)))
    meld = state.melds[action.meld]
    side = state.sides[state.turn]
    if state.sides[meld.home] != side and not state.game.flags.layoff_any:
        faults.append(Violation("not_your_meld", cards_of(meld.codes), "layoff_any"))
    if not action.cards:
        return (*faults, Violation("no_cards"))
    book = state.game.book
    numbers = book.grow(meld.codes, meld.reading, action.cards)
    bag = tuple(sorted(meld.codes + action.cards))
    number = book.choose(bag, numbers, action.roles) if numbers else -1
    if number < 0:
        shown = tuple([slot.card for slot in book.reading(meld.codes, meld.reading).slots])
        why = add_violations(state.game.profile, shown, meld.reading, cards_of(action.cards), action.roles)
        return (*faults, *why)
    if left is not None and len(left) <= 1:
        after = list(state.melds)
        after[action.meld] = meld._replace(codes=bag, reading=number)
        faults += stranded(state, left, tuple(after))
    return tuple(faults) if faults else FINE


def _from_hand(state: Seen, action: Action) -> tuple[Codes | None, list[Violation]]:
    """What is left in hand after laying, and the faults of the moment: wrong phase, cards not held, a duty."""
    faults: list[Violation] = []
    if state.phase == DRAW:
        faults.append(Violation("draw_first"))
    left = without(state.hand, action.cards)
    if left is None:
        missing = tuple([c for c in action.cards if c not in state.hand]) or action.cards
        faults.append(Violation("not_in_hand", cards_of(missing)))
    if state.phase == TOP:
        if state.duty not in action.cards and state.duty != UNKNOWN_CODE:
            faults.append(Violation("taken_card_first", cards_of((state.duty,)), "pickup"))
        if left is not None:
            left = after_top(state, left)
    return left, faults


def after_top(state: Seen, left: Codes) -> Codes:
    """The hand once the card gone for is laid: under `top_melded` the rest of the pile comes in only then."""
    return tuple(sorted(left + state.pile)) if state.game.flags.pickup == "top_melded" and state.pile else left


def dup_set(state: Seen, codes: Codes) -> list[Violation]:
    """A second set of a rank by one side, where that is not allowed."""
    if state.game.flags.dup_sets:
        return []
    book = state.game.book
    status = book.status(codes)
    if status.kind != SET:
        return []
    side = state.sides[state.turn]
    for meld in state.melds:
        if state.sides[meld.home] == side:
            other = book.status(meld.codes)
            if other.kind == SET and other.group == status.group:
                return [Violation("equal_set", cards_of(meld.codes), "dup_sets")]
    return []


def new_meld(state: Seen, codes: Codes, reading: int) -> Meld:
    """The meld that the player on turn would lay."""
    home = state.sides.index(state.sides[state.turn])
    number = 1
    for meld in state.melds:
        if meld.home == home:
            number = meld.number + 1
    return Meld(home, number, codes, reading)


# --- going out -----------------------------------------------------------------------------------------------------


def pot_waits(state: Seen) -> bool:
    """Whether emptying the hand now would bring the pot."""
    return bool(state.pot_count) and state.pot[state.sides[state.turn]] == NOT_TAKEN


def stranded(state: Seen, left: Codes, melds: tuple[Meld, ...]) -> list[Violation]:
    """Why a lay that leaves these cards is refused: no legal end of the turn would be left (rules.md 1.8, C0.2)."""
    if len(left) > 1:
        return []
    if not left:
        return [] if pot_waits(state) else close_faults(state, melds, discard=-1)
    card = left[0]
    faults = last_discard_faults(state, card, melds)
    if card == UNKNOWN_CODE or not faults:
        return []
    if all(fault.code in _CARD_FAULTS for fault in faults) and _lays_last(state, card, melds):
        return []
    return faults


#: Faults of the one card that is left: laying it off instead may still be a legal way out.
_CARD_FAULTS: Final = frozenset({"wild_closing_discard", "joker_can_be_laid", "rediscard"})


def _lays_last(state: Seen, card: int, melds: tuple[Meld, ...]) -> bool:
    """Whether the last card can be laid off, and the hand be empty after that."""
    book = state.game.book
    for index, meld in own_melds(state, melds):
        numbers = book.grow(meld.codes, meld.reading, (card,))
        if numbers:
            after = list(melds)
            after[index] = meld._replace(codes=tuple(sorted((*meld.codes, card))), reading=numbers[0])
            if pot_waits(state) or not close_faults(state, tuple(after), discard=-1):
                return True
    return False


def own_melds(state: Seen, melds: tuple[Meld, ...]) -> list[tuple[int, Meld]]:
    """The melds that the player on turn may add to, with their index."""
    if state.game.flags.layoff_any:
        return list(enumerate(melds))
    sides = state.sides
    side = sides[state.turn]
    return [(i, meld) for i, meld in enumerate(melds) if sides[meld.home] == side]


def close_faults(state: Seen, melds: tuple[Meld, ...], discard: int) -> list[Violation]:
    """Why emptying the hand for good is refused; `discard` is the closing discard, -1 when there is none."""
    flags = state.game.flags
    side = state.sides[state.turn]
    out: list[Violation] = []
    if discard < 0 and flags.close_discard:
        out.append(Violation("closing_discard_required", (), "close_discard"))
    if flags.pots and state.pot[side] == NOT_TAKEN:
        out.append(Violation("closing_needs_pot", (), "pots"))
    if flags.close_burraco != "none":
        status = state.game.book.status
        mine = [status(meld.codes) for meld in melds if state.sides[meld.home] == side]
        if flags.close_burraco == "any":
            if not any([s.burraco for s in mine]):
                out.append(Violation("closing_needs_burraco", (), "close_burraco"))
        elif not any([s.clean for s in mine]):
            out.append(Violation("closing_needs_clean", (), "close_burraco"))
    if discard >= 0 and flags.close_wild_discard == "never" and CARDS[discard].is_wild:
        out.append(Violation("wild_closing_discard", cards_of((discard,)), "close_wild_discard"))
    return out


def last_discard_faults(state: Seen, card: int, melds: tuple[Meld, ...]) -> list[Violation]:
    """Why the discard that empties the hand is refused, whether it brings the pot or closes."""
    out: list[Violation] = []
    if card == state.barred:
        out.append(Violation("rediscard", cards_of((card,)), "rediscard"))
    if card == JOKER_CODE and state.game.flags.close_wild_discard == "unplayable_joker":
        book = state.game.book
        taker = [meld for _, meld in own_melds(state, melds) if book.grow(meld.codes, meld.reading, (card,))]
        if taker:
            params: Params = (("onto", " ".join(CARDS[code].symbol for code in taker[0].codes)),)
            out.append(Violation("joker_can_be_laid", cards_of((card,)), "close_wild_discard", params))
    if not pot_waits(state):
        out += close_faults(state, melds, discard=card)
    return out


def _check_discard(state: Seen, action: Action) -> Faults:
    if len(action.cards) != 1:
        return (Violation("one_discard", cards_of(action.cards)),)
    card = action.cards[0]
    hand = state.hand
    if state.phase == PLAY and state.duty == NO_DUTY and card in hand and card != state.barred and len(hand) > 1:
        return FINE
    faults: list[Violation] = []
    if state.phase == DRAW:
        faults.append(Violation("draw_first"))
    elif state.phase == TOP:
        faults.append(Violation("taken_card_first", cards_of((state.duty,)), "pickup"))
    elif state.duty == LAY_SOMETHING and not state.laid:
        faults.append(Violation("must_lay_something", (), "pickup"))
    left = without(state.hand, action.cards)
    if left is None:
        return (*faults, Violation("not_in_hand", cards_of(action.cards)))
    if not left:
        faults += last_discard_faults(state, card, state.melds)
    elif card == state.barred:
        faults.append(Violation("rediscard", cards_of((card,)), "rediscard"))
    return tuple(faults)


_CHECKS: Final = {
    DRAW_CARD: _check_draw,
    TAKE: _check_take,
    LAY: _check_lay,
    ADD: _check_add,
    DISCARD: _check_discard,
}


def notices(state: Seen, action: Action) -> tuple[Notice, ...]:
    """What is legal but worth a word: closing without a burraco where the rule set literally allows it (C1.1)."""
    if check(state, action) or action.kind not in (LAY, ADD, DISCARD):
        return ()
    flags = state.game.flags
    left = without(state.hand, action.cards)
    if flags.close_burraco == "none" and not left and not pot_waits(state) and state.phase == PLAY:
        side = state.sides[state.turn]
        bags = [meld.codes for meld in state.melds if state.sides[meld.home] == side]
        if action.kind == LAY:
            bags.append(action.cards)
        elif action.kind == ADD:
            bags.append(tuple(sorted(state.melds[action.meld].codes + action.cards)))
        if not any(state.game.book.status(bag).burraco for bag in bags):
            return (Notice("closed_without_burraco", (), "close_burraco"),)
    return ()
