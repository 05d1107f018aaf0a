"""Card stock round a mark: a star, a word or a picture is a joker's only where it lies on a card like the others.

The frame of pixels just round a joker's mark is compared with those round the sure indices that lie nearest: paper of
the same light. On cloth, on a hand or inside a court card's picture it differs, and such a mark becomes a doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.geometry import Array
from vision.types import CLASS_INDEX, JOKER, NONE, FloatArray, Image, IndexMark

_FRAME = 0.35
"""Width of the frame round a mark, as a share of the mark's shorter side."""
_GRID = 24
_NEAREST, _LEAST_SURE = 7, 4
"""Sure indices whose paper is asked, at most and at least."""
_SURE = 0.97
"""Indices from this score on show what paper looks like; a joker's mark from it on needs no paper."""
_ALIKE = 30.0
"""Levels by which paper of one table differs near by, in its worst channel."""
_LEAST_PAPER = 0.6
"""Share of the frame that has to be paper. On 26 held-out tables true lone marks have 0.74 and more where they are less
than sure (one in five has 0.55), false ones 0.1 to 0.53 in four cases of six."""
_DOUBT = 0.45
"""Probability of being nothing that a mark off card stock gets: alone it is a doubt, two together still are a card."""


def doubt_off_stock(image: Image, marks: Sequence[IndexMark]) -> list[IndexMark]:
    """Return the marks, those of jokers that are neither sure nor surrounded by the other cards' paper made doubts."""
    joker = CLASS_INDEX[JOKER]
    sure = [mark for mark in marks if mark.score >= _SURE and mark.best not in (JOKER, NONE)]
    unsure = [mark for mark in marks if mark.score < _SURE and int(mark.probs.argmax()) == joker]
    if len(sure) < _LEAST_SURE or not unsure:
        return list(marks)
    places = np.array([mark.centre for mark in sure])
    doubts = set()
    for mark in unsure:
        near = np.linalg.norm(places - mark.centre, axis=1).argsort(kind="stable")[:_NEAREST]
        paper = np.median([np.median(_frame(image, sure[n].quad), axis=0) for n in near.tolist()], axis=0)
        share = (np.abs(_frame(image, mark.quad) - paper).max(axis=1) < _ALIKE).mean()
        if share < _LEAST_PAPER:
            doubts.add(id(mark))
    return [_doubted(mark) if id(mark) in doubts else mark for mark in marks]


def _frame(image: Image, quad: FloatArray) -> Array:
    """Return the pixels (n, 3) of the frame round a quad; those outside the photo are its border's."""
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    wide, tall = float(np.linalg.norm(right)), float(np.linalg.norm(down))
    edge = _FRAME * min(wide, tall)
    across, along = 0.5 + edge / max(wide, 1e-6), 0.5 + edge / max(tall, 1e-6)
    ys, xs = np.meshgrid(np.linspace(-along, along, _GRID), np.linspace(-across, across, _GRID), indexing="ij")
    outside = (np.abs(xs) > 0.5) | (np.abs(ys) > 0.5)
    points = quad.mean(axis=0) + xs[outside][:, None] * right + ys[outside][:, None] * down
    cells = np.clip(np.rint(points).astype(np.int64), 0, (image.shape[1] - 1, image.shape[0] - 1))
    return np.asarray(image[cells[:, 1], cells[:, 0]], dtype=np.float64)


def _doubted(mark: IndexMark) -> IndexMark:
    none = CLASS_INDEX[NONE]
    if mark.probs[none] >= _DOUBT:
        return mark
    probs = mark.probs * np.float32((1 - _DOUBT) / (1 - float(mark.probs[none])))
    probs[none] = _DOUBT
    return replace(mark, probs=np.asarray(probs, dtype=np.float32))
