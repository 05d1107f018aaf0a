"""Whose are the melds: the line across the table that best parts the groups into two sides.

Cards face their owner, so the sides face each other along the long axis of most cards; a column grows towards its
owner; the two sides keep a gap between them. None of this depends on how the photo is turned. Only the *names* do:
side 0 is the one nearer to the bottom of the picture (at a tie, to its left).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import Array
from vision.layout import Flat, Group

_COLUMN_WORTH = 1.6
"""Log evidence of a column that grows towards the side it is said to belong to."""
_HABIT = 3.0
"""The most that the directions of one side's melds tell together: who lays one column away from himself lays all so."""
_COOL = 0.7
"""Temperature of the lines' evidence, fitted so that a parting said to be sure at 0.9 is right 9 times in 10."""
_SURE_MARGIN = 0.35
"""Card heights: a group that stays this far from the dividing line is on its side beyond doubt."""


@dataclass(frozen=True, eq=False)
class Sides:
    """The groups with their sides, the axis from side 1 to side 0, and how surely each group is on its side (0..1).

    `place` is each group's signed distance in card heights from the dividing line, positive on side 0; `split` is
    False when all groups lie on one side. `options` are the other partings worth a question: (probability, side of
    every group), the chosen one first.
    """

    groups: tuple[Group, ...]
    axis: Array
    trust: tuple[float, ...]
    place: tuple[float, ...]
    split: bool
    options: tuple[tuple[float, tuple[int, ...]], ...] = ()


def assign_sides(flat: Flat, groups: Sequence[Group], most: int = 2) -> Sides:
    """Part the groups into two sides (or leave them on one, with `most` = 1 or too little to part)."""
    counted = [n for n, group in enumerate(groups) if len(group.cards) >= 2]
    if most < 2 or len(counted) < 2:
        return Sides(tuple(groups), np.array([0.0, 1.0]), (1.0,) * len(groups), (1.0,) * len(groups), False)
    axis = _long_axis(flat, groups)
    lines = [
        (value + worth, candidate, line)
        for candidate, worth in _axes(axis)
        for line, value in _lines(flat, groups, counted, candidate)
    ]
    if not lines:
        return Sides(tuple(groups), axis, (1.0,) * len(groups), (1.0,) * len(groups), False)
    lines.sort(key=lambda one: -one[0])
    options = _options(flat, groups, lines)
    _, axis, line = lines[0]
    if not _points_to_near(flat, groups, axis, line):
        axis, line = -axis, -line
    place = [float(group.centre @ axis) - line for group in groups]
    sided = tuple(replace(group, side=0 if p >= 0 else 1) for group, p in zip(groups, place, strict=True))
    trust = tuple(_trust(flat, group, axis, line) for group in sided)
    return Sides(sided, axis, trust, tuple(place), True, options)


def _axes(axis: Array) -> list[tuple[Array, float]]:
    """Directions across which the table may be parted: the long axis of the cards, a little askew, or the other one."""
    out = []
    for turn in (0.0, -3.0, 3.0, -6.0, 6.0):
        c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        out.append((np.array([c * axis[0] - s * axis[1], s * axis[0] + c * axis[1]]), 2.0 - 0.08 * abs(turn)))
    return [*out, (np.array([axis[1], -axis[0]]), 0.0)]


def _options(
    flat: Flat, groups: Sequence[Group], lines: list[tuple[float, Array, float]]
) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """The best lines as partings with their probabilities, at most four; those below 1 % are left out."""
    counted = [n for n, group in enumerate(groups) if len(group.cards) >= 2]
    found: dict[tuple[int, ...], tuple[float, tuple[int, ...]]] = {}
    for value, axis, line in lines:
        weight = math.exp((value - lines[0][0]) / _COOL)
        if not _points_to_near(flat, groups, axis, line):
            axis, line = -axis, -line
        sides = tuple(0 if float(group.centre @ axis) >= line else 1 for group in groups)
        key = tuple(sides[n] for n in counted)
        mirrored = tuple(1 - side for side in key)
        if key not in found and mirrored not in found:
            found[key] = weight, sides
    total = sum(weight for weight, _ in found.values())
    return tuple((weight / total, sides) for weight, sides in list(found.values())[:4] if weight >= 0.01 * total)


