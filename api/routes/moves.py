"""`/v1/moves`: may this be done at this table? Verdict and reasons."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from api.answers import answer, stated_lang
from api.bodies import json_body
from api.direct import direct_router
from api.openapi import body_of
from api.problems import problems
from api.schemas_game import MoveRequest, MoveResult
from scorer.game.judge import answer_move

TAG = {"name": "moves", "description": "The move checker: laying, adding, taking, discarding, closing."}
router = direct_router("moves")


@router.post("/moves", response_model=MoveResult, responses=problems(415, 422), openapi_extra=body_of(MoveRequest))
async def check_one_move(request: Request) -> Response:
    """Judge one action at a table.

    An action that the rules refuse is a 200 with `legal: false` and every reason; a legal one comes with the table
    after it.
    """
    return answer(answer_move(await json_body(request), words=stated_lang(request)))
