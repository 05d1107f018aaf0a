"""`forte`: imagines deals that agree with what it sees, plays each candidate out with `normale`, keeps the best.

Determinised Monte Carlo over the same engine: every candidate is tried on the same imagined deals (so that luck
cancels), candidates that fall behind are dropped half by half, and a playout that is still running after `HORIZON`
turns is valued by counting the table as it lies. The quick choice of `normale` stays to the end and is given up only
for a candidate that beat it by more than the noise of their paired difference: a short search then costs nothing. The
budget is a number of playouts (the same seed then gives the same game) or milliseconds a move.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from math import sqrt
from statistics import mean, stdev
from typing import Final

from scorer.game.apply import advance
from scorer.game.bots.base import Choice
from scorer.game.bots.normale import Normale
from scorer.game.final import result_of, table_of
from scorer.game.legal import legal_actions
from scorer.game.state import ADD, DISCARD, DRAW_CARD, LAY, TAKE, Action, GameState
from scorer.game.view import View, imagine, view_of
from scorer.scoring import score

#: Turns after which a playout is cut off and the table counted.
HORIZON: Final = 24
#: Positions that a playout's search for a way out may look at.
PLAYOUT_NODES: Final = 20
#: Most candidates that are searched for one move.
CANDIDATES: Final = 6
#: A candidate must beat the quick choice by this many standard errors of their paired difference.
CAUTION: Final = 1.0
#: Deals on which a candidate and the quick choice must have met before it may win.
LEAST_DEALS: Final = 4
#: Playouts a move when neither a number nor milliseconds are asked for.
DEFAULT_PLAYOUTS: Final = 60


class Forte:
    """A player who counts. `milliseconds` bounds the thinking for one move; else `playouts` does."""

    name = "forte"

    def __init__(self, playouts: int | None = None, milliseconds: float | None = None) -> None:
        self.milliseconds = milliseconds
        self.playouts = playouts or (DEFAULT_PLAYOUTS if milliseconds is None else 1_000_000)
        self._quick = Normale()
        self._playing = Normale(PLAYOUT_NODES)

    def choose(self, view: View, legal: Sequence[Action], rng: random.Random) -> Action:
        """The action that did best on the imagined deals."""
        return legal[0] if len(legal) == 1 else self.decide(view, legal, rng).action

    def decide(self, view: View, legal: Sequence[Action], rng: random.Random) -> Choice:
        """The same with its reason."""
        first = self._quick.decide(view, legal, rng)
        tried = self._candidates(view, legal, first)[: self.playouts]
        if len(tried) == 1:
            return first
        gains, played = self._search(view, tried, rng)
        sure = [_sure_gain(found) for found in gains]
        best = max(range(len(tried)), key=sure.__getitem__)
        if best == 0:
            return first
        margin = round(sum(gains[best]) / len(gains[best]))
        return Choice(tried[best], "bot.search", (("count", played), ("points", margin)))

    def _candidates(self, view: View, legal: Sequence[Action], first: Choice) -> list[Action]:
        """What is worth imagining: the quick choice, and the best others of its kind and of the kinds beside it."""
        if first.code in ("bot.closes", "bot.goes_to_pot", "bot.makes_burraco", "bot.grows"):
            return [first.action]
        if legal[0].kind in (DRAW_CARD, TAKE):
            return [first.action, *[a for a in legal if a != first.action]][:CANDIDATES]
        discards = [a for a in legal if a.kind == DISCARD]
        ranked = self._quick.ranked_discards(view, discards) if discards else []
        if first.action.kind in (LAY, ADD):
            lays = [a for a in legal if a.kind in (LAY, ADD) and a != first.action]
            lays.sort(key=lambda a: -self._quick.lay_gain(view, a))
            good = [a for a in lays if self._quick.lay_gain(view, a) > 0]
            return [first.action, *ranked[:1], *good[:2]]
        held_back = [a for a in legal if a.kind in (LAY, ADD)]
        held_back.sort(key=lambda a: -self._quick.lay_gain(view, a))
        others = [a for a in ranked if a != first.action]
        return [first.action, *others[: CANDIDATES - 2], *held_back[:1]]

    def _search(self, view: View, tried: Sequence[Action], rng: random.Random) -> tuple[list[list[float]], int]:
        """By sequential halving: what each candidate gained over the first on each deal they met on; playouts made."""
        end = None if self.milliseconds is None else time.perf_counter() + self.milliseconds / 1000
        gains: list[list[float]] = [[] for _ in tried]
        alive = list(range(len(tried)))
        rounds = max(1, (len(tried) - 1).bit_length())
        played = 0
        for step in range(rounds):
            share = (self.playouts - played) // ((rounds - step) * len(alive))
            stop = None if end is None else end - (rounds - 1 - step) * self.seconds_each(rounds)
            for _ in range(share):
                if stop is not None and played and time.perf_counter() >= stop:
                    break
                played += self._one_deal(view, tried, alive, gains, rng, end)
            rivals = sorted(alive[1:], key=lambda i: -sum(gains[i]))
            alive = [0, *rivals[: max(1, len(alive) // 2 - 1)]]
        return gains, played

    def seconds_each(self, rounds: int) -> float:
        """Seconds that one round of the search may take."""
        return (self.milliseconds or 0.0) / 1000 / rounds

    def _one_deal(
        self, view: View, tried: Sequence[Action], alive: Sequence[int], gains: list[list[float]],
        rng: random.Random, end: float | None,
    ) -> int:  # fmt: skip
        """Imagine one deal and play every candidate that is still alive on it; a deal cut off by the clock is lost."""
        hidden = list(view.unseen())
        rng.shuffle(hidden)
        start = imagine(view, hidden)
        results: list[float] = []
        for i in alive:
            if results and end is not None and time.perf_counter() > end:
                return len(results)
            results.append(self._playout(advance(start, tried[i]), view))
        for i, value in zip(alive, results, strict=True):
            gains[i].append(value - results[0])
        return len(results)

    def _playout(self, state: GameState, view: View) -> float:
        """Play on with `normale` and give our points less the best other side's."""
        quick, chance = self._playing, random.Random(0)  # normale takes no chances: the generator is never drawn from
        last = view.turns + HORIZON
        while not state.over and state.turns < last:
            legal = legal_actions(state)
            state = advance(state, quick.choose(view_of(state, state.turn), legal, chance))
        return _margin(state, view.seat)


def _sure_gain(gains: Sequence[float]) -> float:
    """The mean gain less its noise; 0 for the quick choice itself, below 0 for what is not shown to be better."""
    deals = len(gains)
    if not any(gains):
        return 0.0 if deals else -1.0
    if deals < LEAST_DEALS:
        return -1.0
    return mean(gains) - CAUTION * stdev(gains) / sqrt(deals)


def _margin(state: GameState, seat: int) -> float:
    """Points of this seat's side less the best other side's; an unfinished deal is counted as it lies."""
    if state.over and state.end != "truncated":
        points = result_of(state).points
        return float(points[seat] - max(p for s, p in enumerate(points) if state.sides[s] != state.sides[seat]))
    sheet = score(table_of(state), state.game.profile)
    totals = [side.score.total for side in sheet.sides]
    mine = state.sides[seat]
    return float(totals[mine] - max(t for i, t in enumerate(totals) if i != mine))
