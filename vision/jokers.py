"""The marks of jokers: words, stars and pictures in the corners, unlike an index in size, place and direction.

A star looks the same turned by a fifth, so a joker's marks are joined by place only, in the rectangle that the
other cards of the deck span. Marks that say joker where an ordinary card has its index, or where a two has its
star, are no joker.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Literal, Protocol

import numpy as np

from vision.deck_model import Marks
from vision.geometry import Array
from vision.types import CARDS, CLASS_INDEX, JOKER

_SURE = 0.9
"""A mark at least this sure of being a joker is kept wherever it lies."""
_LEAST_MARK = 0.26
"""Share of an index's height that a joker's mark has at least: 0.28 is the smallest star of the synthetic decks."""
_LEAST_SPAN = 0.55
"""Share of the indices' distance that the marks of a joker may be apart at least: a word reaches far into the card."""
_SQUARE = 0.72
"""Least ratio of a star's sides."""
_STAR_SLACK = 0.21
"""Tangent of the angle by which a small star's direction strays."""
_SMALL = 0.6
"""Share of an index's height below which a joker's mark is a star, whatever its box looks like."""
_CARD_SLACK = 1.1
"""The card's size is known to a tenth."""
_INNER = 0.36
"""Shares of a card's width and height from its middle that are picture, not corner."""
_OFF_LINE = 0.25
"""Share of the indices' distance by which two marks of one edge may be off its line."""
_CORNERED = 0.3
"""Share of the indices' distance across from which a third mark lies off the line of two: they are in three corners."""
_NEIGHBOURS, _NEAR_SAID = 3, 0.2
"""Indices near a joker's mark that say where their card's middle is, and how much less they count by their distance
and how much less a middle by its own, in the distance down.
"""
_BESIDE = 0.75
"""Distance, in that of the indices down, within which an index tells in which corner of its card a lone mark is."""
_SIZES = 2.0
"""Ratio of their sizes up to which two marks may be of one card."""
_UNLIKE = 0.5
"""Among marks that may be of one card the more alike are joined first: what a logarithm of difference counts for."""
_TWOS = [number for number, card in enumerate(CARDS) if card.startswith("2")]


class _Body(Protocol):
    @property
    def members(self) -> tuple[int, ...]: ...
    @property
    def centre(self) -> Array: ...
    @property
    def down(self) -> Array: ...
    @property
    def half_across(self) -> float: ...
    @property
    def half_down(self) -> float: ...
    @property
    def index_height(self) -> float: ...


def drop_false_jokers(marks: Marks, jokers: list[int], bodies: Sequence[_Body]) -> list[int]:
    """Return the joker marks that no ordinary card explains as its own corner or as the star of a two.

    A mark far smaller than the photo's indices is no joker's either: it is a speck of a court or of the table.
    """
    if not marks.is_joker.all():
        least = _LEAST_MARK * float(np.median(marks.height[~marks.is_joker]))
        jokers = [number for number in jokers if marks.height[number] >= least]
    return [number for number in jokers if not any(_explains(marks, number, body) for body in bodies)]


def _explains(marks: Marks, number: int, body: _Body) -> bool:
    place = marks.centre[number]
    tall = body.index_height
    right = np.array([body.down[1], -body.down[0]])
    for member in body.members:
        if int(marks.probs[member].argmax()) in _TWOS:
            offset = (place - marks.centre[member]) / tall
            beside = abs(float(offset @ right)), abs(float(offset @ body.down))
            if beside[0] < 0.6 and beside[1] < 1.5 and marks.height[number] < tall:
                return True
    if marks.probs[number, CLASS_INDEX[JOKER]] >= _SURE:
        return False
    offset = place - body.centre
    across, down = abs(float(offset @ right)), abs(float(offset @ body.down))
    return abs(across - body.half_across) < 0.5 * tall and abs(down - body.half_down) < 0.5 * tall


