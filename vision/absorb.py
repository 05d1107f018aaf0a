"""Marks that were left beside a card they are a corner of: too short a box, or one a little astray.

Twins are safe: the index of a twin that lies under a card shows outside that card, and a twin that lies on it shows its
own other corners. So an index *inside* the outline of a card that is known by two marks or more, where a corner of that
card has no mark yet and as that corner stands, is that corner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from vision.bodies import Body
from vision.deck_model import Marks

_REACH = 0.35
"""Index heights by which a left-over mark may miss the corner's place."""
_TURN_DEG = 22.0
_SAME_FACE = 0.3
"""Least probability that both read the same face."""
_SURE_SAME, _TURNED, _LIKE_TALL, _APART = 0.5, 0.95, 1.6, 0.35
"""Of two lone marks that are opposite corners: that probability, the cosine of their turn, the ratio of their sizes,
and how far apart their cards' middles are at most, as a share of the indices' distances.
"""


def absorb_corners(marks: Marks, bodies: Sequence[Body], four_corner: bool) -> list[Body]:
    """Give cards of two marks or more the left-over marks at their free corners; the order of cards stays."""
    if not four_corner:
        return list(bodies)
    order = sorted(range(len(bodies)), key=lambda number: -len(bodies[number].members))
    found = dict(enumerate(bodies))
    for home in order:
        if home not in found or len(found[home].members) < 2:
            continue
        for other in reversed(order):
            if other == home or other not in found or len(found[other].members) > len(found[home].members):
                continue
            joined = _joined(marks, found[home], found[other])
            if joined is not None:
                found[home] = joined
                del found[other]
    return [found[number] for number in sorted(found)]


def pair_lone_corners(marks: Marks, bodies: Sequence[Body]) -> list[Body]:
    """Make one card of two cards of two-corner decks that are known by one mark each, opposite corners of one face.

    Were they twins that lie nearly on each other, the upper one would show both its corners.
    """
    lone = [n for n, body in enumerate(bodies) if len(body.members) == 1 and not body.four_corner]
    pairs = sorted((_lone_miss(marks, bodies[a], bodies[b]), a, b) for a, b in combinations(lone, 2))
    found = dict(enumerate(bodies))
    for miss, first, second in pairs:
        if miss > _APART:
            break
        if first in found and second in found and len(found[first].members) == len(found[second].members) == 1:
            members = (*found[first].members, *found[second].members)
            found[first] = replace(found[first], members=members, centre=marks.centre[list(members)].mean(axis=0))
            del found[second]
    return [found[number] for number in sorted(found)]


def _lone_miss(marks: Marks, first: Body, second: Body) -> float:
    """Return how far apart the middles of two lone marks' cards are, as a share of the spans, or infinity."""
    one, two = first.members[0], second.members[0]
    if float(marks.probs[one] @ marks.probs[two]) < _SURE_SAME or float(first.down @ second.down) > -_TURNED:
        return math.inf
    if not 1 / _LIKE_TALL < first.index_height / second.index_height < _LIKE_TALL:
        return math.inf
    offset = second.centre - first.centre
    right = np.array([first.down[1], -first.down[0]])
    return max(abs(float(offset @ right)) / first.half_across, abs(float(offset @ first.down)) / first.half_down) / 2


def _joined(marks: Marks, home: Body, other: Body) -> Body | None:
    """Return the card with the other's marks at its free corners, or None where they are not."""
    taken = {_slot(marks, home, member)[0] for member in home.members}
    for member in other.members:
        slot, miss = _slot(marks, home, member)
        if slot is None or slot in taken or miss > _REACH * home.index_height:
            return None
        if all(float(marks.probs[member] @ marks.probs[one]) < _SAME_FACE for one in home.members):
            return None
        taken.add(slot)
    return replace(home, members=(*home.members, *other.members))


def _slot(marks: Marks, body: Body, member: int) -> tuple[int | None, float]:
    """Return the corner of the card (0..3, clockwise) that a mark stands as, and how far it lies from its place."""
    right = np.array([body.down[1], -body.down[0]])
    offset = marks.centre[member] - body.centre
    across, down = float(offset @ right), float(offset @ body.down)
    upright = float(marks.down[member] @ body.down)
    miss = math.hypot(abs(across) - body.half_across, abs(down) - body.half_down)
    if abs(upright) < math.cos(math.radians(_TURN_DEG)) or (upright > 0) != (down < 0):
        return None, miss
    return (0 if across < 0 else 1) if down < 0 else (2 if across > 0 else 3), miss
