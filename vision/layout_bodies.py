"""Where a card lies when only one side of it is seen: settled by its neighbours in the chain.

An index says which way is up, but of a four-corner deck not whether it sits left or right on its card, so a covered
card may be placed one card width off. In a chain neighbours show the same corner: from the cards that are seen whole
the others follow, nearest first. A joker's mark does not even tell which way is up; its neighbours do.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

import numpy as np

from scorer.cards import Card
from vision.geometry import Array, TablePlane
from vision.layout import Flat, flatten, plane_of
from vision.types import JOKER, CardSeen, CardsSeen

_REACH = 0.5
"""Card heights between the same corners of two neighbours of a chain."""
_AGREE = 0.22
"""Card heights by which a settled middle may differ from what the neighbour says."""
_PARALLEL = 0.93
_INSET_ACROSS = 0.08
_INSET_DOWN = 0.13
"""Card heights from the middle of an index to the nearest edges of its card."""
_SAME_SPOT = 0.15
"""Card heights: two detections of one face that lie nearer than this are one card."""
_CORNER = 0.06
"""Card heights by which an index may lie off the corner that a card lacks."""
_LEAST_TALL = 0.45
_MOST_TALL = 0.92
"""Card heights between the upper and the lower corner indices of one card."""
_KNOWN = 0.47
"""A right-hand probability this far from one half is taken as known."""
_STRANGE = 0.3
"""Card heights added to the distance of neighbours that would hardly stand in one meld."""


@dataclass(frozen=True, eq=False)
class _Marks:
    """The marks of all cards in the plane: middles, down directions, and whose they are."""

    centre: Array
    down: Array
    card: tuple[int, ...]


def settle_bodies(seen: CardsSeen, plane: TablePlane | None = None) -> CardsSeen:
    """The same cards, those that may lie on either side of their index placed where their neighbours say."""
    if len(seen.cards) < 3:
        return seen
    plane = plane or plane_of(seen)
    seen = merge_corners(seen, plane)
    flat = flatten(seen, plane)
    four = four_corner(flat)
    unsure = {
        n
        for n, card in enumerate(seen.cards)
        if (card.card == JOKER and _short(flat, n)) or (four and _one_sided(flat, n) and not _told(card))
    }
    if not unsure or len(unsure) == len(seen.cards):
        return seen
    marks = _marks(seen, flat)
    moved = _propagate(seen, flat, marks, unsure)
    if not moved:
        return seen
    cards = tuple(_placed(seen, flat, n, *moved[n]) if n in moved else card for n, card in enumerate(seen.cards))
    return replace(seen, cards=cards)


def merge_corners(seen: CardsSeen, plane: TablePlane | None = None) -> CardsSeen:
    """Join detections of one face that are the corners of one card: head to head, a card's length apart.

    Two copies of a face never merge: laid alike they stand the same way up, and their far corners lie farther apart
    than one card is long.
    """
    flat = flatten(seen, plane)
    cards = list(seen.cards)
    changed = True
    while changed:
        changed = False
        for one in range(len(cards)):
            for two in range(one + 1, len(cards)):
                joined = _joined(seen, flat, cards[one], cards[two])
                if joined is not None:
                    cards[one] = joined
                    del cards[two]
                    changed = True
                    break
            if changed:
                break
    return replace(seen, cards=tuple(cards)) if len(cards) < len(seen.cards) else seen


def _joined(seen: CardsSeen, flat: Flat, one: CardSeen, two: CardSeen) -> CardSeen | None:
    """The card whose corners two detections are, or None.

    Detections that show one index each may be two corners of a card; those that already show two never merge, but
    where they lie on the very same spot: two copies side by side look just so.
    """
    if one.card != two.card or one.card == JOKER or len(one.marks) + len(two.marks) > 4:
        return None
    for whole, lone in ((one, two), (two, one)):
        if len(lone.marks) == 1 and len(whole.marks) > 1 and four_corner(flat) and _missing_corner(flat, whole, lone):
            return replace(whole, marks=whole.marks + lone.marks)
    single = len(one.marks) == 1 and len(two.marks) == 1
    if not single and float(np.linalg.norm(_middle(flat, one) - _middle(flat, two))) > _SAME_SPOT:
        return None
    marks = one.marks + two.marks
    quads = flat.plane.project(np.array([mark.quad for mark in marks], dtype=np.float64)) / flat.unit
    points = quads.mean(axis=1)
    if float(np.linalg.norm(points - points[0], axis=1).max()) > 1.1:
        return None
    downs = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
    downs = downs / np.maximum(np.linalg.norm(downs, axis=1), 1e-9)[:, None]
    turns = downs @ downs[0]
    if (np.abs(turns) < _PARALLEL).any():
        return None
    if (turns > 0).all():
        return _top_corners(seen, flat, one, two, points, downs)
    axis = (downs * np.sign(turns)[:, None]).sum(axis=0)
    axis = axis / np.linalg.norm(axis)
    right = np.array([axis[1], -axis[0]])
    along, across = points @ axis, points @ right
    heads = along[turns > 0]
    feet = along[turns < 0]
    tall, wide = float(feet.mean() - heads.mean()), float(np.ptp(across))
    if wide > flat.aspect + 0.02 or wide < 0.38 or not _LEAST_TALL < tall < _MOST_TALL:
        return None
    middle = axis * (along.max() + along.min()) / 2 + right * (across.max() + across.min()) / 2
    better, other = (one, two) if one.confidence >= two.confidence else (two, one)
    sure = 1 - (1 - better.confidence) * (1 - other.confidence)
    placed = _outlined(seen, flat, better, middle, axis)
    return replace(placed, marks=marks, confidence=min(0.999, sure))


def _missing_corner(flat: Flat, whole: CardSeen, lone: CardSeen) -> bool:
    """True when a lone index lies, and stands, just where a four-corner card lacks one."""
    quad = flat.plane.project(whole.quad) / flat.unit
    down = (quad[3] + quad[2] - quad[0] - quad[1]) / 2
    down = down / max(float(np.linalg.norm(down)), 1e-9)
    right = np.array([down[1], -down[0]])
    places, ups = [], []
    for mark in (*whole.marks, *lone.marks):
        box = flat.plane.project(mark.quad) / flat.unit
        offset = box.mean(axis=0) - quad.mean(axis=0)
        places.append((float(offset @ right), float(offset @ down)))
        ups.append(float((box[3] + box[2] - box[0] - box[1]) @ down) > 0)
    own, (x, y) = places[:-1], places[-1]
    across, along = (float(np.mean([abs(place[axis]) for place in own])) for axis in (0, 1))
    if abs(abs(x) - across) > _CORNER or abs(abs(y) - along) > _CORNER or ups[-1] != (y < 0):
        return False
    return all((x > 0, y > 0) != (a > 0, b > 0) for a, b in own)


def _middle(flat: Flat, card: CardSeen) -> Array:
    return np.asarray(flat.plane.project(card.quad).mean(axis=0) / flat.unit)


def _top_corners(
    seen: CardsSeen, flat: Flat, one: CardSeen, two: CardSeen, points: Array, downs: Array
) -> CardSeen | None:
    """Two single indices of one face, side by side at a card's width: the upper corners of a four-corner card."""
    if len(points) != 2 or not four_corner(flat):
        return None
    axis = downs.sum(axis=0) / np.linalg.norm(downs.sum(axis=0))
    right = np.array([axis[1], -axis[0]])
    gap = points[1] - points[0]
    usual = flat.aspect - 2 * _INSET_ACROSS
    if abs(float(gap @ axis)) > 0.07 or abs(abs(float(gap @ right)) - usual) > 0.05:
        return None
    middle = points.mean(axis=0) + axis * (0.5 - _INSET_DOWN)
    better = one if one.confidence >= two.confidence else two
    sure = 1 - (1 - one.confidence) * (1 - two.confidence)
    placed = _outlined(seen, flat, better, middle, axis)
    return replace(placed, marks=one.marks + two.marks, confidence=min(0.999, sure))


