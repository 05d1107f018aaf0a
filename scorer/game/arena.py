"""The arena: who is stronger, with an interval. Every pair of matches uses the same decks with the seats swapped.

A match goes to the profile's target, the dealer moving on as in `scorer.match`. Pairs of matches are independent of
each other, so intervals come from resampling pairs (bootstrap, 95 %), and the arena may stop as soon as the interval
of the win rate leaves one half on one side.

>>> from scorer.profile import load_profile
>>> duel = Duel(load_profile("fibur", {"target": 505}), 4, "facile", "casuale", seed=1)
>>> play_pair(duel, 0) == play_pair(duel, 0)
True
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log
from typing import NamedTuple

from scorer.game.final import result_of
from scorer.game.simulate import Plan, play_out
from scorer.match import Deal, standing
from scorer.profile import RuleProfile

#: Deals after which a match is stopped and the leader wins (bots that never reach the target).
MATCH_CAP = 60
#: Resamples of the bootstrap.
RESAMPLES = 2_000
#: Pairs before an early stop is considered: fewer say nothing.
LEAST_PAIRS = 10


@dataclass(frozen=True)
class Duel:
    """Two bots, a table and a seed; `players` 2 or 4 (two sides)."""

    profile: RuleProfile
    players: int
    first: str
    second: str
    seed: int = 0


class MatchResult(NamedTuple):
    """One match, seen from the first bot: won (1, 0, or 0.5), points a deal more than the other, deals played."""

    won: float
    margin: float
    deals: int


class PairResult(NamedTuple):
    """The same decks twice, seats swapped."""

    number: int
    there: MatchResult
    back: MatchResult

    @property
    def won(self) -> float:
        """Share of the two matches that the first bot won."""
        return (self.there.won + self.back.won) / 2

    @property
    def margin(self) -> float:
        """Points a deal, mean over both matches' deals."""
        deals = self.there.deals + self.back.deals
        return (self.there.margin * self.there.deals + self.back.margin * self.back.deals) / deals


class Estimate(NamedTuple):
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float


class DuelResult(NamedTuple):
    """What a duel came to: win rate of the first bot (0 to 1), its points a deal more, the sample, and why it ended."""

    first: str
    second: str
    pairs: int
    matches: int
    deals: int
    win_rate: Estimate
    points_a_deal: Estimate
    stopped_early: bool


def play_pair(duel: Duel, number: int) -> PairResult:
    """Play one pair of matches."""
    there = _match(duel, number, (duel.first, duel.second))
    back = _match(duel, number, (duel.second, duel.first))
    return PairResult(number, there, MatchResult(1 - back.won, -back.margin, back.deals))


def _match(duel: Duel, number: int, bots: tuple[str, str]) -> MatchResult:
    """One match; its decks depend on the seed and the number of the pair only, so the swapped match has the same."""
    plan = Plan(duel.profile, duel.players, bots, seed=duel.seed * 1_000_003 + number)
    deals: list[Deal] = []
    won = 0.5
    for at in range(MATCH_CAP):
        state, _ = play_out(plan, at)
        result = result_of(state)
        points = (result.points[0], result.points[1])
        deals.append(Deal(points, void=result.void or result.end == "truncated"))
        now = standing(deals, duel.profile, seats=duel.players)
        if now.finished or at == MATCH_CAP - 1:
            leaders = now.leaders
            won = 0.5 if len(leaders) > 1 else float(leaders[0] == 0)
            break
    gained = sum(d.points[0] - d.points[1] for d in deals)
    return MatchResult(won, gained / len(deals), len(deals))


def duel_pairs(duel: Duel, pairs: int, workers: int = 1) -> Iterator[PairResult]:
    """The pairs in order; the same whatever the number of processes."""
    if workers <= 1:
        for number in range(pairs):
            yield play_pair(duel, number)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers) as pool:
        try:
            yield from pool.map(_job, [(duel, number) for number in range(pairs)])
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _job(job: tuple[Duel, int]) -> PairResult:
    return play_pair(*job)


def fight(
    duel: Duel, pairs: int, *, workers: int = 1, early: bool = True, told: Callable[[int], None] | None = None
) -> DuelResult:
    """Play up to `pairs` pairs; with `early`, stop once the interval of the win rate is clear of one half."""
    done: list[PairResult] = []
    stopped = False
    for pair in duel_pairs(duel, pairs, workers):
        done.append(pair)
        if told:
            told(len(done))
        if early and len(done) >= LEAST_PAIRS and len(done) % 5 == 0 and len(done) < pairs:
            rate = interval([p.won for p in done], duel.seed)
            stopped = rate.low > 0.5 or rate.high < 0.5
            if stopped:
                break
    return summed(duel, done, stopped)


def summed(duel: Duel, done: Sequence[PairResult], stopped: bool) -> DuelResult:
    """The result of the pairs played so far (at least one)."""
    return DuelResult(
        duel.first, duel.second, len(done), 2 * len(done), sum(p.there.deals + p.back.deals for p in done),
        interval([p.won for p in done], duel.seed), interval([p.margin for p in done], duel.seed), stopped,
    )  # fmt: skip


def interval(values: Sequence[float], seed: int = 0) -> Estimate:
    """Mean and 95 % bootstrap interval of independent values; the same seed gives the same interval."""
    rng = random.Random(f"bootstrap {seed}")
    size = len(values)
    means = sorted(sum(rng.choices(values, k=size)) / size for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return Estimate(sum(values) / size, low, high)


class Rating(NamedTuple):
    """A bot's rating on the Elo scale: 400 points more is ten times the odds; the mean of all is 1500."""

    bot: str
    rating: int
    won: float
    matches: int


def rate(results: Sequence[DuelResult]) -> list[Rating]:
    """Ratings from duels (Bradley and Terry, with half a won and half a lost match each against perfect scores)."""
    bots = list(dict.fromkeys(name for r in results for name in (r.first, r.second)))
    wins = {(a, b): 0.5 for a in bots for b in bots if a != b}
    for r in results:
        wins[r.first, r.second] += r.win_rate.mean * r.matches
        wins[r.second, r.first] += (1 - r.win_rate.mean) * r.matches
    met = {frozenset((r.first, r.second)) for r in results}
    strength = dict.fromkeys(bots, 1.0)
    for _ in range(500):
        fresh = {}
        for a in bots:
            others = [b for b in bots if frozenset((a, b)) in met and b != a]
            total = sum(wins[a, b] for b in others)
            share = sum((wins[a, b] + wins[b, a]) / (strength[a] + strength[b]) for b in others)
            fresh[a] = total / share if share else 1.0
        mean = exp(sum(log(v) for v in fresh.values()) / len(fresh))
        strength = {a: v / mean for a, v in fresh.items()}
    out = []
    for a in bots:
        mine = [r for r in results if a in (r.first, r.second)]
        won = sum((r.win_rate.mean if r.first == a else 1 - r.win_rate.mean) * r.matches for r in mine)
        out.append(Rating(a, round(1500 + 400 * log(strength[a]) / log(10)), won, sum(r.matches for r in mine)))
    return sorted(out, key=lambda r: -r.rating)


def round_robin(names: Sequence[str]) -> list[tuple[str, str]]:
    """Every pair of bots once."""
    return list(combinations(names, 2))
