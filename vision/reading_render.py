"""Photographs of the legal tables of `vision.reading_tables`, by the painter and the camera of `vision.synth`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from scorer.notation import Sheet, format_sheet
from scorer.table import Table
from vision.reading_tables import LaidTable, laid_table
from vision.synth import decks, surface
from vision.synth.art import available
from vision.synth.decks import procedural
from vision.synth.faces import face
from vision.synth.photo import conditions
from vision.synth.render import Photo, shoot


def deck_pool(four_corner: bool, procedural_only: bool = False) -> list[str]:
    """Names of the held-out decks, with the index in four corners or in two."""
    names = decks.held_out(() if procedural_only else available())
    found = []
    for name in names:
        four = procedural(name).corners == 4 if name.startswith("p") else False
        if four == four_corner:
            found.append(name)
    return found or [name for name in names if name.startswith("p")]


def designs(laid: LaidTable, seed: int, procedural_only: bool = False) -> tuple[tuple[str, str], np.random.Generator]:
    """The designs that a laid table is painted with, and the generator that its photo goes on with."""
    rng = np.random.default_rng([seed, 51])
    pool = deck_pool(laid.four_corner, procedural_only)
    first = pool[int(rng.integers(len(pool)))]
    return (first, (first if rng.random() < 0.6 else pool[int(rng.integers(len(pool)))])), rng


def index_reach(deck_ids: Sequence[str]) -> tuple[float, float]:
    """How far the longest and the widest index of these designs reach from their cards' edges, in card heights."""
    across, down = 0.0, 0.0
    for deck in deck_ids:
        for key in ("10h", "10s", "Qd", "Ac"):
            picture = face(deck, key)
            x, y, w, h = next(box for corner, box in picture.boxes if corner == 0)
            across, down = max(across, (x + w) / picture.image.shape[0]), max(down, (y + h) / picture.image.shape[0])
    return across, down


def countable_table(seed: int) -> LaidTable:
    """The table of a seed, laid so that every card of the designs it is painted with shows an index."""
    return laid_table(seed, index=index_reach(designs(laid_table(seed), seed)[0]))


def photograph(laid: LaidTable, seed: int, hard: float = 0.7, procedural_only: bool = False) -> Photo:
    """Paint a laid table with held-out decks under the conditions of a seed; the same seed gives the same bytes."""
    names, rng = designs(laid, seed, procedural_only)
    tops = surface.surface(rng), surface.surface(rng)
    return shoot(rng, laid.scene, names, laid.camera, conditions(rng, hard), tops, seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m vision.reading_render SEED NAME`: paint a table as NAME.jpg with its true sheet as NAME.txt."""
    parser = argparse.ArgumentParser(prog="python -m vision.reading_render", description=main.__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("name", type=Path)
    parser.add_argument("--side", type=int, default=1900, help="pixels of the longer side")
    parser.add_argument("--hard", type=float, default=0.25, help="how bad the conditions are, 0 to 1")
    parser.add_argument("--tilt", type=float, default=22.0, help="the most tilt, in degrees")
    asked = parser.parse_args(arguments)
    import cv2

    laid = laid_table(asked.seed, tilt=asked.tilt, piles=0.0, turned=False)
    photo = photograph(laid, asked.seed, asked.hard, procedural_only=True)
    scale = asked.side / max(photo.image.shape[:2])
    image = cv2.resize(photo.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(asked.name.with_suffix(".jpg")), image, [cv2.IMWRITE_JPEG_QUALITY, 82])
    asked.name.with_suffix(".txt").write_text(true_sheet(laid), encoding="utf-8")
    return 0


def true_sheet(laid: LaidTable) -> str:
    """The deal that was laid as quick text (side 0, nearer to the camera, first)."""
    names = ("Us", "Them")
    sides = tuple(replace(side, name=name) for side, name in zip(laid.deal.table().sides, names, strict=True))
    return format_sheet(Sheet("fibur", {}, "en", Table(sides)))


if __name__ == "__main__":
    raise SystemExit(main())
