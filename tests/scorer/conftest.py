"""The command run inside the test process: arguments and bytes in, exit code and both outputs out."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from scorer.cli import main


class Ran(NamedTuple):
    """What a run of the command gave."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def burraco(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """`burraco("meld", "4h 5h 6h", stdin=b"")` runs the command; it must not let any exception out."""

    def run(*args: str, stdin: bytes | str = b"") -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        code = main(list(args))
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err + captured.out
        return Ran(code, captured.out, captured.err)

    return run
