"""Finding card indices in a photo: candidates from a network, named by a classifier, doubtful ones looked at again.

The network proposes oriented index boxes in passes chosen by card size; where asked for, `vision.ink` also proposes the
boxes of all pairs of blobs that could be a rank over a suit. Every proposal is classified from full-resolution pixels,
most are none, and of proposals that overlap the surest stays. `vision.name_look` then names doubtful ones anew, and
`vision.joker_look` judges what may be a joker's mark. `OnnxDetector` runs the project's own networks with onnxruntime;
`FakeDetector` replays given marks, for tests and for programs that have their own eyes. Importing this module loads
neither onnxruntime nor OpenCV.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vision.geometry import Flags, suppress
from vision.images import resized
from vision.ink import ink_candidates
from vision.joker_look import Network, look_for_jokers
from vision.name_look import look_at_names
from vision.naming import ClassifierSpec, Found, Networks, heights, name_proposals, reconsidered
from vision.types import FloatArray, Image, IndexMark
from vision.weights import bad_weights, load_networks

BASE_SIDE = 1280
"""Network pixels of the long side in the first pass over the whole photo."""
MAX_ENLARGE = 2.5
"""A small photo is enlarged at most this much: beyond it there is nothing left to see."""
SMALL_INDEX = 26.0
"""Network pixels: indices below this (cards below about 90 px) ask for a second pass with tiles."""
LARGE_INDEX = 120.0
"""Network pixels: indices above this ask for a second, smaller pass."""
TARGET_INDEX = 42.0
"""Network pixels an index should have in the second pass."""
TILE = 960
TILE_PIXELS = 5_000_000
"""Network pixels that all tiles of one photo may have together: bounds the time of the second pass."""
STRIDE = 32
PAD = 114
PROPOSE = 0.2
"""The network's boxes from this score on are classified: weak ones are welcome, the classifier decides."""
HINT = 0.12
"""Ink is believed only near a place that the network gave at least this score. Chosen with PROPOSE on ten
held-out tables: 0.05 and 0.1 gave recall 0.964 and precision 0.962, 0.12 and 0.2 gave 0.964 and 0.967."""
_SIZE_SCORE = 0.25
"""Boxes of the network from this score on tell how large indices are."""
_STAR_SIZE, _STAR_REACH = 0.9, 6.0
"""Height of a joker's star, and its distance from the nearest index, in index heights, at most."""
MOST_INK = 1200
"""Ink candidates classified at most: bounds the time on patterned cloth; those like the network's come first."""


class FakeDetector:
    """Replays the same marks for every photo: what the reader would do with exactly these detections.

    >>> mark = IndexMark.of("7h", [(0, 0), (10, 0), (10, 20), (0, 20)])
    >>> [m.best for m in FakeDetector([mark]).detect(np.zeros((80, 80, 3), np.uint8))]
    ['7h']
    """

    def __init__(self, marks: Iterable[IndexMark]) -> None:
        self._marks = list(marks)

    def detect(self, image: Image) -> list[IndexMark]:
        """Return the marks given at construction, whatever the image shows."""
        return list(self._marks)


class Pass(NamedTuple):
    """One run of the detection network: the window (left, top, right, bottom) in image pixels, and its scale."""

    window: tuple[int, int, int, int]
    scale: float


def base_pass(width: int, height: int) -> Pass:
    """Return the pass over the whole photo.

    >>> base_pass(4032, 3024).scale * 4032
    1280.0
    """
    return Pass((0, 0, width, height), min(BASE_SIDE / max(width, height), MAX_ENLARGE))


