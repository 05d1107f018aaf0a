"""What one group of cards can be: every plausible reading of it, with its log probability.

A reading gives the group a role (meld, hand, other) and every card a face; it may add a hidden card where the steps or
the run leave a gap, and drop a card that is no card. The classifier's probabilities and the prior weights below are
added up in natural logarithms; legality is asked of `scorer.melds`, never decided here.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from scorer.cards import CARDS, JOKER, Card
from scorer.melds import Reading, readings
from scorer.profile import RuleProfile
from vision.reading_align import Gaps, Labels, aligned
from vision.reading_cover import covered_share, step_weight
from vision.types import CardSeen

Role = Literal["meld", "hand", "other"]
Change = Literal["", "misread", "hidden", "extra"]

_CONFIDENCE_CAP: Final = 0.9985
_KIN_SHARE: Final = 0.05
"""Share of a misread card's probability that goes to one face of the same rank or the same suit."""
_STRANGER_SHARE: Final = 0.004
_PLAIN_VIEW: Final = -2.5
"""Weight against overruling a card that two or more indices agree on: what is plainly visible stands."""
ILLEGAL: Final = -9.2
"""An illegal meld that lacks one card of being legal: such melds are rare, and this very one rarer."""
_ILLEGAL_MORE: Final = -2.5
_ONLY_GAPS: Final = -2.5
"""Further weight against an illegal meld to which nothing but unseen cards is missing."""
_DISPLACED: Final = -4.6
_DISPLACED_ACROSS: Final = -2.5
"""Log weight of a wild that lies elsewhere than where it stands in the run; laid across, that is the custom."""
_JOKERS_READ: Final = -1.5
_NO_JOKER_READ: Final = 0.4
"""Log odds of an unseen card being a joker: where the photo shows jokers that can be read, and where it shows none."""
_PAIR_JOKER, _MISSES = 0.3, 0.005
"""The same of what a pair lacks to be a set, where the reader misses more than this share: mostly it misses jokers."""
_CONSIDERED: Final = -3.5
"""Log probability from which a face counts as one that the card may be."""
_TWICE: Final = 7.0
"""Log evidence for a card being the other corner of its neighbour: the same face, upside down, next to it."""
_WIDE: Final = 1.6
"""Usual steps from which two cards may be missing."""
_ALONE_AMID: Final = -6.0
"""Log weight of a lone card amid the melds being a hand of one card."""
AMID: Final = 0.3
"""Card heights beyond the other groups of a side up to which a group lies amid the melds."""
_TIGHT_HAND, _CLOSE_HAND, _CLOSE = 0.06, 0.025, 0.31
"""Share of tight hands, and of those with a step below `_CLOSE`, in which a card is covered that no step shows."""
_FACES_OF_HANDS: Final = -4.5
"""Log probability from which other faces of a hand's cards are kept."""
_STRAY: Final = -1.7
_NO_CARD: Final = -3.0
"""Log weight of a lone detection being no card: with a single index, and with several."""
SHORT: Final = 0.22
"""Card heights: a usual step below it is taken for this, since cards do not lie more exactly when they lie closer."""
_MOST_COMBINATIONS: Final = 48
_SPREAD: Final = 8.0
"""Label combinations this much less likely than the best one are not looked at."""
KEPT: Final = 24


class ReadCard(NamedTuple):
    """A card of a reading: its code, which card of the group it was (None: added), and what was changed."""

    code: int
    source: int | None
    change: Change = ""


class Hypothesis(NamedTuple):
    """One reading of a group; `log` is its unnormalised log probability, `legal` whether it is a legal meld."""

    role: Role
    cards: tuple[ReadCard, ...]
    log: float
    legal: bool

    @property
    def faces(self) -> tuple[Card, ...]:
        """The cards that count."""
        return tuple(CARDS[c.code] for c in self.cards if c.change != "extra")

    @property
    def codes(self) -> tuple[int, ...]:
        """The codes of the cards that count, sorted."""
        return tuple(sorted(c.code for c in self.cards if c.change != "extra"))


