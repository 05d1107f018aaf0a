"""The phone page at `/`: the static files of `api/web`, compressed, revalidated by ETag, and never in the API's way."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from api.page_bundle import overlay

FOLDER: Final = Path(__file__).parent / "web"
_OTHERS: Final = ("/v1", "/healthz", "/readyz", "/metrics", "/openapi.json")


class _Files(StaticFiles):
    """Static files; a path without a dot that is no file is a view of the page and answers its index."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        name = path if Path(path).suffix else self._view(path)
        made = overlay(Path(str(self.directory))).get(name)
        response = await super().get_response(name, scope) if made is None else self._made(name, made, scope)
        response.headers["cache-control"] = "no-cache"
        return response

    def _view(self, path: str) -> str:
        full, _ = self.lookup_path(path)
        return path if full and path not in (".", "") else "index.html"

    def _made(self, name: str, data: bytes, scope: Scope) -> Response:
        """A file of the overlay, revalidated as the others are."""
        tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
        headers = {"etag": tag}
        if tag in Headers(scope=scope).get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers, media_type="text/html" if name.endswith(".html") else "text/javascript")


class _PageMount(Mount):
    """A mount at `/` that leaves the API's addresses to the API, so that a wrong method there stays a 405."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path = scope.get("path", "")
        if scope["type"] != "http" or any(path == other or path.startswith(other + "/") for other in _OTHERS):
            return Match.NONE, {}
        return super().matches(scope)


def page_routes(folder: Path = FOLDER) -> list[BaseRoute]:
    """The routes of the page; none when it is not installed."""
    if not (folder / "index.html").is_file():
        return []
    files = GZipMiddleware(_Files(directory=folder, html=True), minimum_size=500)
    return [_PageMount("/", app=files, name="page")]
