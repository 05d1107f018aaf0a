"""What all jokers of a photo have in common: how far apart their marks are, and in how many corners.

Two jokers side by side offer pairs of marks that might be two corners of one card. What decides is the design: marks in
two corners lie top left and bottom right, never the other way, and jokers of one deck are printed alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Array

_LEAST_SPAN: Final = 0.55
"""Share of the indices' distance that the marks of a joker may be apart at least: a word reaches far into the card."""
_CARD_SLACK = 1.1
"""The card's size is known to a tenth."""
_OFF_LINE = 0.25
"""Share of the indices' distance by which two marks of one edge may be off its line."""
_STAR_SLACK = 0.21
"""Tangent of the angle by which a small star's direction strays."""
_SIZES, _UNLIKE = 2.3, 0.25
"""Ratio of their sizes up to which two marks may be of one card, and what a logarithm of difference costs below it."""
_JOINED, _FILLED = 1.4, 1.6
"""What a pair is worth that fits exactly, and each further mark in a corner of it."""
_SAID, _ACROSS = 0.08, 0.6
"""What a logarithm of what the marks' own directions and hands say counts for, and what it costs that a word stands
across the card.
"""
_OFF, _CORNER = 3.0, 0.28
"""What it costs that a further mark is off its corner, as a share of the distance down, and how far off it may be."""
_STRAYS = 2.0
"""What a design costs whose distances differ from the indices' own by as much as they measure."""
_OUTER = 1.1
"""Most that a joker's marks are farther apart than indices, which are about as near to the corners as they can be."""
_OTHER_CORNERS = 0.8
"""What a design costs whose jokers have marks in another number of corners than the other cards."""

_MOST_PIECES, _MOST_DESIGNS = 24, 24
"""Of more pieces than four jokers have, or a photo full of stars, no design is learnt; nor are more designs tried."""


class Word(NamedTuple):
    """The larger mark beside a star: its middle and size."""

    place: Array
    size: float


@dataclass(frozen=True, eq=False)
class Piece:
    """What is printed in one corner of a joker: its marks, where the corner is, sides of the box there, and the
    angles (of the plane, in radians) that the card's axis may have, the first half likelier; the way down that the
    reader saw and the probabilities that it is upside down and that the corner is a right one; the word under a star.
    """

    members: tuple[int, ...]
    place: Array
    tall: float
    wide: float
    angles: tuple[float, ...]
    star: bool
    down: Array
    turned: float
    right: float
    word: Word | None = None

    @property
    def size(self) -> float:
        """Root of the mark's area: the look at jokers draws a square where the detector drew a word's box."""
        return math.sqrt(self.tall * self.wide)

    def says(self, centre: Array) -> float:
        """Log of how much likelier than by chance the mark's direction and hand make it that the card lies so."""
        u, v = _in_frame(centre[0] - self.place[0], centre[1] - self.place[1], self.down[0], self.down[1])
        upright = 1 - self.turned if v > 0 else self.turned
        right = self.right if (u < 0) == (v > 0) else 1 - self.right
        return math.log(4 * upright * right)


def _in_frame(x: float, y: float, down_x: float, down_y: float) -> tuple[float, float]:
    """An offset across and down, as a unit vector down has it: plain numbers, for arrays of two are slow."""
    return x * down_y - y * down_x, x * down_x + y * down_y


class Design(NamedTuple):
    """Distances across and down between the corner marks of a photo's jokers, and whether all four corners have one."""

    across: float
    down: float
    four: bool


class Pose(NamedTuple):
    """A joker: the pieces in its corners, its middle, the angle of its axis, and what it is worth to take them so."""

    members: tuple[int, ...]
    centre: Array
    angle: float
    worth: float


def _poses(pieces: Sequence[Piece], design: Design, card: tuple[float, float]) -> list[Pose]:
    """Every joker that two of the pieces may be corners of, with what else lies in its other corners."""
    places = np.array([piece.place for piece in pieces]).reshape(-1, 2)
    found = []
    for first, second in combinations(range(len(pieces)), 2):
        one, other = pieces[first], pieces[second]
        if not 1 / _SIZES < one.size / other.size < _SIZES:
            continue
        slack = _STAR_SLACK if one.star and other.star else 0.0
        unlike = _UNLIKE * _unlike(one, other)
        for number, frame in enumerate(one.angles):
            turned = _ACROSS if number >= len(one.angles) // 2 and not one.star else 0.0
            for misfit, centre, angle in _ways(one.place, other.place, frame, design, card, slack):
                said = one.says(centre) + other.says(centre)
                worth = _JOINED - misfit - unlike - turned + _SAID * said
                found.append(_filled(pieces, places, Pose((first, second), centre, angle, worth), design))
    return sorted(found, key=lambda pose: (-pose.worth, pose.members))


