"""`facile`: lays what it can, takes the pile when its top card fits at once, throws away the most lonely card."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scorer.game.bots.base import Choice
from scorer.game.bots.hand import WILD, counts, fits, keep_value, own, set_ranks
from scorer.game.state import ADD, DISCARD, DRAW_CARD, LAY, TAKE, Action
from scorer.game.view import View


class Facile:
    """A beginner who knows the rules."""

    name = "facile"

    def choose(self, view: View, legal: Sequence[Action], rng: random.Random) -> Action:
        """The first thing that comes to mind."""
        return self.decide(view, legal, rng).action

    def decide(self, view: View, legal: Sequence[Action], rng: random.Random) -> Choice:
        """The action with its reason."""
        if legal[0].kind in (DRAW_CARD, TAKE):
            return self._draw(view, legal)
        natural = [a for a in legal if a.kind in (LAY, ADD) and not any(WILD[c] for c in a.cards)]
        if natural:
            return Choice(natural[0], "bot.lays_what_fits")
        discards = [a for a in legal if a.kind == DISCARD]
        if not discards or len(view.hand) <= 4:
            wild = [a for a in legal if a.kind in (LAY, ADD)]
            if wild:
                return Choice(wild[0], "bot.lays_what_fits")
        return self._discard(view, discards, rng)

    def _draw(self, view: View, legal: Sequence[Action]) -> Choice:
        takes = [a for a in legal if a.kind == TAKE]
        draws = [a for a in legal if a.kind == DRAW_CARD]
        if takes and view.pile and (not draws or self._top_fits(view)):
            return Choice(takes[0], "bot.takes_fitting_pile")
        return Choice((draws or takes)[0], "bot.draws")

    def _top_fits(self, view: View) -> bool:
        top = view.pile[-1]
        if any(fits(view, meld, 1 << top) for meld in own(view)):
            return True
        held = counts(view.hand)
        return not WILD[top] and bool(set_ranks(view)) and held.ranks[top % 13 + 1] >= 2

    def _discard(self, view: View, discards: Sequence[Action], rng: random.Random) -> Choice:
        held, sets = counts(view.hand), set_ranks(view)
        plain = [a for a in discards if not WILD[a.cards[0]]] or list(discards)
        values = [0.0 if WILD[a.cards[0]] else keep_value(a.cards[0], held, sets) for a in plain]
        least = min(values)
        worst = [a for a, value in zip(plain, values, strict=True) if value == least]
        return Choice(worst[rng.randrange(len(worst))], "bot.throws_lonely")