@dataclass(frozen=True)
class Place:
    """Where a group lies, as far as that tells its role: how many card heights beyond its side's other groups it is,
    how far from the dividing line and from the next group, and whether the photo shows the whole of it."""

    beyond: float = 0.0
    from_line: float = 2.0
    near: float = 9.0
    fan: bool = False
    cut: bool = False


@dataclass(frozen=True, eq=False)
class Piece:
    """A group as evidence: its cards in table order, the steps between them, where it lies, and what is known for sure.

    `fixed` holds answers: (position, code) of a card that a person has named. `steps` are in units of the usual step,
    `usual`, which like `least` (the least step that leaves an index readable) is in card heights. `missed` is the
    share of readable cards that this photo's reader seems to miss, `held` the codes of all cards seen in the photo.
    """

    seen: tuple[CardSeen, ...]
    steps: tuple[float, ...]
    usual: float
    place: Place
    crosswise: tuple[bool, ...] = ()
    top_covered: bool = False
    jokers_read: bool = True
    least: float = 0.15
    held: tuple[int, ...] = ()
    missed: float = 0.002
    fixed: tuple[tuple[int, int], ...] = ()


def labels_of(piece: Piece) -> list[Labels]:
    """For every card the log probability of each face worth considering, and the floor for the others."""
    known = dict(piece.fixed)
    out = []
    for number, card in enumerate(piece.seen):
        if number in known:
            out.append(Labels({known[number]: 0.0}, known[number], -40.0, -40.0))
            continue
        top = Card.of(card.card).code
        sure = min(_CONFIDENCE_CAP, max(0.02, card.confidence))
        logs = {top: math.log(sure)}
        for name, share in card.alternatives:
            code = Card.of(name).code
            if code != top and share > 0:
                logs[code] = math.log(max(1e-5, min(share, 1 - 1e-4)))
        other = max(1 - sure, 1e-3)
        view = _PLAIN_VIEW if len(card.marks) >= 2 and sure >= 0.97 else 0.0
        logs = {code: value + (view if code != top else 0.0) for code, value in logs.items()}
        floors = math.log(other * _KIN_SHARE) + view, math.log(other * _STRANGER_SHARE) + view
        out.append(Labels(logs, top, *floors, _misplaced(piece, number)))
    return out


def _misplaced(piece: Piece, number: int) -> float:
    """Log evidence that a card of a chain is none: it shows one index only, and the steps are even without it."""
    evidence = -3.0 if len(piece.seen[number].marks) > 1 else 0.0
    if number and same_card(piece.seen[number - 1], piece.seen[number]):
        return evidence + _TWICE
    if 0 < number < len(piece.seen) - 1:
        evidence -= max(-3.0, min(1.5, _gap_raw(piece.steps[number - 1] + piece.steps[number])))
    return evidence


def gaps_of(piece: Piece) -> Gaps:
    """The log weight of a hidden card before each card and after the last one."""
    short = max(piece.usual, SHORT)
    unread = math.log(piece.missed)
    raw = [piece.usual + (step - 1) * short for step in piece.steps]
    inner = [step_weight(step, piece.usual, piece.least, piece.missed) for step in raw]
    for number, (one, two) in enumerate(pairwise(piece.crosswise)):
        if one or two:
            # the step to a crosswise card tells nothing
            inner[number] = math.log(piece.missed + 0.3 * covered_share(piece.usual, piece.least))
    ends = math.log(piece.missed + 0.1 * covered_share(piece.usual, piece.least)) if piece.steps else unread
    if len(piece.seen) == 2 and piece.place.beyond < AMID:
        # two cards amid the melds are a meld of which a card was not seen, rather than anything else
        inner, ends = [max(-2.6, value) for value in inner], -2.6
    after = math.log(max(0.05, 8 * piece.missed)) if piece.top_covered else unread - 1.5
    if piece.place.cut:
        ends, after = max(-2.6, ends), max(-2.6, after)
    wide = frozenset(number for number, step in enumerate(piece.steps, 1) if step > _WIDE)
    return Gaps((ends, *inner, after), wide, _JOKERS_READ if piece.jokers_read else _NO_JOKER_READ)