def four_corner(flat: Flat) -> bool:
    """True when cards show indices left and right at the same end."""
    both = 0
    for marks in flat.marks:
        for end in (marks[:, 1] < 0, marks[:, 1] > 0):
            across = marks[end, 0]
            both += bool(len(across) > 1 and across.min() < -0.1 and across.max() > 0.1)
    return both >= 2


def _one_sided(flat: Flat, number: int) -> bool:
    """True when all the marks of a card lie on one side of its middle, left or right."""
    across = flat.marks[number][:, 0]
    return len(across) > 0 and bool((across > 0.05).all() or (across < -0.05).all())


def _short(flat: Flat, number: int) -> bool:
    """True when the marks of a joker do not lie across the whole card, so that they do not say where it lies."""
    marks = flat.marks[number]
    return len(marks) > 0 and float(np.linalg.norm(marks.max(axis=0) - marks.min(axis=0))) < 0.8


def _told(card: CardSeen) -> bool:
    """True when the reader itself saw on which side of its index the card lies."""
    return any(mark.right is not None and abs(mark.right - 0.5) > _KNOWN for mark in card.marks)


def _marks(seen: CardsSeen, flat: Flat) -> _Marks:
    quads = [mark.quad for card in seen.cards for mark in card.marks]
    owner = tuple(n for n, card in enumerate(seen.cards) for _ in card.marks)
    plane = flat.plane.project(np.array(quads, dtype=np.float64).reshape(-1, 4, 2)) / flat.unit
    down = (plane[:, 3] + plane[:, 2] - plane[:, 0] - plane[:, 1]) / 2
    down = down / np.maximum(np.linalg.norm(down, axis=1), 1e-9)[:, None]
    return _Marks(plane.mean(axis=1), down, owner)


