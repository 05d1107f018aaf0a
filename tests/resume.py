"""A run of hours that may be stopped: `-p tests.resume --resume FILE` leaves out the tests that FILE says have passed.

FILE holds a line for each test that passed: the fingerprint of the sources it rests on, and its name. A change of any
of these sources makes the line worthless, and the test runs again. Delete FILE to begin anew.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import pytest

RESTS_ON: dict[str, tuple[str, ...]] = {
    "api": ("api",),
    "browser": ("api", "vision", "models"),
    "packaging": ("api", "vision", "models", "docs"),
    "vision": ("vision", "models"),
}
"""Folders that the tests of a folder rest on, besides `scorer`, `tests/oracle` and their own."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--resume FILE`."""
    parser.addoption("--resume", type=Path, default=None, help="leave out what passed before by this file; add to it")


def pytest_configure(config: pytest.Config) -> None:
    """Take part where a file is named."""
    path = config.getoption("resume")
    if path is not None:
        config.pluginmanager.register(Resume(config.rootpath, path, hasattr(config, "workerinput")), "resumed run")


@functools.cache
def fingerprint(root: Path, folder: str) -> str:
    """Return twelve hex digits that change with any file that the tests of `tests/FOLDER` rest on."""
    seen = hashlib.sha256()
    for part in ("scorer", "tests/oracle", f"tests/{folder}", *RESTS_ON.get(folder, ())):
        for path in sorted((root / part).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(root).as_posix()
                seen.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return seen.hexdigest()[:12]


class Resume:
    """What passed before, and what passes now."""

    def __init__(self, root: Path, path: Path, worker: bool) -> None:
        self.root, self.path, self.worker = root, path, worker
        self.passed: set[str] = set()
        self.before = set(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else set()

    def line(self, name: str) -> str:
        """What the file says of a test that passed on these sources."""
        parts = Path(name.split("::")[0]).parts
        return f"{fingerprint(self.root, parts[1] if len(parts) > 2 else '')} {name}"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what passed before."""
        done = [item for item in items if self.line(item.nodeid) in self.before]
        items[:] = [item for item in items if item not in done]
        config.hook.pytest_deselected(items=done)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write a test down when it is over and nothing failed."""
        if self.worker or report.outcome != "passed":
            self.passed.discard(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid in self.passed:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as out:
                out.write(self.line(report.nodeid) + "\n")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """All having passed before is no failure."""
        if self.before and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
