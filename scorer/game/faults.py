"""What the rules ask about a hand and a table: what a lay leaves, whether the hand may be emptied, and with what.

Every function here works on a *seat's knowledge* (`Seen`): the hand on turn and what lies open. A full `GameState` and
a `View` both are that, so that nothing hidden can ever decide. `scorer.game.check` judges actions with them,
`scorer.game.legal` proposes some.
"""

from __future__ import annotations

from typing import Final, Protocol

from scorer.cards import CARDS, JOKER_CODE, UNKNOWN_CODE, Card
from scorer.game.state import NOT_TAKEN, Game, Meld
from scorer.melds import SET, Params, Violation
from scorer.moves import Codes


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


def barred_after(state: Seen) -> int:
    """The card that may not go straight back once the pile is taken: a single one without its twin in hand (L13)."""
    if len(state.pile) != 1 or state.game.flags.rediscard:
        return -1
    card = state.pile[0]
    return -1 if card in state.hand or card == UNKNOWN_CODE or UNKNOWN_CODE in state.hand else card


# --- laying ------------------------------------------------------------------------------------------------------


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
    """Why a lay that leaves this one card or none is refused: no legal end of the turn would be left.

    Two cards or more always leave a discard (rules.md 1.8, C0.2).
    """
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
