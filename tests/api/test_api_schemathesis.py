"""schemathesis over the whole document against a running server: no 5xx, every answer fits what is documented."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PROGRAM = shutil.which("st", path=str(Path(sys.executable).parent))


def run(server: Any, *options: str) -> str:
    command = [
        str(PROGRAM), "--config-file", str(HERE / "schemathesis.toml"), "run", server.base + "/openapi.json",
        "--checks", "all", "--seed", "7", "--warnings", "off", "--request-timeout", "90", *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    report = done.stdout[done.stdout.find("=== ") :]
    assert done.returncode == 0, report[-6000:]
    assert "Traceback" not in server.log.read_text()
    return report


@pytest.mark.long
@pytest.mark.skipif(PROGRAM is None, reason="schemathesis is not installed")
def test_every_operation_briefly(live_server: Any) -> None:
    """The examples of the document, and a few random requests to every operation."""
    run(live_server, "--phases", "examples,fuzzing", "--max-examples", "2")


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="schemathesis is not installed")
def test_the_whole_document(live_server: Any) -> None:
    """Every phase: examples, boundary values of every field, random requests, chains of requests along the links."""
    report = run(live_server, "--max-examples", "40", "--max-time", "600")
    assert "generated" in report
