"""Snapshots of the match book: what was derived from a match's events, put by so that a page of it is read at once.

The events alone are the match. A snapshot says where it stands (`scorer.book.Head`) and holds its rows in pages of
`PAGE`; it is written with each event and made again whenever it is absent, of another version, made under other rules,
or damaged (every part is under a digest). So it can be thrown away at any time, and a page of a match of ten thousand
deals costs the same as one of ten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from api.store import Snapshot
from scorer.book import Book, Head, Row
from scorer.match import Tally
from scorer.profile import RuleProfile

#: Rows of one page.
PAGE: Final = 100
#: What a snapshot's text means; another number makes every older one again.
FORMAT: Final = 1

RowJson = dict[str, Any]


class Derived(NamedTuple):
    """A match as far as it was asked for: where it stands, rows from number `first` on, and each page's digest."""

    head: Head
    first: int
    rows: list[RowJson]
    digests: tuple[str, ...]


def row_json(row: Row) -> RowJson:
    """A row as the match's JSON shows it, and the event that last wrote it (`seq`), which holds its entry."""
    return {
        "number": row.number, "event": row.event, "state": row.state, "amended": row.amended, "void": row.void,
        "points": list(row.points), "running": list(row.running), "form": row.entry.get("form"),
        "faults": list(row.faults), "seq": row.seq,
    }  # fmt: skip


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _text(data: Any) -> str:
    return orjson.dumps(data).decode()


def _basis(profile: RuleProfile) -> list[Any]:
    """What of the rules is in a head's figures; the rest is worked out at each look."""
    return [FORMAT, profile.id, profile.match.target, profile.match.tie]


def _seal(head: Head, profile: RuleProfile, digests: Sequence[str], pages: Mapping[int, str]) -> Snapshot:
    known = [head.version, head.deals, tuple(head.tally), head.notes, head.target, head.closed]
    data = _text({"basis": _basis(profile), "head": known, "pages": tuple(digests)})
    return Snapshot(head.version, data, _digest(data), pages)


def whole(book: Book, profile: RuleProfile, old: Sequence[str] = ()) -> tuple[Derived, Snapshot]:
    """The snapshot of a whole book; of its pages only those whose digest is not the one in `old`."""
    rows = [row_json(row) for row in book.rows]
    texts = [_text(rows[at : at + PAGE]) for at in range(0, len(rows), PAGE)]
    digests = tuple(map(_digest, texts))
    changed = {n: text for n, text in enumerate(texts) if n >= len(old) or old[n] != digests[n]}
    return Derived(book.head, 1, rows, digests), _seal(book.head, profile, digests, changed)


def grown(before: Derived, head: Head, row: Row | None, profile: RuleProfile) -> Snapshot:
    """The snapshot after an event that only adds; `before` must reach to the last row, from the start of its page."""
    if row is None:
        return _seal(head, profile, before.digests, {})
    page = (row.number - 1) // PAGE
    rows = [*before.rows[page * PAGE + 1 - before.first :], row_json(row)]
    text = _text(rows)
    return _seal(head, profile, (*before.digests[:page], _digest(text)), {page: text})


class Look:
    """One look at a stored snapshot: rows `first` to `first + most - 1`; with `first` None the last `most` of them."""

    def __init__(self, profile: RuleProfile, first: int | None, most: int | None) -> None:
        self.profile, self.first, self.most = profile, first, most
        self._head: Head | None = None
        #: The digest of each page of the snapshot that was looked at.
        self.digests: tuple[str, ...] = ()
        self._numbers: tuple[int, int] = (1, 0)

    def wanted(self, found: Snapshot) -> Sequence[int]:
        """The pages that hold the rows; none when the head cannot be used."""
        try:
            data = orjson.loads(found.data) if found.digest == _digest(found.data) else {}
            if data.get("basis") != _basis(self.profile):
                return ()
            self._head, self.digests = _head(data["head"]), tuple(data["pages"])
        except (ValueError, TypeError, KeyError, AttributeError):
            return ()
        self._numbers = span(self._head.deals, self.first, self.most)
        low, high = self._numbers
        return range((low - 1) // PAGE, (high - 1) // PAGE + 1) if low <= high else ()

    def derived(self, version: int, found: Snapshot | None) -> Derived | None:
        """What was found, at whole pages, if it is of `version` and undamaged; else None."""
        head = self._head
        if found is None or head is None or head.version != version or found.version != version:
            return None
        low, high = self._numbers
        if low > high:
            return Derived(head, low, [], self.digests)
        first = (low - 1) // PAGE
        rows: list[RowJson] = []
        for page in range(first, (high - 1) // PAGE + 1):
            text = found.pages.get(page, "")
            if page >= len(self.digests) or _digest(text) != self.digests[page]:
                return None
            rows += orjson.loads(text)
        return Derived(head, first * PAGE + 1, rows, self.digests)


def span(deals: int, first: int | None, most: int | None) -> tuple[int, int]:
    """The numbers of the first and last row of a page; the first is the greater one for an empty page.

    >>> span(250, 1, 200), span(250, None, 200), span(250, 240, 200), span(0, None, None)
    ((1, 200), (51, 250), (240, 250), (1, 0))
    """
    size = deals if most is None else most
    low = max(1, deals - size + 1) if first is None else first
    return low, min(deals, low + size - 1)


def _head(data: Sequence[Any]) -> Head:
    version, deals, tally, notes, target, closed = data
    totals, counted, played, finished = tally
    noted = tuple((seq, text) for seq, text in notes)
    return Head(version, deals, Tally(tuple(totals), counted, played, finished), noted, target, closed)
