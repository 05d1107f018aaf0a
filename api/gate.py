"""The gate every request passes: request id, keys, rate limit, size and time of the body, headers, figures, log.

One plain ASGI layer instead of six: each layer costs every request, and scoring a meld takes less time than one.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import re
import time
from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.answers import preferred
from api.direct import DirectRoute
from api.figures import Figures
from api.limiter import Limiter
from api.logs import AccessLog
from api.problems import Problem, problem_response
from api.settings import Settings

LOGGER: Final = logging.getLogger("burraco.api")
#: Paths whose bodies are limited by their own reader (the photo upload), not here.
LARGE_BODY_PATHS: Final = frozenset({"/v1/photos"})
GUARDED: Final = "/v1/"

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; worker-src 'self'; media-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", CSP.encode()),
    (b"x-frame-options", b"DENY"),
    (b"permissions-policy", b"camera=(self), screen-wake-lock=(self), microphone=(), geolocation=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_LOGGED_PATH: Final = 200
_BODY_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class BodyProblem(HTTPException):
    """A refusal while a body is being read; an HTTPException, which FastAPI's own body reader lets through."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.status, problem.message)
        self.problem = problem


class Gate:
    """ASGI middleware; put it outside everything but CORS. `direct`: routes to POST to, by path, called from here."""

    def __init__(
        self, app: ASGIApp, settings: Settings, figures: Figures, direct: Mapping[str, DirectRoute] | None = None
    ) -> None:
        self.app = app
        self.direct = direct or {}
        self.settings = settings
        self.figures = figures
        self.keys = frozenset(_digest(key.encode()) for key in settings.keys)
        self.hosts = frozenset(settings.hosts)
        self.limiter = Limiter(settings.rate_limit, settings.rate_burst) if settings.rate_limit else None
        extra = ((b"strict-transport-security", b"max-age=31536000"),) if settings.hsts else ()
        self.headers = (*_HEADERS, *extra)
        loud = settings.log_level in ("debug", "info")
        self.access = AccessLog() if settings.access_log and loud else None
        self.start = os.urandom(6).hex()
        self.count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        visit = _Visit(self, scope, receive, send)
        await visit.run()

    def new_id(self) -> bytes:
        """A request id: random for this process, counted within it."""
        self.count += 1
        return f"{self.start}-{self.count:x}".encode()


