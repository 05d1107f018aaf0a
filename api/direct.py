"""Routes whose handler takes the request and answers it, without FastAPI's reading of parameters in between.

Such a handler (`async def name(request: Request) -> Response`) reads its own body, so there is nothing to solve or to
validate: FastAPI would spend more time on that than the scorer on a meld. The document is the same as for any route.
The gate finds such a route by its path alone and calls it, so that no other route is looked at.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.answers import lang_of
from api.problems import http_problem, problem_response
from scorer.errors import BurracoError


class DirectRoute(APIRoute):
    """An API route that hands the request straight to its handler."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        handler: Callable[[Request], Awaitable[Response]] = endpoint

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope, receive, send)
            try:
                response = await handler(request)
            except BurracoError as error:
                response = problem_response(error, lang_of(request))
            except HTTPException as error:
                response = http_problem(error, lang_of(request))
            await response(scope, receive, send)

        self.app = app

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler itself."""
        endpoint: Callable[[Request], Coroutine[Any, Any, Response]] = self.endpoint
        return endpoint


def operation_id(route: APIRoute) -> str:
    """The name of the handler: stable, and a good function name in a generated client."""
    return route.name


def direct_router(tag: str) -> APIRouter:
    """A router under `/v1` whose handlers take the request and answer it."""
    return APIRouter(prefix="/v1", tags=[tag], route_class=DirectRoute, generate_unique_id_function=operation_id)
