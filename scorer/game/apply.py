"""From one state to the next. `apply` asks `check` first; `advance` trusts that the action is legal.

A bot or a simulation that takes its actions from `legal_actions` may use `advance`; everything that comes from
outside goes through `apply`.

>>> from scorer.cards import DECK
>>> from scorer.game.state import DRAW_CARD, deal
>>> from scorer.profile import load_profile
>>> state = deal([card.code for card in DECK], load_profile("fibur"), players=4)
>>> after = apply(state, Action(DRAW_CARD))
>>> len(after.hand), len(after.stock), len(state.hand)
(12, 40, 11)
"""

from __future__ import annotations

from bisect import insort
from typing import Any, Final

from scorer.errors import MoveError
from scorer.game.check import check
from scorer.game.faults import barred_after, new_meld, without
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
    PLAYED,
    STALL_ROUNDS,
    TAKE,
    TOP,
    UNPLAYED,
    Action,
    Event,
    GameState,
    Meld,
)
from scorer.moves import Codes


def apply(state: GameState, action: Action) -> GameState:
    """The next state; MoveError with every violation when the action is not legal. The given state never changes."""
    faults = check(state, action)
    if faults:
        codes = ", ".join(fault.code for fault in faults)
        raise MoveError(f"not allowed: {codes}", violations=faults, reasons=codes)
    return advance(state, action)


def advance(state: GameState, action: Action) -> GameState:
    """The next state after an action that is known to be legal."""
    return _STEPS[action.kind](state, action)


def _put(rows: tuple[Codes, ...], seat: int, row: Codes) -> tuple[Codes, ...]:
    return (*rows[:seat], row, *rows[seat + 1 :])


