"""How a deck's indices sit on its cards, learnt from the marks of one photo by voting.

Lengths here are in *index heights* (the height of the rank-over-suit box), measured in the table plane, where a card
is one rigid shape. A deck has its index in two corners (a card turned round looks the same) or in all four.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from vision.geometry import Array, Flags, Ints, Pairs, TablePlane, fit_plane, frames
from vision.types import CLASS_INDEX, JOKER, NONE, IndexMark

DEFAULT_ACROSS = 2.5
DEFAULT_DOWN = 3.4
"""Index heights between the middles of corner indices, for a photo that shows no card's two corners."""
_OPPOSITE_DEG = 18.0
_SAME_LABEL = 0.15
_SHAPES, _SAME_HEIGHT = 0.155, 0.08
"""How much two designs on a table may differ in width over height (bridge and poker cards do by 0.10), and indices of
one design in height.
"""
_REFITS, _ENOUGH_PAIRS, _MOST_PAIRS = 1, 6, 120
"""The plane is fitted again so often, on so many pairs of corners at least and at most."""
_LOOSE_DEG, _LOOSE_SIZE = 25.0, 0.4
"""How far directions and log heights of two corners of a card may differ in a plane that is not yet right."""
_SIDE_SLACK = (0.08, 0.06)
"""How far a distance along a row or a column may be off a design's, in index heights and as a share of it: with more,
twins side by side look like a design with four corners.
"""
_FEW, _SAME_INDEX, _SAME_SIZE = 4, 0.15, 0.1
"""Fewer pairs than this that differ by no more than these logarithms from a known design, in index height and in the
corners' distances on the table, are that design with its indices measured badly.
"""
_SIDE_CARD, _OTHER_INDEX = 0.15, 0.2
"""Logarithms by which the cards of two designs differ in size at most, and their indices in height at least, where the
second is known by pairs along a side alone.
"""
_OF_DESIGN, _LIKE_WIDE, _MOST_CUT, _TRUSTED = 0.13, 0.3, 0.6, 6
"""An index is of a design whose height it has to this logarithm; one of another height may still be, cut short or drawn
too long, when its width and height are no farther off than the next two. So many pairs and marks make a design sure.
"""
_OTHER_HAND, _SAME_RANKS, _ALONG, _PAIR_SLACK = 0.6, 0.4, 0.98, (0.1, 0.03)
"""Two upper corners that a card cuts short: how right-hand the left one may look, how alike both are, how parallel
(cosine), and how much farther apart than the design's, in index heights and as a share of the distance.
"""
_HANDS = 0.1
"""Least probability that two indices have the hands of the two corners that they are taken for."""
_ENOUGH_SIDES = 4
"""Pairs along a row, a column or the other diagonal that make a lone diagonal a design of its own: one whole card of a
four-corner deck has five.
"""


_Hand = TypeVar("_Hand", float, Array)


@dataclass(frozen=True)
class DeckModel:
    """Distances across and down between the middles of a card's corner indices, in index heights.

    `votes` counts the pairs of marks that agree; `four_corner` says that they show an index in every corner;
    `height` is the index height in plane units of the marks that voted (nan for the default model); `spread` is the
    standard deviation, in index heights, of the votes' lengths (nan when there are too few to tell).
    """

    across: float = DEFAULT_ACROSS
    down: float = DEFAULT_DOWN
    votes: float = 0.0
    four_corner: bool = False
    height: float = float("nan")
    spread: float = float("nan")


def card_width(across: float) -> float:
    """Card width from the distance across, both in index heights: a line through 66 decks, good to 0.1."""
    return 0.68 + 1.018 * across


def card_height(down: float) -> float:
    """Card height from the distance down, both in index heights: a line through 66 decks, good to 0.1."""
    return 1.09 + 1.082 * down


class Marks(NamedTuple):
    """The marks of a photo as arrays in the table plane; `probs` is (n, 53) over the faces, without "none"."""

    plane: TablePlane
    centre: Array
    right: Array
    down: Array
    height: Array
    probs: Array
    is_joker: Flags
    pixels: Array
    """Heights in the photo's own pixels: what can be trusted of a small mark."""
    hand: Array
    """Probability that the index is a right-hand corner in its own view (0.5 where unknown)."""
    wide: Array
    """Widths of the boxes in the plane: a star is as wide as high."""


