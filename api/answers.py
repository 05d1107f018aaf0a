"""Answers: JSON bytes straight from the contract's dictionaries, and the language a caller asked for.

The contract (`scorer.contract`) already builds exactly what a client gets, so a response is written by orjson and
not validated a second time; the schemas on the routes describe it, and the tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from scorer.contract import keep, verdict_json
from scorer.melds import MeldVerdict
from scorer.profile import RuleProfile


def dump(data: Any) -> bytes:
    """JSON bytes (UTF-8) of plain data."""
    return orjson.dumps(data)


def answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response of plain data."""
    return Response(orjson.dumps(data), status, headers, media_type="application/json")


def kept_verdict_json(verdict: MeldVerdict, profile: RuleProfile, lang: str) -> Any:
    """`verdict_json`; from the second time on as JSON that is written already (`scorer.contract.kept_verdict`)."""
    kept, key = profile.memory, (id(verdict), lang)
    found: tuple[MeldVerdict, orjson.Fragment | None] | None = kept.get(key)
    if found is None:
        keep(kept, key, (verdict, None))  # the verdict is kept beside it, so that its id stays its own
        return verdict_json(verdict, profile, lang)
    if found[1] is None:
        kept[key] = found = verdict, orjson.Fragment(orjson.dumps(verdict_json(verdict, profile, lang)))
    return found[1]


@lru_cache(maxsize=256)
def preferred(header: str) -> str | None:
    """`it` or `en` by an Accept-Language header; None when it names neither.

    >>> preferred("de-CH, it;q=0.8, en;q=0.7"), preferred("*"), preferred("en-GB,it;q=0.9")
    ('it', None, 'en')
    """
    best: tuple[float, str] | None = None
    for part in header[:1000].split(","):
        name, _, params = part.strip().partition(";")
        lang = name.strip().lower().partition("-")[0]
        if lang not in ("it", "en"):
            continue
        quality = _quality(params)
        if quality > 0 and (best is None or quality > best[0]):
            best = (quality, lang)
    return best[1] if best else None


def _quality(params: str) -> float:
    name, _, value = params.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def stated_lang(request: Request) -> str | None:
    """The language that `Accept-Language` names, Italian or English; None when it names neither."""
    header = request.headers.get("accept-language")
    return preferred(header) if header else None


def lang_of(request: Request, default: str = "en") -> str:
    """The language of the words in an answer: `Accept-Language` where it names Italian or English, else `default`."""
    return stated_lang(request) or default
