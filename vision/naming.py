"""Naming proposals: a tiny network sieves them, a classifier names what is left, and the sure ones get a second look.

A proposal is a quad that might be an index. Most are none, so a network of a fiftieth of the classifier's cost drops
those that look like nothing. The classifier names the others and says how far the quad's corners are off; what it takes
for an index is cut again at the mended corners and named once more. Importing this loads no onnxruntime and no OpenCV.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vision.cutting import Pyramid, softmax, sure_names
from vision.geometry import suppress
from vision.joker_look import JokerEye, Network
from vision.name_look import NameEye, joined, rejected
from vision.types import CLASS_INDEX, JOKER, FloatArray, Image, IndexMark

LEAST_SCORE = 0.5
"""A proposal that the classifier believes less is dropped."""
SECOND_LOOK = 0.2
"""Proposals believed at least this much are cut again at mended corners: a rough box is often doubted at first."""
SAME = 0.7
"""Overlap from which two proposals show the same: only the likelier is classified."""
RECONSIDERED = 0.8
"""A box that the classifier rejects is a mark after all where the look at names is this sure of a card."""
SURE, CLOSE = 0.98, 0.06
"""What is believed this much, and whose corners are this near in sizes of the box, needs no second look."""
_BATCH = 128
_MOST_MENDED = 0.6
"""Shares of the quad's width and height by which a corner is mended at most."""


class Found(NamedTuple):
    """Proposals in image pixels: quads (n, 4, 2) and scores (n,), 0 for those that the ink gave."""

    quads: FloatArray
    scores: FloatArray


@dataclass(frozen=True)
class ClassifierSpec:
    """How a crop is cut for the classifier: size in pixels, margins as shares of it, normalisation, temperature."""

    width: int
    height: int
    margin_x: float
    margin_y: float
    mean: tuple[float, float, float] = (0.0, 0.0, 0.0)
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)
    temperature: float = 1.0

    def inner(self) -> FloatArray:
        """(4, 2) corners of the quad inside its crop, in pixel edges."""
        left, top = self.margin_x * self.width, self.margin_y * self.height
        right, low = self.width - left, self.height - top
        return np.array([[left, top], [right, top], [right, low], [left, low]], dtype=np.float32)


@dataclass(frozen=True)
class Sieve:
    """The first, tiny network: crops to one logit of being an index; below `least` (0..1) a proposal is dropped."""

    network: Network
    spec: ClassifierSpec
    least: float


@dataclass(frozen=True, eq=False)
class Networks:
    """All that a photo is read with. `threshold` is the detector's score from which its own boxes count."""

    detector: Network
    classifier: Network
    spec: ClassifierSpec
    threshold: float
    sieve: Sieve | None = None
    joker: JokerEye | None = None
    names: NameEye | None = None


@dataclass(frozen=True, eq=False)
class Named:
    """What the classifier says of n proposals: probabilities (n, 54), of a right-hand corner (n,), corners' errors."""

    probs: FloatArray
    right: FloatArray | None
    offsets: FloatArray | None

    def of(self, rows: Any) -> Named:
        """Return a copy of what is said of some of the proposals."""
        right = None if self.right is None else self.right[rows].copy()
        return Named(self.probs[rows].copy(), right, None if self.offsets is None else self.offsets[rows].copy())

    def sure(self) -> FloatArray:
        """How far each proposal is believed to be an index whose name is known, 0..1."""
        return sure_names(self.probs)


def heights(quads: FloatArray) -> FloatArray:
    """Return the mean length (n,) of both upright sides of (n, 4, 2) quads."""
    sides = np.linalg.norm(quads[:, [3, 2]] - quads[:, [0, 1]], axis=2)
    return np.asarray(sides.mean(axis=1), dtype=np.float32)


