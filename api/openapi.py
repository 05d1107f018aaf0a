"""The OpenAPI document: readable descriptions, real examples, every error, stable operation ids.

The examples are computed by the library when the document is built, so they cannot be out of date. The published
copy is `docs/openapi.json`; `python -m api.published` writes it, and a test compares.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

SUMMARY: Final = "Score, check and play burraco."
DESCRIPTION: Final = """\
Post a meld, a whole table or a photo and get the verdict with its reasons, exactly as the command `burraco` gives it.

* **Cards** are written `7h 10d As JK` (suits `h d c s`); with `lang: it`, `7C 10Q AP JK` (suits `C Q F P`). Answers
  are always in canonical notation.
* **A broken rule is not an error**: the answer is a 200 with `legal: false` and every violation, each with the option
  that decided and the words it rests on.
* **What cannot be read is a 422** as `application/problem+json`, with the same `code` as the command's; the sentence
  is in Italian or English by `Accept-Language`.
* **Points** are whole numbers. `hand` and `pozzetto` are zero or negative; the lines of a side sum to its total.
* **Limits**: 1 MB a request, 1,000 items a batch, 25 MB and 60 megapixels a photo. Beyond them: 413. Too many
  requests: 429; a full photo queue: 503; both with `Retry-After` in seconds.
* Where the server asks for **keys**, send `X-API-Key: KEY` or `Authorization: Bearer KEY`.
* Every answer carries `X-Request-ID`; send your own to find it in the server's log.
"""
_REF: Final = "#/components/schemas/{model}"


def _version() -> str:
    try:
        return version("burraco")
    except PackageNotFoundError:
        return "0"


VERSION: Final = _version()
_REQUESTS: dict[str, type[BaseModel]] = {}


def _media(schema: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    _REQUESTS[model.__name__] = model
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """`openapi_extra` of a route whose handler reads a JSON body of this shape itself."""
    return _media({"$ref": _REF.format(model=model.__name__)}, model)


def list_of(model: type[BaseModel], most: int = 1000) -> dict[str, Any]:
    """`openapi_extra` of a route whose body is a list of this shape; what is none gets its own error."""
    other = {"description": "Anything else: answered by an error in its place."}
    item = {"anyOf": [{"$ref": _REF.format(model=model.__name__)}, other]}
    return _media({"type": "array", "maxItems": most, "items": item, "description": "The requests, in order."}, model)


def install(app: FastAPI) -> None:
    """Let an application build its document by `document`, once."""

    def build() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = build  # type: ignore[method-assign]  # FastAPI's documented way


def document(app: FastAPI) -> dict[str, Any]:
    """The whole document of an application."""
    made = get_openapi(
        title=app.title, version=app.version, summary=app.summary, description=app.description, routes=app.routes,
        tags=app.openapi_tags, license_info=app.license_info,
    )  # fmt: skip
    from api.examples import add_examples
    from api.schemas import Problem

    models: list[type[BaseModel]] = [*_REQUESTS.values(), Problem]
    _, defined = models_json_schema([(model, "validation") for model in models], ref_template=_REF)
    schemas: dict[str, Any] = made.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(defined.get("$defs", {}))
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)
    made["components"]["schemas"] = dict(sorted(schemas.items()))
    made["components"]["securitySchemes"] = {
        "key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "Only where the server asks."},
        "bearer": {"type": "http", "scheme": "bearer", "description": "The same key, as a bearer token."},
    }
    made["security"] = [{}, {"key": []}, {"bearer": []}]
    made["servers"] = [{"url": "http://127.0.0.1:8765", "description": "`burraco serve` on this machine."}]
    for path, methods in made["paths"].items():
        for operation in methods.values():
            _tidy(path, operation)
    add_examples(made)
    return made


def _tidy(path: str, operation: dict[str, Any]) -> None:
    """Errors are problem documents only; what FastAPI adds by itself for validation goes."""
    answers = operation["responses"]
    added = answers.get("422", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if added.get("$ref", "").endswith("HTTPValidationError"):
        from api.problems import problems

        answers.pop("422")
        answers["422"] = problems(422)[422]
    operation["responses"] = dict(sorted(answers.items()))
    if not path.startswith("/v1/"):
        operation["security"] = []
