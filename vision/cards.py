"""Index marks to physical cards: the two or four indices of one card are joined by geometry alone.

Every mark says where the middle of its card must be: half the deck's corner distances away, in the mark's own
directions, in the table plane. Marks of one card agree on that middle; those of two twins of the same face do not,
however near they lie. The corner distances are learnt from the photo (`vision.deck_model`). Labels only ever veto:
two marks that agree on the middle but read as different faces stay two cards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.absorb import absorb_corners, pair_lone_corners
from vision.bodies import Body
from vision.deck_model import (
    DeckModel,
    Marks,
    card_height,
    card_width,
    learn_decks,
    marks_in_plane,
    pair_offset,
    steadied,
)
from vision.geometry import Array, Flags, Ints, inside_quad
from vision.jokers import drop_false_jokers, join_jokers
from vision.mirror import mirrored
from vision.types import CARDS, CLASS_INDEX, JOKER, NONE, CardSeen, CardsSeen, Detector, Image, IndexMark

_GATE = 2.5
"""Standard deviations by which two marks may disagree about the middle of their card."""
_GEOMETRY_BONUS = 2.0
"""Log evidence of agreeing exactly on a middle, against the density of middles on a crowded table."""
_PLACE_NOISE, _SIZE_NOISE, _PIXEL_NOISE = 0.08, 0.02, 0.5
"""Standard deviation of the distance between two marks of a card, in index heights: a constant, then per unit of
distance a constant share and one of so many pixels over the index's height."""
_TURN_NOISE = 0.10
"""Radians by which a mark's own direction strays: a rank is not centred over its suit in every deck."""
_NONE_LIMIT = 0.5
_SURE_FACE, _ENOUGH_SURE = 0.97, 8
_SIZE_RATIO = 1.5
"""How much an index may be larger or smaller than nine in ten of the sure ones."""
_JOKER_SIZES = (0.22, 3.5)
"""Sizes of a joker's mark against the least and the greatest of the sure indices."""
_ANGLE_DEG = 16.0
_SOBER = 1.7
"""Exponent that makes confidences honest: on held-out synthetic tables what the networks give 0.62 is right 44 times in
100, what they give 0.85 is right 77 times, and what they give 0.99 is right."""
_LONE_JOKER = 1.5
"""How much more sober of a joker known by one mark: anything may look like a picture, a star or a word. On ten
held-out tables such a joker said to be 0.70 was right three times in ten.
"""
_DOUBTED_JOKER = 0.9
"""A joker known by one mark with a lower score is believed by twice the exponent: on 56 held-out tables 0.86 and 0.9
make as many errors; real tables have half as many jokers as those, and as many things that look like one.
"""
_ONLY_LATE = 2.0
"""How much more sober of a card that only late marks show: half hidden, and its suit often guessed by its colour."""
_AGREEMENT = 0.85
"""Exponent of a mark's probabilities when marks are combined: two prints of one face are not independent."""
_ECHO_REACH = 1.1
"""Sizes of a card, round its middle, within which a late mark of its face is one of its corners."""
READ_CONFIDENCE = 0.5
"""A card below it is a guess, not a reading: measured and reported as such."""
NOTICE_SMALL = "cards_small"
NOTICE_DARK = "photo_dark"
NOTICE_NOTHING = "no_cards"
SMALL_INDEX_PX = 15.0
DARK_LEVEL = 40.0


