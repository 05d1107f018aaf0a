"""Plain places for the look at jokers to learn from: gaps and ends of chains of cards.

Cards of a meld lie in steps, so their indices do. Half way of a wide step, and one step beyond the last card, lies
mostly paper or cloth, now and then a joker; the detector proposes few of such places, so the look would never see them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.geometry import Array
from vision.joker_look import local_heights, sure_marks
from vision.types import IndexMark

_PARALLEL = 0.96
_NEAREST, _FARTHEST, _END = 0.45, 6.0, 3.2
"""Distances of neighbours in index heights: at least, at most, and at most for a chain that goes on by one more."""
_GAP = 0.9
"""A step from here on may hide another index half way."""
_SIDEWAYS = 0.5
_UNLIKE = 0.3
"""The most that the logarithms of neighbours' heights differ."""
_APART = 0.35
"""Places nearer than this many index heights are one."""


def chain_places(marks: Sequence[IndexMark]) -> Array:
    """Return the middles (n, 2), in image pixels, of gaps and ends of chains of sure marks where no mark lies."""
    sure = sure_marks(marks)
    if len(sure) < 2:
        return np.zeros((0, 2))
    middles = np.array([mark.centre for mark in sure], dtype=np.float64)
    heights = np.array([mark.height for mark in sure], dtype=np.float64)
    quads = np.array([mark.quad for mark in sure], dtype=np.float64)
    down = (quads[:, [2, 3]] - quads[:, [0, 1]]).sum(axis=1)
    down /= np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-9)
    places = np.array(_steps(middles, heights, down)).reshape(-1, 2)
    if len(places) == 0:
        return places
    tall = local_heights(places, middles, heights)
    taken = np.array([mark.centre for mark in marks], dtype=np.float64)
    reach = 0.5 * np.array([mark.height for mark in marks])
    free = (np.linalg.norm(places[:, None] - taken[None], axis=2) > reach).all(axis=1)
    kept: list[int] = []
    for number in np.flatnonzero(free).tolist():
        if all(np.linalg.norm(places[number] - places[other]) > _APART * tall[number] for other in kept):
            kept.append(number)
    return np.asarray(places[kept])


def _steps(middles: Array, heights: Array, down: Array) -> list[Array]:
    """Return half way points of wide steps between neighbours that stand alike, and the next step beyond each."""
    offsets = middles[None] - middles[:, None]
    gaps = np.linalg.norm(offsets, axis=2)
    both = np.sqrt(heights[:, None] * heights[None])
    like = np.abs(np.log(heights[:, None] / heights[None])) < _UNLIKE
    pairs = (down @ down.T > _PARALLEL) & like & (gaps > _NEAREST * both) & (gaps < _FARTHEST * both)
    out = []
    for first, second in np.argwhere(pairs).tolist():
        step, gap, unit = offsets[first, second], gaps[first, second], both[first, second]
        along, aside = offsets[first] @ step / gap, np.abs(offsets[first] @ np.array([-step[1], step[0]])) / gap
        if ((along > 0.2 * unit) & (along < gap - 0.2 * unit) & (aside < _SIDEWAYS * unit)).any():
            continue  # not neighbours
        if gap > _GAP * unit:
            out.append(middles[first] + step / 2)
        if gap < _END * unit:
            out.append(middles[second] + step)
    return out
