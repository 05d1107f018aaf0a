"""`burraco simulate`: its numbers, its files, stopping and going on, workers that die."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import pytest

import scorer.game.chunks as module
from scorer.cli import main
from scorer.errors import MatchError
from scorer.game.bots.base import Casuale
from scorer.game.bots.registry import register
from scorer.game.chunks import HANDOVER, LONGEST, chunk_size
from scorer.game.many import MOST_DEATHS, run
from scorer.game.simulate import MatchSummary, Plan, match_summary, play_deal
from scorer.game.state import Action
from scorer.game.statefile import unit_json, unit_of
from scorer.game.statistics import first_edge, spread, statistics
from scorer.game.view import View
from scorer.profile import load_profile
from scorer.record_lint import lint

PLAN = Plan(load_profile("fibur"), 4, ("facile", "casuale"), seed=3)
ARGS = ("simulate", "--rules", "fibur", "--bots", "facile,casuale", "--seed", "3", "--no-timing")


def ran(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main([*ARGS, *args])
    out = capsys.readouterr()
    assert "Traceback" not in out.err
    return code, out.out, out.err


def test_a_spread_by_hand() -> None:
    found = spread([2, 4, 4, 4, 5, 5, 7, 9])
    assert found is not None and (found.mean, found.sd) == (5.0, 2.14)
    assert found.quantiles == (2.7, 4.0, 4.5, 5.5, 8.3)
    assert spread([7]) == (7.0, 0.0, (7.0,) * 5) and spread([]) is None


def test_statistics_agree_with_the_deals_they_are_of() -> None:
    deals = [play_deal(PLAN, number) for number in range(4)]
    found = statistics(PLAN, deals)
    north = found["seats"]["N"]
    assert north["points"]["mean"] == round(sum(d.points[0] for d in deals) / 4, 2)
    assert sum(found["burrachi"].values()) == sum(n for d in deals for side in d.burrachi for _, n in side)
    assert found["seats"]["N"]["pots_missed"] == sum(not d.pots[0] for d in deals) / 4
    edges = [(d.points[(d.dealer + 1) % 4] - d.points[d.dealer]) for d in deals]  # four players: pairs opposite
    edge = first_edge(PLAN, deals)
    assert edge is not None and edge["points"] == sum(edges) / 4 and edge["low"] < edge["points"] < edge["high"]


def test_a_unit_survives_the_file() -> None:
    match = match_summary(Plan(load_profile("vanikar", {"target": 505}), 2, ("facile",), seed=1), 0)
    assert isinstance(match, MatchSummary) and match.winner in (0, 1) and match.deals[0].match == 0
    for unit in (match, *match.deals):
        assert unit_of(json.loads(json.dumps(unit_json(unit)))) == unit


def test_stopped_and_continued_gives_the_same_bytes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real SIGTERM in the fourth deal: three are reported and kept; the same command ends as if never stopped."""
    _, whole, _ = ran(capsys, "--deals", "5", "--json")
    file = tmp_path / "run.jsonl"
    real = module.play_deal

    def killed(plan: Plan, number: int) -> Any:
        if number == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        return real(plan, number)

    monkeypatch.setattr(module, "play_deal", killed)
    code, out, err = ran(capsys, "--deals", "5", "--json", "--state", str(file))
    assert code == 2 and json.loads(out)["deals"] == 3 and json.loads(out)["interrupted"] and "3 of 5" in err
    monkeypatch.setattr(module, "play_deal", real)
    with file.open("a", encoding="utf-8") as cut:
        cut.write('{"number": 3, "deal')  # a kill in the middle of a line
    code, out, err = ran(capsys, "--deals", "5", "--json", "--state", str(file))
    assert (code, out) == (0, whole) and "3 of 5" in err
    assert ran(capsys, "--deals", "5", "--json", "--state", str(file))[1] == whole  # nothing left to play


def test_stopped_before_the_first_deal_there_is_nothing_to_count(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_plan: Plan, _number: int) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "play_deal", killed)
    code, out, err = ran(capsys, "--deals", "5")
    assert code == 2 and out.startswith("0 deals, 0 moves") and out.count("\n") == 1 and "0 of 5" in err