def unseen(piece: Piece) -> float:
    """Probability that a card of a hand lies covered by its neighbours or was not read between them."""
    if not piece.steps:
        return 0.0
    clear = 1.0
    for weight in gaps_of(replace(piece, top_covered=False)).weights[:-1]:
        clear *= 1 - 1 / (1 + math.exp(-weight))
    return max(1 - clear, _TIGHT_HAND if piece.usual < SHORT else _CLOSE_HAND if piece.usual < _CLOSE else 0.0)


def same_card(one: CardSeen, two: CardSeen) -> bool:
    """True when two detections may well be two corners of one card: one index each, the same face, head to head."""
    if one.card != two.card or len(one.marks) != 1 or len(two.marks) != 1:
        return False
    return float(one.up @ two.up) < -0.9


def _gap_raw(step: float) -> float:
    """Log evidence of a step, in usual steps, for being two steps rather than one, both uneven."""
    two = -(((step - 2) / 0.36) ** 2) / 2 - math.log(0.36)
    one = -(((step - 1) / 0.2) ** 2) / 2 - math.log(0.2)
    return two - one


def hypotheses(piece: Piece, profile: RuleProfile) -> tuple[Hypothesis, ...]:
    """Every plausible reading of a group, most probable first, at most `KEPT`.

    The scale is shared by all groups of a photo, so that readings of different groups can be added up.
    """
    labels = labels_of(piece)
    found: dict[tuple[Role, tuple[ReadCard, ...]], Hypothesis] = {}
    tops = _combinations(labels)
    whole = next(iter(tops))
    plain_legal = False
    alike = _alikeness(labels)
    for value, codes in tops:
        cards = tuple(ReadCard(c, n, "" if c == labels[n].top else "misread") for n, c in enumerate(codes))
        for one in _roles(piece, profile, cards, value, codes == whole[1], alike):
            _keep(found, one)
            plain_legal = plain_legal or (one.legal and codes == whole[1])
    if not plain_legal:
        for aligned_cards, value in aligned(labels, gaps_of(piece), profile.rules):
            cards = tuple(_read(item, labels) for item in aligned_cards)
            _add_meld(found, piece, profile, cards, value)
        for cards, value in _pairs(piece, labels, profile):
            _add_meld(found, piece, profile, cards, value)
    else:
        for cards, value in (*_longer(piece, labels, profile), *_shorter(piece, labels)):
            _add_meld(found, piece, profile, cards, value)
    ordered = sorted(found.values(), key=lambda one: (-one.log, one.role, [c.code for c in one.cards]))
    return tuple(ordered[:KEPT])


def _read(item: tuple[int, int | None], labels: Sequence[Labels]) -> ReadCard:
    code, source = item
    if source is None:
        return ReadCard(code, None, "hidden")
    if code < 0:
        return ReadCard(labels[source].top, source, "extra")
    return ReadCard(code, source, "" if code == labels[source].top else "misread")


def _keep(found: dict[tuple[Role, tuple[ReadCard, ...]], Hypothesis], one: Hypothesis) -> None:
    key = one.role, one.cards
    if key not in found or found[key].log < one.log:
        found[key] = one


def _add_meld(
    found: dict[tuple[Role, tuple[ReadCard, ...]], Hypothesis], piece: Piece, profile: RuleProfile,
    cards: tuple[ReadCard, ...], value: float,
) -> None:  # fmt: skip
    one = Hypothesis("meld", cards, 0.0, True)
    if readings(one.faces, profile.rules):
        _keep(found, one._replace(log=value + _disorder(cards, profile) + _displacement(piece, cards, profile)))