def _filled(pieces: Sequence[Piece], places: Array, pose: Pose, design: Design) -> Pose:
    """The pose with the pieces, whose `places` are (n, 2), that lie in its free corners."""
    if not design.four:
        return pose
    down = np.array([math.cos(pose.angle), math.sin(pose.angle)])
    right = np.array([down[1], -down[0]])
    across, along = design.across / 2 * right, design.down / 2 * down
    corners = pose.centre + np.array([a * across + d * along for a in (-1, 1) for d in (-1, 1)])
    off = np.linalg.norm(places[None] - corners[:, None], axis=2) / design.down
    free = [0, 1, 2, 3]
    for number in pose.members:
        free.remove(min(free, key=lambda corner: float(off[corner, number])))
    members, worth = list(pose.members), pose.worth
    lead = pieces[members[0]]
    for corner in free:
        best: tuple[float, int] | None = None
        for number in np.flatnonzero(off[corner] < _CORNER).tolist():
            piece = pieces[number]
            if number in members or not 1 / _SIZES < lead.size / piece.size < _SIZES:
                continue
            gain = _FILLED - _OFF * float(off[corner, number]) - _UNLIKE * _unlike(lead, piece)
            gain += _SAID * piece.says(pose.centre)
            if gain > 0 and (best is None or gain > best[0]):
                best = gain, number
        if best is not None:
            members.append(best[1])
            worth += best[0]
    return pose._replace(members=tuple(members), worth=worth)


def _ways(
    one: Array, other: Array, frame: float, design: Design, card: tuple[float, float], slack: float
) -> list[tuple[float, Array, float]]:
    """How two marks can lie on one card whose axis is about `frame`: how far (0 is exact) they are from it, the card's
    middle and the angle of its axis."""
    x, y = float(other[0] - one[0]), float(other[1] - one[1])
    u, v = _in_frame(x, y, math.cos(frame), math.sin(frame))
    across, along = abs(u), abs(v)
    if (not design.four and u * v < 0) or math.hypot(x, y) > _CARD_SLACK * math.hypot(*card):
        return []
    middle, bearing = np.asarray((one + other) / 2), math.atan2(y, x)
    lean = math.atan2(design.across, design.down)
    # on the plane the angle grows from the way right to the way down
    axis = bearing + (lean if u * v > 0 else -lean)
    miss = _miss(across, design.across, card[0]) + _miss(along, design.down, card[1])
    ways = [(miss, middle, axis)] if math.isfinite(miss) else []
    if not design.four:
        return ways
    length = math.hypot(across, along)
    aside = np.array([y, -x]) / max(length, 1e-9)
    if along < max(_OFF_LINE * design.down, slack * across):
        miss = _miss(length, design.across, card[0]) + along / design.down
        if math.isfinite(miss):
            ways += [(miss, middle + side * design.down / 2 * aside, bearing + math.pi / 2) for side in (-1, 1)]
    if across < max(_OFF_LINE * design.across, slack * along):
        miss = _miss(length, design.down, card[1]) + across / design.across
        if math.isfinite(miss):
            ways += [(miss, middle + side * design.across / 2 * aside, bearing) for side in (-1, 1)]
    return ways


def _miss(distance: float, span: float, most: float) -> float:
    """How far a distance is from the design's, as a share of it; infinite outside what fits on the card."""
    if not _LEAST_SPAN * span < distance < _CARD_SLACK * most:
        return math.inf
    return abs(distance / span - 1.0)


def _unlike(one: Piece, other: Piece) -> float:
    """How far (0 is not at all) two boxes differ: the corners of a card are printed alike, but a look draws squares."""
    if any(abs(piece.tall - piece.wide) < 1e-3 * piece.tall for piece in (one, other)):
        return abs(math.log(one.size / other.size))
    return abs(math.log(one.tall / other.tall)) + abs(math.log(one.wide / other.wide))


class Grouping(NamedTuple):
    """The jokers whose corners are known by two pieces or more, under a design, and what that is worth."""

    poses: list[Pose]
    worth: float
    design: Design


def grouped(
    pieces: Sequence[Piece], spans: tuple[float, float], card: tuple[float, float], four_corner: bool
) -> Grouping:
    """Put the corners together to jokers, under the design that explains most of them."""
    best: Grouping | None = None
    for four in (False, True):
        base = Design(*spans, four)
        poses = _poses(pieces, base, card)
        seen = _seen_designs(pieces, poses, base)[:_MOST_DESIGNS] if len(pieces) <= _MOST_PIECES else []
        for design in (base, *seen):
            chosen = _chosen(poses if design is base else _poses(pieces, design, card))
            worth = sum(pose.worth for pose in chosen)
            worth -= _STRAYS * (abs(design.across / spans[0] - 1) + abs(design.down / spans[1] - 1))
            worth -= _OTHER_CORNERS * (four != four_corner)
            if best is None or worth > best.worth + 1e-9:
                best = Grouping(chosen, worth, design)
    assert best is not None
    return best


def _seen_designs(pieces: Sequence[Piece], poses: Sequence[Pose], base: Design) -> list[Design]:
    """The designs that pairs of opposite corners would have."""
    found = []
    for pose in poses:
        first, second = (pieces[number].place for number in pose.members[:2])
        offset = second - first
        if float(np.linalg.norm((first + second) / 2 - pose.centre)) > 1e-6 * base.down:
            continue
        for frame in pieces[pose.members[0]].angles:
            down = np.array([math.cos(frame), math.sin(frame)])
            across, along = abs(float(offset @ np.array([down[1], -down[0]]))), abs(float(offset @ down))
            if _LEAST_SPAN < across / base.across < _OUTER and _LEAST_SPAN < along / base.down < _OUTER:
                found.append(Design(across, along, base.four))
    return found


def _chosen(poses: Sequence[Pose]) -> list[Pose]:
    """The best poses that share no piece."""
    taken: set[int] = set()
    out = []
    for pose in poses:
        if pose.worth > 0 and taken.isdisjoint(pose.members):
            taken.update(pose.members)
            out.append(pose)
    return out
