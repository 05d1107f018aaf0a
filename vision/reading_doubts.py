"""What is not sure, as questions a person can answer at a glance, and what each answer is worth in points.

A doubt is one feature of one group (a card's face, a hidden card, a card that may be none, meld or hand) or of the
table (the line between the sides). Its choices part the group's readings, so an answer simply keeps one part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from scorer.cards import CARDS
from scorer.profile import RuleProfile
from scorer.scoring import score
from scorer.table import Hand, MeldText, Side, Table
from vision.reading_ask import Choice, Doubt, DoubtKind, put_together
from vision.reading_group import Hypothesis, unseen

if TYPE_CHECKING:
    from vision.reading import ReadGroup

LISTED: Final = 0.003
"""Readings less probable than this are not even a further place of a question that is asked anyway."""
PLAUSIBLE: Final = 0.02
"""Readings less probable than this raise no question, unless much is at stake."""
WORTH_ASKING: Final = 1.0
"""Points that a question must save on the average to be raised all the same."""
UNNAMED: Final = "?"
"""Value of a choice that has to be put into words: cards that nobody can guess."""
_UNSEEN_CARD: Final = 10
_UNSEEN_MELD: Final = 30
"""Points taken for a covered card of a hand, and for the meld under the one card of a pile that is seen."""
_USUAL_SLIP: Final = 5
"""Points between a card of a hand and what else it may be, on the average."""
_PILE: Final = 0.5
_TOP_OF_PILE, _TOP_IN_ROW = 0.004, 0.85
"""Probability that a squared pile holds more cards than are seen, and that a lone card is the top of one: where it lies
apart, as discards do, and where it lies in line with the melds."""
_HARDLY_SPREAD: Final = 0.16
"""Card heights; a chain whose steps are all below it hides as much as a pile."""
_IN_ROW: Final = 0.45
_NEXT: Final = 1.3
_WHOLE: Final = 0.9
"""Card heights from the dividing line from which, and to the next group up to which, a card lies in line with melds."""
_MOST_DOUBTS: Final = 12
_AMID: Final = 0.6
"""Card heights beyond the other groups of a side up to which a card lies amid the melds."""


class Points(NamedTuple):
    """Points of each side over the plausible readings: card points, bonuses and hands, without pozzetto and closing."""

    low: tuple[int, ...]
    best: tuple[int, ...]
    high: tuple[int, ...]


@lru_cache(maxsize=20_000)
def _worth(role: str, codes: tuple[int, ...], profile: RuleProfile) -> int:
    cards = tuple(CARDS[code] for code in codes)
    if role == "other" or not cards:
        return 0
    side = Side("A", melds=(MeldText(cards),)) if role == "meld" else Side("A", hands=(Hand(cards),))
    return score(Table((side,)), profile).sides[0].score.total


def worth(one: Hypothesis, profile: RuleProfile) -> int:
    """What a group adds to its side's points under one reading."""
    return _worth(one.role, one.codes, profile)


def find_doubts(
    groups: Sequence[ReadGroup], names: Sequence[str], partings: Sequence[tuple[float, tuple[int, ...]]],
    profile: RuleProfile,
) -> tuple[tuple[Doubt, ...], Points]:  # fmt: skip
    """All doubts, the most important first, and the points with their bounds."""
    doubts: list[Doubt] = []
    low, best, high = ([0] * len(names) for _ in range(3))
    for number, group in enumerate(groups):
        values = [worth(one, profile) for one in group.options]
        now = values[group.pick]
        likely = [v for v, p in zip(values, group.odds, strict=True) if p >= PLAUSIBLE] or [now]
        best[group.side] += now
        low[group.side] += min(now, *likely)
        high[group.side] += max(now, *likely)
        if "*" in group.part.settled:
            continue
        mine = _group_doubts(number, group, values)
        blind = _unseen_doubt(number, group)
        mine += _unlisted_doubts(number, group, [doubt.feature for doubt in mine])
        if blind is not None:
            mine = _with_unseen(mine, blind)
            moved = [choice.points for choice in blind.choices]
            low[group.side], high[group.side] = low[group.side] + min(moved), high[group.side] + max(moved)
        doubts += mine
    across = _sides_doubt(groups, names, partings, profile)
    if across is not None:
        doubts.append(across)
        for number in range(len(names)):
            for _, sides in partings:
                total = sum(worth(g.chosen, profile) for g, s in zip(groups, sides, strict=True) if s == number)
                low[number], high[number] = min(low[number], total), max(high[number], total)
    asked = [doubt for doubt in put_together(doubts) if _worth_asking(doubt)]
    return tuple(asked[:_MOST_DOUBTS]), Points(tuple(low), tuple(best), tuple(high))


