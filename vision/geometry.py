"""Plane geometry of the reader: quads, their overlap, and the table plane recovered from the indices themselves.

Nothing here knows a card. A `TablePlane` maps image pixels to a plane seen straight from above, in which every
index of a deck is the same upright rectangle, so that one card is one rigid shape wherever it lies in the photo.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_MAX_TILT = math.radians(62)
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


def _rectifier(tilt: Array, focal: float, width: int, height: int) -> Array:
    """Homography that turns the camera by the rotation vector (tilt x, tilt y, 0) radians about the photo's middle."""
    camera = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
    angle = float(np.hypot(tilt[0], tilt[1]))
    if angle < 1e-9:
        return np.eye(3)
    x, y = tilt[0] / angle, tilt[1] / angle
    cross = np.array([[0, 0, y], [0, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross)
    return np.asarray(camera @ turn @ np.linalg.inv(camera), dtype=np.float64)


def _residuals(params: Array, quads: Array, weights: Array, groups: Ints, size: tuple[int, int]) -> Array:
    """Normalised misfits: indices must be right-angled and, within a size group, equally tall."""
    width, height = size
    focal = math.exp(params[2]) * max(size)
    homography = _rectifier(params[:2], focal, width, height)
    depth = quads @ homography[2, :2] + homography[2, 2]
    if depth.min() < 0.15:
        return np.full(3 * len(quads) + 3, 1e3)
    flat = project(homography, quads)
    down = (flat[:, 3] + flat[:, 2] - flat[:, 0] - flat[:, 1]) / 2
    across = (flat[:, 1] + flat[:, 2] - flat[:, 0] - flat[:, 3]) / 2
    tall, wide = np.linalg.norm(down, axis=1), np.linalg.norm(across, axis=1)
    skew = np.einsum("ij,ij->i", down, across) / np.maximum(tall * wide, 1e-9)
    log_tall = np.log(np.maximum(tall, 1e-9))
    stray = np.empty_like(log_tall)
    for group in np.unique(groups):
        inside = groups == group
        stray[inside] = log_tall[inside] - np.median(log_tall[inside])
    keystone = np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1) - np.linalg.norm(flat[:, 2] - flat[:, 3], axis=1)
    pieces = [
        skew * weights * 0.5,
        stray * weights * 0.6,
        keystone / np.maximum(wide, 1e-9) * weights * 0.15,
        np.array([params[0], params[1]]) / 0.5,
        np.array([(params[2] - math.log(0.85)) / 0.25]),
    ]
    return np.concatenate(pieces)


def _cost(residuals: Array) -> float:
    """Cauchy loss: a wrong detection or a joker's odd mark must not tilt the table."""
    return float(np.log1p(np.square(residuals)).sum())


def fit_plane(quads: Array, size: tuple[int, int], groups: Ints | None = None) -> TablePlane:
    """Return the table plane in which (n, 4, 2) index quads become equal upright rectangles.

    `size` is (width, height) of the photo in pixels; `groups` (n,) numbers the marks whose heights are comparable
    (jokers' marks have a group of their own). With fewer than three marks the photo is taken as seen from above.
    """
    quads = np.asarray(quads, dtype=np.float64)
    if len(quads) < 3:
        return TablePlane.flat()
    groups = np.zeros(len(quads), dtype=np.int64) if groups is None else groups
    heights = frames(quads)[3]
    weights = np.clip(heights / _EDGE_NOISE_PX, 1.0, 30.0)
    best = np.array([0.0, 0.0, math.log(0.85)])
    best_cost = _cost(_residuals(best, quads, weights, groups, size))
    for tilt in np.radians([12.0, 25.0, 38.0, 50.0]):
        for turn in np.arange(12) * (math.pi / 6):
            trial = np.array([tilt * math.cos(turn), tilt * math.sin(turn), math.log(0.85)])
            cost = _cost(_residuals(trial, quads, weights, groups, size))
            if cost < best_cost:
                best, best_cost = trial, cost
    best = _pattern_search(best, best_cost, (quads, weights, groups, size))
    homography = _rectifier(best[:2], math.exp(best[2]) * max(size), *size)
    return TablePlane(homography, np.asarray(np.linalg.inv(homography), dtype=np.float64))


def _pattern_search(start: Array, cost: float, data: tuple[Any, ...]) -> Array:
    """Minimise by trying steps along each parameter, halving the step when none helps: no derivative, no surprise."""
    best = start
    step = np.array([0.1, 0.1, 0.12])
    while step[0] > 0.002:
        improved = False
        for axis in range(3):
            for sign in (1.0, -1.0):
                trial = best.copy()
                trial[axis] += sign * step[axis]
                if np.hypot(trial[0], trial[1]) > _MAX_TILT:
                    continue
                trial_cost = _cost(_residuals(trial, *data))
                if trial_cost < cost - 1e-9:
                    best, cost, improved = trial, trial_cost, True
                    break
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


def suppress(quads: Array, scores: Array, union: float = 0.35, inside: float = 0.7) -> list[int]:
    """Return the numbers of the quads to keep, strongest first: of overlapping quads only the strongest stays.

    Two quads clash when they share more than `union` of their union or `inside` of the smaller one.
    """
    order = np.argsort(-np.asarray(scores), kind="stable")
    centres = np.asarray(quads, dtype=np.float64).mean(axis=1) if len(quads) else np.zeros((0, 2))
    reach = np.linalg.norm(np.asarray(quads) - centres[:, None], axis=2).max(axis=1) if len(quads) else np.zeros(0)
    kept: list[int] = []
    for number in order.tolist():
        near = [k for k in kept if np.linalg.norm(centres[k] - centres[number]) < reach[k] + reach[number]]
        clash = False
        for other in near:
            shared = quad_overlap(quads[number], quads[other])
            if shared[0] > union or shared[1] > inside:
                clash = True
                break
        if not clash:
            kept.append(number)
    return kept