def join_jokers(
    marks: Marks, jokers: list[int], spans: tuple[float, float], card: tuple[float, float], bodies: Sequence[_Body] = ()
) -> list[tuple[list[int], Array, Array]]:
    """Group joker marks into cards: (members, middle, down direction) in the plane.

    `spans` are the distances across and down between the corner indices of the deck's other cards, `card` the
    card's width and height, all in plane units; `bodies` are the ordinary cards, as which a joker is likely to lie.
    """
    marks = _stars_straight(marks, jokers)
    pieces = _pieces(marks, jokers)
    leads = sorted(pieces)
    fits: dict[tuple[int, int], float] = {}
    for first, second in combinations(leads, 2):
        fit = _fit(marks, first, second, spans, card)
        if fit is not None:
            fits[first, second] = fit
    group = {number: [number] for number in leads}
    for _, first, second in sorted((fit, *pair) for pair, fit in fits.items()):
        one, two = group[first], group[second]
        if one is two or len(one) + len(two) > 4:
            continue
        if any((min(a, b), max(a, b)) not in fits for a in one for b in two):
            continue
        joined = one + two
        for number in joined:
            group[number] = joined
    unique = {id(members): members for members in group.values()}
    found = [(members, *_pose(marks, members, spans, card, bodies)) for members in unique.values()]
    return [
        ([piece for lead in members for piece in pieces[lead]], centre, down)
        for members, centre, down in _without_inner(marks, found, card)
    ]


def _stars_straight(marks: Marks, jokers: list[int]) -> Marks:
    """Turn the boxes of stars by fifths until they lie along or across the nearest ordinary indices.

    A star looks the same turned by a fifth, but the card that it stands on lies like its neighbours, or crosswise.
    """
    right, down = marks.right.copy(), marks.down.copy()
    for number in jokers:
        axes = _axes_near(marks, number)
        if len(axes) == 0 or not _is_square(marks, number):
            continue
        turns = math.atan2(down[number, 1], down[number, 0]) + 2 * math.pi / 5 * np.arange(5)
        off = turns[:, None] - axes
        angle = float(turns[(np.abs(np.sin(2 * off)) + 0.01 * np.abs(np.sin(off))).sum(axis=1).argmin()])
        down[number] = math.cos(angle), math.sin(angle)
        right[number] = down[number, 1], -down[number, 0]
    return marks._replace(right=right, down=down)


def _axes_near(marks: Marks, number: int) -> Array:
    """Angles of the down directions of the six ordinary indices nearest to a mark."""
    plain = np.flatnonzero(~marks.is_joker)
    near = plain[np.linalg.norm(marks.centre[plain] - marks.centre[number], axis=1).argsort(kind="stable")[:6]]
    return np.asarray(np.arctan2(marks.down[near, 1], marks.down[near, 0]), dtype=np.float64)


def _is_square(marks: Marks, number: int) -> bool:
    return bool(_SQUARE < marks.height[number] / max(float(marks.wide[number]), 1e-9) < 1 / _SQUARE)


def _is_star(marks: Marks, number: int) -> bool:
    """True for a mark that is square, or too small for a word."""
    plain = marks.height[~marks.is_joker]
    small = len(plain) > 0 and float(marks.height[number]) < _SMALL * float(np.median(plain))
    return _is_square(marks, number) or small


def _pieces(marks: Marks, jokers: list[int]) -> dict[int, list[int]]:
    """Join the pieces of one word, which follow each other along its line, under the surest of them."""
    order = sorted(jokers, key=lambda number: (-float(marks.probs[number, CLASS_INDEX[JOKER]]), number))
    pieces: dict[int, list[int]] = {}
    for number in order:
        home = next((lead for lead in pieces if _follows(marks, lead, number)), number)
        pieces.setdefault(home, []).append(number)
    return pieces