def further_passes(width: int, height: int, found: Found, base: Pass) -> list[Pass]:
    """Return the second look that the first pass asks for: tiles for small cards, a smaller pass for huge ones.

    Where nothing was found, cards may be either: a smaller pass and tiles over the whole photo.
    """
    whole = (0, 0, width, height)
    if len(found.quads) == 0:
        finer = _tiles(whole, min(base.scale * 2.0, MAX_ENLARGE))
        return [Pass(whole, base.scale * 0.4), *(finer if finer and finer[0].scale > base.scale * 1.2 else [])]
    tall = heights(found.quads) * base.scale
    typical = float(np.median(tall))
    if typical > LARGE_INDEX:
        return [Pass(whole, base.scale * TARGET_INDEX * 1.5 / typical)]
    if typical >= SMALL_INDEX:
        return []
    scale = min(base.scale * TARGET_INDEX / typical, MAX_ENLARGE, max(1.0, base.scale * 2.0))
    if scale < base.scale * 1.2:
        return []
    reach = 12.0 * typical / base.scale
    corners = found.quads.reshape(-1, 2)
    low, high = corners.min(axis=0) - reach, corners.max(axis=0) + reach
    window = (
        max(0, int(low[0])),
        max(0, int(low[1])),
        min(width, math.ceil(high[0])),
        min(height, math.ceil(high[1])),
    )
    return _tiles(window, scale)


def _tiles(window: tuple[int, int, int, int], scale: float) -> list[Pass]:
    """Cover a window with overlapping tiles, at a scale reduced until they fit the budget."""
    left, top, right, bottom = window
    wide, tall = right - left, bottom - top
    scale = min(scale, math.sqrt(TILE_PIXELS / max(1, wide * tall)))
    side, overlap = TILE / scale, 4.0 * TARGET_INDEX / scale
    passes = []
    for y0, y1 in _spans(top, bottom, side, overlap):
        for x0, x1 in _spans(left, right, side, overlap):
            passes.append(Pass((x0, y0, x1, y1), scale))
    return passes


def _spans(start: int, stop: int, side: float, overlap: float) -> list[tuple[int, int]]:
    """Cut [start, stop) into equal spans of at most about `side` pixels that share `overlap` pixels."""
    length = stop - start
    count = 1 if length <= side * 1.15 else math.ceil((length - overlap) / (side - overlap))
    span = (length + (count - 1) * overlap) / count
    starts = [start + number * (span - overlap) for number in range(count)]
    return [(int(first), min(stop, math.ceil(first + span))) for first in starts]


