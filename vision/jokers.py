"""The marks of jokers: words, stars and pictures in the corners, unlike an index in size, place and direction.

A star looks the same turned by a fifth, so a joker's marks are joined by place first, in the rectangle that the other
cards of the deck span; a word's own direction and hand say where its card is, as an index's do. Marks that say joker
where an ordinary card has its index, or where a two has its star, are no joker.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from vision.deck_model import Marks
from vision.geometry import Array
from vision.joker_design import Design, Piece, Pose, Word, grouped
from vision.types import CARDS, CLASS_INDEX, JOKER

_SURE = 0.9
"""A mark at least this sure of being a joker is kept wherever it lies."""
_LEAST_MARK = 0.26
"""Share of an index's height that a joker's mark has at least: 0.28 is the smallest star of the synthetic decks."""
_SQUARE = 0.72
"""Least ratio of a star's sides."""
_SMALL = 0.6
"""Share of an index's height below which a joker's mark is a star, whatever its box looks like."""
_INNER, _EDGE_WORD = 0.36, (0.25, 0.55)
"""Shares of a card's width and height from its middle that are picture, not corner; those of its width and height that
a word along its short edge is off at most.
"""
_WORDY = 1.2
"""How much larger than the star over it a word is at least."""
_TURNED, _LEAST_HAND = 0.2, 0.05
"""Probabilities that a word is read upside down (one in nine of the development tables is) and, at least, that a corner
that looks left is right.
"""
_NEAR_WORTH, _APART = 3.0, 13.0
"""What the cards near by count for beside the marks' own directions, and how much better than as one joker two marks
agree with both when they are of two.
"""
_NEIGHBOURS, _NEAR_SAID = 3, 0.2
"""Indices near a joker's mark that say where their card's middle is, and how much less they count by their distance
and how much less a middle by its own, in the distance down.
"""
_BESIDE = 1.0
"""Distance, in that of the indices down, within which an index tells in which corner of its card a lone mark is."""
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
    marks: Marks, jokers: list[int], spans: tuple[float, float], card: tuple[float, float],
    bodies: Sequence[_Body] = (), four_corner: bool = False,
) -> list[tuple[list[int], Array, Array]]:  # fmt: skip
    """Group joker marks into cards: (members, middle, down direction) in the plane.

    `spans` are the distances across and down between the corner indices of the deck's other cards, `card` the
    card's width and height, all in plane units; `bodies` are the ordinary cards, as which a joker is likely to lie.
    """
    if not jokers:
        return []
    marks = _stars_straight(marks, jokers)
    pieces = _pieces(marks, jokers)
    corners = _words_as_stars([_corner(marks, lead, pieces[lead]) for lead in sorted(pieces)])
    poses, _, design = grouped(corners, spans, card, four_corner)
    found: list[_Group] = []
    for pose in poses:
        group = [corners[n] for n in pose.members]
        whole = _whole(marks, group, pose, design, bodies)
        apart = [_lone(marks, piece, design, bodies) for piece in group]
        if len(group) == 2 and sum(one.worth for one in apart) > whole.worth + _APART:
            found += [([piece], one.centre, one.down) for piece, one in zip(group, apart, strict=True)]
        else:
            found.append((group, whole.centre, whole.down))
    placed = {number for pose in poses for number in pose.members}
    for number, piece in enumerate(corners):
        if number not in placed:
            one = _lone(marks, piece, design, bodies)
            found.append(([piece], one.centre, one.down))
    return [
        ([member for corner in group for member in corner.members], centre, down)
        for group, centre, down in _without_inner(found, card)
    ]


def _words_as_stars(corners: list[Piece]) -> list[Piece]:
    """Where a photo's jokers have a word under a star, take a lone word for its star: the corner is there."""
    both = [(piece, piece.word) for piece in corners if piece.word and piece.word.size > _WORDY * piece.size]
    if not both:
        return corners
    far = float(np.median([np.linalg.norm(word.place - piece.place) for piece, word in both]))
    star = float(np.median([piece.size for piece, _ in both]))
    middling = math.sqrt(star * float(np.median([word.size for _, word in both])))
    return [
        replace(piece, place=piece.place - far * piece.down, tall=star, wide=star)
        if piece.word is None and piece.size > middling
        else piece
        for piece in corners
    ]


def _corner(marks: Marks, lead: int, members: list[int]) -> Piece:
    """The corner that these marks are printed in: the smallest of them, a star, is nearest to it."""
    shown = min(members, key=lambda number: (_size(marks, number), number)) if len(members) > 1 else lead
    word = max(members, key=lambda number: (_size(marks, number), -number))
    # a square has no direction of its own; of a word's marks the one that says most of its hand is asked
    told = max(members, key=lambda number: (abs(float(marks.hand[number]) - 0.5), -number))
    plain = _is_square(marks, told)
    return Piece(
        members=tuple(members),
        place=np.asarray(marks.centre[shown], dtype=np.float64),
        tall=float(marks.height[shown]),
        wide=float(marks.wide[shown]),
        angles=_angles(marks, shown),
        star=_is_star(marks, shown),
        down=np.asarray(marks.down[told], dtype=np.float64),
        turned=0.5 if plain else _TURNED,
        right=0.5 if plain else float(np.clip(marks.hand[told], _LEAST_HAND, 1 - _LEAST_HAND)),
        word=Word(np.asarray(marks.centre[word]), _size(marks, word)) if word != shown else None,
    )


