"""`/v1/matches`: the match book for everybody at the table.

The id cannot be guessed; reading needs the view or the edit token, writing the edit token (`X-Match-Token`).
A write may say the version that it saw (409 when it is another) and carry an `Idempotency-Key`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Header, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from api.answers import answer, lang_of
from api.direct import operation_id
from api.match_schemas import CreatedMatch, DealWrite, EventWrite, MatchCreate, MatchView, SideStats, UndoWrite
from api.matchbook import SHOWN, MatchBook
from api.problems import Problem, problems
from api.store import StaleWrite, Store

TAG = {"name": "matches", "description": "Running totals that are never lost: deals, corrections, undo, live view."}
router = APIRouter(prefix="/v1/matches", tags=["matches"], generate_unique_id_function=operation_id)

#: How often a live view looks for news, and says that it is alive, in seconds.
POLL_SECONDS = 0.4
BEAT_SECONDS = 15.0

MatchId = Annotated[str, Path(description="The id of the match.", min_length=1, max_length=64)]
Token = Annotated[
    str | None, Header(alias="X-Match-Token", description="The edit token, or for reading the view token.")
]
Key = Annotated[
    str | None,
    Header(alias="Idempotency-Key", description="The same key again adds nothing.", min_length=1, max_length=80),
]
Seen = Annotated[int | None, Query(alias="version", ge=0, description="The version that the caller saw.")]
QueryToken = Annotated[str | None, Query(description="The view or edit token, where no header can be sent.")]
Number = Annotated[int, Path(ge=1, le=100_000, description="The number of the deal.")]
Format = Literal["json", "csv", "pdf", "png"]
FileFormat = Annotated[Format, Path(description="Kind of file.")]
MEDIA = {"json": "application/json", "csv": "text/csv; charset=utf-8", "pdf": "application/pdf", "png": "image/png"}


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Open the store beside the start, so that the first look at a match need not wait for it."""
    opening = asyncio.create_task(run_in_threadpool(app.state.database.check))
    yield
    await opening


def book_of(app: FastAPI) -> MatchBook:
    """The match book of an application, on its one store."""
    return MatchBook(app.state.database.store())


def _reader(request: Request, ident: str, token: str | None) -> MatchBook:
    return _opened(request, ident, token, Store.may_view)


def _writer(request: Request, ident: str, token: str | None) -> MatchBook:
    return _opened(request, ident, token, Store.may_edit)


def _opened(request: Request, ident: str, token: str | None, may: Callable[[Store, str, str], bool]) -> MatchBook:
    """The match book, for whoever has a token that lets him; 404 before 403 where there is no such match."""
    book = book_of(request.app)
    if not token or not may(book.store, ident, token):
        book.check(ident)
        raise Problem(403, "bad_token")
    return book


def _conflict(book: MatchBook, ident: str, error: StaleWrite) -> Problem:
    """A 409 that shows both: the version that the caller saw and the match as it is now."""
    return Problem(
        409, "stale_write", seen=error.seen, current=error.current,
        extra={"seen": error.seen, "current": error.current,
               "match": book.view(ident, entries=True, first=None, most=SHOWN)},
    )  # fmt: skip


@router.post("", response_model=CreatedMatch, status_code=201, responses=problems(422, 503))
def create_match(request: Request, body: MatchCreate) -> Response:
    """Begin a match.

    Keep the edit token: it is shown once. The view token is for everybody who may follow.
    """
    book = book_of(request.app)
    made = book.create(body.stated())
    return answer({**made._asdict(), "match": book.view(made.id)}, 201)


@router.post("/import", response_model=CreatedMatch, status_code=201, responses=problems(409, 422, 503))
def import_match(
    request: Request,
    body: dict[str, Any],
    copy: Annotated[bool, Query(description="Import it under a new id even where the old one is free.")] = False,
) -> Response:
    """Read an export back, under its own id, or with `copy` under a new one; its points are added up again."""
    book = book_of(request.app)
    made = book.restore(body, new_id=copy)
    return answer({**made._asdict(), "match": book.view(made.id)}, 201)


@router.get("/{ident}", response_model=MatchView, responses=problems(403, 404, 422, 503))
def show_match(
    request: Request,
    ident: MatchId,
    token: Token = None,
    entries: Annotated[bool, Query(description="With each deal's own data.")] = False,
    first: Annotated[int, Query(ge=1, description="The first deal of the page.")] = 1,
    most: Annotated[int, Query(ge=1, le=1000, description="Deals on the page.")] = SHOWN,
    last: Annotated[bool, Query(description="The last page, whatever `first` says.")] = False,
) -> Response:
    """The match: totals, who leads, who deals, the deals of a page."""
    start = None if last else first
    return answer(_reader(request, ident, token).view(ident, entries=entries, first=start, most=most))


