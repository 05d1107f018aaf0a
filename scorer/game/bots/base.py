"""What a bot is, the registry by name, and `casuale`, which plays at random.

>>> bot_names()[0]
'casuale'
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from scorer.errors import MatchError
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


def _facile() -> Bot:
    from scorer.game.bots.facile import Facile

    return Facile()


def _normale() -> Bot:
    from scorer.game.bots.normale import Normale

    return Normale()


_MAKERS: Final[dict[str, Callable[[], Bot]]] = {"casuale": Casuale, "facile": _facile, "normale": _normale}


def register(name: str, maker: Callable[[], Bot]) -> None:
    """Make a bot known by name."""
    _MAKERS[name] = maker


def bot_names() -> tuple[str, ...]:
    """The names of all bots, weakest first."""
    return tuple(_MAKERS)


def make_bot(name: str) -> Bot:
    """A bot by name; MatchError that lists the known ones. `random` is another word for `casuale`."""
    maker = _MAKERS.get("casuale" if name == "random" else name)
    if maker is None:
        known = ", ".join(_MAKERS)
        raise MatchError(f"unknown bot {name!r}; known ones: {known}", code="bad_bots", bot=name[:40], known=known)
    return maker()
