"""A match as it is played: which deal comes next, what each deal adds, when it ends and what the stakes do.

The arithmetic is `scorer.match`'s; this module only turns results of the engine into its deals, and back into the way
the next deal is dealt. In the Italian game for three, points are kept for each player: a pair's total is halved, and
from 1,000 points on the deals have three pots and are played all against all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from scorer.errors import MatchError
from scorer.game.final import DealResult, side_list
from scorer.game.state import game_of, side_seats
from scorer.match import THREE_PLAYER_TARGET, Deal, Standing, settle, standing, three_player_phase
from scorer.profile import RuleProfile


class NextDeal(NamedTuple):
    """How the next deal of a match is dealt."""

    dealer: int
    three_pots: bool


@dataclass(frozen=True)
class Series:
    """A match in progress: frozen, a new one after every deal.

    >>> from scorer.profile import load_profile
    >>> series = Series(load_profile("fibur"), 4, deals=(Deal((420, 305)),))
    >>> series.next_deal(), series.standing.totals
    (NextDeal(dealer=1, three_pots=False), (420, 305))
    """

    profile: RuleProfile
    players: int
    first_dealer: int = 0
    length: int | None = None
    deals: tuple[Deal, ...] = ()

    @property
    def italian(self) -> bool:
        """Whether this is the Italian game for three, where sides form anew in every deal."""
        return self.players == 3 and game_of(self.profile, 3).joins

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The seats whose points are kept together: sides, or single players in the Italian game for three."""
        if self.italian:
            return ((0,), (1,), (2,))
        sides = game_of(self.profile, self.players).first_sides
        return tuple(side_seats(sides, side) for side in side_list(sides))

    @property
    def rules(self) -> RuleProfile:
        """The profile that decides the end: the Italian game for three ends at 1,505 unless a target was chosen."""
        if self.italian and "target" not in dict(self.profile.options):
            return self.profile.with_options({"target": THREE_PLAYER_TARGET})
        return self.profile

    @property
    def standing(self) -> Standing:
        """Totals, who deals next, whether it has ended and who has won."""
        return standing(
            self.deals, self.rules, sides=len(self.units), seats=self.players, first_dealer=self.first_dealer,
            length=self.length,
        )  # fmt: skip

    def next_deal(self) -> NextDeal:
        """How to deal next; MatchError when the match has ended."""
        now = self.standing
        if now.finished:
            raise MatchError("the match has ended", code="match_ended")
        # `standing` counts seats upwards; where play goes the other way, so does the deal
        step = game_of(self.profile, self.players).step
        moved = (now.dealer - self.first_dealer) % self.players
        dealer = (self.first_dealer + step * moved) % self.players
        three = self.italian and three_player_phase(now.totals) == "each"
        return NextDeal(dealer, three)

    def after(self, result: DealResult) -> Series:
        """The match with one more deal; MatchError for a deal that was cut off, since it has no result."""
        if result.sheet is None:
            raise MatchError("a deal that was cut off has no result", code="truncated_deal")
        points = tuple(result.points[seats[0]] for seats in self.units)
        deal = Deal((0,) * len(points), True) if result.void else Deal(points)
        return replace(self, deals=(*self.deals, deal))

    def chips(self) -> dict[int, int]:
        """What each player wins or loses in virtual chips once the match has ended; empty without stakes."""
        now = self.standing
        if not now.finished or not self.profile.match.stakes:
            return {}
        return settle(self.profile.match.stakes, self.units, now.winners)
