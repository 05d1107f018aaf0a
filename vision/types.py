"""Records shared by every step of the photo reader: index marks and the cards made of them.

All coordinates are float pixels of the upright image (EXIF applied), x right, y down. A quad is four points in the
order top-left, top-right, bottom-right, bottom-left *of the object in its own upright orientation*, so the edge
from point 0 to point 1 is the object's top; on screen the order is clockwise, never mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]

SUITS = ("h", "d", "c", "s")
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
JOKER = "JK"
NONE = "none"
CARDS: tuple[str, ...] = (*(rank + suit for suit in SUITS for rank in RANKS), JOKER)
"""The 53 faces a photo can show: suits h d c s, in each the ranks A to K, then the joker."""
CLASSES: tuple[str, ...] = (*CARDS, NONE)
"""The 54 classes of an index mark: the 53 faces, then "none" (not an index at all)."""
CLASS_INDEX: dict[str, int] = {name: number for number, name in enumerate(CLASSES)}


@dataclass(frozen=True, eq=False)
class IndexMark:
    """One detected index: the rank glyph over the suit glyph in a corner of a card (or a joker's corner mark).

    `quad` is (4, 2) pixels, the tight box around both glyphs; `score` is the detector's confidence in 0..1;
    `probs` is (54,) over CLASSES, calibrated, summing to 1. `right` is the probability, where the reader knows it,
    that the index sits in a right-hand corner seen in its own upright view (its card's body lies to the left): true
    of two of the four corners of a four-corner deck, never of a two-corner deck. `late` marks are those that only a
    second thought found: where a card of the same face lies already, they are one of its corners badly seen.

    >>> mark = IndexMark.of("7h", [(0, 0), (10, 0), (10, 20), (0, 20)])
    >>> mark.best, mark.height
    ('7h', 20.0)
    """

    quad: FloatArray
    score: float
    probs: FloatArray
    right: float | None = None
    late: bool = False

    @classmethod
    def of(cls, card: str, quad: Any, score: float = 1.0, sure: float = 1.0) -> IndexMark:
        """Return a mark that says `card` with probability `sure`, the rest spread evenly over the other classes."""
        probs = np.full(len(CLASSES), (1.0 - sure) / (len(CLASSES) - 1), dtype=np.float32)
        probs[CLASS_INDEX[card]] = sure
        return cls(np.asarray(quad, dtype=np.float32).reshape(4, 2), score, probs)

    @property
    def best(self) -> str:
        """Name of the most probable class, which may be "none"."""
        return CLASSES[int(np.argmax(self.probs))]

    @property
    def centre(self) -> FloatArray:
        """(2,) pixel position of the middle of the quad."""
        return np.asarray(self.quad.mean(axis=0), dtype=np.float32)

    @property
    def height(self) -> float:
        """Length in pixels of the box along the index's own up direction (mean of both sides)."""
        sides = np.linalg.norm(self.quad[[3, 2]] - self.quad[[0, 1]], axis=1)
        return float(sides.mean())


@dataclass(frozen=True, eq=False)
class CardSeen:
    """One physical card of the photo, with an honest confidence.

    `card` is the most probable face and `confidence` its calibrated probability in 0..1; `alternatives` are the next
    best faces with their probabilities, best first. `quad` is the estimated outline (4, 2) and may reach outside the
    image; `box` is its bounding box (x, y, width, height) clipped to the image. `up` is a unit vector of the card's
    up direction, whose sign is ambiguous on cards that look the same turned round; `height_px` is the length of the
    card's long side.
    """

    card: str
    confidence: float
    alternatives: tuple[tuple[str, float], ...]
    marks: tuple[IndexMark, ...]
    quad: FloatArray
    box: tuple[float, float, float, float]
    up: FloatArray
    height_px: float


@dataclass(frozen=True, eq=False)
class CardsSeen:
    """All cards of one photo; `notices` are codes of what the reader could not do well (small, dark, ...)."""

    cards: tuple[CardSeen, ...]
    width: int
    height: int
    notices: tuple[str, ...] = ()


class Detector(Protocol):
    """Finds and classifies the card indices of a photo."""

    def detect(self, image: Image) -> list[IndexMark]:
        """Return the index marks of a (height, width, 3) BGR uint8 image, strongest first."""
        ...
