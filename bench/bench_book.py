"""How fast the match book is with a match of ten thousand deals, in processes that have never seen it.

`python bench/bench_book.py [--deals N] [--rounds R]`: an SQLite file with one long match; then, each in a fresh
process, `burraco serve` (the first page once `/readyz` says 200, later pages, the first deal added, a correction of
the first deal) and `burraco match show` of one page. Prints medians over the rounds: elapsed, and processor time,
which a busy machine changes less.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.bench_api import Server, free_port  # noqa: E402  (the path is set above)

#: Elapsed and processor seconds by what was done.
Timed = dict[str, tuple[float, float]]
COMMAND = [sys.executable, "-c", "from scorer.cli import main; raise SystemExit(main())"]
#: In a fresh process: pages and a deal as the command line asks for them; elapsed and processor seconds.
INSIDE = """
import sys, time
from api.matchbook import MatchBook
from api.store import Store
book = MatchBook(Store(sys.argv[1]))
for what in (lambda: book.view("long", first=4001, most=200), lambda: book.view("long", first=4001, most=200),
             lambda: book.add("long", {"form": "total", "points": [5, -5]})):
    began, cpu = time.perf_counter(), time.process_time()
    what()
    print(time.perf_counter() - began, time.process_time() - cpu)
"""


def entry(number: int) -> dict[str, Any]:
    """A deal that leaves the totals about where they are, every tenth one void."""
    points = 5 * (number % 7) - 15
    return {"form": "void"} if number % 10 == 0 else {"form": "total", "points": [points, -points]}


def fill(url: str, deals: int) -> str:
    """A match of many deals; gives its view token."""
    from api.matchbook import MatchBook
    from api.store import Store

    book = MatchBook(Store(url))
    rows = [{"seq": n, "kind": "deal", "payload": {"entry": entry(n)}} for n in range(1, deals + 1)]
    info = {"options": {"target": 3005}}
    made = book.restore({"format": "burraco-match/1", "id": "long", "info": info, "events": rows})
    book.store.close()
    return made.edit_token


def forget(url: str) -> None:
    """Throw the snapshot away."""
    from sqlalchemy import text

    from api.store import Store

    store = Store(url)
    with store.engine.begin() as connection:
        connection.execute(text("DELETE FROM snapshots"))
    store.close()


class Asker:
    """One kept-open connection; each request gives (elapsed, processor) seconds."""

    def __init__(self, server: Server, token: str) -> None:
        self.server, self.token = server, token
        self.line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def used(self) -> float:
        """Processor seconds of the server's threads so far, to the microsecond."""
        tasks = Path(f"/proc/{self.server.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def __call__(self, method: str, path: str, body: Any = None) -> tuple[float, float]:
        head = {"X-Match-Token": self.token, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body)
        began, cpu = time.perf_counter(), self.used()
        self.line.request(method, path, data, head)
        answer = self.line.getresponse()
        size = len(answer.read())
        took = time.perf_counter() - began, self.used() - cpu
        assert answer.status < 300, (answer.status, size)
        return took

    def ready(self) -> None:
        """Wait until the server says that it is ready."""
        for _ in range(600):
            self.line.request("GET", "/readyz")
            answer = self.line.getresponse()
            answer.read()
            if answer.status == 200:
                return
            time.sleep(0.1)


def served(folder: Path, token: str) -> Timed:
    """One fresh server."""
    port = free_port()
    server = Server([*COMMAND, "serve", "--port", str(port)], port,
                    {"BURRACO_PHOTO_WORKERS": "0", "BURRACO_DATA_DIR": str(folder)})  # fmt: skip
    try:
        ask = Asker(server, token)
        ask.ready()
        deal = {"entry": {"form": "total", "points": [5, -5]}}
        found = {"HTTP, first page of a fresh process": ask("GET", "/v1/matches/long?first=4001")}
        later = [ask("GET", f"/v1/matches/long?first={n}") for n in range(1, 9000, 900)]
        found["HTTP, a later page"] = (median(t for t, _ in later), sum(c for _, c in later) / len(later))
        found["HTTP, first deal added"] = ask("POST", "/v1/matches/long/deals", deal)
        adds = [ask("POST", "/v1/matches/long/deals", deal) for _ in range(10)]
        found["HTTP, a later deal added"] = (median(t for t, _ in adds), sum(c for _, c in adds) / len(adds))
        found["HTTP, the first deal corrected"] = ask("PUT", "/v1/matches/long/deals/1", deal)
        return found
    finally:
        server.stop()


def inside(url: str) -> Timed:
    """A fresh process, its first pages and its first deal."""
    lines = subprocess.run([sys.executable, "-c", INSIDE, url], capture_output=True, text=True, check=True, cwd=ROOT,
                           env={**os.environ, "PYTHONPATH": str(ROOT)}).stdout.split("\n")  # fmt: skip
    first, second, added = (tuple(map(float, line.split())) for line in lines[:3])
    return {
        "in a fresh process, the first page": (first[0], first[1]),
        "in a fresh process, the second page": (second[0], second[1]),
        "in a fresh process, a deal added": (added[0], added[1]),
    }


def commanded(folder: Path, url: str) -> Timed:
    """Fresh command processes."""
    return {
        **inside(url),
        "burraco match show, the whole command": process(
            folder, "match", "show", "--match", "long", "--first", "4001", "--most", "200"
        ),
        "burraco match list of no match, the whole command": process(folder / "empty", "match", "list"),
    }


def process(folder: Path, *words: str) -> tuple[float, float]:
    """Elapsed and processor seconds of a command."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "BURRACO_DATA_DIR": str(folder)}
    began, cpu = time.perf_counter(), os.times()
    subprocess.run([*COMMAND, *words], check=True, capture_output=True, env=env, cwd=ROOT)
    now = os.times()
    used = now.children_user - cpu.children_user + now.children_system - cpu.children_system
    return time.perf_counter() - began, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--url", help="an empty database of another kind: only the figures in fresh processes")
    args = parser.parse_args()
    if args.url:
        fill(args.url, args.deals)
        tell([inside(args.url) for _ in range(args.rounds)])
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{(folder / 'burraco.db').as_posix()}"
        token = fill(url, args.deals)
        runs: list[Timed] = []
        steps: list[Callable[[], Timed]] = [
            lambda: served(folder, token), lambda: commanded(folder, url)]  # fmt: skip
        for _ in range(args.rounds):
            runs.append({key: value for step in steps for key, value in step().items()})
            forget(url)
            rebuilt = commanded(folder, url)
            runs[-1]["the first page without a snapshot"] = rebuilt["in a fresh process, the first page"]
        tell(runs)


def tell(runs: list[Timed]) -> None:
    """The median of each figure."""
    for key in runs[0]:
        elapsed, used = (median(run[key][n] for run in runs) * 1e3 for n in (0, 1))
        print(f"{key:50} {elapsed:8.1f} ms elapsed {used:8.1f} ms of processor time")


if __name__ == "__main__":
    main()
