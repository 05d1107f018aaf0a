"""Marks that were left beside a card they are a corner of: too short a box, or one a little astray.

Twins are safe: the index of a twin that lies under a card shows outside that card, and a twin that lies on it shows its
own other corners. So an index *inside* the outline of a card that is known by two marks or more, where a corner of that
card has no mark yet and as that corner stands, is that corner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.bodies import Body
from vision.deck_model import Marks

_REACH = 0.35
"""Index heights by which a left-over mark may miss the corner's place."""
_TURN_DEG = 22.0
_SAME_FACE = 0.3
"""Least probability that both read the same face."""


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