def _combinations(labels: Sequence[Labels]) -> list[tuple[float, tuple[int, ...]]]:
    """Combinations of one face for every card, most probable first."""
    ranked = [sorted(one.logs.items(), key=lambda item: (-item[1], item[0]))[:6] for one in labels]
    start = (0,) * len(labels)
    best = sum(r[0][1] for r in ranked)
    heap = [(-best, start)]
    seen = {start}
    out: list[tuple[float, tuple[int, ...]]] = []
    while heap and len(out) < _MOST_COMBINATIONS:
        cost, picks = heapq.heappop(heap)
        if -cost < best - _SPREAD:
            break
        out.append((-cost, tuple(ranked[n][p][0] for n, p in enumerate(picks))))
        for n, pick in enumerate(picks):
            if pick + 1 < len(ranked[n]):
                following = (*picks[:n], pick + 1, *picks[n + 1 :])
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(heap, (cost + ranked[n][pick][1] - ranked[n][pick + 1][1], following))
    return out


def _roles(
    piece: Piece, profile: RuleProfile, cards: tuple[ReadCard, ...], value: float, first: bool, alike: float
) -> Iterator[Hypothesis]:
    """The roles a group can have with exactly these faces; illegal melds and hands for the best faces only."""
    legal = bool(readings([CARDS[c.code] for c in cards], profile.rules))
    if legal:
        yield Hypothesis("meld", cards, value + _disorder(cards, profile) + _displacement(piece, cards, profile), True)
    count = len(cards)
    alone = count == 1
    if first and not legal and not alone:
        off = _strangers(cards, profile)
        yield Hypothesis("meld", cards, value + ILLEGAL + (_ILLEGAL_MORE * (off - 1) if off else _ONLY_GAPS), False)
    stray = alone and len(piece.seen[0].marks) < 2 and not piece.place.cut and not piece.fixed
    if alone and first:
        # a card that lies alone shows its index twice at least; a single mark is likelier a pip or a number
        nothing = tuple(card._replace(change="extra") for card in cards)
        yield Hypothesis(
            "other", nothing, _STRAY if stray else _NO_CARD + math.log(max(1e-3, 1 - piece.seen[0].confidence)), False
        )
    if stray:
        value -= 1.6
    if first or value > _FACES_OF_HANDS:
        yield Hypothesis("hand", cards, value + _hand_weight(piece, count, legal, alike), False)
        yield Hypothesis("other", cards, value + _other_weight(piece, count, legal), False)


def _hand_weight(piece: Piece, count: int, legal: bool, alike: float) -> float:
    place = piece.place
    apart = place.beyond > 0.6
    weight = -0.7 if apart else -1.3 if place.fan else -2.5 if place.beyond > AMID else -4.5
    if count == 1 and place.beyond <= AMID:
        weight = _ALONE_AMID
    if legal and apart:
        # melds lie in rows, hands beyond them, most of them in fans
        return weight - (1.5 if place.fan else 3.2) - 1.2 * (count - 3)
    if legal:
        # three random cards are hardly ever a meld; the more cards the less
        return weight - 3.0 - 1.8 * min(count, 9)
    return weight - alike


def _alikeness(labels: Sequence[Labels]) -> float:
    """How unlikely, in natural logarithms, cards drawn at random are so much of one suit, rank or run.

    A card counts for a suit or rank that is among its faces worth considering.
    """
    faces = [[CARDS[code] for code, log in one.logs.items() if log > _CONSIDERED] for one in labels]
    plain = [some for some in faces if not any(face.is_wild for face in some)]
    count = len(plain)
    if count < 3:
        return 0.0
    ranks = {face.rank_no for some in plain for face in some}
    same_rank = max(sum(any(face.rank_no == rank for face in some) for some in plain) for rank in ranks)
    found = 2.3 * (same_rank - 2) if same_rank >= max(3, count - 1) else 0.0
    for suit in range(4):
        fitting = [next((f.rank_no for f in some if f.suit_no == suit), 0) for some in plain]
        held = sorted({rank for rank in fitting if rank})
        if sum(rank > 0 for rank in fitting) < max(3, count - 1) or len(held) < 3:
            continue
        compact = held[-1] - held[0] <= len(faces) + 1 or (held[0] == 1 and 14 - held[1] <= len(faces) + 1)
        found = max(found, 1.2 * (len(held) - 2) + (1.0 * (len(held) - 1) if compact else 0.0))
    return found


