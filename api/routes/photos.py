"""`/v1/photos`: a photo of the table read and scored, in a process of its own behind a bounded queue."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import orjson
from fastapi import APIRouter, FastAPI, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from api.answers import answer, lang_of
from api.pool import PhotoAnswer, PhotoPool
from api.problems import Problem, problems
from api.schemas import PhotoResult
from api.upload import MAX_IMAGES, drain, read_upload
from scorer.contract import refuse, stated_rules
from scorer.errors import BurracoError
from scorer.profile import DEFAULT_PROFILE, load_profile

TAG = {"name": "photos", "description": "Read the melds off a photo and score them."}
router = APIRouter(prefix="/v1", tags=["photos"])
_FIELDS: Final = ("side", "rules", "options", "lang")
_SIDE_CHARS: Final = 80
_POLL_SECONDS: Final = 0.5
_FORM: Final = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["image"],
                    "properties": {
                        "image": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "minItems": 1,
                            "maxItems": MAX_IMAGES,
                            "description": "JPEG, PNG, WebP or HEIC photos of one deal; at most 25 MB together and 60 "
                            "megapixels each. Photos that overlap are merged.",
                        },
                        "side": {
                            "type": "string",
                            "maxLength": 80,
                            "description": "Whose melds the photos after it show; may be repeated between photos. "
                            "Absent: both sides are on the photo, parted by position.",
                        },
                        "rules": {"type": "string", "description": "Rule set id; absent: the default one."},
                        "options": {
                            "type": "string",
                            "description": "Options as a JSON object.",
                            "examples": ['{"semi_position": "end_only"}'],
                        },
                        "lang": {
                            "type": "string",
                            "enum": ["en", "it"],
                            "description": "Language of the answer; goes before `Accept-Language`.",
                        },
                    },
                },
                "encoding": {"image": {"contentType": "image/jpeg, image/png, image/webp, image/heic"}},
            }
        },
    }
}


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Start the photo processes with the server and stop them with it."""
    pool = PhotoPool(app.state.settings, app.state.figures)
    app.state.photos = pool

    async def check() -> str | None:
        return None if pool.ready else "photos"

    app.state.ready_checks.append(check)
    pool.open()
    try:
        yield
    finally:
        await pool.close()


@router.post(
    "/photos",
    response_model=PhotoResult,
    responses={**problems(415, 422, 501, 504), 200: {"content": {"image/jpeg": {}}}},
    openapi_extra=_FORM,
)
async def read_photo(
    request: Request,
    annotate: bool = Query(
        default=False,
        description="Also draw what was read: as base64 in `annotated`, or as the picture itself where `Accept` asks "
        "for `image/jpeg` first.",
    ),
) -> Response:
    """Read a photo of the table: every card with its confidence, the melds, the score, and the doubts.

    Nothing of the photo is kept: it goes from the network to memory and is forgotten, it never touches a disk, and no
    setting keeps it. A photo in which no card is found is a 200 with empty lists and a notice.
    """
    settings, pool = request.app.state.settings, request.app.state.photos
    unread = True
    try:
        async with pool.place():
            unread = False
            upload = await read_upload(request, settings.max_image_bytes, settings.body_seconds)
            options = _options(upload.fields, request, annotate, settings.max_image_megapixels)
            options["sizes"] = [len(image) for image in upload.images]
            options["sides"] = upload.sides if any(upload.sides) else None
            data = b"".join(upload.images)
            upload.images.clear()
            read = await _while_connected(request, pool, data, options)
    except Problem:
        if unread:
            await drain(request.receive, settings.max_image_bytes)
        raise
    return _answered(read, request, annotate)


def _options(fields: dict[str, str], request: Request, annotate: bool, megapixels: int) -> dict[str, Any]:
    """The fields of the form, checked before a photo process sees them."""
    for name in fields:
        if name not in _FIELDS:
            raise refuse("unknown_field", path="", key=name, suggestion="", known=", ".join(("image", *_FIELDS)))
    try:
        options = orjson.loads(fields.get("options") or "{}")
    except orjson.JSONDecodeError as error:
        raise BurracoError("options are not JSON", code="bad_json", detail=f"options: {error}") from None
    ident, options = stated_rules({"rules": fields.get("rules") or None, "options": options})
    load_profile(ident or DEFAULT_PROFILE, options)
    lang = fields.get("lang") or lang_of(request)
    if lang not in ("en", "it"):
        raise refuse("bad_value", path="lang", value=lang[:40], allowed="en, it")
    if len(fields.get("side", "")) > _SIDE_CHARS:
        raise refuse("bad_value", path="side", value=fields["side"][:40], allowed=f"1..{_SIDE_CHARS}")
    return {
        "rules": ident,
        "options": options,
        "lang": lang,
        "annotate": annotate,
        "max_megapixels": megapixels,
    }


async def _while_connected(request: Request, pool: PhotoPool, data: bytes, options: dict[str, Any]) -> PhotoAnswer:
    """Read a photo, and give it up when the client has gone (its process is then free for somebody else)."""
    task = asyncio.ensure_future(pool.read(data, options))
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=_POLL_SECONDS)
            if done:
                return task.result()
            if await request.is_disconnected():
                raise ClientDisconnect
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _answered(read: PhotoAnswer, request: Request, annotate: bool) -> Response:
    if read.failed == "memory":
        raise Problem(413, "photo_memory")
    if read.failed:
        raise Problem(500, "photo_failed", request_id=request.scope["state"]["request_id"])
    if read.error is not None:
        raise Refused(read.error)
    accept = request.headers.get("accept", "")
    if annotate and read.picture and accept.lower().startswith("image/jpeg"):
        return Response(read.picture, media_type="image/jpeg")
    result = dict(read.result or {})
    if annotate:
        picture = base64.b64encode(read.picture).decode()
        result["annotated"] = {"media_type": "image/jpeg", "base64": picture} if picture else None
    return answer(result)


class Refused(Problem):
    """A picture that its process refused; the sentence is already in the language asked for."""

    def __init__(self, error: dict[str, Any]) -> None:
        from api.problems import STATUS

        members = dict(error)
        message, code = members.pop("message"), members.pop("code")
        super().__init__(STATUS.get(code, 422), code, extra={"detail": message, **members})
