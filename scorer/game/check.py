"""The only place that says whether an action is legal: one small function per kind, and all violations at once.

It looks only at what the seat on turn knows (`scorer.game.faults.Seen`), so that nothing hidden can ever decide.
"""

from __future__ import annotations

from typing import Final

from scorer.cards import UNKNOWN_CODE
from scorer.game.faults import (
    FINE,
    Faults,
    Seen,
    after_top,
    cards_of,
    dup_set,
    last_discard_faults,
    new_meld,
    pot_waits,
    stranded,
    without,
)
from scorer.game.legal import can_use_pile
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
)
from scorer.melds import Notice, Violation
from scorer.moves import Codes, add_violations, lay_violations


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
    if pickup == "whole" or can_use_pile(state, depth or size):
        return FINE
    if pickup == "meld_one":
        return (Violation("pile_needs_a_lay", (), "pickup"),)
    wanted = state.pile[-(depth or size) if pickup == "any_depth" else -1]
    return (Violation("pile_card_must_be_laid", cards_of((wanted,)), "pickup"),)


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
