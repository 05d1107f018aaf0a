"""What is really on a synthetic table: the shared record between generator, reader, layout and evaluation.

Coordinates are float pixels of the image, x to the right, y down. A quad is four points in the order top-left,
top-right, bottom-right, bottom-left *of the object in its own upright orientation*: the edge from point 0 to point 1
is the object's top, so the orientation is read from the quad itself. Quads run clockwise on the screen, never mirrored.

Cards are named in the canonical notation: `7h 10d As JK`.

>>> t = TableTruth(100, 80, 7, ("d1",), {"tilt_deg": 12.0}, (), (), ())
>>> TableTruth.from_json(t.to_json()) == t
True
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
Role = Literal["meld", "hand", "discard", "loose"]
Layout = Literal["column", "row", "stairs", "fan", "pile"]

SUITS = "hdcs"
RANKS: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
JOKER = "JK"
NONE = "none"
CARDS: tuple[str, ...] = (*(rank + suit for suit in SUITS for rank in RANKS), JOKER)
CLASSES: tuple[str, ...] = (*CARDS, NONE)
"""The classifier's classes in order: 52 cards (suits h d c s, ranks A to K), the joker, then `none`."""

READABLE = 0.7
"""Share of an index that has to be visible for a card to count as readable."""


@dataclass(frozen=True)
class IndexTruth:
    """One index of one card: the tight box of rank glyph over suit glyph, or a joker's mark. `visible` is 0..1.

    `corner` of the card: 0 top left, then clockwise.
    """

    card_id: int
    corner: int
    card: str
    quad: Quad
    visible: float


@dataclass(frozen=True)
class CardTruth:
    """One face-up card. `visible` is the share of its area, `order` the place inside its meld, side 0 is near."""

    id: int
    card: str
    quad: Quad
    visible: float
    role: Role
    side: int | None
    meld: int | None
    order: int
    crosswise: bool


@dataclass(frozen=True)
class MeldTruth:
    """One meld: the ids of its cards in table order."""

    id: int
    side: int
    cards: tuple[int, ...]
    layout: Layout


@dataclass(frozen=True)
class TableTruth:
    """Everything known about one synthetic photograph; `conditions` names tilt_deg, light, blur, step and the like."""

    width: int
    height: int
    seed: int
    deck_ids: tuple[str, ...]
    conditions: dict[str, float | str]
    cards: tuple[CardTruth, ...]
    indices: tuple[IndexTruth, ...]
    melds: tuple[MeldTruth, ...]

    def readable(self, card: CardTruth | int) -> bool:
        """True when at least one index of the card (or card id) is visible to `READABLE` or more."""
        number = card if isinstance(card, int) else card.id
        return any(index.card_id == number and index.visible >= READABLE for index in self.indices)

    def to_json(self) -> str:
        """One line of JSON; coordinates are rounded to a hundredth of a pixel when the table is made, not here."""
        return json.dumps(
            {
                "width": self.width,
                "height": self.height,
                "seed": self.seed,
                "deck_ids": list(self.deck_ids),
                "conditions": self.conditions,
                "cards": [vars(card) for card in self.cards],
                "indices": [vars(index) for index in self.indices],
                "melds": [vars(meld) for meld in self.melds],
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> TableTruth:
        """The inverse of `to_json`. Raises ValueError with one line when the text is not such a record."""
        try:
            raw = json.loads(text)
            cards = tuple(CardTruth(**{**c, "quad": _quad(c["quad"])}) for c in raw["cards"])
            indices = tuple(IndexTruth(**{**i, "quad": _quad(i["quad"])}) for i in raw["indices"])
            melds = tuple(MeldTruth(**{**m, "cards": tuple(m["cards"])}) for m in raw["melds"])
            decks = tuple(raw["deck_ids"])
            return cls(raw["width"], raw["height"], raw["seed"], decks, raw["conditions"], cards, indices, melds)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"not a table truth: {error}") from error


def _quad(raw: Any) -> Quad:
    points = tuple((float(x), float(y)) for x, y in raw)
    if len(points) != 4:
        raise ValueError(f"not a table truth: a quad has 4 points, not {len(points)}")
    return points
