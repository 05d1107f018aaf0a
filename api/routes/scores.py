"""`/v1/scores`: a whole table scored, a list of tables, and one table under several rule sets."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from api.answers import answer, stated_lang
from api.batches import answer_each
from api.bodies import json_body, json_list
from api.direct import direct_router
from api.openapi import body_of, list_of
from api.problems import problems
from api.schemas import CompareRequest, CompareResult, ItemError, ScoreRequest, ScoreResult
from scorer.contract import refuse, score_json, score_request
from scorer.profile import profile_ids
from scorer.scoring import score

TAG = {"name": "scores", "description": "Score a whole table, with every point and every violation explained."}
router = direct_router("scores")
_MAX_UNDER = 24


def scored(data: Any, lang: str | None) -> dict[str, Any]:
    """Request in, score sheet out; sentences in `lang`, or in the language of the request."""
    table, profile, own = score_request(data)
    return score_json(score(table, profile), profile, lang or own)


@router.post("/scores", response_model=ScoreResult, responses=problems(415, 422), openapi_extra=body_of(ScoreRequest))
async def score_one_table(request: Request) -> Response:
    """Score the table at the end of a deal.

    A table that breaks the rules is a 200 with `legal: false`; its sums are what it would give if the rest were
    right.
    """
    return answer(scored(await json_body(request), stated_lang(request)))


@router.post(
    "/scores:batch",
    response_model=list[ScoreResult | ItemError],
    responses=problems(415, 422),
    openapi_extra=list_of(ScoreRequest),
)
async def score_many_tables(request: Request) -> Response:
    """Score up to 1,000 tables; each gets its own sheet, or its own error in its place."""
    settings = request.app.state.settings
    items = await json_list(request, settings.max_batch)
    return answer(await answer_each(items, scored, stated_lang(request), settings.answer_seconds))


@router.post(
    "/compare", response_model=CompareResult, responses=problems(415, 422), openapi_extra=body_of(CompareRequest)
)
async def compare_rules(request: Request) -> Response:
    """Score one table under several rule sets, side by side."""
    data = await json_body(request)
    lang = stated_lang(request)
    results = []
    for asked in _asked(data):
        results.append(scored(asked, lang))
        await asyncio.sleep(0)
    totals = {tuple(side["score"]["total"] for side in result["sides"]) for result in results}
    return answer({"results": results, "same": len(totals) == 1})


def _asked(data: Any) -> list[dict[str, Any]]:
    """One score request for each rule set of a comparison."""
    if not isinstance(data, dict):
        raise refuse("wrong_type", path="the request", expected="an object", found="that")
    table = {key: value for key, value in data.items() if key != "under"}
    for key in ("rules", "options"):
        if key in table:
            raise refuse("unknown_field", path="", key=key, suggestion="under", known="sides, under, lang")
    under = data.get("under")
    if under is None:
        under = list(profile_ids())
    if not isinstance(under, list) or not 1 <= len(under) <= _MAX_UNDER:
        raise refuse("wrong_type", path="under", expected=f"a list of 1 to {_MAX_UNDER}", found="that")
    return [{**table, **_choice(item, number)} for number, item in enumerate(under)]


def _choice(item: Any, number: int) -> dict[str, Any]:
    if isinstance(item, str):
        return {"rules": item}
    if isinstance(item, dict) and set(item) <= {"rules", "options"}:
        return item
    raise refuse("wrong_type", path=f"under[{number}]", expected="a rule set id, or {rules, options}", found="that")
