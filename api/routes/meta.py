"""Is it alive, is it ready, what does it count."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.answers import answer
from api.figures import CONTENT_TYPE
from api.problems import Problem, problems

TAG = {"name": "server", "description": "For the operator: life, readiness, figures."}
router = APIRouter(tags=["server"])


@router.get("/healthz", responses={200: {"content": {"application/json": {"example": {"status": "ok"}}}}})
async def health(request: Request) -> Response:
    """Whether the process answers; nothing else is looked at."""
    return answer({"status": "ok"})


@router.get("/readyz", responses={
    200: {"content": {"application/json": {"example": {"status": "ready"}}}},
    503: {"description": "Not yet, or not any more.",
          "content": {"application/json": {"example": {"status": "not ready", "reasons": ["photos"]}}}},
})  # fmt: skip
async def ready(request: Request) -> Response:
    """Whether everything it needs is there: the photo processes, the database."""
    reasons = [reason for check in request.app.state.ready_checks if (reason := await check())]
    if reasons:
        return answer({"status": "not ready", "reasons": reasons}, 503, {"Retry-After": "2"})
    return answer({"status": "ready"})


@router.get("/metrics", responses={
    **problems(404),
    200: {"description": "The text format of Prometheus.", "content": {"text/plain": {"schema": {"type": "string"}}}},
})  # fmt: skip
async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    if not request.app.state.settings.metrics:
        raise Problem(404, "not_found")
    return Response(request.app.state.figures.text(), media_type=CONTENT_TYPE)
