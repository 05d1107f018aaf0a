"""Whole deals a second of each bot on one core, and what a second worker brings.

`python bench/bench_bots.py [--seconds S] [--rules ID]`. Processor time is what counts for one core, so that a busy
machine does not shame a bot; the ratio of two workers needs the clock on the wall, and two free cores to mean anything.
"""

from __future__ import annotations

import argparse
import os
import time

from scorer.game.many import run
from scorer.game.simulate import Plan, play_deal
from scorer.profile import load_profile

#: Deals a second of `normale` with four players that are asked for.
WANTED = 25
#: Times as fast with two workers that is asked for.
WANTED_RATIO = 1.8


def deals_a_second(plan: Plan, seconds: float) -> tuple[float, int]:
    """Deals a second of processor time, and how many were played."""
    for number in range(3):
        play_deal(plan, number)
    started, deals = time.process_time(), 0
    while time.process_time() - started < seconds:
        play_deal(plan, 100 + deals)
        deals += 1
    return deals / (time.process_time() - started), deals


def wall(plan: Plan, deals: int, workers: int) -> float:
    """Seconds on the wall for some deals."""
    started = time.perf_counter()
    done = sum(len(lot) for lot in run(plan, range(deals), workers=workers))
    assert done == deals
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rules", default="fibur")
    args = parser.parse_args()
    profile = load_profile(args.rules)
    players = max(profile.table.players)
    rates = {}
    for bot in ("casuale", "facile", "normale", "forte:8"):
        seconds = args.seconds if bot == "normale" else args.seconds / 2
        rates[bot], deals = deals_a_second(Plan(profile, players, (bot,), seed=1), seconds)
        print(f"{bot:<8} {rates[bot]:8.2f} deals a second of one core ({args.rules}, {players} players, {deals} deals)")
    verdict = "at least" if rates["normale"] >= WANTED else "BELOW"
    print(f"normale: {verdict} the {WANTED} asked for")
    plan = Plan(profile, players, ("normale",), seed=2)
    count = max(60, int(rates["normale"] * args.seconds))
    one, two = wall(plan, count, 1), wall(plan, count, 2)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    print(f"two workers: {one / two:.2f} times one ({count} deals, {WANTED_RATIO} asked for; load average {load:.1f})")


if __name__ == "__main__":
    main()