def marks_in_plane(marks: list[IndexMark], size: tuple[int, int], plane: TablePlane | None = None) -> Marks:
    """Express the marks of a photo of `size` (width, height) in the table plane, fitted to them where none is given."""
    quads = np.array([mark.quad for mark in marks], dtype=np.float64).reshape(-1, 4, 2)
    probs = np.array([mark.probs for mark in marks], dtype=np.float64).reshape(-1, len(CLASS_INDEX))
    faces = np.clip(probs[:, : CLASS_INDEX[NONE]], 1e-4, None)
    faces = faces / faces.sum(axis=1, keepdims=True)
    joker = faces.argmax(axis=1) == CLASS_INDEX[JOKER]
    hand = np.array([0.5 if mark.right is None else mark.right for mark in marks], dtype=np.float64)
    if plane is None:
        plane = _fitted(quads, faces, joker, hand, size)
    flat = plane.project(quads)
    centre, right, down, height = frames(flat)
    wide = np.linalg.norm(flat[:, 1] + flat[:, 2] - flat[:, 0] - flat[:, 3], axis=1) / 2
    pixels = frames(quads)[3]
    return Marks(plane, centre, right, down, height, faces, joker, pixels, hand, wide)


def _fitted(quads: Array, faces: Array, joker: Flags, hand: Array, size: tuple[int, int]) -> TablePlane:
    """The plane of all marks, jokers' aside where there are others, fitted again to what may be corners of one card."""
    plain = ~joker
    if plain.sum() < 3:
        return _plane_of(quads, size)[0]
    plane, groups = _plane_of(quads[plain], size)
    for _ in range(_REFITS):
        pairs = _corner_pairs(plane.project(quads[plain]), faces[plain], hand[plain])
        if len(pairs.first) < _ENOUGH_PAIRS:
            break
        plane = fit_plane(quads[plain], size, groups, pairs)
    return plane


def _corner_pairs(flat: Array, faces: Array, hand: Array) -> Pairs:
    """Return the pairs of equal faces that a rough plane lets be two corners of a card, the most alike first.

    `hand` are the probabilities of being a right-hand corner: twins a step apart have the same one. Kinds: 0 across a
    row, 1 down a column, 2 and 3 the two diagonals. Taken generously: a plane that is out by ten degrees must still
    find them.
    """
    centre, _, axis, tall = frames(flat)
    alike = np.triu(faces @ faces.T, 1)
    first, second = np.nonzero(alike > _SAME_LABEL)
    cosine = (axis[first] * axis[second]).sum(axis=1)
    down = axis[first] + axis[second] * np.sign(cosine)[:, None]
    down /= np.linalg.norm(down, axis=1)[:, None]
    offset = (centre[second] - centre[first]) / np.sqrt(tall[first] * tall[second])[:, None]
    below = (offset * down).sum(axis=1)
    across = offset[:, 0] * down[:, 1] - offset[:, 1] * down[:, 0]
    along, wide = np.abs(below), np.abs(across)
    kind = np.full(len(first), -1, dtype=np.int64)
    upright = cosine > 0
    opposite = ~upright & (below > 0)  # in its own view an index has its card's other end below it
    kind[upright & (along < 0.4 * wide) & (wide > 0.8) & (wide < 7.0)] = 0
    kind[opposite & (wide < 0.25 * along) & (along > 1.2) & (along < 12.0)] = 1
    slanted = opposite & (wide > 0.3 * along) & (wide < 1.3 * along) & (along > 1.0) & (along < 12.0)
    kind[slanted & (across > 0)] = 2
    kind[slanted & (across < 0)] = 3
    fit = np.abs(cosine) > math.cos(math.radians(_LOOSE_DEG))
    fit &= np.abs(np.log(tall[first] / tall[second])) < _LOOSE_SIZE
    differ, left, right = _as_corners(hand[first], hand[second])
    fit &= np.choose(np.maximum(kind, 0), [differ, differ, left, right]) > _HANDS
    rows = np.flatnonzero((kind >= 0) & fit)
    rows = rows[np.argsort(-alike[first[rows], second[rows]], kind="stable")[:_MOST_PAIRS]]
    return Pairs(first[rows], second[rows], kind[rows])


