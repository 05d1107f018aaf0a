"""A deal or a match between bots, from a seed, and its plain numbers (`scorer.game.many` plays many of them).

Each deal has its own generators, made from the seed and the number of the deal, so that no deal depends on another.

>>> from scorer.profile import load_profile
>>> plan = Plan(load_profile("vanikar"), 2, ("casuale",), seed=1)
>>> play_deal(plan, 0) == play_deal(plan, 0)
True
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Final, NamedTuple

from scorer.cards import DECK
from scorer.errors import MatchError
from scorer.game.apply import advance, apply
from scorer.game.bots import make_bot
from scorer.game.final import DealResult, result_of
from scorer.game.legal import legal_actions
from scorer.game.series import Series
from scorer.game.state import NOT_TAKEN, TURN_CAP, Action, GameState, deal, game_of
from scorer.game.view import view_of
from scorer.profile import RuleProfile

_DECK = tuple(card.code for card in DECK)
#: Deals after which a match is stopped without a winner.
MATCH_CAP: Final = 200


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
    """One deal of a simulation, as plain numbers; `points` by seat, `closer` a seat or -1.

    `sides` are the seats of each side, `burrachi` what each side made as `(type, count)` in the order of the types,
    `pots` whether each side had its pot (empty where no pots are dealt), `match` the match it belongs to or -1,
    `three_pots` whether it was a deal of the last stage of the Italian game for three.
    """

    number: int
    dealer: int
    end: str
    closer: int
    turns: int
    moves: int
    void: bool
    points: tuple[int, ...]
    sides: tuple[tuple[int, ...], ...] = ()
    burrachi: tuple[tuple[tuple[str, int], ...], ...] = ()
    pots: tuple[bool, ...] = ()
    match: int = -1
    three_pots: bool = False


class MatchSummary(NamedTuple):
    """One match: its deals in order, the totals of each unit (a side, or a player) and the unit that won, or -1."""

    number: int
    deals: tuple[DealSummary, ...]
    totals: tuple[int, ...]
    winner: int


#: What a simulation is made of: deals, or matches.
Unit = DealSummary | MatchSummary


def shuffled(plan: Plan, number: int) -> list[int]:
    """The deck of a deal."""
    deck = list(_DECK)
    random.Random(f"deck {plan.seed} {number}").shuffle(deck)
    return deck


def play_deal(plan: Plan, number: int) -> DealSummary:
    """Play one deal of a plan."""
    state, actions = play_out(plan, number)
    return summary(state, number, len(actions))


def summary(state: GameState, number: int, moves: int, *, match: int = -1, three_pots: bool = False) -> DealSummary:
    """The plain numbers of a deal that is over."""
    result = result_of(state)
    pots: tuple[bool, ...] = ()
    if state.game.flags.pots:
        pots = tuple(state.pot[state.sides[seats[0]]] != NOT_TAKEN for seats in result.sides)
    return DealSummary(
        number, state.game.dealer, result.end, result.closer, result.turns, moves, result.void, result.points,
        result.sides, _burrachi(result), pots, match, three_pots,
    )  # fmt: skip


def _burrachi(result: DealResult) -> tuple[tuple[tuple[str, int], ...], ...]:
    if result.sheet is None:
        return tuple(() for _ in result.sides)
    counts = [Counter(meld.type for meld in side.melds if meld.type) for side in result.sheet.sides]
    return tuple(tuple(sorted(count.items())) for count in counts)


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


def play_match(plan: Plan, number: int, *, most: int = MATCH_CAP) -> Series:
    """Play one match of a plan to its end (or to `most` deals), every deal with its own generators."""
    return _played(plan, number, most)[0]


def match_summary(plan: Plan, number: int, *, most: int = MATCH_CAP) -> MatchSummary:
    """Play one match of a plan and keep its plain numbers."""
    series, deals = _played(plan, number, most)
    now = series.standing
    return MatchSummary(number, tuple(deals), tuple(now.totals), now.winners[0] if now.winners else -1)


def _played(plan: Plan, number: int, most: int) -> tuple[Series, list[DealSummary]]:
    series = Series(plan.profile, plan.players, first_dealer=number % plan.players)
    deals = []
    for at in range(most):
        if series.deals and series.standing.finished:
            break
        coming = series.next_deal()
        state, actions = play_out(plan, number * 1_000 + at, dealer=coming.dealer, three_pots=coming.three_pots)
        deals.append(summary(state, at, len(actions), match=number, three_pots=coming.three_pots))
        result = result_of(state)
        if result.sheet is not None:
            series = series.after(result)
    return series, deals
