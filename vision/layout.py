"""Cards to groups by geometry alone: columns, rows, stairs, fans, crosswise cards, piles, loose cards.

Everything is measured in the table plane, in *card heights*, so the photo may be turned and tilted as it likes. Two
cards belong together when they overlap and lie parallel (or square across, at the end of a burraco); a group is a
chain of such steps that keeps its direction. No card's face is looked at here: which groups are melds, and whether
two pieces are one meld with a card missing between them, is for `vision.reading` to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vision.geometry import Array, TablePlane, fit_plane
from vision.types import CardsSeen

ASPECT = 0.68
"""Card width over height where the photo does not tell."""
PARALLEL_DEG = 27.0
"""Neighbours of a chain differ by less than this; fans open by 5 to 12 degrees a card."""
SQUARE_DEG = 24.0
MOST_STEP = 0.92
"""Card heights between the middles of two cards of one chain: beyond it they would not overlap."""
_AFTER_PARALLEL = 1.0
"""Card heights that a crosswise link costs more: the chain itself comes first."""
PILE_STEP = 0.07
"""Card heights; a chain whose steps are all below it is a squared pile."""
_TURN_COS = math.cos(math.radians(62))
"""A chain may turn by this between two steps."""


@dataclass(frozen=True, eq=False)
class Flat:
    """The cards of a photo in the table plane, in card heights: middles (n, 2), down axes (n, 2), width over height.

    `inside` says which cards lie wholly in the picture; `marks` lists for every card the offsets (k, 2) of its visible
    indices from its middle, along the card's own right and down axes.
    """

    centre: Array
    down: Array
    aspect: float
    unit: float
    plane: TablePlane
    inside: tuple[bool, ...]
    marks: tuple[Array, ...]

    @property
    def right(self) -> Array:
        """(n, 2) unit vectors along the cards' width."""
        return np.stack([self.down[:, 1], -self.down[:, 0]], axis=1)

    def to_image(self, points: Array) -> Array:
        """Map (..., 2) points in card heights back to pixels."""
        return self.plane.unproject(points * self.unit)


@dataclass(frozen=True, eq=False)
class Group:
    """Cards that lie together, in table order: from the first laid (covered) to the last (on top).

    `cards` number into `CardsSeen.cards`. `steps` are the n - 1 distances between neighbours in card heights and
    `crosswise` says which cards lie across the chain. `direction` is the unit vector from first to last in the plane
    (zero for a single card). `towards` points to where the owner sits, its length (0..1) being how much the chain
    tells: a column grows towards its owner, a fan opens away from him, a row runs to his right as a rule.
    `kind` is column, row, stairs, fan, pile or single.
    """

    cards: tuple[int, ...]
    kind: str
    steps: tuple[float, ...]
    crosswise: tuple[bool, ...]
    direction: Array
    towards: Array
    centre: Array
    low: Array
    high: Array
    cut: bool = False
    top_covered: bool = False
    side: int = 0

    @property
    def usual_step(self) -> float:
        """Median step of the chain in card heights (0.0 for a single card); of two steps rather the shorter one."""
        plain = [s for s, a, b in zip(self.steps, self.crosswise, self.crosswise[1:], strict=False) if not (a or b)]
        steps = sorted(plain or self.steps)
        if len(steps) == 2:
            return 0.75 * steps[0] + 0.25 * steps[1]
        return float(np.median(steps)) if steps else 0.0


def plane_of(seen: CardsSeen) -> TablePlane:
    """The table plane fitted to the outlines of a photo's cards; as seen from above with fewer than three."""
    quads = np.array([card.quad for card in seen.cards], dtype=np.float64).reshape(-1, 4, 2)
    return fit_plane(quads, (seen.width, seen.height))


def flatten(seen: CardsSeen, plane: TablePlane | None = None) -> Flat:
    """Bring the cards of a photo into the table plane (fitted to them unless given); units are card heights."""
    quads = np.array([card.quad for card in seen.cards], dtype=np.float64).reshape(-1, 4, 2)
    size = (seen.width, seen.height)
    plane = plane or plane_of(seen)
    flat = plane.project(quads)
    down = (flat[:, 3] + flat[:, 2] - flat[:, 0] - flat[:, 1]) / 2
    across = (flat[:, 1] + flat[:, 2] - flat[:, 0] - flat[:, 3]) / 2
    tall = np.linalg.norm(down, axis=1)
    unit = float(np.median(tall)) if len(tall) else 1.0
    aspect = float(np.median(np.linalg.norm(across, axis=1) / np.maximum(tall, 1e-9))) if len(tall) else ASPECT
    axis = down / np.maximum(tall, 1e-9)[:, None]
    centre = flat.mean(axis=1) / unit
    inside = tuple(bool((q > -2).all() and (q < np.array(size) + 2).all()) for q in quads)
    marks = []
    for card, middle, axis_down in zip(seen.cards, centre, axis, strict=True):
        points = np.array([mark.quad.mean(axis=0) for mark in card.marks], dtype=np.float64).reshape(-1, 2)
        offset = plane.project(points) / unit - middle if len(points) else points
        marks.append(np.stack([offset @ [axis_down[1], -axis_down[0]], offset @ axis_down], axis=1))
    aspect = min(0.85, max(0.5, aspect))
    return Flat(centre, axis, aspect, unit, plane, inside, tuple(marks))


