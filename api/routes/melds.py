"""`/v1/melds`: one meld judged, or a list of them."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from api.answers import answer, stated_lang
from api.batches import answer_batch
from api.bodies import json_body
from api.direct import direct_router
from api.openapi import body_of, list_of
from api.problems import problems
from api.schemas import ItemError, MeldRequest, MeldResult
from scorer.contract import kept_verdict, meld_json, meld_request

TAG = {"name": "melds", "description": "Judge a meld: legal or not, which burraco, how many points, and why."}
router = direct_router("melds")


def judged(data: Any, lang: str | None) -> dict[str, Any]:
    """Request in, verdict out; sentences in `lang`, or in the language of the request."""
    meld, profile, own = meld_request(data)
    return meld_json(kept_verdict(meld.cards, profile, meld.bindings), profile, lang or own)


@router.post("/melds", response_model=MeldResult, responses=problems(415, 422), openapi_extra=body_of(MeldRequest))
async def check_one_meld(request: Request) -> Response:
    """Judge one meld.

    A meld that breaks the rules is a 200 with `legal: false` and every violation; only text that cannot be read is
    an error.
    """
    return answer(judged(await json_body(request), stated_lang(request)))


@router.post(
    "/melds:batch",
    response_model=list[MeldResult | ItemError],
    responses=problems(415, 422),
    openapi_extra=list_of(MeldRequest),
)
async def check_many_melds(request: Request) -> Response:
    """Judge up to 1,000 melds; each gets its own verdict, or its own error in its place."""
    return await answer_batch(request, judged)