def _plane_of(quads: Array, size: tuple[int, int]) -> tuple[TablePlane, Ints | None]:
    """Fit the plane; where the heights on it fall into two clear groups (two designs on a table), fit once more.

    Returns the groups too.
    """
    plane = fit_plane(quads, size)
    if len(quads) < 8:
        return plane, None
    tall = np.sort(np.log(frames(plane.project(quads))[3]))
    best, cut = 0.0, math.nan
    total = float(tall.var())
    for place in range(3, len(tall) - 2):
        low, high = tall[:place], tall[place:]
        within = (low.var() * len(low) + high.var() * len(high)) / len(tall)
        gain = 1 - within / max(total, 1e-9)
        if gain > best and high.mean() - low.mean() > 0.15:
            best, cut = float(gain), float((low[-1] + high[0]) / 2)
    if best < 0.8:
        return plane, None
    groups = (np.log(frames(plane.project(quads))[3]) > cut).astype(np.int64)
    return fit_plane(quads, size, groups), groups


class Votes(NamedTuple):
    """Offsets between marks that may be one card: diagonal (n, 2), along one row (m,), along one column (k,).

    With each the mean height of the two marks, in plane units.
    """

    diagonal: Array
    row: Array
    column: Array
    heights: Array
    row_heights: Array
    column_heights: Array


def collect_votes(marks: Marks) -> Votes:
    """Measure every pair of equal labels whose directions agree with two corners of one card."""
    alike = marks.probs @ marks.probs.T > _SAME_LABEL
    plain = np.flatnonzero(~marks.is_joker).tolist()
    diagonal: list[tuple[float, float]] = []
    heights: list[float] = []
    row: list[tuple[float, float]] = []
    column: list[tuple[float, float]] = []
    for place, first in enumerate(plain):
        for second in plain[place + 1 :]:
            if not alike[first, second]:
                continue
            seen = pair_offset(marks, first, second)
            if seen is None:
                continue
            across, down, opposite, height = seen
            if _hands_agree(marks.hand[first], marks.hand[second], across, opposite) < _HANDS:
                continue
            if opposite and down > 1.2 and abs(across) > 0.8 and _plausible(abs(across), down):
                diagonal.append((across, down))
                heights.append(height)
            elif opposite and down > 1.2 and abs(across) < 0.45:
                column.append((down, height))
            elif not opposite and abs(down) < 0.45 and 0.8 < abs(across) < 7.0:
                row.append((abs(across), height))
    along, below = np.array(row).reshape(-1, 2), np.array(column).reshape(-1, 2)
    return Votes(
        np.array(diagonal).reshape(-1, 2), along[:, 0], below[:, 0], np.array(heights), along[:, 1], below[:, 1]
    )


def _hands_agree(one: float, other: float, across: float, opposite: bool) -> float:
    """Probability that two indices have the hands of two corners so placed: one of each on an edge, else both alike."""
    differ, left, right = _as_corners(one, other)
    if not opposite or abs(across) < 0.45:
        return differ
    return left if across > 0 else right


def _as_corners(one: _Hand, other: _Hand) -> tuple[_Hand, _Hand, _Hand]:
    """Probabilities that two indices are one of each hand, both left-hand and both right-hand."""
    return one * (1 - other) + other * (1 - one), (1 - one) * (1 - other), one * other


def pair_offset(marks: Marks, first: int, second: int) -> tuple[float, float, bool, float] | None:
    """Return (across, down, opposite, height) from one mark to another in their common frame, in index heights.

    `opposite` marks stand on their heads to each other. None when their directions or sizes cannot be one card.
    """
    tall = marks.height[first], marks.height[second]
    if abs(math.log(tall[0] / tall[1])) > size_slack(min(marks.pixels[first], marks.pixels[second])):
        return None
    cosine = float(marks.down[first] @ marks.down[second])
    if abs(cosine) < np.cos(np.radians(_OPPOSITE_DEG)):
        return None
    opposite = cosine < 0
    sign = -1.0 if opposite else 1.0
    down = marks.down[first] + sign * marks.down[second]
    down = down / np.linalg.norm(down)
    right = np.array([down[1], -down[0]])
    height = float(np.sqrt(tall[0] * tall[1]))
    offset = (marks.centre[second] - marks.centre[first]) / height
    return float(offset @ right), float(offset @ down), opposite, height