def group_cards(seen: CardsSeen, flat: Flat | None = None) -> tuple[Group, ...]:
    """Group the cards of one photo; every card is in exactly one group. The order of `seen.cards` is irrelevant.

    >>> from vision.reading_tables import exact_truth, laid_table, seen_exactly
    >>> seen = seen_exactly(exact_truth(laid_table(1)))
    >>> sum(len(group.cards) for group in group_cards(seen)) == len(seen.cards)
    True
    """
    if not seen.cards:
        return ()
    flat = flat or flatten(seen)
    chains = _chains(flat)
    groups = [make_group(flat, chain) for chain in chains]
    groups.sort(key=lambda group: (float(group.centre[1]), float(group.centre[0])))
    return tuple(groups)


# --- links -----------------------------------------------------------------------------------------------------------


def _links(flat: Flat) -> list[tuple[float, int, int]]:
    """Every pair that may be neighbours of one chain, with its cost: the nearer and straighter the cheaper."""
    count = len(flat.centre)
    offset = flat.centre[None] - flat.centre[:, None]
    reach = np.linalg.norm(offset, axis=2)
    cosine = np.abs(flat.down @ flat.down.T)
    found: list[tuple[float, int, int]] = []
    parallel = math.cos(math.radians(PARALLEL_DEG))
    square = math.sin(math.radians(SQUARE_DEG))
    for one in range(count):
        for two in range(one + 1, count):
            far = float(reach[one, two])
            if far > MOST_STEP:
                continue
            likeness = float(cosine[one, two])
            if likeness >= parallel:
                shared = _overlap(flat, one, two, offset[one, two])
                if shared >= 0.1:
                    found.append((far + 0.5 * math.acos(min(1.0, likeness)), one, two))
            elif likeness <= square and far < 0.72 and _cross_overlap(flat, one, offset[one, two]) >= 0.2:
                found.append((far + _AFTER_PARALLEL, one, two))
    found.sort(key=lambda link: (round(link[0], 6), *_place(flat, link[1], link[2])))
    return found


def _place(flat: Flat, one: int, two: int) -> tuple[float, float]:
    """A tie-break that does not depend on the order of the cards."""
    middle = (flat.centre[one] + flat.centre[two]) / 2
    return float(middle[0]), float(middle[1])


def _overlap(flat: Flat, one: int, two: int, offset: Array) -> float:
    """Share of the card's area that two parallel cards have in common."""
    sign = 1.0 if float(flat.down[one] @ flat.down[two]) >= 0 else -1.0
    down = flat.down[one] + sign * flat.down[two]
    down = down / np.linalg.norm(down)
    along = abs(float(offset @ down))
    across = abs(float(offset[0] * down[1] - offset[1] * down[0]))
    return max(0.0, 1 - across / flat.aspect) * max(0.0, 1 - along)


def _cross_overlap(flat: Flat, one: int, offset: Array) -> float:
    """Share of the card's area that two cards lying square to each other have in common."""
    half = (1 + flat.aspect) / 2
    along = abs(float(offset @ flat.down[one]))
    across = abs(float(offset[0] * flat.down[one][1] - offset[1] * flat.down[one][0]))
    shared = min(flat.aspect, max(0.0, half - along)) * min(flat.aspect, max(0.0, half - across))
    return shared / flat.aspect


def _chains(flat: Flat) -> list[list[int]]:
    """Grow chains link by link, the surest first; a card has at most two neighbours, on opposite sides."""
    count = len(flat.centre)
    ends = list(range(count))
    mates: list[list[int]] = [[] for _ in range(count)]
    for _, one, two in _links(flat):
        if len(mates[one]) > 1 or len(mates[two]) > 1 or _root(ends, one) == _root(ends, two):
            continue
        if _bends(flat, mates, one, two) or _bends(flat, mates, two, one):
            continue
        mates[one].append(two)
        mates[two].append(one)
        ends[_root(ends, one)] = _root(ends, two)
    chains = []
    used: set[int] = set()
    for start in sorted(range(count), key=lambda n: len(mates[n])):
        if start in used:
            continue
        chain, last = [start], -1
        while True:
            ahead = [mate for mate in mates[chain[-1]] if mate != last]
            last = chain[-1]
            if not ahead:
                break
            chain.append(ahead[0])
        used.update(chain)
        chains.append(chain)
    return _with_crosswise(flat, chains)


