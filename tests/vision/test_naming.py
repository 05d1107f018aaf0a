"""The sieve, the classifier's second look and the star candidates of ink, on networks that are plain functions."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision.cutting import Pyramid
from vision.ink import ink_candidates
from vision.name_look import NameEye
from vision.naming import (
    ClassifierSpec,
    Found,
    Networks,
    Sieve,
    cut_crops,
    mended,
    name_proposals,
    reconsidered,
    sieved,
)
from vision.types import CLASS_INDEX, CLASSES, IndexMark

SPEC = ClassifierSpec(48, 96, 0.22, 0.17)
TINY = ClassifierSpec(16, 32, 0.22, 0.17)


def nothing(batch: np.ndarray) -> list[np.ndarray]:
    raise AssertionError("not asked for")


def quad(x: float, y: float, height: float = 60.0) -> np.ndarray:
    w, h = height / 4, height / 2
    return np.array([[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]], np.float32)


def red_is_seven(batch: np.ndarray) -> list[np.ndarray]:
    """A classifier that takes a crop whose box is red all over for the 7h, half red for a doubtful one; and knows
    that the red bar lies where the crop's red columns are.
    """
    red = (batch[:, 0] > 0.6) & (batch[:, 1] < 0.4)
    inner = SPEC.inner()
    left, top, right, low = inner[0, 0], inner[0, 1], inner[2, 0], inner[2, 1]
    share = red[:, int(top) : int(low), int(left) : int(right)].mean(axis=(1, 2))
    logits = np.zeros((len(batch), len(CLASSES)), np.float32)
    logits[:, CLASS_INDEX["none"]] = 6 * (1 - share)
    logits[:, CLASS_INDEX["7h"]] = 8 * share
    offsets = np.zeros((len(batch), 4, 2), np.float32)
    for number, one in enumerate(red):
        if one.any():
            columns = np.flatnonzero(one.any(axis=0))
            offsets[number, :, 0] = ((columns[0] + columns[-1] + 1) / 2 - SPEC.width / 2) / (right - left)
    return [logits, np.zeros((len(batch), 1), np.float32), offsets.reshape(-1, 8)]


def picture() -> np.ndarray:
    image = np.full((300, 400, 3), 255, np.uint8)
    image[120:180, 185:215] = (0, 0, 255)
    return image


def test_the_second_look_mends_a_box_and_its_name() -> None:
    """A box beside the bar is doubted; cut again where the classifier says the corners are, it is sure."""
    networks = Networks(nothing, red_is_seven, SPEC, 0.25)
    rough = Found(quad(208, 150)[None], np.array([0.5], np.float32))
    (mark,) = name_proposals(networks, picture(), rough)
    assert mark.best == "7h"
    assert mark.quad[:, 0].mean() == pytest.approx(200, abs=1.5), "8 pixels astray before"
    plain = Networks(nothing, lambda batch: red_is_seven(batch)[:2], SPEC, 0.25)
    (first,) = name_proposals(plain, picture(), rough)
    assert mark.score > first.score and first.quad[:, 0].mean() == pytest.approx(208)


def says(card: str, sure: float) -> NameEye:
    """A look at names that sees the same everywhere."""
    rest = (1 - sure) / (len(CLASSES) - 1)
    logits = np.log(np.where(np.arange(len(CLASSES)) == CLASS_INDEX[card], sure, rest)).astype(np.float32)
    return NameEye(lambda batch: [np.tile(logits, (len(batch), 1))])


def test_a_box_that_the_classifier_rejects_is_a_card_where_the_look_at_names_is_sure() -> None:
    networks = Networks(nothing, red_is_seven, SPEC, 0.25, names=says("4d", 0.97))
    boxes = np.array([quad(60, 60), quad(64, 62), quad(208, 150), quad(300, 60)])
    known = IndexMark.of("7h", quad(200, 150), 0.9, 0.9)
    marks = reconsidered(networks, picture(), [known], boxes)
    assert marks[0] is known, "and the box on it is explained by it"
    assert [mark.best for mark in marks[1:]] == ["4d", "4d"], "of two boxes on one place one is a mark"
    assert sorted(round(float(mark.centre[0]) / 10) for mark in marks[1:]) == [6, 30]
    assert all(mark.score > 0.9 and mark.right == 0.5 and mark.late for mark in marks[1:])


@pytest.mark.parametrize(("card", "sure"), [("4d", 0.5), ("none", 0.99), ("JK", 0.99)])
def test_a_doubtful_look_nothing_and_jokers_add_no_card(card: str, sure: float) -> None:
    networks = Networks(nothing, red_is_seven, SPEC, 0.25, names=says(card, sure))
    assert reconsidered(networks, picture(), [], quad(60, 60)[None]) == []


def test_without_a_look_at_names_nothing_is_reconsidered() -> None:
    assert reconsidered(Networks(nothing, nothing, SPEC, 0.25), picture(), [], quad(60, 60)[None]) == []


def test_mended_corners_go_with_the_quad() -> None:
    spin = cv2.getRotationMatrix2D((0, 0), 37, 2.0)
    turned = (quad(0, 0) @ spin[:, :2].T).astype(np.float32)[None]
    moved = mended(turned, np.full((1, 4, 2), [0.0, 0.25], np.float32), SPEC)
    down = turned[0, 3] - turned[0, 0]
    assert moved[0] - turned[0] == pytest.approx(np.tile(0.25 * down, (4, 1)), abs=0.01)
    assert mended(turned, np.full((1, 4, 2), 9.0, np.float32), SPEC)[0] - turned[0] == pytest.approx(
        mended(turned, np.full((1, 4, 2), 0.6, np.float32), SPEC)[0] - turned[0]
    ), "a wild guess moves a corner so far and no farther"


def test_the_sieve_drops_what_looks_like_nothing() -> None:
    def network(batch: np.ndarray) -> list[np.ndarray]:
        assert batch.shape[1:] == (3, 32, 16)
        red = (batch[:, 0, 12:20, 6:10] - batch[:, 1, 12:20, 6:10]).mean(axis=(1, 2))
        return [(red * 8 - 4)[:, None]]

    quads = np.array([quad(200, 150), quad(60, 60), quad(200, 152), quad(330, 240)])
    found = Found(quads, np.array([0.9, 0.8, 0.0, 0.3], np.float32))
    networks = Networks(nothing, red_is_seven, SPEC, 0.25, Sieve(network, TINY, 0.5))
    kept = sieved(networks, Pyramid(picture()), found)
    assert kept.scores.tolist() == pytest.approx([0.9]), "of two nearly equal boxes one is enough"
    all_pass = Networks(nothing, red_is_seven, SPEC, 0.25, Sieve(network, TINY, 1e-6))
    assert len(sieved(all_pass, Pyramid(picture()), found).quads) == 3
    none_pass = Networks(nothing, red_is_seven, SPEC, 0.25, Sieve(network, TINY, 1 - 1e-6))
    assert name_proposals(none_pass, picture(), found) == []


def test_crops_are_the_same_with_and_without_a_pyramid() -> None:
    image = np.random.default_rng(0).integers(0, 255, (400, 400, 3)).astype(np.uint8)
    quads = np.array([quad(200, 200, 300), quad(100, 100, 50)])
    assert (cut_crops(image, quads, SPEC) == cut_crops(Pyramid(image), quads, SPEC)).all()


@pytest.mark.parametrize("turn", [0.0, 20.0, 55.0])
@pytest.mark.parametrize("squeeze", [1.0, 0.75])
def test_ink_proposes_a_star(turn: float, squeeze: float) -> None:
    """A joker's star, turned and seen aslant, has a square candidate of its own size; a disc has none."""
    image = np.full((1200, 1600, 3), 245, np.uint8)
    angles = np.radians(turn - 90 + 36 * np.arange(10))
    radius = np.where(np.arange(10) % 2 == 0, 20, 8.4)
    points = np.stack([800 + radius * np.cos(angles), 600 + squeeze * radius * np.sin(angles)], 1)
    cv2.fillPoly(image, [points.round().astype(np.int32)], (20, 20, 200), cv2.LINE_AA)
    cv2.circle(image, (400, 600), 20, (20, 20, 200), -1, cv2.LINE_AA)
    quads = ink_candidates(image)
    near = quads[np.linalg.norm(quads.mean(axis=1) - [800, 600], axis=1) < 4]
    sides = np.linalg.norm(near[:, 1] - near[:, 0], axis=1) / np.linalg.norm(near[:, 3] - near[:, 0], axis=1)
    assert len(near) >= 1 and (np.abs(np.log(sides)) < math.log(1.5)).any()
    assert not (np.linalg.norm(quads.mean(axis=1) - [400, 600], axis=1) < 10).any()
