"""Which long edge of its card a mark is on, where the card shows one edge only: told by the mark and by its neighbours.

A card of a row shows the two corners of its left or of its right edge; both make a card, the one the mirror image of
the other. The classifier's opinion (is this a right-hand corner?) is often weak, but overlapping cards show the same
edge as the cards beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.bodies import Body
from vision.deck_model import Marks
from vision.geometry import Array, Flags, Ints

_NEAR = 0.7
"""Distance between the same corners of two neighbours, as a share of the indices' distance down."""
_PARALLEL = 0.97
_LEAST_HAND = 0.05
"""An opinion about one corner is never surer than this."""
_KNOWN = 3.0
"""Log odds of the edge of a mark on a card that shows both edges."""
_COUPLING = 1.2
"""Log odds that a neighbour's corner on a known edge adds."""
_ROUNDS = 12
_OF_EDGE = 0.5
"""Share of half the indices' distance across from which a mark is on an edge."""


def mirrored(marks: Marks, bodies: Sequence[Body]) -> list[Body]:
    """Return the cards, those turned over to the other side of their edge of which marks and neighbours say so."""
    member = np.array([m for body in bodies for m in body.members], dtype=np.int64)
    owner = np.array([n for n, body in enumerate(bodies) for _ in body.members], dtype=np.int64)
    if len(member) < 2:
        return list(bodies)
    down = np.array([body.down for body in bodies])
    right = np.column_stack([down[:, 1], -down[:, 0]])
    half = np.array([body.half_across for body in bodies])
    aside = ((marks.centre[member] - np.array([body.centre for body in bodies])[owner]) * right[owner]).sum(axis=1)
    edge = np.where(np.abs(aside) > _OF_EDGE * half[owner], np.sign(aside), 0.0)
    open_ = _one_edge(edge, owner, bodies)
    hand = np.clip(marks.hand[member], _LEAST_HAND, 1 - _LEAST_HAND)
    upright = (marks.down[member] * down[owner]).sum(axis=1) > 0
    said = np.where(upright, 1, -1) * np.log(hand / (1 - hand))
    own = np.bincount(owner, weights=said, minlength=len(bodies))
    links = _links(marks, member, owner, down, np.array([2 * body.half_down for body in bodies]))
    odds = own.copy()
    for _ in range(_ROUNDS):
        # what is believed of every mark: +1 on its card's right edge, -1 on the left one
        belief = np.where(open_[owner], np.tanh(odds[owner] / 2), np.tanh(_KNOWN / 2) * edge)
        odds = own + np.bincount(owner, weights=_COUPLING * (links @ belief), minlength=len(bodies))
    out = list(bodies)
    for number in np.flatnonzero(open_).tolist():
        side = edge[owner == number][0]
        if side * odds[number] < 0:
            body = bodies[number]
            out[number] = replace(body, centre=body.centre + 2 * side * body.half_across * right[number])
    return out


def _one_edge(edge: Array, owner: Ints, bodies: Sequence[Body]) -> Flags:
    """Say which cards of four-corner decks are known by the marks of one long edge alone."""
    out = np.zeros(len(bodies), dtype=np.bool_)
    for number, body in enumerate(bodies):
        sides = set(edge[owner == number].tolist())
        out[number] = body.four_corner and len(sides) == 1 and 0.0 not in sides
    return out


def _links(marks: Marks, member: Ints, owner: Ints, down: Array, tall: Array) -> Array:
    """Return (n, n): 1 where the mark of a column is the same corner of a neighbour, -1 where that card lies turned."""
    gaps = np.linalg.norm(marks.centre[member][:, None] - marks.centre[member][None], axis=2)
    same = (marks.down[member] @ marks.down[member].T) > _PARALLEL
    cosine = (down @ down.T)[owner][:, owner]
    near = same & (gaps < _NEAR * tall[owner][:, None]) & (np.abs(cosine) > _PARALLEL) & (owner[:, None] != owner[None])
    return np.asarray(near * np.sign(cosine), dtype=np.float64)
