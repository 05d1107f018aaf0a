"""Fixtures of the browser tests: `burraco serve` in a process of its own and Debian's Chromium."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="needs the dev extra")

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
#: A refused write is part of some tests; the browser reports each as an error of its own.
HARMLESS = ("Failed to load resource", "net::ERR_INTERNET_DISCONNECTED", "ERR_FAILED")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def start(folder: Path, **settings: Any) -> tuple[subprocess.Popen[bytes], str]:
    """A server on a free port of this machine; its address."""
    port = free_port()
    env = {key: value for key, value in os.environ.items() if not key.startswith("BURRACO_")}
    stated = {
        "data_dir": folder,
        "photo_module": "tests.browser.photo_fake",
        "photo_workers": 1,
        "photo_nice": 0,
        "photo_seconds": 120,
        **settings,
    }
    env |= {f"BURRACO_{key.upper()}": str(value) for key, value in stated.items()} | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", "import sys; from scorer.cli import main; sys.exit(main())", "serve"]
    log = (folder / "server.log").open("wb")
    process = subprocess.Popen([*command, "--port", str(port)], cwd=ROOT, env=env, stdout=log, stderr=log)
    base = f"http://localhost:{port}"
    for _ in range(3000):  # a busy machine
        try:
            with urllib.request.urlopen(base + "/healthz", timeout=2):
                return process, base
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise AssertionError((folder / "server.log").read_text()[-3000:])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    process, base = start(tmp_path_factory.mktemp("serve"))
    yield base
    process.send_signal(signal.SIGTERM)
    process.wait(30)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no chromium on this machine (Debian: apt-get install chromium)")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Any, server: str) -> Iterator[Callable[..., Any]]:
    """`open_page("#/rules", lang="it")`: a phone of its own; at the end no script may have failed on any of them."""
    contexts, faults = [], []

    def make(path: str = "", *, lang: str = "en", desktop: bool = False, **options: Any) -> Any:
        locale = {"en": "en-GB", "it": "it-IT"}[lang]
        context = browser.new_context(**(DESKTOP if desktop else PHONE), locale=locale, base_url=server, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(45_000)  # a busy machine must not fail them
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on("console", lambda said: said.type == "error" and not any(word in said.text for word in HARMLESS)
                and faults.append(f"console: {said.text}"))  # fmt: skip
        page.goto("/" + path)
        page.wait_for_selector("main")
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []
