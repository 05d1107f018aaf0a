"""Labels and corners of training crops: what a proposal over a joker is called, and where true corners lie."""

from __future__ import annotations

import numpy as np
import pytest

from vision.train.crops import SPEC
from vision.train.ink_crops import labelled
from vision.train.table_crops import WIDE, Batch
from vision.truth import CLASSES, IndexTruth, Quad, TableTruth


def box(x: float, y: float, wide: float, tall: float, turn: float = 0.0) -> Quad:
    corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    placed = corners @ np.array([[c, s], [-s, c]]) + [x, y]
    a, b, c, d = ((float(across), float(down)) for across, down in placed)
    return a, b, c, d


def truth(*indices: tuple[str, Quad, float]) -> TableTruth:
    made = tuple(IndexTruth(number, 0, card, quad, seen) for number, (card, quad, seen) in enumerate(indices))
    return TableTruth(800, 800, 1, ("p001",), {}, (), made, ())


def label(quad: Quad, of: TableTruth) -> int:
    return labelled(np.array([quad], np.float32), of)[0]


WORD = truth(("JK", box(400, 400, 24, 120), 1.0))
STAR = truth(("JK", box(400, 400, 30, 30), 1.0))
SEVEN = truth(("7h", box(400, 400, 30, 60), 1.0))


@pytest.mark.parametrize(
    ("quad", "of", "expected"),
    [
        (box(400, 402, 24, 116), WORD, 0),
        (box(400, 370, 22, 56), WORD, 0),  # JOK
        (box(400, 350, 20, 20), WORD, -2),  # one letter
        (box(400, 370, 22, 56, 180), WORD, -2),  # JOK upside down
        (box(400, 400, 30, 30, 72), STAR, 0),  # a star looks the same
        (box(400, 415, 30, 60), STAR, -2),  # star and what is below it
        (box(500, 400, 24, 60), WORD, -1),
        (box(401, 402, 30, 58), SEVEN, 0),
        (box(401, 402, 30, 58, 180), SEVEN, -1),
        (box(400, 418, 30, 58), SEVEN, -2),
        (box(400, 460, 30, 60), SEVEN, -1),
    ],
)
def test_what_a_proposal_is_called(quad: Quad, of: TableTruth, expected: int) -> None:
    assert label(quad, of) == expected


def test_hidden_indices_are_neither() -> None:
    assert label(box(400, 400, 30, 60), truth(("7h", box(400, 400, 30, 60), 0.3))) == -2


def test_true_corners_are_known_in_the_wide_crop() -> None:
    """The classifier's crop lies in the middle of the wide one, at the same scale."""
    margin = ((WIDE.width - SPEC.width) / 2, (WIDE.height - SPEC.height) / 2)
    assert WIDE.inner() == pytest.approx(SPEC.inner() + np.array(margin), abs=1e-4)
    index = SEVEN.indices[0]
    batch = Batch()
    batch.right(np.array(index.quad), index, 1.0)
    batch.right(np.array(box(406, 400, 30, 60)), index, 0.2)
    batch.right(np.array(index.quad), index, 0.2, whole=False)
    batch.wrong(np.array(box(100, 100, 30, 60)))
    assert batch.corners[0] == pytest.approx(WIDE.inner(), abs=1e-3)
    shift = batch.corners[1] - WIDE.inner()
    assert shift == pytest.approx(np.tile([-0.2 * (WIDE.inner()[1, 0] - WIDE.inner()[0, 0]), 0], (4, 1)), abs=1e-2)
    assert np.isnan(batch.corners[2]).all() and np.isnan(batch.corners[3]).all()
    assert [CLASSES[number] for number in batch.classes] == ["7h", "7h", "7h", "none"]
    batch.cut(np.full((800, 800, 3), 200, np.uint8))
    assert len(batch.images) == 4 and batch.images[0].shape == (144, 72, 3)
