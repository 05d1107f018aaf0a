"""Crops for the classifier: rectified as at run time (`vision.detect.cut_crops`), with the detector's own errors.

`none` is everything a detector may point at that is no index: the same index upside down or shifted, pips, courts,
empty corners, backs, clutter, cloth.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.naming import ClassifierSpec, cut_crops
from vision.synth.make import Mix, tiles
from vision.synth.render import Photo
from vision.truth import CLASSES, IndexTruth

log = logging.getLogger(__name__)
SPEC = ClassifierSpec(48, 96, 0.22, 0.17)
NONE_CLASS = CLASSES.index("none")
JOKER_CLASS = CLASSES.index("JK")
LEFT, RIGHT, NEITHER = 0, 1, -1
SHARD = 8000
Quads = NDArray[np.float32]


def jittered(rng: np.random.Generator, quad: NDArray[np.float64], amount: float = 1.0) -> NDArray[np.float64]:
    """A quad as a detector would give it: shifted, scaled, turned a little, each corner off by some of the size."""
    centre = quad.mean(axis=0)
    across, down = quad[1] - quad[0], quad[3] - quad[0]
    scale = np.exp(rng.normal(0, 0.07, 2) * amount)
    turn = rng.normal(0, 0.05) * amount
    c, s = np.cos(turn), np.sin(turn)
    local = (quad - centre) @ np.array([[c, s], [-s, c]])
    basis = np.stack([across, down])
    shares = np.linalg.solve(basis.T, local.T).T * scale
    moved: NDArray[np.float64] = shares @ basis + centre
    moved += (rng.normal(0, 0.05, 2) * amount) @ basis
    moved += (rng.normal(0, 0.025, (4, 2)) * amount) @ basis
    return moved


def positives(
    rng: np.random.Generator, photo: Photo, copies: int = 2
) -> tuple[list[NDArray[np.float64]], list[int], list[int]]:
    """Jittered quads of the visible indices with class and side (0 left, 1 right in its own upright view)."""
    quads, classes, sides = [], [], []
    for index in photo.truth.indices:
        if index.visible < 0.4:
            continue
        for _ in range(copies + (3 if index.card == "JK" else 0)):
            quads.append(jittered(rng, np.array(index.quad)))
            classes.append(CLASSES.index(index.card))
            sides.append(RIGHT if index.corner in (1, 3) else LEFT)
    return quads, classes, sides


def _wrong(rng: np.random.Generator, index: IndexTruth) -> NDArray[np.float64] | None:
    """An index read wrongly: upside down, sideways, or shifted by most of its height."""
    quad = np.array(index.quad)
    kind = rng.random()
    if kind < 0.45:
        return None if index.card == "JK" else jittered(rng, np.roll(quad, 2, axis=0))
    if kind < 0.6:
        return None if index.card == "JK" else jittered(rng, np.roll(quad, int(rng.choice([1, 3])), axis=0))
    across, down = quad[1] - quad[0], quad[3] - quad[0]
    shift = rng.choice([-1, 1]) * rng.uniform(0.55, 1.3)
    return jittered(rng, quad + (down * shift if rng.random() < 0.6 else across * shift * 1.3))


def negatives(rng: np.random.Generator, photo: Photo, count: int) -> list[NDArray[np.float64]]:
    """Quads that are no index: wrong readings of real ones, places on cards and anywhere in the picture."""
    truth = photo.truth
    known = [np.array(index.quad).mean(axis=0) for index in truth.indices]
    sizes = [float(np.linalg.norm(np.subtract(index.quad[3], index.quad[0]))) for index in truth.indices] or [40.0]
    out: list[NDArray[np.float64]] = []
    tries = 0
    while len(out) < count and tries < count * 8:
        tries += 1
        if truth.indices and rng.random() < 0.45:
            wrong = _wrong(rng, truth.indices[int(rng.integers(len(truth.indices)))])
            if wrong is not None:
                out.append(wrong)
            continue
        tall = sizes[int(rng.integers(len(sizes)))] * rng.uniform(0.6, 1.3)
        point, axis = rng.uniform(0, [truth.width, truth.height]), rng.normal(0, 1, 2)
        if truth.cards and rng.random() < 0.75:
            card = np.array(truth.cards[int(rng.integers(len(truth.cards)))].quad)
            u, v = rng.uniform(0.03, 0.97, 2)
            point = card[0] + u * (card[1] - card[0]) + v * (card[3] - card[0])
            axis = (card[3] - card[0]) * (1 if rng.random() < 0.5 else -1) + rng.normal(0, 3, 2)
        if any(
            np.linalg.norm(point - place) < 0.75 * max(tall, size) for place, size in zip(known, sizes, strict=False)
        ):
            continue
        down = axis / max(1e-6, float(np.linalg.norm(axis))) * tall
        across = np.array([down[1], -down[0]]) * rng.uniform(0.4, 0.8)
        corner = point - across / 2 - down / 2
        out.append(np.array([corner, corner + across, corner + across + down, corner + down]))
    return out


def crops_of(rng: np.random.Generator, photo: Photo) -> Iterator[tuple[NDArray[np.uint8], int, int]]:
    """Crops (96, 48, 3 RGB) of one picture with class and side."""
    quads, classes, sides = positives(rng, photo)
    wrong = negatives(rng, photo, max(3, len(quads) // 2))
    every = np.array([*quads, *wrong], np.float32).reshape(-1, 4, 2)
    if len(every) == 0:
        return
    cut = (cut_crops(photo.image, every, SPEC).transpose(0, 2, 3, 1) * 255 + 0.5).astype(np.uint8)
    labels = classes + [NONE_CLASS] * len(wrong)
    where = sides + [NEITHER] * len(wrong)
    yield from zip(cut, labels, where, strict=True)


MIX = Mix(low=11.0, high=110.0, jokers=0.3, flood=0.12, club=0.4)


def _one_seed(job: tuple[int, str]) -> list[tuple[NDArray[np.uint8], int, int]]:
    seed, split = job
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, 48])
    return [crop for photo in tiles(seed, 5, split, 512, MIX) for crop in crops_of(rng, photo)]


def write_crops(out: Path, seeds: range, split: str, processes: int = 2) -> int:
    """Write shards `NNN.npz` (images, classes, sides); returns the number of crops."""
    out.mkdir(parents=True, exist_ok=True)
    held: list[tuple[NDArray[np.uint8], int, int]] = []
    total = shard = 0
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for crops in pool.map(_one_seed, [(seed, split) for seed in seeds], chunksize=4):
            held += crops
            if len(held) >= SHARD:
                _write(out / f"{shard:03d}.npz", held)
                total, shard, held = total + len(held), shard + 1, []
    if held:
        _write(out / f"{shard:03d}.npz", held)
    return total + len(held)


def _write(path: Path, crops: list[tuple[NDArray[np.uint8], int, int]]) -> None:
    images, classes, sides = zip(*crops, strict=True)
    beside = path.with_suffix(".part.npz")
    np.savez(beside, images=np.stack(images), classes=np.array(classes, np.int64), sides=np.array(sides, np.int64))
    beside.rename(path.with_name(path.name))


if __name__ == "__main__":
    count = write_crops(Path(sys.argv[1]), range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3])), sys.argv[4])
    sys.stdout.write(f"{count} crops\n")
