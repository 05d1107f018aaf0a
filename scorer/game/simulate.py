"""Many deals between bots, from a seed: the same seed gives the same results whatever the number of processes.

Each deal has its own generators, made from the seed and the number of the deal, so that no deal depends on another.

>>> from scorer.profile import load_profile
>>> plan = Plan(load_profile("vanikar"), 2, ("casuale",), seed=1)
>>> play_deal(plan, 0) == play_deal(plan, 0)
True
"""

from __future__ import annotations

import random
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
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
#: Seconds that handing a chunk to another process and taking its results back costs, at most.
HANDOVER: Final = 0.02
#: Seconds that a chunk lasts at most: what is lost by a process that dies, and the step of the progress bar.
LONGEST: Final = 2.0
#: So often may worker processes die before a run gives up.
MOST_DEATHS: Final = 3


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


# --- many at once ---------------------------------------------------------------------------------------------------


class Chunk(NamedTuple):
    """A piece of work for one process: some units of a plan, by number."""

    plan: Plan
    numbers: tuple[int, ...]
    matches: bool


def work(chunk: Chunk) -> list[Unit]:
    """Play a chunk; what it gives depends on the plan and the numbers only."""
    play: Callable[[Plan, int], Unit] = match_summary if chunk.matches else play_deal
    return [play(chunk.plan, number) for number in chunk.numbers]


def chunk_size(seconds_each: float, count: int, workers: int) -> int:
    """How many units go into one chunk.

    Handing a chunk over costs about `HANDOVER` seconds, so a chunk lasts at least twenty times that: under 5 % is lost.
    Beyond that every worker gets several chunks, so that all of them end together, and none lasts over `LONGEST`.

    >>> chunk_size(0.01, 10_000, 2), chunk_size(10.0, 8, 2)
    (200, 1)
    """
    least = ceil(20 * HANDOVER / max(seconds_each, 1e-9))
    most = max(1, int(LONGEST / max(seconds_each, 1e-9)))
    return max(1, min(max(least, min(most, count // (4 * workers))), count))


def chunks_of(plan: Plan, numbers: Sequence[int], size: int, *, matches: bool) -> list[Chunk]:
    """The numbers cut into chunks, in order."""
    return [Chunk(plan, tuple(numbers[at : at + size]), matches) for at in range(0, len(numbers), size)]


def run(
    plan: Plan, numbers: Sequence[int], *, matches: bool = False, workers: int = 1, cluster: str | None = None
) -> Iterator[list[Unit]]:
    """Play the numbered units of a plan and give them in lots, as they are done: in order with one process or several
    of this machine, in any order from a cluster. The same units always have the same numbers in them."""
    plan.seat_bots()
    if not numbers:
        return
    if workers <= 1 and cluster is None:
        for number in numbers:
            yield work(Chunk(plan, (number,), matches))
        return
    started = time.perf_counter()
    yield work(Chunk(plan, (numbers[0],), matches))  # played here: it also says how long one takes
    each = time.perf_counter() - started
    rest = numbers[1:]
    if cluster is not None:
        from scorer.game.cluster import on_cluster

        yield from on_cluster(cluster, lambda count: chunks_of(
            plan, rest, chunk_size(each, len(rest), count), matches=matches
        ))  # fmt: skip
    else:
        yield from _on_processes(chunks_of(plan, rest, chunk_size(each, len(rest), workers), matches=matches), workers)


def _on_processes(chunks: Sequence[Chunk], workers: int) -> Iterator[list[Unit]]:
    """Chunks on processes of this machine, in order. A process that dies costs what it had in hand, not the run."""
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    left, deaths = deque(chunks), 0
    while left:
        pool = ProcessPoolExecutor(workers, initializer=_deaf)
        waiting: deque[Future[list[Unit]]] = deque()
        try:
            while left:
                while len(waiting) < min(len(left), 2 * workers):
                    waiting.append(pool.submit(work, left[len(waiting)]))
                done = waiting.popleft().result()
                left.popleft()
                yield done
        except BrokenProcessPool:
            deaths += 1
            if deaths > MOST_DEATHS:
                raise MatchError("worker processes keep dying", code="workers_die") from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _deaf() -> None:
    """A worker leaves Ctrl-C to the process that reports."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def simulate(
    plan: Plan, deals: int, *, first: int = 0, workers: int = 1, told: Callable[[int], None] | None = None
) -> Iterator[DealSummary]:
    """Play `deals` deals, numbered from `first`, in order. `told` hears how many are done."""
    done = 0
    for lot in run(plan, range(first, first + deals), workers=workers):
        for one in lot:
            if isinstance(one, DealSummary):
                yield one
        done += len(lot)
        if told:
            told(done)
