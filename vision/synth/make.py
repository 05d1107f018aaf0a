"""Whole photographs and training tiles from a seed: what is on the table, which decks, how the camera looks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from vision.synth import art, decks, jokers, layouts, surface
from vision.synth.decks import procedural
from vision.synth.faces import face
from vision.synth.photo import conditions, evening
from vision.synth.render import Camera, Photo, camera, project, shoot

Rng = np.random.Generator
MAX_TILT = math.radians(45)


@dataclass(frozen=True)
class Mix:
    """What tiles show: index heights `low` to `high` px; shares of 1 for the rest.

    `jokers`: tiles that look at a joker. `flood`: cards that become jokers, which spreads them to every place of a
    layout. `club`: scenes like a club's evening: four-corner decks, tight steps, tilt, lamp, printed cloth, shake.
    """

    low: float = 9.0
    high: float = 62.0
    jokers: float = 0.0
    flood: float = 0.0
    club: float = 0.0


USUAL = Mix()


def _deck_ids(rng: Rng, split: str, four: bool = False) -> tuple[str, str]:
    pool = decks.training(art.available()) if split == "train" else decks.held_out(art.available())
    procedural_ids = [name for name in pool if name.startswith("p") and (not four or procedural(name).corners == 4)]
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


def with_jokers(seed: int, scene: layouts.Scene, split: str, flood: float = 0.0) -> layouts.Scene:
    """The scene with jokers of the family in place of the decks' own, mostly, and of a share of the other cards.

    Draws from its own generator, so that everything else on the table stays as it was.
    """
    rng = np.random.default_rng([seed, 54])
    pool = jokers.training() if split == "train" else tuple(sorted(jokers.HELD_OUT))
    own = rng.random() < 0.25
    chosen = [pool[int(rng.integers(len(pool)))] for _ in range(2 if flood == 0 else 4)]

    def dealt(card: layouts.Placed) -> layouts.Placed:
        joker = card.key.startswith("JK")
        if card.face_down or not (joker or rng.random() < flood):
            return card
        if own and joker:
            return card
        which = int(card.key[2]) if joker else int(rng.integers(2))
        name = chosen[card.deck % 2 if flood == 0 else int(rng.integers(len(chosen)))]
        return replace(card, key=f"JK{which}:{name}")

    scene.cards = [dealt(card) for card in scene.cards]
    return scene


def _scene(rng: Rng, aspect: float, club: bool = False) -> layouts.Scene:
    if club:
        return layouts.burraco_table(rng, aspect, steps=(0.13, 0.3))
    kind = rng.random()
    if kind < 0.7:
        return layouts.burraco_table(rng, aspect)
    return layouts.scatter(rng, aspect) if kind < 0.86 else layouts.fans(rng, aspect)


def tiles(seed: int, count: int, split: str = "train", size: int = 416, mix: Mix = USUAL) -> Iterator[Photo]:
    """`count` tiles of one table seen by as many cameras; index heights from `mix.low` to `mix.high`, log-uniform."""
    rng = np.random.default_rng([seed, 416])
    club = mix.club > 0 and rng.random() < mix.club
    names = _deck_ids(rng, split, club and rng.random() < 0.8)
    aspect = face(names[0], "5h").image.shape[1] / 480
    scene = with_jokers(seed, _scene(rng, aspect, club), split, mix.flood)
    tops = surface.surface(rng, club), surface.surface(rng)
    share = _index_share(names[0])
    ups = [card for card in scene.cards if not card.face_down] or scene.cards
    for _ in range(count):
        index_px = math.exp(rng.uniform(math.log(mix.low), math.log(mix.high)))
        rare = [card for card in ups if card.key.startswith("JK")] if mix.jokers and rng.random() < mix.jokers else []
        host = (rare or ups)[int(rng.integers(len(rare or ups)))]
        focus = (host.x + rng.normal(0, 0.3), host.y + rng.normal(0, 0.3))
        centre = (size * rng.uniform(0.25, 0.75), size * rng.uniform(0.25, 0.75))
        tilt = math.radians(rng.uniform(8, 42)) if club else _tilt(rng)
        cam = camera(
            size, size, focus, index_px / share, tilt, rng.uniform(0, 2 * math.pi), rng.uniform(700, 2200), centre
        )
        how = evening(rng, conditions(rng)) if club else conditions(rng)
        yield shoot(rng, scene, names, cam, how, tops, seed)


def table(seed: int, split: str = "held_out", width: int = 2100, height: int = 2800, hard: float = 0.7) -> Photo:
    """A whole table as one photograph that holds all its cards; the same seed gives the same bytes."""
    rng = np.random.default_rng([seed, 12])
    names = _deck_ids(rng, split)
    aspect = face(names[0], "5h").image.shape[1] / 480
    scene = with_jokers(seed, layouts.burraco_table(rng, aspect), split)
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
