"""Melds: the verdict on a bag of cards, with its reasons.

A meld is a bag: the order in which it was typed means nothing. `scorer.readings` finds every legal reading, best
first; the verdict takes the first one, and where there is none `scorer.diagnosis` says all that is wrong.

>>> from scorer.cards import Card
>>> from scorer.profile import load_profile
>>> verdict = check_meld([Card.of(c) for c in "3h 4h 5h 2h 7h 8h 9h".split()], load_profile("fibur"))
>>> verdict.type, verdict.total, [str(s.stands_for) for s in verdict.slots if s.wild]
('dirty', 160, ['6h'])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scorer.cards import Card
from scorer.profile import MeldRules, RuleProfile
from scorer.readings import (
    CLEAN_TYPES,
    RUN,
    SEMI,
    SET,
    Binding,
    Notice,
    Params,
    Reading,
    Slot,
    Violation,
    readings,
)

__all__ = [
    "CLEAN_TYPES", "RUN", "SET", "Binding", "MeldVerdict", "Notice", "Params", "Reading", "Slot", "Violation",
    "check_meld", "readings",
]  # fmt: skip


class MeldVerdict(NamedTuple):
    """The answer about one meld. Of an illegal meld the card points are counted, no bonus, and `reading` is None."""

    cards: tuple[Card, ...]
    card_points: int
    reading: Reading | None
    readings: tuple[Reading, ...]
    violations: tuple[Violation, ...]
    notices: tuple[Notice, ...]

    @property
    def legal(self) -> bool:
        """True when a legal reading exists and nothing else is wrong."""
        return not self.violations

    @property
    def kind(self) -> str | None:
        """`run`, `set`, or None when illegal."""
        return self.reading.kind if self.reading else None

    @property
    def type(self) -> str | None:
        """The burraco type of the best reading; None below seven cards or when illegal."""
        return self.reading.type if self.reading else None

    @property
    def bonus(self) -> int:
        """Burraco bonus in points, trump included."""
        return self.reading.bonus if self.reading else 0

    @property
    def doubled(self) -> bool:
        """Whether trump multiplied the bonus."""
        return self.reading.doubled if self.reading else False

    @property
    def total(self) -> int:
        """Card points and bonus."""
        return self.card_points + self.bonus

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of the best reading, low to high."""
        return self.reading.slots if self.reading else ()


def check_meld(cards: Iterable[Card], profile: RuleProfile, bindings: Sequence[Binding] = ()) -> MeldVerdict:
    """The verdict on one meld: its best reading and all others, or every violation, with points in both cases.

    Never fails: an unknown card is a violation. The cards come back in the order of the reading.

    >>> from scorer.profile import load_profile
    >>> v = check_meld([Card.of(c) for c in "Kh Ah 3h".split()], load_profile("vanikar"))
    >>> v.legal, [x.code for x in v.violations]
    (False, ['wrap_around'])
    """
    bag = tuple(cards)
    rules = profile.rules
    table = rules.points
    points = 0
    for card in bag:
        points += table[card.code]
    found = readings(bag, rules, bindings)
    if not found:
        from scorer.diagnosis import diagnose

        return MeldVerdict(bag, points, None, (), diagnose(bag, profile, bindings), ())
    best = found[0]
    shown = tuple([slot.card for slot in best.slots])
    notices = _notices(bag, best, rules, bindings) if best.wilds else ()
    return MeldVerdict(shown, points, best, found, (), notices)


def _notices(bag: tuple[Card, ...], best: Reading, rules: MeldRules, bindings: Sequence[Binding]) -> tuple[Notice, ...]:
    out: list[Notice] = []
    if best.kind == RUN:
        for slot in best.slots:
            if slot.wild and slot.card.rank_no == 2 and slot.card.suit_no == best.suit_no:
                out.append(
                    Notice("suited_two_is_wild", (slot.card,), "natural_two", (("stands_for", str(slot.stands_for)),))
                )
        if len(best.slots) == 14 and not rules.ace_both:
            wild = tuple(slot.card for slot in best.slots if slot.wild)
            out.append(Notice("fourteenth_card", wild, "max_run", ()))
    if best.wilds == 1 and len(best.slots) >= 8 and rules.bonus_run[SEMI] is not None:
        out += _semi_dispute(bag, best, rules, bindings)
    return tuple(out)


def _semi_dispute(bag: tuple[Card, ...], best: Reading, rules: MeldRules, bindings: Sequence[Binding]) -> list[Notice]:
    """Name the other circulating definition of semipulito where it makes another type of the meld (rules.md 2.4)."""
    if best.kind == RUN:
        key, other = "semi_position", rules._replace(end_only=not rules.end_only)
        value = "end_only" if other.end_only else "one_side"
    else:
        key, other = "semi_set", rules._replace(exactly_8=not rules.exactly_8)
        value = "exactly_8" if other.exactly_8 else "at_least_8"
    there = readings(bag, other, bindings)[0]  # perhaps with the ace at the other end
    if there.type == best.type:
        return []
    cards = tuple(slot.card for slot in best.slots if slot.wild)
    params: Params = (("option", key), ("value", value), ("type", str(there.type)), ("bonus", there.bonus))
    return [Notice("disputed_semi", cards, key, params)]
