"""Movements of a tournament: who meets whom in the next round, and who sits out.

Entries are pairs (or single players) by number from 1. A movement is a pure function of the entries, the rounds
played and, for the Danese, the ranking. `None` as an opponent is the empty chair: that entry sits out.

* Mitchell: north-south stays, east-west moves on each round; nobody meets twice while the shifts last.
* Danese: after the first round first against second, third against fourth; `danese_modified` allows no rematch of the
  round before.
* Round robin (all'italiana): everybody meets everybody; N - 1 rounds for even N, N for odd.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from scorer.errors import MatchError

Movement = Literal["mitchell", "danese", "danese_modified", "round_robin"]
MOVEMENTS: Final[tuple[Movement, ...]] = ("mitchell", "danese", "danese_modified", "round_robin")


class Pairing(NamedTuple):
    """One table of a round; `ew` None: `ns` sits out this round and `table` is 0."""

    table: int
    ns: int
    ew: int | None


Round = tuple[Pairing, ...]


def next_round(
    movement: Movement, entries: Sequence[int], played: Sequence[Round], ranking: Sequence[int] = ()
) -> Round:
    """The pairings of the next round; MatchError when the movement is finished or there are too few entries.

    `entries` in order of entry; `ranking` the same numbers, best first (Danese only; the order of entry when empty).

    >>> [(p.ns, p.ew) for p in next_round("mitchell", [1, 2, 3, 4], [])]
    [(1, 3), (2, 4)]
    """
    if len(entries) < 2:
        raise MatchError("a round needs at least two entries", code="too_few_entries", least=2)
    if movement == "mitchell":
        return _mitchell(entries, played)
    if movement == "round_robin":
        return _round_robin(entries, played)
    order = [e for e in ranking if e in entries] + [e for e in entries if e not in ranking]
    return _danese(order, played, modified=movement == "danese_modified")


def meetings(played: Sequence[Round]) -> set[frozenset[int]]:
    """The pairs of entries that have already met."""
    return {frozenset((p.ns, p.ew)) for past in played for p in past if p.ew is not None}


def sat_out(played: Sequence[Round]) -> list[int]:
    """The entries that sat out, a time for each round."""
    return [p.ns for past in played for p in past if p.ew is None]


def _seat(pairs: Sequence[tuple[int | None, int | None]], *, fixed: bool = False) -> Round:
    """Number the tables in order (`fixed`: each place keeps its number); who faces the empty chair sits out, last."""
    tables: list[Pairing] = []
    resting: list[Pairing] = []
    for place, (a, b) in enumerate(pairs, 1):
        if a is not None and b is not None:
            tables.append(Pairing(place if fixed else len(tables) + 1, a, b))
        elif a is not None or b is not None:
            resting.append(Pairing(0, a if a is not None else (b or 0), None))
    return (*tables, *resting)


def _mitchell(entries: Sequence[int], played: Sequence[Round]) -> Round:
    """East-west sits one table on from last round, or further where that would repeat a meeting (a late pair)."""
    half = (len(entries) + 1) // 2
    lines = _mitchell_lines(entries, played, half)
    north: list[int | None] = list(lines[0])
    east: list[int | None] = list(lines[1])
    size = max(len(north), len(east))
    north += [None] * (size - len(north))
    east += [None] * (size - len(east))
    met, rested = meetings(played), set(sat_out(played))
    start = len(played) % size
    for step in range(size):
        turn = (start + step) % size
        pairs = [(north[i], east[(i - turn) % size]) for i in range(size)]
        if not any(_repeats(a, b, met, rested) for a, b in pairs):
            return _seat(pairs, fixed=True)
    raise MatchError(
        f"a Mitchell with {len(entries)} entries has no further round without a rematch",
        code="movement_finished", rounds=len(played),
    )  # fmt: skip


def _mitchell_lines(entries: Sequence[int], played: Sequence[Round], half: int) -> tuple[list[int], list[int]]:
    """Who sits north-south and who east-west: as in the first round; late entries fill the shorter line."""
    if not played:
        return list(entries[:half]), list(entries[half:])
    present = set(entries)
    north = [p.ns for p in played[0] if p.ew is not None] + [p.ns for p in played[0] if p.ew is None]
    east = [p.ew for p in played[0] if p.ew is not None]
    north, east = [e for e in north if e in present], [e for e in east if e in present]
    for late in entries:
        if late not in north and late not in east:
            (north if len(north) < len(east) else east).append(late)
    return north, east


def _repeats(a: int | None, b: int | None, met: set[frozenset[int]], rested: set[int]) -> bool:
    if a is None or b is None:
        return (a in rested or b in rested) and not (a is None and b is None)
    return frozenset((a, b)) in met


def _round_robin(entries: Sequence[int], played: Sequence[Round]) -> Round:
    """The circle method; with a late entry, any round of the circle that repeats nothing, then the fewest repeats."""
    circle: list[int | None] = list(entries)
    if len(circle) % 2:
        circle.append(None)
    size = len(circle)
    met, rested = meetings(played), set(sat_out(played))
    rounds = [_circle_round(circle, turn) for turn in range(size - 1)]
    start = len(played) % (size - 1)
    for pairs in rounds[start:] + rounds[:start]:
        if not any(_repeats(a, b, met, rested) for a, b in pairs):
            return _seat(pairs)
    fresh = [(sum(_repeats(a, b, met, rested) for a, b in pairs), i) for i, pairs in enumerate(rounds)]
    fewest, which = min(fresh)
    if fewest == len(rounds[which]):
        raise MatchError("everybody has met everybody", code="movement_finished", rounds=len(played))
    return _seat(rounds[which])


def _circle_round(circle: Sequence[int | None], turn: int) -> list[tuple[int | None, int | None]]:
    rest = list(circle[1:])
    turned = [circle[0], *rest[len(rest) - turn :], *rest[: len(rest) - turn]]
    half = len(turned) // 2
    pairs = list(zip(turned[:half], reversed(turned[half:]), strict=True))
    return [(b, a) if turn % 2 and i == 0 else (a, b) for i, (a, b) in enumerate(pairs)]


def _danese(order: Sequence[int], played: Sequence[Round], *, modified: bool) -> Round:
    """Neighbours of the ranking; an odd field rests the lowest who has rested least."""
    order = list(order)
    resting: list[tuple[int | None, int | None]] = []
    if len(order) % 2:
        rests = sat_out(played)
        fewest = min(rests.count(e) for e in order)
        out = next(e for e in reversed(order) if rests.count(e) == fewest)
        order.remove(out)
        resting = [(out, None)]
    barred = meetings(played[-1:]) if modified else set()
    pairs = _neighbours(order, barred)
    return _seat([*pairs, *resting])


def _neighbours(order: list[int], barred: set[frozenset[int]]) -> list[tuple[int, int]]:
    """Pair the ranking from the top, each with the nearest whom it did not just meet.

    Everybody is barred from at most one opponent, so the search steps back only from the last tables; two entries
    that have just met and are alone meet again.
    """
    return _paired(order, barred) or _paired(order, set()) or []


def _paired(order: list[int], barred: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    if not order:
        return []
    first, rest = order[0], order[1:]
    for i, other in enumerate(rest):
        if frozenset((first, other)) not in barred:
            tail = _paired(rest[:i] + rest[i + 1 :], barred)
            if tail is not None:
                return [(first, other), *tail]
    return None
