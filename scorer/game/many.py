"""Many deals between bots: the same seed gives the same results whatever the number of processes."""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from scorer.errors import MatchError
from scorer.game.chunks import Chunk, chunk_size, chunks_of, work
from scorer.game.simulate import DealSummary, Plan, Unit

#: So often may worker processes die before a run gives up.
MOST_DEATHS: Final = 3


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
