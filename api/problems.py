"""Errors as `application/problem+json` (RFC 9457), with the same stable codes as the command line.

Every error of the package, every refusal of the server and every surprise becomes one document: `type`, `title`,
`status`, `detail` (a sentence in Italian or English by `Accept-Language`), `code`, and what the error knows more
(`token`, `line`, `column`, `expected`, `suggestion`, `errors`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from api.answers import dump, lang_of
from scorer.contract import error_json
from scorer.errors import BurracoError
from scorer.messages import text

MEDIA_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "urn:burraco:problem:"
_SHOWN_ERRORS: Final = 20

#: Status by code; a code that is not here goes by the class of its error (422 for what cannot be read).
STATUS: Final[dict[str, int]] = {
    "missing_extra": 501,
    "weights_missing": 501,
    "bad_weights": 501,
    "image_too_big": 413,
    "image_too_many_pixels": 413,
    "image_unknown_format": 415,
    "image_animated": 415,
    "unknown_book": 404,
    "stale_write": 409,
    "key_reused": 409,
    "book_exists": 409,
    "store_failed": 503,
    "no_deal": 404,
    "match_ended": 409,
}


class Problem(BurracoError):
    """A refusal with its HTTP status: `Problem(404, "not_found")`.

    `params` fill the message of the code; `extra` are members added to the document as they are; `headers` go on
    the response (such as `Retry-After`, in seconds).
    """

    def __init__(
        self,
        status: int,
        code: str,
        *,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        **params: object,
    ) -> None:
        super().__init__(text(code, "en", **params), code=code, **params)
        self.status = status
        self.extra = dict(extra or {})
        self.headers = dict(headers or {})


class BadShape(Problem):
    """A body that is not the JSON of the contract; `errors` points at each fault with a JSON pointer."""

    def __init__(self, errors: Sequence[Mapping[str, Any]]) -> None:
        faults = [_fault(error) for error in errors[:_SHOWN_ERRORS]]
        first = faults[0]
        super().__init__(
            422, "request_invalid", path=first["pointer"], detail=first["message"], extra={"errors": faults}
        )

    @classmethod
    def of(cls, error: ValidationError) -> BadShape:
        """The refusal for a failed validation."""
        return cls([dict(fault) for fault in error.errors(include_url=False, include_input=False)])


def _fault(error: Mapping[str, Any]) -> dict[str, str]:
    steps = [step for step in error.get("loc", ()) if step not in ("body", "query", "path", "header")]
    pointer = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return {"pointer": pointer, "message": str(error.get("msg", "")), "type": str(error.get("type", ""))}


def problem_body(error: BurracoError, lang: str) -> tuple[int, dict[str, Any]]:
    """The status and the members of the document for an error."""
    status = error.status if isinstance(error, Problem) else STATUS.get(error.code, 422)
    body: dict[str, Any] = {
        "type": TYPE_PREFIX + error.code,
        "title": text(f"http_{status}", lang),
        "status": status,
        "detail": "",
        "code": error.code,
    }
    if isinstance(error, Problem):
        body["detail"] = text(error.code, lang, **error.params)
        body.update(error.extra)
    else:
        members = dict(error_json(error, lang)["error"])
        body["detail"] = members.pop("message")
        members.pop("code", None)
        body.update(members)
    return status, body


def problem_response(error: BurracoError, lang: str) -> Response:
    """The response for an error."""
    status, body = problem_body(error, lang)
    headers = {"Content-Language": lang, "Vary": "Accept-Language"}
    if isinstance(error, Problem):
        headers.update(error.headers)
    return Response(dump(body), status, headers, media_type=MEDIA_TYPE)


_BY_STATUS: Final = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}


def _http_problem(error: HTTPException) -> Problem:
    if error.status_code == 400 and "parsing the body" in str(error.detail):
        # FastAPI's own body reader, on bytes that are no text at all
        return Problem(422, "bad_json", detail="these bytes are not UTF-8")
    code = _BY_STATUS.get(error.status_code, "http_error")
    headers = dict(error.headers or {})
    return Problem(error.status_code, code, headers=headers, limit="", reason=str(error.detail or ""))


async def _on_burraco(request: Request, error: Exception) -> Response:
    assert isinstance(error, BurracoError)
    return problem_response(error, lang_of(request))


def http_problem(error: HTTPException, lang: str) -> Response:
    """The response for a refusal of the framework, or for one of ours that had to pass through it."""
    problem = getattr(error, "problem", None)
    return problem_response(problem if isinstance(problem, Problem) else _http_problem(error), lang)


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        # each method has a route of its own, and only the first of them was asked
        known = request.app.openapi()["paths"].get(getattr(request.scope.get("route"), "path", ""), {})
        if known:
            error.headers = {**(error.headers or {}), "Allow": ", ".join(sorted(method.upper() for method in known))}
    return http_problem(error, lang_of(request))


async def _on_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return problem_response(BadShape(error.errors()), lang_of(request))


def install(app: FastAPI) -> None:
    """Register the handlers on an application."""
    app.add_exception_handler(BurracoError, _on_burraco)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(RequestValidationError, _on_validation)


_WHEN: Final = {
    400: ("http_error", "The request is not HTTP as it should be."),
    401: ("no_key", "An API key is needed, or the key or token given is not known."),
    403: ("forbidden", "The token does not allow this."),
    404: ("not_found", "There is nothing by this name."),
    408: ("body_too_slow", "The body did not arrive in time."),
    409: ("conflict", "Somebody else changed it first, or it is not in a state that allows this."),
    413: ("body_too_large", "The body, the batch or the picture is larger than allowed."),
    415: ("image_unknown_format", "The picture is of a kind that is not read, or the content type is wrong."),
    422: ("bad_notation", "The request cannot be read: wrong shape, unknown card, unknown rule set or option."),
    429: ("rate_limited", "Too many requests; `Retry-After` says in how many seconds to try again."),
    500: ("internal", "Our mistake; the request id finds it in the log."),
    501: ("missing_extra", "This server was installed without the part that reads photos."),
    503: ("busy", "The queue is full or the server is stopping; `Retry-After` says when to try again, in seconds."),
    504: ("photo_timeout", "The picture took longer than the time allowed."),
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses=` of a route that may answer with these statuses (401, 413, 429, 500 and 503 come along).

    >>> sorted(problems(422))
    [401, 408, 413, 422, 429, 500, 503]
    """
    out: dict[int | str, dict[str, Any]] = {}
    for status in sorted({*statuses, 401, 408, 413, 429, 500, 503}):
        code, words = _WHEN[status]
        example = {
            "type": TYPE_PREFIX + code,
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": words,
            "code": code,
        }
        schema = {"$ref": "#/components/schemas/Problem"}
        out[status] = {"description": words, "content": {MEDIA_TYPE: {"schema": schema, "example": example}}}
        if status in (429, 503):
            retry = {"description": "Seconds to wait before trying again.", "schema": {"type": "integer", "minimum": 1}}
            out[status]["headers"] = {"Retry-After": retry}
    return out
