"""Many deals between bots, from a seed: the same seed gives the same results whatever the number of processes.

Each deal has its own generators, made from the seed and the number of the deal, so that no deal depends on another.

>>> from scorer.profile import load_profile
>>> plan = Plan(load_profile("vanikar"), 2, ("casuale",), seed=1)
>>> play_deal(plan, 0) == play_deal(plan, 0)
True
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from scorer.cards import DECK
from scorer.errors import MatchError
from scorer.game.apply import advance, apply
from scorer.game.bots import make_bot
from scorer.game.final import DealResult, result_of
from scorer.game.legal import legal_actions
from scorer.game.series import Series
from scorer.game.state import TURN_CAP, Action, GameState, deal, game_of
from scorer.game.view import view_of
from scorer.profile import RuleProfile

_DECK = tuple(card.code for card in DECK)


@dataclass(frozen=True)
class Plan:
    """What to play. `bots` are names: one for every seat, one for each side, or one for each seat."""

    profile: RuleProfile
    players: int
    bots: tuple[str, ...] = ("casuale",)
    seed: int = 0
    turn_cap: int = TURN_CAP

    def seat_bots(self) -> tuple[str, ...]:
        """The bot of each seat; MatchError when they cannot be seated."""
        game = game_of(self.profile, self.players)
        sides = max(game.first_sides) + 1
        if len(self.bots) == 1:
            return self.bots * self.players
        if len(self.bots) == self.players:
            return self.bots
        if len(self.bots) == sides:
            return tuple(self.bots[side] for side in game.first_sides)
        raise MatchError(
            f"{len(self.bots)} bots cannot sit at a table of {self.players}", code="bots_and_players",
            bots=len(self.bots), players=self.players,
        )  # fmt: skip


class DealSummary(NamedTuple):
    """One deal of a simulation, as plain numbers; `points` by seat, `closer` a seat or -1."""

    number: int
    dealer: int
    end: str
    closer: int
    turns: int
    moves: int
    void: bool
    points: tuple[int, ...]


def shuffled(plan: Plan, number: int) -> list[int]:
    """The deck of a deal."""
    deck = list(_DECK)
    random.Random(f"deck {plan.seed} {number}").shuffle(deck)
    return deck


def play_deal(plan: Plan, number: int) -> DealSummary:
    """Play one deal of a plan."""
    state, actions = play_out(plan, number)
    result = result_of(state)
    return summary(number, number % plan.players, len(actions), result)


def summary(number: int, dealer: int, moves: int, result: DealResult) -> DealSummary:
    """The plain numbers of a result."""
    return DealSummary(number, dealer, result.end, result.closer, result.turns, moves, result.void, result.points)


def play_out(
    plan: Plan, number: int, *, dealer: int | None = None, three_pots: bool = False
) -> tuple[GameState, list[Action]]:
    """Play one deal and return its last state and every action; the dealer moves with the number unless it is given."""
    bots = [make_bot(name) for name in plan.seat_bots()]
    chance = [random.Random(f"seat {plan.seed} {number} {seat}") for seat in range(plan.players)]
    state = deal(
        shuffled(plan, number), plan.profile, players=plan.players,
        dealer=number % plan.players if dealer is None else dealer, three_pots=three_pots, turn_cap=plan.turn_cap,
    )  # fmt: skip
    actions: list[Action] = []
    while not state.over:
        seat = state.turn
        legal = legal_actions(state)
        action = bots[seat].choose(view_of(state, seat), legal, chance[seat])
        # what the engine itself proposed needs no second look
        state = advance(state, action) if action in legal else apply(state, action)
        actions.append(action)
    return state, actions


def play_match(plan: Plan, number: int, *, most: int = 200) -> Series:
    """Play one match of a plan to its end (or to `most` deals), every deal with its own generators."""
    series = Series(plan.profile, plan.players, first_dealer=number % plan.players)
    for at in range(most):
        if series.deals and series.standing.finished:
            break
        coming = series.next_deal()
        state, _ = play_out(plan, number * 1_000 + at, dealer=coming.dealer, three_pots=coming.three_pots)
        result = result_of(state)
        if result.sheet is not None:
            series = series.after(result)
    return series


def simulate(
    plan: Plan, deals: int, *, first: int = 0, workers: int = 1, told: Callable[[int], None] | None = None
) -> Iterator[DealSummary]:
    """Play `deals` deals, numbered from `first`, in order. `told` hears how many are done."""
    plan.seat_bots()
    if workers <= 1:
        for number in range(first, first + deals):
            yield play_deal(plan, number)
            if told:
                told(number - first + 1)
        return
    from concurrent.futures import ProcessPoolExecutor

    size = max(1, min(50, deals // (workers * 4) or 1))
    starts = range(first, first + deals, size)
    with ProcessPoolExecutor(workers) as pool:
        done = 0
        for chunk in pool.map(_chunk, [(plan, start, min(size, first + deals - start)) for start in starts]):
            yield from chunk
            done += len(chunk)
            if told:
                told(done)


def _chunk(job: tuple[Plan, int, int]) -> list[DealSummary]:
    plan, start, count = job
    return [play_deal(plan, number) for number in range(start, start + count)]
