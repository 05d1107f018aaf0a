"""Groups of one photo as evidence, with the pieces put right: a chain that is two melds, two chains that are one."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from typing import Final

import numpy as np

from scorer.cards import Card
from scorer.melds import readings
from scorer.profile import RuleProfile
from vision.layout import Flat, Group, make_group
from vision.layout_bodies import four_corner
from vision.layout_sides import Sides
from vision.reading_cover import corners, least_step
from vision.reading_group import SHORT, Hypothesis, Piece, Place, hypotheses, same_card
from vision.types import JOKER, CardsSeen

_SPLIT: Final = -10.0
"""Log weight of one chain being two melds that touch, where nothing in the way it lies says so."""
_SPLIT_WHOLE: Final = -3.0
"""The same where both are legal melds as they were seen: no hand is laid like that."""
_JOIN: Final = -1.5
"""Log weight of two chains being one meld with an unseen card between."""
_TABLE_WEIGHT: Final = 1.5
"""Steps of a chain's own that its photo's usual step counts for."""
_HALVES: Final = 6.0
"""Log weight of two chains going together that end and begin with the same face, head to head."""
_ADOPT: Final = 0.5
"""Log weight of a joker that lies on a meld belonging to it."""
_ASIDE: Final = 0.62
_BEFORE: Final = 0.85
"""Card heights by which a joker's mark may lie beside, and before or beyond, the middles of its meld's cards."""
_SURE_JOKER: Final = 0.95
_EXPECT_JOKER: Final = 24
_STRONG_GAP: Final = 1.6
_UNSURE: Final = 0.95
_FEWEST_MISSED, _MOST_MISSED = 0.0015, 0.03
"""Bounds of the share of readable cards that a photo's reader is thought to miss."""
_JOIN_REACH: Final = 1.35
"""Card heights between the ends of two chains that may be one."""


@dataclass(frozen=True, eq=False)
class Part:
    """A group of one photo: its cards (numbers into that photo's cards), geometry, evidence and possible readings."""

    photo: int
    group: Group
    piece: Piece
    options: tuple[Hypothesis, ...]
    side: int
    trust: float = 1.0
    settled: tuple[str, ...] = ()

    @property
    def cards(self) -> tuple[int, ...]:
        """Numbers of the cards in their photo."""
        return self.group.cards

    @property
    def cut(self) -> bool:
        """True when a card of a meld reaches out of the picture."""
        return self.group.cut and self.options[0].role == "meld"

    @property
    def pile(self) -> bool:
        """True when cards lie squared on each other, so that only some can be seen."""
        return self.group.kind == "pile" and len(self.cards) > 1


def parts_of(
    photo: int, seen: CardsSeen, flat: Flat, sided: Sides, profile: RuleProfile, owner: int | None, deadline: float
) -> tuple[list[Part], bool, tuple[tuple[float, tuple[int, ...]], ...]]:
    """The groups as parts, split and joined where that makes melds; whether time ran out; the partings by part."""
    view = View.of(photo, seen, flat, sided.groups, profile, deadline)
    parts = []
    for number, group in enumerate(sided.groups):
        place = replace(_place(sided, number, owner is None and sided.split), near=_near(flat, sided.groups, number))
        side = group.side if owner is None else owner
        parts.append(_part(view, group, place, side, sided.trust[number]))
    origin = list(range(len(parts)))
    parts, origin = _split_all(view, parts, origin)
    parts, origin = join_all(view, parts, origin)
    parts, origin = adopt_jokers(view, parts, origin)
    options = tuple((share, tuple(sides[o] for o in origin)) for share, sides in sided.options) if owner is None else ()
    return parts, view.late, options


