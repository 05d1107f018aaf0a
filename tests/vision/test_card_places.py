"""Where a card lies, when its marks are of one edge only: the other cards of its row tell, jokers' as well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.test_cards import HEIGHT, ITALIAN, POKER, WIDTH, Deck, Lying, camera, to_marks
from vision.cards import assemble
from vision.types import IndexMark

LENS = camera(25, 70)
ROW = ["3h", "4h", "5h", "6h", "7h", "8h"]
WHOLE = [Lying(card, -300 + 90 * place, -170) for place, card in enumerate(["Kd", "9s", "Ac", "Qh"])]


def row(edge: tuple[int, int], names: list[str] = ROW) -> list[Lying]:
    """A row of which the cards show the corners of one edge, the top one all four."""
    way = 1 if edge == (0, 3) else -1
    cards = [Lying(name, -150 * way + 30 * way * place, 120, shown=edge) for place, name in enumerate(names)]
    return [*cards[:-1], replace(cards[-1], shown=(0, 1, 2, 3))]


def off(marks: list[IndexMark], cards: list[Lying]) -> dict[str, float]:
    """How far the middles of the cards are from where they lie, in card heights."""
    found = {card.card: card for card in assemble(marks, WIDTH, HEIGHT).cards}
    out = {}
    for card in cards:
        place = LENS @ [card.x, card.y, 1.0]
        seen = found[card.card]
        out[card.card] = float(np.linalg.norm(seen.quad.mean(axis=0) - place[:2] / place[2])) / seen.height_px
    return out


@pytest.mark.parametrize("edge", [(0, 3), (1, 2)])
def test_a_row_lies_on_the_side_that_its_top_card_shows(edge: tuple[int, int]) -> None:
    cards = row(edge)
    marks = to_marks([*WHOLE, *cards], ITALIAN, LENS, np.random.default_rng(3), noise=0.4)
    assert max(off(marks, cards).values()) < 0.12


@pytest.mark.parametrize("edge", [(0, 3), (1, 2)])
def test_one_wrong_opinion_does_not_turn_a_card_over(edge: tuple[int, int]) -> None:
    cards = row(edge)
    marks = to_marks([*WHOLE, *cards], ITALIAN, LENS, np.random.default_rng(3), noise=0.4)
    left = edge == (0, 3)
    # of each card both marks say the true edge, but those of one say the other one, a little
    upright = {id(mark): mark.quad[0, 1] < mark.quad[3, 1] for mark in marks}
    true = [replace(m, right=0.1 if upright[id(m)] == left else 0.9) if m.best in ROW[:-1] else m for m in marks]
    wrong = [replace(m, right=1 - (m.right or 0.5)) if m.best == "5h" else m for m in true]
    wrong = [replace(m, right=0.5 + 0.6 * (m.right - 0.5)) if m.best == "5h" and m.right else m for m in wrong]
    assert max(off(wrong, cards).values()) < 0.12


@pytest.mark.parametrize("edge", [(0, 3), (1, 2)])
def test_a_joker_of_a_row_lies_as_its_neighbours_do(edge: tuple[int, int]) -> None:
    cards = row(edge, ["3h", "4h", "JK", "6h", "7h", "8h"])
    plain = to_marks(
        [*WHOLE, *(c for c in cards if c.card != "JK")], ITALIAN, LENS, np.random.default_rng(3), noise=0.4
    )
    joker = [replace(card, joker_index=9.0) for card in cards if card.card == "JK"]
    marks = [*plain, *to_marks(joker, ITALIAN, LENS, np.random.default_rng(4), noise=0.4)]
    assert off(marks, joker)["JK"] < 0.2


@pytest.mark.parametrize("corner", range(4))
def test_a_joker_known_by_one_star_lies_as_its_neighbours_do(corner: int) -> None:
    """A star has no direction, so the mark itself does not say in which corner of its card it is."""
    edge = (0, 3) if corner in (0, 3) else (1, 2)
    cards = row(edge, ["3h", "4h", "JK", "6h", "7h", "8h"])
    plain = [*WHOLE, *(card for card in cards if card.card != "JK")]
    joker = [replace(card, joker_index=5.0, shown=(corner,)) for card in cards if card.card == "JK"]
    star = to_marks(joker, ITALIAN, LENS, np.random.default_rng(4), noise=0.2)
    middle = star[0].quad.mean(axis=0)
    half = float(np.linalg.norm(star[0].quad[3] - star[0].quad[0])) / 2
    square = middle + half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    marks = to_marks(plain, ITALIAN, LENS, np.random.default_rng(3), noise=0.4)
    upright = [mark.quad[0, 1] < mark.quad[3, 1] for mark in marks]
    said = [(0.1 if up == (edge == (0, 3)) else 0.9) for up in upright]
    marks = [replace(m, right=r if m.best in ROW[:-1] else None) for m, r in zip(marks, said, strict=True)]
    marks += [replace(star[0], quad=square.astype(np.float32))]
    assert off(marks, joker)["JK"] < 0.2


def test_a_joker_with_a_mark_in_each_corner_lies_amid_them() -> None:
    """Marks deep inside the card: their diagonal is hardly longer than the other cards' long side."""
    inner = replace(ITALIAN, inset=(11.0, 19.0))
    joker = Lying("JK", 120, 120, joker_index=12.0)
    plain = to_marks(WHOLE, ITALIAN, LENS, np.random.default_rng(3), noise=0.4)
    marks = [*plain, *to_marks([joker], inner, LENS, np.random.default_rng(4), noise=0.4)]
    assert off(marks, [joker])["JK"] < 0.1


