"""Victory Points: how a difference of Match Points becomes 10-10 to 20-0, by a table that is data.

>>> vp_table("deals-3").points(820, 0)
(17, 3)
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from scorer.errors import MatchError
from scorer.messages import text


class VictoryTable(NamedTuple):
    """`upper[k]`: the largest difference, in points, that still gives (10 + k, 10 - k); beyond all of them 20-0."""

    name: str
    deals: int
    upper: tuple[int, ...]
    source: str

    def points(self, a: int, b: int) -> tuple[int, int]:
        """Victory Points of two totals of Match Points; they always sum to 20."""
        margin = abs(a - b)
        step = next((k for k, limit in enumerate(self.upper) if margin <= limit), len(self.upper))
        return (10 + step, 10 - step) if a >= b else (10 - step, 10 + step)


def read_tables(words: str) -> dict[str, VictoryTable]:
    """The tables of a TOML text (a tournament may bring its own); MatchError says what is wrong with it."""
    try:
        data = tomllib.loads(words)
    except tomllib.TOMLDecodeError as error:
        raise _refuse("not_toml", error=str(error)) from None
    return {name: _table(name, entry) for name, entry in data.items()}


def _refuse(fault: str, **params: object) -> MatchError:
    detail = text(f"fault.{fault}", "en", **params)
    return MatchError(text("bad_vp_table", "en", detail=detail), code="bad_vp_table", fault=fault, **params)


def _table(name: str, entry: Any) -> VictoryTable:
    fault = ""
    if not isinstance(entry, Mapping) or set(entry) - {"deals", "upper", "source"}:
        fault = "vp_keys"
    else:
        upper, deals = entry.get("upper"), entry.get("deals")
        if not isinstance(upper, list) or len(upper) != 10 or not _rising(upper):
            fault = "vp_upper"
        elif type(deals) is not int or deals < 1:
            fault = "vp_deals"
    if fault:
        raise _refuse(fault, name=name)
    return VictoryTable(name, entry["deals"], tuple(entry["upper"]), str(entry.get("source", "house table")))


def _rising(numbers: list[Any]) -> bool:
    return all(type(n) is int and n >= 0 for n in numbers) and sorted(set(numbers)) == numbers


@lru_cache(maxsize=1)
def shipped_tables() -> dict[str, VictoryTable]:
    """The tables that ship: three and four deals. Those of two deals and of teams were not found in any source."""
    path = resources.files("scorer") / "tables" / "victory_points.toml"
    return read_tables(path.read_text(encoding="utf-8"))


def vp_table(name: str) -> VictoryTable:
    """A shipped table by name; MatchError lists the known ones."""
    tables = shipped_tables()
    if name not in tables:
        known = ", ".join(tables)
        raise MatchError(
            f"unknown Victory Points table {name!r}. Known: {known}", code="unknown_vp_table", name=name, known=known
        )
    return tables[name]