@dataclass(frozen=True, eq=False)
class View:
    """One photo as evidence: its cards, the table plane, and what all its groups share."""

    photo: int
    seen: CardsSeen
    flat: Flat
    profile: RuleProfile
    four: bool
    places: tuple[float, float]
    missed: float
    jokers_read: bool
    held: tuple[int, ...]
    usual: dict[str, float]
    deadline: float = math.inf

    @property
    def late(self) -> bool:
        """True when the thread's computing time is beyond the deadline: pieces are then left as they are."""
        return time.thread_time() > self.deadline

    @classmethod
    def of(
        cls, photo: int, seen: CardsSeen, flat: Flat, groups: Sequence[Group], profile: RuleProfile,
        deadline: float = math.inf,
    ) -> View:  # fmt: skip
        """What the groups of a photo share."""
        four = four_corner(flat)
        usual = {}
        for kind in ("column", "row", "stairs"):
            steps = [g.usual_step for g in groups if len(g.cards) > 2 and g.kind == kind]
            if len(steps) >= 2:
                usual[kind] = float(np.median(steps))
        held = tuple(Card.of(card.card).code for card in seen.cards)
        places = corners(flat.marks, four)
        return cls(
            photo, seen, flat, profile, four, places, _missed(seen, groups), _jokers_read(seen), held, usual, deadline
        )

    def usual_step(self, group: Group) -> float:
        """The step to expect in a group: its own, drawn to that of the photo's other chains the shorter it is."""
        table = self.usual.get(group.kind, 0.0)
        own = group.usual_step
        if table <= 0 or own <= 0 or group.kind == "pile":
            return own
        share = (len(group.steps) - 1) / (len(group.steps) + _TABLE_WEIGHT)
        return share * own + (1 - share) * table

    def least(self, group: Group) -> float:
        """The least step, in card heights, at which a card of this group still shows an index."""
        if len(group.cards) < 2:
            return 0.0
        flat = self.flat
        plain = [c for c, cross in zip(group.cards, group.crosswise, strict=True) if not cross] or list(group.cards)
        lower = plain[0]
        way = float(group.direction @ flat.right[lower]), float(group.direction @ flat.down[lower])
        least = least_step(way, flat.aspect, self.places, self.four)
        if group.kind == "fan" and group.usual_step > 0:
            # the cards of a fan open: their indices lie farther apart than their middles
            turn = abs(math.asin(min(1.0, abs(float(flat.down[plain[0]] @ flat.right[plain[1]])))))
            least /= 1 + self.places[1] * turn / group.usual_step
        return least


def _missed(seen: CardsSeen, groups: Sequence[Group]) -> float:
    """The share of readable cards that the reader seems to have missed here: by doubled steps and unsure faces."""
    signs = 0.1
    for group in groups:
        usual = group.usual_step
        if len(group.cards) > 2 and usual > 0:
            signs += sum(step > _STRONG_GAP * max(usual, SHORT) for step in group.steps)
        signs += 0.5 * group.top_covered
    signs += 0.5 * sum(card.confidence < _UNSURE for card in seen.cards)
    return min(_MOST_MISSED, max(_FEWEST_MISSED, signs / (len(seen.cards) + 20)))


def _part(view: View, group: Group, place: Place, side: int, trust: float) -> Part:
    piece = _piece(view, group, place)
    return Part(view.photo, group, piece, hypotheses(piece, view.profile), side, trust)


def _piece(view: View, group: Group, place: Place) -> Piece:
    usual = view.usual_step(group)
    crossed = [a or b for a, b in pairwise(group.crosswise)]
    steps = tuple(
        1.0 if cross or usual <= 0 else 1 + (step - usual) / max(usual, SHORT)
        for step, cross in zip(group.steps, crossed, strict=True)
    )
    if (len(steps) == 1 and group.kind not in view.usual) or group.kind == "pile":
        steps = (1.0,) * len(steps)
    return Piece(
        tuple(view.seen.cards[c] for c in group.cards), steps, usual,
        replace(place, fan=group.kind == "fan", cut=group.cut), group.crosswise, group.top_covered, view.jokers_read,
        view.least(group), view.held, view.missed,
    )  # fmt: skip


def _jokers_read(seen: CardsSeen) -> bool:
    """True when a joker of the photo was read beyond doubt: then the reader knows this deck's jokers.

    Also when the photo shows too few cards to expect one: 1 card in 27 is a joker.
    """
    if len(seen.cards) < _EXPECT_JOKER:
        return True
    return any(c.card == JOKER and (len(c.marks) > 1 or c.confidence >= _SURE_JOKER) for c in seen.cards)


