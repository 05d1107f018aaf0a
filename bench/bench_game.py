"""Moves a second of random playouts on one core, beside RLCard's and OpenSpiel's gin rummy in the same run.

`python bench/bench_game.py [--seconds S] [--rounds N]`. The rivals run in their own loops, when the interpreter
named by BURRACO_BENCH_PYTHON has them (`python -m venv X && X/bin/pip install rlcard open_spiel`, then
`BURRACO_BENCH_PYTHON=X/bin/python make bench`); without it they are skipped, and that is said. Every contender runs in
a process of its own, in turns, so that a busy machine slows all alike; processor time is what counts.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]

CLOCK = """
import random, sys, time
seconds = float(sys.argv[1])
rng = random.Random(1)
def measure(one):
    moves = deals = 0
    started = time.process_time()
    while time.process_time() - started < seconds:
        moves += one()
        deals += 1
    print(moves / (time.process_time() - started), deals)
"""

OURS = """
from scorer.cards import DECK
from scorer.game import apply, deal, legal_actions, result_of
from scorer.profile import load_profile
codes, profile = [card.code for card in DECK], load_profile(sys.argv[2])
def one():
    deck = codes[:]
    rng.shuffle(deck)
    state, moves = deal(deck, profile, players=max(profile.table.players)), 0
    while not state.over:
        legal = legal_actions(state)
        state = apply(state, legal[rng.randrange(len(legal))])
        moves += 1
    result_of(state)
    return moves
for _ in range(30):
    one()
measure(one)
"""

RLCARD = """
import rlcard
env = rlcard.make("gin-rummy", config={"seed": 1})
def one():
    state, _ = env.reset()
    moves = 0
    while not env.is_over():
        state, _ = env.step(rng.choice(list(state["legal_actions"].keys())))
        moves += 1
    env.get_payoffs()
    return moves
one()
measure(one)
"""

SPIEL = """
import pyspiel
game = pyspiel.load_game("gin_rummy")
def one():
    state, moves = game.new_initial_state(), 0
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(legal[rng.randrange(len(legal))])
        moves += 1
    state.returns()
    return moves
one()
measure(one)
"""


def run(python: str, script: str, seconds: float, *args: str) -> float | None:
    """Moves a second of processor time, or None when the contender is not installed."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [python, "-c", CLOCK + script, str(seconds), *args], capture_output=True, text=True, env=env, timeout=600
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["failed"]
        print(f"    ({last[0][:100]})", file=sys.stderr)
        return None
    return float(done.stdout.split()[0])


def main() -> int:
    """Measure and print one line for each contender."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="processor seconds for each run")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    rival_python = os.environ.get("BURRACO_BENCH_PYTHON", "")
    rivals = bool(rival_python) and shutil.which(rival_python) is not None
    contenders = [(f"burraco {rules}", sys.executable, OURS, (rules,)) for rules in ("fibur", "vanikar", "brasile")]
    if rivals:
        contenders += [("RLCard gin rummy", rival_python, RLCARD, ()), ("OpenSpiel gin rummy", rival_python, SPIEL, ())]
    else:
        print("RLCard and OpenSpiel skipped: BURRACO_BENCH_PYTHON names no interpreter that has them")
    rates: dict[str, list[float]] = {name: [] for name, *_ in contenders}
    for _ in range(asked.rounds):
        for name, python, script, args in contenders:
            rate = run(python, script, asked.seconds, *args)
            if rate is not None:
                rates[name].append(rate)
    print(f"moves a second of processor time, random playouts, median of {asked.rounds} (lowest .. highest)")
    for name, found in rates.items():
        shown = f"{median(found):>10,.0f}  ({min(found):,.0f} .. {max(found):,.0f})" if found else "   not installed"
        print(f"  {name:<22}{shown}")
    ours, rlcard = rates["burraco fibur"], rates.get("RLCard gin rummy")
    if ours and rlcard:
        ratio = median(ours) / median(rlcard)
        print(f"  burraco fibur / RLCard: {ratio:.2f} (wanted: at least 2)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
