"""Could a card lie here that shows no index? What the steps of a chain tell about cards that were not seen.

Two things leave a hole: a card so tightly covered that neither index peeps out (possible only where cards lie closely),
and a card that shows but was not read. Both widen the step: by less than the least readable step, or to twice the
usual one. Lengths are in card heights, weights natural logarithms of odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from vision.geometry import Array

_LEAST_SHOWN: Final = 0.7
"""Share of an index that has to be uncovered for it to be read."""
_MARK_WIDE, _MARK_TALL = 0.11, 0.17
"""Card heights of an index box where the photo does not tell."""
_UNEVEN: Final = 0.1
_JITTER: Final = 0.04
"""How unevenly people lay cards: a share of the step, and card heights on top of it."""
_ODD_STEP: Final = 0.02
"""Density, per card height, of a step that follows no rule at all."""
_SHOWN_SLIP: Final = 0.62
"""Share of the slip that covers a card which its neighbours' steps show."""
_PEEP: Final = 0.6
"""Share of the cards under a step below the least one that are covered indeed (fitted)."""
_SLIP: Final = 0.0004
"""Chance of a card being covered for a reason that the step does not show."""
_MOST: Final = 2.5
_LEAST: Final = -6.5


def _normal(x: float, mean: float, spread: float) -> float:
    return math.exp(-(((x - mean) / spread) ** 2) / 2) / (spread * math.sqrt(2 * math.pi))


def _below(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def covered_share(usual: float, least: float) -> float:
    """Probability that a card of a chain with this usual step shows no index; `least` is the least readable step."""
    return _SLIP + _below((least - usual) / math.hypot(_UNEVEN * usual, _JITTER))


def step_weight(step: float, usual: float, least: float, missed: float) -> float:
    """Log odds of one unseen card lying under a step, against none.

    >>> step_weight(0.25, 0.25, 0.15, 0.01) < -4 < 0 < step_weight(0.5, 0.25, 0.15, 0.01)
    True
    """
    spread = math.hypot(_UNEVEN * usual, _JITTER)
    none = (1 - _ODD_STEP) * _normal(step, usual, spread) + _ODD_STEP
    # a card is covered when it and the next slip towards each other; only its neighbours' part shows in the step
    under = 2 * usual - _SHOWN_SLIP * max(0.01, usual - least + 0.01)
    covered = _PEEP * covered_share(usual, least) * _normal(step, under, math.hypot(spread, 0.03))
    unread = missed * _normal(step, 2 * usual, spread * math.sqrt(2))
    return max(_LEAST, min(_MOST, math.log(max(covered + unread, 1e-12) / none)))


def corners(marks: Sequence[Array], four: bool) -> tuple[float, float]:
    """Median distance across and down from a card's middle to its indices, both positive."""
    found = [abs(m) for some in marks for m in some]
    if not found:
        return 0.25, 0.385
    across, down = np.median(np.array(found), axis=0)
    return float(min(0.32, max(0.15, across))), float(min(0.45, max(0.25, down)))


def least_step(direction: tuple[float, float], aspect: float, places: tuple[float, float], four: bool) -> float:
    """The least step in a direction (right, down in the lower card's frame) at which its index can still be read.

    `places` are the distances of the indices from the card's middle; a two-corner card has one at the upper left and
    one at the lower right, a four-corner card has four.

    >>> 0.1 < least_step((0.0, 1.0), 0.68, (0.25, 0.385), False) < 0.2
    True
    """
    x, y = round(direction[0], 2), round(direction[1], 2)
    return _least_step(x, y, round(aspect, 2), round(places[0], 2), round(places[1], 2), four)


@lru_cache(maxsize=4096)
def _least_step(x: float, y: float, aspect: float, across: float, down: float, four: bool) -> float:
    spots = [(-across, -down), (across, down)]
    if four:
        spots += [(across, -down), (-across, down)]
    best = 1.0
    for spot in spots:
        for step in range(1, 20):
            far = 0.02 * step
            if _shown(spot, (x * far, y * far), aspect) >= _LEAST_SHOWN:
                best = min(best, far)
                break
    return best


def _shown(spot: tuple[float, float], shift: tuple[float, float], aspect: float) -> float:
    """Share of an index at `spot` that a like card laid `shift` away leaves uncovered."""
    free_x = _free(spot[0], _MARK_WIDE, shift[0], aspect / 2)
    free_y = _free(spot[1], _MARK_TALL, shift[1], 0.5)
    return 1 - (1 - free_x) * (1 - free_y)


def _free(middle: float, size: float, shift: float, half: float) -> float:
    low, high = middle - size / 2, middle + size / 2
    shared = max(0.0, min(high, half + shift) - max(low, -half + shift))
    return 1 - shared / size