def read_cards(image: Image, detector: Detector) -> CardsSeen:
    """Return the physical cards that `detector` finds in a BGR uint8 image, with notices on what was hard to see."""
    height, width = image.shape[:2]
    seen = assemble(detector.detect(image), width, height)
    notices = list(seen.notices)
    if float(image[:: max(1, height // 200), :: max(1, width // 200)].mean()) < DARK_LEVEL:
        notices.append(NOTICE_DARK)
    return CardsSeen(seen.cards, width, height, tuple(notices))


def assemble(marks: list[IndexMark], width: int, height: int) -> CardsSeen:
    """Join marks into cards; `width` and `height` are those of the photo in pixels. The order of marks is irrelevant.

    >>> up = IndexMark.of("7h", [(10, 10), (20, 10), (20, 30), (10, 30)])
    >>> turned = IndexMark.of("7h", [(75, 112), (65, 112), (65, 92), (75, 92)])
    >>> [card.card for card in assemble([up, turned], 200, 200).cards]
    ['7h']
    """
    none = CLASS_INDEX[NONE]
    kept = [mark for mark in marks if mark.probs[none] <= _NONE_LIMIT]
    kept.sort(key=lambda mark: (-mark.score, *mark.quad.ravel().tolist()))
    if not kept:
        return CardsSeen((), width, height, (NOTICE_NOTHING,))
    flat = marks_in_plane(kept, (width, height))
    fits = _of_likely_size(flat)
    if not fits.all():
        kept = [mark for mark, fit in zip(kept, fits, strict=True) if fit]
        flat = marks_in_plane(kept, (width, height))
    kept, flat = _without_echoes(kept, flat, width, height)
    cards = _cards(flat, kept, width, height)
    cards.sort(key=lambda card: (-card.confidence, card.card, *card.quad.ravel().tolist()))
    typical = float(np.median([mark.height for mark in kept]))
    notices = (NOTICE_SMALL,) if typical < SMALL_INDEX_PX else ()
    return CardsSeen(tuple(cards), width, height, notices)


def _cards(flat: Marks, kept: list[IndexMark], width: int, height: int) -> list[CardSeen]:
    """The cards that these marks, as they lie in the table plane, are corners of."""
    decks = learn_decks(flat)
    flat = steadied(flat, decks)
    bodies = absorb_corners(flat, _join(flat, decks), decks[0].four_corner)
    # a card on the wrong side of its edge has left the marks of its other edge alone
    bodies = absorb_corners(flat, mirrored(flat, bodies), decks[0].four_corner)
    bodies = pair_lone_corners(flat, mirrored(flat, bodies))
    jokers = np.flatnonzero(flat.is_joker).tolist()
    jokers = drop_false_jokers(flat, jokers, bodies)
    # the design that most pairs agree on, not the one whose diagonals crowd most: jokers have no size to choose by
    bodies.extend(_joker_bodies(flat, jokers, max(decks, key=lambda deck: deck.votes), bodies))
    return [_card(flat, kept, body, width, height) for body in bodies]


def _without_echoes(kept: list[IndexMark], flat: Marks, width: int, height: int) -> tuple[list[IndexMark], Marks]:
    """Leave out late marks on a card of their own face that the others make: a corner of it that is badly seen."""
    size = width, height
    first = [mark for mark in kept if not mark.late]
    if not first or len(first) == len(kept):
        return kept, flat
    known = [
        (card.card, card.quad.mean(axis=0), card.quad)
        for card in _cards(marks_in_plane(first, size, flat.plane), first, width, height)
    ]
    kept = [
        mark
        for mark in kept
        if not mark.late
        or not any(
            face == mark.best and inside_quad(mark.centre, middle + _ECHO_REACH * (quad - middle))
            for face, middle, quad in known
        )
    ]
    return kept, marks_in_plane(kept, size, flat.plane)


def _of_likely_size(marks: Marks) -> Flags:
    """Say which marks are no larger and no smaller than indices of this photo can be: numbers on paper seldom are.

    Judged by the sure indices, where there are enough; a joker's mark may be a small star or a long word.
    """
    sure = ~marks.is_joker & (marks.probs.max(axis=1) >= _SURE_FACE)
    if int(sure.sum()) < _ENOUGH_SURE:
        return np.ones(len(marks.height), dtype=np.bool_)
    low, high = np.quantile(marks.height[sure], (0.1, 0.9))
    least = np.where(marks.is_joker, _JOKER_SIZES[0], 1 / _SIZE_RATIO) * low
    most = np.where(marks.is_joker, _JOKER_SIZES[1], _SIZE_RATIO) * high
    return np.asarray((marks.height >= least) & (marks.height <= most), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _Guesses:
    """Every mark's guesses of its card's middle: one for each deck model and each hand (left 0, right 1)."""

    mark: Ints
    hand: Ints
    deck: Ints
    centre: Array
    worth: Array


def _guesses(marks: Marks, decks: list[DeckModel]) -> _Guesses:
    mark, hand, deck, centre, worth = [], [], [], [], []
    for number in np.flatnonzero(~marks.is_joker).tolist():
        for which, model in enumerate(decks):
            tall = _steady_height(float(marks.height[number]), model)
            for side in (0, 1) if model.four_corner else (0,):
                sign = 1.0 if side == 0 else -1.0
                move = sign * model.across / 2 * marks.right[number] + model.down / 2 * marks.down[number]
                chance = marks.hand[number] if side else 1 - marks.hand[number]
                mark.append(number)
                hand.append(side)
                deck.append(which)
                centre.append(marks.centre[number] + tall * move)
                worth.append(math.log(max(0.03, 2 * chance)) - 0.3 * which - _size_misfit(marks.height[number], model))
    marks_, hands, decks_ = (np.array(values, dtype=np.int64) for values in (mark, hand, deck))
    return _Guesses(marks_, hands, decks_, np.array(centre).reshape(-1, 2), np.array(worth))


def _size_misfit(height: float, model: DeckModel) -> float:
    if not math.isfinite(model.height):
        return 0.0
    return min(3.0, (math.log(height / model.height) / 0.12) ** 2 / 2)


def _steady_height(height: float, model: DeckModel) -> float:
    """A mark's height drawn half-way to its deck's: a detected box is a few per cent out, a deck is not."""
    if math.isfinite(model.height) and 0.8 < height / model.height < 1.25:
        return math.sqrt(height * model.height)
    return height


def _join(marks: Marks, decks: list[DeckModel]) -> list[Body]:
    """Cluster the guesses greedily, best-supported card first; every mark ends in exactly one body."""
    guesses = _guesses(marks, decks)
    if len(guesses.mark) == 0:
        return []
    label = np.log(np.clip(marks.probs @ marks.probs.T * len(CARDS), 1e-6, None))
    partners = _partners(marks, decks, guesses, label)
    free = np.ones(len(marks.height), dtype=bool)
    mates = [{other for other, _, _ in found} for found in partners]
    best = [_cluster(seed, guesses, partners[seed], mates, free) for seed in range(len(guesses.mark))]
    order = sorted(range(len(best)), key=lambda seed: -best[seed][0])
    bodies: list[Body] = []
    while order:
        seed = order.pop(0)
        if not free[guesses.mark[seed]]:
            continue
        fresh = _cluster(seed, guesses, partners[seed], mates, free)
        if fresh[0] < best[seed][0] - 1e-9:
            best[seed] = fresh
            place = next((i for i, other in enumerate(order) if best[other][0] < fresh[0]), len(order))
            order.insert(place, seed)
            continue
        chosen = [seed, *fresh[1]]
        free[guesses.mark[chosen]] = False
        bodies.append(_body(marks, decks, guesses, chosen))
    return bodies


_Partner = tuple[int, int, float]
"""A guess that agrees with a seed: its number, the corner slot it fills (0..3), the log evidence it adds."""


def _partners(marks: Marks, decks: list[DeckModel], guesses: _Guesses, label: Array) -> list[list[_Partner]]:
    """For every guess, the other guesses of the same deck that agree on middle and axis and fill another corner."""
    found: list[list[_Partner]] = [[] for _ in guesses.mark]
    axis = marks.down[guesses.mark]
    cosine = axis @ axis.T
    gaps = np.linalg.norm(guesses.centre[:, None] - guesses.centre[None], axis=2)
    tall = marks.height[guesses.mark]
    pixels = marks.pixels[guesses.mark]
    least = np.minimum(pixels[:, None], pixels[None])
    span = np.array([math.hypot(deck.across, deck.down) for deck in decks])[guesses.deck][:, None]
    same_size = np.abs(np.log(tall[:, None] / tall[None])) < 0.20 + 3.0 / np.maximum(least, 6.0)
    near = gaps < np.sqrt(tall[:, None] * tall[None]) * (0.6 + 0.3 * span)
    agree = near & (np.abs(cosine) > math.cos(math.radians(_ANGLE_DEG))) & same_size
    agree &= guesses.deck[:, None] == guesses.deck[None]
    agree &= guesses.mark[:, None] != guesses.mark[None]
    turned = cosine < 0
    agree &= turned | (guesses.hand[:, None] != guesses.hand[None])  # the same corner twice is two cards
    for seed, other in zip(*np.nonzero(agree), strict=True):
        misfit = _misfit(marks, decks[int(guesses.deck[seed])], guesses, int(seed), int(other))
        evidence = label[guesses.mark[seed], guesses.mark[other]] + _GEOMETRY_BONUS - misfit / 2
        evidence += guesses.worth[other]
        if misfit < _GATE**2 and evidence > 0:
            slot = int(guesses.hand[other]) + (2 if turned[seed, other] else 0)
            found[int(seed)].append((int(other), slot, float(evidence)))
    return found


def _misfit(marks: Marks, deck: DeckModel, guesses: _Guesses, seed: int, other: int) -> float:
    """Return the squared standard deviations by which two marks miss the deck's distance and direction."""
    first, second = int(guesses.mark[seed]), int(guesses.mark[other])
    seen = pair_offset(marks, first, second)
    if seen is None:
        return math.inf
    across, down, opposite, height = seen
    unit = _steady_height(height, deck) / height
    want_across, want_down = _expected(deck, int(guesses.hand[seed]), int(guesses.hand[other]), opposite)
    length, want = math.hypot(across, down) / unit, math.hypot(want_across, want_down)
    turn = math.atan2(across * want_down - down * want_across, across * want_across + down * want_down)
    pixels = max(6.0, float(min(marks.pixels[first], marks.pixels[second])))
    noise = _PLACE_NOISE + want * (_SIZE_NOISE + _PIXEL_NOISE / pixels)
    if math.isfinite(deck.spread):
        noise = min(noise, 0.6 * _PLACE_NOISE + 0.004 * want + 1.5 * deck.spread)
    return ((length - want) / noise) ** 2 + (turn / (_TURN_NOISE + _PIXEL_NOISE / pixels)) ** 2


def _expected(deck: DeckModel, hand: int, other_hand: int, opposite: bool) -> tuple[float, float]:
    """Return the offset across and down from one corner of a card to another, as the first mark stands."""
    start = -deck.across / 2 if hand == 0 else deck.across / 2
    end = -deck.across / 2 if other_hand == 0 else deck.across / 2
    return ((-end if opposite else end) - start, deck.down if opposite else 0.0)


def _cluster(
    seed: int, guesses: _Guesses, partners: list[_Partner], mates: list[set[int]], free: Flags
) -> tuple[float, list[int]]:
    """Return the score and partners of the best card around a seed, at most one mark for each other corner.

    Every mark must be able to be a corner beside every other, not the seed alone: the lone corner of a twin may lie
    just about where the seed's opposite corner would be.
    """
    taken = {int(guesses.hand[seed])}
    used = {int(guesses.mark[seed])}
    score = float(guesses.worth[seed])
    chosen: list[int] = []
    for other, slot, evidence in sorted(partners, key=lambda one: -one[2]):
        mark = int(guesses.mark[other])
        if not free[mark] or slot in taken or mark in used or not all(other in mates[one] for one in chosen):
            continue
        taken.add(slot)
        used.add(mark)
        chosen.append(other)
        score += evidence
    return score, chosen


def _body(marks: Marks, decks: list[DeckModel], guesses: _Guesses, chosen: list[int]) -> Body:
    model = decks[int(guesses.deck[chosen[0]])]
    members = guesses.mark[chosen]
    lead = marks.down[members[0]]
    signs = np.sign(marks.down[members] @ lead)
    down = (marks.down[members] * signs[:, None]).sum(axis=0)
    down = _straightened(marks, model, guesses, chosen, down / np.linalg.norm(down))
    tall = float(np.mean([_steady_height(float(marks.height[m]), model) for m in members]))
    return Body(
        tuple(int(m) for m in members),
        guesses.centre[chosen].mean(axis=0),
        down,
        model.across / 2 * tall,
        model.down / 2 * tall,
        tall,
        model.four_corner,
    )


def _straightened(marks: Marks, deck: DeckModel, guesses: _Guesses, chosen: list[int], down: Array) -> Array:
    """Turn the marks' mean direction so that the card's two most distant marks lie as the deck has them."""
    if len(chosen) < 2:
        return down
    members = guesses.mark[chosen]
    places = marks.centre[members]
    far = int(np.linalg.norm(places - places[0], axis=1).argmax())
    if far == 0:
        return down
    opposite = bool(marks.down[members[0]] @ marks.down[members[far]] < 0)
    want = _expected(deck, int(guesses.hand[chosen[0]]), int(guesses.hand[chosen[far]]), opposite)
    offset = places[far] - places[0]
    # The angle of `down` on the plane is that of the seen offset less that of the wanted one in the card's frame.
    angle = math.atan2(offset[1], offset[0]) - math.atan2(want[1], want[0]) + math.pi / 2
    turned = np.array([math.cos(angle), math.sin(angle)])
    return turned if float(turned @ down) > 0.9 else down


def _joker_bodies(marks: Marks, jokers: list[int], deck: DeckModel, plain: list[Body]) -> list[Body]:
    """A joker's mark differs from an index in size and place; the card itself is as large as its fellows."""
    tall = deck.height if math.isfinite(deck.height) else float(np.median(marks.height[jokers])) if jokers else 1.0
    spans = deck.across * tall, deck.down * tall
    card = card_width(deck.across) * tall, card_height(deck.down) * tall
    bodies = []
    for members, centre, down in join_jokers(marks, jokers, spans, card, plain, deck.four_corner):
        bodies.append(Body(tuple(members), centre, down, spans[0] / 2, spans[1] / 2, tall))
    return bodies


def combine(probs: Array) -> Array:
    """Return the face probabilities (53,) of one card from those of its marks (k, 53).

    >>> one = np.full((1, 53), 0.2 / 52); one[0, 6] = 0.8
    >>> bool(combine(np.vstack([one, one]))[6] > 0.8)
    True
    """
    power = _AGREEMENT if len(probs) > 1 else 1.0
    logs = power * np.log(np.clip(probs, 1e-6, None)).sum(axis=0)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _card(flat: Marks, marks: list[IndexMark], body: Body, width: int, height: int) -> CardSeen:
    members = tuple(marks[number] for number in body.members)
    faces = combine(flat.probs[list(body.members)])
    real = 1.0 - float(np.prod([mark.probs[CLASS_INDEX[NONE]] for mark in members]))
    order = np.argsort(-faces, kind="stable")
    others = tuple((CARDS[i], round(float(faces[i]) * real, 4)) for i in order[1:5] if faces[i] * real >= 0.002)
    sober = _SOBER
    if len(members) == 1 and CARDS[int(order[0])] == JOKER:
        sober *= _LONE_JOKER * (2.0 if members[0].score < _DOUBTED_JOKER else 1.0)
    if all(mark.late for mark in members):
        sober *= _ONLY_LATE
    quad = flat.plane.unproject(body.outline())
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    length = float(np.linalg.norm(up))
    low = np.clip(quad.min(axis=0), 0, (width, height))
    high = np.clip(quad.max(axis=0), 0, (width, height))
    return CardSeen(
        card=CARDS[int(order[0])],
        confidence=round((float(faces[order[0]]) * real) ** sober, 4),
        alternatives=others,
        marks=members,
        quad=quad.astype(np.float32),
        box=(float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])),
        up=(up / max(length, 1e-9)).astype(np.float32),
        height_px=length,
    )
