"""The project's cases as data (`*.jsonl` here), and how an engine's answers are compared with them.

The format is `burraco-conformance/1`, described in `docs/conformance.md`. Cases may be added under the same version; a
case is never changed in silence: whatever makes an engine that was right wrong is a new version.

>>> case = cases()[0]
>>> case.ident, case.kind, faults(case, {"legal": False})[0]
('M001', 'meld', 'legal: expected true, got false')
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

FORMAT: Final = "burraco-conformance/1"
FILES: Final = ("melds.jsonl", "deals.jsonl")
_MISSING: Final = object()


class Case(NamedTuple):
    """One fact: a request, what any engine must answer (other keys of the answer are its own), and what it is about."""

    ident: str
    kind: str
    about: str
    request: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def line(self) -> str:
        """The request as one line of JSON, as it is put to an engine."""
        return json.dumps({"id": self.ident, "kind": self.kind, **self.request}, ensure_ascii=False)


@lru_cache(maxsize=1)
def cases() -> tuple[Case, ...]:
    """Every case, melds first."""
    return tuple(case for name in FILES for case in _read(name))


def _read(name: str) -> Iterator[Case]:
    lines = (resources.files(__name__) / name).read_text(encoding="utf-8").splitlines()
    head = json.loads(lines[0])
    if head["format"] != FORMAT:
        raise ValueError(f"{name} is {head['format']}, not {FORMAT}")
    for line in lines[1:]:
        row = json.loads(line)
        yield Case(row["id"], head["kind"], row["about"], row["request"], row["expect"])


def faults(case: Case, answer: object) -> list[str]:
    """What is wrong with an engine's answer, one short text each; empty when it is right."""
    return list(_differences("", case.expect, answer))


def _differences(path: str, expected: object, found: object) -> Iterator[str]:
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            yield from _differences(f"{path}.{key}" if path else key, value, found.get(key, _MISSING))
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for at, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from _differences(f"{path}[{at}]", one, other)
    elif type(expected) is not type(found) or expected != found:
        yield f"{path or 'answer'}: expected {_shown(expected)}, got {_shown(found)}"


def _shown(value: object) -> str:
    words = "nothing" if value is _MISSING else json.dumps(value, ensure_ascii=False)
    return words if len(words) <= 80 else words[:79] + "…"


def own_answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """What this library answers to a request (with or without its `id` and `kind`)."""
    from scorer.contract import answer_meld, answer_score

    body = {key: value for key, value in request.items() if key not in ("id", "kind")}
    return answer_score(body) if "sides" in body else answer_meld(body)