def _follows(marks: Marks, lead: int, number: int) -> bool:
    offset = marks.centre[number] - marks.centre[lead]
    along, aside = abs(float(offset @ marks.down[lead])), abs(float(offset @ marks.right[lead]))
    wide = max(float(marks.wide[lead]), float(marks.wide[number]))
    return along < 0.75 * float(marks.height[lead] + marks.height[number]) and aside < 0.5 * wide


_Group = tuple[list[int], Array, Array]
_Relation = Literal["end", "opposite", "side"]
"""Where two marks of a card lie: at one end (the short edge), in opposite corners, along one side."""


def _without_inner(marks: Marks, found: list[_Group], card: tuple[float, float]) -> list[_Group]:
    """Drop lone marks in the middle of a joker that is known by several: a word or a star of its picture."""
    whole = [one for one in found if len(one[0]) > 1]

    def inner(group: _Group) -> bool:
        place = marks.centre[group[0][0]]
        for _, centre, down in whole:
            offset = place - centre
            across = abs(float(offset @ np.array([down[1], -down[0]])))
            if across < _INNER * card[0] and abs(float(offset @ down)) < _INNER * card[1]:
                return True
        return False

    return [group for group in found if len(group[0]) > 1 or not inner(group)]


def _fit(marks: Marks, first: int, second: int, spans: tuple[float, float], card: tuple[float, float]) -> float | None:
    """Return how far (0 is exact) two marks are from being two corners of one card; None when they cannot be."""
    if not 1 / _SIZES < _size(marks, first) / _size(marks, second) < _SIZES:
        return None
    best = _related(marks, first, second, spans, card)[0]
    return best + _UNLIKE * _unlike(marks, first, second) if math.isfinite(best) else None


def _related(
    marks: Marks, first: int, second: int, spans: tuple[float, float], card: tuple[float, float]
) -> tuple[float, _Relation]:
    """Return how two marks lie on one card, and how far (0 is exact, infinite: not at all) they are from it."""
    offset = marks.centre[second] - marks.centre[first]
    length, bearing = float(np.linalg.norm(offset)), math.atan2(offset[1], offset[0])
    angles, slack = [math.atan2(marks.down[first, 1], marks.down[first, 0])], 0.0
    if _is_star(marks, first) and _is_star(marks, second):
        # A small box has hardly a direction, and of a star's card nobody knows which way is long.
        axes = _axes_near(marks, first)
        if len(axes):
            angles.append(math.atan2(float(np.sin(4 * axes).sum()), float(np.cos(4 * axes).sum())) / 4)
        slack = _STAR_SLACK
    # a word may be printed along the card's short side or along its long one
    angles = [*angles, *(angle + math.pi / 2 for angle in angles)]
    sides = [(abs(length * math.sin(bearing - angle)), abs(length * math.cos(bearing - angle))) for angle in angles]
    return min(_misfit(across, along, spans, card, slack) for across, along in sides)


def _size(marks: Marks, number: int) -> float:
    """Root of a mark's area: the look at jokers draws a square where the detector drew a word's box."""
    return math.sqrt(float(marks.height[number] * marks.wide[number]))


def _unlike(marks: Marks, first: int, second: int) -> float:
    """Return how far (0 is not at all) the boxes of two marks differ: the corners of a card are printed alike."""
    return sum(abs(math.log(float(side[first] / side[second]))) for side in (marks.height, marks.wide))


def _misfit(
    across: float, along: float, spans: tuple[float, float], card: tuple[float, float], slack: float
) -> tuple[float, _Relation]:
    """How far two marks so far apart are from two corners of a card: opposite ones, or both on a side or an end."""
    options: list[tuple[float, _Relation]] = [
        (_miss(across, spans[0], card[0]) + _miss(along, spans[1], card[1]), "opposite")
    ]
    length = math.hypot(across, along)
    if along < max(_OFF_LINE * spans[1], slack * across):
        options.append((_miss(length, spans[0], card[0]) + along / spans[1], "end"))
    if across < max(_OFF_LINE * spans[0], slack * along):
        options.append((_miss(length, spans[1], card[1]) + across / spans[0], "side"))
    return min(options)