class _Visit:
    """One request on its way through the gate."""

    __slots__ = ("began", "gate", "id", "left", "more", "receive", "scope", "seen", "send", "status")

    def __init__(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        self.gate, self.scope, self.receive, self.send = gate, scope, receive, send
        self.seen: dict[bytes, bytes] = dict(scope["headers"])
        given = self.seen.get(b"x-request-id")
        self.id = given if given and _REQUEST_ID.fullmatch(given) else gate.new_id()
        self.left = gate.settings.max_body_bytes
        self.more = True
        self.status = 0
        self.began = time.perf_counter()

    async def run(self) -> None:
        scope = self.scope
        scope.setdefault("state", {})["request_id"] = self.id.decode()
        receive = self.receive
        if scope["method"] in _BODY_METHODS and scope["path"] not in LARGE_BODY_PATHS:
            receive = self._counted
        self.gate.figures.entered()
        try:
            refusal = self._refusal()
            if refusal is None:
                route = self.gate.direct.get(scope["path"]) if scope["method"] == "POST" else None
                if route is not None:
                    scope["route"] = route
                    await route.app(scope, receive, self._sent)
                else:
                    await self.gate.app(scope, receive, self._sent)
            else:
                await self._refuse(refusal)
        except ClientDisconnect:
            self.status = 499  # nobody is there to be answered
        except Exception:
            await self._failed()
        finally:
            self._note()

    # --- refusals ------------------------------------------------------------------------------------------------

    def _refusal(self) -> Problem | None:
        gate, path = self.gate, self.scope["path"]
        if gate.hosts and self.seen.get(b"host", b"").decode("latin-1").partition(":")[0] not in gate.hosts:
            return Problem(400, "bad_host")
        if path.startswith(GUARDED):
            refusal = self._key_or_rate()
            if refusal is not None:
                return refusal
        length = self.seen.get(b"content-length")
        if length is not None and path not in LARGE_BODY_PATHS and _too_long(length, self.left):
            return Problem(413, "body_too_large", limit=self.left)
        return None

    def _key_or_rate(self) -> Problem | None:
        gate = self.gate
        if not gate.keys and gate.limiter is None:
            return None
        key = self._given_key()
        who = _digest(key) if key else _address(self.scope)
        if gate.keys and (key is None or who not in gate.keys):
            # Guesses are limited too: they count against the address they come from.
            if gate.limiter is not None and (wait := gate.limiter.wait(_address(self.scope))):
                return _limited(wait)
            asked = {"WWW-Authenticate": 'Bearer realm="burraco"'}
            return Problem(401, "no_key" if key is None else "unknown_key", headers=asked)
        if gate.limiter is not None:
            if not gate.keys:
                who = _address(self.scope)
            if wait := gate.limiter.wait(who):
                return _limited(wait)
        return None

    def _given_key(self) -> bytes | None:
        key = self.seen.get(b"x-api-key")
        if key:
            return key
        kind, _, token = self.seen.get(b"authorization", b"").partition(b" ")
        if kind.lower() == b"bearer" and token:
            return token.strip()
        if self.scope["method"] == "GET" and b"key=" in self.scope["query_string"]:
            for part in self.scope["query_string"].split(b"&"):
                if part.startswith(b"key="):
                    return bytes(part[4:])
        return None

    async def _refuse(self, refusal: Problem) -> None:
        language = self.seen.get(b"accept-language", b"").decode("latin-1")
        response = problem_response(refusal, (preferred(language) if language else None) or "en")
        await response(self.scope, self.receive, self._sent)

    async def _failed(self) -> None:
        LOGGER.exception("unhandled error", extra={"fields": {"request_id": self.id.decode()}})
        if self.status == 0:
            await self._refuse(Problem(500, "internal", request_id=self.id.decode()))
        else:
            self.status = 500

    # --- the streams ---------------------------------------------------------------------------------------------

    async def _counted(self) -> Message:
        """The body, no longer than allowed and no slower."""
        if not self.more:
            return await self.receive()
        message = await self._in_time()
        if message["type"] == "http.request":
            self.left -= len(message.get("body", b""))
            self.more = message.get("more_body", False)
            if self.left < 0:
                raise BodyProblem(Problem(413, "body_too_large", limit=self.gate.settings.max_body_bytes))
        else:
            self.more = False
        return message

    async def _in_time(self) -> Message:
        """The next message. This is `asyncio.timeout` by hand: every request comes here, and it is half as dear."""
        seconds = self.gate.settings.body_seconds
        task = asyncio.current_task()
        assert task is not None
        late = False

        def give_up() -> None:
            nonlocal late
            late = True
            task.cancel()

        alarm = asyncio.get_running_loop().call_later(seconds, give_up)
        try:
            return await self.receive()
        except asyncio.CancelledError:
            if late and task.uncancel() == 0:
                raise BodyProblem(Problem(408, "body_too_slow", seconds=f"{seconds:g}")) from None
            raise
        finally:
            alarm.cancel()

    async def _sent(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers: list[tuple[bytes, bytes]] = [*message["headers"], *self.gate.headers]
            headers.append((b"x-request-id", self.id))
            if self.scope["path"].startswith(GUARDED):
                headers.append((b"cache-control", b"no-store"))
            message["headers"] = headers
        await self.send(message)

    def _note(self) -> None:
        took = time.perf_counter() - self.began
        scope = self.scope
        route = getattr(scope.get("route"), "path", None) or "other"
        self.gate.figures.left(scope["method"], route, self.status or 499, took)
        if self.gate.access is not None:
            self.gate.access.write(
                {
                    "request_id": self.id.decode(),
                    "method": scope["method"],
                    "path": scope["path"][:_LOGGED_PATH],
                    "status": self.status or 499,
                    "ms": round(took * 1000, 2),
                    "client": scope["client"][0] if scope.get("client") else "",
                }
            )


def _digest(key: bytes) -> str:
    """Keys are compared by digest, so that the time of a comparison says nothing about a key."""
    return hashlib.sha256(key).hexdigest()


def _address(scope: Scope) -> str:
    """Who calls, for the rate limit: an IPv4 address or the /64 of an IPv6 one."""
    host: str = scope["client"][0] if scope.get("client") else "?"
    if ":" in host:
        return ":".join(host.split("%")[0].split(":")[:4])
    return host


def _too_long(length: bytes, limit: int) -> bool:
    return not length.isdigit() or len(length) > 15 or int(length) > limit


def _limited(wait: int) -> Problem:
    return Problem(429, "rate_limited", headers={"Retry-After": str(wait)}, seconds=wait)
