"""The bots by name. A bot is imported only when it is asked for.

>>> bot_names()[0]
'casuale'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from scorer.errors import MatchError
from scorer.game.bots.base import Bot, Casuale


def _facile(_budget: Budget) -> Bot:
    from scorer.game.bots.facile import Facile

    return Facile()


def _normale(_budget: Budget) -> Bot:
    from scorer.game.bots.normale import Normale

    return Normale()


def _forte(budget: Budget) -> Bot:
    from scorer.game.bots.forte import Forte

    return Forte(budget.playouts, budget.milliseconds)


class Budget(NamedTuple):
    """How long a searching bot may think for one move: playouts (reproducible), or milliseconds."""

    playouts: int | None = None
    milliseconds: float | None = None


_MAKERS: Final[dict[str, Callable[[Budget], Bot]]] = {
    "casuale": lambda _budget: Casuale(),
    "facile": _facile,
    "normale": _normale,
    "forte": _forte,
}


def register(name: str, maker: Callable[[Budget], Bot]) -> None:
    """Make a bot known by name."""
    _MAKERS[name] = maker


def bot_names() -> tuple[str, ...]:
    """The names of all bots, weakest first."""
    return tuple(_MAKERS)


def make_bot(name: str) -> Bot:
    """A bot by name; MatchError that lists the known ones. `random` is another word for `casuale`.

    A budget stands behind a colon: `forte:200` (playouts a move) or `forte:500ms`.
    """
    word, _, budget = name.partition(":")
    maker = _MAKERS.get("casuale" if word == "random" else word)
    if maker is None:
        known = ", ".join(_MAKERS)
        raise MatchError(f"unknown bot {name!r}; known ones: {known}", code="bad_bots", bot=name[:40], known=known)
    return maker(_budget(budget, name))


def _budget(words: str, name: str) -> Budget:
    number = words.removesuffix("ms")
    if not words:
        return Budget()
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= 1_000_000):
        known = "forte:200, forte:500ms"
        raise MatchError(f"unknown bot {name!r}; known ones: {known}", code="bad_bots", bot=name[:40], known=known)
    return Budget(milliseconds=float(number)) if words.endswith("ms") else Budget(playouts=int(number))
