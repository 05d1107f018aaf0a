"""Crops for the classifier as `vision.ink` proposes them: tight boxes of real indices, and what only looks so.

`python -m vision.train.ink_crops TILES OUT MOST`: TILES is a folder that `python -m vision.synth tiles` wrote. Shards
have the form of `vision.train.crops`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import quad_overlap
from vision.ink import ink_candidates
from vision.naming import cut_crops
from vision.train.crops import LEFT, NEITHER, NONE_CLASS, RIGHT, SHARD, SPEC, _write, jittered
from vision.truth import CLASSES, TableTruth

RIGHT_SHARE, WRONG_SHARE = 0.55, 0.3
"""Overlap from which a candidate is the index, and up to which it is none; what lies between is left out."""
_ALIGNED = 0.85


def labelled(quads: NDArray[np.float32], truth: TableTruth) -> list[int]:
    """For each candidate the number of its true index, -1 for none, -2 for neither clearly."""
    places = np.array([np.mean(index.quad, axis=0) for index in truth.indices]).reshape(-1, 2)
    labels = []
    for quad in quads:
        gaps = np.linalg.norm(places - quad.mean(axis=0), axis=1)
        tall = float(np.linalg.norm(quad[3] - quad[0]))
        label = -1
        for number in np.flatnonzero(gaps < 1.5 * tall):
            index = truth.indices[int(number)]
            true = np.array(index.quad)
            shared = quad_overlap(true, quad)[0]
            if shared <= WRONG_SHARE:
                continue
            down, axis = quad[3] - quad[0], true[3] - true[0]
            cosine = float(down @ axis) / max(1e-6, float(np.linalg.norm(down) * np.linalg.norm(axis)))
            if cosine > _ALIGNED and shared >= RIGHT_SHARE and index.visible >= 0.55:
                label = int(number)
                break
            if cosine > 0.5:
                label = -2
        labels.append(label)
    return labels


def crops_of_tile(
    rng: np.random.Generator, image: NDArray[np.uint8], truth: TableTruth
) -> Iterator[tuple[NDArray[np.uint8], int, int]]:
    """Crops (96, 48, 3 RGB), class and side: every proposed index, twice as many proposals that are none."""
    quads = ink_candidates(image, scale=1.0 if rng.random() < 0.7 else 2.0)
    if len(quads) == 0:
        return
    labels = np.array(labelled(quads, truth))
    good = np.flatnonzero(labels >= 0)
    bad = np.flatnonzero(labels == -1)
    bad = rng.permutation(bad)[: max(4, 2 * len(good))]
    picked = [jittered(rng, quads[k].astype(np.float64), 0.3) for k in good] + [quads[k] for k in bad]
    classes, sides = [], []
    for k in good:
        index = truth.indices[int(labels[k])]
        classes.append(CLASSES.index(index.card))
        sides.append(RIGHT if index.corner in (1, 3) else LEFT)
    classes += [NONE_CLASS] * len(bad)
    sides += [NEITHER] * len(bad)
    every = np.array(picked, np.float32).reshape(-1, 4, 2)
    cut = (cut_crops(image, every, SPEC).transpose(0, 2, 3, 1) * 255 + 0.5).astype(np.uint8)
    yield from zip(cut, classes, sides, strict=True)


def write_ink_crops(tiles: Path, out: Path, most: int) -> int:
    """Write shards until `most` crops are there or the tiles end; returns the number of crops."""
    out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    held: list[tuple[NDArray[np.uint8], int, int]] = []
    total = shard = 0
    lines = (tiles / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    of_seed: Counter[int] = Counter()
    for number, line in enumerate(lines):
        truth = TableTruth.from_json(line)
        name = f"{truth.seed:07d}_{of_seed[truth.seed]:02d}.jpg"
        of_seed[truth.seed] += 1
        image = cv2.imread(str(tiles / "images" / name))
        if image is None:
            continue
        held += crops_of_tile(np.random.default_rng([number, 49]), np.asarray(image, np.uint8), truth)
        if len(held) >= SHARD:
            _write(out / f"{shard:03d}.npz", held)
            total, shard, held = total + len(held), shard + 1, []
        if total + len(held) >= most:
            break
    if held:
        _write(out / f"{shard:03d}.npz", held)
    return total + len(held)


if __name__ == "__main__":
    written = write_ink_crops(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(f"{written} crops\n")
