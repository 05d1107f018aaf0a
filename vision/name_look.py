"""A look at doubtful names with their surroundings: what stands beside an index helps to read it.

The classifier sees an index and nothing else. Where a card above hides the suit, or blur leaves two ranks alike, people
look at the pips of the card, its court figure, its neighbours. A small network sees an upright square of some index
heights round each doubtful mark and names it too; a name is a geometric mean of both opinions, since they see the
same pixels and their product would be too sure. Sure names are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.cutting import Pyramid, softmax, sure_names
from vision.joker_look import Network, unexplained
from vision.types import FloatArray, Image, IndexMark

SIDE = 96
"""Pixels of the square that the network sees."""
SPAN = 3.0
"""Side of that square in index heights."""
DOUBTED = 0.97
"""Marks with a lower score are looked at."""
WEIGHT = 0.6
"""Share of the look in what both opinions say of a doubtful name, in logarithms."""
_BATCH = 128
_LEAST = 1e-6


def upright_squares(photo: Image | Pyramid, quads: FloatArray, side: int = SIDE, span: float = SPAN) -> Image:
    """Return (n, side, side, 3) BGR squares of `span` index heights, turned so that each quad (n, 4, 2) stands upright.

    A quad's own up direction is that of the sum of its left and right sides; the square's middle is the quad's.
    """
    import cv2

    pyramid = photo if isinstance(photo, Pyramid) else Pyramid(photo)
    out = np.empty((len(quads), side, side, 3), dtype=np.uint8)
    for number, quad in enumerate(np.asarray(quads, dtype=np.float64)):
        down = (quad[[3, 2]] - quad[[0, 1]]).mean(axis=0)
        tall = max(float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean()), 1.0)
        down /= max(float(np.linalg.norm(down)), 1e-9)
        level = max(0, int(np.log2(max(1.0, span * tall / side))))
        middle = quad.mean(axis=0) / 2**level - 0.5
        scale = side / (span * tall) * 2**level
        turn = scale * np.array([[down[1], -down[0]], [down[0], down[1]]])
        move = np.column_stack([turn, side / 2 - 0.5 - turn @ middle])
        cv2.warpAffine(
            pyramid.level(level),
            move,
            (side, side),
            dst=out[number],
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return out


@dataclass(frozen=True, eq=False)
class NameEye:
    """The network with the square it was trained on: (n, 3, side, side) RGB 0..1 to logits (n, 54)."""

    network: Network
    side: int = SIDE
    span: float = SPAN
    temperature: float = 1.0

    def look(self, photo: Image | Pyramid, quads: FloatArray) -> FloatArray:
        """Return the probabilities (n, 54) of the marks in these quads (n, 4, 2)."""
        logits = []
        for start in range(0, len(quads), _BATCH):
            cut = upright_squares(photo, quads[start : start + _BATCH], self.side, self.span)
            planes = np.ascontiguousarray(cut[..., ::-1].transpose(0, 3, 1, 2))
            logits.append(np.asarray(self.network(np.multiply(planes, np.float32(1 / 255), dtype=np.float32))[0]))
        return softmax(np.concatenate(logits), self.temperature)


def look_at_names(eye: NameEye, image: Image, marks: Sequence[IndexMark]) -> list[IndexMark]:
    """Return the marks, the doubtful ones named anew by both opinions."""
    own = [number for number, mark in enumerate(marks) if mark.score < DOUBTED]
    out = list(marks)
    if not own:
        return out
    seen = eye.look(image, np.array([marks[number].quad for number in own], dtype=np.float32))
    for number, said in zip(own, seen, strict=True):
        probs = joined(marks[number].probs, said)
        out[number] = replace(marks[number], probs=probs, score=float(sure_names(probs[None])[0]))
    return out


def rejected(boxes: FloatArray, marks: Sequence[IndexMark]) -> FloatArray:
    """Return the proposals (n, 4, 2) that no mark explains: what the classifier took for nothing."""
    return np.asarray(boxes[unexplained(boxes, marks)], dtype=np.float32)


def joined(first: FloatArray, second: FloatArray, weight: float = WEIGHT) -> FloatArray:
    """Return the weighted geometric mean of two opinions (54,) or (n, 54), each summing to 1; `weight` the second's.

    >>> both = joined(np.array([0.5, 0.5], np.float32), np.array([0.8, 0.2], np.float32), 0.5)
    >>> [round(float(p), 3) for p in both]
    [0.667, 0.333]
    """
    logs = (1 - weight) * np.log(np.maximum(first, _LEAST)) + weight * np.log(np.maximum(second, _LEAST))
    weights = np.exp(logs.astype(np.float64))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True), dtype=np.float32)
