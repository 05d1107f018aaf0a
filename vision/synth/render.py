"""From a laid table to a photograph: camera, compositing with shadows, the light's and the lens's faults, the truth."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth import surface
from vision.synth.faces import HEIGHT, Box, Face, back, face
from vision.synth.layouts import BACK, Placed, Scene
from vision.synth.photo import Conditions, develop
from vision.truth import CardTruth, IndexTruth, MeldTruth, Quad, TableTruth

Array = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Rng = np.random.Generator
UPSIDE_DOWN = (2, 3)
PARTS = (1.0, 0.75, 0.55, 0.4)
"""Shares of a joker's mark that are tried, the longest first, until one is uncovered."""
WHOLE_PART = 0.85
LEAST_PART = 0.08 * HEIGHT
"""Face pixels: a shorter beginning of a mark says nothing."""


class Photo(NamedTuple):
    """A picture (BGR) and what is on it."""

    image: Array
    truth: TableTruth


@dataclass(frozen=True)
class Camera:
    """The homography from the table's plane (card heights) to pixels, with what it was made from."""

    matrix: Matrix
    width: int
    height: int
    tilt: float
    scale: float


def camera(
    width: int,
    height: int,
    focus: tuple[float, float],
    scale: float,
    tilt: float,
    turn: float,
    focal: float,
    centre: tuple[float, float] | None = None,
) -> Camera:
    """A camera that sees `focus` (card heights) at `centre` with `scale` px per card height; angles in radians."""
    cx, cy = centre if centre is not None else (width / 2, height / 2)
    ct, st = math.cos(tilt), math.sin(tilt)
    cz, sz = math.cos(turn), math.sin(turn)
    rotation = np.array([[1, 0, 0], [0, ct, st], [0, -st, ct]]) @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    target = np.array([focus[0], focus[1], 0.0])
    shift = -rotation @ target + np.array([0, 0, focal / scale])
    lens = np.array([[focal, 0, cx], [0, focal, cy], [0, 0, 1]])
    matrix = lens @ np.stack([rotation[:, 0], rotation[:, 1], shift], axis=1)
    return Camera(matrix, width, height, tilt, scale)


