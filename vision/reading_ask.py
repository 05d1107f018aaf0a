"""Doubts of one kind put together as one question: several places, of which the person picks the one that is different.

`In which of these does a card lie hidden?` is answered at a glance where four questions would tire. The answer is one
place with what lies there, or that all is as it was read, which settles every place at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

DoubtKind = Literal["card", "hidden", "extra", "role", "sides"]
AS_READ: Final = "="
"""Value of the choice that says that every place is as it was read."""
MOST_PLACES: Final = 6
"""Places that a person takes in with one question."""


class Choice(NamedTuple):
    """One answer: a value (card text, cards, `meld`...), its probability, its points compared with the best reading
    (over both sides), and the readings of the group that it keeps (of the table: the parting). Where a question has
    several places, `place` is the one that the answer is about, None that all are as read."""

    value: str
    probability: float
    points: int
    members: tuple[int, ...]
    place: int | None = None


@dataclass(frozen=True)
class Doubt:
    """A question: about group number `group`, the card at `position` of it (None: the group as a whole).

    `stake` is the most that an answer can move a side's points; `risk` is what it moves them on average. Doubts are
    ranked by the risk over the root of the stake: halfway between the likeliest slip and the dearest one. `cards` are
    the texts of the cards concerned as read now. `choices` stand most probable first. `places` are the single doubts
    that one question puts together (none where there is but one); `group` and `position` are then those of the first.
    """

    kind: DoubtKind
    group: int
    position: int | None
    cards: tuple[str, ...]
    choices: tuple[Choice, ...]
    stake: int
    risk: float
    places: tuple[Doubt, ...] = ()

    @property
    def rank(self) -> float:
        """How much sooner than others it is to be asked."""
        if self.places:
            return sum(place.rank for place in self.places)
        return self.risk / math.sqrt(max(1, self.stake))

    @property
    def feature(self) -> str:
        """Name of what is asked, so that it is not asked again."""
        return self.kind if self.position is None else f"{self.kind}:{self.position}"

    @property
    def each(self) -> tuple[Doubt, ...]:
        """The single doubts: its places, or itself."""
        return self.places or (self,)

    @property
    def slip(self) -> float:
        """Probability that what was read is wrong."""
        return 1 - math.prod(now_of(place).probability for place in self.each)


def now_of(doubt: Doubt) -> Choice:
    """The choice of a single doubt that stands for what is read now."""
    return next((choice for choice in doubt.choices if choice.points == 0), doubt.choices[0])


def put_together(doubts: Sequence[Doubt]) -> list[Doubt]:
    """Doubts of one kind as one question with several places, at most `MOST_PLACES`, the dearest places first."""
    out: list[Doubt] = []
    for kind in ("role", "hidden", "extra", "card"):
        mine = sorted((d for d in doubts if d.kind == kind), key=_order)
        while mine:
            out.append(_together(mine[:MOST_PLACES]))
            mine = mine[MOST_PLACES:]
    out += [doubt for doubt in doubts if doubt.kind == "sides"]
    return sorted(out, key=_order)


def _order(doubt: Doubt) -> tuple[float, int, int, str]:
    return -doubt.rank, -doubt.stake, doubt.group, doubt.feature


def _together(places: Sequence[Doubt]) -> Doubt:
    if len(places) == 1:
        return places[0]
    choices = []
    whole = math.prod(max(1e-6, now_of(place).probability) for place in places)
    for number, place in enumerate(places):
        now = now_of(place)
        for choice in place.choices:
            if choice is not now:
                odds = choice.probability / max(1e-6, now.probability)
                choices.append(choice._replace(place=number, probability=min(1.0, whole * odds)))
    choices.append(Choice(AS_READ, whole, 0, (), None))
    choices.sort(
        key=lambda choice: (-choice.probability, choice.place if choice.place is not None else -1, choice.value)
    )
    first = places[0]
    return replace(
        first, cards=tuple(dict.fromkeys(card for place in places for card in place.cards)), choices=tuple(choices),
        stake=max(place.stake for place in places), risk=sum(place.risk for place in places), places=tuple(places),
    )  # fmt: skip