def _worth_asking(doubt: Doubt) -> bool:
    """True when some place of a question is likely enough to be wrong, or dear enough."""
    return any(place.slip >= PLAUSIBLE or place.risk >= WORTH_ASKING for place in doubt.each)


def _group_doubts(number: int, group: ReadGroup, values: Sequence[int]) -> list[Doubt]:
    chosen, now = group.chosen, values[group.pick]
    rivals = [n for n, p in enumerate(group.odds) if p >= LISTED / 4 and values[n] != now]
    features: dict[tuple[DoubtKind, int | None], float] = {}
    for n in rivals:
        key = _difference(chosen, group.options[n])
        features[key] = features.get(key, 0.0) + group.odds[n]
    doubts = []
    for (kind, position), share in features.items():
        doubt = _doubt(number, group, values, kind, position)
        if doubt is None or share < LISTED:
            continue
        if doubt.feature not in group.part.settled:
            doubts.append(doubt)
    return doubts


def _unseen_doubt(number: int, group: ReadGroup) -> Doubt | None:
    """The doubt about cards that cannot even be guessed: covered in a hand, in a squared pile, under a lone card."""
    part, chosen = group.part, group.chosen
    if chosen.role == "hand" and len(part.cards) > 1:
        share, points, rest = unseen(part.piece), -_UNSEEN_CARD, "-"
    elif part.pile or (len(part.cards) > 1 and max(part.group.steps) < _HARDLY_SPREAD):
        share, points, rest = _PILE, _UNSEEN_MELD, "-"
    elif len(part.cards) == 1 and chosen.role != "meld" and part.piece.place.beyond < _AMID and not part.piece.fixed:
        place = part.piece.place
        card = part.piece.seen[0]
        # the top card lies free: it shows its indices at both ends
        top = place.from_line > _IN_ROW and place.near < _NEXT and len(card.marks) > 1 and card.confidence > _WHOLE
        share = _TOP_IN_ROW if top else _TOP_OF_PILE
        points, rest = _UNSEEN_MELD, chosen.role
    else:
        return None
    kind: DoubtKind = "hidden" if rest == "-" else "role"
    if share < LISTED or kind in part.settled or not chosen.faces:
        return None
    members = tuple(n for n, one in enumerate(group.options) if one.role == chosen.role)
    choices = Choice(rest, 1 - share, 0, members), Choice(UNNAMED, share, points, ())
    cards = tuple(card.text for card in chosen.faces)
    return Doubt(kind, number, None, cards, choices, abs(points), share * abs(points))


def _with_unseen(doubts: list[Doubt], blind: Doubt) -> list[Doubt]:
    """The doubts of a group with what may lie there unseen: one more choice where the same is asked already."""
    same = next((doubt for doubt in doubts if doubt.feature == blind.feature), None)
    if same is None:
        return [*doubts, blind]
    unnamed = blind.choices[1]
    known = tuple(c._replace(probability=c.probability * (1 - unnamed.probability)) for c in same.choices)
    choices = tuple(sorted((*known, unnamed), key=lambda choice: (-choice.probability, choice.value)))
    stake, risk = max(same.stake, blind.stake), same.risk + blind.risk
    return [replace(same, choices=choices, stake=stake, risk=risk) if d is same else d for d in doubts]


