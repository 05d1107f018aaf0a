"""Finding card indices in a photo: candidates from a network and from the ink itself, named by a classifier.

The network proposes oriented index boxes in passes chosen by card size; `vision.ink` proposes the boxes of all pairs of
blobs that could be a rank over a suit. Every proposal is classified from full-resolution pixels, most are none, and of
proposals that overlap the surest stays. `OnnxDetector` runs the project's own two networks with onnxruntime;
`FakeDetector` replays given marks, for tests and for programs that have their own eyes. Importing this module loads
neither onnxruntime nor OpenCV.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scorer.errors import MissingExtraError, VisionError
from vision.geometry import suppress
from vision.ink import ink_candidates
from vision.types import CLASS_INDEX, CLASSES, NONE, FloatArray, Image, IndexMark

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
PROPOSE = 0.1
"""The network's boxes from this score on are classified: weak ones are welcome, the classifier decides."""
HINT = 0.05
"""Ink is believed only near a place that the network gave at least this score: on 5 rendered and 6 synthetic tables
that kept 98 to 100 % of the ink's true indices and a tenth of its false ones."""
MOST_INK = 1200
"""Ink candidates classified at most: bounds the time on patterned cloth; those like the network's come first."""
LEAST_SCORE = 0.5
"""A proposal that the classifier believes less is dropped."""
_BATCH = 400

Network = Callable[[FloatArray], Sequence[np.ndarray[Any, Any]]]


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


class Found(NamedTuple):
    """Raw detections in image pixels: quads (n, 4, 2) and scores (n,)."""

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
    tall = _heights(found.quads) * base.scale
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


def _heights(quads: FloatArray) -> FloatArray:
    sides = np.linalg.norm(quads[:, [3, 2]] - quads[:, [0, 1]], axis=2)
    return np.asarray(sides.mean(axis=1), dtype=np.float32)


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
    import cv2

    left, top, right, bottom = one.window
    part = image[top:bottom, left:right]
    wide = max(1, round(part.shape[1] * one.scale))
    tall = max(1, round(part.shape[0] * one.scale))
    method = cv2.INTER_AREA if one.scale < 1 else cv2.INTER_LINEAR
    if (wide, tall) != (part.shape[1], part.shape[0]):
        part = np.asarray(cv2.resize(part, (wide, tall), interpolation=method), dtype=np.uint8)
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
        raise _bad_weights(Path("detector"), f"has an output of shape {output.shape}, not a pose head")
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


