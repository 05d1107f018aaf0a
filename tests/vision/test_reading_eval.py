"""Which true card a seen one is: what the truthful person of the figures knows."""

from __future__ import annotations

import numpy as np

from vision.reading_eval import pair
from vision.truth import CardTruth, IndexTruth, Quad, TableTruth
from vision.types import CardSeen, CardsSeen, IndexMark


def _box(x: float, y: float, wide: float, tall: float) -> Quad:
    return (x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall)


def _seen(card: str, *quads: Quad) -> CardsSeen:
    marks = tuple(IndexMark.of(card, quad) for quad in quads)
    up = np.array([0, -1], dtype=np.float32)
    one = CardSeen(card, 1.0, (), marks, np.array(_box(0, 0, 100, 150), dtype=np.float32), (0, 0, 100, 150), up, 150.0)
    return CardsSeen((one,), 400, 400, ())


def _truth() -> TableTruth:
    """A joker whose index is a star over a word, and a five beside it."""
    cards = (
        CardTruth(3, "JK", _box(10, 10, 100, 150), 1.0, "meld", 0, 0, 0, False),
        CardTruth(4, "5h", _box(210, 10, 100, 150), 1.0, "meld", 0, 0, 1, False),
    )
    indices = (IndexTruth(3, 0, "JK", _box(15, 15, 15, 80), 1.0), IndexTruth(4, 0, "5h", _box(215, 15, 15, 30), 1.0))
    return TableTruth(400, 400, 1, ("d",), {}, cards, indices, ())


def test_a_star_of_a_long_mark_is_that_joker() -> None:
    assert pair(_seen("JK", _box(15, 15, 15, 15)), _truth()) == (3,)


def test_a_word_on_the_edge_of_a_joker_is_that_joker_and_a_number_there_is_none() -> None:
    assert pair(_seen("JK", _box(40, 140, 40, 15)), _truth()) == (3,)
    assert pair(_seen("9h", _box(40, 140, 10, 15)), _truth()) == (-1,)


def test_a_mark_beside_the_cards_is_no_card() -> None:
    assert pair(_seen("JK", _box(150, 140, 15, 15)), _truth()) == (-1,)
    assert pair(_seen("5h", _box(216, 17, 15, 30)), _truth()) == (4,)
