"""How fast the HTTP API answers, against a bare FastAPI route that echoes the same request model.

`python bench/bench_api.py [--seconds S] [--rounds N] [--photos]`: one server process each on a free port of this
machine, 16 kept-open connections, rounds in turn so that a busy machine slows both alike. Scores are asked for twice:
2,000 random tables (eleven melds, four hands), each another one, to a server that remembers no meld, to one as it is
shipped, and one table again and again, as the page does after each correction. Prints requests a second, the processor
time of the server for one request (which a busy machine changes less), and the two ratios; then the answers at four
times the sustainable rate, and with `--photos` the 99th percentile of scoring under photo load.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle, repeat
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.tables import random_tables  # noqa: E402  (the path is set above)

CONNECTIONS = 16
PHOTO = ROOT / "samples" / "photos" / "table_1.jpg"
MELD = {"cards": "4h 5h 6h 2s 8h 9h 10h", "rules": "vanikar", "options": {}, "lang": "en"}
SIDE_A = ["4h-10h", "Kh Kd Ks 2c", "3c 4c 5c 6c 7c", "8s 9s 10s Js", "5d 5h 5s", "Qd Kd Ad"]
SIDE_B = ["3c 4c 5c 6c 2s 8c 9c", "9d:hdc", "Jc Qc Kc", "7s 7d 7h JK", "6d 7d 8d", "As Ac Ah"]
TABLE = {
    "rules": "vanikar",
    "sides": [
        {"name": "Noi", "players": ["Anna", "Bruno"], "melds": SIDE_A, "hand": ["", "8d 9d"], "closed": True,
         "closed_by": "Anna", "pozzetto": "played"},
        {"name": "Loro", "players": ["Carla", "Dino"], "melds": [m for m in SIDE_B if ":" not in m],
         "hand": ["JK Ad 2h", "4s"], "pozzetto": "not_taken"},
    ],
}  # fmt: skip

ECHO = """
from fastapi import FastAPI
from api.schemas import MeldRequest, ScoreRequest
app = FastAPI()
@app.post("/v1/melds")
async def melds(body: MeldRequest) -> MeldRequest:
    return body
@app.post("/v1/scores")
async def scores(body: ScoreRequest) -> ScoreRequest:
    return body
"""


#: Makes a server remember no meld from one request to the next.
FORGET = (
    "import scorer.contract as c; c._kept_meld, c.kept_verdict = c.parse_meld, c.check_meld; "
    "import api.answers as a; a.kept_verdict_json = c.verdict_json"
)


class Outcome(NamedTuple):
    """One run: requests a second, server processor seconds a request, latencies in seconds, answers by status."""

    rate: float
    cpu: float
    times: list[float]
    statuses: dict[int, int]


class Server:
    """A server process on a free port."""

    def __init__(self, command: list[str], port: int, env: dict[str, str] | None = None) -> None:
        self.port = port
        variables = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        self.process = subprocess.Popen(command, env=variables, cwd=ROOT, stderr=subprocess.DEVNULL)
        self._wait()

    def _wait(self) -> None:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the server did not start")

    def cpu(self) -> float:
        """Processor seconds used so far by the server process itself (photo processes apart)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def photo_cpu(self) -> float:
        """Processor seconds used so far by its photo processes."""
        used = 0.0
        for children in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            for pid in children.read_text().split():
                fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return used

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()  # a photo that is being read may take longer; its process ends with the server
            self.process.wait(15)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def echo_server(folder: Path) -> Server:
    (folder / "bench_echo.py").write_text(ECHO)
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench_echo:app", "--port", str(port), "--no-access-log",
               "--log-level", "error", "--app-dir", str(folder)]  # fmt: skip
    return Server(command, port)


def own_server(before: str = "", **env: str) -> Server:
    """`burraco serve`; `before` is a line of Python that runs first."""
    port = free_port()
    code = f"{before}; from scorer.cli import main; raise SystemExit(main())".lstrip("; ")
    command = [sys.executable, "-c", code, "serve", "--port", str(port)]
    return Server(command, port, {"BURRACO_PHOTO_WORKERS": "0", **env})


