"""`forte`: imagines deals that agree with what it sees, plays each candidate out with `normale`, keeps the best.

Determinised Monte Carlo over the same engine: every candidate is tried on the same imagined deals (so that luck
cancels), candidates that fall behind are dropped half by half, and a playout that is still running after `HORIZON`
turns is valued by counting the table as it lies. The budget is a number of playouts (the same seed then gives the
same game) or milliseconds a move.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
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
        means, played = self._search(view, tried, rng)
        order = sorted(range(len(tried)), key=lambda i: -means[i])
        best = order[0]
        if tried[best] == first.action:
            return first
        margin = round(means[best] - max(means[i] for i in order[1:]))
        return Choice(tried[best], "bot.search", (("count", played), ("points", margin)))

    def _candidates(self, view: View, legal: Sequence[Action], first: Choice) -> list[Action]:
        """What is worth imagining: the quick choice, and the best others of its kind and of the kinds beside it."""
        if first.code in ("bot.closes", "bot.goes_to_pot", "bot.makes_burraco"):
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

    def _search(self, view: View, tried: Sequence[Action], rng: random.Random) -> tuple[list[float], int]:
        """Mean result of each candidate, in points for our side less the best other, by sequential halving."""
        end = None if self.milliseconds is None else time.perf_counter() + self.milliseconds / 1000
        sums, counts = [0.0] * len(tried), [0] * len(tried)
        alive = list(range(len(tried)))
        rounds = max(1, (len(tried) - 1).bit_length())
        played = 0
        for step in range(rounds):
            share = (self.playouts - played) // ((rounds - step) * len(alive))
            if share == 0 and played:
                break
            stop = None if end is None else end - (rounds - 1 - step) * self.seconds_each(rounds)
            for _ in range(max(1, share)):
                if stop is not None and played and time.perf_counter() >= stop:
                    break
                played += self._one_deal(view, tried, alive, sums, counts, rng, end)
            alive.sort(key=lambda i: -(sums[i] / counts[i] if counts[i] else -1e9))
            alive = alive[: max(1, (len(alive) + 1) // 2)]
        means = [sums[i] / counts[i] if counts[i] else -1e9 for i in range(len(tried))]
        for i in range(len(tried)):
            if i not in alive:  # what fell out early has a mean of few deals: it cannot come back by luck
                means[i] = min(means[i], min(means[k] for k in alive))
        return means, played

    def seconds_each(self, rounds: int) -> float:
        """Seconds that one round of the search may take."""
        return (self.milliseconds or 0.0) / 1000 / rounds

    def _one_deal(
        self, view: View, tried: Sequence[Action], alive: Sequence[int], sums: list[float], counts: list[int],
        rng: random.Random, end: float | None,
    ) -> int:  # fmt: skip
        """Imagine one deal and play every candidate that is still alive on it."""
        hidden = list(view.unseen())
        rng.shuffle(hidden)
        start = imagine(view, hidden)
        results = []
        for i in alive:
            results.append(self._playout(advance(start, tried[i]), view))
            if end is not None and time.perf_counter() > end:
                break
        if len(results) == len(alive) or not any(counts):
            for i, value in zip(alive, results, strict=False):
                sums[i] += value
                counts[i] += 1
        return len(results)

    def _playout(self, state: GameState, view: View) -> float:
        """Play on with `normale` and give our points less the best other side's."""
        quick, chance = self._playing, random.Random(0)  # normale takes no chances: the generator is never drawn from
        last = view.turns + HORIZON
        while not state.over and state.turns < last:
            legal = legal_actions(state)
            state = advance(state, quick.choose(view_of(state, state.turn), legal, chance))
        return _margin(state, view.seat)


def _margin(state: GameState, seat: int) -> float:
    """Points of this seat's side less the best other side's; an unfinished deal is counted as it lies."""
    if state.over and state.end != "truncated":
        points = result_of(state).points
        return float(points[seat] - max(p for s, p in enumerate(points) if state.sides[s] != state.sides[seat]))
    sheet = score(table_of(state), state.game.profile)
    totals = [side.score.total for side in sheet.sides]
    mine = state.sides[seat]
    return float(totals[mine] - max(t for i, t in enumerate(totals) if i != mine))