def _long_axis(flat: Flat, groups: Sequence[Group]) -> Array:
    """The long axis that most cards of groups share: the mean of doubled angles."""
    total = np.zeros(2)
    for group in groups:
        if len(group.cards) < 2:
            continue
        for card, cross in zip(group.cards, group.crosswise, strict=True):
            if not cross:
                x, y = flat.down[card]
                total += (x * x - y * y, 2 * x * y)
    angle = math.atan2(total[1], total[0]) / 2
    return np.array([math.cos(angle), math.sin(angle)])


def _spread(flat: Flat, group: Group, axis: Array) -> tuple[float, float]:
    """Lowest and highest place of a group's cards along an axis, card bodies included."""
    middles = flat.centre[list(group.cards)] @ axis
    down, right = flat.down[list(group.cards)] @ axis, flat.right[list(group.cards)] @ axis
    half = np.abs(down) / 2 + np.abs(right) * flat.aspect / 2
    return float((middles - half).min()), float((middles + half).max())


def _lines(flat: Flat, groups: Sequence[Group], counted: list[int], axis: Array) -> list[tuple[float, float]]:
    """Every dividing line across `axis` worth a thought, with its log evidence."""
    spreads = {n: _spread(flat, groups[n], axis) for n in counted}
    middles = {n: float(groups[n].centre @ axis) for n in counted}
    order = sorted(counted, key=lambda n: middles[n])
    total = sum(len(groups[n].cards) for n in counted)
    low, high = min(s[0] for s in spreads.values()), max(s[1] for s in spreads.values())
    found = []
    for cut in range(1, len(order)):
        below, above = order[:cut], order[cut:]
        top, bottom = max(spreads[n][1] for n in below), min(spreads[n][0] for n in above)
        value = 4.0 * max(-1.0, min(1.0, bottom - top))
        for side, sign in ((below, -1.0), (above, 1.0)):
            lean = sum(_COLUMN_WORTH * sign * float(groups[n].towards @ axis) for n in side)
            value += max(-_HABIT, min(_HABIT, lean))
            if len(side) == 1:
                value -= 2.0
        share = sum(len(groups[n].cards) for n in below) / total
        value += 5.0 * min(share, 1 - share, 0.35)
        line = (top + bottom) / 2
        value -= 0.5 * ((line - (low + high) / 2) / (0.15 * max(high - low, 1.0))) ** 2
        found.append((line, value))
    return found


def _points_to_near(flat: Flat, groups: Sequence[Group], axis: Array, line: float) -> bool:
    """True when the axis points to the side that is nearer to the bottom of the picture."""
    middles: list[list[Array]] = [[], []]
    for group in groups:
        middles[float(group.centre @ axis) >= line].append(flat.to_image(group.centre))
    if not middles[0] or not middles[1]:
        return True
    there, here = np.mean(middles[1], axis=0), np.mean(middles[0], axis=0)
    if abs(there[1] - here[1]) > 0.05 * abs(there[0] - here[0]):
        return bool(there[1] > here[1])
    return bool(there[0] < here[0])


def _trust(flat: Flat, group: Group, axis: Array, line: float) -> float:
    low, high = _spread(flat, group, axis)
    margin = low - line if group.side == 0 else line - high
    centre = abs(float(group.centre @ axis) - line)
    lean = float(group.towards @ axis) * (1 if group.side == 0 else -1)
    if lean < -0.5 and margin < 1.0:
        return 0.7
    if margin > 0.02 or centre > 1.0:
        return 0.999
    if margin > -_SURE_MARGIN or centre > 0.5:
        return 0.99 if lean > 0.5 else 0.97
    return 0.9 if lean > 0.5 else 0.8
