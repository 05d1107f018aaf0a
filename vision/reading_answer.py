"""What lies at one place, said by a person who sees it: the groups once the words are taken in.

`meld: 4h 5h 6h` (or `hand:`, `other:`) states the whole content of a group. Cards named that the reader has seen next
to it, in a group that is no plain meld, are taken from there; the others lie hidden. Cards seen but not named belong
elsewhere: they become a group of their own and may join a neighbour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple, get_args

import numpy as np

from scorer.cards import CARDS, Card
from scorer.errors import VisionError
from scorer.melds import readings
from scorer.profile import RuleProfile
from vision.reading_group import ILLEGAL, KEPT, Hypothesis, Piece, ReadCard, Role
from vision.reading_pieces import Part, View, adopt_jokers, again, is_plain, join_all

STATED: Final = "*"
"""The mark of a part whose content a person has stated: nothing more is asked about it."""
_REACH: Final = 1.3
"""Card heights from a group to a card next to it that may be its own."""
_SURE: Final = 0.97


def parse_statement(text: str) -> tuple[Role, tuple[int, ...]] | None:
    """The role and card codes of a statement, None for any other text. VisionError for a word that is no card.

    >>> parse_statement("hand: 4h JK")
    ('hand', (3, 52))
    """
    head, colon, rest = text.partition(":")
    for role in get_args(Role):
        if colon and head.strip() == role:
            return role, tuple(named_card(word).code for word in rest.split())
    return None


def named_card(text: str) -> Card:
    """A card in canonical notation; VisionError where it is none."""
    try:
        return Card.of(text)
    except ValueError:
        raise VisionError(f"“{text}” is not a card.", code="unknown_card_named", token=text) from None


def state(view: View, parts: Sequence[Part], at: int, role: Role, codes: Sequence[int]) -> tuple[list[Part], list[int]]:
    """The parts of one photo once part number `at` is stated, and for each of them which of `parts` it comes from."""
    part = parts[at]
    first, other_way = _gathered(view, parts, at, codes, False), _gathered(view, parts, at, codes, True)
    found = other_way if other_way.loose < first.loose else first
    if 2 * len(found.hidden) >= len(codes) and any(_says(other, role, codes) for other in parts):
        # what is said was said before, and most of it is not here: these are second detections of cards there
        kept = [n for n in range(len(parts)) if n != at]
        return [*(parts[n] for n in kept), _stated(view, part, part.cards, {}, (), "other")], [*kept, at]
    out: list[Part] = []
    origin: list[int] = []
    for number, other in enumerate(parts):
        if number == at:
            continue
        rest = [card for card in other.cards if card not in found.codes_of]
        if rest:
            out.append(other if len(rest) == len(other.cards) else again(view, other, rest))
            origin.append(number)
    # a group of which nothing is named, though all that is named was found, are second detections of these cards
    doubles = found.left if len(found.left) == len(part.cards) and not found.hidden else []
    left = [card for card in found.left if card not in doubles]
    out += [again(view, part, [card]) for card in left]
    origin += [at] * len(left)
    if len(out) != len(parts) - 1 or set(found.codes_of) - set(part.cards):
        out, origin = adopt_jokers(view, *join_all(view, out, origin))
    kept = [*found.codes_of, *doubles]
    stated = _stated(view, part, kept, found.codes_of, found.hidden, role)
    return [*out, stated], [*origin, at]


def _says(part: Part, role: Role, codes: Sequence[int]) -> bool:
    """True for a group of which a person has stated just this."""
    chosen = part.options[0]
    return STATED in part.settled and chosen.role == role and chosen.codes == tuple(sorted(codes))


class _Gathered(NamedTuple):
    """What a statement was found in: the codes of the cards that it names, by card; the codes that no card seen near by
    can be; the cards of the group that it does not name."""

    codes_of: dict[int, int]
    hidden: list[int]
    left: list[int]

    @property
    def loose(self) -> int:
        """Ends that do not meet: fewer is likelier what the person meant."""
        return len(self.hidden) + len(self.left)


def _gathered(view: View, parts: Sequence[Part], at: int, codes: Sequence[int], others_first: bool) -> _Gathered:
    """Find the stated cards: in the group itself, or else in whole groups near by, then in torn groups next to it.

    `others_first` looks for whole groups before: the group may hold a second detection of a card of theirs, or a card
    of a third group.
    """
    part = parts[at]
    codes_of: dict[int, int] = {}
    missing = list(codes)

    def whole() -> None:
        for code, card in _whole_pieces(view, parts, at, missing):
            codes_of[card] = code
            missing.remove(code)

    if others_first:
        whole()
    fits, missing = _matched(part, missing)
    codes_of.update((part.cards[position], code) for position, code in fits.items())
    if not others_first:
        whole()
    hidden = []
    for code in missing:
        card = _next_to(view, parts, at, code, {*codes_of})
        if card is None:
            hidden.append(code)
        else:
            codes_of[card] = code
    return _Gathered(codes_of, hidden, [card for card in part.cards if card not in codes_of])


def _matched(part: Part, codes: Sequence[int]) -> tuple[dict[int, int], list[int]]:
    """Positions of the group's cards with the codes stated for them, and the codes that no card of it can be."""
    left = Counter(codes)
    fits: dict[int, int] = {}
    for listed in (False, True):
        for position, card in enumerate(part.piece.seen):
            faces = [card.card, *(name for name, _ in card.alternatives)] if listed else [card.card]
            code = next((Card.of(face).code for face in faces if left[Card.of(face).code] > 0), None)
            if position not in fits and code is not None:
                fits[position] = code
                left[code] -= 1
    missing = list(left.elements())
    for position, card in enumerate(part.piece.seen):
        # what was read with little certainty is rather one of the stated cards, misread
        if position not in fits and missing and (card.confidence < _SURE or len(card.marks) < 2):
            fits[position] = missing.pop(0)
    return fits, missing


