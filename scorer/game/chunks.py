"""Work of a simulation cut into pieces, each for one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final, NamedTuple

from scorer.game.simulate import Plan, Unit, match_summary, play_deal

#: Seconds that handing a chunk to another process and taking its results back costs, at most.
HANDOVER: Final = 0.02
#: Seconds that a chunk lasts at most: what is lost by a process that dies, and the step of the progress bar.
LONGEST: Final = 2.0


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
