"""The examples of docs/notation.md run, and its table of clashes says what the reader does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from scorer.errors import NotationError
from scorer.notation import parse_meld

PAGE = Path(__file__).parents[2] / "docs" / "notation.md"


def test_the_examples_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted >= 8 and results.failed == 0


def rows() -> list[tuple[str, str, str]]:
    section = PAGE.read_text("utf-8").split("### Every clash")[1].split("## 3.")[0]
    found = re.findall(r"^\| (`.+?) \| (.+?) \| (.+?) \|", section, re.M)
    return [(text, english, italian) for cell, english, italian in found for text in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize(("text", "english", "italian"), rows())
def test_a_row_of_the_table_of_clashes(text: str, english: str, italian: str) -> None:
    for lang, says in (("en", english), ("it", italian)):
        try:
            parse_meld(text, lang)
        except NotationError as error:
            assert "error" in says or "suggests" in says, (text, lang, error.message)
            assert ("names `lang:" in says) == (error.code == "other_language"), (text, lang, error.message)
            assert ("mixed" in says) == (error.code == "mixed_languages")
            assert "suggests" not in says or error.suggestion, (text, lang)
        else:
            assert "error" not in says, (text, lang)
