"""The way out: a sequence of legal actions that empties a short hand, found by search over what this seat knows.

What is hidden does not matter here (nobody else acts), so the search plays on a state in which it is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.cards import UNKNOWN_CODE
from scorer.game.apply import advance
from scorer.game.legal import legal_actions
from scorer.game.propose import IS_WILD, RANK_OF, SUIT_OF
from scorer.game.state import ADD, DISCARD, LAY, Action, GameState, Meld
from scorer.game.view import View
from scorer.moves import Codes

#: Most positions looked at for one decision.
NODES = 150


#: Where the seat stands: its turn, its pot, its hand and the melds.
Key = tuple[int, int, tuple[int, ...], Codes, tuple[Codes, ...]]


class WayOut:
    """Finds ways out, and remembers the rest of the last one, so that it is not searched again after each step."""

    def __init__(self, nodes: int = NODES) -> None:
        #: Most positions looked at for one decision.
        self.nodes = nodes
        self._plan: dict[Key, Action] = {}

    def first(self, view: View, legal: Sequence[Action]) -> Action | None:
        """The first action of a way to empty the hand this turn, or None; naturals before wilds, discards last."""
        if not any(a.kind in (LAY, ADD) for a in legal) and len(view.hand) > 1:
            return None
        known = self._plan.get(_key(view.seat, view.turns, view.pot, view.hand, view.melds))
        if known is not None and known in legal:
            return known
        if _hopeless(view.hand, legal):
            return None
        start = _alone(view)
        search = _Search(view.seat, len(start.pots), self.nodes)
        for action in _ordered(legal, len(start.hand)):
            if search.leads_out(start, action):
                self._plan = search.plan
                return action
        return None


def _key(seat: int, turns: int, pot: tuple[int, ...], hand: Codes, melds: tuple[Meld, ...]) -> Key:
    return (seat, turns, pot, hand, tuple([meld.codes for meld in melds]))


def _hopeless(hand: Codes, legal: Sequence[Action]) -> bool:
    """Whether too many cards fit nowhere: no meld takes them, and no other card of the hand has their suit or rank.

    One may be discarded, and each wild may bring one of them down; the others stay.
    """
    placed = 0
    for action in legal:
        if action.kind in (LAY, ADD):
            for code in action.cards:
                placed |= 1 << code
    left = 1 + sum([IS_WILD[code] for code in hand])
    suits, ranks = [SUIT_OF[code] for code in hand], [RANK_OF[code] for code in hand]
    for code, suit, rank in zip(hand, suits, ranks, strict=True):
        alone = suits.count(suit) == 1 and ranks.count(rank) == 1
        if alone and not IS_WILD[code] and not placed >> code & 1:
            left -= 1
            if left < 0:
                return True
    return False


def _alone(view: View) -> GameState:
    """A state in which everything hidden is unknown: enough for what this seat alone does this turn."""
    hands = [(UNKNOWN_CODE,) * count for count in view.hand_counts]
    hands[view.seat] = view.hand
    return GameState(
        game=view.game, phase=view.phase, turn=view.turn, hands=tuple(hands), melds=view.melds,
        stock=(UNKNOWN_CODE,) * view.stock_count, pile=view.pile,
        pots=tuple([(UNKNOWN_CODE,) * count for count in view.pot_counts]), sides=view.sides, pot=view.pot,
        holder=view.holder, duty=view.duty, barred=view.barred, laid=view.laid, took=view.took, turns=view.turns,
        idle=view.idle, known=view.known, log=None, end=view.end, closer=view.closer,
    )  # fmt: skip


class _Search:
    def __init__(self, seat: int, pots: int, nodes: int) -> None:
        self.seat, self.pots = seat, pots
        self.left = nodes
        self.dead: set[Key] = set()
        self.plan: dict[Key, Action] = {}

    def leads_out(self, state: GameState, action: Action) -> bool:
        """Whether this action empties the hand (the pot comes, or the deal closes), now or by more actions."""
        self.left -= 1
        if self.left < 0:
            return False
        after = advance(state, action)
        if after.end == "close" or len(after.pots) < self.pots:
            return True
        # what did not empty the hand was laid, so it is still this seat's turn: a discard is tried with one card only
        hand = after.hands[self.seat]
        key = _key(self.seat, after.turns, after.pot, hand, after.melds)
        if key in self.dead:
            return False
        legal = legal_actions(after)
        if not _hopeless(hand, legal):
            for step in _ordered(legal, len(hand)):
                if self.leads_out(after, step):
                    self.plan[key] = step
                    return True
        self.dead.add(key)
        return False


def _ordered(legal: Sequence[Action], holding: int) -> list[Action]:
    """Lays and adds, the ones without wild cards first; a discard only when it is the last card."""
    steps = [a for a in legal if a.kind in (LAY, ADD) or (a.kind == DISCARD and holding == 1)]
    return sorted(steps, key=lambda a: (a.kind == DISCARD, sum(c == 52 or c % 13 == 1 for c in a.cards)))
