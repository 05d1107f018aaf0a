"""Card stock round a joker's mark: what lies on paper stays, what lies on cloth becomes a doubt."""

from __future__ import annotations

import numpy as np

from vision.stock import doubt_off_stock
from vision.types import CLASS_INDEX, NONE, FloatArray, Image, IndexMark


def quad(x: float, y: float) -> FloatArray:
    return np.array([[x, y], [x + 20, y], [x + 20, y + 40], [x, y + 40]], dtype=np.float32)


def table() -> tuple[Image, list[IndexMark]]:
    """Green cloth, a light band of cards with five sure indices."""
    image = np.full((400, 600, 3), (60, 110, 40), dtype=np.uint8)
    image[100:200] = (225, 232, 235)
    return image, [IndexMark.of("7h", quad(40 + 90 * place, 130), 0.99, 0.99) for place in range(5)]


def none_of(mark: IndexMark, sure: list[IndexMark], image: Image) -> float:
    return float(doubt_off_stock(image, [*sure, mark])[-1].probs[CLASS_INDEX[NONE]])


def test_a_joker_on_cloth_is_a_doubt_and_one_on_paper_is_not() -> None:
    image, sure = table()
    on_cloth, on_paper = (IndexMark.of("JK", quad(520, y), 0.9, 0.9) for y in (300, 130))
    assert none_of(on_cloth, sure, image) > 0.4
    assert none_of(on_paper, sure, image) < 0.01


def test_sure_jokers_and_other_cards_are_left_alone() -> None:
    image, sure = table()
    for mark in (IndexMark.of("JK", quad(520, 300), 0.99, 0.99), IndexMark.of("9c", quad(520, 300), 0.7, 0.7)):
        assert none_of(mark, sure, image) < 0.01


def test_without_sure_indices_nobody_knows_the_paper() -> None:
    image, sure = table()
    assert none_of(IndexMark.of("JK", quad(520, 300), 0.9, 0.9), sure[:3], image) < 0.01


def test_a_doubt_remains_a_distribution_and_no_mark_is_lost() -> None:
    image, sure = table()
    marks = [*sure, IndexMark.of("JK", quad(585, 380), 0.9, 0.9)]
    seen = doubt_off_stock(image, marks)
    assert len(seen) == len(marks)
    assert abs(float(seen[-1].probs.sum()) - 1) < 1e-5
