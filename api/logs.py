"""Logs as one JSON object a line."""

from __future__ import annotations

import logging
import time
from typing import Any

import orjson


class JsonFormatter(logging.Formatter):
    """`{"time", "level", "logger", "message", ...}`; `extra={"fields": {...}}` adds members.

    >>> record = logging.LogRecord("burraco.api", 20, "", 0, "request", (), None)
    >>> record.fields = {"status": 200}
    >>> orjson.loads(JsonFormatter().format(record))["status"]
    200
    """

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields = getattr(record, "fields", None)
        if fields:
            line.update(fields)
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def config(level: str) -> dict[str, Any]:
    """A logging configuration (for `logging.config.dictConfig` and uvicorn) that writes JSON to standard error."""
    handler = {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}
    own = {"handlers": ["out"], "level": level.upper(), "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "api.logs.JsonFormatter"}},
        "handlers": {"out": handler},
        "loggers": {"burraco": own, "uvicorn": own, "uvicorn.error": {"level": level.upper()}, "uvicorn.access": own},
        "root": {"handlers": ["out"], "level": "WARNING"},
    }
