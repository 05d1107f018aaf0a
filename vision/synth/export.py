"""Tiles on disk for the detector's trainer: JPEG pictures, one label file each (ultralytics pose format), the truth."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np

from vision.synth.make import USUAL, Mix, tiles
from vision.truth import TableTruth

MIN_VISIBLE = 0.5
"""An index counts as an object for the detector from this visible share on."""


def pose_labels(truth: TableTruth, min_visible: float = MIN_VISIBLE, min_height: float = 6.0) -> list[str]:
    """Lines `0 cx cy w h x y v x y v x y v x y v`, shares of the picture; corners outside it have v = 0.

    The first number is 1 for a joker's mark: the detector has one class, its trainer looks at jokers more often.
    """
    out: list[str] = []
    size = np.array([truth.width, truth.height], np.float64)
    for index in truth.indices:
        points = np.array(index.quad) / size
        tall = float(np.linalg.norm(np.array(index.quad[3]) - np.array(index.quad[0])))
        if index.visible < min_visible or tall < min_height:
            continue
        low, high = np.clip(points.min(axis=0), 0, 1), np.clip(points.max(axis=0), 0, 1)
        if (high - low).min() < 0.004:
            continue
        numbers = [*((low + high) / 2), *(high - low)]
        fields = [f"{value:.5f}" for value in numbers]
        for x, y in points:
            inside = 0 <= x <= 1 and 0 <= y <= 1
            fields += [f"{x:.5f}", f"{y:.5f}", "2"] if inside else ["0", "0", "0"]
        out.append(("1 " if index.card == "JK" else "0 ") + " ".join(fields))
    return out


def _one_scene(job: tuple[str, int, int, str, int, Mix]) -> list[str]:
    folder, seed, count, split, size, mix = job
    cv2.setNumThreads(1)
    lines: list[str] = []
    for number, photo in enumerate(tiles(seed, count, split, size, mix)):
        name = f"{seed:07d}_{number:02d}"
        cv2.imwrite(str(Path(folder) / "images" / f"{name}.jpg"), photo.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
        (Path(folder) / "labels" / f"{name}.txt").write_text("\n".join(pose_labels(photo.truth)))
        lines.append(photo.truth.to_json())
    return lines


def write_tiles(
    folder: Path,
    seeds: range,
    per_seed: int = 10,
    split: str = "train",
    size: int = 416,
    mix: Mix = USUAL,
    processes: int = 2,
) -> int:
    """Write the tiles of all seeds; returns how many. The same arguments write the same bytes."""
    for name in ("images", "labels"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    jobs = [(str(folder), seed, per_seed, split, size, mix) for seed in seeds]
    count = 0
    # a fork would inherit OpenCV's threads half way, and hang
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool, (folder / "truth.jsonl").open("w") as out:
        for lines in pool.map(_one_scene, jobs, chunksize=4):
            out.write("".join(line + "\n" for line in lines))
            count += len(lines)
    return count
