"""Reading a JSON body: plain data for the contract, or one clear refusal."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request

from api.problems import Problem
from scorer.errors import BurracoError


async def json_body(request: Request) -> Any:
    """The JSON of a request; a body that is not JSON is refused with the place of the fault."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise Problem(415, "not_json_type")
    body = await request.body()
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BurracoError(f"not JSON: {error}", code="bad_json", detail=str(error)) from None


async def json_list(request: Request, limit: int) -> list[Any]:
    """The items of a batch, at most `limit` of them."""
    data = await json_body(request)
    if not isinstance(data, list):
        raise BurracoError("a batch is a JSON list", code="batch_not_list")
    if len(data) > limit:
        raise Problem(413, "batch_too_large", count=len(data), limit=limit)
    return data
