"""A stopped run goes on: what passed is left out, what failed or rests on changed sources is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parents[2]
TESTS = """
from pathlib import Path

def test_good():
    print("ran good")

def test_bad():
    print("ran bad")
    assert Path("mended").exists()
"""


def run(folder: Path, *more: str) -> tuple[int, set[str]]:
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "tests.resume", "--resume", "done.txt", *more, "tests"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, {name for name in ("good", "bad") if f"ran {name}" in done.stdout}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"scorer/one.py": "", "tests/game/test_it.py": TESTS, "pytest.ini": "[pytest]\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_run_goes_on_where_it_was_stopped(project: Path) -> None:
    assert run(project) == (1, {"good", "bad"})
    assert run(project) == (1, {"bad"})
    (project / "mended").touch()
    assert run(project) == (0, {"bad"})
    assert run(project) == (0, set())
    (project / "scorer" / "one.py").write_text("changed = True\n")
    assert run(project) == (0, {"good", "bad"})


def test_two_processes_write_one_file(project: Path) -> None:
    (project / "mended").touch()
    assert run(project, "-n", "2")[0] == 0
    assert len((project / "done.txt").read_text().splitlines()) == 2
    assert run(project) == (0, set())
