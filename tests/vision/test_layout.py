"""Cards to groups by geometry: chains in every layout and orientation, whatever the order of the detections."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace

import numpy as np
import pytest

from vision.layout import flatten, group_cards
from vision.layout_bodies import settle_bodies
from vision.reading_tables import LaidTable, exact_truth, hand_laid, laid_table, seen_exactly, straight
from vision.truth import Layout, Quad
from vision.types import CardsSeen

LAYOUTS: tuple[Layout, ...] = ("column", "row", "stairs", "fan")


def names(seen: CardsSeen) -> set[tuple[str, ...]]:
    return {tuple(sorted(seen.cards[c].card for c in group.cards)) for group in group_cards(seen)}


def wanted(laid: LaidTable, seen: CardsSeen) -> set[tuple[str, ...]]:
    """The cards of each meld that can be seen, as sorted names."""
    truth = exact_truth(laid)
    readable = [card for card in truth.cards if truth.readable(card)]
    return {tuple(sorted(c.card for c in readable if c.meld == m.id)) for m in truth.melds} - {()}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("turn", [0, 33, 90, 180, 251])
def test_a_meld_is_one_group_however_it_lies(layout: Layout, turn: float) -> None:
    melds = [
        straight("4h 5h 6h 7h 8h", layout, 0, 0, meld=0),
        straight("9c 9d 9s", layout, 4, 0, meld=1),
        straight("Jc Qc Kc Ac", layout, 0, -4, math.pi, side=1, meld=2),
    ]
    seen = seen_exactly(exact_truth(hand_laid(melds, turn=turn, tilt=28)))
    assert names(seen) == {("4h", "5h", "6h", "7h", "8h"), ("9c", "9d", "9s"), ("Ac", "Jc", "Kc", "Qc")}
    kinds = {group.kind for group in group_cards(seen)}
    assert kinds == {layout}


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_random_tables_are_grouped_exactly(seed: int) -> None:
    laid = laid_table(seed, piles=0.0)
    seen = seen_exactly(exact_truth(laid))
    assert wanted(laid, seen) <= names(seen)


def test_the_order_of_the_detections_is_irrelevant() -> None:
    seen = seen_exactly(exact_truth(laid_table(2)))
    cards = list(seen.cards)
    for seed in range(3):
        random.Random(seed).shuffle(cards)
        shuffled = replace(seen, cards=tuple(cards))
        assert names(shuffled) == names(seen)


@pytest.mark.parametrize("four", [False, True])
def test_the_crosswise_last_card_belongs_to_its_column(four: bool) -> None:
    melds = [
        straight("3d 4d 5d 6d 7d 8d 9d", "column", 0, 0, crosswise=1, meld=0),
        straight("Jh Jd Jc Js", "column", 1.15, 0, meld=1),
        straight("4c 5c 6c 7c 8c 9c 10c", "row", 2.6, 0, crosswise=2, meld=2),
    ]
    seen = seen_exactly(exact_truth(hand_laid(melds, four)))
    found = group_cards(seen)
    assert sorted(len(group.cards) for group in found) == [4, 7, 7]
    assert sorted(sum(group.crosswise) for group in found) == [0, 1, 2]


def test_neighbours_that_touch_stay_two_melds() -> None:
    melds = [
        straight("4h 5h 6h 7h", "column", 0, 0, meld=0),
        straight("4s 5s 6s 7s", "column", 0.69, 0, meld=1),
        straight("Qh Qd Qc", "row", 0, 2.05, meld=2),
    ]
    seen = seen_exactly(exact_truth(hand_laid(melds, tilt=0)))
    assert names(seen) == {("4h", "5h", "6h", "7h"), ("4s", "5s", "6s", "7s"), ("Qc", "Qd", "Qh")}


def test_twins_are_never_merged() -> None:
    melds = [straight("9h 9h 9s 9s", "row", 0, 0, step=0.25, meld=0), straight("3c 4c 5c", "row", 3, 0, meld=1)]
    seen = seen_exactly(exact_truth(hand_laid(melds)))
    assert ("9h", "9h", "9s", "9s") in names(seen)


def test_the_first_laid_card_comes_first_and_the_top_one_last() -> None:
    seen = seen_exactly(
        exact_truth(hand_laid([straight("4h 5h 6h 7h 8h"), straight("9c 9d 9s", x=3, meld=1)], turn=140))
    )
    run = max(group_cards(seen), key=lambda group: len(group.cards))
    assert [seen.cards[c].card for c in run.cards] == ["4h", "5h", "6h", "7h", "8h"]


def test_a_squared_pile_is_called_a_pile() -> None:
    melds = [straight("4h 5h 6h 7h", step=0.3), straight("9c 9d", step=0.02, x=3, meld=1)]
    truth = exact_truth(hand_laid(melds, four_corner=True))
    # the lower card of the pile peeps out a little: give it its index by hand
    lower = next(card for card in truth.cards if card.card == "9c")
    upper = next(index for index in truth.indices if index.card == "9d")
    shown = replace(upper, card="9c", card_id=lower.id)
    seen = seen_exactly(replace(truth, indices=(*truth.indices, shown)))
    assert {group.kind for group in group_cards(seen)} == {"column", "pile"}


def test_a_meld_cut_by_the_frame_says_so() -> None:
    laid = hand_laid([straight("4h 5h 6h 7h"), straight("9c 9d 9s", x=3, meld=1)], tilt=0)
    truth = exact_truth(laid)
    edge = min(x for card in truth.cards if card.card == "4h" for x, _ in card.quad)
    moved = [replace(c, quad=_further_left(c.quad, edge + 40)) for c in truth.cards]
    seen = seen_exactly(replace(truth, cards=tuple(moved)))
    cut = {frozenset(seen.cards[c].card for c in group.cards): group.cut for group in group_cards(seen)}
    assert cut == {frozenset(("4h", "5h", "6h", "7h")): True, frozenset(("9c", "9d", "9s")): False}


def _further_left(quad: Quad, by: float) -> Quad:
    a, b, c, d = ((x - by, y) for x, y in quad)
    return a, b, c, d


def test_nothing_and_a_single_card() -> None:
    assert group_cards(CardsSeen((), 100, 100)) == ()
    seen = seen_exactly(exact_truth(hand_laid([straight("4h")])))
    (group,) = group_cards(seen)
    assert (group.kind, group.steps, group.usual_step) == ("single", (), 0.0)


def test_the_plane_undoes_the_tilt() -> None:
    seen = seen_exactly(
        exact_truth(hand_laid([straight("4h 5h 6h 7h"), straight("9c 9d 9s", "row", 3, 2, meld=1)], tilt=40))
    )
    flat = flatten(seen)
    steps = [step for group in group_cards(seen, flat) for step in group.steps]
    assert np.ptp(steps) < 0.03


@pytest.mark.bench
def test_the_layout_of_eighty_cards_takes_under_50_ms() -> None:
    suits = ("h", "d", "c", "s")
    columns = [
        straight(" ".join(f"{rank}{suits[n % 4]}" for rank in range(3, 8)), x=1.2 * (n % 8), y=3.0 * (n // 8), meld=n)
        for n in range(16)
    ]
    seen = seen_exactly(exact_truth(hand_laid(columns)))
    assert len(seen.cards) == 80
    best = min(_timed(seen) for _ in range(5))
    assert best < 0.05


def _timed(seen: CardsSeen) -> float:
    """Seconds of this thread's computing: other work of the machine does not count."""
    begun = time.thread_time()
    group_cards(seen)
    return time.thread_time() - begun


