"""Photographs of the legal tables of `vision.reading_tables`, by the painter and the camera of `vision.synth`."""

from __future__ import annotations

import numpy as np

from vision.reading_tables import LaidTable
from vision.synth import decks, surface
from vision.synth.art import available
from vision.synth.decks import procedural
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


def photograph(laid: LaidTable, seed: int, hard: float = 0.7, procedural_only: bool = False) -> Photo:
    """Paint a laid table with held-out decks under the conditions of a seed; the same seed gives the same bytes."""
    rng = np.random.default_rng([seed, 51])
    pool = deck_pool(laid.four_corner, procedural_only)
    first = pool[int(rng.integers(len(pool)))]
    names = first, (first if rng.random() < 0.6 else pool[int(rng.integers(len(pool)))])
    tops = surface.surface(rng), surface.surface(rng)
    return shoot(rng, laid.scene, names, laid.camera, conditions(rng, hard), tops, seed)