def _propagate(seen: CardsSeen, flat: Flat, marks: _Marks, unsure: set[int]) -> dict[int, tuple[Array, Array]]:
    """New (middle, down axis) of the cards that have to move; from settled cards to their nearest neighbours."""
    middle = {n: flat.centre[n] for n in range(len(seen.cards))}
    axis = {n: flat.down[n] for n in range(len(seen.cards))}
    settled = set(middle) - unsure
    heap: list[tuple[float, int, int]] = []
    owners = np.array(marks.card)
    gaps = np.linalg.norm(marks.centre[:, None] - marks.centre[None], axis=2)

    def offer(card: int) -> None:
        for mark in np.flatnonzero(owners == card).tolist():
            for other in np.flatnonzero((gaps[mark] < _REACH) & (owners != card)).tolist():
                to = int(owners[other])
                joker = seen.cards[to].card == JOKER or seen.cards[card].card == JOKER
                if to not in settled and (joker or float(marks.down[mark] @ marks.down[other]) > _PARALLEL):
                    strange = _strangeness(seen.cards[card].card, seen.cards[to].card)
                    heapq.heappush(heap, (float(gaps[mark, other]) + strange, mark, other))

    for card in sorted(settled):
        offer(card)
    moved: dict[int, tuple[Array, Array]] = {}
    while heap:
        _, mark, other = heapq.heappop(heap)
        card, to = int(owners[mark]), int(owners[other])
        if to in settled:
            continue
        wanted = marks.centre[other] + middle[card] - marks.centre[mark]
        found = _fitting(seen, flat, marks, to, other, wanted, axis[card])
        if found is None:
            continue
        settled.add(to)
        if float(np.linalg.norm(found[0] - middle[to])) > 0.05 or abs(float(found[1] @ axis[to])) < 0.95:
            moved[to] = found
        middle[to], axis[to] = found
        offer(to)
    return moved


def _strangeness(one: str, other: str) -> float:
    """0 for cards that may well be neighbours of one meld: of one rank, or near each other in one suit."""
    first, second = Card.of(one), Card.of(other)
    if first.is_wild or second.is_wild:
        return _STRANGE / 2
    if first.rank_no == second.rank_no:
        return 0.0
    apart = abs(first.rank_no - second.rank_no)
    return 0.0 if first.suit_no == second.suit_no and (apart <= 2 or apart >= 11) else _STRANGE