def _with_crosswise(flat: Flat, chains: list[list[int]]) -> list[list[int]]:
    """Put a lone card that lies square across the end of a chain into it: the mark of a finished burraco."""
    longer = [chain for chain in chains if len(chain) > 1]
    out = [chain for chain in chains if len(chain) == 1]
    for lone in list(out):
        card = lone[0]
        best: tuple[float, list[int], int] | None = None
        for chain in longer:
            for place in {0, 1, len(chain) - 2, len(chain) - 1}:
                other = chain[place]
                offset = flat.centre[card] - flat.centre[other]
                far = float(np.linalg.norm(offset))
                square = abs(float(flat.down[card] @ flat.down[other])) <= math.sin(math.radians(SQUARE_DEG))
                if not square or far >= 0.72 or _cross_overlap(flat, other, offset) < 0.2:
                    continue
                if best is None or far < best[0]:
                    best = far, chain, place
        if best is not None:
            out.remove(lone)
            _insert(flat, best[1], card)
    return longer + out


def _insert(flat: Flat, chain: list[int], card: int) -> None:
    """Insert a card into a chain where its middle falls along the chain's direction."""
    span = flat.centre[chain[-1]] - flat.centre[chain[0]]
    places = (flat.centre[chain] - flat.centre[chain[0]]) @ span
    here = float((flat.centre[card] - flat.centre[chain[0]]) @ span)
    chain.insert(int((places < here).sum()), card)


def _root(ends: list[int], card: int) -> int:
    while ends[card] != card:
        ends[card] = ends[ends[card]]
        card = ends[card]
    return card


def _bends(flat: Flat, mates: list[list[int]], here: int, new: int) -> bool:
    """True when a chain that reaches `here` would turn too sharply towards `new`, or stride out of its step."""
    if not mates[here]:
        return False
    back = flat.centre[here] - flat.centre[mates[here][0]]
    ahead = flat.centre[new] - flat.centre[here]
    before, after = float(np.linalg.norm(back)), float(np.linalg.norm(ahead))
    if min(before, after) < PILE_STEP:
        return max(before, after) > 0.6
    if before < 0.5 * after and after > 0.75:
        return True
    crossed = abs(float(flat.down[here] @ flat.down[new])) < 0.7
    limit = 0.0 if crossed or min(before, after) < 0.3 else _TURN_COS
    return float(back @ ahead) < limit * before * after


# --- what a chain is -------------------------------------------------------------------------------------------------


def make_group(flat: Flat, chain: Sequence[int]) -> Group:
    """Describe a chain of cards; turns it round when the cards show that its last one was laid first."""
    cards = list(chain)
    if len(cards) > 1 and _laid_backwards(flat, cards):
        cards.reverse()
    centres = flat.centre[cards]
    steps = np.linalg.norm(np.diff(centres, axis=0), axis=1)
    axis = _main_axis(flat, cards)
    crosswise = tuple(abs(float(flat.down[c] @ axis)) < 0.7 for c in cards)
    span = centres[-1] - centres[0]
    length = float(np.linalg.norm(span))
    direction = span / length if length > 1e-9 else np.zeros(2)
    kind = _kind(flat, cards, steps, axis, direction, crosswise)
    corners = np.concatenate([_outline(flat, card) for card in cards])
    return Group(
        tuple(cards),
        kind,
        tuple(float(s) for s in steps),
        crosswise,
        direction,
        _towards(flat, cards, kind, direction),
        centres.mean(axis=0),
        corners.min(axis=0),
        corners.max(axis=0),
        cut=not all(flat.inside[c] for c in cards),
        top_covered=_top_covered(flat, cards),
    )


def _outline(flat: Flat, card: int) -> Array:
    right, down = flat.right[card] * flat.aspect / 2, flat.down[card] / 2
    c = flat.centre[card]
    return np.array([c - right - down, c + right - down, c + right + down, c - right + down])