class Client(asyncio.Protocol):
    """One kept-open connection that sends the next request when the last one is answered."""

    def __init__(self, requests: Iterator[bytes], until: float, outcome: Outcome) -> None:
        self.requests, self.until, self.outcome = requests, until, outcome
        self.done = asyncio.get_running_loop().create_future()
        self.data = b""
        self.sent = 0.0

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._send()

    def _send(self) -> None:
        self.sent = time.perf_counter()
        self.transport.write(next(self.requests))

    def data_received(self, data: bytes) -> None:
        self.data += data
        head, found, rest = self.data.partition(b"\r\n\r\n")
        if not found:
            return
        at = head.lower().index(b"content-length:") + 15
        if len(rest) < int(head[at:].split(b"\r\n", 1)[0]):
            return
        now = time.perf_counter()
        status = int(head[9:12])
        self.outcome.times.append(now - self.sent)
        self.outcome.statuses[status] = self.outcome.statuses.get(status, 0) + 1
        self.data = b""
        if now < self.until:
            self._send()
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None:
            self.outcome.statuses[0] = self.outcome.statuses.get(0, 0) + 1
        if not self.done.done():
            self.done.set_result(None)


def http(path: str, body: Any) -> bytes:
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n"
    )
    return head.encode() + b"\r\n" + data


async def _load(port: int, requests: Iterator[bytes], seconds: float, connections: int) -> Outcome:
    outcome = Outcome(0.0, 0.0, [], {})
    loop = asyncio.get_running_loop()
    until = time.perf_counter() + seconds
    made = [
        loop.create_connection(lambda: Client(requests, until, outcome), "127.0.0.1", port) for _ in range(connections)
    ]
    clients = [protocol for _, protocol in await asyncio.gather(*made)]
    await asyncio.wait_for(asyncio.gather(*(client.done for client in clients)), seconds + 60)
    return outcome


def load(server: Server, path: str, bodies: list[Any], seconds: float, connections: int = CONNECTIONS) -> Outcome:
    """Keep a server busy for some seconds, with the bodies in turn."""
    requests = cycle([http(path, body) for body in bodies])
    cpu, began = server.cpu(), time.perf_counter()
    outcome = asyncio.run(_load(server.port, requests, seconds, connections))
    took = time.perf_counter() - began
    count = len(outcome.times)
    return outcome._replace(rate=count / took, cpu=(server.cpu() - cpu) / max(1, count))


def compare(
    own: Server, echo: Server, path: str, bodies: list[Any], seconds: float, rounds: int, what: str = ""
) -> tuple[float, float]:
    """Rate and processor-time ratio of our route to the echo, in rounds taken in turn."""
    mine, theirs = [], []
    for _ in range(rounds):
        theirs.append(load(echo, path, bodies, seconds))
        mine.append(load(own, path, bodies, seconds))
    for name, runs in (("echo", theirs), ("burraco", mine)):
        wrong = {s: n for run in runs for s, n in run.statuses.items() if s != 200}
        rate, cpu = median(r.rate for r in runs), median(r.cpu for r in runs)
        print(f"{path:12} {name:8} {rate:8.0f} requests/s {cpu * 1e6:7.0f} us of processor each; not 200: {wrong}")
    by_rate = median(m.rate / t.rate for m, t in zip(mine, theirs, strict=True))
    by_cpu = median(t.cpu / m.cpu for m, t in zip(mine, theirs, strict=True))
    print(f"{path:12} {what} ratio by rate {by_rate:.0%}, by processor time {by_cpu:.0%}")
    return by_rate, by_cpu


def overload(own: Server, seconds: float) -> None:
    """Four times as many connections as keep it busy: nothing but queueing (or 503)."""
    outcome = load(own, "/v1/melds", [MELD], seconds, CONNECTIONS * 4)
    times = sorted(outcome.times)
    print(f"overload     {outcome.rate:8.0f} requests/s from {CONNECTIONS * 4} connections: {outcome.statuses}, "
          f"median {times[len(times) // 2] * 1e3:.1f} ms, slowest {times[-1] * 1e3:.1f} ms")  # fmt: skip


# --- scoring while photos are read ---------------------------------------------------------------------------------