def size_slack(pixels: float) -> float:
    """Return how far the log heights of two indices of one design may differ, the smaller having so many pixels."""
    return 0.20 + 3.0 / max(float(pixels), 6.0)


def _plausible(across: float, down: float) -> bool:
    """Cards are 57 to 63 mm by 88 to 89 mm; the plane may be a little out."""
    return 0.52 < card_width(across) / card_height(down) < 0.88 and across < 7.5 and down < 12.0


def learn_decks(marks: Marks, most: int = 4) -> list[DeckModel]:
    """Return the corner distances that the pairs of the photo agree on, best supported first (never empty).

    Votes are compared by length and direction: a mark's own direction strays by some degrees, in the same sense for
    both marks of a card, so directions are worth less than lengths.
    """
    votes = collect_votes(marks)
    forward = votes.diagonal[:, 0] > 0
    left, tall = votes.diagonal[forward], votes.heights[forward]
    anti = -votes.diagonal[~forward][:, 0]
    models: list[DeckModel] = []
    strongest = 0
    while len(left) and len(models) < most:
        inside = _densest(left, tall)
        count = int(inside.sum())
        strongest = max(strongest, count)
        across, down = _typical(left[inside])
        height = float(np.median(tall[inside]))
        row = int((np.abs(votes.row - across) < _SIDE_SLACK[0] + _SIDE_SLACK[1] * across).sum())
        column = int((np.abs(votes.column - down) < _SIDE_SLACK[0] + _SIDE_SLACK[1] * down).sum())
        sided = min(count, row, column) >= _FEW  # twins a step apart have no rows and columns of their own size
        known = [model for model in models if not sided and _twins_apart(model, across, down, height)]
        if count < _FEW:
            known += [model for model in models if _measured_badly(model, across, down, height)]
        if known:
            left, tall = left[~inside], tall[~inside]
            continue
        turned = int((np.abs(anti - across) < 0.4).sum())
        extra = row + column + turned
        weak = count < max(2.0, 0.2 * strongest) and extra < _ENOUGH_SIDES
        # Where no design has three votes, every lone pair of sure labels and a card's shape may be one of its own.
        if models and weak and strongest >= 3 and not _same_card(models[0], across, down, height):
            left, tall = left[~inside], tall[~inside]
            continue
        four = (extra >= 2 and extra >= 0.25 * count) or _says_right(marks)
        stray = np.linalg.norm(left[inside], axis=1) - math.hypot(across, down)
        spread = max(0.04, 1.48 * float(np.median(np.abs(stray)))) if count >= 8 else float("nan")
        models.append(DeckModel(across, down, count + extra, bool(four), height, spread))
        left, tall = left[~inside], tall[~inside]
    models += _sideways(votes, models)[: most - len(models)]
    return models or [_without_diagonal(marks, votes)]


