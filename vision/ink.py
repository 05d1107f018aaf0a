"""Index candidates from ink alone: a rank glyph over a suit glyph is two dark blobs on bright paper.

The detection network finds indices; this finds where their ink exactly is. Blobs of ink that could be a rank and the
suit below it give a candidate whose box is tight and whose direction is that of the two blobs; the classifier
then says which candidates are indices. Nothing is learnt here and nothing is decided here: most candidates are none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from vision.geometry import Array, Ints
from vision.images import resized
from vision.types import FloatArray, Image

WORK_SIDE = 2400
"""Pixels of the long side at which ink is looked for; smaller photos are enlarged, but at most twice."""
ENOUGH = 28.0
"""Pixels that the smallest index has in the picture where ink is looked for, at most: more show nothing new."""
_REACH = 41
"""Pixels over which the brightness of the paper is taken: wider than a stroke, narrower than a card."""
_LEVELS = (0.7, 0.5)
"""Shares of the paper's brightness below which a pixel is ink: the second parts blobs that the first joins."""
_DARK = 45.0
_SMALLEST, _LARGEST = 6, 170
_STAR_FILL = (0.36, 0.74)
"""Share of ink in the hull of a star: 0.52 for a five-pointed one of the usual depth, seen from any side."""
_TURNS = 256
MOST = 2500
"""Candidates kept at most; a table has 300 indices, patterned cloth could have any number."""


class Blobs(NamedTuple):
    """Blobs of ink: the middle and diagonal of each one's upright box, its extent in _TURNS directions, and the share
    of its convex hull that is ink.
    """

    middle: Array
    size: Array
    reach: Array
    fill: Array


def ink_candidates(image: Image, scale: float | None = None, sizes: tuple[float, float] | None = None) -> FloatArray:
    """Return (n, 4, 2) quads that might be indices, in pixels of the (height, width, 3) BGR image; n <= MOST.

    `scale` is the size at which ink is looked for, as a factor of the image's (default: by its long side). `sizes` are
    the least and the greatest height of an index in pixels, where something is known of them: large ones are looked for
    in a smaller picture, and blobs that fit none are passed over.
    """
    if scale is None:
        scale = min(2.0, WORK_SIDE / max(image.shape[:2]))
        if sizes is not None:
            scale = min(scale, ENOUGH / sizes[0])
    least, most = (0.0, math.inf) if sizes is None else (scale * sizes[0], scale * sizes[1])
    work = image
    if scale != 1.0:
        work = resized(image, round(image.shape[1] * scale), round(image.shape[0] * scale), fast=True)
    quads = [_pairs(blobs) for blobs in _levels(work, max(_SMALLEST, 0.2 * least), min(_LARGEST, 1.1 * most))]
    found = _without_repeats(np.concatenate(quads)) if quads else np.zeros((0, 4, 2))
    return np.asarray(found[:MOST] / scale, dtype=np.float32)


def _levels(work: Image, least: float, most: float) -> Iterator[Blobs]:
    """Yield the blobs of ink, from `least` to `most` pixels long, at each level of darkness against the paper."""
    import cv2

    blue, green, red = cv2.split(work)
    darkest = cv2.GaussianBlur(cv2.min(cv2.min(blue, green), red), (3, 3), 0)
    square = cv2.getStructuringElement(cv2.MORPH_RECT, (_REACH, _REACH))
    paper = cv2.blur(cv2.dilate(darkest, square), (_REACH, _REACH))
    bright = paper > max(_DARK, 0.3 * float(np.percentile(darkest[::4, ::4], 97)))
    for level in _LEVELS:
        limit = np.asarray(cv2.convertScaleAbs(paper, alpha=level), dtype=np.uint8)
        blobs = _blobs(((darkest < limit) & bright).view(np.uint8), least, most)
        if len(blobs.middle):
            yield blobs


def _blobs(ink: Image, least: float, most: float) -> Blobs:
    import cv2

    _, labels, boxes, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    wide, tall, area = boxes[:, 2], boxes[:, 3], boxes[:, 4]
    longest = np.maximum(wide, tall)
    good = (longest >= least) & (longest <= most) & (area >= 0.12 * wide * tall) & (np.minimum(wide, tall) >= 2)
    good[0] = False
    turns = np.arange(_TURNS) * (2 * math.pi / _TURNS)
    ways = np.stack([np.cos(turns), np.sin(turns)])
    middles, sizes, reaches, fills = [], [], [], []
    for number in np.flatnonzero(good)[:6000]:
        x, y, w, h = (int(value) for value in boxes[number, :4])
        part = (labels[y : y + h, x : x + w] == number).astype(np.uint8)
        outlines, _ = cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        points = np.concatenate([outline[:, 0] for outline in outlines])
        hull: Any = cv2.convexHull(points)[:, 0] + np.array([x, y], dtype=np.float64)
        middles.append((x + (w - 1) / 2, y + (h - 1) / 2))
        sizes.append(math.hypot(w, h))
        # Half a pixel more each way: contour points are pixel centres, boxes are pixel edges.
        reaches.append((hull @ ways).max(axis=0) + 0.5)
        # A hull through pixel centres lacks half a pixel all round.
        full = cv2.contourArea(hull.astype(np.float32)) + 0.5 * cv2.arcLength(hull.astype(np.float32), True) + 1
        fills.append(boxes[number, 4] / full)
    middle = np.array(middles).reshape(-1, 2) + 0.5
    reach = np.array(reaches).reshape(-1, _TURNS) + ways.sum(axis=0) / 2
    return Blobs(middle, np.array(sizes), reach, np.array(fills))


