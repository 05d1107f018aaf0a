"""Figures for Prometheus: requests, times, photos. One registry for each application, so that tests do not mix."""

from __future__ import annotations

import os
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
#: When several server processes run, `burraco serve` names a folder here in which they add up their figures.
MULTI_DIR: Final = "PROMETHEUS_MULTIPROC_DIR"


class Figures:
    """What the server counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "burraco_requests_total", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "burraco_request_seconds", "Time to answer.", ["route"], buckets=_SECONDS, registry=self.registry
        )
        self.in_flight = Gauge(
            "burraco_in_flight", "Requests being answered.", registry=self.registry, multiprocess_mode="livesum"
        )
        self.photos = Counter("burraco_photos_total", "Photos by outcome.", ["outcome"], registry=self.registry)
        self.photo_seconds = Histogram(
            "burraco_photo_seconds", "Time to read a photo.", buckets=_SECONDS, registry=self.registry
        )
        self.photos_waiting = Gauge(
            "burraco_photos_waiting", "Photos in the queue or being read.", registry=self.registry,
            multiprocess_mode="livesum",
        )  # fmt: skip
        self._counts: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[str, Histogram] = {}

    def entered(self) -> None:
        """A request has come in."""
        self.in_flight.inc()

    def left(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request has been answered."""
        self.in_flight.dec()
        key = (method, route, status)
        count = self._counts.get(key)
        if count is None:
            # Only known methods become labels: a caller must not be able to fill the registry with names.
            known = method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"
            count = self.requests.labels(known, route, str(status))
            if known == method:
                self._counts[key] = count
        count.inc()
        timer = self._times.get(route)
        if timer is None:
            timer = self._times[route] = self.seconds.labels(route)
        timer.observe(seconds)

    def text(self) -> bytes:
        """The figures in the text format of Prometheus, of all server processes."""
        if os.environ.get(MULTI_DIR):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the client leaves it untyped
            return generate_latest(registry)
        return generate_latest(self.registry)
