"""The application factory.

>>> app = create_app(Settings(photo_workers=0))
>>> app.title
'Burraco'
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from types import ModuleType
from typing import Final

from anyio.to_thread import run_sync
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from api import openapi, problems
from api.database import Database
from api.direct import DirectRoute, operation_id
from api.figures import Figures
from api.gate import Gate
from api.page import page_routes
from api.settings import Settings

#: Modules of `api.routes`, in the order of the document; one that is not installed is left out.
ROUTE_MODULES: Final = ("melds", "scores", "rules", "photos", "moves", "games", "matches", "tournaments", "page_tools",
                        "meta")  # fmt: skip


def create_app(settings: Settings | None = None) -> FastAPI:
    """Build the application. Without settings they are read from the environment (`BURRACO_*`)."""
    settings = settings or Settings()
    modules = _route_modules()
    app = FastAPI(
        title="Burraco",
        version=openapi.VERSION,
        summary=openapi.SUMMARY,
        description=openapi.DESCRIPTION,
        license_info={"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        openapi_tags=[tag for module in modules if (tag := getattr(module, "TAG", None))],
        docs_url=None,  # the usual page loads its scripts from elsewhere, which our Content-Security-Policy forbids
        redoc_url=None,
        generate_unique_id_function=operation_id,
        redirect_slashes=False,
        root_path=settings.root_path,
        lifespan=_lifespan(modules),
    )
    app.state.settings = settings
    app.state.figures = Figures()
    app.state.ready_checks = []
    app.state.database = Database(settings)
    app.state.ready_checks.append(partial(run_sync, app.state.database.check))
    problems.install(app)
    for module in modules:
        if module.router.route_class is DirectRoute:
            app.router.routes.extend(module.router.routes)  # an included router would look for them twice
        else:
            app.include_router(module.router)
    if settings.page:
        app.router.routes.extend(page_routes())
    direct = {route.path: route for route in app.router.routes if isinstance(route, DirectRoute)}
    app.add_middleware(Gate, settings=settings, figures=app.state.figures, direct=direct)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["*"],
            expose_headers=["X-Request-ID", "Retry-After", "ETag"],
            max_age=600,
        )
    openapi.install(app)
    return app


def _route_modules() -> list[ModuleType]:
    found = []
    for name in ROUTE_MODULES:
        if importlib.util.find_spec(f"api.routes.{name}") is not None:
            found.append(importlib.import_module(f"api.routes.{name}"))
    return found


def _lifespan(modules: list[ModuleType]):  # type: ignore[no-untyped-def]  # FastAPI's own type for it is private
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for module in modules:
                if hasattr(module, "lifespan"):
                    await stack.enter_async_context(module.lifespan(app))
            yield
        await run_sync(app.state.database.close)

    return lifespan
