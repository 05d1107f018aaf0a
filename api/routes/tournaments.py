"""`/v1/tournaments`: a club's evening; and a read-only page for the wall, which refreshes itself."""

from __future__ import annotations

from html import escape
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Header, Path, Query, Request
from starlette.responses import Response

from api.answers import answer, lang_of
from api.direct import operation_id
from api.problems import Problem, problems
from api.routes.matches import Key, book_of
from api.store import StaleWrite
from api.tournament_schemas import CreatedTournament, TournamentCreate, TournamentView, TournamentWrite
from api.tournaments import TournamentDesk, round_pdf, standings_csv, standings_pdf
from scorer.messages import text

TAG = {"name": "tournaments", "description": "Entries, rounds, results, standings; a page for the wall."}
Sheet = Annotated[Literal["csv", "pdf"], Path(description="Kind of file.")]
router = APIRouter(prefix="/v1/tournaments", tags=["tournaments"], generate_unique_id_function=operation_id)

#: Seconds after which the page for the wall asks again.
REFRESH_SECONDS = 20

TournamentId = Annotated[str, Path(description="The id of the tournament.", min_length=1, max_length=64)]
Token = Annotated[str | None, Header(alias="X-Match-Token", description="The edit or view token.")]
QueryToken = Annotated[str | None, Query(description="The view token, for a plain link.")]


def _desk(app: FastAPI) -> TournamentDesk:
    return TournamentDesk(book_of(app).store)


def _reader(request: Request, ident: str, token: str | None) -> TournamentDesk:
    desk = _desk(request.app)
    if not desk.store.may_view(ident, token or ""):
        raise Problem(403, "bad_token")
    return desk


@router.post("", response_model=CreatedTournament, status_code=201, responses=problems(404, 422, 503))
def create_tournament(request: Request, body: TournamentCreate) -> Response:
    """Begin a tournament, with its entries if they are known (names, or a CSV)."""
    desk = _desk(request.app)
    data = body.model_dump(exclude={"entries_csv"})
    made = desk.create(data)
    view = desk.enter_csv(made.id, body.entries_csv) if body.entries_csv else desk.view(made.id)
    return answer({**made._asdict(), "tournament": view}, 201)


@router.get("/{ident}", response_model=TournamentView, responses=problems(403, 404, 422, 503))
def show_tournament(request: Request, ident: TournamentId, token: Token = None) -> Response:
    """Entries, rounds with results, ranking."""
    return answer(_reader(request, ident, token).view(ident))


@router.post(
    "/{ident}/events", response_model=TournamentView, status_code=201, responses=problems(403, 404, 409, 422, 503)
)
def write_tournament_event(
    request: Request, ident: TournamentId, body: TournamentWrite, token: Token = None, key: Key = None
) -> Response:
    """Enter or withdraw an entry, draw the next round, write a result, undo, close."""
    desk = _desk(request.app)
    if not desk.store.may_edit(ident, token or ""):
        raise Problem(403, "bad_token")
    try:
        return answer(desk.write(ident, body.kind, body.payload(), seen=body.version, key=key), 201)
    except StaleWrite as error:
        extra = {"seen": error.seen, "current": error.current, "tournament": desk.view(ident)}
        raise Problem(409, "stale_write", extra=extra, seen=error.seen, current=error.current) from None


@router.get(
    "/{ident}/standings.{form}",
    responses={200: {"content": {"text/csv": {}, "application/pdf": {}}}, **problems(403, 404, 422)},
)
def export_standings(
    request: Request, ident: TournamentId, form: Sheet, token: Token = None, link: Annotated[
        str | None, Query(alias="token", description="The view token, for a plain link.")] = None,
) -> Response:  # fmt: skip
    """The standings as a table or a sheet to print."""
    view = _reader(request, ident, token or link).view(ident)
    if form == "csv":
        return Response(standings_csv(view), media_type="text/csv; charset=utf-8")
    return Response(standings_pdf(view, lang_of(request)), media_type="application/pdf")


@router.get(
    "/{ident}/rounds/{number}.pdf",
    responses={200: {"content": {"application/pdf": {}}}, **problems(403, 404, 422)},
)
def export_round(
    request: Request, ident: TournamentId, number: Annotated[int, Path(ge=1, le=100, description="The round.")],
    token: Token = None, link: Annotated[str | None, Query(alias="token", description="The view token.")] = None,
) -> Response:  # fmt: skip
    """The sheet of a round to hang up."""
    view = _reader(request, ident, token or link).view(ident)
    if number > len(view["rounds"]):
        raise Problem(404, "unknown_table", round=number, table="-")
    return Response(round_pdf(view, number, lang_of(request)), media_type="application/pdf")


@router.get("/{ident}/page", responses={200: {"content": {"text/html": {}}}, **problems(403, 404, 422, 503)})
def tournament_page(request: Request, ident: TournamentId, token: QueryToken = None) -> Response:
    """A read-only page for the wall: the last round and the standings; it refreshes itself."""
    view = _reader(request, ident, token).view(ident)
    return Response(wall_page(view, lang_of(request)), media_type="text/html; charset=utf-8")


@router.get("/style/wall.css", include_in_schema=False)
def wall_style() -> Response:
    """The stylesheet of the page for the wall."""
    return Response(_STYLE, media_type="text/css; charset=utf-8")


_STYLE = """\
body { font: 1.25rem/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222;
  background: #fff; }
table { border-collapse: collapse; width: 100%; margin-bottom: 2rem; }
th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #ccc; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } th, td { border-color: #444; } }
"""


def wall_page(view: dict[str, Any], lang: str) -> str:
    """HTML without script; every name is escaped."""
    parts = [
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">',
        f'<meta http-equiv="refresh" content="{REFRESH_SECONDS}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(view['name'] or 'Burraco')}</title>",
        f'<link rel="stylesheet" href="../style/wall.css"></head><body><h1>{escape(view["name"] or "Burraco")}</h1>',
    ]
    if view["rounds"]:
        number = len(view["rounds"])
        parts.append(f"<h2>{text('tournament.round', lang, round=number)}</h2>")
        parts.append(_rows([_seat(t, lang) for t in view["rounds"][-1]], ("table", "ns", "ew", "vp"), lang))
    parts.append(f"<h2>{text('tournament.standings', lang)}</h2>")
    ranking = [(str(r["place"]), " / ".join(r["players"]), str(r["vp"]), str(r["margin"])) for r in view["ranking"]]
    parts.append(_rows(ranking, ("place", "players", "vp", "margin"), lang))
    return "".join([*parts, "</body></html>"])


def _seat(table: dict[str, Any], lang: str) -> tuple[str, str, str, str]:
    if table["bye"]:
        return "-", " / ".join(table["ns_names"]), text("tournament.bye", lang), ""
    vp = f"{table['vp'][0]}-{table['vp'][1]}" if table["vp"] else ""
    return str(table["table"]), " / ".join(table["ns_names"]), " / ".join(table["ew_names"]), vp


def _rows(rows: list[tuple[str, str, str, str]], keys: tuple[str, ...], lang: str) -> str:
    head = "".join(f"<th>{text(f'tournament.{key}', lang)}</th>" for key in keys)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