def cut_crops(image: Image, quads: FloatArray, spec: ClassifierSpec) -> FloatArray:
    """Return (n, 3, height, width) normalised RGB crops: each quad warped upright, with the spec's margins.

    Crops are cut from the full-resolution image, halved as often as keeps two source pixels per crop pixel at most,
    so that nothing aliases and nothing is read from fewer pixels than there are.
    """
    import cv2

    inner = (
        np.array(
            [
                [spec.margin_x, spec.margin_y],
                [1 - spec.margin_x, spec.margin_y],
                [1 - spec.margin_x, 1 - spec.margin_y],
                [spec.margin_x, 1 - spec.margin_y],
            ],
            dtype=np.float32,
        )
        * np.array([spec.width, spec.height], dtype=np.float32)
        - 0.5
    )
    levels: list[Image] = [image]
    crops = np.empty((len(quads), spec.height, spec.width, 3), dtype=np.uint8)
    shrinks = _heights(quads) / (spec.height * (1 - 2 * spec.margin_y))
    for number, quad in enumerate(quads):
        level = max(0, int(math.log2(max(1.0, float(shrinks[number])))))
        while len(levels) <= level:
            last = levels[-1]
            half = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            levels.append(np.asarray(cv2.resize(last, half, interpolation=cv2.INTER_AREA), dtype=np.uint8))
        source = (quad / np.float32(2**level) - 0.5).astype(np.float32)
        warp = cv2.getPerspectiveTransform(source, inner.astype(np.float32))
        crops[number] = cv2.warpPerspective(
            levels[level], warp, (spec.width, spec.height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    rgb = crops[..., ::-1].astype(np.float32) / np.float32(255)
    normal = (rgb - np.asarray(spec.mean, np.float32)) / np.asarray(spec.std, np.float32)
    return np.ascontiguousarray(normal.transpose(0, 3, 1, 2))


def softmax(logits: FloatArray, temperature: float = 1.0) -> FloatArray:
    """Return row-wise probabilities of (n, k) logits divided by the calibrated temperature."""
    scaled = np.asarray(logits, dtype=np.float64) / temperature
    scaled -= scaled.max(axis=1, keepdims=True)
    weights = np.exp(scaled)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)


class OnnxDetector:
    """The two-stage reader: a pose network finds oriented index boxes, a classifier names each from its crop.

    `folder` holds `classes.json` and the two ONNX files it names (default: the weights that ship). Files are read and
    their sha256 is checked at the first photo; a missing, changed or foreign file raises VisionError.
    """

    def __init__(
        self, folder: Path | None = None, *, threads: int = 2, threshold: float | None = None, ink: bool = True
    ) -> None:
        self._folder = folder
        self._threads = threads
        self._threshold = threshold
        self._ink = ink
        self._loaded: _Loaded | None = None

    @classmethod
    def of_networks(
        cls, detector: Network, classifier: Network, spec: ClassifierSpec, threshold: float = 0.25, ink: bool = False
    ) -> OnnxDetector:
        """Build a detector on two functions from network input to outputs, in place of ONNX files."""
        made = cls(ink=ink)
        made._loaded = _Loaded(detector, classifier, spec, threshold)
        return made

    def detect(self, image: Image) -> list[IndexMark]:
        """Return the index marks of a BGR image, strongest first. Deterministic for the same weights and image."""
        return self.detect_timed(image)[0]

    def detect_timed(self, image: Image) -> tuple[list[IndexMark], dict[str, float]]:
        """Return the marks and the seconds spent in `load`, `detect`, `ink`, `classify`, with the number of `passes`
        of the network and of `candidates` classified.
        """
        started = time.perf_counter()
        networks = self._networks()
        loaded = time.perf_counter()
        height, width = image.shape[:2]
        base = base_pass(width, height)
        parts = [self._run(networks, image, base)]
        passes = further_passes(width, height, _strong(_thinned(parts), networks.threshold), base)
        parts.extend(self._run(networks, image, one) for one in passes)
        hints = np.concatenate([part.quads.mean(axis=1) for part in parts])
        found = _thinned([_strong(part, min(PROPOSE, networks.threshold)) for part in parts])
        detected = time.perf_counter()
        found = _both_ways(found)
        if self._ink:
            found = _joined(found, _near(ink_candidates(image), hints))
        inked = time.perf_counter()
        marks = _named(networks, image, found)
        done = time.perf_counter()
        times = {
            "load": loaded - started,
            "detect": detected - loaded,
            "ink": inked - detected,
            "classify": done - inked,
            "passes": 1.0 + len(passes),
            "candidates": float(len(found.quads)),
        }
        return marks, times

    def _run(self, networks: _Loaded, image: Image, one: Pass) -> Found:
        output = networks.detector(letterbox(image, one))[0]
        height, width = image.shape[:2]
        return _inside_window(decode(output, min(HINT, networks.threshold)), one, width, height)

    def _networks(self) -> _Loaded:
        if self._loaded is None:
            loaded = _load(self._folder, self._threads)
            self._loaded = loaded if self._threshold is None else replace(loaded, threshold=self._threshold)
        return self._loaded


@dataclass(frozen=True, eq=False)
class _Loaded:
    detector: Network
    classifier: Network
    spec: ClassifierSpec
    threshold: float


def _thinned(parts: Sequence[Found]) -> Found:
    """Join the passes; of detections of the same index only the strongest stays."""
    quads = np.concatenate([part.quads for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    keep = suppress(np.asarray(quads, dtype=np.float64), np.asarray(scores, dtype=np.float64))
    return Found(quads[keep], scores[keep])


def _strong(found: Found, least: float) -> Found:
    keep = found.scores >= least
    return Found(found.quads[keep], found.scores[keep])


def _near(ink: FloatArray, hints: FloatArray) -> FloatArray:
    """Return the ink candidates whose middle lies within 0.7 of their height from a hint; all when there is none."""
    if len(hints) == 0 or len(ink) == 0:
        return ink
    tall = _heights(ink)
    keep = np.zeros(len(ink), dtype=bool)
    for start in range(0, len(ink), 500):
        part = slice(start, start + 500)
        gaps = np.linalg.norm(ink[part].mean(axis=1)[:, None] - hints[None], axis=2)
        keep[part] = gaps.min(axis=1) < 0.7 * tall[part]
    return ink[keep]


def _both_ways(found: Found) -> Found:
    """Offer every box upside down too: a network learns where an index is long before it learns which end is up."""
    turned = found.quads[:, [2, 3, 0, 1]]
    return Found(np.concatenate([found.quads, turned]), np.concatenate([found.scores, found.scores]))


def _joined(found: Found, ink: FloatArray) -> Found:
    """Add ink candidates to the network's; beyond MOST_INK those nearest in size to the network's come first."""
    if len(ink) > MOST_INK:
        if len(found.quads):
            typical = float(np.median(np.log(_heights(found.quads))))
            ink = ink[np.argsort(np.abs(np.log(_heights(ink)) - typical), kind="stable")]
        ink = ink[:MOST_INK]
    scores = np.zeros(len(ink), dtype=np.float32)
    return Found(np.concatenate([found.quads, ink]), np.concatenate([found.scores, scores]))


def _named(networks: _Loaded, image: Image, found: Found) -> list[IndexMark]:
    """Classify every proposal; of overlapping ones the surest stays. A mark's score is how sure its name is."""
    if len(found.quads) == 0:
        return []
    probs, right = _classified(networks, image, found.quads)
    none = CLASS_INDEX[NONE]
    sure = (1 - probs[:, none]) * (0.5 + 0.5 * np.delete(probs, none, axis=1).max(axis=1))
    rows = np.flatnonzero(sure >= LEAST_SCORE)
    # Ink boxes are tighter than the network's: at equal sureness they are kept.
    order = sure[rows] + 0.05 * (found.scores[rows] == 0)
    kept = rows[suppress(np.asarray(found.quads[rows], dtype=np.float64), order, union=0.2, inside=0.5)]
    return [
        IndexMark(
            np.asarray(found.quads[k], dtype=np.float32),
            float(sure[k]),
            probs[k],
            None if right is None else float(right[k]),
        )
        for k in kept.tolist()
    ]


def _classified(networks: _Loaded, image: Image, quads: FloatArray) -> tuple[FloatArray, FloatArray | None]:
    """Return the class probabilities (n, 54) and, where the classifier tells, those of a right-hand corner (n,)."""
    probs, right = [], []
    for start in range(0, len(quads), _BATCH):
        outputs = networks.classifier(cut_crops(image, quads[start : start + _BATCH], networks.spec))
        probs.append(softmax(np.asarray(outputs[0], dtype=np.float32), networks.spec.temperature))
        if len(outputs) > 1:
            logit = np.clip(np.asarray(outputs[1], dtype=np.float32).reshape(-1), -30, 30)
            right.append(1 / (1 + np.exp(-logit)))
    return np.concatenate(probs), np.concatenate(right) if right else None


def _bad_weights(path: Path, what: str) -> VisionError:
    return VisionError(f"{path} {what}.", code="bad_weights", path=str(path))


def models_folder() -> Path:
    """Return the folder of the weights that ship: the installed package `models`."""
    import models

    return Path(str(models.__file__)).parent


def _load(folder: Path | None, threads: int) -> _Loaded:
    where = models_folder() if folder is None else folder
    try:
        card = json.loads((where / "classes.json").read_text(encoding="utf-8"))
        if list(card["classes"]) != list(CLASSES):
            raise _bad_weights(where / "classes.json", "names other classes than this reader")
        entry = card["classifier"]
        spec = ClassifierSpec(
            int(entry["width"]),
            int(entry["height"]),
            float(entry["margin_x"]),
            float(entry["margin_y"]),
            tuple(entry.get("mean", (0.0, 0.0, 0.0))),
            tuple(entry.get("std", (1.0, 1.0, 1.0))),
            float(entry.get("temperature", 1.0)),
        )
        detector = _network(where, card["detector"], threads)
        classifier = _network(where, entry, threads)
        return _Loaded(detector, classifier, spec, float(card["detector"].get("threshold", 0.25)))
    except FileNotFoundError as error:
        path = str(error.filename)
        raise VisionError(f"The reader's weights are missing: {path}.", code="weights_missing", path=path) from error
    except (KeyError, TypeError, ValueError) as error:
        raise _bad_weights(where / "classes.json", f"cannot be read ({error})") from error


def _session(data: bytes, threads: int) -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError as error:  # pragma: no cover - needs an install without the extra
        raise MissingExtraError("Reading photos needs the `vision` extra: pip install 'burraco[vision]'.") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own errors share no public base
        raise ValueError("not a network that onnxruntime can run") from error


def _network(folder: Path, entry: dict[str, Any], threads: int) -> Network:
    path = folder / str(entry["file"])
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise _bad_weights(path, "is not the file that classes.json describes: its sha256 differs")
    session = _session(data, threads)
    name = session.get_inputs()[0].name

    def run(batch: FloatArray) -> Sequence[np.ndarray[Any, Any]]:
        outputs: Sequence[np.ndarray[Any, Any]] = session.run(None, {name: batch})
        return outputs

    return run
