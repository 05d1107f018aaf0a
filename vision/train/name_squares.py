"""Upright squares round marks, as `vision.name_look` sees them: what its network learns from.

`python -m vision.train.name_squares OUT TILES...` reads folders that `python -m vision.synth tiles` wrote;
`tables:FIRST:COUNT[:SPLIT]` in place of a folder makes whole tables. The squares lie round the marks that the shipped
networks see there, above all the doubtful ones, round the boxes that the classifier rejects, and round true indices.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

import vision.detect
from vision.cutting import Pyramid
from vision.detect import OnnxDetector
from vision.evaluate_measure import pair_marks
from vision.name_look import SIDE, SPAN, rejected, upright_squares
from vision.train.crops import jittered
from vision.train.joker_crops import pictures
from vision.truth import CLASSES, JOKER, TableTruth
from vision.types import IndexMark

WIDE = 120
"""Side of the stored square, in pixels of the same scale: it can be turned and shifted inside."""
MOST = 160
"""Squares of a picture that are kept at most."""
MOST_REJECTED = 40
"""Boxes of a picture, rejected by the classifier and rightly so, that are kept at most."""
LEAST_VISIBLE = 0.25
_SURE, _SURE_KEPT, _PLAIN_KEPT = 0.97, 0.3, 0.25
"""A mark is sure from this score on; shares of the sure marks, and of the whole true indices, that are kept."""
_ON, _NEAR = 0.35, 0.9
"""Heights of an index from its middle: a box this near is on it; one no farther than that is left out."""
_NONE, _UNKNOWN = CLASSES.index("none"), -1
Array = NDArray[np.float64]


def verdicts(marks: list[IndexMark], truth: TableTruth) -> list[int]:
    """Return the class of each mark: the face of the index there, none, or -1 where nobody can tell."""
    paired = pair_marks(marks, truth).index_of
    quads = np.array([index.quad for index in truth.indices]).reshape(-1, 4, 2)
    middles, tall = quads.mean(axis=1), np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1)
    out = []
    for mark, number in zip(marks, paired, strict=True):
        if number < 0:
            near = np.linalg.norm(middles - mark.centre, axis=1) < 0.9 * tall
            out.append(_UNKNOWN if near.any() else _NONE)
            continue
        down = quads[number][3] - quads[number][0]
        along = float((mark.quad[3] - mark.quad[0]) @ down) / max(float(down @ down), 1e-9)
        index = truth.indices[number]
        if along < 0:
            out.append(_NONE)
        else:
            out.append(CLASSES.index(index.card) if index.visible >= LEAST_VISIBLE and along > 0.5 else _UNKNOWN)
    return out


def verdict(quad: NDArray[np.float32], truth: TableTruth) -> int:
    """Return the class of one box that the classifier rejected: a face, none, or -1 where nobody can tell."""
    middle, down = quad.mean(axis=0), (quad[[3, 2]] - quad[[0, 1]]).mean(axis=0)
    tall = max(float(np.linalg.norm(down)), 1e-6)
    label = _NONE
    for index in truth.indices:
        true = np.array(index.quad)
        own = true[3] - true[0]
        high = max(float(np.linalg.norm(own)), 1e-6)
        gap = float(np.linalg.norm(true.mean(axis=0) - middle)) / high
        if gap > _NEAR:
            continue
        along = float(down @ own) / (tall * high)
        if along < -0.7 and gap < _ON and index.card != JOKER:
            continue
        if gap > _ON or index.visible < LEAST_VISIBLE or along < 0.7 or not 0.6 < tall / high < 1.6:
            label = _UNKNOWN
        else:
            return CLASSES.index(index.card)
    return label


def squares_of(
    rng: np.random.Generator, image: NDArray[np.uint8], truth: TableTruth, detector: OnnxDetector
) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Yield wide squares (RGB) with the class of what is in their middle."""
    marks = detector.detect(image)
    quads, labels = [], []
    for mark, label in zip(marks, verdicts(marks, truth), strict=True):
        if label != _UNKNOWN and (mark.score < _SURE or label == _NONE or rng.random() < _SURE_KEPT):
            quads.append(np.asarray(mark.quad, dtype=np.float64))
            labels.append(label)
    for index in truth.indices:
        if index.visible < LEAST_VISIBLE or (index.visible > 0.95 and rng.random() > _PLAIN_KEPT):
            continue
        quads.append(jittered(rng, np.array(index.quad)))
        labels.append(CLASSES.index(index.card))
    others = rejected(detector.proposals(image).quads, marks)
    few = 0
    for number in rng.permutation(len(others)).tolist():
        label = verdict(others[number], truth)
        few += label == _NONE
        if label > _UNKNOWN and (label != _NONE or few <= MOST_REJECTED):
            quads.append(others[number].astype(np.float64))
            labels.append(label)
    if not quads:
        return
    rows = rng.permutation(len(quads))[:MOST]
    cut = upright_squares(Pyramid(image), np.array(quads, np.float32)[rows], WIDE, SPAN * WIDE / SIDE)
    for square, row in zip(cut, rows.tolist(), strict=True):
        yield square[..., ::-1], labels[row]


def main(arguments: list[str]) -> int:
    """Write one shard a source."""
    out, sources = Path(arguments[0]), arguments[1:]
    out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    detector = OnnxDetector(threads=1)
    for source in sources:
        # a tile is a piece of a photo at its own scale, not a photo to be enlarged
        vision.detect.BASE_SIDE = 1280 if source.startswith("tables:") else 640
        rng = np.random.default_rng(len(source))
        rows = [row for image, truth in pictures(source) for row in squares_of(rng, image, truth, detector)]
        images, labels = (list(part) for part in zip(*rows, strict=True))
        name = source.replace("/", "_").replace(":", "_").strip("_")
        np.savez(out / f"{name}.npz", images=np.stack(images), labels=np.array(labels))
        none = sum(label == _NONE for label in labels)
        sys.stdout.write(f"{source}: {len(labels)} squares, {none} of none\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