def _neighbours(blobs: Blobs, factor: float) -> tuple[Ints, Ints]:
    """Return ordered pairs (i, j), i != j, whose middles are at most `factor` times the size of i apart."""
    firsts, seconds = [], []
    order = np.argsort(blobs.middle[:, 0], kind="stable")
    xs = blobs.middle[order, 0]
    low = np.searchsorted(xs, blobs.middle[:, 0] - factor * blobs.size)
    high = np.searchsorted(xs, blobs.middle[:, 0] + factor * blobs.size)
    for number in range(len(blobs.size)):
        near = order[low[number] : high[number]]
        close = np.abs(blobs.middle[near, 1] - blobs.middle[number, 1]) <= factor * blobs.size[number]
        near = near[close & (near != number)]
        firsts.append(np.full(len(near), number))
        seconds.append(near)
    return np.concatenate(firsts).astype(np.int64), np.concatenate(seconds).astype(np.int64)


def _with_tens(blobs: Blobs) -> Blobs:
    """Add, as one blob each, two blobs of like size side by side: the two digits of a ten."""
    first, second = _neighbours(blobs, 1.0)
    keep = (first < second) & (np.abs(np.log(blobs.size[first] / blobs.size[second])) < 0.5)
    first, second = first[keep], second[keep]
    reach = np.maximum(blobs.reach[first], blobs.reach[second])
    right, down = reach[:, 0], reach[:, _TURNS // 4]
    left, up = -reach[:, _TURNS // 2], -reach[:, 3 * _TURNS // 4]
    size = np.hypot(right - left, down - up)
    compact = size < 1.55 * np.maximum(blobs.size[first], blobs.size[second])
    middle = np.stack([(left + right) / 2, (up + down) / 2], axis=1)
    return Blobs(
        np.concatenate([blobs.middle, middle[compact]]),
        np.concatenate([blobs.size, size[compact]]),
        np.concatenate([blobs.reach, reach[compact]]),
        np.concatenate([blobs.fill, np.ones(int(compact.sum()))]),
    )


def _span(reach: Array, turn: Ints) -> tuple[Array, Array]:
    """Return the least and the greatest extent of rows of `reach` along directions given by number."""
    rows = np.arange(len(turn))
    return -reach[rows, (turn + _TURNS // 2) % _TURNS], reach[rows, turn % _TURNS]


def _pairs(single: Blobs) -> Array:
    """Return the quads of rank-over-suit pairs, and of single blobs long enough to be a rank and suit that touch."""
    blobs = _with_tens(single)
    top, low = _neighbours(blobs, 1.9)
    ratio = blobs.size[low] / blobs.size[top]
    ok = (low < len(single.size)) & (ratio > 0.35) & (ratio < 1.6)
    top, low = top[ok], low[ok]
    above, below = blobs.reach[top], blobs.reach[low]
    offset = blobs.middle[low] - blobs.middle[top]
    for _ in range(3):
        turn = _turn(offset)
        down, right = _way(turn), _way(turn - _TURNS // 4)
        offset = _mid(below, turn, down, right) - _mid(above, turn, down, right)
    quads = _boxed(above, below, _turn(offset))
    return np.concatenate([quads, _lone(single), _stars(single)])


def _turn(offset: Array) -> Ints:
    angle = np.arctan2(offset[:, 1], offset[:, 0])
    return np.asarray(np.rint(angle * (_TURNS / (2 * math.pi))), dtype=np.int64) % _TURNS


def _way(turn: Ints) -> Array:
    angle = turn * (2 * math.pi / _TURNS)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _mid(reach: Array, turn: Ints, down: Array, right: Array) -> Array:
    """Middle of each blob's box in the frame whose down direction has the number `turn`."""
    start, end = _span(reach, turn)
    west, east = _span(reach, turn - _TURNS // 4)
    return np.asarray(right * ((west + east) / 2)[:, None] + down * ((start + end) / 2)[:, None])


def _boxed(above: Array, below: Array, turn: Ints) -> Array:
    """Return the quads of the pairs that have the proportions of an index."""
    start, rank_end = _span(above, turn)
    suit_start, end = _span(below, turn)
    rank_west, rank_east = _span(above, turn - _TURNS // 4)
    suit_west, suit_east = _span(below, turn - _TURNS // 4)
    rank_tall, suit_tall, tall = rank_end - start, end - suit_start, end - start
    rank_wide, suit_wide = rank_east - rank_west, suit_east - suit_west
    west, east = np.minimum(rank_west, suit_west), np.maximum(rank_east, suit_east)
    gap = suit_start - rank_end
    ok = (gap > -0.12 * tall) & (gap < 0.35 * tall) & (suit_tall > 0.3 * rank_tall) & (suit_tall < 1.5 * rank_tall)
    ok &= (tall > 1.2 * (east - west)) & (tall < 4.2 * (east - west)) & (rank_tall > 0.7 * rank_wide)
    ok &= (suit_wide < 3.0 * rank_wide) & (rank_wide < 3.2 * suit_wide)
    return _corners(turn[ok], west[ok], east[ok], start[ok], end[ok])


def _corners(turn: Ints, west: Array, east: Array, start: Array, end: Array) -> Array:
    down, right = _way(turn), _way(turn - _TURNS // 4)
    pieces = []
    for side, level in ((west, start), (east, start), (east, end), (west, end)):
        pieces.append(right * side[:, None] + down * level[:, None])
    return np.stack(pieces, axis=1)


def _lone(blobs: Blobs) -> Array:
    """Single blobs that are long: a rank grown together with its suit. Both directions are candidates."""
    half = _TURNS // 2
    spans = blobs.reach[:, :half] + blobs.reach[:, half:]
    best = spans[:, np.arange(half) - half // 2]
    area = spans * best
    turn = np.asarray(area.argmin(axis=1), dtype=np.int64)
    rows = np.arange(len(turn))
    sideways = spans[rows, turn] < best[rows, turn]
    turn = np.where(sideways, (turn + _TURNS // 4) % _TURNS, turn)
    quads = []
    for way in (turn, (turn + half) % _TURNS):
        start, end = _span(blobs.reach, way)
        west, east = _span(blobs.reach, way - _TURNS // 4)
        ratio = (end - start) / np.maximum(east - west, 1e-6)
        ok = (ratio > 1.35) & (ratio < 3.4) & (blobs.size >= 2 * _SMALLEST)
        quads.append(_corners(way[ok], west[ok], east[ok], start[ok], end[ok]))
    return np.concatenate(quads)


def _stars(blobs: Blobs) -> Array:
    """Blobs that may be the five-pointed star of a joker: round, their hull half empty, with five corners.

    A star gives five directions; the one nearest to upright in the picture is taken.
    """
    half = _TURNS // 2
    ok = (blobs.fill > _STAR_FILL[0]) & (blobs.fill < _STAR_FILL[1]) & (blobs.size >= 1.5 * _SMALLEST)
    reach, middle = blobs.reach[ok], blobs.middle[ok]
    spans = reach[:, :half] + reach[:, half:]
    # The extent about the middle of the box, so that only the shape is left in it.
    ways = np.exp(1j * np.arange(_TURNS) * (2 * math.pi / _TURNS))
    about = reach - middle[:, :1] * ways.real - middle[:, 1:] * ways.imag
    fifth = about @ (ways.conj() ** 5) / _TURNS
    star = (spans.min(axis=1) > 0.55 * spans.max(axis=1)) & (np.abs(fifth) > 0.008 * spans.mean(axis=1))
    reach, point = reach[star], np.angle(fifth[star]) / 5
    step = 2 * math.pi / 5
    point += step * np.rint((-math.pi / 2 - point) / step)
    turn = np.asarray(np.rint((point + math.pi) * (_TURNS / (2 * math.pi))), dtype=np.int64) % _TURNS
    start, end = _span(reach, turn)
    west, east = _span(reach, turn - _TURNS // 4)
    return _corners(turn, west, east, start, end)


def _without_repeats(quads: Array) -> Array:
    """Drop quads that lie within a few per cent of an earlier one: the two levels often see the same blobs."""
    if len(quads) == 0:
        return quads
    centre = quads.mean(axis=1)
    down = quads[:, 3] - quads[:, 0]
    tall = np.linalg.norm(down, axis=1)
    step = 0.08
    level = np.rint(np.log(np.maximum(tall, 1.0)) / step)
    unit = np.exp(level * step) * step
    angle = np.rint(np.arctan2(down[:, 1], down[:, 0]) / 0.12)
    keys = np.stack([np.rint(centre[:, 0] / unit), np.rint(centre[:, 1] / unit), level, angle], axis=1)
    first = np.unique(keys, axis=0, return_index=True)[1]
    return np.asarray(quads[np.sort(first)], dtype=np.float64)
