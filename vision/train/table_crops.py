"""Crops from whole tables, as they will be at run time: `python -m vision.train.table_crops OUT SEED COUNT [SPLIT]`.

From each table: its visible indices as the detector would give them (jokers more often), and what `vision.ink`
proposes on the whole picture, right and wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.ink import ink_candidates
from vision.naming import cut_crops
from vision.synth.make import table
from vision.synth.render import Photo
from vision.train.crops import LEFT, NEITHER, NONE_CLASS, RIGHT, SHARD, SPEC, _write, jittered, negatives, positives
from vision.train.ink_crops import labelled
from vision.truth import CLASSES

SIZES = ((1050, 1400), (1500, 2000), (1500, 2000), (2100, 2800))
Crop = tuple[NDArray[np.uint8], int, int]


def crops_of_table(rng: np.random.Generator, photo: Photo) -> list[Crop]:
    """Crops (96, 48, 3 RGB), class and side of one table."""
    quads, classes, sides = positives(rng, photo, 1)
    wrong = negatives(rng, photo, len(quads) // 4)
    ink = ink_candidates(photo.image)
    labels = np.array(labelled(ink, photo.truth), np.int64)
    good = rng.permutation(np.flatnonzero(labels >= 0))[:120]
    bad = rng.permutation(np.flatnonzero(labels == -1))[:160]
    for number in good:
        index = photo.truth.indices[int(labels[number])]
        quads.append(jittered(rng, ink[number].astype(np.float64), 0.3))
        classes.append(CLASSES.index(index.card))
        sides.append(RIGHT if index.corner in (1, 3) else LEFT)
    wrong += [ink[number].astype(np.float64) for number in bad]
    every = np.array([*quads, *wrong], np.float32).reshape(-1, 4, 2)
    if len(every) == 0:
        return []
    cut = (cut_crops(photo.image, every, SPEC).transpose(0, 2, 3, 1) * 255 + 0.5).astype(np.uint8)
    labels_of = classes + [NONE_CLASS] * len(wrong)
    return list(zip(cut, labels_of, sides + [NEITHER] * len(wrong), strict=True))


def write_table_crops(out: Path, seeds: range, split: str = "train") -> int:
    """Write shards; returns the number of crops. The same seeds write the same crops."""
    out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    held: list[Crop] = []
    total = shard = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 50])
        width, height = SIZES[int(rng.integers(len(SIZES)))]
        held += crops_of_table(rng, table(seed, split, width, height))
        if len(held) >= SHARD or (seed == seeds[-1] and held):
            _write(out / f"{shard:03d}.npz", held)
            total, shard, held = total + len(held), shard + 1, []
    return total


if __name__ == "__main__":
    chosen = sys.argv[4] if len(sys.argv) > 4 else "train"
    numbers = range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3]))
    sys.stdout.write(f"{write_table_crops(Path(sys.argv[1]), numbers, chosen)} crops\n")
