"""The lines of a book, of a match or of a tournament: never changed or removed, only taken back by a later `undo`.

>>> first, back = Event(1, "deal", {}), Event(2, "undo", {"event": 1})
>>> sorted(undone([first, back])), sorted(undone([first, back, Event(3, "undo", {"event": 2})]))
([1], [2])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scorer.errors import MatchError


class Event(NamedTuple):
    """One line of a book. `seq` counts from 1 in its book; `at` is UTC in ISO form, as the store wrote it."""

    seq: int
    kind: str
    payload: Mapping[str, Any]
    at: str = ""


def undone(events: Sequence[Event]) -> frozenset[int]:
    """The numbers of the events that an undo in force has taken back (an undo can itself be undone)."""
    back: set[int] = set()
    for event in reversed(events):
        if event.kind == "undo" and event.seq not in back:
            back.add(int(event.payload["event"]))
    return frozenset(back)


def last_undoable(events: Sequence[Event]) -> int:
    """The event that a plain undo takes back: the last one in force that is no undo; MatchError when there is none."""
    back = undone(events)
    for event in reversed(events):
        if event.kind != "undo" and event.seq not in back:
            return int(event.seq)
    raise MatchError("there is nothing to undo", code="nothing_to_undo")
