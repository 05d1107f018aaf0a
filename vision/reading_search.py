"""The most probable table: one reading for every group such that the deck can hold them all.

Best first over the groups' ranked readings: the unconstrained best is tried first, and only groups that share a card
of which there are too many give way. A reading that breaks the deck is not forbidden (a third 7♥ may lie there
plainly) but weighs as much as something that hardly ever happens.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from scorer.cards import CARDS, copies
from vision.reading_group import Hypothesis

SURPLUS: Final = -9.0
"""Log weight of every card more than the deck holds."""
_MOST_NODES: Final = 1500
_ROUNDS: Final = 6


class Solution(NamedTuple):
    """Which reading of each group; `early` when the time ran out before the best was certain."""

    picks: tuple[int, ...]
    log: float
    early: bool


def surplus(codes: Sequence[int] | Counter[int]) -> int:
    """How many cards there are beyond what the deck holds."""
    counts = codes if isinstance(codes, Counter) else Counter(codes)
    return sum(n - copies(CARDS[code]) for code, n in counts.items() if n > copies(CARDS[code]))


def solve(options: Sequence[Sequence[Hypothesis]], seconds: float = 0.15) -> Solution:
    """The most probable choice of one reading for each group; stops after `seconds` with the best one found.

    >>> solve([])
    Solution(picks=(), log=0.0, early=False)
    """
    begun = time.thread_time()
    start = (0,) * len(options)
    heap = [(-_log(options, start), start)]
    seen = {start}
    best: tuple[float, tuple[int, ...]] | None = _climb(options, start)
    nodes = 0
    while heap:
        cost, picks = heapq.heappop(heap)
        if best is not None and -cost <= best[0]:
            break
        counts = _counts(options, picks)
        over = {code for code, n in counts.items() if n > copies(CARDS[code])}
        value = -cost + SURPLUS * surplus(counts)
        if best is None or value >= best[0]:
            best = value, picks
        if not over:
            break
        nodes += 1
        if nodes > _MOST_NODES or time.thread_time() - begun > seconds:
            return Solution(best[1], best[0], True)
        for following in _give_way(options, picks, over):
            if following not in seen:
                seen.add(following)
                heapq.heappush(heap, (-_log(options, following), following))
    if best is None:
        return Solution((), 0.0, False)
    return Solution(best[1], best[0], False)


def _climb(options: Sequence[Sequence[Hypothesis]], start: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
    """A good table at once: one group after the other takes the reading that suits the rest, until none changes."""
    picks = list(start)
    counts = _counts(options, start)
    for _ in range(_ROUNDS):
        changed = False
        for n, choices in enumerate(options):
            if all(counts[code] <= copies(CARDS[code]) for code in choices[picks[n]].codes):
                continue
            counts.subtract(choices[picks[n]].codes)
            best = max(range(len(choices)), key=lambda m: (choices[m].log + SURPLUS * _excess(counts, choices[m]), -m))
            counts.update(choices[best].codes)
            changed = changed or best != picks[n]
            picks[n] = best
        if not changed:
            break
    found = tuple(picks)
    return _log(options, found) + SURPLUS * surplus(_counts(options, found)), found


def _excess(counts: Counter[int], one: Hypothesis) -> int:
    """Cards beyond the deck that a reading adds to what the other groups hold."""
    mine = Counter(one.codes)
    return sum(
        max(0, counts[code] + n - copies(CARDS[code])) - max(0, counts[code] - copies(CARDS[code]))
        for code, n in mine.items()
    )


def _log(options: Sequence[Sequence[Hypothesis]], picks: tuple[int, ...]) -> float:
    return sum(choices[pick].log for choices, pick in zip(options, picks, strict=True))


def _counts(options: Sequence[Sequence[Hypothesis]], picks: tuple[int, ...]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for choices, pick in zip(options, picks, strict=True):
        counts.update(choices[pick].codes)
    return counts


def _give_way(options: Sequence[Sequence[Hypothesis]], picks: tuple[int, ...], over: set[int]) -> list[tuple[int, ...]]:
    """The picks in which one group takes its next reading that holds fewer of the cards in excess."""
    out = []
    for n, pick in enumerate(picks):
        held = Counter(code for code in options[n][pick].codes if code in over)
        if not held:
            continue
        for later in range(pick + 1, len(options[n])):
            fewer = Counter(code for code in options[n][later].codes if code in over)
            if any(fewer[code] < held[code] for code in held):
                out.append((*picks[:n], later, *picks[n + 1 :]))
                break
    return out


def shares(options: Sequence[Sequence[Hypothesis]], picks: Sequence[int]) -> list[list[float]]:
    """For every group the probability of each of its readings, the other groups standing as picked."""
    counts = _counts(options, tuple(picks))
    out = []
    for choices, pick in zip(options, picks, strict=True):
        rest = counts - Counter(choices[pick].codes)
        logs = []
        for one in choices:
            logs.append(one.log + SURPLUS * _excess(rest, one))
        top = max(logs)
        weights = [math.exp(log - top) for log in logs]
        total = sum(weights)
        out.append([w / total for w in weights])
    return out