def _other_weight(piece: Piece, count: int, legal: bool) -> float:
    inner = piece.place.beyond < 0.6
    weight = (-0.7 if inner else -2.6) - 3.0 * min(count - 1, 3)
    return weight - 6.0 if legal else weight


def _strangers(cards: Sequence[ReadCard], profile: RuleProfile) -> int:
    """How many cards keep the group from being a set or a run of one suit: 0 when only cards are missing."""
    faces = [CARDS[c.code] for c in cards]
    plain = [f for f in faces if not f.is_wild]
    if not plain:
        return len(faces)
    suits = [sum(f.suit_no != s for f in plain) for s in range(4)]
    ranks = [sum(f.rank_no != r for f in plain) for r in {f.rank_no for f in plain}]
    wild = max(0, len(faces) - len(plain) - profile.rules.max_wilds)
    return min(*suits, *ranks) + wild


def _disorder(cards: Sequence[ReadCard], profile: RuleProfile) -> float:
    """Runs are laid in order: log weight of natural neighbours that are out of order (the last card the least)."""
    faces = [CARDS[c.code] for c in cards if c.change != "extra"]
    plain = [f for f in faces if not f.is_wild]
    if len(plain) < 3 or len({f.suit_no for f in plain}) > 1:
        return 0.0
    return max(-1.5 * _unordered([f.rank_no for f in plain]), -1.0 - 1.5 * _unordered([f.rank_no for f in plain[:-1]]))


def _displacement(piece: Piece, cards: Sequence[ReadCard], profile: RuleProfile) -> float:
    """Log weight of the wild of a run not lying where it stands; 0.0 where some legal reading has it in its place."""
    counted = [c for c in cards if c.change != "extra"]
    wilds = [c for c in counted if CARDS[c.code].is_wild]
    if not wilds:
        return 0.0
    faces = [CARDS[c.code] for c in counted]
    for one in readings(faces, profile.rules):
        if one.kind == "set" or _in_place(one, faces):
            return 0.0
    across = any(c.source is not None and c.source < len(piece.crosswise) and piece.crosswise[c.source] for c in wilds)
    return _DISPLACED_ACROSS if across else _DISPLACED


def _ordered(cards: Sequence[ReadCard], profile: RuleProfile) -> bool:
    """True when some legal reading has every card of the run in its place."""
    faces = [CARDS[c.code] for c in cards]
    found = [[slot.card for slot in one.slots] for one in readings(faces, profile.rules)]
    return any(faces in (slots, slots[::-1]) for slots in found)


def _in_place(one: Reading, faces: Sequence[Card]) -> bool:
    """True when the cards lie in the order of the run's slots, upwards or downwards, every wild where it stands.

    Naturals out of order are `_disorder`'s affair: then no wild is called displaced.
    """
    slots = [slot.card for slot in one.slots]
    if slots == list(faces) or slots == list(faces)[::-1]:
        return True
    stands = [slot.card for slot in one.slots if not slot.wild]
    laid = [face for face in faces if face in stands]
    return laid != stands and laid != stands[::-1]


def _unordered(ranks: Sequence[int]) -> int:
    """How many neighbours break the order of a run, upwards or downwards, the ace low or high."""
    best = 99
    for high in (False, True):
        row = [14 if r == 1 and high else r for r in ranks]
        ups = sum(b <= a for a, b in pairwise(row))
        downs = sum(b >= a for a, b in pairwise(row))
        best = min(best, ups, downs)
    return best


