"""Plane geometry of the reader: quads, their overlap, and the table plane recovered from the indices themselves.

Nothing here knows a card. A `TablePlane` maps image pixels to a plane seen straight from above, in which every
index of a deck is the same upright rectangle, so that one card is one rigid shape wherever it lies in the photo.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_MAX_TILT = math.radians(62)
_LENGTH_NOISE, _BEARING_NOISE = 0.03, 0.08
"""By how much, as a share and in radians, offsets between corners of cards of one design differ in the right plane."""
_PAIR_WEIGHT = 1.5
"""What a pair of corners weighs against an index: lengths of cards tell more of a tilt than those of their indices."""
_SEARCHED = 3
"""How many of the best first guesses are followed where pairs of corners are known."""
_EDGE_NOISE_PX = 1.2
"""Pixels by which a detected corner strays; sets how much an angle or a height of a small index is believed."""


@dataclass(frozen=True, eq=False)
class TablePlane:
    """A homography between the photo and the table seen from above. Scale: one unit is about one pixel mid-photo."""

    to_plane: Array
    to_image: Array

    @classmethod
    def flat(cls) -> TablePlane:
        """The plane of a photo taken straight from above: the identity."""
        return cls(np.eye(3), np.eye(3))

    def project(self, points: npt.ArrayLike) -> Array:
        """Map (..., 2) image points to the plane."""
        return project(self.to_plane, points)

    def unproject(self, points: npt.ArrayLike) -> Array:
        """Map (..., 2) plane points to the image."""
        return project(self.to_image, points)


def project(homography: Array, points: npt.ArrayLike) -> Array:
    """Map (..., 2) points through a 3 x 3 homography.

    >>> project(np.diag([2.0, 2.0, 1.0]), [[1, 2]]).tolist()
    [[2.0, 4.0]]
    """
    flat = np.asarray(points, dtype=np.float64)
    mapped = flat @ homography[:, :2].T + homography[:, 2]
    return np.asarray(mapped[..., :2] / mapped[..., 2:], dtype=np.float64)


def frames(quads: Array) -> tuple[Array, Array, Array, Array]:
    """Return centres (n, 2), unit right and unit down vectors (n, 2) and heights (n,) of (n, 4, 2) quads.

    The two axes are made perpendicular, the down axis leading: the sides of an index are longer than its top.
    """
    down = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    height = np.linalg.norm(down, axis=1)
    down = down / np.maximum(height, 1e-9)[:, None]
    right = np.stack([down[:, 1], -down[:, 0]], axis=1)
    return quads.mean(axis=1), right, down, height


def _rectifiers(params: Array, width: int, height: int) -> Array:
    """(p, 3, 3) homographies, one for each row (tilt x, tilt y in radians, log of focal length over the long side).

    Each turns the camera by the rotation vector (tilt x, tilt y, 0) about the photo's middle.
    """
    focal = np.exp(params[:, 2]) * max(width, height)
    angle = np.hypot(params[:, 0], params[:, 1])
    x, y = params[:, 0] / np.maximum(angle, 1e-12), params[:, 1] / np.maximum(angle, 1e-12)
    sine, rest = np.sin(angle), 1 - np.cos(angle)
    turn = np.zeros((len(params), 3, 3))
    turn[:, 0, 0], turn[:, 1, 1], turn[:, 2, 2] = 1 - rest * y * y, 1 - rest * x * x, 1 - rest * (x * x + y * y)
    turn[:, 0, 1] = turn[:, 1, 0] = rest * x * y
    turn[:, 0, 2], turn[:, 2, 0] = sine * y, -sine * y
    turn[:, 1, 2], turn[:, 2, 1] = -sine * x, sine * x
    camera, back = np.zeros_like(turn), np.zeros_like(turn)
    camera[:, 0, 0] = camera[:, 1, 1] = focal
    back[:, 0, 0] = back[:, 1, 1] = 1 / focal
    camera[:, 2, 2] = back[:, 2, 2] = 1.0
    camera[:, 0, 2], camera[:, 1, 2] = width / 2, height / 2
    back[:, 0, 2], back[:, 1, 2] = -width / 2 / focal, -height / 2 / focal
    return np.asarray(camera @ turn @ back, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of indices that may be two corners of one card: their numbers, and which two corners they would be.

    In the right plane the offsets of one `kind` (n,) crowd at few places, one for each design; wrong pairs do nowhere.
    """

    first: Ints
    second: Ints
    kind: Ints

    def disorder(self, centre: Array, down: Array) -> Array:
        """(p,) Entropies of the pairs' distances across and down, from the marks' middles and unit down axes (p, n, 2).

        A row knows a distance across and none down, a column the other way round, a diagonal both: all must agree.
        """
        offset = centre[:, self.second] - centre[:, self.first]
        one, two = down[:, self.first], down[:, self.second]
        axis = one + two * np.sign((one * two).sum(axis=2, keepdims=True))
        axis = axis / np.maximum(np.linalg.norm(axis, axis=2, keepdims=True), 1e-9)
        along = np.abs((offset * axis).sum(axis=2))
        across = np.abs(offset[..., 0] * axis[..., 1] - offset[..., 1] * axis[..., 0])
        wide, tall = self.kind != 1, self.kind != 0
        gaps = _gaps(across, wide) + _gaps(along, tall)
        off = np.arctan2(np.where(tall, across, along), np.where(tall, along, across)) / _BEARING_NOISE
        straight = np.where(wide & tall, 1.0, np.exp(-np.square(off) / 2))
        near = np.exp(-gaps / 2) * straight[:, :, None] * straight[:, None]
        near = near * ((wide[:, None] & wide[None]) | (tall[:, None] & tall[None]))
        return np.asarray(-np.log(1 + near.sum(axis=2)).sum(axis=1), dtype=np.float64)


