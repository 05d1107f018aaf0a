"""What a photo's own marks say of its decks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.deck_model import collect_votes, marks_in_plane
from vision.types import IndexMark


def _mark(x: float, y: float, right: float, turned: bool = False) -> IndexMark:
    quad = np.array([(x - 10, y - 20), (x + 10, y - 20), (x + 10, y + 20), (x - 10, y + 20)], dtype=np.float32)
    one = IndexMark.of("7h", [(float(a), float(b)) for a, b in (np.roll(quad, 2, axis=0) if turned else quad)])
    return replace(one, right=right)


@pytest.mark.parametrize(("hands", "rows"), [((0.03, 0.97), 1), ((0.5, 0.5), 1), ((0.03, 0.03), 0), ((0.97, 0.97), 0)])
def test_twins_a_step_apart_in_a_row_are_not_the_two_upper_corners_of_a_card(
    hands: tuple[float, float], rows: int
) -> None:
    marks = marks_in_plane([_mark(100, 100, hands[0]), _mark(200, 100, hands[1])], (800, 600))
    assert len(collect_votes(marks).row) == rows


@pytest.mark.parametrize(
    ("hands", "across", "pairs"),
    [((0.03, 0.03), 100, 1), ((0.97, 0.97), 100, 0), ((0.97, 0.97), -100, 1), ((0.03, 0.97), 100, 0)],
)
def test_opposite_corners_have_the_same_hand(hands: tuple[float, float], across: int, pairs: int) -> None:
    marks = [_mark(200, 100, hands[0]), _mark(200 + across, 260, hands[1], turned=True)]
    assert len(collect_votes(marks_in_plane(marks, (800, 600))).diagonal) == pairs


@pytest.mark.parametrize(("hands", "pairs"), [((0.03, 0.97), 1), ((0.03, 0.03), 0)])
def test_corners_along_a_side_have_different_hands(hands: tuple[float, float], pairs: int) -> None:
    marks = [_mark(200, 100, hands[0]), _mark(200, 260, hands[1], turned=True)]
    assert len(collect_votes(marks_in_plane(marks, (800, 600))).column) == pairs
