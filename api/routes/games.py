"""`/v1/games`: play a deal against bots or other people, each seeing only his own seat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from anyio.to_thread import run_sync
from fastapi import APIRouter, FastAPI, Header, Path, Query, Request
from starlette.responses import Response

from api.answers import answer, lang_of
from api.bodies import json_body
from api.games import Games, Live, checked_seats, hint_json, legal_json, record_text, view_json
from api.openapi import body_of
from api.problems import problems
from api.schemas_game import ActRequest, ActResult, Bots, GameCreated, GameRequest, GameState, Hint, LegalActions
from scorer.contract import checked_object, refuse, request_lang, stated_rules
from scorer.game.bots import bot_names
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile

TAG = {"name": "games", "description": "Play a deal: each person's seat has a secret token and sees only its own hand."}
router = APIRouter(prefix="/v1", tags=["games"])
T = TypeVar("T")

GameId = Path(description="Id of the game.", max_length=64, examples=["nUoTzbDPWzg5aLZz"])
SeatToken = Header(
    default=None, alias="X-Seat-Token", description="The token of your seat, given when the game was made."
)
After = Query(default=0, ge=0, le=1_000_000, description="Tell the moves after this number.")


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """The games are opened with the store, when the first one is asked for."""
    app.state.games = None
    yield


async def _with_games(request: Request, work: Callable[[Games], T]) -> T:
    """Run some work on the games in a thread: the store and the bots must not keep others waiting."""
    app = request.app

    def run() -> T:
        if app.state.games is None:
            app.state.games = Games(app.state.database.store(), app.state.settings.answer_seconds)
        return work(app.state.games)

    return await run_sync(run)


@router.get("/bots", response_model=Bots, responses=problems())
async def list_bots(request: Request) -> Response:
    """The bots one can play against, weakest first."""
    return answer({"bots": list(bot_names())})


def _links(*operations: str) -> dict[str, Any]:
    """From a new game to what one can do with it, as OpenAPI links."""
    known = {"game_id": "$response.body#/game/id", "X-Seat-Token": "$response.body#/tokens/N"}
    return {name: {"operationId": name, "parameters": known} for name in operations}


@router.post(
    "/games", response_model=GameCreated, status_code=201, openapi_extra=body_of(GameRequest),
    responses={**problems(415, 422), 201: {"links": _links("show_game", "list_actions", "act", "hint", "game_record")}},
)  # fmt: skip
async def create_game(request: Request) -> Response:
    """Deal the cards of a new game; bots have moved up to the first person."""
    stated, profile, lang = _game_request(await json_body(request))
    words = lang_of(request, lang)

    def work(games: Games) -> dict[str, Any]:
        live, tokens = games.create(stated, profile)
        first = stated["seats"].index("human")
        return {"tokens": tokens, "game": view_json(live, first, 0, words)}

    made = await _with_games(request, work)
    return answer(made, 201, {"Location": f"/v1/games/{made['game']['id']}"})


@router.get("/games/{game_id}", response_model=GameState, responses=problems(401, 403, 404, 422))
async def show_game(
    request: Request, game_id: str = GameId, token: str | None = SeatToken, after: int = After
) -> Response:
    """The game as one seat sees it."""
    words = lang_of(request)
    return answer(await _seen(request, game_id, token, lambda live, seat: view_json(live, seat, after, words)))


@router.get("/games/{game_id}/actions", response_model=LegalActions, responses=problems(401, 403, 404))
async def list_actions(request: Request, game_id: str = GameId, token: str | None = SeatToken) -> Response:
    """What this seat may do now."""
    return answer(
        await _seen(
            request, game_id, token, lambda live, seat: {"version": live.head, "actions": legal_json(live, seat)}
        )
    )


@router.post(
    "/games/{game_id}/actions", response_model=ActResult, responses=problems(401, 403, 404, 409, 415, 422),
    openapi_extra=body_of(ActRequest),
)  # fmt: skip
async def act(request: Request, game_id: str = GameId, token: str | None = SeatToken, after: int = After) -> Response:
    """Do something; then the bots move until a person is on turn again.

    What the rules refuse is a 200 with `legal: false`, and nothing has changed.
    """
    text, version, lang = _act_request(await json_body(request))
    words = lang_of(request, lang)

    def work(games: Games) -> dict[str, Any]:
        live, seat, verdict = games.act(game_id, token, text, lang, words, version)
        return {**verdict, "game": view_json(live, seat, after, words)}

    return answer(await _with_games(request, work))


@router.get("/games/{game_id}/hint", response_model=Hint, responses=problems(401, 403, 404, 422))
async def hint(
    request: Request,
    game_id: str = GameId,
    token: str | None = SeatToken,
    bot: str | None = Query(default=None, max_length=40, description="The bot to ask; absent: the strongest."),
) -> Response:
    """What a bot would do in this seat, knowing only what the seat knows."""
    return answer(await _seen(request, game_id, token, lambda live, seat: hint_json(live, seat, bot)))


@router.get(
    "/games/{game_id}/record",
    response_class=Response,
    responses={
        **problems(401, 403, 404, 409),
        200: {"description": "The record, `burraco-record/1` (TOML).",
              "content": {"application/toml": {"schema": {"type": "string"}}}},
    },
)  # fmt: skip
async def game_record(request: Request, game_id: str = GameId, token: str | None = SeatToken) -> Response:
    """The whole game, card by card, once the deal is over."""
    text = await _seen(request, game_id, token, lambda live, seat: record_text(live))
    return Response(text, media_type="application/toml")


async def _seen(request: Request, game_id: str, token: str | None, work: Callable[[Live, int], T]) -> T:
    def run(games: Games) -> T:
        live = games.load(game_id)
        return work(live, games.seat_of(live, token))

    return await _with_games(request, run)


def _game_request(data: Any) -> tuple[dict[str, Any], RuleProfile, str]:
    body = checked_object(data, ("seats", "dealer", "seed", "rules", "options", "lang"))
    lang = request_lang(body)
    ident, options = stated_rules(body)
    profile = load_profile(ident or DEFAULT_PROFILE, options or None)
    seats = checked_seats(body.get("seats", ["human", bot_names()[0]]))
    dealer, seed = body.get("dealer", 0), body.get("seed")
    if not isinstance(dealer, int) or isinstance(dealer, bool) or not 0 <= dealer < len(seats):
        raise refuse("bad_field", field="dealer", expected=f"0..{len(seats) - 1}")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, str | int) or len(str(seed)) > 100):
        raise refuse("bad_field", field="seed", expected='1, "abc", null')
    return {"seats": seats, "dealer": dealer, "seed": seed}, profile, lang


def _act_request(data: Any) -> tuple[str, int, str]:
    body = checked_object(data, ("action", "version", "lang"))
    lang = request_lang(body)
    text, version = body.get("action"), body.get("version")
    if not isinstance(text, str) or not text.strip() or len(text) > 2000:
        raise refuse("bad_field", field="action", expected="draw, lay 4h 5h 6h, discard Kh")
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise refuse("bad_field", field="version", expected="0..")
    return text, version, lang
