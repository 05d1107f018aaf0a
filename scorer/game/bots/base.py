"""What a bot is, and `casuale`, which plays at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from scorer.game.state import Action
from scorer.game.view import View


class Choice(NamedTuple):
    """A decision and its reason: a message code (`bot.…` in `scorer/messages`) with the parameters of its sentence."""

    action: Action
    code: str
    params: tuple[tuple[str, str | int], ...] = ()


class Bot(Protocol):
    """A player. It never sees more than its seat; all its chance comes from the generator it is given.

    A bot may also have `decide` with the same arguments, which gives a `Choice`: the action with its reason.
    """

    name: str

    def choose(self, view: View, legal: Sequence[Action], rng: random.Random) -> Action:
        """One of the legal actions (or a larger legal one)."""
        ...


class Casuale:
    """Chooses evenly among the legal actions."""

    name = "casuale"

    def choose(self, view: View, legal: Sequence[Action], rng: random.Random) -> Action:
        """Any legal action."""
        return legal[rng.randrange(len(legal))]

    def decide(self, view: View, legal: Sequence[Action], rng: random.Random) -> Choice:
        """Any legal action, for no reason."""
        return Choice(self.choose(view, legal, rng), "bot.by_chance")
