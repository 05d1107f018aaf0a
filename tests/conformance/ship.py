"""Writes the cases that ship with the package (`scorer/conformance`) from the facts beside this file.

`python tests/conformance/ship.py`, after a fact was added; `tests/scorer/test_conformance_runner.py` says when.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SHIPPED = HERE.parents[1] / "scorer" / "conformance"
FORMAT = "burraco-conformance/1"
MELD_FILES = ("melds.jsonl", "more_melds.jsonl", "known_faults.jsonl")
DEAL_FILES = ("hands.jsonl", "more_hands.jsonl")
MELD_FIGURES = ("legal", "type", "doubled", "card_points", "bonus", "total")


def facts(*names: str) -> Iterator[dict[str, Any]]:
    """The facts of some files, in order."""
    for name in names:
        for line in (HERE / name).read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def meld_case(fact: dict[str, Any]) -> dict[str, Any]:
    """A fact about a meld as request and answer; of an illegal meld only that it is illegal."""
    figures = MELD_FIGURES if fact["legal"] else ("legal",)
    request = {key: fact[key] for key in ("rules", "options", "cards")}
    return {"about": fact["note"], "request": request, "expect": {key: fact[key] for key in figures}}


def deal_case(fact: dict[str, Any]) -> dict[str, Any]:
    """A fact about a deal as request and answer."""
    request = {key: fact[key] for key in ("rules", "options", "sides")}
    sides = [{"name": s["name"], "score": {k: v for k, v in s.items() if k != "name"}} for s in fact["expect"]]
    return {"about": fact["note"], "request": request, "expect": {"void": fact["void"], "sides": sides}}


def shipped() -> dict[str, str]:
    """The text of each file that ships."""
    seen: dict[str, int] = {}
    out = {}
    for name, kind, files, made in (
        ("melds.jsonl", "meld", MELD_FILES, meld_case), ("deals.jsonl", "deal", DEAL_FILES, deal_case),
    ):  # fmt: skip
        lines = [json.dumps({"format": FORMAT, "kind": kind})]
        for fact in facts(*files):
            count = seen[fact["id"]] = seen.get(fact["id"], 0) + 1
            ident = fact["id"] if count == 1 else f"{fact['id']}.{count}"
            lines.append(json.dumps({"id": ident, **made(fact)}, ensure_ascii=False))
        out[name] = "\n".join(lines) + "\n"
    return out


if __name__ == "__main__":
    for name, words in shipped().items():
        (SHIPPED / name).write_text(words, encoding="utf-8")