def _place(sided: Sides, number: int, split: bool) -> Place:
    """How far a group lies beyond the others of its side."""
    if not split:
        return Place()
    here = abs(sided.place[number])
    side = sided.groups[number].side
    longer = [n for n, one in enumerate(sided.groups) if n != number and one.side == side and len(one.cards) >= 3]
    others = [abs(sided.place[n]) for n in longer if sided.groups[n].kind != "fan"]
    if others:
        return Place(here - max(others), here)
    # all in fans: the melds among them lie nearest to the line
    return Place(here - min(abs(sided.place[n]) for n in longer) if longer else 1.0, here)


def _near(flat: Flat, groups: Sequence[Group], number: int) -> float:
    """Card heights from the middles of a group's cards to the nearest card of another group."""
    here = flat.centre[list(groups[number].cards)]
    others = [card for n, group in enumerate(groups) if n != number for card in group.cards]
    if not others:
        return 9.0
    return float(np.linalg.norm(here[:, None] - flat.centre[others][None], axis=2).min())


def again(view: View, like: Part, cards: Sequence[int]) -> Part:
    """Other cards of the photo as a group, in the place of a part."""
    group = replace(make_group(view.flat, cards), side=like.group.side)
    return _part(view, group, like.piece.place, like.side, like.trust)


def _split_all(view: View, parts: list[Part], origin: list[int]) -> tuple[list[Part], list[int]]:
    """Cut chains that are no meld as they stand into two that are."""
    out: list[Part] = []
    sources: list[int] = []
    for part, source in zip(parts, origin, strict=True):
        best: tuple[Part, ...] = (part,)
        value = part.options[0].log
        if len(part.cards) >= 4 and not is_plain(part) and not view.late:
            tops = [Card.of(view.seen.cards[c].card) for c in part.cards]
            for cut in range(1, len(part.cards)):
                whole = [bool(readings(tops[:cut], view.profile.rules)), bool(readings(tops[cut:], view.profile.rules))]
                if sum(whole) < (1 if min(cut, len(part.cards) - cut) < 3 else 2):
                    continue
                halves = part.cards[:cut], part.cards[cut:]
                pieces = tuple(again(view, part, cards) for cards in halves)
                touching = _SPLIT_WHOLE if all(whole) and all(is_plain(piece) for piece in pieces) else _SPLIT
                touching += _link_worth(view.flat, part.group, cut)
                total = sum(piece.options[0].log for piece in pieces) + touching
                if total > value:
                    best, value = pieces, total
        out += best
        sources += [source] * len(best)
    return out, sources


def is_plain(part: Part) -> bool:
    """A legal meld exactly as it was seen."""
    top = part.options[0]
    return top.legal and not any(card.change for card in top.cards)


def _link_worth(flat: Flat, group: Group, cut: int) -> float:
    """How much likelier a chain is to be two melds at this place: an odd step, a bend, cards turned to each other."""
    usual = group.usual_step
    worth = 0.0
    if usual > 0:
        worth += 5.0 * max(0.0, abs(float(np.log(max(group.steps[cut - 1] / max(usual, SHORT), 1e-3)))) - 0.3)
    a, b = group.cards[cut - 1], group.cards[cut]
    offset = flat.centre[b] - flat.centre[a]
    far = float(np.linalg.norm(offset))
    if far > 0.1:
        worth += 6.0 * max(0.0, 0.9 - abs(float(offset @ group.direction)) / far)
    if not (group.crosswise[cut - 1] or group.crosswise[cut]):
        worth += 20.0 * max(0.0, 0.985 - abs(float(flat.down[a] @ flat.down[b])))
    return min(9.0, worth)


