"""Running the server: what `burraco serve` does once its options are read."""

from __future__ import annotations

import logging.config
import os
import shutil
import tempfile
from typing import Final

from api.figures import MULTI_DIR
from api.logs import config
from api.settings import Settings

_FACTORY: Final = "api.app:create_app"
#: Connections that wait for a process to take them; beyond that the system refuses.
_BACKLOG: Final = 2048


def run(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; requests in flight are finished first.

    With several workers the settings travel to them through the environment, and their figures are added up in a
    temporary folder.
    """
    import uvicorn

    logging.config.dictConfig(config(settings.log_level))
    export(settings)
    folder = _figures_folder(settings)
    try:
        uvicorn.run(
            _FACTORY,
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=settings.workers if settings.workers > 1 else None,
            log_config=config(settings.log_level),
            access_log=False,  # the gate writes one line with the request id
            server_header=False,
            backlog=_BACKLOG,
            timeout_keep_alive=20,
            timeout_graceful_shutdown=settings.shutdown_seconds or None,
            forwarded_allow_ips=settings.forwarded_allow_ips,
            proxy_headers=True,
            h11_max_incomplete_event_size=65_536,
        )
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def export(settings: Settings) -> None:
    """Put settings that differ from the environment into it, for the processes that will read it."""
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if value is None:
            continue
        if hasattr(value, "get_secret_value"):
            value = value.get_secret_value()
        os.environ[f"BURRACO_{name.upper()}"] = str(value)


def _figures_folder(settings: Settings) -> str | None:
    if settings.workers < 2 or not settings.metrics or os.environ.get(MULTI_DIR):
        return None
    folder = tempfile.mkdtemp(prefix="burraco-figures-")
    os.environ[MULTI_DIR] = folder
    return folder
