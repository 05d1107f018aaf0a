"""A look at jokers with their surroundings: stars, crowns, letters, words that the classifier misjudges.

A joker's mark may be anything, so its box cannot be tight and its name cannot be read from the box alone: what tells
it is where it stands, alone in the corner of a card. A small network sees a square of some index heights round each
place that may be one, and says whether a joker's mark is in the middle, how far the middle is off, and how large it is.
It may add a joker that was taken for nothing, and it has half a say about every mark that the classifier calls one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vision.geometry import Array, Flags
from vision.types import CLASS_INDEX, CLASSES, JOKER, NONE, FloatArray, Image, IndexMark

Network = Callable[[FloatArray], Sequence[np.ndarray[Any, Any]]]

SIDE = 72
"""Pixels of the square that the network sees."""
SPAN = 3.6
"""Side of that square in index heights."""
NEIGHBOURS = 5
"""The indices nearest to a place say how tall an index is there."""
SURE = 0.9
"""A card's mark with this score is no joker; those from it on say how tall indices are and how cards lie."""
LEAST_SURE = 3
ADD = 0.5
"""A place that no mark explains becomes a joker's mark from this probability on; a lone one is doubted, see `cards`."""
TAKE = 0.9
"""A doubtful mark of a card becomes a joker's from this probability on, where it is likelier than the card."""
_SAME = 0.6
"""Places nearer than this share of the mark's size are one mark."""
_BATCH = 128
_LEAST = 1e-6
_LOG_SIZES = (-2.0, 2.0)
_JOKER, _NONE = CLASS_INDEX[JOKER], CLASS_INDEX[NONE]


@dataclass(frozen=True, eq=False)
class Looked:
    """What the network says of n places: probability (n,), middle (n, 2) and size (n,) of the mark in image pixels."""

    chance: Array
    middle: Array
    size: Array


