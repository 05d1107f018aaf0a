"""The same seed, the same bytes: whatever the hash seed, the global generator and the number of workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scorer.errors import MatchError
from scorer.game.many import simulate
from scorer.game.simulate import Plan, play_deal
from scorer.profile import load_profile

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import random, sys
random.seed(int(sys.argv[1]))
from scorer.cli import main
raise SystemExit(main(["simulate", "--rules", "brasile", "--deals", "3", "--seed", "9", "--json", "--no-timing",
                       "--workers", sys.argv[2]]))
"""


def run(hash_seed: str, disturbed: str, workers: str) -> bytes:
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, disturbed, workers], capture_output=True, check=True, env=env, timeout=120
    )
    return done.stdout


def test_two_processes_give_the_same_bytes() -> None:
    first = run("1", "1", "1")
    assert first == run("2", "77", "2")
    data = json.loads(first)
    assert data["deals"] == 3 and len(data["results"]) == 3 and "seconds" not in data


def test_workers_do_not_matter() -> None:
    plan = Plan(load_profile("vanikar"), 4, seed=3)
    assert list(simulate(plan, 6, workers=1)) == list(simulate(plan, 6, workers=2))


def test_a_deal_depends_only_on_its_number() -> None:
    plan = Plan(load_profile("stekius"), 3, seed=3)
    assert list(simulate(plan, 4))[3] == play_deal(plan, 3)
    assert play_deal(plan, 3) != play_deal(Plan(load_profile("stekius"), 3, seed=4), 3)


def test_a_cut_off_deal_has_no_result() -> None:
    plan = Plan(load_profile("vanikar"), 2, seed=1, turn_cap=5)
    done = play_deal(plan, 0)
    assert (done.end, done.turns, done.points) == ("truncated", 5, (0, 0))


def test_bots_must_fit_the_table() -> None:
    fibur = load_profile("fibur")
    assert Plan(fibur, 4, ("casuale", "random")).seat_bots() == ("casuale", "random", "casuale", "random")
    with pytest.raises(MatchError):
        Plan(fibur, 4, ("casuale",) * 3).seat_bots()
    with pytest.raises(MatchError):
        list(simulate(Plan(fibur, 4, ("nobody",)), 1))
