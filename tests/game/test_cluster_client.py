"""The client of a cluster against a Dask that is played here; the real one is in `test_simulate_cluster.py`."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import scorer.game.cluster as module
from scorer.errors import BurracoError
from scorer.game.chunks import chunks_of
from scorer.game.simulate import Plan, play_deal
from scorer.profile import load_profile

PLAN = Plan(load_profile("vanikar"), 2, seed=6)


class Client:
    """A cluster of two threads that plays a chunk when it is sent."""

    loop = None
    made: Client

    def __init__(self, address: str, **_more: object) -> None:
        if address.startswith("tcp://nobody"):
            raise OSError("Timed out\nmore")
        self.address, self.closed, self.most, self.out = address, False, 0, 0
        Client.made = self

    def wait_for_workers(self, _count: int, timeout: float) -> None:
        if self.address == "tcp://empty":
            raise TimeoutError(timeout)

    def nthreads(self) -> dict[str, int]:
        return {"one": 1, "two": 1}

    def submit(self, work: Callable[[Any], Any], chunk: Any, **_more: object) -> Any:
        if self.address == "tcp://old":
            raise ModuleNotFoundError("No module named 'scorer'")
        self.out += 1
        self.most = max(self.most, self.out)
        return work(chunk)

    def close(self, timeout: float) -> None:
        self.closed = timeout > 0


class Coming(deque[Any]):
    """Results as they are done: here the last that was sent comes first."""

    def __init__(self, **_more: object) -> None:
        super().__init__()

    def add(self, result: Any) -> None:
        self.append(result)

    def __iter__(self) -> Iterator[Any]:
        while self:
            Client.made.out -= 1
            yield None, self.pop()


@pytest.fixture(autouse=True)
def dask(monkeypatch: pytest.MonkeyPatch) -> None:
    played = ModuleType("distributed")
    played.__dict__.update(Client=Client, as_completed=Coming)
    monkeypatch.setitem(sys.modules, "distributed", played)
    monkeypatch.setattr(module, "find_spec", lambda name: name)


def played(address: str) -> list[Any]:
    lots = module.on_cluster(address, lambda threads: chunks_of(PLAN, range(7), threads // 2, matches=False))
    return [unit for lot in lots for unit in lot]


def test_every_chunk_comes_back_and_only_a_few_are_out() -> None:
    assert sorted(played("tcp://here")) == [play_deal(PLAN, number) for number in range(7)]
    assert Client.made.closed and Client.made.most == 4


@pytest.mark.parametrize(
    ("address", "code"),
    [("tcp://nobody\x07", "cluster_silent"), ("tcp://empty", "cluster_empty"), ("tcp://old", "cluster_workers_differ")],
)
def test_a_cluster_that_cannot_play(address: str, code: str) -> None:
    with pytest.raises(BurracoError) as caught:
        played(address)
    assert caught.value.code == code and len(str(caught.value).splitlines()) == 1
    assert code == "cluster_silent" or Client.made.closed