def _unlisted_doubts(number: int, group: ReadGroup, asked: Sequence[str]) -> list[Doubt]:
    """Doubts about cards of a hand that the reader is not sure of, though it has no other face to offer.

    In a meld the other cards vouch for such a card; in a hand nothing does.
    """
    part, chosen = group.part, group.chosen
    if chosen.role != "hand":
        return []
    found = []
    settled = {position for position, _ in part.piece.fixed}
    for card in chosen.cards:
        if card.source is None or card.source in settled or f"card:{card.source}" in (*asked, *part.settled):
            continue
        share = 1 - part.piece.seen[card.source].confidence
        if share <= PLAUSIBLE:
            continue
        name = CARDS[card.code].text
        members = tuple(range(len(group.options)))
        choices = Choice(name, 1 - share, 0, members), Choice(UNNAMED, share, _USUAL_SLIP, ())
        found.append(Doubt("card", number, card.source, (name,), choices, _USUAL_SLIP, share * _USUAL_SLIP))
    return found


def _difference(one: Hypothesis, other: Hypothesis) -> tuple[DoubtKind, int | None]:
    """The first feature in which two readings of a group differ, the coarsest first."""
    if one.role != other.role:
        return "role", None
    if _feature(one, "hidden", None) != _feature(other, "hidden", None):
        return "hidden", None
    mine = {c.source: c for c in one.cards if c.source is not None}
    theirs = {c.source: c for c in other.cards if c.source is not None}
    for source in sorted(mine):
        if (mine[source].change == "extra") != (theirs[source].change == "extra"):
            return "extra", source
    for source in sorted(mine):
        if mine[source].code != theirs[source].code:
            return "card", source
    return "role", None


def _feature(one: Hypothesis, kind: DoubtKind, position: int | None) -> str:
    """The value of a feature in one reading."""
    if kind == "role":
        return one.role
    if kind == "hidden":
        hidden = sorted(CARDS[c.code].text for c in one.cards if c.source is None)
        return " ".join(hidden) if hidden else "-"
    card = next(c for c in one.cards if c.source == position)
    if kind == "extra":
        return "no" if card.change == "extra" else "yes"
    return "-" if card.change == "extra" else CARDS[card.code].text


def _doubt(number: int, group: ReadGroup, values: Sequence[int], kind: DoubtKind, position: int | None) -> Doubt | None:
    now = values[group.pick]
    members: dict[str, list[int]] = {}
    for n, one in enumerate(group.options):
        members.setdefault(_feature(one, kind, position), []).append(n)
    choices = []
    risk = 0.0
    for value, which in members.items():
        share = sum(group.odds[n] for n in which)
        if share < LISTED / 3 and group.pick not in which:
            continue
        likeliest = group.pick if group.pick in which else max(which, key=lambda n: group.odds[n])
        choices.append(Choice(value, share, values[likeliest] - now, tuple(which)))
        risk += sum(group.odds[n] * abs(values[n] - now) for n in which if group.pick not in which)
    if len(choices) < 2:
        return None
    choices.sort(key=lambda choice: (-choice.probability, choice.value))
    stake = max(abs(choice.points) for choice in choices)
    cards = tuple(CARDS[c.code].text for c in group.chosen.cards if position is None or c.source == position)
    if stake == 0:
        return None
    return Doubt(kind, number, position, cards, tuple(choices), stake, risk)


def _sides_doubt(
    groups: Sequence[ReadGroup], names: Sequence[str], partings: Sequence[tuple[float, tuple[int, ...]]],
    profile: RuleProfile,
) -> Doubt | None:  # fmt: skip
    """The doubt about the line between the sides, where another line is worth a thought."""
    if len(partings) < 2:
        return None
    values = [worth(group.chosen, profile) for group in groups]

    def totals(sides: Sequence[int]) -> list[int]:
        return [sum(v for v, s in zip(values, sides, strict=True) if s == n) for n in range(len(names))]

    base = totals(partings[0][1])
    whole = sum(share for share, _ in partings)
    choices = []
    for number, (share, sides) in enumerate(partings):
        moved = max(abs(a - b) for a, b in zip(totals(sides), base, strict=True))
        text = " ".join(names[s] for s in sides)
        choices.append(Choice(text, share / whole, moved, (number,)))
    stake = max(choice.points for choice in choices)
    risk = sum(choice.probability * choice.points for choice in choices)
    changed = [n for n in range(len(groups)) if any(sides[n] != partings[0][1][n] for _, sides in partings[1:])]
    if stake == 0 or not changed:
        return None
    cards = tuple(card.text for n in changed for card in groups[n].chosen.faces)
    return Doubt("sides", changed[0], None, cards, tuple(choices), stake, risk)
