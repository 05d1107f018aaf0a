"""What one seat may see, built from an allow-list: nothing hidden can slip in by being forgotten.

A `View` satisfies the same protocol as a full state where the rules are concerned, so `check` and `legal_actions`
take it too (when it is that seat's turn). `imagine` makes a full state that agrees with a view, for bots that search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.cards import DECK
from scorer.game.state import OVER, Action, Event, Game, GameState, Meld
from scorer.moves import Codes


class View(NamedTuple):
    """One seat's knowledge. Counts stand for what is face down; `hand` is the seat's own.

    `known` are, by seat, cards that everybody saw go into a hand from the pile. `events()` is the public history.
    """

    game: Game
    seat: int
    phase: int
    turn: int
    hand: Codes
    hand_counts: tuple[int, ...]
    melds: tuple[Meld, ...]
    pile: Codes
    stock_count: int
    pot_count: int
    pot_counts: tuple[int, ...]
    sides: tuple[int, ...]
    pot: tuple[int, ...]
    holder: tuple[int, ...]
    duty: int
    barred: int
    laid: bool
    took: bool
    turns: int
    idle: int
    known: tuple[Codes, ...]
    log: Event | None
    end: str
    closer: int

    @property
    def side(self) -> int:
        """The side of this seat."""
        return self.sides[self.seat]

    @property
    def over(self) -> bool:
        """Whether the deal has ended."""
        return self.phase == OVER

    def events(self) -> list[tuple[int, Action]]:
        """The public history, oldest first: (seat, action); a card drawn from the stock is not in it."""
        return list(reversed(list(_back(self.log))))

    def unseen(self) -> Codes:
        """Sorted codes of every card that this seat cannot see: other hands, stock and pots together."""
        left = Counter(card.code for card in DECK)
        left.subtract(self.hand)
        left.subtract(self.pile)
        for meld in self.melds:
            left.subtract(meld.codes)
        return tuple(sorted((+left).elements()))


def _back(event: Event | None) -> Iterator[tuple[int, Action]]:
    while event is not None:
        yield event.seat, event.action
        event = event.before


def view_of(state: GameState, seat: int) -> View:
    """What a seat sees of a state."""
    return View(
        game=state.game,
        seat=seat,
        phase=state.phase,
        turn=state.turn,
        hand=state.hands[seat],
        hand_counts=tuple([len(hand) for hand in state.hands]),
        melds=state.melds,
        pile=state.pile,
        stock_count=len(state.stock),
        pot_count=len(state.pots),
        pot_counts=tuple([len(pot) for pot in state.pots]),
        sides=state.sides,
        pot=state.pot,
        holder=state.holder,
        duty=state.duty,
        barred=state.barred,
        laid=state.laid,
        took=state.took,
        turns=state.turns,
        idle=state.idle,
        known=state.known,
        log=state.log,
        end=state.end,
        closer=state.closer,
    )


def imagine(view: View, unseen: Sequence[int]) -> GameState:
    """A full state that agrees with a view: the unseen cards, in the order given, fill hands, pots and stock.

    `unseen` is `view.unseen()` in any order (shuffle it to sample). Cards known to be in a hand go there first.
    """
    free = list(unseen)
    hands: list[Codes] = []
    for seat in range(view.game.seats):
        if seat != view.seat:
            for code in view.known[seat]:
                free.remove(code)
    at = 0
    for seat in range(view.game.seats):
        if seat == view.seat:
            hands.append(view.hand)
            continue
        need = view.hand_counts[seat] - len(view.known[seat])
        hands.append(tuple(sorted((*view.known[seat], *free[at : at + need]))))
        at += need
    pots: list[Codes] = []
    for size in view.pot_counts:
        pots.append(tuple(sorted(free[at : at + size])))
        at += size
    return GameState(
        game=view.game, phase=view.phase, turn=view.turn, hands=tuple(hands), melds=view.melds,
        stock=tuple(free[at:]), pile=view.pile, pots=tuple(pots), sides=view.sides, pot=view.pot, holder=view.holder,
        duty=view.duty, barred=view.barred, laid=view.laid, took=view.took, turns=view.turns, idle=view.idle,
        known=view.known, log=view.log, end=view.end, closer=view.closer,
    )  # fmt: skip
