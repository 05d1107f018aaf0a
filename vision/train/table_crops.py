"""Crops from whole tables as they are at run time: `python -m vision.train.table_crops OUT SEED COUNT [SPLIT]`.

From each table come its visible indices, and what the shipped network proposes on the picture, right
and wrong. Crops are cut *wide*: the classifier's crop lies in the middle of a larger one, so that training can shift,
scale and turn the box anew each time it sees a crop, and knows where the true corners are.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import OnnxDetector
from vision.naming import ClassifierSpec, cut_pixels, heights
from vision.synth.make import Mix, table, tiles
from vision.synth.render import Photo
from vision.train.crops import JOKER_CLASS, LEFT, NEITHER, NONE_CLASS, RIGHT, SHARD, negatives
from vision.train.ink_crops import labelled
from vision.truth import CLASSES, IndexTruth

WIDE = ClassifierSpec(72, 144, 45.12 / 144, 80.64 / 288)
"""The classifier's crop of 48 x 96 with 12 and 24 pixels more on each side: the box has the same size in both."""
SIZES = ((1050, 1400), (1500, 2000), (1500, 2000), (2100, 2800))
MIX = Mix(low=12.0, high=100.0, jokers=0.4, flood=0.12, club=0.5)
LEAST_VISIBLE = 0.4
TRUE_JITTER, FOUND_JITTER = 1.0, 0.25
"""How much training moves a crop cut at true corners, and one cut where something was proposed."""
_MOST_RIGHT, _MOST_WRONG, _MOST_SQUARE = 140, 180, 60
Array = NDArray[np.float64]


@dataclass
class Batch:
    """Crops of one or more pictures; `corners` are the true corners in wide pixels, nan where there are none."""

    quads: list[Array] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    sides: list[int] = field(default_factory=list)
    corners: list[Array] = field(default_factory=list)
    jitter: list[float] = field(default_factory=list)
    images: list[NDArray[np.uint8]] = field(default_factory=list)

    def right(self, quad: Array, index: IndexTruth, jitter: float, whole: bool = True) -> None:
        """Add a quad that shows an index; not `whole`: only a part of a joker's mark, whose corners nobody can tell."""
        self._add(quad, CLASSES.index(index.card), RIGHT if index.corner in (1, 3) else LEFT, jitter)
        if whole:
            warp = cv2.getPerspectiveTransform(quad.astype(np.float32), WIDE.inner())
            self.corners[-1] = cv2.perspectiveTransform(np.array([index.quad], np.float64), warp)[0]

    def wrong(self, quad: Array) -> None:
        """Add a quad that shows no index."""
        self._add(quad, NONE_CLASS, NEITHER, TRUE_JITTER)

    def _add(self, quad: Array, number: int, side: int, jitter: float) -> None:
        self.quads.append(quad)
        self.classes.append(number)
        self.sides.append(side)
        self.corners.append(np.full((4, 2), np.nan))
        self.jitter.append(jitter)

    def cut(self, image: NDArray[np.uint8]) -> None:
        """Cut the crops (144, 72, 3 RGB) of the quads added since the last cut."""
        fresh = self.quads[len(self.images) :]
        if fresh:
            self.images.extend(cut_pixels(image, np.array(fresh, np.float32), WIDE)[..., ::-1])

    def write(self, path: Path) -> None:
        """Write one shard, whole or not at all."""
        beside = path.with_suffix(".part.npz")
        np.savez(
            beside,
            images=np.stack(self.images),
            classes=np.array(self.classes, np.int64),
            sides=np.array(self.sides, np.int64),
            corners=np.array(self.corners, np.float32),
            jitter=np.array(self.jitter, np.float32),
        )
        beside.rename(path)


def add_crops(batch: Batch, rng: np.random.Generator, photo: Photo, detector: OnnxDetector) -> None:
    """Add the crops of one picture."""
    truth = photo.truth
    seen = [index for index in truth.indices if index.visible >= LEAST_VISIBLE]
    for index in seen:
        for _ in range(3 if CLASSES.index(index.card) == JOKER_CLASS else 1):
            batch.right(np.array(index.quad), index, TRUE_JITTER)
    proposed = detector.proposals(photo.image).quads
    labels = np.array(labelled(proposed, truth), np.int64)
    good = rng.permutation(np.flatnonzero(labels >= 0))[:_MOST_RIGHT]
    for number in good.tolist():
        index = truth.indices[int(labels[number])]
        quad = proposed[number].astype(np.float64)
        batch.right(quad, index, FOUND_JITTER, _whole(quad, np.array(index.quad)))
    wrong = rng.permutation(np.flatnonzero(labels == -1))
    # Square ones are taken for stars: flowers on cloth, dots, court bits. They are few and must be learnt.
    square = np.linalg.norm(proposed[wrong, 1] - proposed[wrong, 0], axis=1) > heights(proposed[wrong]) / 1.25
    for number in [*wrong[square][:_MOST_SQUARE].tolist(), *wrong[~square][:_MOST_WRONG].tolist()]:
        batch.wrong(proposed[number].astype(np.float64))
    for quad in negatives(rng, photo, len(seen) // 3):
        batch.wrong(quad)
    batch.cut(photo.image)


def _whole(quad: Array, true: Array) -> bool:
    tall, full = np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(true[3] - true[0])
    return bool(0.6 < tall / max(1e-6, float(full)) < 1.7)


def photos_of(seed: int, split: str) -> list[Photo]:
    """The pictures of one seed: two in three a whole table, else tiles that look at jokers half of the time."""
    rng = np.random.default_rng([seed, 50])
    if seed % 3 == 2:
        return list(tiles(seed, 4, split, 640, MIX))
    width, height = SIZES[int(rng.integers(len(SIZES)))]
    return [table(seed, split, width, height)]


def write_table_crops(out: Path, seeds: range, split: str = "train") -> int:
    """Write shards `NNNNNN.npz` named by seed; returns the number of crops. The same seeds write the same crops."""
    out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    detector = OnnxDetector(threads=1)
    batch, total = Batch(), 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 51])
        for photo in photos_of(seed, split):
            add_crops(batch, rng, photo, detector)
        if len(batch.images) >= SHARD or (seed == seeds[-1] and batch.images):
            batch.write(out / f"{seed:06d}.npz")
            total, batch = total + len(batch.images), Batch()
    return total


if __name__ == "__main__":
    chosen = sys.argv[4] if len(sys.argv) > 4 else "train"
    numbers = range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3]))
    sys.stdout.write(f"{write_table_crops(Path(sys.argv[1]), numbers, chosen)} crops\n")