def join_all(view: View, parts: list[Part], origin: list[int]) -> tuple[list[Part], list[int]]:
    """Join chains that go on from each other, where the whole is a likelier reading than the two."""
    parts, origin = list(parts), list(origin)
    while True:
        best: tuple[float, int, int, Part] | None = None
        for one, two in permutations(range(len(parts)), 2):
            if not _goes_on(view.flat, parts[one].group, parts[two].group):
                continue
            halves = _halves(parts[one], parts[two])
            if view.late:
                break
            plain = is_plain(parts[one]) and is_plain(parts[two]) and not halves
            if plain or parts[one].settled or parts[two].settled:
                continue
            whole = again(view, parts[one], (*parts[one].cards, *parts[two].cards))
            gain = whole.options[0].log + _JOIN - parts[one].options[0].log - parts[two].options[0].log
            gain += _HALVES if halves else 0.0
            if whole.options[0].legal and gain > 0 and (best is None or gain > best[0]):
                best = gain, one, two, whole
        if best is None or view.late:
            return parts, origin
        _, one, two, whole = best
        keep = origin[one] if len(parts[one].cards) >= len(parts[two].cards) else origin[two]
        for gone in sorted((one, two), reverse=True):
            del parts[gone], origin[gone]
        parts.append(whole)
        origin.append(keep)


def adopt_jokers(view: View, parts: list[Part], origin: list[int]) -> tuple[list[Part], list[int]]:
    """Put a lone joker into the meld it lies on: its mark may sit anywhere on the card, so its body tells nothing."""
    parts, origin = list(parts), list(origin)
    alone = [part for part in parts if len(part.cards) == 1 and not part.settled]
    for lone in [part for part in alone if view.seen.cards[part.cards[0]].card == JOKER]:
        best: tuple[float, Part, Part] | None = None
        for part in parts:
            if part is lone or len(part.cards) < 2 or part.settled or view.late:
                continue
            for place in _places(view.flat, part.group, lone.cards[0]):
                cards = (*part.cards[:place], *lone.cards, *part.cards[place:])
                whole = again(view, part, cards)
                gain = whole.options[0].log + _ADOPT - part.options[0].log - lone.options[0].log
                if whole.options[0].legal and gain > 0 and (best is None or gain > best[0]):
                    best = gain, part, whole
        if best is not None:
            at, gone = parts.index(best[1]), parts.index(lone)
            parts[at] = best[2]
            del parts[gone], origin[gone]
    return parts, origin


def _places(flat: Flat, group: Group, joker: int) -> list[int]:
    """Where in a chain a joker could stand whose mark lies on or next to it; nowhere when it lies apart."""
    spot = flat.centre[joker]
    if len(flat.marks[joker]):
        offset = flat.marks[joker].mean(axis=0)
        spot = spot + offset[0] * flat.right[joker] + offset[1] * flat.down[joker]
    first, last = flat.centre[group.cards[0]], flat.centre[group.cards[-1]]
    along = float((spot - first) @ group.direction)
    aside = abs(float((spot - first) @ np.array([-group.direction[1], group.direction[0]])))
    length = float((last - first) @ group.direction)
    if aside > _ASIDE or not -_BEFORE < along < length + _BEFORE:
        return []
    inner = int(sum(float((flat.centre[c] - first) @ group.direction) < along for c in group.cards))
    return sorted({inner, len(group.cards), 0} if along < 0.3 * length else {inner, len(group.cards)})


def _halves(one: Part, two: Part) -> bool:
    """True when one chain ends and the other begins with what may be the two corners of a single card."""
    return same_card(one.piece.seen[-1], two.piece.seen[0])


def _goes_on(flat: Flat, first: Group, then: Group) -> bool:
    """True when the second chain could be the continuation of the first beyond a card that was not seen."""
    last, start = first.cards[-1], then.cards[0]
    offset = flat.centre[start] - flat.centre[last]
    far = float(np.linalg.norm(offset))
    if far > _JOIN_REACH or far < 1e-6 or first.side != then.side:
        return False
    likeness = abs(float(flat.down[last] @ flat.down[start]))
    if likeness < 0.9 and likeness > 0.3:
        return False
    for group in (first, then):
        if len(group.cards) > 1:
            cosine = float(group.direction @ offset) / far
            if cosine < 0.86 or far > max(4.2 * group.usual_step, 0.3):
                return False
    return len(first.cards) > 1 or len(then.cards) > 1
