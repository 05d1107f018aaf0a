"""Overlapping photos of one table become one list of cards, none of them counted twice.

Two photos are laid over each other in the table plane, where a card has one size: a single pair of equal cards fixes
how. The overlay holds only if many cards agree and if, where both photos look, they see the same cards. Photos that
do not overlap stay apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vision.geometry import Array
from vision.layout import Flat, flatten
from vision.types import CardSeen, CardsSeen

_NEAR = 0.3
"""Card heights by which one card may differ in place between two photos laid over each other."""
_SAME = 0.12
"""Cards of different faces that lie nearer than this are one card, misread in one of the photos."""
_LEAST = 4
_AGREE = 0.6
"""Share of the cards in the common part that both photos must see."""


@dataclass(frozen=True, eq=False)
class Merged:
    """Cards of one or several photos in one frame; `origins` says for every card (photo, card number there)."""

    seen: CardsSeen
    origins: tuple[tuple[int, int], ...]
    photos: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Overlay:
    """An affine map of the second photo's plane onto the first's (card heights), with the pairs that agree."""

    matrix: Array
    pairs: tuple[tuple[int, int], ...]

    def apply(self, points: Array) -> Array:
        return np.asarray(points @ self.matrix[:, :2].T + self.matrix[:, 2])


def merge_photos(photos: Sequence[CardsSeen]) -> list[Merged]:
    """Merge the photos that overlap; the others come back as they are, in their order."""
    flats = [flatten(seen) if seen.cards else None for seen in photos]
    groups: list[list[tuple[int, Array]]] = []
    for number, flat in enumerate(flats):
        home = None
        for group in groups:
            lead = flats[group[0][0]]
            if flat is None or lead is None:
                continue
            overlay = _overlay(photos[group[0][0]], lead, photos[number], flat)
            if overlay is not None:
                home = group
                group.append((number, overlay.matrix))
                break
        if home is None:
            groups.append([(number, np.array([[1.0, 0, 0], [0, 1.0, 0]]))])
    out = []
    for group in groups:
        if len(group) == 1:
            seen = photos[group[0][0]]
            origins = tuple((group[0][0], n) for n in range(len(seen.cards)))
            out.append(Merged(seen, origins, (group[0][0],)))
        else:
            out.append(_merge(photos, [f for f in flats], group))
    return out


def _overlay(one: CardsSeen, flat: Flat, two: CardsSeen, other: Flat) -> _Overlay | None:
    """How the second photo lies over the first, or None when nothing says that it does."""
    names = np.array([[a.card == b.card for b in two.cards] for a in one.cards])
    best: _Overlay | None = None
    for a, b in zip(*np.nonzero(names), strict=True):
        for turn in (0.0, math.pi):
            matrix = _rigid(flat, other, int(a), int(b), turn)
            pairs = _pairs(flat, other, names, matrix, 0.8)
            if len(pairs) >= _LEAST and (best is None or len(pairs) > len(best.pairs)):
                best = _Overlay(matrix, pairs)
    if best is None:
        return None
    for reach in (0.5, _NEAR):
        matrix = _fitted(flat, other, best.pairs)
        best = _Overlay(matrix, _pairs(flat, other, names, matrix, reach))
        if len(best.pairs) < _LEAST:
            return None
    return best if _same_scene(flat, other, best) else None


def _rigid(flat: Flat, other: Flat, a: int, b: int, turn: float) -> Array:
    angle = math.atan2(flat.down[a, 1], flat.down[a, 0]) - math.atan2(other.down[b, 1], other.down[b, 0]) + turn
    c, s = math.cos(angle), math.sin(angle)
    rotation = np.array([[c, -s], [s, c]])
    return np.column_stack([rotation, flat.centre[a] - rotation @ other.centre[b]])


def _pairs(flat: Flat, other: Flat, names: Array, matrix: Array, reach: float) -> tuple[tuple[int, int], ...]:
    """Pairs of equal cards that fall on each other, nearest first, each card once."""
    moved = other.centre @ matrix[:, :2].T + matrix[:, 2]
    axes = other.down @ matrix[:, :2].T
    axes = axes / np.linalg.norm(axes, axis=1)[:, None]
    gaps = np.linalg.norm(flat.centre[:, None] - moved[None], axis=2)
    good = names & (gaps < reach) & (np.abs(flat.down @ axes.T) > 0.92)
    ranked = sorted((float(gaps[a, b]), int(a), int(b)) for a, b in zip(*np.nonzero(good), strict=True))
    used_a: set[int] = set()
    used_b: set[int] = set()
    out = []
    for _, a, b in ranked:
        if a not in used_a and b not in used_b:
            used_a.add(a)
            used_b.add(b)
            out.append((a, b))
    return tuple(out)


def _fitted(flat: Flat, other: Flat, pairs: Sequence[tuple[int, int]]) -> Array:
    """The map that carries the paired cards onto each other best: a similarity, with six pairs or more affine."""
    to = flat.centre[[a for a, _ in pairs]]
    of = other.centre[[b for _, b in pairs]]
    spread = np.linalg.svd(of - of.mean(axis=0), compute_uv=False)
    if len(pairs) >= 6 and spread[-1] > 0.8:
        design = np.column_stack([of, np.ones(len(of))])
        return np.asarray(np.linalg.lstsq(design, to, rcond=None)[0].T)
    a, b = of - of.mean(axis=0), to - to.mean(axis=0)
    cosine = float((a * b).sum())
    sine = float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())
    size = math.hypot(cosine, sine) or 1.0
    scale = min(1.15, max(0.87, size / max(float((a * a).sum()), 1e-9)))
    rotation = scale * np.array([[cosine, -sine], [sine, cosine]]) / size
    return np.column_stack([rotation, to.mean(axis=0) - rotation @ of.mean(axis=0)])


def _same_scene(flat: Flat, other: Flat, overlay: _Overlay) -> bool:
    """True when most cards that lie where both photos look are seen by both."""
    moved = overlay.apply(other.centre)
    paired_a = {a for a, _ in overlay.pairs}
    paired_b = {b for _, b in overlay.pairs}
    low = np.maximum(flat.centre.min(axis=0), moved.min(axis=0)) - 0.1
    high = np.minimum(flat.centre.max(axis=0), moved.max(axis=0)) + 0.1
    mine = [n for n in range(len(flat.centre)) if (flat.centre[n] >= low).all() and (flat.centre[n] <= high).all()]
    theirs = [n for n in range(len(moved)) if (moved[n] >= low).all() and (moved[n] <= high).all()]
    return sum(n in paired_a for n in mine) >= _AGREE * len(mine) and sum(
        n in paired_b for n in theirs
    ) >= _AGREE * len(theirs)


def _merge(photos: Sequence[CardsSeen], flats: Sequence[Flat | None], group: list[tuple[int, Array]]) -> Merged:
    """All cards of a group of photos in the plane of its first photo, in pixels."""
    lead = flats[group[0][0]]
    assert lead is not None
    cards: list[CardSeen] = []
    centres: list[Array] = []
    downs: list[Array] = []
    origins: list[tuple[int, int]] = []
    for number, matrix in group:
        flat = flats[number]
        assert flat is not None
        moved = flat.centre @ matrix[:, :2].T + matrix[:, 2]
        before = len(cards)
        for n, card in enumerate(photos[number].cards):
            down = matrix[:, :2] @ flat.down[n]
            twin = _twin(centres[:before], downs[:before], cards, moved[n], down / np.linalg.norm(down), card)
            shown = _moved(card, flat, matrix, lead.unit)
            if twin is None:
                cards.append(shown)
                centres.append(moved[n])
                downs.append(down / np.linalg.norm(down))
                origins.append((number, n))
            elif card.confidence > cards[twin].confidence:
                cards[twin], origins[twin] = shown, (number, n)
    low = np.min([card.quad.min(axis=0) for card in cards], axis=0) - lead.unit
    high = np.max([card.quad.max(axis=0) for card in cards], axis=0) + lead.unit
    shifted = tuple(_shifted(card, low) for card in cards)
    notices = tuple(dict.fromkeys(code for number, _ in group for code in photos[number].notices))
    width, height = (high - low).tolist()
    return Merged(CardsSeen(shifted, int(width), int(height), notices), tuple(origins), tuple(n for n, _ in group))


def _twin(
    centres: Sequence[Array],
    downs: Sequence[Array],
    cards: Sequence[CardSeen],
    place: Array,
    down: Array,
    card: CardSeen,
) -> int | None:
    """The card already there that is this very card: the same face near by, or any face at the same spot."""
    best: tuple[float, int] | None = None
    for n, (centre, axis) in enumerate(zip(centres, downs, strict=True)):
        far = float(np.linalg.norm(centre - place))
        reach = _NEAR if cards[n].card == card.card else _SAME
        if far < reach and abs(float(axis @ down)) > 0.92 and (best is None or far < best[0]):
            best = far, n
    return best[1] if best is not None else None


def _moved(card: CardSeen, flat: Flat, matrix: Array, unit: float) -> CardSeen:
    def move(quad: npt.ArrayLike) -> Array:
        plane = flat.plane.project(quad) / flat.unit
        return np.asarray((plane @ matrix[:, :2].T + matrix[:, 2]) * unit, dtype=np.float32)

    return _placed(card, move(card.quad), tuple(move(mark.quad) for mark in card.marks))


def _placed(card: CardSeen, quad: Array, marks: Sequence[Array]) -> CardSeen:
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    length = float(np.linalg.norm(up))
    low, high = quad.min(axis=0), quad.max(axis=0)
    pairs = zip(marks, card.marks, strict=True)
    moved = tuple(replace(m, quad=np.asarray(q, dtype=np.float32)) for q, m in pairs)
    return CardSeen(
        card.card, card.confidence, card.alternatives, moved, np.asarray(quad, dtype=np.float32),
        (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])),
        np.asarray(up / max(length, 1e-9), dtype=np.float32), length,
    )  # fmt: skip


def _shifted(card: CardSeen, low: Array) -> CardSeen:
    return _placed(card, card.quad - low, tuple(mark.quad - low for mark in card.marks))