@pytest.mark.parametrize("step", [0.2, 0.3, 0.36, 0.42])
@pytest.mark.parametrize("layout", ["row", "column", "stairs"])
@pytest.mark.parametrize("four", [False, True])
def test_settling_where_cards_lie_never_joins_two_copies(four: bool, layout: Layout, step: float) -> None:
    melds = [
        straight("10d 10d 10h 10h 10s", layout, 0, 0, step=step, meld=0),
        straight("3c 4c 5c", "row", 3.5, 0, meld=1),
    ]
    seen = seen_exactly(exact_truth(hand_laid(melds, four)))
    assert sorted(c.card for c in settle_bodies(seen).cards) == sorted(c.card for c in seen.cards)


def test_the_corners_of_one_card_that_were_left_apart_are_joined() -> None:
    laid = hand_laid([straight("2d"), straight("3c 4c 5c", "row", 3.5, 0, meld=1)], four_corner=True)
    seen = seen_exactly(exact_truth(laid))
    two = next(card for card in seen.cards if card.card == "2d")
    corners = tuple(replace(two, marks=(mark,)) for mark in two.marks)
    apart = replace(seen, cards=(*(card for card in seen.cards if card is not two), *corners))
    assert len(corners) == 4
    (joined,) = [card for card in settle_bodies(apart).cards if card.card == "2d"]
    assert len(joined.marks) == 4
