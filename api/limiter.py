"""A rate limit per caller: a bucket that fills with `rate` tokens a minute and holds `burst`."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

_CALLERS: Final = 50_000


class Limiter:
    """Token buckets by caller. Memory is bounded: the caller unseen for longest is forgotten first.

    >>> clock = iter([0.0, 0.0, 0.0, 30.0]).__next__
    >>> limiter = Limiter(rate=2, burst=2, clock=clock)
    >>> [limiter.wait("a") for _ in range(4)]
    [0, 0, 30, 0]
    """

    def __init__(self, rate: int, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_second = rate / 60.0
        self.burst = float(burst)
        self.clock = clock
        self.buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> int:
        """Take one token; 0 when there was one, else the whole seconds until there will be."""
        now = self.clock()
        tokens, then = self.buckets.pop(caller, (self.burst, now))
        tokens = min(self.burst, tokens + (now - then) * self.per_second)
        allowed = tokens >= 1.0
        self.buckets[caller] = (tokens - 1.0 if allowed else tokens, now)
        if len(self.buckets) > _CALLERS:
            self.buckets.popitem(last=False)
        return 0 if allowed else max(1, math.ceil((1.0 - tokens) / self.per_second))