def _mark(row: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    return (*row[:at], value, *row[at + 1 :])


# The steps that every turn takes copy the fields into a list, change some and freeze it again: half the price of
# `_replace`, which the rare ones use.
_FIELDS: Final = GameState._fields
_PHASE, _TURN, _HANDS, _MELDS = (_FIELDS.index(name) for name in ("phase", "turn", "hands", "melds"))
_STOCK, _PILE, _POTS, _POT = (_FIELDS.index(name) for name in ("stock", "pile", "pots", "pot"))
_DUTY, _BARRED, _LAID, _TOOK = (_FIELDS.index(name) for name in ("duty", "barred", "laid", "took"))
_TURNS, _IDLE, _KNOWN, _LOG, _END = (_FIELDS.index(name) for name in ("turns", "idle", "known", "log", "end"))


# --- drawing -----------------------------------------------------------------------------------------------------


def _draw(state: GameState, action: Action) -> GameState:
    stock, pots = state.stock, state.pots
    if not stock:
        # `pot_as_stock`: the leftover pot is turned into the stock
        stock, pots = pots[-1], pots[:-1]
    seat = state.turn
    hand = list(state.hands[seat])
    insort(hand, stock[-1])
    stock = stock[:-1]
    ended = not stock and state.game.flags.stock_end == "last_drawn"
    row: list[Any] = list(state)
    row[_PHASE] = OVER if ended else PLAY
    row[_HANDS] = _put(state.hands, seat, tuple(hand))
    row[_STOCK] = stock
    row[_POTS] = pots
    if ended:
        row[_END] = "stock"
    else:
        row[_POT] = _pot_begun(state)
    row[_LOG] = Event(state.log, seat, action)
    return GameState._make(row)


def _pot_begun(state: GameState) -> tuple[int, ...]:
    """A pot taken by discard counts as played once its holder draws."""
    side = state.sides[state.turn]
    if state.pot[side] == UNPLAYED and state.holder[side] == state.turn:
        return _mark(state.pot, side, PLAYED)
    return state.pot


def _take(state: GameState, action: Action) -> GameState:
    seat, pile = state.turn, state.pile
    flags = state.game.flags
    phase, duty = PLAY, NO_DUTY
    taken, rest = pile, pile[:0]
    if flags.pickup == "top_melded":
        taken, rest, phase, duty = pile[-1:], pile[:-1], TOP, pile[-1]
    elif flags.pickup == "any_depth":
        depth = action.depth or len(pile)
        taken, rest, phase, duty = pile[-depth:], pile[:-depth], TOP, pile[-depth]
    elif flags.pickup == "meld_one":
        duty = LAY_SOMETHING
    row: list[Any] = list(state)
    row[_PHASE] = phase
    row[_HANDS] = _put(state.hands, seat, tuple(sorted(state.hands[seat] + taken)))
    row[_PILE] = rest
    row[_POT] = _pot_begun(state)
    row[_DUTY] = duty
    row[_BARRED] = barred_after(state)
    row[_TOOK] = True
    row[_KNOWN] = _put(state.known, seat, tuple(sorted(state.known[seat] + taken)))
    row[_LOG] = Event(state.log, seat, action)
    return GameState._make(row)


# --- laying ------------------------------------------------------------------------------------------------------


def _lay(state: GameState, action: Action) -> GameState:
    book = state.game.book
    codes = action.cards
    number = book.choose(codes, range(len(book.readings(codes))), action.roles)
    return _laid(state, action, (*state.melds, new_meld(state, codes, number)))


def _add(state: GameState, action: Action) -> GameState:
    book = state.game.book
    meld = state.melds[action.meld]
    bag = tuple(sorted(meld.codes + action.cards))
    number = book.choose(bag, book.grow(meld.codes, meld.reading, action.cards), action.roles)
    at = action.meld
    grown = Meld(meld.home, meld.number, bag, number)
    return _laid(state, action, (*state.melds[:at], grown, *state.melds[at + 1 :]))


def _laid(state: GameState, action: Action, melds: tuple[Meld, ...]) -> GameState:
    seat, pile = state.turn, state.pile
    left = without(state.hands[seat], action.cards)
    assert left is not None, "advance() was given cards that are not in the hand"
    known = _forget(state.known, seat, action.cards)
    if state.phase == TOP and pile and state.game.flags.pickup == "top_melded":
        left, pile = tuple(sorted(left + pile)), ()
        known = _put(known, seat, tuple(sorted(known[seat] + state.pile)))
    row: list[Any] = list(state)
    row[_PHASE] = PLAY
    row[_HANDS] = _put(state.hands, seat, left)
    row[_MELDS] = melds
    row[_PILE] = pile
    row[_DUTY] = NO_DUTY
    if state.barred in action.cards:
        row[_BARRED] = -1
    row[_LAID] = True
    row[_KNOWN] = known
    row[_LOG] = Event(state.log, seat, action)
    after = GameState._make(row)
    if left:
        return after
    return _take_pot(after, PLAYED) if _pot_waits(after) else after._replace(phase=OVER, end="close", closer=seat)


def _forget(known: tuple[Codes, ...], seat: int, cards: Codes) -> tuple[Codes, ...]:
    """What everybody knows of a hand after it showed some cards: the shown copy is taken to be the known one."""
    row = known[seat]
    if not row:
        return known
    left = list(row)
    for code in cards:
        if code in left:
            left.remove(code)
    return _put(known, seat, tuple(left))


# --- the pot -------------------------------------------------------------------------------------------------------


def _pot_waits(state: GameState) -> bool:
    return bool(state.pots) and state.pot[state.sides[state.turn]] == NOT_TAKEN


def _take_pot(state: GameState, played: int) -> GameState:
    seat = state.turn
    side = state.sides[seat]
    joined = state.game.joins and not any(state.pot)
    state = state._replace(
        hands=_put(state.hands, seat, state.pots[0]),
        pots=state.pots[1:],
        pot=_mark(state.pot, side, played),
        holder=_mark(state.holder, side, seat),
        known=_put(state.known, seat, ()),
    )
    if not joined:
        return state
    # the first to take a pot plays alone, the other two become one side (rules.md E08)
    others = [other for other in range(state.game.seats) if other != seat]
    pair = min(others)
    return state._replace(sides=tuple([seat if s == seat else pair for s in range(state.game.seats)]))


# --- discarding ----------------------------------------------------------------------------------------------------


def _discard(state: GameState, action: Action) -> GameState:
    seat = state.turn
    left = without(state.hands[seat], action.cards)
    assert left is not None, "advance() was given a card that is not in the hand"
    row: list[Any] = list(state)
    row[_HANDS] = _put(state.hands, seat, left)
    row[_PILE] = state.pile + action.cards
    if state.known[seat]:
        row[_KNOWN] = _forget(state.known, seat, action.cards)
    row[_LOG] = Event(state.log, seat, action)
    if left:
        return _pass_turn(state, row)
    after = GameState._make(row)
    if not _pot_waits(after):
        return after._replace(phase=OVER, end="close", closer=seat, turns=state.turns + 1)
    after = _take_pot(after, UNPLAYED)
    return _pass_turn(after, list(after))


def _pass_turn(state: GameState, row: list[Any]) -> GameState:
    """End the turn of a state whose changed fields stand in `row`."""
    game = state.game
    turns = state.turns + 1
    idle = state.idle + 1 if state.took and not state.laid else 0
    end = ""
    if _stock_is_out(state):
        end = "stock"
    elif idle >= STALL_ROUNDS * game.seats:
        end = "stall"
    elif turns >= game.turn_cap:
        end = "truncated"
    row[_PHASE] = OVER if end else DRAW
    row[_TURN] = (state.turn + game.step) % game.seats
    row[_DUTY] = NO_DUTY
    row[_BARRED] = -1
    row[_LAID] = row[_TOOK] = False
    row[_TURNS] = turns
    row[_IDLE] = idle
    row[_END] = end
    return GameState._make(row)


def _stock_is_out(state: GameState) -> bool:
    """Whether the deal ends with the discard just made (rules.md 1.8)."""
    rule = state.game.flags.stock_end
    if rule == "two_left":
        return len(state.stock) <= 2
    return not state.stock and not (rule == "pot_as_stock" and state.pots)


_STEPS: Final = {DRAW_CARD: _draw, TAKE: _take, LAY: _lay, ADD: _add, DISCARD: _discard}