def cut_pixels(image: Image | Pyramid, quads: FloatArray, spec: ClassifierSpec) -> Image:
    """Return (n, height, width, 3) BGR crops: each quad warped upright, with the spec's margins.

    Crops are cut from the full-resolution image, halved as often as keeps two source pixels per crop pixel at most,
    so that nothing aliases and nothing is read from fewer pixels than there are.
    """
    import cv2

    pyramid = image if isinstance(image, Pyramid) else Pyramid(image)
    inner = np.asarray(spec.inner() - 0.5, dtype=np.float32)
    crops = np.empty((len(quads), spec.height, spec.width, 3), dtype=np.uint8)
    shrinks = heights(quads) / (spec.height * (1 - 2 * spec.margin_y))
    for number, quad in enumerate(quads):
        level = max(0, int(math.log2(max(1.0, float(shrinks[number])))))
        source = (quad / np.float32(2**level) - 0.5).astype(np.float32)
        warp = cv2.getPerspectiveTransform(source, inner)
        cv2.warpPerspective(
            pyramid.level(level),
            warp,
            (spec.width, spec.height),
            dst=crops[number],
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return crops


def cut_crops(image: Image | Pyramid, quads: FloatArray, spec: ClassifierSpec) -> FloatArray:
    """Return (n, 3, height, width) normalised RGB crops of `cut_pixels`."""
    planes = np.ascontiguousarray(cut_pixels(image, quads, spec)[..., ::-1].transpose(0, 3, 1, 2))
    normal = np.multiply(planes, np.float32(1 / 255), dtype=np.float32)
    if any(spec.mean) or spec.std != (1.0, 1.0, 1.0):
        mean, std = np.asarray(spec.mean, np.float32), np.asarray(spec.std, np.float32)
        normal = (normal - mean[:, None, None]) / std[:, None, None]
    return np.asarray(normal, dtype=np.float32)


def sieved(networks: Networks, photo: Pyramid, found: Found) -> Found:
    """Drop the proposals that the first network takes for nothing, and of nearly equal ones all but the likeliest.

    All stay where there is no such network.
    """
    sieve = networks.sieve
    if sieve is None or len(found.quads) == 0:
        return found
    logits = [
        np.asarray(sieve.network(cut_crops(photo, found.quads[start : start + 512], sieve.spec))[0]).reshape(-1)
        for start in range(0, len(found.quads), 512)
    ]
    logit = np.concatenate(logits)
    rows = np.flatnonzero(logit >= math.log(sieve.least / (1 - sieve.least)))
    quads = np.asarray(found.quads[rows], dtype=np.float64)
    keep = rows[suppress(quads, np.asarray(logit[rows], dtype=np.float64), union=SAME, inside=1.1)]
    return Found(found.quads[keep], found.scores[keep])


def classified(networks: Networks, photo: Image | Pyramid, quads: FloatArray) -> Named:
    """Name every quad."""
    probs, right, offsets = [], [], []
    for start in range(0, len(quads), _BATCH):
        outputs = networks.classifier(cut_crops(photo, quads[start : start + _BATCH], networks.spec))
        probs.append(softmax(np.asarray(outputs[0], dtype=np.float32), networks.spec.temperature))
        if len(outputs) > 1:
            logit = np.clip(np.asarray(outputs[1], dtype=np.float32).reshape(-1), -30, 30)
            right.append(1 / (1 + np.exp(-logit)))
        if len(outputs) > 2:
            offsets.append(np.asarray(outputs[2], dtype=np.float32).reshape(-1, 4, 2))
    return Named(
        np.concatenate(probs),
        np.concatenate(right) if right else None,
        np.concatenate(offsets) if offsets else None,
    )


def mended(quads: FloatArray, offsets: FloatArray, spec: ClassifierSpec) -> FloatArray:
    """Move corners by `offsets` (n, 4, 2), which are in widths and heights of the quad, seen upright.

    >>> square = np.array([[[0, 0], [10, 0], [10, 20], [0, 20]]], dtype=np.float32)
    >>> mended(square, np.full((1, 4, 2), 0.1, dtype=np.float32), ClassifierSpec(48, 96, 0.22, 0.17))[0].tolist()
    [[1.0, 2.0], [11.0, 2.0], [11.0, 22.0], [1.0, 22.0]]
    """
    import cv2

    inner = spec.inner()
    size = inner[2] - inner[0]
    moved = inner + np.clip(offsets, -_MOST_MENDED, _MOST_MENDED) * size
    out = np.empty_like(quads)
    for number, quad in enumerate(quads):
        warp = cv2.getPerspectiveTransform(inner, np.asarray(quad, dtype=np.float32))
        out[number] = cv2.perspectiveTransform(moved[number][None], warp)[0]
    return np.asarray(np.round(out, 3), dtype=np.float32)


def name_proposals(networks: Networks, image: Image, found: Found) -> list[IndexMark]:
    """Name all proposals; of overlapping ones the surest stays. A mark's score is how sure its name is."""
    photo = Pyramid(image)
    found = sieved(networks, photo, found)
    if len(found.quads) == 0:
        return []
    named = classified(networks, photo, found.quads)
    if named.offsets is not None:
        found, named = _second_look(networks, photo, found, named)
    rows = np.flatnonzero(named.sure() >= LEAST_SCORE)
    kept = rows[_surest(found, named, rows, 0.2, 0.5)]
    sure = named.sure()
    return [
        IndexMark(
            np.asarray(found.quads[k], dtype=np.float32),
            float(sure[k]),
            named.probs[k],
            None if named.right is None else float(named.right[k]),
        )
        for k in kept.tolist()
    ]


def reconsidered(networks: Networks, image: Image, marks: Sequence[IndexMark], boxes: FloatArray) -> list[IndexMark]:
    """Return the marks, and what the look at names is sure of among the boxes (n, 4, 2) that the classifier rejected.

    A rank whose suit a card hides, or a letter drawn over its suit, is nothing to the classifier; beside a court figure
    or pips it is a card. Such a box is rough, so it is looked at twice, the second time at mended corners. Jokers are
    left to `vision.joker_look`.
    """
    others = rejected(boxes, marks)
    if networks.names is None or len(others) == 0:
        return list(marks)
    photo = Pyramid(image)
    said = networks.names.look(photo, others)
    rows = np.flatnonzero(_sure_cards(said) >= 0.5)
    if len(rows) == 0:
        return list(marks)
    named = classified(networks, photo, others[rows])
    quads = others[rows] if named.offsets is None else mended(others[rows], named.offsets, networks.spec)
    probs = joined(said[rows], networks.names.look(photo, quads), 0.5)
    sure = _sure_cards(probs)
    likely = np.flatnonzero(sure >= RECONSIDERED)
    kept = likely[
        suppress(others[rows[likely]].astype(np.float64), sure[likely].astype(np.float64), union=0.2, inside=0.5)
    ]
    right = [None] * len(rows) if named.right is None else named.right.tolist()
    return [*marks, *(IndexMark(quads[k], float(sure[k]), probs[k], right[k], late=True) for k in kept.tolist())]


def _sure_cards(probs: FloatArray) -> FloatArray:
    """Return (n,) how far each is believed to be a card whose name is known; 0 where nothing or a joker is likelier."""
    card = probs.argmax(axis=1) < CLASS_INDEX[JOKER]
    return np.where(card, sure_names(probs), np.float32(0))


def _surest(found: Found, named: Named, rows: Any, union: float, inside: float) -> list[int]:
    """Of overlapping proposals the surest stays; ink boxes are tighter than the network's, so they win ties."""
    order = named.sure()[rows] + 0.05 * (found.scores[rows] == 0)
    return suppress(np.asarray(found.quads[rows], dtype=np.float64), order, union=union, inside=inside)


def _second_look(networks: Networks, photo: Pyramid, found: Found, named: Named) -> tuple[Found, Named]:
    """Cut the likely proposals again at mended corners; a name is what both looks say together.

    The corners of all are mended; only those that are sure and hardly moved are not named again.
    """
    if named.offsets is None:
        return found, named
    rows = np.flatnonzero(named.sure() >= SECOND_LOOK)
    rows = rows[_surest(found, named, rows, 0.45, 0.8)]
    first = named.of(rows)
    if len(rows) == 0 or first.offsets is None:
        return Found(found.quads[rows], found.scores[rows]), first
    quads = mended(found.quads[rows], first.offsets, networks.spec)
    doubtful = np.flatnonzero((first.sure() < SURE) | (np.abs(first.offsets).max(axis=(1, 2)) > CLOSE))
    if len(doubtful):
        again = classified(networks, photo, quads[doubtful])
        both = np.sqrt(first.probs[doubtful] * again.probs)
        first.probs[doubtful] = both / both.sum(axis=1, keepdims=True)
        if first.right is not None and again.right is not None:
            first.right[doubtful] = (first.right[doubtful] + again.right) / 2
    return Found(quads, found.scores[rows]), first
