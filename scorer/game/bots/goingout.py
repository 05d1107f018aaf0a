"""The way out: a sequence of legal actions that empties a short hand, found by search over what this seat knows.

What is hidden does not matter here (nobody else acts), so the search plays on a state imagined from the view.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.game.apply import advance
from scorer.game.legal import legal_actions
from scorer.game.state import ADD, DISCARD, LAY, Action, GameState
from scorer.game.view import View, imagine
from scorer.moves import Codes

#: Most positions looked at for one decision.
NODES = 150


def way_out(view: View, legal: Sequence[Action], nodes: int = NODES) -> Action | None:
    """The first action of a way to empty the hand this turn, or None; naturals before wilds, discards last.

    `nodes`: most positions looked at.
    """
    if not any(a.kind in (LAY, ADD) for a in legal) and len(view.hand) > 1:
        return None
    start = imagine(view, view.unseen())
    search = _Search(view.seat, len(start.pots), nodes)
    for action in _ordered(legal, len(start.hand)):
        if search.leads_out(start, action):
            return action
    return None


class _Search:
    def __init__(self, seat: int, pots: int, nodes: int) -> None:
        self.seat, self.pots = seat, pots
        self.left = nodes
        self.dead: set[tuple[Codes, tuple[Codes, ...]]] = set()

    def leads_out(self, state: GameState, action: Action) -> bool:
        """Whether this action empties the hand (the pot comes, or the deal closes), now or by more actions."""
        self.left -= 1
        if self.left < 0:
            return False
        after = advance(state, action)
        if after.end == "close" or len(after.pots) < self.pots:
            return True
        if after.over or after.turn != self.seat:
            return False
        key = (after.hands[self.seat], tuple(meld.codes for meld in after.melds))
        if key in self.dead:
            return False
        for step in _ordered(legal_actions(after), len(after.hand)):
            if self.leads_out(after, step):
                return True
        self.dead.add(key)
        return False


def _ordered(legal: Sequence[Action], holding: int) -> list[Action]:
    """Lays and adds, the ones without wild cards first; a discard only when it is the last card."""
    steps = [a for a in legal if a.kind in (LAY, ADD) or (a.kind == DISCARD and holding == 1)]
    return sorted(steps, key=lambda a: (a.kind == DISCARD, sum(c == 52 or c % 13 == 1 for c in a.cards)))
