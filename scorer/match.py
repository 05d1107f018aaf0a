"""A match as a consequence of its deals: totals, who deals, when it ends and who has won. Nothing is stored here.

What the profile decides: the target, what a tie over it means, whether stakes are played. Reaching the target is
enough; when several sides are over it the higher total wins, and equal totals play another deal (`tie`).
A void deal counts for nobody, is dealt again by the same dealer, and does not end a match.

>>> from scorer.profile import load_profile
>>> state = standing([Deal((375, -80)), Deal((130, 200))], load_profile("classico", {"target": 505}))
>>> state.totals, state.finished, state.winners
((505, 120), True, (0,))
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from typing import NamedTuple

from scorer.errors import MatchError
from scorer.profile import RuleProfile
from scorer.victory import VictoryTable


class Deal(NamedTuple):
    """The points of one deal, one number for each side (or player); a void deal has zeros."""

    points: tuple[int, ...]
    void: bool = False


class Standing(NamedTuple):
    """Where a match stands.

    `running`: the totals after each deal that counts; `counted`: how many deals those are (deals entered after the
    end are kept by the book but count for nothing), `played`: those of them that are not void; `dealer`: the seat,
    from 0, that deals next; `missing`: points to the target, for each side; `victory`: Victory Points of a match by
    number of deals.
    """

    totals: tuple[int, ...]
    running: tuple[tuple[int, ...], ...]
    counted: int
    dealer: int
    finished: bool
    winners: tuple[int, ...]
    leaders: tuple[int, ...]
    missing: tuple[int, ...]
    victory: tuple[int, int] | None
    played: int = 0


class Tally(NamedTuple):
    """What must be known of the deals so far to add the next one, without looking at them again.

    `counted` counts deals in order, void ones too; `played` leaves those out.
    """

    totals: tuple[int, ...]
    counted: int = 0
    played: int = 0
    finished: bool = False

    def after(self, deal: Deal, target: int, tie: str, length: int | None) -> Tally:
        """The tally after one more deal; the same one when the match had ended before it."""
        if self.finished:
            return self
        if deal.void:
            return self._replace(counted=self.counted + 1)
        totals = tuple(map(add, self.totals, deal.points))
        played = self.played + 1
        return Tally(totals, self.counted + 1, played, _ended(totals, played, target, tie, length))

    def standing(
        self, running: tuple[tuple[int, ...], ...], target: int, seats: int, first_dealer: int,
        table: VictoryTable | None,
    ) -> Standing:  # fmt: skip
        """Where the match stands; `running` is handed on."""
        best = max(self.totals)
        leaders = tuple(i for i, total in enumerate(self.totals) if total == best)
        paired = self.finished and table is not None and len(self.totals) == 2
        victory = table.points(self.totals[0], self.totals[1]) if table is not None and paired else None
        return Standing(
            self.totals, running, self.counted, (first_dealer + self.played) % seats, self.finished,
            leaders if self.finished else (), leaders, tuple(max(0, target - t) for t in self.totals), victory,
            self.played,
        )  # fmt: skip


def standing(
    deals: Sequence[Deal],
    profile: RuleProfile,
    *,
    sides: int = 2,
    seats: int = 4,
    first_dealer: int = 0,
    length: int | None = None,
    table: VictoryTable | None = None,
) -> Standing:
    """Derive a match from its deals. With `length` it ends after that many deals that count, else at the target.

    `table` gives Victory Points for two sides when the match has ended by length. MatchError for a deal whose number
    of points is not `sides`.
    """
    tally, running = Tally((0,) * sides), []
    target, tie = profile.match.target, profile.match.tie
    for number, deal in enumerate(deals, 1):
        if len(deal.points) != sides:
            raise MatchError(
                f"deal {number} has points for {len(deal.points)} sides, the match has {sides}",
                code="wrong_number_of_sides", deal=number, given=len(deal.points), sides=sides,
            )  # fmt: skip
        tally = tally.after(deal, target, tie, length)
        running.append(tally.totals)
        if tally.finished:
            break
    return tally.standing(tuple(running), target, seats, first_dealer, table)


def _ended(totals: Sequence[int], played: int, target: int, tie: str, length: int | None) -> bool:
    if length is not None:
        return played >= length
    best = max(totals)
    if best < target:
        return False
    return tie == "shared" or sum(total == best for total in totals) == 1


def halves(points: int) -> int:
    """Each partner's share of a pair's points in the Italian game for three: half, rounded up.

    >>> halves(305), halves(-305)
    (153, -152)
    """
    return -(-points // 2)


def three_player_points(points: tuple[int, int], solo: int) -> tuple[int, ...]:
    """Points of the three players from (solo, pair) points; `solo` is the seat, 0 to 2, that played alone.

    >>> three_player_points((420, 305), 1)
    (153, 420, 153)
    """
    share = halves(points[1])
    return tuple(points[0] if seat == solo else share for seat in range(3))


#: Italian game for three: when a player has this many points, the next deals are all against all.
THREE_PLAYER_SWITCH = 1000
#: ... and the match ends at this total under the tournament code; free play goes on to 1500 or 2005.
THREE_PLAYER_TARGET = 1505


def three_player_phase(totals: Sequence[int]) -> str:
    """`pair` (one against two, pots of 18 and 11) or `each` (three pots of 11), for the next deal."""
    return "each" if max(totals) >= THREE_PLAYER_SWITCH else "pair"


# --- stakes (stekius) ------------------------------------------------------------------------------------------------


def settle(stake: int, sides: Sequence[Sequence[int]], winners: Sequence[int]) -> dict[int, int]:
    """Virtual chips at the end of a match: each losing player pays the stake, the winning players share it equally.

    `sides` lists the players of each side, `winners` the winning sides. What cannot be shared equally stays with the
    first winners, a chip each. The changes sum to zero.

    >>> settle(10, [[0, 2], [1, 3]], [0])
    {0: 10, 1: -10, 2: 10, 3: -10}
    """
    won = [p for side in winners for p in sides[side]]
    lost = [p for side, players in enumerate(sides) if side not in winners for p in players]
    pot = stake * len(lost)
    share, rest = divmod(pot, len(won)) if won else (0, 0)
    change = {p: -stake for p in lost}
    change.update({p: share + (i < rest) for i, p in enumerate(won)})
    return dict(sorted(change.items()))


def chips(profile: RuleProfile, sides: Sequence[Sequence[int]], winners: Sequence[int]) -> dict[int, int]:
    """What a finished match moves between the players under a rule set: its option `stakes`; all zero without it.

    >>> from scorer.profile import load_profile
    >>> chips(load_profile("stekius", {"stakes": 50}), [[0], [1], [2]], [2])
    {0: -50, 1: -50, 2: 100}
    """
    return settle(profile.match.stakes, sides, winners)


class Leaving(NamedTuple):
    """What leaving a match costs and does. `ends`: the match is over; `winners`: the sides that win by it."""

    chips: int
    ends: bool
    winners: tuple[int, ...]


def leave(stake: int, sides: Sequence[Sequence[int]], player: int, rounds: int, finished: bool) -> Leaving:
    """What happens when a player leaves after `rounds` whole rounds of turns.

    Free when there is a winner or during the first two rounds; later it costs the stake once and the loss is not
    paid on top. With four players (or two) the match ends and the other side wins; each for himself the others go on.
    """
    if finished:
        return Leaving(0, True, ())
    cost = -stake if rounds >= 2 else 0
    others = tuple(i for i, side in enumerate(sides) if player not in side)
    ends = len(sides) == 2
    return Leaving(cost, ends, others if ends else ())