def test_a_simulation_in_a_thread_of_another_program(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the main thread of a process may say what a signal does: elsewhere the run goes without."""
    before, codes = signal.getsignal(signal.SIGTERM), list[int]()
    thread = threading.Thread(target=lambda: codes.append(main([*ARGS, "--deals", "2", "--json"])))
    thread.start()
    thread.join()
    out = capsys.readouterr().out
    assert codes == [0] and json.loads(out)["deals"] == 2 and signal.getsignal(signal.SIGTERM) is before
    assert out == ran(capsys, "--deals", "2", "--json")[1]


def test_a_disk_that_is_full_stops_the_run_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, real = tmp_path / "run.jsonl", Path.open

    def full(path: Path, mode: str = "r", **more: Any) -> Any:
        if mode == "a":
            raise OSError(28, "No space left on device")
        return real(path, mode, **more)

    monkeypatch.setattr(Path, "open", full)
    code, out, err = ran(capsys, "--deals", "2", "--state", str(file))
    assert (code, out) == (2, "") and "No space left on device" in err and err.count("\n") == 1


def test_matches_without_a_winner_are_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "match_summary", partial(match_summary, most=1))
    code, out, _ = ran(capsys, "--matches", "2", "--players", "2", "--option", "target=5005")
    assert code == 0 and "  2 without a winner" in out.splitlines()
    data = json.loads(ran(capsys, "--matches", "2", "--players", "2", "--option", "target=5005", "--json")[1])
    assert data["matches"]["unfinished"] == 2 and [m["winner"] for m in data["matches"]["results"]] == [None, None]


def test_another_plans_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    assert ran(capsys, "--deals", "1", "--state", str(file))[0] == 0
    for more in (["--seed", "4"], ["--option", "target=505"], ["--matches", "1"]):
        count = [] if "--matches" in more else ["--deals", "1"]
        code, out, err = ran(capsys, *count, *more, "--state", str(file))
        assert (code, out) == (2, "") and "of another simulation" in err and err.count("\n") == 1
    head = file.read_text(encoding="utf-8").splitlines()[0] + "\n"
    for words in ("hello", "[]\n", '{"format": "other"}\n', head + "hello\n", head + "3\n", head + '{"number": 0}\n'):
        file.write_text(words, encoding="utf-8")
        assert ran(capsys, "--deals", "1", "--state", str(file))[0] == 2
        assert file.read_text(encoding="utf-8") == words  # not ours: not touched


def test_csv_and_table_and_wrong_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = ran(capsys, "--deals", "3", "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and [row["deal"] for row in rows] == ["0", "1", "2"]
    deal = play_deal(PLAN, 2)
    assert [int(rows[2][f"points_{seat}"]) for seat in "NESW"] == list(deal.points)
    code, out, _ = ran(capsys, "--deals", "3", "--lang", "it")
    assert code == 0 and "punti a smazzata" in out and max(map(len, out.splitlines())) <= 80
    for wrong in (["--deals", "0"], ["--deals", "1", "--matches", "1"], ["--plot", "x.gif"], ["--workers", "0"],
                  ["--deals", "1", "--csv", str(tmp_path / "no" / "x.csv")]):  # fmt: skip
        assert ran(capsys, *wrong)[0] == 2


def test_plots(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    code, out, err = ran(capsys, "--deals", "1", "--plot", str(tmp_path / "x.svg"))
    assert (code, out) == (2, "") and "burraco[plot]" in err
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    for name, start in (("x.svg", b"<?xml"), ("x.png", b"\x89PNG")):
        assert ran(capsys, "--deals", "3", "--plot", str(tmp_path / name))[0] == 0
        assert (tmp_path / name).read_bytes().startswith(start)


def test_matches_are_the_same_with_workers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    args = ("--matches", "3", "--option", "target=505", "--players", "2", "--json")
    file = tmp_path / "matches.toml"
    one, two = ran(capsys, *args, "--record", str(file))[1], ran(capsys, *args, "--workers", "2")[1]
    data = json.loads(one)
    assert one == two and data["matches"]["count"] == 3 and sum(data["matches"]["won"].values()) == 3
    assert len(data["results"]) == data["deals"] == sum(m["deals"] for m in data["matches"]["results"])
    assert [f for f in lint(file.read_text(encoding="utf-8")) if f.level == "error"] == []


class Dies(Casuale):
    """Plays at random; the first worker processes that it plays in die of it."""

    parent = os.getpid()
    folder = Path()
    most = 1

    def choose(self, view: View, legal: Sequence[Action], rng: random.Random) -> Action:
        if os.getpid() != self.parent and len(list(self.folder.iterdir())) < self.most:
            (self.folder / str(os.getpid())).touch()
            os._exit(9)
        return super().choose(view, legal, rng)


@pytest.fixture
def dying(tmp_path: Path) -> Iterator[Plan]:
    """A plan with a bot that its workers die of; they know it because they are forks of this process."""
    import multiprocessing

    from scorer.game.bots import registry

    if multiprocessing.get_start_method() != "fork":
        pytest.skip("needs forked workers")
    Dies.folder, Dies.parent, Dies.most = tmp_path, os.getpid(), 1
    register("dies", lambda _budget: Dies())
    yield Plan(load_profile("vanikar"), 2, ("dies",), seed=1)
    del registry._MAKERS["dies"]


def test_a_worker_that_dies_costs_its_chunk_only(dying: Plan) -> None:
    lots = [unit for lot in run(dying, range(5), workers=2) for unit in lot]
    assert list(Dies.folder.iterdir()) and lots == [play_deal(dying, number) for number in range(5)]


def test_a_run_whose_workers_keep_dying_gives_up(dying: Plan) -> None:
    Dies.most = 1_000
    with pytest.raises(MatchError) as caught:
        list(run(dying, range(5), workers=2))
    assert caught.value.code == "workers_die" and MOST_DEATHS < len(list(Dies.folder.iterdir())) < 20


@pytest.mark.parametrize("each", [0.0005, 0.01, 0.1, 3.0])
@pytest.mark.parametrize("count", [3, 200, 100_000])
@pytest.mark.parametrize("workers", [2, 64])
def test_chunks_lose_under_five_per_cent(each: float, count: int, workers: int) -> None:
    size = chunk_size(each, count, workers)
    assert 1 <= size <= count
    assert size == count or size * each >= 20 * HANDOVER  # 1/20 is 5 %
    assert size * each <= max(LONGEST, each) or size == ceil(20 * HANDOVER / each)