def _pairs(
    piece: Piece, labels: Sequence[Labels], profile: RuleProfile
) -> Iterator[tuple[tuple[ReadCard, ...], float]]:
    """Two cards amid the melds as the set of which a third card, often a joker, was not read."""
    if len(labels) != 2 or piece.place.beyond >= AMID:
        return
    plain = [one for one in labels if not CARDS[one.top].is_wild]
    ranks = {one.top % 13 for one in plain}
    if len(ranks) != 1 or not profile.rules.set_ranks >> (min(ranks) + 1) & 1:
        return
    gaps = gaps_of(piece)
    joker = _PAIR_JOKER if piece.missed > _MISSES else gaps.joker
    value = sum(one.logs[one.top] for one in labels)
    cards = tuple(ReadCard(one.top, n) for n, one in enumerate(labels))
    codes = sorted((s * 13 + plain[0].top % 13 for s in range(4)), key=lambda code: (piece.held.count(code), code))
    for place, weight in enumerate(gaps.weights):
        added = [(codes[0], 0.0)] if len(plain) < 2 else [(codes[0], 0.0), (JOKER.code, joker)]
        for code, odds in added:
            yield (*cards[:place], ReadCard(code, None, "hidden"), *cards[place:]), value + weight + odds


def _longer(
    piece: Piece, labels: Sequence[Labels], profile: RuleProfile
) -> Iterator[tuple[tuple[ReadCard, ...], float]]:
    """Legal melds that may go on unseen: one more card at an end, or in a wide step of a set."""
    gaps = gaps_of(piece).weights
    cards = tuple(ReadCard(one.top, n) for n, one in enumerate(labels))
    value = sum(one.logs[one.top] for one in labels)
    found = readings([CARDS[c.code] for c in cards], profile.rules)
    if not found:
        return
    best = found[0]
    for place, weight in enumerate(gaps):
        if weight < -7.0:
            continue
        inner = 0 < place < len(cards)
        for code in _extensions(best, len(cards), place, cards, piece.held):
            added = (*cards[:place], ReadCard(code, None, "hidden"), *cards[place:])
            if best.kind == "set" or not inner or _ordered(added, profile):
                yield added, value + weight
        if best.wilds < profile.rules.max_wilds and (best.kind == "set" or not inner):
            joker = ReadCard(JOKER.code, None, "hidden")
            yield (*cards[:place], joker, *cards[place:]), value + weight + gaps_of(piece).joker


def _shorter(piece: Piece, labels: Sequence[Labels]) -> Iterator[tuple[tuple[ReadCard, ...], float]]:
    """The chain without one card that shows a single index and of which the reader is not sure."""
    value = sum(one.logs[one.top] for one in labels)
    for number, (one, card) in enumerate(zip(labels, piece.seen, strict=True)):
        if len(card.marks) < 2 and card.confidence < 0.9:
            change: tuple[Change, ...] = tuple("extra" if n == number else "" for n in range(len(labels)))
            cards = tuple(ReadCard(label.top, n, c) for n, (label, c) in enumerate(zip(labels, change, strict=True)))
            yield cards, value - one.logs[one.top] + one.drop()


def _extensions(best: Reading, size: int, place: int, cards: Sequence[ReadCard], held: Sequence[int]) -> list[int]:
    """Codes of the cards that could stand unseen at a place.

    Of a set its rank, in the suit of which fewest are seen; of a run the next one at that end, or inside it the card
    that a wild now stands for.
    """
    if best.kind == "set":
        mine = [c.code for c in cards]
        codes = [s * 13 + best.low - 1 for s in range(4)]
        return sorted(codes, key=lambda code: (held.count(code), mine.count(code)))[:1]
    if 0 < place < size:
        return [slot.stands_for.code for slot in best.slots if slot.wild]
    out = []
    for slot in (best.low - 1, best.low + size):
        if 1 <= slot <= 14:
            out.append(best.suit_no * 13 + (0 if slot == 14 else slot - 1))
    rising = _rising(cards)
    if len(out) == 2 and rising is not None:
        return [out[0] if (place == 0) == rising else out[1]]
    return out


def _rising(cards: Sequence[ReadCard]) -> bool | None:
    ranks = [CARDS[c.code].rank_no for c in cards if not CARDS[c.code].is_wild and c.code % 13 != 0]
    return ranks[0] < ranks[-1] if len(ranks) > 1 else None
