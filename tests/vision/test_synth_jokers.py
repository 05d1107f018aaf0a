"""The family of jokers: many designs, none of training's in a measurement, marks that end where they are covered."""

from __future__ import annotations

import numpy as np
import pytest

from vision.synth import jokers, layouts
from vision.synth.faces import face
from vision.synth.layouts import Placed, Scene
from vision.synth.make import with_jokers
from vision.synth.photo import Conditions
from vision.synth.render import camera, shoot

PLAIN = Conditions("day", 1.0, (1.0, 1.0, 1.0), 0.0, 0.0, 0.0, 0.25, 0.0, 0.3, 95, 1.0, 1.0)


def test_the_family_is_wide_and_some_of_it_is_held_out() -> None:
    specs = [jokers.design(name) for name in jokers.DESIGNS]
    assert {spec.mark for spec in specs} == set(jokers.MARKS)
    assert {spec.style for spec in specs if spec.mark == "word"} == set(jokers.STYLES)
    assert {len(spec.corners) for spec in specs} == {1, 2, 4}
    assert len(jokers.training()) == 2350 and len(jokers.HELD_OUT) == 50
    assert not set(jokers.training()) & jokers.HELD_OUT
    assert {jokers.design(name).mark for name in jokers.HELD_OUT} >= {"word", "star", "word_star", "picture"}


def test_an_unknown_joker_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        jokers.design("j2400")


@pytest.mark.parametrize("name", jokers.DESIGNS[:40:3])
def test_a_jokers_marks_are_ink_inside_the_card(name: str) -> None:
    picture = face("p003", f"JK1:{name}")
    height, width = picture.image.shape[:2]
    assert picture.boxes
    for corner, (x, y, w, h) in picture.boxes:
        assert x >= 0 and y >= 0 and x + w <= width + 1 and y + h <= height + 1
        assert (corner in (0, 3)) == (x + w / 2 < width / 2) or len(picture.boxes) == 1
        inked = picture.image[int(y) : int(y + h), int(x) : int(x + w), :3]
        assert int(inked.max()) - int(inked.min()) > 60


def test_two_designs_do_not_look_alike_and_one_always_looks_the_same() -> None:
    first, second = face("p003", "JK0:j001").image, face("p003", "JK0:j002").image
    assert np.abs(first.astype(int) - second).mean() > 2
    face.cache_clear()
    assert face("p003", "JK0:j001").image.tobytes() == first.tobytes()


@pytest.mark.parametrize(("split", "held"), [("train", False), ("held_out", True)])
def test_a_scenes_jokers_come_from_its_split(split: str, held: bool) -> None:
    found = set()
    for seed in range(12):
        scene = layouts.burraco_table(np.random.default_rng(seed), 0.65)
        ordinary = [card.key for card in scene.cards if not card.key.startswith("JK")]
        out = with_jokers(seed, scene, split)
        found |= {card.key[4:] for card in out.cards if ":" in card.key}
        assert [card.key for card in out.cards if not card.key.startswith("JK")] == ordinary
    assert len(found) > 5
    assert all((name in jokers.HELD_OUT) == held for name in found)


def test_flooding_makes_jokers_of_a_share_of_the_cards() -> None:
    scene = layouts.burraco_table(np.random.default_rng(3), 0.65)
    count = sum(not card.face_down for card in scene.cards)
    flooded = with_jokers(3, scene, "train", 0.5)
    assert 0.3 * count < sum(card.key.startswith("JK") for card in flooded.cards) < 0.7 * count


def test_a_covered_word_ends_where_it_is_covered() -> None:
    name = next(n for n in jokers.DESIGNS if (s := jokers.design(n)).mark == "word" and s.style == "stacked")
    box = face("p003", f"JK0:{name}").boxes[0][1]
    step = (box[1] + 0.62 * box[3]) / 480  # the next card leaves 0.62 of the word
    top = np.full((64, 64, 3), 90, np.uint8)
    cam = camera(600, 800, (0.0, 0.2), 480.0, 0.0, 0.0, 1500.0)

    def seen(cards: list[Placed]) -> tuple[float, float]:
        photo = shoot(np.random.default_rng(2), Scene(cards), ("p003",), cam, PLAIN, (top, top), 1)
        index = next(i for i in photo.truth.indices if i.card == "JK" and i.corner == 0)
        return float(np.linalg.norm(np.array(index.quad[3]) - np.array(index.quad[0]))), index.visible

    joker = Placed(0, f"JK0:{name}", 0.0, 0.0, 0.0, "loose")
    whole, _ = seen([joker])
    part, visible = seen([joker, Placed(0, "9h", 0.0, step, 0.0, "loose")])
    assert whole == pytest.approx(box[3], rel=0.05)
    assert 0.3 * whole < part < 0.7 * whole
    assert visible >= 0.85
