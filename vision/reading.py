"""From cards to the deal: the most probable table, what was changed to get there, and what is not sure.

The steps are `vision.layout` (groups), `vision.layout_sides` (whose they are), `vision.reading_group` (what each
group can be), `vision.reading_search` (the most probable table that one deck allows) and `vision.reading_doubts`
(what a different reading would cost). Points come from `scorer.scoring` and nowhere else.

>>> from vision.reading_tables import exact_truth, laid_table, seen_exactly
>>> laid = laid_table(4, four_corner=True)
>>> reading = read_table([seen_exactly(exact_truth(laid))])
>>> len(reading.table.sides)
2
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scorer.cards import CARDS
from scorer.errors import VisionError
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile
from scorer.scoring import ScoreSheet, score
from scorer.table import Hand, MeldText, Side, Table
from vision.layout import flatten, group_cards
from vision.layout_clean import prepare
from vision.layout_sides import assign_sides
from vision.reading_answer import named_card, parse_statement, state, with_answer, with_hidden
from vision.reading_ask import Choice, Doubt, now_of
from vision.reading_doubts import Points, find_doubts
from vision.reading_group import Hypothesis, Piece, Role, hypotheses, unseen
from vision.reading_pieces import Part, View, parts_of
from vision.reading_search import shares, solve
from vision.types import CardsSeen

__all__ = ["Choice", "Doubt", "Points", "ReadGroup", "TableReading", "answer", "read_table"]

TIME_LIMIT: Final = 0.25
"""Seconds of computing that the joint reading may take before it settles for the best table found so far."""
_FOR_PIECES: Final = 0.7
"""Share of it for putting the pieces of chains right."""
NOTICE_EARLY: Final = "reading_stopped_early"
NOTICE_ONE_SIDE: Final = "photo_one_side"
NOTICE_PILE: Final = "pile_spread"
NOTICE_CUT: Final = "meld_cut"
NOTICE_HAND: Final = "hand_spread"
NOTICE_NOTHING: Final = "no_cards"
NOTICE_OTHER_GAME: Final = "other_game"
ALARMS: Final = frozenset({NOTICE_EARLY, NOTICE_PILE, NOTICE_CUT, NOTICE_HAND, NOTICE_OTHER_GAME, NOTICE_NOTHING})
"""Notices that say that the sum may be wrong, though no single question would settle it."""
_TIGHT_HAND: Final = 0.15
"""Probability of a covered card from which a hand is to be spread."""
SIDE_NAMES: Final = ("A", "B")


@dataclass(frozen=True, eq=False)
class ReadGroup:
    """A group as it was read: where it lies, the reading chosen, and its probability (0..1).

    `options` are its possible readings with `odds`, their probabilities while the other groups stand.
    """

    part: Part
    options: tuple[Hypothesis, ...]
    pick: int
    odds: tuple[float, ...]
    side: int

    @property
    def chosen(self) -> Hypothesis:
        """The reading that the table uses."""
        return self.options[self.pick]

    @property
    def confidence(self) -> float:
        """Probability that exactly these cards lie here, in this role."""
        now = self.chosen.role, self.chosen.codes
        return sum(p for one, p in zip(self.options, self.odds, strict=True) if (one.role, one.codes) == now)


@dataclass(frozen=True, eq=False)
class TableReading:
    """The deal as read from one or more photos, with everything that is not sure about it.

    `table` is the most probable one and `score` its score sheet; `doubts` stand most important first; `points` are the
    card points, bonuses and hands over the plausible readings. `partings` are the possible lines between the sides.
    """

    profile: RuleProfile
    photos: tuple[CardsSeen, ...]
    names: tuple[str, ...]
    groups: tuple[ReadGroup, ...]
    table: Table
    score: ScoreSheet
    doubts: tuple[Doubt, ...]
    points: Points
    notices: tuple[str, ...]
    partings: tuple[tuple[float, tuple[int, ...]], ...]
    seconds: float = 0.0

    @property
    def settled(self) -> bool:
        """True when no question is open and nothing says that cards may be missing."""
        return not self.doubts and not ALARMS.intersection(self.notices)

    @property
    def sure(self) -> bool:
        """True when there are cards, nothing is in doubt and everything is legal."""
        return bool(self.groups) and self.settled and self.score.legal


def read_table(
    photos: Sequence[CardsSeen],
    profile: RuleProfile | None = None,
    names: Sequence[str] = SIDE_NAMES,
    sides: Sequence[int | None] | None = None,
) -> TableReading:
    """Read the deal that one or more photos show, under a rule profile (the default one if None).

    `sides` says for every photo whose melds it shows (a number into `names`), None: both sides, parted by position.
    Overlapping photos must have been merged before (`vision.layout_merge`). Photos without cards give a reading
    without groups, never an error; VisionError when `sides` and `photos` differ in length.
    """
    begun, clock = time.thread_time(), time.perf_counter()
    profile = profile or load_profile(DEFAULT_PROFILE)
    owners = list(sides) if sides is not None else [None] * len(photos)
    if len(owners) != len(photos):
        raise VisionError("One side has to be given for every photo.", code="sides_mismatch")
    ready = [prepare(seen) for seen in photos]
    photos = [seen for seen, _ in ready]
    parts: list[Part] = []
    partings: tuple[tuple[float, tuple[int, ...]], ...] = ()
    early = False
    for number, ((seen, plane), owner) in enumerate(zip(ready, owners, strict=True)):
        if not seen.cards:
            continue
        flat = flatten(seen, plane)
        groups = group_cards(seen, flat)
        sided = assign_sides(flat, groups, most=2 if owner is None and len(names) > 1 else 1)
        deadline = begun + _FOR_PIECES * TIME_LIMIT
        found, late, lines = parts_of(number, seen, flat, sided, profile, owner, deadline)
        early = early or late
        if lines and len(photos) == 1:
            partings = lines
        parts += found
    notices = _notices(photos, parts) + ((NOTICE_EARLY,) if early else ())
    return _settle(profile, tuple(photos), tuple(names), parts, partings, notices, (begun, clock))


def _settle(
    profile: RuleProfile, photos: tuple[CardsSeen, ...], names: tuple[str, ...], parts: Sequence[Part],
    partings: tuple[tuple[float, tuple[int, ...]], ...], notices: tuple[str, ...],
    begun: tuple[float, float],
) -> TableReading:  # fmt: skip
    """Choose the most probable table and say what is not sure about it."""
    options = [part.options for part in parts]
    solution = solve(options, max(0.05, TIME_LIMIT - (time.thread_time() - begun[0])))
    odds = shares(options, solution.picks)
    sides = partings[0][1] if partings else tuple(part.side for part in parts)
    groups = tuple(
        ReadGroup(part, part.options, pick, tuple(odd), side)
        for part, pick, odd, side in zip(parts, solution.picks, odds, sides, strict=True)
    )
    if solution.early and NOTICE_EARLY not in notices:
        notices = (*notices, NOTICE_EARLY)
    if any(_tight_hand(group) for group in groups) and NOTICE_HAND not in notices:
        notices = (*notices, NOTICE_HAND)
    table = _table(groups, names)
    doubts, points = find_doubts(groups, names, partings, profile)
    return TableReading(
        profile, photos, names, groups, table, score(table, profile), doubts, points, notices, partings,
        time.perf_counter() - begun[1],
    )  # fmt: skip


def _tight_hand(group: ReadGroup) -> bool:
    """A hand of which cards may well be quite covered."""
    return group.chosen.role == "hand" and "*" not in group.part.settled and unseen(group.part.piece) >= _TIGHT_HAND


def _table(groups: Sequence[ReadGroup], names: Sequence[str]) -> Table:
    sides = []
    for number, name in enumerate(names):
        mine = [group for group in groups if group.side == number]
        melds = tuple(MeldText(group.chosen.faces) for group in mine if group.chosen.role == "meld")
        hands = tuple(Hand(group.chosen.faces) for group in mine if group.chosen.role == "hand")
        sides.append(Side(name, melds=melds, hands=(Hand(tuple(c for h in hands for c in h.cards)),) if hands else ()))
    return Table(tuple(sides))


def _notices(photos: Sequence[CardsSeen], parts: Sequence[Part]) -> tuple[str, ...]:
    found: list[str] = []
    for seen in photos:
        found += [code for code in seen.notices if code not in found]
    if not parts and NOTICE_NOTHING not in found:
        found.append(NOTICE_NOTHING)
    if parts and not any(one.legal for part in parts for one in part.options[:1]) and len(parts) > 1:
        found.append(NOTICE_OTHER_GAME)
    if any(part.cut for part in parts):
        found.append(NOTICE_CUT)
    if any(part.pile for part in parts):
        found.append(NOTICE_PILE)
    return tuple(found)


def answer(reading: TableReading, doubt: int, choice: int | str, place: int = 0) -> TableReading:
    """The reading once a doubt is settled: by the number of a choice, or by cards in canonical notation.

    A card that was not among the choices is taken all the same: the person sees the table. To every question about a
    group the answer may also state all that lies there: `meld: 4h 5h 6h`, `hand: 9c JK`, `other: 7d`. Where a question
    has several places, `place` says which one the words are about; the other places stay open, unless the choice is
    that all is as read. VisionError for a doubt, a choice or a place that does not exist.

    >>> from vision.reading_tables import exact_truth, laid_table, seen_exactly
    >>> reading = read_table([seen_exactly(exact_truth(laid_table(3)))])
    >>> asked = next(n for n, doubt in enumerate(reading.doubts) if doubt.kind != "sides")
    >>> later = answer(reading, asked, "hand: 4h JK")
    >>> [sorted(card.text for card in group.chosen.faces) for group in later.groups if group.chosen.role == "hand"][-1]
    ['4h', 'JK']
    """
    if not 0 <= doubt < len(reading.doubts):
        raise VisionError(f"There is no doubt number {doubt}.", code="no_such_doubt", number=doubt)
    asked = reading.doubts[doubt]
    if isinstance(choice, str):
        if not 0 <= place < len(asked.each):
            raise VisionError(f"There is no choice number {place}.", code="no_such_choice", number=place)
        return _told(reading, asked.each[place], choice)
    if not 0 <= choice < len(asked.choices):
        raise VisionError(f"There is no choice number {choice}.", code="no_such_choice", number=choice)
    picked = asked.choices[choice]
    if asked.kind == "sides":
        return _again(reading, [group.part for group in reading.groups], (reading.partings[picked.members[0]],))
    if asked.places and picked.place is None:
        kept = [(single, now_of(single)) for single in asked.places]
    else:
        kept = [(asked.places[picked.place or 0] if asked.places else asked, picked)]
    return _kept(reading, kept)


def _kept(reading: TableReading, kept: Sequence[tuple[Doubt, Choice]]) -> TableReading:
    """The reading with only those options of the groups that the choices leave."""
    parts = [group.part for group in reading.groups]
    for asked, picked in kept:
        if not picked.members:
            raise VisionError("Name the cards that lie there.", code="name_the_cards")
        part = parts[asked.group]
        before = reading.groups[asked.group].part.options
        wanted = {id(before[n]) for n in picked.members}
        left = tuple(one for one in part.options if id(one) in wanted) or tuple(before[n] for n in picked.members)
        parts[asked.group] = replace(part, options=left, settled=(*part.settled, asked.feature))
    return _again(reading, parts, reading.partings)


def _told(reading: TableReading, asked: Doubt, words: str) -> TableReading:
    """The reading once a person has said in words what lies at the place of a single doubt."""
    parts = [group.part for group in reading.groups]
    partings = reading.partings
    stated = parse_statement(words)
    if stated is not None and asked.kind != "sides":
        parts, origin = _stated(reading, parts, asked.group, *stated)
        partings = tuple((share, tuple(sides[o] for o in origin)) for share, sides in partings)
    else:
        parts[asked.group] = _named(asked, parts[asked.group], words, reading.profile)
    return _again(reading, parts, partings)


def _again(
    reading: TableReading, parts: Sequence[Part], partings: tuple[tuple[float, tuple[int, ...]], ...]
) -> TableReading:
    begun = time.thread_time(), time.perf_counter()
    return _settle(reading.profile, reading.photos, reading.names, parts, partings, reading.notices, begun)


def _stated(
    reading: TableReading, parts: Sequence[Part], at: int, role: Role, codes: Sequence[int]
) -> tuple[list[Part], list[int]]:
    """All parts once one is stated, and which of the old ones each comes from."""
    photo = parts[at].photo
    mine = [n for n, part in enumerate(parts) if part.photo == photo]
    seen = reading.photos[photo]
    flat = flatten(seen)
    view = View.of(photo, seen, flat, [parts[n].group for n in mine], reading.profile)
    told, origin = state(view, [parts[n] for n in mine], mine.index(at), role, codes)
    others = [n for n in range(len(parts)) if n not in mine]
    return [*(parts[n] for n in others), *told], [*others, *(mine[o] for o in origin)]


def _named(asked: Doubt, part: Part, text: str, profile: RuleProfile) -> Part:
    """The part once a person has named the card, or the hidden cards, that a doubt asked for."""
    settled = (*part.settled, asked.feature)
    if asked.kind == "card" and asked.position is not None:
        piece: Piece = with_answer(part.piece, asked.position, named_card(text).code)
        return replace(part, piece=piece, options=hypotheses(piece, profile), settled=settled)
    if asked.kind == "hidden":
        named = [] if text.strip() in ("", "-") else [named_card(word).code for word in text.split()]
        return replace(part, options=with_hidden(part.options, named, profile), settled=settled)
    raise VisionError("Only cards can be named here.", code="not_a_card_question")


def card_text(code: int) -> str:
    """Canonical text of a card code."""
    return CARDS[code].text
