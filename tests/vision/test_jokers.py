"""Which marks are of one joker, by geometry alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.vision.test_cards import HEIGHT, WIDTH
from vision import joker_design
from vision.bodies import Body
from vision.deck_model import Marks
from vision.geometry import fit_plane
from vision.jokers import join_jokers
from vision.types import CARDS, CLASS_INDEX


def test_marks_of_two_jokers_side_by_side_go_with_their_like() -> None:
    """Crowns on one, words on the other: a word's box lies further in, where the other card's corner might be as well.

    Middles, directions (of `down`) and sizes as the reader saw them on synthetic table 912011.
    """
    seen = [
        ((1339.7, 1490.0), (-0.996, 0.094), 37.2, 36.9),
        ((1169.4, 1255.5), (0.05, 0.999), 43.0, 43.0),
        ((1309.7, 1231.5), (0.096, 0.995), 38.9, 38.9),
        ((1195.4, 1499.5), (-0.996, 0.094), 29.8, 29.6),
        ((1486.8, 1405.8), (0.972, -0.233), 74.0, 33.1),
        ((1324.0, 1158.0), (0.1, 1.0), 76.0, 34.0),
        ((1175.0, 1167.0), (0.05, 1.0), 75.0, 34.0),
    ]
    assert jokers_of(seen[:5], seen[5:], (152.7, 203.3), (206.9, 302.3)) == [[0, 1, 2, 3], [4]]


INDICES = [((500.0 + 100 * place, 700.0), (0.0, 1.0), 50.0, 25.0) for place in range(3)]
SPANS, CARD = (150.0, 200.0), (190.0, 270.0)


def test_a_word_s_box_and_the_square_of_a_look_are_of_one_joker() -> None:
    word = ((300.0, 300.0), (0.0, 1.0), 74.0, 24.0)
    star = ((450.0, 500.0), (0.0, -1.0), 34.0, 34.0)
    assert jokers_of([word, star], INDICES, SPANS, CARD) == [[0, 1]]
    assert jokers_of([word, ((450.0, 500.0), (0.0, -1.0), 15.0, 15.0)], INDICES, SPANS, CARD) == [[0], [1]]


def test_marks_of_one_edge_may_lie_a_fifth_off_its_line() -> None:
    first = ((300.0, 300.0), (0.0, 1.0), 60.0, 24.0)
    assert jokers_of([first, ((336.0, 515.0), (0.0, -1.0), 60.0, 24.0)], INDICES, SPANS, CARD) == [[0, 1]]
    assert jokers_of([first, ((355.0, 515.0), (0.0, -1.0), 60.0, 24.0)], INDICES, SPANS, CARD) == [[0], [1]]


def test_a_star_at_the_end_of_a_word_s_line_is_of_its_corner() -> None:
    """The word's line counts, which may run along the short edge; the star's own direction is chance."""
    star, word = ((300.0, 300.0), (0.6, 0.8), 34.0, 34.0), ((360.0, 304.0), (1.0, 0.0), 74.0, 30.0)
    assert jokers_of([star, word], INDICES, SPANS, CARD) == [[0, 1]]
    below = ((340.0, 335.0), (1.0, 0.0), 74.0, 30.0)
    assert jokers_of([star, below], INDICES, SPANS, CARD) == [[0], [1]]


def test_stars_that_lie_as_no_joker_has_them_are_of_two() -> None:
    """Of a deck with two corners the marks are top left and bottom right; the mirrored pair is of two cards."""
    first, second = ((300.0, 300.0), (0.0, 1.0), 30.0, 30.0), ((450.0, 500.0), (0.0, -1.0), 34.0, 34.0)
    other = ((600.0, 300.0), (0.0, 1.0), 34.0, 34.0)
    assert jokers_of([first, second, other], INDICES, SPANS, CARD) == [[0, 1], [2]]


def test_four_corners_of_one_joker_go_together_though_the_next_one_lies_as_near() -> None:
    corners = [(300.0, 300.0), (450.0, 302.0), (300.0, 500.0), (450.0, 498.0), (597.0, 300.0), (597.0, 500.0)]
    stars = [(place, (0.0, 1.0), 30.0, 30.0) for place in corners]
    assert jokers_of(stars, INDICES, SPANS, CARD, four_corner=True) == [[0, 1, 2, 3], [4, 5]]


def test_a_word_on_the_edge_of_a_joker_is_no_joker() -> None:
    first, second = ((300.0, 300.0), (0.0, 1.0), 20.0, 20.0), ((450.0, 500.0), (0.0, -1.0), 20.0, 20.0)
    word = ((375.0, 512.0), (1.0, 0.0), 60.0, 24.0)
    assert jokers_of([first, second, word], INDICES, SPANS, CARD) == [[0, 1]]


def test_a_lone_word_is_taken_for_the_star_that_others_have_over_theirs() -> None:
    """Its corner is where the star would be: 52 up the card, which here makes the two exactly opposite corners."""
    whole = [((700.0, 300.0), (0.0, 1.0), 30.0, 30.0), ((700.0, 352.0), (0.0, 1.0), 74.0, 30.0)]
    star, word = ((300.0, 300.0), (0.0, 1.0), 30.0, 30.0), ((450.0, 448.0), (0.0, -1.0), 74.0, 30.0)
    assert jokers_of([star, word], INDICES, SPANS, CARD) == [[0, 1]]
    nearer = ((450.0, 400.0), (0.0, -1.0), 74.0, 30.0)
    assert jokers_of([star, nearer], INDICES, SPANS, CARD) == [[0], [1]]
    assert jokers_of([star, nearer, *whole], INDICES, SPANS, CARD) == [[0, 1], [2, 3]]


def test_two_marks_that_lie_each_as_the_cards_beside_it_are_of_two_jokers() -> None:
    """Each lies in a column, a step above a card of it; as one joker they would lie across both."""
    above, below = ((300.0, 300.0), (0.0, 1.0), 20.0, 20.0), ((450.0, 500.0), (0.0, 1.0), 20.0, 20.0)
    places = [(300.0, 340.0), (300.0, 380.0), (450.0, 540.0), (450.0, 580.0)]
    cards = [(place, (0.0, 1.0), 50.0, 25.0) for place in places]
    bodies = [
        Body((number + 2,), np.array([x + 75.0, y + 100.0]), np.array([0.0, 1.0]), 75.0, 100.0, 50.0)
        for number, (x, y) in enumerate(places)
    ]
    assert jokers_of([above, below], cards, SPANS, CARD) == [[0, 1]]
    assert jokers_of([above, below], cards, SPANS, CARD, bodies) == [[0], [1]]


def test_a_cloth_full_of_stars_is_not_searched_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred and sixty marks took two minutes: each pair of them was tried as the design of all."""
    places = np.random.default_rng(1).uniform(0, 2000, (160, 2)).tolist()
    stars = [((x, y), (0.0, 1.0), 24.0, 24.0) for x, y in places]
    tried: list[joker_design.Design] = []
    search = joker_design._poses

    def counted(
        pieces: Sequence[joker_design.Piece], design: joker_design.Design, card: tuple[float, float]
    ) -> list[joker_design.Pose]:
        tried.append(design)
        return search(pieces, design, card)

    monkeypatch.setattr(joker_design, "_poses", counted)
    assert sum(len(group) for group in jokers_of(stars, INDICES, SPANS, CARD)) > 80
    assert len(tried) == 2
    tried.clear()
    jokers_of(stars[:20], INDICES, SPANS, CARD)
    assert len(tried) <= 2 * 25