def project(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 2) through a homography; behind the camera gives far-away coordinates."""
    h = points @ matrix[:, :2].T + matrix[:, 2]
    depth = h[:, 2:]
    if depth.min() > 1e-6:
        return np.asarray(h[:, :2] / depth, np.float64)
    return np.asarray(np.where(depth > 1e-6, h[:, :2] / np.maximum(depth, 1e-6), 1e7), np.float64)


@functools.lru_cache(maxsize=400)
def _pyramid(deck_id: str, key: str, which: int) -> tuple[Array, ...]:
    image = back(deck_id, which) if key == BACK else face(deck_id, key).image
    flat = image.copy()
    edge = image[..., 3] < 255
    alpha = image[edge][:, 3:].astype(np.float32) / 255
    flat[edge, :3] = (image[edge][:, :3] * alpha + 245 * (1 - alpha)).astype(np.uint8)
    levels = [flat]
    while levels[-1].shape[0] > 40:
        last = levels[-1]
        levels.append(
            np.asarray(
                cv2.resize(last, (last.shape[1] // 2, last.shape[0] // 2), interpolation=cv2.INTER_AREA), np.uint8
            )
        )
    return tuple(levels)


def _pose(card: Placed, width: float, height: float) -> Matrix:
    """From a picture's pixels to the table's plane: the picture's height is one card height, its centre the card's."""
    c, s = math.cos(card.angle) / height, math.sin(card.angle) / height
    turn = np.array([[c, -s, card.x], [s, c, card.y], [0, 0, 1]])
    return np.asarray(turn @ np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]]))


def _quad(matrix: Matrix, x: float, y: float, w: float, h: float, turned: bool) -> NDArray[np.float64]:
    points = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float64)
    return project(matrix, np.roll(points, 2, axis=0) if turned else points)


def _as_quad(points: NDArray[np.float64]) -> Quad:
    a, b, c, d = ((round(float(x), 2), round(float(y), 2)) for x, y in points)
    return a, b, c, d


def _area(points: NDArray[np.float64]) -> float:
    corners: list[list[float]] = points.tolist()
    after = corners[1:] + corners[:1]
    return abs(sum(x * v - y * u for (x, y), (u, v) in zip(corners, after, strict=True))) / 2


class Canvas:
    """The picture being built: colours, and which card is uppermost at each pixel (-1: none)."""

    def __init__(self, cam: Camera, ground: Array) -> None:
        self.cam = cam
        self.image = ground
        self.owner = np.full((cam.height, cam.width), -1, np.int32)

    def window(self, points: NDArray[np.float64], margin: float) -> tuple[int, int, int, int] | None:
        """The part of the picture that the points can touch, or None when they are off it or cross the horizon."""
        if np.abs(points).max() > 1e5:
            return None
        x0, y0 = np.floor(points.min(axis=0) - margin).astype(int)
        x1, y1 = np.ceil(points.max(axis=0) + margin).astype(int) + 1
        x0, y0, x1, y1 = max(0, x0), max(0, y0), min(self.cam.width, x1), min(self.cam.height, y1)
        return (int(x0), int(y0), int(x1), int(y1)) if x1 - x0 > 1 and y1 - y0 > 1 else None

    def paint(
        self, levels: tuple[Array, ...], pose_of: Any, number: int, gain: float, shadow: tuple[float, float, float]
    ) -> None:
        """Lay one picture (and its soft shadow) on the canvas; `pose_of(w, h)` gives its pose on the table."""
        base = levels[0]
        corners = _quad(
            self.cam.matrix @ pose_of(base.shape[1], base.shape[0]), 0, 0, base.shape[1], base.shape[0], False
        )
        reach = math.sqrt(max(_area(corners), 1.0)) / math.sqrt(base.shape[1] / base.shape[0])
        window = self.window(corners, reach * 0.12)
        if window is None:
            return
        x0, y0, x1, y1 = window
        level = levels[int(np.clip(math.floor(math.log2(max(base.shape[0] / max(reach, 1), 1.0))), 0, len(levels) - 1))]
        matrix = (
            np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]]) @ self.cam.matrix @ pose_of(level.shape[1], level.shape[0])
        )
        size = (x1 - x0, y1 - y0)
        part = cv2.warpPerspective(level, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        alpha = np.asarray(part[..., 3], np.float32) / np.float32(255)
        spot = self.image[y0:y1, x0:x1].astype(np.float32)
        if shadow[2] > 0 and reach > 12:
            spot *= 1 - shadow[2] * self._shade(alpha, reach, shadow)[..., None]
        colour = part[..., :3].astype(np.float32) * gain
        spot += (colour - spot) * alpha[..., None]
        self.image[y0:y1, x0:x1] = np.clip(spot, 0, 255)
        self.owner[y0:y1, x0:x1][alpha > 0.5] = number

    @staticmethod
    def _shade(alpha: NDArray[np.float32], reach: float, shadow: tuple[float, float, float]) -> NDArray[np.float32]:
        k = max(1, int(reach * 0.035)) * 2 + 1
        shift = np.array([[1, 0, shadow[0] * reach], [0, 1, shadow[1] * reach]])
        moved = cv2.warpAffine(alpha, shift, (alpha.shape[1], alpha.shape[0]))
        return np.asarray(cv2.blur(moved, (k, k)), np.float32)

    def visible(self, points: NDArray[np.float64], number: int) -> float:
        """The share of a quad's area that shows the card of this number."""
        window = self.window(points, 1)
        area = _area(points)
        if window is None or area < 1:
            return 0.0
        x0, y0, x1, y1 = window
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, np.round((points - (x0, y0)) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        drawn = int(mask.sum())
        if drawn == 0:
            return 0.0
        seen = int(np.count_nonzero(mask & (self.owner[y0:y1, x0:x1] == number)))
        inside = points.min() >= 0 and points[:, 0].max() <= self.cam.width and points[:, 1].max() <= self.cam.height
        return min(1.0, seen / drawn if inside else seen / max(area, drawn))


def _ground(rng: Rng, cam: Camera, tops: tuple[Array, Array], span: float, edge: float) -> Array:
    def warped(top: Array, extent: float, turn: float) -> Array:
        s = extent / top.shape[0]
        c, n = math.cos(turn) * s, math.sin(turn) * s
        pose = np.array([[c, -n, -extent / 2], [n, c, -extent / 2], [0, 0, 1]])
        flags = cv2.INTER_LINEAR
        return np.asarray(
            cv2.warpPerspective(
                top, cam.matrix @ pose, (cam.width, cam.height), flags=flags, borderMode=cv2.BORDER_REFLECT_101
            ),
            np.uint8,
        )

    image = warped(tops[0], span, rng.uniform(0, 2 * math.pi) if rng.random() < 0.3 else 0.0)
    if edge > 0:
        corner = np.array([[-edge, -edge], [edge, -edge], [edge, edge], [-edge, edge]]) * np.array([1.0, 0.8])
        points = project(cam.matrix, corner)
        if np.abs(points).max() < 1e5:
            mask = np.zeros(image.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, points.astype(np.int32), 1)
            floor = cv2.resize(tops[1], (cam.width, cam.height))
            image = np.where(mask[..., None] > 0, image, (floor * 0.6).astype(np.uint8))
    return image


def shoot(
    rng: Rng,
    scene: Scene,
    decks: tuple[str, ...],
    cam: Camera,
    conditions: Conditions,
    tops: tuple[Array, Array],
    seed: int,
) -> Photo:
    """Draw the scene through the camera, develop it and write down the truth."""
    edge = rng.uniform(5.0, 8.0) if rng.random() < 0.4 else 0.0
    canvas = Canvas(cam, _ground(rng, cam, tops, float(rng.uniform(4, 11)), edge))
    angle, depth = rng.uniform(0, 2 * math.pi), rng.uniform(0.0, 0.035)
    shadow = (depth * math.cos(angle), depth * math.sin(angle), float(rng.uniform(0.15, 0.6)))
    things = [surface.clutter(rng) for _ in range(int(rng.integers(0, 5)))]
    spots = [_thing_spot(rng, scene) for _ in things]
    late = int(rng.integers(0, 2)) if rng.random() < 0.25 else 0
    for (picture, height), spot in list(zip(things, spots, strict=True))[late:]:
        _paint_thing(canvas, picture, height, spot, shadow)
    drawn = [card for card in scene.cards if _near(cam, card)]
    numbers = {id(card): number for number, card in enumerate(scene.cards)}
    for card in drawn:
        levels = _pyramid(decks[card.deck % len(decks)], card.key, card.deck)
        canvas.paint(levels, functools.partial(_pose, card), numbers[id(card)], float(rng.uniform(0.93, 1.02)), shadow)
    for (picture, height), spot in list(zip(things, spots, strict=True))[:late]:
        _paint_thing(canvas, picture, height, spot, shadow)
    image = develop(rng, canvas.image, conditions, cam.scale)
    return Photo(image, _truth(canvas, scene, decks, conditions, seed, drawn, numbers))


def _near(cam: Camera, card: Placed) -> bool:
    point = project(cam.matrix, np.array([[card.x, card.y]]))[0]
    reach = cam.scale * 1.6
    return bool(-reach < point[0] < cam.width + reach and -reach < point[1] < cam.height + reach)


def _thing_spot(rng: Rng, scene: Scene) -> Placed:
    host = scene.cards[int(rng.integers(len(scene.cards)))] if scene.cards else None
    x, y = (host.x, host.y) if host is not None else (0.0, 0.0)
    return Placed(0, "thing", x + rng.normal(0, 1.6), y + rng.normal(0, 1.6), rng.uniform(0, 2 * math.pi), "loose")


def _paint_thing(
    canvas: Canvas, picture: Array, height: float, spot: Placed, shadow: tuple[float, float, float]
) -> None:
    levels = [picture]
    while levels[-1].shape[0] > 60:
        last = levels[-1]
        levels.append(
            np.asarray(
                cv2.resize(last, (last.shape[1] // 2, last.shape[0] // 2), interpolation=cv2.INTER_AREA), np.uint8
            )
        )

    def pose(width: float, tall: float) -> Matrix:
        return np.asarray(_pose(spot, width, tall) @ np.eye(3)) if height == 1 else _scaled(spot, width, tall, height)

    canvas.paint(tuple(levels), pose, -2, 1.0, shadow)


def _scaled(spot: Placed, width: float, tall: float, height: float) -> Matrix:
    c, s = math.cos(spot.angle) * height / tall, math.sin(spot.angle) * height / tall
    turn = np.array([[c, -s, spot.x], [s, c, spot.y], [0, 0, 1]])
    return np.asarray(turn @ np.array([[1, 0, -width / 2], [0, 1, -tall / 2], [0, 0, 1]]))


def _seen(
    canvas: Canvas, pose: Matrix, box: Box, corner: int, number: int, parts: tuple[float, ...]
) -> tuple[NDArray[np.float64], float]:
    """The quad of an index and its visible share; a joker's long mark that is partly covered ends where it is covered.

    Words and pictures reach far into the card: in a column their beginning is all that shows, and it is the mark.
    """
    whole: tuple[NDArray[np.float64], float] | None = None
    x, y, w, h = box
    turned = corner in UPSIDE_DOWN
    for part in parts:
        if h >= w:
            low = max(h * part, min(h, LEAST_PART))
            cut = (x, y + h - low if turned else y, w, low)
        else:
            low = max(w * part, min(w, LEAST_PART))
            cut = (x + w - low if turned else x, y, low, h)
        points = _quad(canvas.cam.matrix @ pose, *cut, turned)
        share = canvas.visible(points, number)
        whole = whole or (points, share)
        if share >= WHOLE_PART:
            return points, share
    assert whole is not None
    return whole


def _index_truths(canvas: Canvas, pose: Matrix, picture: Face, number: int, name: str) -> list[IndexTruth]:
    out: list[IndexTruth] = []
    for corner, box in picture.boxes:
        points, share = _seen(canvas, pose, box, corner, number, PARTS if name == "JK" else PARTS[:1])
        if share > 0.05:
            out.append(IndexTruth(number, corner, name, _as_quad(points), round(share, 3)))
    return out


def _truth(
    canvas: Canvas,
    scene: Scene,
    decks: tuple[str, ...],
    conditions: Conditions,
    seed: int,
    drawn: list[Placed],
    numbers: dict[int, int],
) -> TableTruth:
    cards: list[CardTruth] = []
    indices: list[IndexTruth] = []
    for card in drawn:
        if card.face_down:
            continue
        number, name = numbers[id(card)], "JK" if card.key.startswith("JK") else card.key
        picture = face(decks[card.deck % len(decks)], card.key)
        width = picture.image.shape[1]
        pose = _pose(card, width, HEIGHT)
        points = _quad(canvas.cam.matrix @ pose, 0, 0, width, HEIGHT, False)
        share = canvas.visible(points, number)
        if share <= 0.005:
            continue
        cards.append(
            CardTruth(
                number,
                name,
                _as_quad(points),
                round(share, 3),
                card.role,
                card.side,
                card.meld,
                card.order,
                card.crosswise,
            )
        )
        indices += _index_truths(canvas, pose, picture, number, name)
    members: dict[int, list[int]] = {}
    for truth in cards:
        if truth.meld is not None:
            members.setdefault(truth.meld, []).append(truth.id)
    melds = tuple(MeldTruth(n, s, tuple(members[n]), layout) for n, s, layout in scene.melds if n in members)
    notes: dict[str, float | str] = {
        "tilt_deg": round(math.degrees(canvas.cam.tilt), 1),
        "step": round(scene.step, 3),
        "scale_px": round(canvas.cam.scale, 1),
        **conditions.notes(),
    }
    return TableTruth(canvas.cam.width, canvas.cam.height, seed, decks, notes, tuple(cards), tuple(indices), melds)
