"""The examples in docstrings run and say what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [file for package in ("scorer", "vision", "api") for file in sorted((ROOT / package).rglob("*.py"))]
SHOWING = [file for file in FILES if "\n>>> " in (words := file.read_text(encoding="utf-8")) or " >>> " in words]


@pytest.mark.parametrize("file", SHOWING, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_examples_of_a_module(file: Path) -> None:
    if "torch" in file.read_text(encoding="utf-8") and "train" in file.parts:
        pytest.importorskip("torch")
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    failed, tried = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried and not failed