def steadied(marks: Marks, decks: list[DeckModel]) -> Marks:
    """Give boxes cut short by a card on them, or drawn too long, the height of their design: the rank stays in place.

    Which design an index is of is told by its box's width. Only designs that many pairs agree on are trusted.
    """
    plain = np.flatnonzero(~marks.is_joker)
    designs: list[tuple[float, float]] = []
    for deck in decks:
        near = plain[np.abs(np.log(marks.height[plain] / deck.height)) < _OF_DESIGN]  # none where nobody knows it: nan
        if deck.votes >= _TRUSTED and len(near) >= _TRUSTED:
            designs.append((float(np.median(marks.height[near])), float(np.median(marks.wide[near]))))
    if not designs:
        return marks
    tall, wide = (np.array(values) for values in zip(*designs, strict=True))
    off_tall = np.log(marks.height[plain][:, None] / tall)
    off_wide = np.log(np.maximum(marks.wide[plain], 1e-9)[:, None] / wide)
    fits = (np.abs(off_tall) < _OF_DESIGN).any(axis=1)
    home = np.abs(off_wide).argmin(axis=1)
    rows = np.arange(len(plain))
    wrong = ~fits & (np.abs(off_wide[rows, home]) < _LIKE_WIDE) & (np.abs(off_tall[rows, home]) < _MOST_CUT)
    meant = dict(zip(plain[wrong].tolist(), tall[home[wrong]].tolist(), strict=True))
    meant.update(_cut_in_pairs(marks, decks))
    centre, height = marks.centre.copy(), marks.height.copy()
    for number, full in meant.items():
        centre[number] += (full - height[number]) / 2 * marks.down[number]
        height[number] = full
    return marks._replace(centre=centre, height=height)


def _cut_in_pairs(marks: Marks, decks: list[DeckModel]) -> dict[int, float]:
    """Return the full heights of marks cut short whose fellow tells the design: both upper corners of one card.

    A card that lies over the lower half of both leaves two ranks, alike, one left-hand and one right-hand, whose tops
    are as far apart as the design has them.
    """
    plain = np.flatnonzero(~marks.is_joker)
    tops = marks.centre - marks.down * marks.height[:, None] / 2
    alike = marks.probs @ marks.probs.T
    found: dict[int, float] = {}
    for deck in decks:
        if not deck.four_corner or deck.votes < _TRUSTED or not math.isfinite(deck.height):
            continue
        share = marks.height / deck.height
        fit = plain[(share[plain] > math.exp(-_MOST_CUT)) & (share[plain] < math.exp(_OF_DESIGN))]
        for first in fit[marks.hand[fit] < _OTHER_HAND].tolist():
            right = np.array([marks.down[first, 1], -marks.down[first, 0]])
            for second in fit[(marks.hand[fit] > 1 - _OTHER_HAND) & (alike[first, fit] > _SAME_RANKS)].tolist():
                if first == second or float(marks.down[first] @ marks.down[second]) < _ALONG:
                    continue
                if min(share[first], share[second]) > math.exp(-_OF_DESIGN):
                    continue
                offset = (tops[second] - tops[first]) / deck.height
                across = abs(float(offset @ right) - deck.across)
                if (
                    across < _PAIR_SLACK[0] + _PAIR_SLACK[1] * deck.across
                    and abs(float(offset @ marks.down[first])) < 0.3
                ):
                    found[first] = found[second] = deck.height
    return found


def _sideways(votes: Votes, models: list[DeckModel]) -> list[DeckModel]:
    """A further design of which no card shows two opposite corners: known by pairs along a side, its cards as large.

    Its indices are of another size than those of every design that is known, and what its pairs say of a card's width
    or height agrees with the best known design's card.
    """
    if not models:
        return []
    wide, tall = card_width(models[0].across) * models[0].height, card_height(models[0].down) * models[0].height
    heights = np.concatenate([votes.row_heights, votes.column_heights])
    sizes = np.concatenate(
        [
            (0.68 + 1.018 * votes.row) * votes.row_heights / wide,
            (1.09 + 1.082 * votes.column) * votes.column_heights / tall,
        ]
    )
    new = np.abs(np.log(sizes)) < _SIDE_CARD
    for model in models:
        new &= np.abs(np.log(heights / model.height)) > _OTHER_INDEX
    if int(new.sum()) < _ENOUGH_SIDES:
        return []
    centre = float(np.median(np.log(heights[new])))
    new &= np.abs(np.log(heights) - centre) < _SAME_SIZE
    if int(new.sum()) < _ENOUGH_SIDES:
        return []
    height = float(np.median(heights[new]))
    row, column = new[: len(votes.row)], new[len(votes.row) :]
    across = float(np.median(votes.row[row])) if row.sum() >= 2 else (wide / height - 0.68) / 1.018
    down = float(np.median(votes.column[column])) if column.sum() >= 2 else (tall / height - 1.09) / 1.082
    if not (across > 0.8 and down > 1.2 and _plausible(across, down)):
        return []
    return [DeckModel(across, down, float(new.sum()), True, height)]