class Paced(Client):
    """A connection that sends a request every `pause` seconds, so that the server is busy but not flooded."""

    pause = 0.02

    def _send(self) -> None:
        asyncio.get_running_loop().call_later(self.pause, self._now)

    def _now(self) -> None:
        if not self.transport.is_closing():
            super()._send()


def photo_request() -> bytes:
    """A sample photo as a multipart request."""
    part = b'--b\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'
    body = part + PHOTO.read_bytes() + b"\r\n--b--\r\n"
    kind = "host: x\r\ncontent-type: multipart/form-data; boundary=b"
    head = f"POST /v1/photos HTTP/1.1\r\n{kind}\r\ncontent-length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


async def _paced(port: int, seconds: float, photo: bytes | None) -> tuple[Outcome, Outcome]:
    """Scores asked for at a steady pace, after (and while) three clients send photos, each again and again."""
    scores, photos = Outcome(0.0, 0.0, [], {}), Outcome(0.0, 0.0, [], {})
    loop = asyncio.get_running_loop()
    requests = cycle([http("/v1/scores", table) for table in random_tables(500)])
    senders: list[Client] = []
    if photo is not None:
        far = time.perf_counter() + 3600
        made = [loop.create_connection(lambda: Client(repeat(photo), far, photos), "127.0.0.1", port) for _ in range(3)]
        senders = [protocol for _, protocol in await asyncio.gather(*made)]
        await asyncio.sleep(1.0)  # the first of them is being read by now
    until = time.perf_counter() + seconds
    paced = [loop.create_connection(lambda: Paced(requests, until, scores), "127.0.0.1", port) for _ in range(4)]
    clients = [protocol for _, protocol in await asyncio.gather(*paced)]
    await asyncio.wait_for(asyncio.gather(*(client.done for client in clients)), seconds + 120)
    for sender in senders:
        sender.transport.abort()
    return scores, photos


def _p99(outcome: Outcome) -> float:
    return sorted(outcome.times)[int(len(outcome.times) * 0.99)] * 1e3


def under_photos(seconds: float, rounds: int) -> float:
    """The 99th percentile of scoring with photos being read, against that without, in rounds taken in turn.

    Each round has a fresh server for the photos, which is killed after it, so that none is being read meanwhile.
    """
    alone = own_server()
    ratios = []
    try:
        for _ in range(rounds):
            beside = own_server(BURRACO_PHOTO_WORKERS="1", BURRACO_PHOTO_QUEUE="8")
            try:
                asyncio.run(_paced(beside.port, 0.5, None))
                before = beside.photo_cpu()
                with_photos, photos = asyncio.run(_paced(beside.port, seconds, photo_request()))
                used = beside.photo_cpu() - before
            finally:
                beside.stop()
            asyncio.run(_paced(alone.port, 0.5, None))
            without, _ = asyncio.run(_paced(alone.port, seconds, None))
            ratios.append(_p99(with_photos) / _p99(without))
            print(f"scores p99   {_p99(without):.1f} ms alone, {_p99(with_photos):.1f} ms while photos were read "
                  f"({len(photos.times)} done, {used:.1f} s of processor): {ratios[-1]:.2f} times")  # fmt: skip
    finally:
        alone.stop()
    return median(ratios)


def main() -> None:
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of each run")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each server")
    parser.add_argument("--photos", action="store_true", help="measure scoring under photo load instead")
    args = parser.parse_args()
    if args.photos:
        print(f"scores p99   with photos {under_photos(args.seconds * 2, args.rounds):.2f} times that without")
        return
    with tempfile.TemporaryDirectory() as folder:
        echo, own = echo_server(Path(folder)), own_server()
        try:
            compare(own, echo, "/v1/melds", [MELD], args.seconds, args.rounds)
            tables = random_tables(2000)
            forgetful = own_server(before=FORGET)
            try:
                compare(forgetful, echo, "/v1/scores", tables, args.seconds, args.rounds, "distinct, no memory:")
            finally:
                forgetful.stop()
            compare(own, echo, "/v1/scores", tables, args.seconds, args.rounds, "distinct tables:")
            compare(own, echo, "/v1/scores", [TABLE], args.seconds, args.rounds, "one table again:")
            overload(own, args.seconds)
        finally:
            echo.stop()
            own.stop()


if __name__ == "__main__":
    main()
