"""The table at the end of a deal: what every side laid, holds, took and closed. Plain data; nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from scorer.cards import Card
from scorer.readings import Binding

Pozzetto = Literal["played", "unplayed", "not_taken"]
POZZETTO: Final[tuple[Pozzetto, ...]] = ("played", "unplayed", "not_taken")


class MeldText(NamedTuple):
    """A meld as it was stated: a bag of cards, what some of them were said to stand for, and the words if any."""

    cards: tuple[Card, ...]
    bindings: tuple[Binding, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Hand:
    """Cards left in one player's hand (or in a whole side's, `player` None)."""

    cards: tuple[Card, ...]
    player: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the table. `pozzetto` None: not stated. `pozzetto_cards`: a pot taken but never played."""

    name: str
    players: tuple[str, ...] = ()
    melds: tuple[MeldText, ...] = ()
    hands: tuple[Hand, ...] = ()
    pozzetto: Pozzetto | None = None
    pozzetto_cards: tuple[Card, ...] = ()
    closed: bool = False
    closed_by: str | None = None

    def places(self) -> Iterator[tuple[str, tuple[Card, ...]]]:
        """Where this side's cards lie: the number of a meld, `hand` or `pot`, each with its cards."""
        for number, meld in enumerate(self.melds, 1):
            yield str(number), meld.cards
        for hand in self.hands:
            yield "hand", hand.cards
        if self.pozzetto_cards:
            yield "pot", self.pozzetto_cards


@dataclass(frozen=True, slots=True)
class Table:
    """Two or more sides, in seating order."""

    sides: tuple[Side, ...]