def _main_axis(flat: Flat, cards: Sequence[int]) -> Array:
    """The long axis that most cards of a chain share (the first is hardly ever laid crosswise)."""
    lead = flat.down[cards[0]]
    votes = [abs(float(flat.down[c] @ lead)) > 0.7 for c in cards]
    if sum(votes) * 2 < len(cards):
        lead = flat.down[cards[votes.index(False)]]
    return np.asarray(lead, dtype=np.float64)


def _laid_backwards(flat: Flat, cards: list[int]) -> bool:
    """True when more visible indices lie under the next card than under the one before: the chain runs the other way.

    An index that is seen cannot be covered. Where that does not tell, a covered card shows its indices on the side
    that looks back along the chain.
    """
    wrong, lean = 0, 0.0
    for one, two in pairwise(cards):
        wrong += _seen_under(flat, one, two) - _seen_under(flat, two, one)
        ahead = flat.centre[two] - flat.centre[one]
        far = float(np.linalg.norm(ahead))
        for card in (one, two):
            if far > 1e-6 and len(flat.marks[card]):
                offset = flat.marks[card].mean(axis=0)
                lean += float((offset[0] * flat.right[card] + offset[1] * flat.down[card]) @ ahead) / far
    if wrong:
        return wrong > 0
    fewer = len(flat.marks[cards[0]]) - len(flat.marks[cards[-1]])
    return fewer > 0 if fewer else lean > 0.02


def _seen_under(flat: Flat, lower: int, upper: int) -> int:
    """How many visible indices of `lower` lie well inside the outline of `upper`."""
    marks = flat.marks[lower]
    if len(marks) == 0:
        return 0
    place = flat.centre[lower] - flat.centre[upper]
    points = place + marks[:, :1] * flat.right[lower] + marks[:, 1:] * flat.down[lower]
    across = np.abs(points @ flat.right[upper])
    along = np.abs(points @ flat.down[upper])
    return int(((across < flat.aspect / 2 - 0.02) & (along < 0.48)).sum())


def _kind(
    flat: Flat, cards: list[int], steps: Array, axis: Array, direction: Array, crosswise: tuple[bool, ...]
) -> str:
    if len(cards) == 1:
        return "single"
    if float(steps.max()) < PILE_STEP:
        return "pile"
    plain = [c for c, cross in zip(cards, crosswise, strict=True) if not cross]
    if len(plain) > 2:
        sines = [_cross(flat.down[a], flat.down[b]) for a, b in pairwise(plain)]
        turns = [math.asin(max(-1.0, min(1.0, sine))) for sine in sines]
        mean = float(np.mean(turns))
        if abs(mean) > math.radians(3.0) and all(t * mean > 0 for t in turns):
            return "fan"
    along = abs(float(direction @ axis))
    if along > 0.9:
        return "column"
    return "row" if along < 0.4 else "stairs"


def _towards(flat: Flat, cards: list[int], kind: str, direction: Array) -> Array:
    if kind == "column":
        return direction * (1.0 if len(cards) > 2 else 0.6)
    if kind == "row":
        return np.array([-direction[1], direction[0]]) * 0.25
    if kind == "fan":
        first, last = cards[0], cards[-1]
        axis = flat.down[first] + flat.down[last] * math.copysign(1.0, float(flat.down[first] @ flat.down[last]))
        bulge = flat.centre[cards[len(cards) // 2]] - (flat.centre[first] + flat.centre[last]) / 2
        axis = axis / np.linalg.norm(axis)
        turn = _cross(flat.down[first], flat.down[last])
        span = flat.centre[last] - flat.centre[first]
        # cards that turn with the chain have their pivot on the right of its direction, else on the left
        pivot = np.array([-span[1], span[0]]) * math.copysign(1.0, turn) - 0.5 * bulge
        return np.asarray(axis * math.copysign(1.0, float(axis @ pivot)))
    return np.zeros(2)


def _cross(one: Array, two: Array) -> float:
    """Sine of the turn from one axis to another, both taken modulo half a turn."""
    sign = 1.0 if float(one @ two) >= 0 else -1.0
    return sign * float(one[0] * two[1] - one[1] * two[0])


def _top_covered(flat: Flat, cards: list[int]) -> bool:
    """True when the last card shows no index at its far end, as if something lay on it."""
    last = cards[-1]
    marks = flat.marks[last]
    if not flat.inside[last] or len(marks) == 0 or len(cards) < 2:
        return False
    ahead = flat.centre[last] - flat.centre[cards[-2]]
    far = float(np.linalg.norm(ahead))
    if far < PILE_STEP or abs(float(flat.down[last] @ flat.down[cards[-2]])) < 0.7:
        return False
    places = marks[:, :1] * flat.right[last] + marks[:, 1:] * flat.down[last]
    return float((places @ ahead).max()) < 0.05 * far