def _whole_pieces(view: View, parts: Sequence[Part], at: int, missing: Sequence[int]) -> list[tuple[int, int]]:
    """(code, card) of every card of the groups near by that are wholly among the missing ones, two cards or more:
    the other half of the same meld or hand, though it may look like one of its own."""
    here = view.flat.centre[list(parts[at].cards)]
    left = Counter(missing)
    found = []
    for number, other in enumerate(parts):
        if number == at or len(other.cards) < 2 or STATED in other.settled:
            continue
        faces = Counter(Card.of(card.card).code for card in other.piece.seen)
        there = view.flat.centre[list(other.cards)]
        if faces - left or float(np.linalg.norm(here[:, None] - there[None], axis=2).min()) > _REACH:
            continue
        left -= faces
        found += [(Card.of(view.seen.cards[card].card).code, card) for card in other.cards]
    return found


def _next_to(view: View, parts: Sequence[Part], at: int, code: int, taken: set[int]) -> int | None:
    """The nearest card of this face in a group that is no plain meld, or None."""
    here = view.flat.centre[list(parts[at].cards)]
    best: tuple[float, int] | None = None
    for number, other in enumerate(parts):
        if number == at or is_plain(other) or STATED in other.settled:
            continue
        for card in other.cards:
            if card in taken or Card.of(view.seen.cards[card].card).code != code:
                continue
            far = float(np.linalg.norm(here - view.flat.centre[card], axis=1).min())
            if far < _REACH and (best is None or far < best[0]):
                best = far, card
    return None if best is None else best[1]


def _stated(
    view: View, like: Part, kept: Sequence[int], codes_of: dict[int, int], hidden: Sequence[int], role: Role
) -> Part:
    """The part with exactly the stated cards as its only reading."""
    part = again(view, like, kept) if kept and set(kept) != set(like.cards) else like
    cards = []
    for position, card in enumerate(part.cards):
        top = Card.of(part.piece.seen[position].card).code
        code = codes_of.get(card)
        if code is None:
            cards.append(ReadCard(top, position, "extra"))
        else:
            cards.append(ReadCard(code, position, "" if code == top else "misread"))
    cards += [ReadCard(code, None, "hidden") for code in hidden]
    faces = [CARDS[card.code] for card in cards if card.change != "extra"]
    legal = role == "meld" and bool(readings(faces, view.profile.rules))
    return replace(part, options=(Hypothesis(role, tuple(cards), 0.0, legal),), settled=(*part.settled, STATED))


def with_answer(piece: Piece, position: int, code: int) -> Piece:
    """The piece once a person has named the card at a position."""
    return replace(piece, fixed=(*[f for f in piece.fixed if f[0] != position], (position, code)))


def with_hidden(options: Sequence[Hypothesis], codes: Sequence[int], profile: RuleProfile) -> tuple[Hypothesis, ...]:
    """The readings of a group once a person has said which cards lie hidden in it: it is a meld with exactly these."""
    added = tuple(ReadCard(code, None, "hidden") for code in codes)
    found: dict[tuple[ReadCard, ...], Hypothesis] = {}
    for one in options:
        cards = tuple(card for card in one.cards if card.source is not None) + added
        plain = one.log - (0.0 if one.role == "meld" else 6.0)
        legal = bool(readings([CARDS[c.code] for c in cards if c.change != "extra"], profile.rules))
        known = found.get(cards)
        if known is None or known.log < plain:
            found[cards] = Hypothesis("meld", cards, plain + (0.0 if legal else ILLEGAL), legal)
    return tuple(sorted(found.values(), key=lambda one: (-one.log, [c.code for c in one.cards])))[:KEPT]
