"""The arena: intervals, ratings, determinism, early stop."""

import json
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.game.arena import Duel, DuelResult, Estimate, fight, interval, play_pair, rate
from scorer.profile import load_profile

SHORT = load_profile("fibur", {"target": 505})


def test_a_pair_swaps_the_seats_on_the_same_decks() -> None:
    pair = play_pair(Duel(SHORT, 2, "facile", "facile", 3), 0)
    assert pair.there.margin == -pair.back.margin and pair.there.won == 1 - pair.back.won


def test_the_better_bot_wins_and_the_arena_stops_early() -> None:
    result = fight(Duel(SHORT, 2, "facile", "casuale", 1), 20)
    assert result.win_rate.low > 0.5 and result.stopped_early and result.pairs == 10


def test_workers_change_nothing() -> None:
    duel = Duel(SHORT, 2, "facile", "casuale", 2)
    assert fight(duel, 3, workers=2, early=False) == fight(duel, 3, early=False)


def test_an_interval_holds_the_mean_and_narrows() -> None:
    few, many = interval([0.0, 1.0] * 5), interval([0.0, 1.0] * 200)
    assert few.low < few.mean == 0.5 < few.high
    assert many.high - many.low < few.high - few.low


def duel_result(a: str, b: str, share: float) -> DuelResult:
    e = Estimate(share, share, share)
    return DuelResult(a, b, 50, 100, 300, e, e, False)


def test_ratings_order_the_bots_and_centre_on_1500() -> None:
    ratings = rate([duel_result("c", "a", 0.9), duel_result("c", "b", 0.7), duel_result("b", "a", 0.75)])
    assert [r.bot for r in ratings] == ["c", "b", "a"]
    assert abs(sum(r.rating for r in ratings) - 4500) <= 2


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    args = ["arena", "casuale", "facile", "--rules", "fibur", "--option", "target=505", "--players", "2"]
    assert main([*args, "--matches", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["duels"][0]["matches"] == 2 and len(data["ratings"]) == 2
    assert main(["arena", "facile"]) == 2
    assert main(["arena", "facile", "nobody"]) == 2
    assert main(["arena", "facile", "casuale", "--rules", "brasile", "--players", "3"]) == 2
