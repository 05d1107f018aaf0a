"""`/v1/scores`: a whole table scored, a list of tables, and one table under several rule sets."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from api.answers import answer, kept_verdict_json, stated_lang
from api.batches import answer_batch
from api.bodies import json_body
from api.direct import direct_router
from api.openapi import body_of, list_of
from api.problems import problems
from api.schemas import CompareRequest, CompareResult, ItemError, ScoreRequest, ScoreResult
from scorer.compare import compare, comparison_json
from scorer.contract import (
    checked_object,
    kept_verdict,
    refuse,
    request_lang,
    score_json,
    score_request,
    stated_rules,
    table_of,
)
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile, profile_ids
from scorer.scoring import score

TAG = {"name": "scores", "description": "Score a whole table, with every point and every violation explained."}
router = direct_router("scores")
_MAX_UNDER = 24


def scored(data: Any, lang: str | None) -> dict[str, Any]:
    """Request in, score sheet out; sentences in `lang`, or in the language of the request."""
    table, profile, own = score_request(data)
    return score_json(score(table, profile, kept_verdict), profile, lang or own, kept_verdict_json)


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
    return await answer_batch(request, scored)


@router.post(
    "/compare", response_model=CompareResult, responses=problems(415, 422), openapi_extra=body_of(CompareRequest)
)
async def compare_rules(request: Request) -> Response:
    """Score one table under several rule sets, side by side, and tell what differs."""
    body = checked_object(await json_body(request), ("sides", "under", "lang"))
    own = request_lang(body)
    made = compare(table_of(body, own), [_profile(item, n) for n, item in enumerate(_under(body.get("under")))])
    return answer(comparison_json(made, stated_lang(request) or own))


def _under(stated: Any) -> list[Any]:
    if stated is None:
        return list(profile_ids())
    if not isinstance(stated, list) or not 1 <= len(stated) <= _MAX_UNDER:
        raise refuse("bad_field", field="under", expected=f"1..{_MAX_UNDER} rule sets")
    return stated


def _profile(item: Any, number: int) -> RuleProfile:
    """One rule set of a comparison: its id, or `{rules, options}`."""
    body = {"rules": item} if isinstance(item, str) else checked_object(item, ("rules", "options"), f"under[{number}]")
    ident, options = stated_rules(body)
    return load_profile(ident or DEFAULT_PROFILE, options or None)
