"""What handing a chunk of a simulation to a Dask cluster costs, against how long a chunk lasts.

`python bench/bench_cluster.py [--chunks N]`, with the extra `cluster`. A scheduler and one worker on this machine play
the same deals as N chunks of one deal and as one chunk of N deals; the difference, in processor time of the worker, the
scheduler and the client together, is the price of N - 1 handovers. A chunk of a real run lasts at least
`20 * HANDOVER` seconds (`scorer.game.chunks`), so the share that is lost follows.
"""

from __future__ import annotations

import argparse
import logging
import time
from importlib.util import find_spec
from statistics import median
from typing import Any

from scorer.game.chunks import HANDOVER, chunks_of
from scorer.game.cluster import on_cluster
from scorer.game.simulate import Plan
from scorer.profile import load_profile

#: Share of a run that handing over may cost.
WANTED = 0.05


def spent(client: Any, address: str, deals: int, size: int) -> float:
    """Processor seconds of client, scheduler and worker for some deals in chunks of so many."""
    plan = Plan(load_profile("fibur"), 4, ("normale",), seed=3)
    chunks = chunks_of(plan, range(deals), size, matches=False)
    before = time.process_time() + sum(client.run(time.process_time).values())
    played = sum(len(lot) for lot in on_cluster(address, lambda _: chunks))
    assert played == deals
    return float(time.process_time() + sum(client.run(time.process_time).values()) - before)


def handovers(count: int, rounds: int) -> list[float]:
    """Processor seconds of one handover, once for each round."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        address = cluster.scheduler_address
        spent(client, address, count, count)  # everything is imported, the worker remembers the melds
        out = []
        for _ in range(rounds):
            many, one = spent(client, address, count, 1), spent(client, address, count, count)
            out.append((many - one) / (count - 1))
        return out


def main() -> int:
    """Measure and print one line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    if find_spec("distributed") is None:
        print("Dask skipped: the extra `cluster` is not installed")
        return 0
    logging.getLogger("distributed").setLevel(logging.ERROR)
    each = handovers(asked.chunks, asked.rounds)
    cost, lasts = median(each), 20 * HANDOVER
    shown = ", ".join(f"{1000 * one:.1f}" for one in sorted(each))
    print(f"handing a chunk over: {1000 * cost:.1f} ms of processor time (rounds: {shown})")
    verdict = "at most" if cost <= WANTED * lasts else "ABOVE"
    print(f"of a chunk that lasts {lasts:.1f} s: {100 * cost / lasts:.1f} %, {verdict} the {100 * WANTED:.0f} % wanted")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
