"""Worked examples for the document, computed by the library: legal, illegal, disputed, void."""

from __future__ import annotations

from typing import Any, Final

from scorer.contract import answer_meld, answer_score, error_json
from scorer.errors import BurracoError

_MELDS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "legal": ("A dirty burraco", {"cards": "4h 5h 6h 2s 8h 9h 10h", "rules": "vanikar"}),
    "illegal": ("Two wilds in one meld", {"cards": "4h 5h 2s JK 8h", "rules": "fibur"}),
    "disputed": ("A half-clean burraco on whose rule the books differ", {"cards": "3h-9h Jh 2s", "rules": "fibur"}),
    "italian": ("Italian notation", {"cards": "4C 5C 6C 2P 8C 9C 10C", "rules": "fibur", "lang": "it"}),
}
_NOBODY: Final = {"pozzetto": "not_taken", "closed": False}
_TABLES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "legal": (
        "A closes, B never took the pot",
        {
            "rules": "vanikar",
            "sides": [
                {"name": "A", "melds": ["4h-10h", "Ks Kd Kh"], "hand": "5c 9d", "closed": True, "pozzetto": "played"},
                {"name": "B", "melds": ["3c 4c 5c 6c 2s 8c 9c"], "hand": "JK Ad 2h", "pozzetto": "not_taken"},
            ],
        },
    ),
    "illegal": (
        "B closes without a burraco",
        {
            "rules": "fibur",
            "sides": [
                {"name": "A", "melds": ["4h-10h"], "hand": "5c 9d", "pozzetto": "played"},
                {"name": "B", "melds": ["3c-6c"], "closed": True, "pozzetto": "played"},
            ],
        },
    ),
    "void": (
        "Nobody took a pot: the deal is played again",
        {
            "rules": "classico",
            "sides": [{"name": "A", "melds": ["4h-6h"], **_NOBODY}, {"name": "B", "melds": ["3c-6c"], **_NOBODY}],
        },
    ),
}  # fmt: skip
_UNREADABLE: Final = {"cards": "4h 5h 6F", "rules": "fibur"}


def _answered(answer: Any, request: dict[str, Any]) -> Any:
    try:
        return answer(request)
    except BurracoError as error:  # an example that cannot be read shows the error (a test forbids it)
        return error_json(error)


def add_examples(document: dict[str, Any]) -> None:
    """Put requests and their computed answers into the document."""
    _examples(document, "/v1/melds", _MELDS, answer_meld)
    _examples(document, "/v1/scores", _TABLES, answer_score)
    _batch(document, "/v1/melds:batch", [_MELDS["legal"][1], _UNREADABLE], answer_meld)
    _batch(document, "/v1/scores:batch", [_TABLES["legal"][1]], answer_score)


def _examples(document: dict[str, Any], path: str, cases: dict[str, tuple[str, dict[str, Any]]], answer: Any) -> None:
    operation = document["paths"][path]["post"]
    asked = {name: {"summary": words, "value": request} for name, (words, request) in cases.items()}
    told = {
        name: {"summary": words, "value": _answered(answer, request)} for name, (words, request) in cases.items()
    }  # fmt: skip
    operation["requestBody"]["content"]["application/json"]["examples"] = asked
    operation["responses"]["200"]["content"]["application/json"]["examples"] = told


def _batch(document: dict[str, Any], path: str, requests: list[dict[str, Any]], answer: Any) -> None:
    operation = document["paths"][path]["post"]
    operation["requestBody"]["content"]["application/json"]["example"] = requests
    told = [_answered(answer, request) for request in requests]
    operation["responses"]["200"]["content"]["application/json"]["example"] = told