def _angles(marks: Marks, number: int) -> tuple[float, ...]:
    """Angles that the axis of a mark's card may have: a word may be printed along its short side or its long one."""
    angles = [math.atan2(marks.down[number, 1], marks.down[number, 0])]
    axes = _axes_near(marks, number)
    if _is_star(marks, number) and len(axes):
        # a small box has hardly a direction, and of a star's card nobody knows which way is long
        angles.append(math.atan2(float(np.sin(4 * axes).sum()), float(np.cos(4 * axes).sum())) / 4)
    return (*angles, *(angle + math.pi / 2 for angle in angles))


def _size(marks: Marks, number: int) -> float:
    """Root of a mark's area: the look at jokers draws a square where the detector drew a word's box."""
    return math.sqrt(float(marks.height[number] * marks.wide[number]))


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
    """Say whether two marks stand in one line of print: pieces of a word, or a word and the star at its end."""
    line = max((lead, number), key=lambda one: float(marks.height[one] / max(float(marks.wide[one]), 1e-9)))
    offset = marks.centre[number] - marks.centre[lead]
    along, aside = abs(float(offset @ marks.down[line])), abs(float(offset @ marks.right[line]))
    wide = max(float(marks.wide[lead]), float(marks.wide[number]))
    return along < 0.75 * float(marks.height[lead] + marks.height[number]) and aside < 0.5 * wide


_Group = tuple[list[Piece], Array, Array]


def _without_inner(found: list[_Group], card: tuple[float, float]) -> list[_Group]:
    """Drop lone marks of a joker that is known by several: a word or a star of its picture, a word along its edge."""
    whole = [one for one in found if len(one[0]) > 1]

    def inner(group: _Group) -> bool:
        place = group[0][0].place
        for _, centre, down in whole:
            offset = place - centre
            across = abs(float(offset @ np.array([down[1], -down[0]])))
            along = abs(float(offset @ down))
            if across < _INNER * card[0] and along < _INNER * card[1]:
                return True
            if across < _EDGE_WORD[0] * card[0] and along < _EDGE_WORD[1] * card[1]:
                return True
        return False

    return [group for group in found if len(group[0]) > 1 or not inner(group)]


class _Place(NamedTuple):
    """Where a joker lies, and how well that agrees with its marks and the cards near by."""

    centre: Array
    down: Array
    worth: float


def _lone(marks: Marks, piece: Piece, design: Design, bodies: Sequence[_Body]) -> _Place:
    """The place of a joker of which one corner is known."""
    options = []
    for angle in piece.angles:
        down = np.array([math.cos(angle), math.sin(angle)])
        right = np.array([down[1], -down[0]])
        across, along = design.across / 2 * right, design.down / 2 * down
        moves = [across + along, -across - along]
        if design.four:
            moves += [along - across, across - along]
        options += [(piece.place + move, down) for move in moves]
    return _likeliest(marks, [piece], options, bodies, _BESIDE)


def _whole(marks: Marks, group: list[Piece], pose: Pose, design: Design, bodies: Sequence[_Body]) -> _Place:
    """The place of a joker of which several corners are known: two on one edge may have the card on either side."""
    down = np.array([math.cos(pose.angle), math.sin(pose.angle)])
    lead = group[0].down
    down = down if float(down @ lead) >= 0 else -down
    middle = np.mean([piece.place for piece in group], axis=0)
    off = pose.centre - middle
    if len(group) > 2 or float(np.linalg.norm(off)) < 0.1 * design.down:
        return _likeliest(marks, group, [(pose.centre, down)], bodies)
    return _likeliest(marks, group, [(pose.centre, down), (middle - off, down)], bodies)


def _likeliest(
    marks: Marks, group: list[Piece], choices: list[tuple[Array, Array]], bodies: Sequence[_Body],
    reach: float = math.inf,
) -> _Place:  # fmt: skip
    """The best of several places (middle, way down) of one joker."""
    centres = [centre for centre, _ in choices]
    near = _as_neighbours(marks, np.array([piece.place for piece in group]), centres, bodies, reach)
    worth = [_NEAR_WORTH * near[n] + sum(piece.says(at) for piece in group) for n, at in enumerate(centres)]
    best = max(range(len(choices)), key=lambda n: (worth[n], -n))
    return _Place(*choices[best], worth[best])


def _as_neighbours(
    marks: Marks, points: Array, choices: list[Array], bodies: Sequence[_Body], reach: float = math.inf
) -> list[float]:
    """Return how much each choice of a middle is where the cards of the nearest indices have theirs.

    Only indices within `reach` of their card's distance down are asked.
    """
    corners = [(marks.centre[member], body) for body in bodies for member in body.members]
    if not corners:
        return [0.0] * len(choices)
    places = np.array([place for place, _ in corners])
    worth = [0.0] * len(choices)
    for point in points:
        gaps = np.linalg.norm(places - point, axis=1)
        for near in gaps.argsort(kind="stable")[:_NEIGHBOURS]:
            body = corners[int(near)][1]
            tall = 2 * body.half_down
            if gaps[near] > reach * tall:
                continue
            said = point + body.centre - places[near]
            for choice, centre in enumerate(choices):
                off = float(np.linalg.norm(centre - said)) / tall
                worth[choice] += math.exp(-off / _NEAR_SAID) / (float(gaps[near]) / tall + _NEAR_SAID)
    return worth