def _miss(distance: float, span: float, most: float) -> float:
    """How far a distance is from the indices' own, as a share of it; infinite outside what fits on the card."""
    if not _LEAST_SPAN * span < distance < _CARD_SLACK * most:
        return math.inf
    return abs(distance / span - 1.0)


def _pose(
    marks: Marks, members: list[int], spans: tuple[float, float], card: tuple[float, float], bodies: Sequence[_Body]
) -> tuple[Array, Array]:
    """Return the middle and the down direction of the card that these joker marks belong to."""
    points = marks.centre[members]
    lead = marks.down[members[0]]
    if len(members) == 1:
        across, along = spans[0] / 2 * marks.right[members[0]], spans[1] / 2 * lead
        corners = [across + along, along - across, -across - along, across - along]
        choices = [points[0] + move for move in corners]
        return choices[_as_neighbours(marks, members, choices, bodies, _BESIDE)], lead
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    first, second = (int(number) for number in np.unravel_index(int(gaps.argmax()), gaps.shape))
    offset, middle = points[second] - points[first], np.asarray(points[[first, second]].mean(axis=0))
    aside = np.array([offset[1], -offset[0]]) / np.linalg.norm(offset)
    relation = _related(marks, members[first], members[second], spans, card)[1]
    if relation == "opposite" or float(np.abs((points - middle) @ aside).max()) > _CORNERED * spans[0]:
        return middle, _diagonal_axis(offset, lead, spans)
    # both marks lie on one edge: the card is on the side of it on which the cards near by are from their corners
    move = spans[1 if relation == "end" else 0] / 2 * aside
    likely = lead if relation == "end" else np.array([lead[1], -lead[0]])
    choices = [middle + move, middle - move] if float(move @ likely) > 0 else [middle - move, middle + move]
    return choices[_as_neighbours(marks, members, choices, bodies)], lead


def _as_neighbours(
    marks: Marks, members: list[int], choices: list[Array], bodies: Sequence[_Body], reach: float = math.inf
) -> int:
    """Return which choice of a middle is where the cards of the nearest indices have theirs, the first in doubt.

    Only indices within `reach` of their card's distance down are asked.
    """
    corners = [(marks.centre[member], body) for body in bodies for member in body.members]
    if not corners:
        return 0
    places = np.array([place for place, _ in corners])
    worth = [0.0] * len(choices)
    for number in members:
        gaps = np.linalg.norm(places - marks.centre[number], axis=1)
        for near in gaps.argsort(kind="stable")[:_NEIGHBOURS]:
            body = corners[int(near)][1]
            tall = 2 * body.half_down
            if gaps[near] > reach * tall:
                continue
            said = marks.centre[number] + body.centre - places[near]
            for choice, centre in enumerate(choices):
                off = float(np.linalg.norm(centre - said)) / tall
                worth[choice] += math.exp(-off / _NEAR_SAID) / (float(gaps[near]) / tall + _NEAR_SAID)
    return max(range(len(choices)), key=lambda choice: (worth[choice], -choice))


def _diagonal_axis(offset: Array, lead: Array, spans: tuple[float, float]) -> Array:
    """Two opposite corners fix the card's axis up to a mirror; the marks' own direction picks the nearer one."""
    angle = math.atan2(offset[1], offset[0])
    lean = math.atan2(spans[1], spans[0])
    choices = []
    for turn in (lean - math.pi / 2, math.pi / 2 - lean):
        axis = np.array([math.cos(angle + turn), math.sin(angle + turn)])
        choices.append((abs(float(axis @ lead)), axis))
    axis = max(choices, key=lambda one: one[0])[1]
    return np.asarray(axis if float(axis @ lead) >= 0 else -axis)
