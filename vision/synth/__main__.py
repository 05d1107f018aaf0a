"""`python -m vision.synth preview|tiles|tables|bench`: look at, write out and time synthetic photographs."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.export import write_tiles
from vision.synth.make import Mix, table, tiles
from vision.synth.render import Photo


def outlined(photo: Photo) -> NDArray[np.uint8]:
    """The picture with every labelled index drawn: green, its top edge magenta."""
    image = photo.image.copy()
    for index in photo.truth.indices:
        if index.visible >= 0.5:
            quad = np.array(index.quad).astype(np.int32)
            cv2.polylines(image, [quad], True, (0, 255, 0), 1)
            cv2.line(image, quad[0].tolist(), quad[1].tolist(), (255, 0, 255), 1)
    return image


def preview(out: Path, seed: int, split: str) -> None:
    """A contact sheet of twelve tiles, half of them of a club's evening with many jokers, and three tables."""
    club = Mix(18, 80, jokers=0.5, flood=0.2, club=1.0)
    mixes = (Mix(), club, Mix(), club)
    small = [outlined(photo) for k, mix in enumerate(mixes) for photo in tiles(seed + k, 3, split, mix=mix)]
    rows = [np.hstack(small[i : i + 4]) for i in (0, 4, 8)]
    big = []
    for k in range(3):
        image = table(seed + 50 + k, split).image
        shrink = 554 / max(image.shape)
        image = np.asarray(cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
        big.append(np.pad(image, ((0, 554 - image.shape[0]), (0, 554 - image.shape[1]), (0, 0))))
    row = np.hstack(big)
    rows.append(np.pad(row, ((0, 0), (0, 1664 - row.shape[1]), (0, 0))))
    cv2.imwrite(str(out), np.vstack(rows))


def write_tables(out: Path, seed: int, count: int, split: str) -> None:
    """Whole tables as JPEG with `truth.jsonl` beside them."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / "truth.jsonl").open("w") as lines:
        for k in range(count):
            photo = table(seed + k, split)
            cv2.imwrite(str(out / f"{seed + k:07d}.jpg"), photo.image, [cv2.IMWRITE_JPEG_QUALITY, 93])
            lines.write(photo.truth.to_json() + "\n")


def bench(seconds: float) -> float:
    """Tiles of 416 px a second on one core."""
    cv2.setNumThreads(1)
    start, count, seed = time.perf_counter(), 0, 900_000
    while time.perf_counter() - start < seconds:
        count += sum(1 for _ in tiles(seed, 10))
        seed += 1
    return count / (time.perf_counter() - start)


def main(arguments: list[str] | None = None) -> int:
    """Parse and run."""
    parser = argparse.ArgumentParser(prog="python -m vision.synth")
    parser.add_argument("what", choices=["preview", "tiles", "tables", "bench"])
    parser.add_argument("--out", type=Path, default=Path("preview.jpg"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="tables, or scenes")
    parser.add_argument("--split", choices=["train", "held_out"], default="train")
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--low", type=float, default=9.0)
    parser.add_argument("--high", type=float, default=62.0)
    parser.add_argument("--jokers", type=float, default=0.0, help="share of the tiles that look at a joker")
    parser.add_argument("--flood", type=float, default=0.0, help="share of the cards that become jokers")
    parser.add_argument("--club", type=float, default=0.0, help="share of scenes like a club's evening")
    parser.add_argument("--cameras", type=int, default=10, help="tiles of one scene")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(arguments)
    if given.what == "preview":
        preview(given.out, given.seed, given.split)
    elif given.what == "tiles":
        seeds = range(given.seed, given.seed + given.count)
        mix = Mix(given.low, given.high, given.jokers, given.flood, given.club)
        write_tiles(given.out, seeds, given.cameras, given.split, given.size, mix, given.processes)
    elif given.what == "tables":
        write_tables(given.out, given.seed, given.count, given.split)
    else:
        sys.stdout.write(f"{bench(10):.1f} tiles a second on one core\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