def letterbox(image: Image, one: Pass) -> FloatArray:
    """Return the network input (1, 3, H, W), RGB 0..1: the window scaled, top left, padded to multiples of 32."""
    left, top, right, bottom = one.window
    part = image[top:bottom, left:right]
    wide = max(1, round(part.shape[1] * one.scale))
    tall = max(1, round(part.shape[0] * one.scale))
    part = resized(part, wide, tall)
    canvas = np.full((-(-tall // STRIDE) * STRIDE, -(-wide // STRIDE) * STRIDE, 3), PAD, dtype=np.uint8)
    canvas[:tall, :wide] = part
    planes = np.ascontiguousarray(canvas[..., ::-1].transpose(2, 0, 1))
    return np.asarray(np.multiply(planes, np.float32(1 / 255), dtype=np.float32)[None], dtype=np.float32)


def decode(output: np.ndarray[Any, Any], threshold: float) -> Found:
    """Read a YOLO pose head of one class with four keypoints: raw (1, 5 + 4k, n) or end to end (1, n, 6 + 4k)."""
    table = np.asarray(output, dtype=np.float32)[0]
    if table.shape[0] in (13, 17) and table.shape[1] not in (14, 18):
        rows, lead = table.T, 5
    elif table.shape[1] in (14, 18):
        rows, lead = table, 6
    else:
        raise bad_weights(Path("detector"), f"has an output of shape {output.shape}, not a pose head")
    rows = rows[rows[:, 4] >= threshold]
    rows = rows[np.argsort(-rows[:, 4], kind="stable")[:2000]]
    per_point = (rows.shape[1] - lead) // 4
    points = rows[:, lead:].reshape(-1, 4, per_point)[:, :, :2]
    return Found(np.ascontiguousarray(points), np.ascontiguousarray(rows[:, 4]))


def _inside_window(found: Found, one: Pass, width: int, height: int) -> Found:
    """Move detections to image pixels; drop those that a tile's inner border cuts (another tile has them whole)."""
    left, top, right, bottom = one.window
    quads = found.quads / one.scale + np.array([left, top], dtype=np.float32)
    low, high = quads.min(axis=1), quads.max(axis=1)
    edge = 2.0 / one.scale
    keep = np.ones(len(quads), dtype=bool)
    if left > 0:
        keep &= low[:, 0] > left + edge
    if top > 0:
        keep &= low[:, 1] > top + edge
    if right < width:
        keep &= high[:, 0] < right - edge
    if bottom < height:
        keep &= high[:, 1] < bottom - edge
    tall = np.linalg.norm(quads[:, [3, 2]] - quads[:, [0, 1]], axis=2).mean(axis=1)
    keep &= tall * one.scale >= 6.0
    return Found(quads[keep], found.scores[keep])


class OnnxDetector:
    """The reader: a pose network finds oriented index boxes, a classifier names each; doubtful names and jokers get
    a look with their surroundings.

    `ink` adds the boxes that the ink itself proposes: a few more cards, twice the time.

    `folder` holds `classes.json` and the ONNX files it names (default: the weights that ship). Files are read and
    their sha256 is checked at the first photo; a missing, changed or foreign file raises VisionError.
    """

    def __init__(
        self, folder: Path | None = None, *, threads: int = 2, threshold: float | None = None, ink: bool = False
    ) -> None:
        self._folder = folder
        self._threads = threads
        self._threshold = threshold
        self._ink = ink
        self._loaded: Networks | None = None

    @classmethod
    def of_networks(
        cls, detector: Network, classifier: Network, spec: ClassifierSpec, threshold: float = 0.25, ink: bool = False
    ) -> OnnxDetector:
        """Build a detector on two functions from network input to outputs, in place of ONNX files."""
        made = cls(ink=ink)
        made._loaded = Networks(detector, classifier, spec, threshold)
        return made

    def detect(self, image: Image) -> list[IndexMark]:
        """Return the index marks of a BGR image, strongest first. Deterministic for the same weights and image."""
        return self.detect_timed(image)[0]

    def detect_timed(self, image: Image) -> tuple[list[IndexMark], dict[str, float]]:
        """Return the marks and the seconds spent in `load`, `detect` (of these in the bare `network`), `ink` and
        `classify`, with the number of `passes` of the network and of `candidates` proposed.
        """
        started = time.perf_counter()
        networks = self._networks()
        loaded = time.perf_counter()
        network: list[float] = []
        passes, found, hints = self._looked(networks, image, network)
        detected, boxes = time.perf_counter(), found.quads
        if self._ink:
            found = _joined(found, _near(ink_candidates(image, sizes=_sizes(found)), hints, found))
        inked = time.perf_counter()
        marks = name_proposals(networks, image, found)
        if networks.names is not None:
            marks = look_at_names(networks.names, image, marks)
        if networks.joker is not None:
            marks = look_for_jokers(networks.joker, image, marks, boxes)
        marks = reconsidered(networks, image, marks, boxes)
        done = time.perf_counter()
        times = {
            "load": loaded - started,
            "detect": detected - loaded,
            "network": sum(network),
            "ink": inked - detected,
            "classify": done - inked,
            "passes": float(passes),
            "candidates": float(len(found.quads)),
        }
        return marks, times

    def proposals(self, image: Image) -> Found:
        """Return all that would be named: the network's boxes both ways up and the ink's near them."""
        _, found, hints = self._looked(self._networks(), image, [])
        return _joined(found, _near(ink_candidates(image, sizes=_sizes(found)), hints, found)) if self._ink else found

    def _looked(self, networks: Networks, image: Image, spent: list[float]) -> tuple[int, Found, FloatArray]:
        """Return the number of passes, the network's boxes, and the places (n, 2) where it saw anything at all.

        The seconds of each run of the bare network are added to `spent`.
        """
        height, width = image.shape[:2]
        base = base_pass(width, height)
        parts = [self._run(networks, image, base, spent)]
        passes = further_passes(width, height, _strong(_thinned(parts), networks.threshold), base)
        parts.extend(self._run(networks, image, one, spent) for one in passes)
        hints = np.concatenate([part.quads.mean(axis=1) for part in parts])
        found = _thinned([_strong(part, min(PROPOSE, networks.threshold)) for part in parts])
        return 1 + len(passes), _both_ways(found), hints

    def _run(self, networks: Networks, image: Image, one: Pass, spent: list[float]) -> Found:
        batch = letterbox(image, one)
        started = time.perf_counter()
        output = networks.detector(batch)[0]
        spent.append(time.perf_counter() - started)
        height, width = image.shape[:2]
        return _inside_window(decode(output, min(HINT, networks.threshold)), one, width, height)

    def _networks(self) -> Networks:
        if self._loaded is None:
            loaded = load_networks(self._folder, self._threads)
            self._loaded = loaded if self._threshold is None else replace(loaded, threshold=self._threshold)
        return self._loaded


def _thinned(parts: Sequence[Found]) -> Found:
    """Join the passes; of detections of the same index only the strongest stays."""
    quads = np.concatenate([part.quads for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    keep = suppress(np.asarray(quads, dtype=np.float64), np.asarray(scores, dtype=np.float64))
    return Found(quads[keep], scores[keep])


def _strong(found: Found, least: float) -> Found:
    keep = found.scores >= least
    return Found(found.quads[keep], found.scores[keep])


def _near(ink: FloatArray, hints: FloatArray, found: Found) -> FloatArray:
    """Return the ink candidates whose middle lies within 0.7 of their height from a hint; all when there is none.

    Square ones are stars of jokers, which the network does not see well: where they are smaller than an index and lie
    no farther than a card from one, they need no hint.
    """
    if len(hints) == 0 or len(ink) == 0:
        return ink
    tall, middles = heights(ink), ink.mean(axis=1)
    keep: Flags = np.zeros(len(ink), dtype=bool)
    sure = found.quads[found.scores >= _SIZE_SCORE]
    if len(sure):
        typical = float(np.median(heights(sure)))
        star = (np.linalg.norm(ink[:, 1] - ink[:, 0], axis=1) > tall / 1.2) & (tall < _STAR_SIZE * typical)
        gaps = np.linalg.norm(middles[star][:, None] - sure.mean(axis=1)[None], axis=2)
        keep[star] = gaps.min(axis=1) < _STAR_REACH * typical
    for start in range(0, len(ink), 500):
        part = slice(start, start + 500)
        gaps = np.linalg.norm(middles[part][:, None] - hints[None], axis=2)
        keep[part] |= gaps.min(axis=1) < 0.7 * tall[part]
    return np.asarray(ink[keep], dtype=np.float32)


def _sizes(found: Found) -> tuple[float, float] | None:
    """Return the least and greatest height of an index on this photo, a tenth at each end left out; None if unsure."""
    tall = heights(found.quads)[found.scores >= _SIZE_SCORE]
    if len(tall) < 16:
        return None
    return 0.7 * float(np.quantile(tall, 0.1)), 1.5 * float(np.quantile(tall, 0.9))


def _both_ways(found: Found) -> Found:
    """Offer every box upside down too: a network learns where an index is long before it learns which end is up."""
    turned = found.quads[:, [2, 3, 0, 1]]
    return Found(np.concatenate([found.quads, turned]), np.concatenate([found.scores, found.scores]))


def _joined(found: Found, ink: FloatArray) -> Found:
    """Add ink candidates to the network's; beyond MOST_INK those nearest in size to the network's come first."""
    if len(ink) > MOST_INK:
        if len(found.quads):
            typical = float(np.median(np.log(heights(found.quads))))
            ink = ink[np.argsort(np.abs(np.log(heights(ink)) - typical), kind="stable")]
        ink = ink[:MOST_INK]
    scores = np.zeros(len(ink), dtype=np.float32)
    return Found(np.concatenate([found.quads, ink]), np.concatenate([found.scores, scores]))
