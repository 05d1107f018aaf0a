"""Whole photographs and training tiles from a seed: what is on the table, which decks, how the camera looks."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from vision.synth import art, decks, layouts, surface
from vision.synth.decks import procedural
from vision.synth.faces import face
from vision.synth.photo import conditions
from vision.synth.render import Camera, Photo, camera, project, shoot

Rng = np.random.Generator
MAX_TILT = math.radians(45)


def _deck_ids(rng: Rng, split: str) -> tuple[str, str]:
    pool = decks.training(art.available()) if split == "train" else decks.held_out(art.available())
    procedural_ids = [name for name in pool if name.startswith("p")]
    drawn = [name for name in pool if name.startswith("a")]
    weight = 0.2 if split == "train" else 0.3

    def one() -> str:
        group = drawn if drawn and rng.random() < weight else procedural_ids
        return group[int(rng.integers(len(group)))]

    first = one()
    return first, (first if rng.random() < 0.45 else one())


def _index_share(deck_id: str) -> float:
    """The index's height as a share of the card's."""
    if deck_id.startswith("p"):
        spec = procedural(deck_id)
        return spec.rank_h + spec.suit_h + spec.gap
    boxes = face(deck_id, "5h").boxes
    return boxes[0][1][3] / 480 if boxes else 0.18


def _tilt(rng: Rng) -> float:
    return float(min(MAX_TILT, abs(rng.normal(0, 0.35))))


def _scene(rng: Rng, aspect: float) -> layouts.Scene:
    kind = rng.random()
    if kind < 0.7:
        return layouts.burraco_table(rng, aspect)
    return layouts.scatter(rng, aspect) if kind < 0.86 else layouts.fans(rng, aspect)


def tiles(
    seed: int,
    count: int,
    split: str = "train",
    size: int = 416,
    low: float = 9.0,
    high: float = 62.0,
    jokers: float = 0.0,
) -> Iterator[Photo]:
    """`count` tiles of one table seen by as many cameras; index heights between `low` and `high` px, log-uniform.

    A share `jokers` of the tiles looks at a joker, where the table has one.
    """
    rng = np.random.default_rng([seed, 416])
    names = _deck_ids(rng, split)
    aspect = face(names[0], "5h").image.shape[1] / 480
    scene = _scene(rng, aspect)
    tops = surface.surface(rng), surface.surface(rng)
    share = _index_share(names[0])
    ups = [card for card in scene.cards if not card.face_down] or scene.cards
    for _ in range(count):
        index_px = math.exp(rng.uniform(math.log(low), math.log(high)))
        rare = [card for card in ups if card.key.startswith("JK")] if jokers and rng.random() < jokers else []
        host = (rare or ups)[int(rng.integers(len(rare or ups)))]
        focus = (host.x + rng.normal(0, 0.3), host.y + rng.normal(0, 0.3))
        centre = (size * rng.uniform(0.25, 0.75), size * rng.uniform(0.25, 0.75))
        cam = camera(
            size, size, focus, index_px / share, _tilt(rng), rng.uniform(0, 2 * math.pi), rng.uniform(700, 2200), centre
        )
        yield shoot(rng, scene, names, cam, conditions(rng), tops, seed)


def table(seed: int, split: str = "held_out", width: int = 2100, height: int = 2800, hard: float = 0.7) -> Photo:
    """A whole table as one photograph that holds all its cards; the same seed gives the same bytes."""
    rng = np.random.default_rng([seed, 12])
    names = _deck_ids(rng, split)
    aspect = face(names[0], "5h").image.shape[1] / 480
    scene = layouts.burraco_table(rng, aspect)
    tops = surface.surface(rng), surface.surface(rng)
    turn = float(rng.choice([0.0, math.pi / 2, math.pi, -math.pi / 2], p=[0.7, 0.1, 0.1, 0.1]) + rng.normal(0, 0.25))
    if rng.random() < 0.3:
        width, height = height, width
    cam = frame(scene, width, height, _tilt(rng), turn, rng.uniform(0.8, 1.2) * max(width, height))
    return shoot(rng, scene, names, cam, conditions(rng, hard), tops, seed)


def frame(scene: layouts.Scene, width: int, height: int, tilt: float, turn: float, focal: float) -> Camera:
    """The closest camera that keeps every card inside the picture with a margin."""
    points = np.array([[card.x, card.y] for card in scene.cards])
    focus = ((points.min(axis=0) + points.max(axis=0)) / 2).tolist()
    ring = np.concatenate([points + np.array([dx, dy]) * 0.62 for dx in (-1, 1) for dy in (-1, 1)])
    centre, scale = (width / 2, height / 2), 60.0
    for _ in range(12):
        cam = camera(width, height, (focus[0], focus[1]), scale, tilt, turn, focal, centre)
        seen = project(cam.matrix, ring)
        low, high = seen.min(axis=0), seen.max(axis=0)
        centre = (centre[0] + width / 2 - (low[0] + high[0]) / 2, centre[1] + height / 2 - (low[1] + high[1]) / 2)
        fit = min(width * 0.96 / (high[0] - low[0]), height * 0.96 / (high[1] - low[1]))
        scale *= float(np.clip(fit, 0.5, 1.6)) ** 0.9
    return camera(width, height, (focus[0], focus[1]), min(scale, 900.0), tilt, turn, focal, centre)
