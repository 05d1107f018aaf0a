"""Answering a list of requests without keeping everybody else waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from api.answers import answer, stated_lang
from api.bodies import json_list
from api.problems import Problem
from scorer.contract import error_json
from scorer.errors import BurracoError

#: Work between two looks at what else there is to do, in seconds.
_TURN_SECONDS: Final = 0.004


async def answer_batch(request: Request, answer_one: Callable[[Any, str | None], dict[str, Any]]) -> Response:
    """The answers to a list of requests, as many and for as long as the settings allow."""
    settings = request.app.state.settings
    items = await json_list(request, settings.max_batch)
    return answer(await answer_each(items, answer_one, stated_lang(request), settings.answer_seconds))


async def answer_each(
    items: list[Any], answer_one: Callable[[Any, str | None], dict[str, Any]], lang: str | None, seconds: float
) -> list[dict[str, Any]]:
    """The answer or `{"error": ...}` for each item, in order; other requests are served in between.

    `lang` is the language of the sentences, None where the item says it. More work than `seconds` is refused.
    """
    out: list[dict[str, Any]] = []
    began = turn = time.perf_counter()
    for item in items:
        try:
            out.append(answer_one(item, lang))
        except BurracoError as error:
            out.append(error_json(error, lang or _own_lang(item)))
        now = time.perf_counter()
        if now - turn > _TURN_SECONDS:
            if now - began > seconds:
                raise Problem(503, "answer_timeout", headers={"Retry-After": "1"}, seconds=f"{seconds:g}")
            await asyncio.sleep(0)
            turn = time.perf_counter()
    return out


def _own_lang(item: Any) -> str:
    return "it" if isinstance(item, dict) and item.get("lang") == "it" else "en"
