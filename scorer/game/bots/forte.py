"""`forte`: imagines deals that agree with what it sees, plays each way to draw on with `normale`, keeps the best.

Determinised Monte Carlo over the same engine, for the decision that matters most: the stock, or the pile (how deep).
Every candidate is tried on the same imagined deals (so that luck cancels); a playout is cut after a round (`HORIZON`)
and valued by `Value`, which has far less noise than the end of a deal. What `normale` thinks of a candidate is where
the estimate starts from (`TRUST`), and each playout moves it: a short search then changes little and does no harm.
Candidates that have fallen behind are dropped, and the search ends when one is plainly best. The budget is a number of
playouts (the same seed then gives the same game) or milliseconds a move.

Laying and discarding are those of `normale`: a search over discards chose no better (`docs/bots.md`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

from scorer.game.apply import advance
from scorer.game.bots.base import Choice
from scorer.game.bots.normale import Normale
from scorer.game.bots.value import Value
from scorer.game.final import result_of
from scorer.game.legal import legal_actions
from scorer.game.state import DRAW_CARD, TAKE, Action, Game, GameState
from scorer.game.view import View, imagine, view_of

#: Turns (of one player each) after which a playout is cut off and valued: once round the table, and this many at least.
HORIZON: Final = 3
#: Positions that a playout's search for a way out may look at.
PLAYOUT_NODES: Final = 20
#: Most candidates that are searched for one move.
CANDIDATES: Final = 5
#: How far the estimate of `normale` may be wrong: the standard deviation of the truth around it, in points.
TRUST: Final = 60.0
#: A candidate that `normale` thinks so much worse, in points, is not tried.
FAR: Final = 90.0
#: Least standard deviation of a playout's gain, in points: a few equal results prove nothing.
NOISE: Final = 60.0
#: Standard deviations by which a candidate must have fallen behind to be dropped.
BEHIND: Final = 2.0
#: Imagined deals before the first candidate is dropped.
LEAST_DEALS: Final = 6
#: Playouts a move when neither a number nor milliseconds are asked for.
DEFAULT_PLAYOUTS: Final = 60


class Rival(NamedTuple):
    """A candidate and what `normale` thinks it loses against its own choice, in points (0 for that choice itself)."""

    action: Action
    loss: float


class Forte:
    """A player who counts. `milliseconds` bounds the thinking for one move; else `playouts` does."""

    name = "forte"

    def __init__(self, playouts: int | None = None, milliseconds: float | None = None) -> None:
        self.milliseconds = milliseconds
        self.playouts = playouts or (DEFAULT_PLAYOUTS if milliseconds is None else 1_000_000)
        self._quick = Normale()
        self._playing = Normale(PLAYOUT_NODES)
        self._value: Value | None = None

    def choose(self, view: View, legal: Sequence[Action], rng: random.Random) -> Action:
        """The action that did best on the imagined deals."""
        return legal[0] if len(legal) == 1 else self.decide(view, legal, rng).action

    def decide(self, view: View, legal: Sequence[Action], rng: random.Random) -> Choice:
        """The same with its reason."""
        first = self._quick.decide(view, legal, rng)
        if len(legal) == 1 or legal[0].kind not in (DRAW_CARD, TAKE):
            return first
        tried = self._candidates(view, legal, first)[: self.playouts]
        if len(tried) == 1:
            return first
        found, played = self._search(view, tried, rng)
        best = max(range(len(tried)), key=lambda i: found[i].mean)
        if best == 0:
            return first
        return Choice(tried[best].action, "bot.search", (("count", played), ("points", round(found[best].mean))))

    def _candidates(self, view: View, legal: Sequence[Action], first: Choice) -> list[Rival]:
        """What is worth imagining: the quick choice first, then the other ways to draw that are not plainly worse."""
        gains = self._quick.draw_gains(view, legal)
        top = gains[legal.index(first.action)]
        others = [
            Rival(action, top - gain)
            for action, gain in sorted(zip(legal, gains, strict=True), key=lambda pair: -pair[1])
            if action != first.action and top - gain < FAR
        ]
        return [Rival(first.action, 0.0), *others][:CANDIDATES]

    def _search(self, view: View, tried: Sequence[Rival], rng: random.Random) -> tuple[list[Belief], int]:
        """What is believed of each candidate's gain over the first, and the number of playouts made."""
        end = None if self.milliseconds is None else time.perf_counter() + self.milliseconds / 1000
        value = self._value_of(view.game)
        beliefs = [Belief(-rival.loss) for rival in tried]
        alive = list(range(len(tried)))
        played = deals = 0
        while len(alive) > 1 and played + len(alive) <= self.playouts:
            start = _imagined(view, rng)
            results: list[float] = []
            for i in alive:
                if end is not None and played and time.perf_counter() >= end:
                    return beliefs, played
                results.append(self._playout(advance(start, tried[i].action), view, value))
                played += 1
            for i, result in zip(alive[1:], results[1:], strict=True):
                beliefs[i].add(result - results[0])
            deals += 1
            if deals >= LEAST_DEALS:
                alive = _still_open(alive, beliefs)
        return beliefs, played

    def _value_of(self, game: Game) -> Value:
        if self._value is None or self._value.game is not game:
            self._value = Value(game)
        return self._value

    def _playout(self, state: GameState, view: View, value: Value) -> float:
        """Play on with `normale` and give the points that our side is ahead, or will be when the deal is unfinished."""
        quick, chance = self._playing, random.Random(0)  # normale takes no chances: the generator is never drawn from
        last = view.turns + max(HORIZON, view.game.seats)
        while not state.over and state.turns < last:
            legal = legal_actions(state)
            action = legal[0] if len(legal) == 1 else quick.choose(view_of(state, state.turn), legal, chance)
            state = advance(state, action)
        if not state.over or state.end == "truncated":
            return value.margin(state, state.sides[view.seat])
        points = result_of(state).points
        mine = state.sides[view.seat]
        return float(points[view.seat] - max(p for s, p in enumerate(points) if state.sides[s] != mine))


class Belief:
    """What is believed of a candidate's gain: the estimate of `normale`, moved by what was seen."""

    def __init__(self, prior: float) -> None:
        self.prior = prior
        self.count = 0
        self._sum = self._squares = 0.0
        self.mean, self.error = prior, TRUST

    def add(self, gain: float) -> None:
        """One more imagined deal on which it gained so much over the first candidate."""
        self.count += 1
        self._sum += gain
        self._squares += gain * gain
        seen = self._sum / self.count
        # the spread that was seen, and a few deals' worth of the least one
        spread = (self._squares - self.count * seen * seen + 4 * NOISE * NOISE) / (self.count + 3)
        sure, told = 1 / (TRUST * TRUST), self.count / spread
        self.mean = (self.prior * sure + seen * told) / (sure + told)
        self.error = 1 / sqrt(sure + told)


def _imagined(view: View, rng: random.Random) -> GameState:
    hidden = list(view.unseen())
    rng.shuffle(hidden)
    return imagine(view, hidden)


def _still_open(alive: Sequence[int], beliefs: Sequence[Belief]) -> list[int]:
    """The candidates that may yet be best. The first one stays as long as any other does, as their measure."""
    top = max(alive, key=lambda i: beliefs[i].mean)
    best = beliefs[top]
    rest = [i for i in alive[1:] if i == top or beliefs[i].mean + BEHIND * beliefs[i].error > best.mean]
    if rest == [top] and best.mean > BEHIND * best.error:
        return [top]
    return [alive[0], *rest]
