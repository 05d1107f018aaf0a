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
from vision.truth import CLASSES, JOKER, IndexTruth, TableTruth

RIGHT_SHARE, WRONG_SHARE = 0.55, 0.3
"""Overlap from which a candidate is the index, and up to which it is none; what lies between is left out."""
_ALIGNED = 0.85


def labelled(quads: NDArray[np.float32], truth: TableTruth) -> list[int]:
    """For each candidate the number of its true index, -1 for none, -2 for neither clearly.

    What lies inside a joker's mark is never none: a good part of a word is the joker, a letter of it is neither.
    """
    places = np.array([np.mean(index.quad, axis=0) for index in truth.indices]).reshape(-1, 2)
    trues = [np.array(index.quad) for index in truth.indices]
    reach = np.array([np.linalg.norm(true - true.mean(axis=0), axis=1).max() for true in trues])
    labels = []
    for quad in quads:
        gaps = np.linalg.norm(places - quad.mean(axis=0), axis=1)
        tall = float(np.linalg.norm(quad[3] - quad[0]))
        label = -1
        for number in np.flatnonzero(gaps < 0.75 * tall + reach).tolist():
            verdict = _verdict(quad, trues[number], truth.indices[number])
            if verdict > 0:
                label = number
                break
            if verdict == 0:
                label = -2
        labels.append(label)
    return labels


def _verdict(quad: NDArray[np.float32], true: NDArray[np.float64], index: IndexTruth) -> int:
    """1: the quad shows this index; 0: too near to call it none; -1: nothing to do with it."""
    union, inside = quad_overlap(true, quad)
    down, axis = quad[3] - quad[0], true[3] - true[0]
    lengths = float(np.linalg.norm(down)), float(np.linalg.norm(axis))
    cosine = float(down @ axis) / max(1e-6, lengths[0] * lengths[1])
    if index.card == JOKER:
        wide = float(np.linalg.norm(true[1] - true[0]))
        star = 0.7 < lengths[1] / max(1e-6, wide) < 1.4  # looks the same turned, and gives no direction
        if union >= RIGHT_SHARE and index.visible >= 0.5 and (star or cosine > _ALIGNED):
            return 1
        part = lengths[0] > 0.35 * lengths[1] and float(np.linalg.norm(quad[1] - quad[0])) > 0.6 * wide
        if not star and inside > 0.85 and part and cosine > _ALIGNED and index.visible >= 0.5:
            return 1
        return 0 if union > 0.1 or inside > 0.25 else -1
    if union <= WRONG_SHARE:
        return -1
    if cosine > _ALIGNED and union >= RIGHT_SHARE and index.visible >= 0.55:
        return 1
    return 0 if cosine > 0.5 else -1


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
