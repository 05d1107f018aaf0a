"""Places that may be a joker's mark, right and wrong, with their surroundings: what `vision.joker_look` learns from.

`python -m vision.train.joker_crops OUT TILES...` reads folders that `python -m vision.synth tiles` wrote;
`python -m vision.train.joker_crops OUT tables:FIRST:COUNT[:SPLIT]` makes whole tables instead. The places are the
boxes that the shipped detector proposes, wherever they lie, the gaps and ends of chains of cards, and the true marks,
shifted a little.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

import vision.detect
from vision.detect import OnnxDetector
from vision.joker_look import LEAST_SURE, SIDE, SPAN, local_heights, squares
from vision.synth.make import table
from vision.train.joker_places import chain_places
from vision.truth import JOKER, TableTruth

WIDE = 112
"""Side of the stored square, in pixels of the same scale: it can be turned and shifted inside."""
MOST = 110
"""Places of a picture that are kept at most."""
_INSIDE, _NEAR = 0.15, 0.7
"""Shares of a mark's size: a place this far outside its box still is the mark; one no farther than that is left out."""
Array = NDArray[np.float64]


def verdicts(places: Array, truth: TableTruth) -> tuple[NDArray[np.int64], Array]:
    """Return for each place 1 a joker's mark, 0 not, -1 too near to call; and (n, 3) its true middle and size."""
    label = np.zeros(len(places), np.int64)
    target = np.full((len(places), 3), np.nan)
    for index in truth.indices:
        if index.card != JOKER:
            continue
        quad = np.array(index.quad)
        middle, right, down = quad.mean(axis=0), quad[1] - quad[0], quad[3] - quad[0]
        wide, tall = float(np.linalg.norm(right)), float(np.linalg.norm(down))
        if min(wide, tall) < 1e-6:
            continue
        size = float(np.sqrt(wide * tall))
        off = places - middle
        beyond = np.maximum(np.abs(off @ right) / wide - wide / 2, np.abs(off @ down) / tall - tall / 2)
        label[(beyond < _NEAR * size) & (label == 0)] = -1
        if index.visible >= 0.5:
            inside = beyond < _INSIDE * size
            label[inside] = 1
            target[inside] = (*middle, size)
    return label, target


def crops(
    rng: np.random.Generator, image: NDArray[np.uint8], truth: TableTruth, detector: OnnxDetector
) -> Iterator[tuple[NDArray[np.uint8], int, Array]]:
    """Yield wide squares with verdict and (dx, dy, log size) of the mark in index heights, nan where there is none."""
    plain = [index for index in truth.indices if index.card != JOKER and index.visible >= 0.6]
    if len(plain) < LEAST_SURE:
        return
    quads = np.array([index.quad for index in plain])
    middles = quads.mean(axis=1)
    heights = np.linalg.norm(quads[:, [3, 2]] - quads[:, [0, 1]], axis=2).mean(axis=1)
    found = detector.proposals(image).quads.astype(np.float64).mean(axis=1)
    found = np.concatenate([found, chain_places(detector.detect(image))])
    marks = np.array(
        [np.mean(index.quad, axis=0) for index in truth.indices if index.card == JOKER and index.visible >= 0.5]
    ).reshape(-1, 2)
    places = np.concatenate([found, marks, marks])
    if len(places) == 0:
        return
    tall = local_heights(places, middles, heights)
    places[len(found) :] += rng.normal(0, 0.15, (2 * len(marks), 2)) * tall[len(found) :, None]
    label, target = verdicts(places, truth)
    # ordinary indices are most of the places and easy: few of them are enough
    index = np.linalg.norm(places[:, None] - middles[None], axis=2).min(axis=1) < 0.3 * tall
    keep = (label == 1) | ((label == 0) & (~index | (rng.random(len(places)) < 0.15)))
    rows = rng.permutation(np.flatnonzero(keep))[:MOST]
    tall = tall * np.exp(rng.normal(0, 0.1, len(tall)))
    cut = squares(image, places[rows], tall[rows], WIDE, SPAN * WIDE / SIDE)
    for picture, row in zip(cut, rows.tolist(), strict=True):
        goal = np.array([*(target[row, :2] - places[row]) / tall[row], np.log(target[row, 2] / tall[row])])
        yield picture[..., ::-1], int(label[row]), goal


def pictures(source: str) -> Iterator[tuple[NDArray[np.uint8], TableTruth]]:
    """Yield the pictures of a folder of tiles, or of `tables:FIRST:COUNT[:SPLIT]`, with their truth."""
    if source.startswith("tables:"):
        first, count, split = (*source.split(":")[1:], "train")[:3]
        for seed in range(int(first), int(first) + int(count)):
            photo = table(seed, split)
            yield photo.image, photo.truth
        return
    folder = Path(source)
    names = sorted((folder / "images").glob("*.jpg"))
    for path, line in zip(names, (folder / "truth.jsonl").read_text().splitlines(), strict=True):
        image = cv2.imread(str(path))
        if image is None:
            raise ValueError(f"{path.name}: not a picture")
        yield np.asarray(image, np.uint8), TableTruth.from_json(line)


def main(arguments: list[str]) -> int:
    """Write one shard a source."""
    out, sources = Path(arguments[0]), arguments[1:]
    out.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    detector = OnnxDetector(threads=1, ink=False)
    for source in sources:
        # a tile is a piece of a photo at its own scale, not a photo to be enlarged
        vision.detect.BASE_SIDE = 1280 if source.startswith("tables:") else 640
        rng = np.random.default_rng(len(source))
        rows = [row for image, truth in pictures(source) for row in crops(rng, image, truth, detector)]
        images, labels, goals = (list(part) for part in zip(*rows, strict=True))
        name = source.replace("/", "_").replace(":", "_").strip("_")
        np.savez(
            out / f"{name}.npz", images=np.stack(images), labels=np.array(labels), goals=np.array(goals, np.float32)
        )
        sys.stdout.write(f"{source}: {len(labels)} places, {sum(labels)} of jokers\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
