"""The look at names with their surroundings: what is asked about, what two opinions make, how squares are cut."""

from __future__ import annotations

import numpy as np
import pytest

from vision.name_look import DOUBTED, SIDE, SPAN, NameEye, joined, look_at_names, upright_squares
from vision.types import CLASS_INDEX, CLASSES, JOKER, FloatArray, Image, IndexMark

BLANK: Image = np.zeros((600, 800, 3), dtype=np.uint8)


def quad(x: float, y: float, tall: float = 40.0, turn: float = 0.0) -> FloatArray:
    half = np.array([[-tall / 4, -tall / 2], [tall / 4, -tall / 2], [tall / 4, tall / 2], [-tall / 4, tall / 2]])
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(half @ np.array([[c, s], [-s, c]]) + np.array([x, y]), dtype=np.float32)


class Says:
    """A network that names every square alike, and counts the squares it was asked about."""

    def __init__(self, card: str, sure: float) -> None:
        self.asked = 0
        rest = (1 - sure) / (len(CLASSES) - 1)
        self.logits = np.log(np.where(np.arange(len(CLASSES)) == CLASS_INDEX[card], sure, rest)).astype(np.float32)

    def __call__(self, batch: FloatArray) -> list[FloatArray]:
        assert batch.shape[1:] == (3, SIDE, SIDE) and batch.dtype == np.float32
        self.asked += len(batch)
        return [np.tile(self.logits, (len(batch), 1))]


def test_a_doubtful_name_is_what_both_opinions_say() -> None:
    says = Says("7h", 0.99)
    marks = [IndexMark.of("7d", quad(100, 100), 0.6, 0.55), IndexMark.of("Ks", quad(300, 100), 0.99, 0.99)]
    seen = look_at_names(NameEye(says), BLANK, marks)
    assert [mark.best for mark in seen] == ["7h", "Ks"]
    assert says.asked == 1
    assert seen[1] is marks[1]
    assert float(seen[0].probs.sum()) == pytest.approx(1, abs=1e-5)
    assert seen[0].score > 0.7
    assert seen[0].right == marks[0].right


def test_a_surer_opinion_makes_surer_and_one_that_shrugs_makes_doubt() -> None:
    mark = IndexMark.of("7d", quad(100, 100), 0.8, 0.8)
    surer = look_at_names(NameEye(Says("7d", 0.99)), BLANK, [mark])[0]
    doubt = look_at_names(NameEye(Says("7d", 1 / len(CLASSES))), BLANK, [mark])[0]
    assert float(surer.probs.max()) > 0.9
    assert 0.1 < float(doubt.probs.max()) < 0.8


def test_a_doubtful_joker_is_asked_about_too() -> None:
    mark = IndexMark.of(JOKER, quad(100, 100), 0.6, 0.6)
    assert look_at_names(NameEye(Says("Jh", 0.999)), BLANK, [mark])[0].best == "Jh"


def test_sure_names_and_empty_tables_are_not_asked_about() -> None:
    says = Says("7h", 0.9)
    marks = [IndexMark.of(JOKER, quad(100, 100), 0.98, 0.98), IndexMark.of("7d", quad(200, 100), DOUBTED, 0.9)]
    assert look_at_names(NameEye(says), BLANK, marks) == marks
    assert look_at_names(NameEye(says), BLANK, []) == []
    assert says.asked == 0


def test_two_opinions_are_joined_by_a_geometric_mean() -> None:
    first = np.array([0.6, 0.4], dtype=np.float32)
    second = np.array([0.2, 0.8], dtype=np.float32)
    assert joined(first, first).tolist() == pytest.approx([0.6, 0.4], abs=1e-6)
    share = np.sqrt([0.12, 0.32])
    assert joined(first, second, 0.5).tolist() == pytest.approx((share / share.sum()).tolist(), abs=1e-6)
    assert joined(first, second, 0.0).tolist() == pytest.approx([0.6, 0.4], abs=1e-6)
    assert joined(first, second, 1.0).tolist() == pytest.approx([0.2, 0.8], abs=1e-6)
    both = joined(np.stack([first, second]), np.stack([second, second]))
    assert both[0].tolist() == pytest.approx(joined(first, second).tolist()) and both[1, 1] == pytest.approx(0.8)


@pytest.mark.parametrize("turn", [0.0, 0.7, np.pi / 2, 3.0, -2.0])
@pytest.mark.parametrize("tall", [14.0, 40.0, 170.0])
def test_squares_stand_upright_whatever_the_turn(turn: float, tall: float) -> None:
    """A dot above the index, in its own view, comes to lie above the middle of the square."""
    image: Image = np.zeros((1000, 1000, 3), dtype=np.uint8)
    up = np.array([np.sin(turn), -np.cos(turn)])
    place = np.array([503.0, 498.0]) + up * tall
    rows, columns = np.mgrid[0:1000, 0:1000] + 0.5
    image[np.hypot(columns - place[0], rows - place[1]) < 0.2 * tall] = 255
    cut = upright_squares(image, quad(503, 498, tall, turn)[None])[0, ..., 0].astype(float)
    rows, columns = np.mgrid[0:SIDE, 0:SIDE] + 0.5
    middle = (cut * columns).sum() / cut.sum(), (cut * rows).sum() / cut.sum()
    assert middle == pytest.approx((SIDE / 2, SIDE / 2 - SIDE / SPAN), abs=1.0)


def test_a_square_reaches_outside_the_photo() -> None:
    assert upright_squares(BLANK, quad(-50, 900, 300.0)[None]).shape == (1, SIDE, SIDE, 3)
