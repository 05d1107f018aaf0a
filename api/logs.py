"""Logs as one JSON object a line."""

from __future__ import annotations

import logging
import os
import sys
import time
from contextlib import suppress
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


class AccessLog:
    """One line for each request, written straight to standard error: the logging machinery costs more than a verdict.

    Lines of several processes do not mix: each is one write, shorter than a pipe takes whole.
    """

    def __init__(self) -> None:
        self.second = 0
        self.stamp = ""

    def write(self, fields: dict[str, Any]) -> None:
        """Write one line; a standard error that is closed or full loses it, the request is not its business."""
        now = time.time()
        second = int(now)
        if second != self.second:
            self.second, self.stamp = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        moment = f"{self.stamp}.{int((now - second) * 1000):03d}Z"
        line = {"time": moment, "level": "info", "logger": "burraco.api", "message": "request", **fields}
        with suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


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