def _fitting(
    seen: CardsSeen, flat: Flat, marks: _Marks, card: int, mark: int, wanted: Array, axis: Array
) -> tuple[Array, Array] | None:
    """The pose of a card, among those its marks allow, that agrees with where its neighbour says it lies."""
    place = flat.marks[card]
    own = flat.down[card]
    if seen.cards[card].card == JOKER:
        poses = [
            pose for pose in _joker_poses(flat, marks, card, mark, axis) if not _under_a_top(flat, marks, card, pose)
        ]
        reach = 0.35
    else:
        right = np.array([own[1], -own[0]])
        mean = float(place[:, 0].mean())
        poses = [(flat.centre[card], own), (flat.centre[card] + 2 * mean * right, own)]
        reach = _AGREE
    best = min(poses, key=lambda pose: float(np.linalg.norm(pose[0] - wanted)), default=None)
    return best if best is not None and float(np.linalg.norm(best[0] - wanted)) < reach else None


def _under_a_top(flat: Flat, marks: _Marks, card: int, pose: tuple[Array, Array]) -> bool:
    """True when a card laid so would go on a chain beyond its last card without covering it: then it is not its own.

    The last card of a chain is seen whole, and the one before it lies on its other side.
    """
    middle, down = pose
    right = np.array([down[1], -down[0]])
    offset = marks.centre - middle
    inside = (np.abs(offset @ right) < 0.43 * flat.aspect) & (np.abs(offset @ down) < 0.43)
    for top in {marks.card[n] for n in np.flatnonzero(inside).tolist()} - {card}:
        if _short(flat, top) or abs(float(flat.down[top] @ down)) < _PARALLEL:
            continue
        ahead = middle - flat.centre[top]
        far = float(np.linalg.norm(ahead))
        before = flat.centre - flat.centre[top]
        reach = np.linalg.norm(before, axis=1)
        behind = (before @ ahead < -0.8 * far * reach) & (reach < _REACH) & (reach > 0.05)
        behind[card] = False
        if far > 0.1 and behind.any():
            return True
    return False


def _joker_poses(flat: Flat, marks: _Marks, card: int, mark: int, axis: Array) -> list[tuple[Array, Array]]:
    """Where a joker may lie with its long side along `axis`: its marks are corners, but which ones is not known."""
    own = marks.centre[[n for n, owner in enumerate(marks.card) if owner == card]]
    right = np.array([axis[1], -axis[0]])
    across, down = flat.aspect / 2 - _INSET_ACROSS, 0.5 - _INSET_DOWN
    spread = own.max(axis=0) - own.min(axis=0)
    if len(own) > 1 and float(np.linalg.norm(spread)) > 0.3:
        middle, gap = own.mean(axis=0), own[-1] - own[0]
        if abs(float(gap @ right)) > abs(float(gap @ axis)):
            return [(middle + sign * down * axis, axis) for sign in (-1, 1)]
        return [(middle + sign * across * right, axis) for sign in (-1, 1)]
    spot = marks.centre[mark]
    return [(spot + x * across * right + y * down * axis, axis) for x in (-1, 1) for y in (-1, 1)]


def _placed(seen: CardsSeen, flat: Flat, number: int, middle: Array, down: Array) -> CardSeen:
    return _outlined(seen, flat, seen.cards[number], middle, down)


def _outlined(seen: CardsSeen, flat: Flat, card: CardSeen, middle: Array, down: Array) -> CardSeen:
    """The card with its outline where its middle and down axis say (in card heights)."""
    right = np.array([down[1], -down[0]]) * flat.aspect / 2
    corners = np.array([-right - down / 2, right - down / 2, right + down / 2, -right + down / 2]) + middle
    quad = flat.to_image(corners)
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    length = float(np.linalg.norm(up))
    low = np.clip(quad.min(axis=0), 0, (seen.width, seen.height))
    high = np.clip(quad.max(axis=0), 0, (seen.width, seen.height))
    return replace(
        card,
        quad=quad.astype(np.float32),
        box=(float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])),
        up=(up / max(length, 1e-9)).astype(np.float32),
        height_px=length,
    )