def _gaps(distances: Array, known: Flags) -> Array:
    """(p, k, k) squared differences of logarithms of (p, k) distances, in noises; 0 where one of the two is unknown."""
    logs = np.log(np.maximum(distances, 1e-9)) / _LENGTH_NOISE
    return np.asarray(np.square(logs[:, :, None] - logs[:, None]) * (known[:, None] & known[None]))


@dataclass(frozen=True, eq=False)
class _Misfit:
    """How badly planes explain the indices: they must be right-angled and, within a size group, equally tall."""

    quads: Array
    weights: Array
    groups: tuple[Ints, ...]
    size: tuple[int, int]
    pairs: Pairs | None = None

    def costs(self, params: Array) -> Array:
        """(p,) Cauchy losses of (p, 3) planes: a wrong detection or a joker's odd mark must not tilt the table."""
        homographies = _rectifiers(params, *self.size)
        depth = self.quads @ homographies[:, None, 2, :2, None] + homographies[:, None, None, 2:, 2]
        flat = self.quads @ homographies[:, None, :2, :2].transpose(0, 1, 3, 2) + homographies[:, None, None, :2, 2]
        bad = depth.min(axis=(1, 2, 3)) < 0.15
        flat = flat / np.maximum(depth, 0.1)
        down = (flat[:, :, 3] + flat[:, :, 2] - flat[:, :, 0] - flat[:, :, 1]) / 2
        across = (flat[:, :, 1] + flat[:, :, 2] - flat[:, :, 0] - flat[:, :, 3]) / 2
        tall, wide = np.linalg.norm(down, axis=2), np.linalg.norm(across, axis=2)
        skew = (down * across).sum(axis=2) / np.maximum(tall * wide, 1e-9)
        log_tall = np.log(np.maximum(tall, 1e-9))
        stray = np.empty_like(log_tall)
        for members in self.groups:
            heights = log_tall[:, members]
            stray[:, members] = heights - np.median(heights, axis=1, keepdims=True)
        upper = np.linalg.norm(flat[:, :, 1] - flat[:, :, 0], axis=2)
        keystone = (upper - np.linalg.norm(flat[:, :, 2] - flat[:, :, 3], axis=2)) / np.maximum(wide, 1e-9)
        weights = self.weights
        losses = np.log1p(np.square(skew * weights * 0.5)) + np.log1p(np.square(stray * weights * 0.6))
        losses += np.log1p(np.square(keystone * weights * 0.15))
        prior = np.log1p(np.square(params[:, :2] / 0.5)).sum(axis=1)
        prior += np.log1p(np.square((params[:, 2] - math.log(0.85)) / 0.25))
        total = losses.sum(axis=1) + prior
        if self.pairs is not None:
            axis = down / np.maximum(tall, 1e-9)[..., None]
            total = total + _PAIR_WEIGHT * self.pairs.disorder(flat.mean(axis=2), axis)
        worst = (3 * self.quads.shape[0] + 3) * math.log1p(1e6)
        return np.asarray(np.where(bad, worst, total), dtype=np.float64)