_Row = tuple[tuple[float, float], tuple[float, float], float, float]


def jokers_of(
    jokers: list[_Row], cards: list[_Row], spans: tuple[float, float], card: tuple[float, float],
    bodies: Sequence[Body] = (), four_corner: bool = False,
) -> list[list[int]]:  # fmt: skip
    """The marks that are joined, rows of middle, direction of `down`, height and width."""
    seen = [*jokers, *cards]
    middles, downs = np.array([row[0] for row in seen]), np.array([row[1] for row in seen])
    tall, wide = np.array([row[2] for row in seen]), np.array([row[3] for row in seen])
    are = np.arange(len(seen)) < len(jokers)
    probs = np.zeros((len(seen), len(CARDS)))
    probs[are, CLASS_INDEX["JK"]] = probs[~are, CLASS_INDEX["3c"]] = 1.0
    rights = np.column_stack([downs[:, 1], -downs[:, 0]])
    plane = fit_plane(np.array([square_at(*middle) for middle in middles]), (WIDTH, HEIGHT))
    marks = Marks(plane, middles, rights, downs, tall, probs, are, tall, np.full(len(seen), 0.5), wide)
    joined = join_jokers(marks, list(range(len(jokers))), spans, card, bodies, four_corner)
    return sorted(sorted(group[0]) for group in joined)


def square_at(x: float, y: float) -> list[list[float]]:
    return [[x - 10, y - 10], [x + 10, y - 10], [x + 10, y + 10], [x - 10, y + 10]]
