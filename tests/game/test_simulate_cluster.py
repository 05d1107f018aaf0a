"""`--cluster` on a real Dask scheduler with two real workers on this machine: same bytes, and a worker may die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.game.chunks import chunks_of
from scorer.game.simulate import Plan, play_deal
from scorer.profile import load_profile

ROOT = Path(__file__).resolve().parents[2]


def test_without_the_extra_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import scorer.game.cluster as module

    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert main(["simulate", "--deals", "2", "--cluster", "tcp://127.0.0.1:1"]) == 2
    err = capsys.readouterr().err
    assert "burraco[cluster]" in err and err.count("\n") == 1


class Cluster:
    """A scheduler and two workers, each a process."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("distributed")
        self.file = folder / "scheduler.json"
        self.env = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_LOGGING__DISTRIBUTED": "error"}
        common = ["--scheduler-file", str(self.file), "--no-dashboard"]
        self.all = [self._start("scheduler", *common, "--host", "127.0.0.1", "--port", "0")]
        for name in ("one", "two"):
            more = ["--no-nanny", "--nthreads", "1", "--name", name, "--host", "127.0.0.1"]
            self.all.append(self._start("worker", *common, *more, "--local-directory", str(folder)))
        self.address = self._address()

    def _start(self, *args: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *args], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def _address(self) -> str:
        for _ in range(1200):
            if self.file.exists() and (words := self.file.read_text(encoding="utf-8")):
                return str(json.loads(words)["address"])
            time.sleep(0.1)
        raise AssertionError("no scheduler")

    def wait_for(self, workers: int) -> None:
        from distributed import Client

        with Client(self.address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)

    def stop(self) -> None:
        for process in self.all:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        made.wait_for(2)
        yield made
    finally:
        made.stop()


@pytest.mark.long
def test_the_same_bytes_from_a_cluster(cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["simulate", "--rules", "vanikar", "--deals", "12", "--seed", "5", "--json", "--no-timing"]
    assert main(args) == 0
    alone = capsys.readouterr().out
    assert main([*args, "--cluster", cluster.address]) == 0
    assert capsys.readouterr().out == alone


@pytest.mark.long
def test_a_killed_worker_costs_its_chunk(cluster: Cluster) -> None:
    from scorer.game.cluster import on_cluster

    plan = Plan(load_profile("vanikar"), 2, seed=6)
    lots = on_cluster(cluster.address, lambda threads: chunks_of(plan, range(30), 2, matches=False))
    done = list(next(lots))
    os.kill(cluster.all[1].pid, signal.SIGKILL)
    for lot in lots:
        done += lot
    assert sorted(done) == [play_deal(plan, number) for number in range(30)]
    assert cluster.all[1].wait(5) == -signal.SIGKILL


@pytest.mark.long
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_an_address_where_nobody_answers(
    address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    import scorer.game.cluster as module

    monkeypatch.setattr(module, "PATIENCE", 1)
    assert main(["simulate", "--deals", "2", "--cluster", address]) == 2
    err = capsys.readouterr().err
    assert "no scheduler answers" in err and err.count("\n") == 1
