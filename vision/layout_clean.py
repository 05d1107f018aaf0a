"""Detections that cannot be cards: below the reader's own threshold, or contradicting a surer card.

Of two cards that overlap one lies on top, and its body hides what is under it. So when an index of each lies well
inside the body of the other, one of the two is no card (a pip, a court's ornament, a number on a score sheet).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from vision.geometry import Array, Flags, TablePlane
from vision.layout import Flat, flatten, plane_of
from vision.layout_bodies import settle_bodies
from vision.types import JOKER, CardsSeen

GUESS_CONFIDENCE = 0.25
"""Below it a detection is noise; above it a guess that its neighbours may confirm (`vision.cards` reads from 0.5)."""
_SHRINK_ACROSS = 0.86
_SHRINK_ALONG = 0.9
"""An index inside the body shrunk by these is well inside it."""
_MOST_CARDS = 160
_BEYOND_DOUBT = 3.0
"""Log odds (one index at 0.95, or two) from which a card stays: then it is its place that was misjudged."""


def prepare(seen: CardsSeen) -> tuple[CardsSeen, TablePlane]:
    """What `vision.layout_bodies` and `clean` make of a photo's cards, and the table plane they lie in."""
    plane = plane_of(seen)
    return clean(settle_bodies(seen, plane), plane=plane)[0], plane


def clean(
    seen: CardsSeen, least: float = GUESS_CONFIDENCE, plane: TablePlane | None = None
) -> tuple[CardsSeen, tuple[int, ...]]:
    """Return the cards that can stand, and the numbers (into `seen.cards`) of those left out for contradiction."""
    order = sorted(range(len(seen.cards)), key=lambda n: -seen.cards[n].confidence)
    sure = sorted(n for n in order[:_MOST_CARDS] if seen.cards[n].confidence >= least)
    kept_seen = replace(seen, cards=tuple(seen.cards[n] for n in sure))
    if len(sure) < 3:
        return kept_seen, ()
    flat = flatten(kept_seen, plane)
    clash = _clashes(kept_seen, flat)
    worth = [_worth(kept_seen, n) for n in range(len(sure))]
    kept: list[int] = []
    dropped: list[int] = []
    for n in sorted(range(len(sure)), key=lambda n: (-worth[n], seen.cards[sure[n]].card, *flat.centre[n].tolist())):
        if worth[n] < _BEYOND_DOUBT and any(clash[n, other] for other in kept):
            dropped.append(sure[n])
        else:
            kept.append(n)
    kept.sort()
    return replace(seen, cards=tuple(kept_seen.cards[n] for n in kept)), tuple(sorted(dropped))


def _worth(seen: CardsSeen, number: int) -> float:
    """How surely a detection is a card: its confidence and every further index that agrees on it."""
    card = seen.cards[number]
    sure = min(0.999, card.confidence)
    return math.log(sure / (1 - sure)) + 2.5 * (len(card.marks) - 1) - (2.0 if card.card == JOKER else 0.0)


def _clashes(seen: CardsSeen, flat: Flat) -> Flags:
    """(n, n) which pairs of cards have an index inside each other's body."""
    count = len(seen.cards)
    inside = np.zeros((count, count), dtype=bool)
    right = flat.right
    for number in range(count):
        points = _points(flat, number)
        if len(points) == 0:
            continue
        offset = points[None] - flat.centre[:, None]
        across = np.abs(np.einsum("nkd,nd->nk", offset, right)) < flat.aspect / 2 * _SHRINK_ACROSS
        along = np.abs(np.einsum("nkd,nd->nk", offset, flat.down)) < _SHRINK_ALONG / 2
        inside[number] = (across & along).any(axis=1)
    both: Flags = inside & inside.T
    np.fill_diagonal(both, False)
    return both


def _points(flat: Flat, number: int) -> Array:
    """The middles of a card's visible indices in the plane."""
    marks = flat.marks[number]
    return np.asarray(flat.centre[number] + marks[:, :1] * flat.right[number] + marks[:, 1:] * flat.down[number])