@router.get("/{ident}/stats", response_model=list[SideStats], responses=problems(403, 404, 422, 503))
def show_match_stats(request: Request, ident: MatchId, token: Token = None) -> Response:
    """Statistics of each side, over the deals that count."""
    return answer(_reader(request, ident, token).stats(ident))


@router.post("/{ident}/deals", response_model=MatchView, status_code=201, responses=problems(403, 404, 409, 422, 503))
def add_deal(request: Request, ident: MatchId, body: DealWrite, token: Token = None, key: Key = None) -> Response:
    """Add a deal; a deal that cannot be is a 422 that names every reason."""
    book = _writer(request, ident, token)
    try:
        return answer(book.add(ident, body.entry, seen=body.version, key=key, lang=lang_of(request)), 201)
    except StaleWrite as error:
        raise _conflict(book, ident, error) from None


@router.put("/{ident}/deals/{number}", response_model=MatchView, responses=problems(403, 404, 409, 422, 503))
def amend_deal(
    request: Request, ident: MatchId, number: Number, body: DealWrite, token: Token = None, key: Key = None
) -> Response:
    """Correct a deal: another entry takes its place, the first stays in the book."""
    book = _writer(request, ident, token)
    try:
        return answer(book.amend(ident, number, body.entry, seen=body.version, key=key, lang=lang_of(request)))
    except StaleWrite as error:
        raise _conflict(book, ident, error) from None


@router.delete("/{ident}/deals/{number}", response_model=MatchView, responses=problems(403, 404, 409, 422, 503))
def withdraw_deal(
    request: Request, ident: MatchId, number: Number, token: Token = None, key: Key = None, version: Seen = None
) -> Response:
    """Take a deal out; its number stays."""
    book = _writer(request, ident, token)
    try:
        return answer(book.withdraw(ident, number, seen=version, key=key))
    except StaleWrite as error:
        raise _conflict(book, ident, error) from None


@router.post("/{ident}/undo", response_model=MatchView, responses=problems(403, 404, 409, 422, 503))
def undo_event(request: Request, ident: MatchId, body: UndoWrite, token: Token = None, key: Key = None) -> Response:
    """Take back the last change, or the event that the body names."""
    book = _writer(request, ident, token)
    try:
        return answer(book.undo(ident, event=body.event, seen=body.version, key=key))
    except StaleWrite as error:
        raise _conflict(book, ident, error) from None


@router.post("/{ident}/events", response_model=MatchView, status_code=201, responses=problems(403, 404, 409, 422, 503))
def write_event(request: Request, ident: MatchId, body: EventWrite, token: Token = None, key: Key = None) -> Response:
    """A note, another target, closing or reopening by hand."""
    book = _writer(request, ident, token)
    try:
        return answer(book.write(ident, body.kind, body.payload(), seen=body.version, key=key), 201)
    except StaleWrite as error:
        raise _conflict(book, ident, error) from None


@router.get(
    "/{ident}/export.{form}",
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in MEDIA.values()}}, **problems(403, 404, 422)},
)
def export_match(
    request: Request, ident: MatchId, form: FileFormat, token: Token = None, query: Annotated[
        str | None, Query(alias="token", description="The token, for a plain link.")] = None,
) -> Response:  # fmt: skip
    """The match as a file: everything (json), a table (csv), a sheet to print (pdf), a picture to share (png)."""
    from api.sheets import export_bytes

    book = _reader(request, ident, token or query)
    data = export_bytes(book, ident, form, lang_of(request))
    headers = {"Content-Disposition": f'attachment; filename="burraco-{ident[:12]}.{form}"'}
    return Response(data, media_type=MEDIA[form], headers=headers)


@router.get(
    "/{ident}/stream",
    responses={200: {"content": {"text/event-stream": {}}}, **problems(403, 404, 422, 503)},
)
async def stream_match(request: Request, ident: MatchId, token: QueryToken = None, header: Token = None) -> Response:
    """Server-sent events: the match now, and again within a second of every change (`event: match`)."""
    book = await run_in_threadpool(_reader, request, ident, token or header)
    return StreamingResponse(
        _changes(request, book, ident), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


async def _changes(request: Request, book: MatchBook, ident: str) -> AsyncIterator[str]:
    told, waited = -1, 0.0
    while not await request.is_disconnected():
        head = (await run_in_threadpool(book.store.book, ident)).head
        if head != told:
            view = await run_in_threadpool(partial(book.view, ident, first=None, most=SHOWN))
            told, waited = head, 0.0
            yield f"id: {head}\nevent: match\ndata: {json.dumps(view, ensure_ascii=False)}\n\n"
        elif waited >= BEAT_SECONDS:
            waited = 0.0
            yield ": here\n\n"
        await asyncio.sleep(POLL_SECONDS)
        waited += POLL_SECONDS
