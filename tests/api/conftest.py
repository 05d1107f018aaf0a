"""Fixtures of the API tests: an application in this process, and a real server on a free port of this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="needs the api extra")

ROOT = Path(__file__).resolve().parents[2]
STUB = "tests.api.photo_stub"


class LiveServer:
    """`burraco serve` in a process of its own; `log` holds what it wrote."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.port: int = port
        self.log = folder / f"server-{port}.log"
        stated = {
            "data_dir": folder,
            "photo_module": STUB,
            "photo_workers": 1,
            "photo_nice": 0,
            "page": False,
            **settings,
        }
        env = {key: value for key, value in os.environ.items() if not key.startswith("BURRACO_")}
        env |= {f"BURRACO_{key.upper()}": str(value) for key, value in stated.items()}
        env["PYTHONPATH"] = str(ROOT)
        command = [sys.executable, "-c", "import sys; from scorer.cli import main; sys.exit(main())", "serve"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([*command, "--port", str(port)], cwd=ROOT, env=env, stdout=log, stderr=log)
        self._wait()

    def _wait(self) -> None:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                if httpx.get(self.base + "/readyz", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"the server did not start: {self.log.read_text()[-3000:]}")

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.base, timeout=90, **options)

    def children(self) -> list[int]:
        """Process ids of the photo processes."""
        found = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(self.process.pid)], capture_output=True, text=True, check=False
        ).stdout.splitlines()
        return [int(line.split()[0]) for line in found if "photo_worker" in line]

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(40)


@pytest.fixture(scope="session")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., LiveServer]]:
    """Start servers with settings; all are stopped at the end."""
    started: list[LiveServer] = []

    def start(**settings: Any) -> LiveServer:
        server = LiveServer(tmp_path_factory.mktemp("server"), **settings)
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def live_server(start_server: Callable[..., LiveServer]) -> LiveServer:
    """One server with default settings for the whole session."""
    return start_server()


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The application in this process, without photo processes."""
    with make_client(data_dir=tmp_path_factory.mktemp("data")) as made:
        yield made


def make_client(**settings: Any) -> Any:
    """A client of an application in this process with some settings; use it as a context manager."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from fastapi.testclient import TestClient

    from api.app import create_app
    from api.settings import Settings

    stated: dict[str, Any] = {"photo_workers": 0, "access_log": False, "page": False, **settings}
    return TestClient(create_app(Settings(_env_file=None, **stated)), raise_server_exceptions=False)


@pytest.fixture
def client_with() -> Callable[..., Any]:
    """`client_with(api_keys="k")` makes a client of an application with these settings."""
    return make_client