def fit_plane(
    quads: Array, size: tuple[int, int], groups: Ints | None = None, pairs: Pairs | None = None
) -> TablePlane:
    """Return the table plane in which (n, 4, 2) index quads become equal upright rectangles.

    `size` is (width, height) of the photo in pixels; `groups` (n,) numbers the marks whose heights are comparable
    (jokers' marks have a group of their own); `pairs` of them that may be corners of one card must lie alike. With
    fewer than three marks the photo is taken as seen from above.
    """
    quads = np.asarray(quads, dtype=np.float64)
    if len(quads) < 3:
        return TablePlane.flat()
    groups = np.zeros(len(quads), dtype=np.int64) if groups is None else groups
    heights = frames(quads)[3]
    weights = np.clip(heights / _EDGE_NOISE_PX, 1.0, 30.0)
    misfit = _Misfit(quads, weights, tuple(np.flatnonzero(groups == group) for group in np.unique(groups)), size, pairs)
    usual = math.log(0.85)
    starts = np.array([(0.0, 0.0, usual), *(
        (tilt * math.cos(turn), tilt * math.sin(turn), usual)
        for tilt in np.radians([12.0, 25.0, 38.0, 50.0])
        for turn in np.arange(12) * (math.pi / 6)
    )])  # fmt: skip
    costs = misfit.costs(starts)
    followed = np.argsort(costs, kind="stable")[: _SEARCHED if pairs is not None else 1]
    found = [_pattern_search(starts[number], float(costs[number]), misfit) for number in followed.tolist()]
    best = found[0] if len(found) == 1 else found[int(misfit.costs(np.array(found)).argmin())]
    homography = _rectifiers(best[None], *size)[0]
    return TablePlane(homography, np.asarray(np.linalg.inv(homography), dtype=np.float64))


def _pattern_search(start: Array, cost: float, misfit: _Misfit) -> Array:
    """Minimise by trying steps along each parameter, halving the step when none helps: no derivative, no surprise."""
    best = start
    step = np.array([0.1, 0.1, 0.12])
    moves = np.array([sign * np.eye(3)[axis] for axis in range(3) for sign in (1.0, -1.0)])
    while step[0] > 0.002:
        improved = False
        axis = 0
        while axis < 3:
            trials = best + moves[2 * axis :] * step
            costs = misfit.costs(trials)
            costs[np.hypot(trials[:, 0], trials[:, 1]) > _MAX_TILT] = math.inf
            better = np.flatnonzero(costs < cost - 1e-9)
            if len(better) == 0:
                break
            which = int(better[0])
            best, cost, improved = trials[which], float(costs[which]), True
            axis += which // 2 + 1
        if not improved:
            step = step / 2
    return best


def quad_overlap(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[float, float]:
    """Return (intersection over union, intersection over the smaller area) of two convex quads, both 0..1."""
    import cv2

    one = np.asarray(first, dtype=np.float32)
    two = np.asarray(second, dtype=np.float32)
    areas = abs(cv2.contourArea(one)), abs(cv2.contourArea(two))
    if min(areas) < 1e-6:
        return 0.0, 0.0
    shared = float(cv2.intersectConvexConvex(one, two)[0])
    return shared / max(areas[0] + areas[1] - shared, 1e-6), shared / min(areas)


def inside_quad(point: npt.ArrayLike, quad: npt.ArrayLike) -> bool:
    """Say whether a point (2,) lies in a convex quad (4, 2), its edge included.

    >>> square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    >>> inside_quad((1, 1), square), inside_quad((3, 1), square)
    (True, False)
    """
    corners = np.asarray(quad, dtype=np.float64)
    edges, offsets = np.roll(corners, -1, axis=0) - corners, np.asarray(point, dtype=np.float64) - corners
    turns = edges[:, 0] * offsets[:, 1] - edges[:, 1] * offsets[:, 0]
    return bool((turns >= 0).all() or (turns <= 0).all())


def suppress(quads: Array, scores: Array, union: float = 0.35, inside: float = 0.7) -> list[int]:
    """Return the numbers of the quads to keep, strongest first: of overlapping quads only the strongest stays.

    Two quads clash when they share more than `union` of their union or `inside` of the smaller one.
    """
    order = np.argsort(-np.asarray(scores), kind="stable")
    if len(quads) == 0:
        return []
    centres = np.asarray(quads, dtype=np.float64).mean(axis=1)
    reach = np.linalg.norm(np.asarray(quads) - centres[:, None], axis=2).max(axis=1)
    places, reaches = np.empty_like(centres), np.empty_like(reach)
    kept: list[int] = []
    for number in order.tolist():
        count = len(kept)
        offsets = places[:count] - centres[number]
        touching = np.einsum("ij,ij->i", offsets, offsets) < (reaches[:count] + reach[number]) ** 2
        clash = False
        for place in np.flatnonzero(touching).tolist():
            shared = quad_overlap(quads[number], quads[kept[place]])
            if shared[0] > union or shared[1] > inside:
                clash = True
                break
        if not clash:
            places[count], reaches[count] = centres[number], reach[number]
            kept.append(number)
    return kept