def test_a_few_cards_of_a_second_deck_with_larger_indices_are_counted_once() -> None:
    """Indices a seventh larger, corners a seventh nearer: a design of its own, not the first one badly measured."""
    small = Deck(index=10.5, inset=(9.3, 15.9))
    large = Deck(index=11.9, inset=(9.5, 19.3))
    first = [Lying(card, -320 + 90 * place, -120) for place, card in enumerate(["3h", "8s", "Kd", "5c"])]
    second = [Lying(card, -280 + 90 * place, 80) for place, card in enumerate(["10c", "4h", "2h"])]
    rng = np.random.default_rng(4)
    marks = [*to_marks(first, small, LENS, rng, noise=0.3), *to_marks(second, large, LENS, rng, noise=0.3)]
    found = sorted(card.card for card in assemble(marks, WIDTH, HEIGHT).cards)
    assert found == sorted(card.card for card in [*first, *second])


def lone(shift: float) -> int:
    """How often a two-corner card is counted whose second index is measured so much of the distance astray."""
    others = [Lying(card, -320 + 90 * place, -120) for place, card in enumerate(["3h", "8s", "Kd", "5c", "Jh"])]
    marks = to_marks([*others, Lying("9d", 0, 120)], POKER, LENS, np.random.default_rng(4), noise=0.3)
    first, second = (mark for mark in marks if mark.best == "9d")
    astray = replace(second, quad=(second.quad + shift * (second.quad - first.quad).mean(axis=0)).astype(np.float32))
    marks = [*(mark for mark in marks if mark is not second), astray]
    return sum(card.card == "9d" for card in assemble(marks, WIDTH, HEIGHT).cards)


def test_two_lone_opposite_corners_of_one_face_are_one_card() -> None:
    """Two cards nearly on each other: the upper one would show both its corners."""
    assert lone(0.0) == lone(0.2) == lone(-0.2) == 1
    assert lone(1.2) == 2


def test_twins_a_little_apart_that_show_both_corners_stay_two() -> None:
    others = [Lying(card, -320 + 90 * place, -120) for place, card in enumerate(["3h", "8s", "Kd", "5c", "Jh"])]
    twins = [Lying("9d", 0, 120), Lying("9d", 12, 128)]
    marks = to_marks([*others, *twins], POKER, LENS, np.random.default_rng(4), noise=0.3)
    assert sum(card.card == "9d" for card in assemble(marks, WIDTH, HEIGHT).cards) == 2


def test_a_late_mark_on_a_card_of_its_face_is_no_second_card() -> None:
    """A corner whose suit is hidden has a box cut short, which lies where no corner of the card can be."""
    cards = [*WHOLE, *row((0, 3))]
    marks = to_marks(cards, ITALIAN, LENS, np.random.default_rng(3), noise=0.4)
    hidden = next(mark for mark in marks if mark.best == "9s")
    short = hidden.quad.copy()
    short[[2, 3]] = short[[1, 0]] + 0.78 * (short[[2, 3]] - short[[1, 0]])
    short += 0.5 * (hidden.quad[1] - hidden.quad[0]) + 0.8 * (hidden.quad[3] - hidden.quad[0])
    others = [mark for mark in marks if mark is not hidden]

    def count(card: str, face: str, late: bool) -> int:
        again = replace(IndexMark.of(face, short, 0.95, 0.95), late=late)
        return sum(seen.card == card for seen in assemble([*others, again], WIDTH, HEIGHT).cards)

    assert count("9s", "9s", late=True) == 1
    assert count("9s", "9s", late=False) == 2, "what the classifier itself sees is a card of its own"
    assert count("8s", "8s", late=True) == 1, "a card that nothing else shows"