def squares(image: Image, places: Array, tall: Array, side: int = SIDE, span: float = SPAN) -> Image:
    """Return (n, side, side, 3) BGR squares of `span` index heights round each place (n, 2), as the photo stands."""
    import cv2

    out = np.empty((len(places), side, side, 3), dtype=np.uint8)
    for number, (place, height) in enumerate(zip(places, tall, strict=True)):
        scale = side / (span * float(height))
        source = image
        if scale < 0.5:  # shrink the neighbourhood first, so that nothing aliases
            reach = 0.75 * span * float(height)
            most = np.array([image.shape[1], image.shape[0]])
            low = np.clip(np.floor(place - reach), 0, most - 1).astype(int)
            high = np.clip(np.ceil(place + reach), low + 1, most).astype(int)
            part = image[low[1] : high[1], low[0] : high[0]]
            share = 2 * scale
            size = max(1, round(part.shape[1] * share)), max(1, round(part.shape[0] * share))
            source = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
            scale /= share
            place = (place - low) * share
        move = np.array(
            [
                [scale, 0, side / 2 - 0.5 - scale * (place[0] - 0.5)],
                [0, scale, side / 2 - 0.5 - scale * (place[1] - 0.5)],
            ]
        )
        cv2.warpAffine(
            source, move, (side, side), dst=out[number], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return out


def local_heights(places: Array, middles: Array, heights: Array) -> Array:
    """Return the median height (n,) of the indices (middles (m, 2), heights (m,)) nearest to each place."""
    gaps = np.linalg.norm(places[:, None] - middles[None], axis=2)
    near = np.argsort(gaps, axis=1, kind="stable")[:, :NEIGHBOURS]
    return np.asarray(np.median(heights[near], axis=1), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class JokerEye:
    """The network with the square it was trained on: (n, 3, side, side) RGB 0..1 to (n, 4): `vision.train.joker`."""

    network: Network
    side: int = SIDE
    span: float = SPAN

    def look(self, image: Image, places: Array, tall: Array) -> Looked:
        """Judge places (n, 2) where indices are `tall` (n,) pixels high."""
        outputs = []
        for start in range(0, len(places), _BATCH):
            part = slice(start, start + _BATCH)
            cut = squares(image, places[part], tall[part], self.side, self.span)
            planes = np.ascontiguousarray(cut[..., ::-1].transpose(0, 3, 1, 2))
            outputs.append(self.network(np.multiply(planes, np.float32(1 / 255), dtype=np.float32))[0])
        said = np.concatenate([np.asarray(one, dtype=np.float64).reshape(-1, 4) for one in outputs])
        chance = 1 / (1 + np.exp(-np.clip(said[:, 0], -30, 30)))
        size = np.exp(np.clip(said[:, 3], *_LOG_SIZES)) * tall
        return Looked(chance, places + said[:, 1:3] * tall[:, None], size)


def look_for_jokers(eye: JokerEye, image: Image, marks: Sequence[IndexMark], boxes: FloatArray) -> list[IndexMark]:
    """Return the marks with jokers judged anew, and those added that lie at none of the marks.

    `boxes` (n, 4, 2) are all places that the detector proposed. Where too few indices are sure, nobody knows how
    large a joker's mark may be, and the marks stay as they are.
    """
    sure = sure_marks(marks)
    if len(sure) < LEAST_SURE:
        return list(marks)
    middles = np.array([mark.centre for mark in sure], dtype=np.float64)
    heights = np.array([mark.height for mark in sure], dtype=np.float64)
    own = [number for number, mark in enumerate(marks) if mark.best == JOKER or mark.score < SURE]
    free = _unexplained(boxes, marks)
    places = np.concatenate([np.array([marks[n].centre for n in own], dtype=np.float64).reshape(-1, 2), free])
    if len(places) == 0:
        return list(marks)
    looked = eye.look(image, places, local_heights(places, middles, heights))
    out = list(marks)
    for number, chance in zip(own, looked.chance.tolist(), strict=False):
        out[number] = _judged(marks[number], chance)
    jokers = [(mark.centre.astype(np.float64), mark.height) for mark in out if mark.best == JOKER]
    for number in np.argsort(-looked.chance[len(own) :], kind="stable") + len(own):
        chance, middle, size = float(looked.chance[number]), looked.middle[number], float(looked.size[number])
        if chance < ADD:
            break
        if any(np.linalg.norm(middle - place) < _SAME * max(size, tall) for place, tall in jokers):
            continue
        jokers.append((middle, size))
        nearest = sure[int(np.linalg.norm(middles - middle, axis=1).argmin())]
        out.append(_mark(middle, size, nearest, chance))
    return out


def sure_marks(marks: Sequence[IndexMark]) -> list[IndexMark]:
    """Return the marks that are no jokers and sure enough to say how tall indices are and how cards lie."""
    return [mark for mark in marks if mark.score >= SURE and mark.best not in (JOKER, NONE)]


def _unexplained(boxes: FloatArray, marks: Sequence[IndexMark]) -> Array:
    """Return the middles (n, 2) of the boxes that no mark covers, each once."""
    free = boxes[unexplained(boxes, marks)]
    return np.unique(np.round(free.mean(axis=1), 1), axis=0).astype(np.float64).reshape(-1, 2)


def unexplained(boxes: FloatArray, marks: Sequence[IndexMark]) -> Flags:
    """Return which (n,) of the boxes (n, 4, 2) have their middle farther than half its height from every mark's."""
    if len(marks) == 0 or len(boxes) == 0:
        return np.ones(len(boxes), dtype=bool)
    gaps = np.linalg.norm(boxes.mean(axis=1)[:, None] - np.array([mark.centre for mark in marks])[None], axis=2)
    return np.asarray((gaps > 0.5 * np.array([mark.height for mark in marks])).all(axis=1), dtype=bool)


def _judged(mark: IndexMark, chance: float) -> IndexMark:
    """Return a mark with what the look says of it: the mean, in log odds, of what it and the classifier give a joker.

    A doubtful mark of a card becomes a joker's where the look is surer than the classifier.
    """
    if mark.best == JOKER:
        named = float(np.clip(mark.probs[_JOKER], _LEAST, 1 - _LEAST))
        seen = min(max(chance, _LEAST), 1 - _LEAST)
        chance = 1 / (1 + math.sqrt((1 - named) / named * (1 - seen) / seen))
    elif chance < TAKE or chance < float(mark.probs.max()):
        return mark
    return replace(mark, probs=_probs(chance), score=chance)


def _probs(chance: float) -> FloatArray:
    probs = np.zeros(len(CLASSES), dtype=np.float32)
    probs[_JOKER], probs[_NONE] = chance, 1 - chance
    return probs


def _mark(middle: Array, size: float, nearest: IndexMark, chance: float) -> IndexMark:
    """Return a square mark that stands as the nearest index does."""
    down = (nearest.quad[[3, 2]] - nearest.quad[[0, 1]]).mean(axis=0).astype(np.float64)
    down *= size / 2 / max(float(np.linalg.norm(down)), 1e-6)
    right = np.array([down[1], -down[0]])
    quad = middle + np.array([-right - down, right - down, right + down, down - right])
    return IndexMark(quad.astype(np.float32), chance, _probs(chance))
