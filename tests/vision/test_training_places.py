"""What the two looks learn from beside what the networks see: rejected boxes, gaps and ends of chains. No torch."""

from __future__ import annotations

import numpy as np

from vision.train.joker_places import chain_places
from vision.train.name_squares import verdict
from vision.truth import CLASSES, IndexTruth, TableTruth
from vision.types import FloatArray, IndexMark


def quad(x: float, y: float, tall: float = 40.0) -> FloatArray:
    half = tall / 2
    return np.array([[x - 10, y - half], [x + 10, y - half], [x + 10, y + half], [x - 10, y + half]], np.float32)


def index(number: int, x: float, visible: float, card: str = "7h") -> IndexTruth:
    a, b, c, d = ((float(x), float(y)) for x, y in quad(x, 100))
    return IndexTruth(number, 0, card, (a, b, c, d), visible)


def test_a_rejected_box_is_told_from_the_truth() -> None:
    truth = TableTruth(800, 600, 0, (), {}, (), (index(0, 100, 1.0), index(1, 300, 0.1), index(2, 500, 1.0, "JK")), ())
    seven, joker, none, unknown = CLASSES.index("7h"), CLASSES.index("JK"), CLASSES.index("none"), -1

    def upside_down(box: FloatArray) -> FloatArray:
        return np.roll(box, 2, axis=0)

    assert verdict(quad(104, 98), truth) == seven
    assert verdict(upside_down(quad(100, 102)), truth) == none, "upside down it is no 7"
    assert verdict(quad(500, 100), truth) == joker
    assert verdict(upside_down(quad(500, 100)), truth) == unknown, "which way up a star stands nobody can say"
    assert verdict(quad(300, 100), truth) == unknown, "a tenth of it is visible"
    assert verdict(quad(100, 130), truth) == unknown, "half beside it"
    assert verdict(quad(100, 100, 80), truth) == unknown, "twice as high"
    assert verdict(quad(600, 400), truth) == none


def mark(x: float, card: str, sure: float = 0.95) -> IndexMark:
    return IndexMark.of(card, quad(x, 100), sure, sure)


def test_a_chain_of_cards_has_places_in_its_gap_and_beyond_its_ends() -> None:
    chain = [mark(100, "7h"), mark(130, "8h"), mark(190, "10h")]
    places = chain_places(chain)
    assert sorted(round(float(x)) for x, _ in places) == [70, 160, 250]
    assert all(y == 100 for _, y in places)


def test_where_a_mark_lies_is_no_place_however_doubtful_the_mark() -> None:
    chain = [mark(100, "7h"), mark(130, "8h"), mark(190, "10h"), mark(160, "JK", 0.4)]
    assert sorted(round(float(x)) for x, _ in chain_places(chain)) == [70, 250]


def test_doubtful_lone_and_turned_marks_make_no_chain() -> None:
    turned = IndexMark(np.roll(quad(130, 100), 1, axis=0), 0.95, mark(130, "8h").probs)
    assert len(chain_places([])) == len(chain_places([mark(100, "7h")])) == 0
    assert len(chain_places([mark(100, "7h", 0.5), mark(130, "8h", 0.5)])) == 0
    assert len(chain_places([mark(100, "7h"), turned])) == 0
