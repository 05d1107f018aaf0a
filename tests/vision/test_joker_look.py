"""The look at jokers: what is added, judged anew, left alone, and where a place is cut."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vision.joker_look import SIDE, SPAN, JokerEye, local_heights, look_for_jokers, squares
from vision.types import CLASS_INDEX, JOKER, NONE, FloatArray, Image, IndexMark

TALL = 40.0
BLANK: Image = np.zeros((600, 800, 3), dtype=np.uint8)


def quad(x: float, y: float, size: float = TALL) -> FloatArray:
    half = np.array([[-size / 4, -size / 2], [size / 4, -size / 2], [size / 4, size / 2], [-size / 4, size / 2]])
    return np.asarray(half + np.array([x, y]), dtype=np.float32)


def eye(chance: Callable[[FloatArray], float], shift: tuple[float, float] = (0.0, 0.0), size: float = 0.5) -> JokerEye:
    """A network that says the same of all squares, or what `chance` makes of each (3, 72, 72)."""

    def run(batch: FloatArray) -> list[FloatArray]:
        logit = [np.log(chance(one) / (1 - chance(one))) for one in batch]
        return [np.array([[value, *shift, np.log(size)] for value in logit], dtype=np.float32)]

    return JokerEye(run)


def cards() -> list[IndexMark]:
    return [IndexMark.of("7h", quad(100 + 100 * place, 100), 0.99, 0.99) for place in range(5)]


def boxes(*places: tuple[float, float]) -> FloatArray:
    return np.array([quad(x, y) for x, y in places], dtype=np.float32).reshape(-1, 4, 2)


def test_a_place_that_nothing_explains_becomes_a_joker_where_the_look_puts_it() -> None:
    seen = look_for_jokers(eye(lambda _: 0.9, (0.25, 0.5), 0.5), BLANK, cards(), boxes((300, 400)))
    assert len(seen) == 6
    mark = seen[-1]
    assert mark.best == JOKER
    assert mark.score == pytest.approx(0.9, abs=1e-4)
    assert mark.centre.tolist() == pytest.approx([310, 420], abs=1e-3)
    assert mark.height == pytest.approx(20, abs=1e-3)
    assert float(mark.probs[CLASS_INDEX[NONE]]) == pytest.approx(0.1, abs=1e-4)


def test_a_doubted_place_is_not_added() -> None:
    assert len(look_for_jokers(eye(lambda _: 0.45), BLANK, cards(), boxes((300, 400)))) == 5


def test_places_that_show_the_same_mark_add_it_once() -> None:
    seen = look_for_jokers(eye(lambda _: 0.9), BLANK, cards(), boxes((300, 400), (304, 402), (500, 400)))
    assert len(seen) == 7


def test_a_place_on_a_sure_card_is_no_joker() -> None:
    seen = look_for_jokers(eye(lambda _: 0.99), BLANK, cards(), boxes((102, 104)))
    assert [mark.best for mark in seen] == ["7h"] * 5


@pytest.mark.parametrize(("chance", "said"), [(0.3, 0.5), (0.7, 0.7), (0.95, 0.8694), (0.02, 0.1791)])
def test_the_look_has_half_a_say_about_what_the_classifier_calls_a_joker(chance: float, said: float) -> None:
    given = [*cards(), IndexMark.of(JOKER, quad(300, 400), 0.7, 0.7)]
    mark = look_for_jokers(eye(lambda _: chance), BLANK, given, boxes())[-1]
    assert float(mark.probs[CLASS_INDEX[JOKER]]) == pytest.approx(said, abs=1e-3)
    assert float(mark.probs.sum()) == pytest.approx(1, abs=1e-5)
    assert mark.score == pytest.approx(said, abs=1e-3)


def test_a_doubtful_card_becomes_a_joker_only_where_the_look_is_surer() -> None:
    given = [*cards(), IndexMark.of("Jh", quad(300, 400), 0.85, 0.85)]
    assert look_for_jokers(eye(lambda _: 0.89), BLANK, given, boxes())[-1].best == "Jh"
    assert (
        look_for_jokers(
            eye(lambda _: 0.95), BLANK, [*cards(), sure := IndexMark.of("Jh", quad(300, 400), 0.95, 0.95)], boxes()
        )[-1]
        is sure
    )
    assert look_for_jokers(eye(lambda _: 0.95), BLANK, given, boxes())[-1].best == JOKER


def test_without_sure_indices_nothing_changes() -> None:
    given = [*cards()[:2], IndexMark.of(JOKER, quad(300, 400), 0.7, 0.7)]
    seen = look_for_jokers(eye(lambda _: 0.99), BLANK, given, boxes((500, 500)))
    assert [mark.best for mark in seen] == ["7h", "7h", JOKER]
    assert seen[2].score == 0.7


def test_no_places_ask_nothing() -> None:
    assert len(look_for_jokers(eye(lambda _: 0.99), BLANK, cards(), boxes())) == 5


@pytest.mark.parametrize("tall", [12.0, 20.0, 90.0, 300.0])
def test_a_square_has_its_place_in_the_middle_at_every_scale(tall: float) -> None:
    image = np.zeros((1400, 1400, 3), dtype=np.uint8)
    x, y, half = 701.0, 655.0, 0.35 * tall
    image[round(y - half) : round(y + half), round(x - half) : round(x + half)] = 255
    cut = squares(image, np.array([[x, y]]), np.array([tall]))[0, ..., 0].astype(float)
    rows, columns = np.mgrid[0:SIDE, 0:SIDE] + 0.5
    middle = (cut * columns).sum() / cut.sum(), (cut * rows).sum() / cut.sum()
    assert middle == pytest.approx((SIDE / 2, SIDE / 2), abs=0.6)
    assert (cut / 255).sum() == pytest.approx((2 * round(half) / tall * SIDE / SPAN) ** 2, rel=0.08)


def test_a_square_reaches_outside_the_photo() -> None:
    assert squares(BLANK, np.array([[-500.0, 2000.0]]), np.array([300.0])).shape == (1, SIDE, SIDE, 3)


def test_heights_are_those_of_the_nearest_indices() -> None:
    middles = np.array([[float(x), 0.0] for x in range(0, 1000, 100)])
    tall = local_heights(np.array([[0.0, 0.0], [900.0, 0.0]]), middles, np.linspace(10, 19, 10))
    assert tall.tolist() == [12.0, 17.0]
