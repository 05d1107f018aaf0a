"""What a bot is, the registry by name, and `casuale`, which plays at random.

>>> bot_names()[0]
'casuale'
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from scorer.errors import MatchError
from scorer.game.state import Action
from scorer.game.view import View


class Bot(Protocol):
    """A player. It never sees more than its seat; all its chance comes from the generator it is given."""

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


_MAKERS: Final[dict[str, Callable[[], Bot]]] = {"casuale": Casuale}


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