def _twins_apart(known: DeckModel, across: float, down: float, height: float) -> bool:
    """Twins a step apart in a row or column look like narrower or shorter cards of the same index, and are none."""
    if abs(math.log(height / known.height)) > _SAME_HEIGHT:
        return False
    if abs(down - known.down) > 0.35 and abs(across - known.across) > 0.35:
        return False
    ratio = card_width(across) / card_height(down)
    return abs(math.log(ratio * card_height(known.down) / card_width(known.across))) > _SHAPES


def _measured_badly(known: DeckModel, across: float, down: float, height: float) -> bool:
    """Small indices stray by a tenth in height, and what is counted in them strays the other way: no second design.

    Where that is all, their corners lie as far apart in the table plane as the known design's. Cards of two designs are
    of one size too, but the larger index has its middle farther from the card's edge.
    """
    if abs(math.log(height / known.height)) > _SAME_INDEX:
        return False
    wide, tall = across * height / (known.across * known.height), down * height / (known.down * known.height)
    return abs(math.log(wide)) < _SAME_SIZE and abs(math.log(tall)) < _SAME_SIZE


def _densest(offsets: Array, heights: Array) -> Flags:
    """Return which votes belong to the best supported one: like length, like direction, index of like size."""
    length = np.log(np.linalg.norm(offsets, axis=1))
    angle = np.arctan2(offsets[:, 1], offsets[:, 0])
    near = np.abs(length[:, None] - length[None]) < 0.10
    near &= np.abs(angle[:, None] - angle[None]) < 0.17
    near &= np.abs(np.log(heights[:, None] / heights[None])) < 0.16
    return np.asarray(near[int(near.sum(axis=1).argmax())], dtype=np.bool_)


def _typical(offsets: Array) -> tuple[float, float]:
    length = float(np.median(np.linalg.norm(offsets, axis=1)))
    angle = float(np.median(np.arctan2(offsets[:, 1], offsets[:, 0])))
    return length * math.cos(angle), length * math.sin(angle)


def _same_card(known: DeckModel, across: float, down: float, height: float) -> bool:
    """A lone pair is a second design when its index is of another size and its card of the same size as the others'."""
    if abs(math.log(height / known.height)) < 0.12:
        return False
    ratio_across = card_width(across) * height / (card_width(known.across) * known.height)
    ratio_down = card_height(down) * height / (card_height(known.down) * known.height)
    return abs(math.log(ratio_across)) < 0.16 and abs(math.log(ratio_down)) < 0.1


def _says_right(marks: Marks) -> bool:
    """True when the classifier itself sees right-hand corners, which only four-corner decks have."""
    known = marks.hand[(marks.hand != 0.5) & ~marks.is_joker]
    return len(known) >= 4 and float((known > 0.8).mean()) > 0.15


def _without_diagonal(marks: Marks, votes: Votes) -> DeckModel:
    """A photo where no card shows two opposite corners: rows give the width, columns the height, else the default."""
    tall = float(np.median(marks.height[~marks.is_joker])) if (~marks.is_joker).any() else float("nan")
    across, row = _mode(votes.row, 0.2)
    down, column = _mode(votes.column, 0.3)
    four = _says_right(marks)
    if row >= 2 or (row and four):
        guess = (card_width(across) / 0.68 - card_height(0.0)) / (card_height(1.0) - card_height(0.0))
        return DeckModel(across, down if column else guess, row + column, True, tall)
    if column >= 2:
        guess = (card_height(down) * 0.68 - card_width(0.0)) / (card_width(1.0) - card_width(0.0))
        return DeckModel(guess, down, column, True, tall)
    return DeckModel(height=tall, four_corner=four)


def _mode(values: Array, reach: float) -> tuple[float, int]:
    if len(values) == 0:
        return float("nan"), 0
    near = np.abs(values[:, None] - values[None]) < reach
    peak = int(near.sum(axis=1).argmax())
    return float(np.median(values[near[peak]])), int(near[peak].sum())
