"""What the commands of matches and of tournaments share: the store, a book by the start of its id, printing, export."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from api.store import Store, default_url
from scorer.cli.common import say, say_json, shown_name, write_bytes
from scorer.errors import MatchError
from scorer.messages import text

View = TypeVar("View")


def open_store() -> Store:
    """The books on this machine, or in the database that BURRACO_DATABASE_URL names; MatchError in one line."""
    url = os.environ.get("BURRACO_DATABASE_URL")
    folder = os.environ.get("BURRACO_DATA_DIR")
    try:
        return Store(url or default_url(Path(folder) if folder else None))
    except OSError as error:
        detail = os.strerror(error.errno) if error.errno else str(error)
        raise MatchError(f"the match book cannot be used: {detail}", code="store_failed", detail=detail) from None


def book_id(store: Store, kind: str, given: str | None) -> str | None:
    """The id of the book that is meant by the start of its id, the newest when none is given; None: there is none."""
    known = [stored.id for stored in store.newest(kind, limit=10_000)]
    if given is None:
        return known[0] if known else None
    found = [ident for ident in known if ident.startswith(given)]
    if given in found:
        return given
    if len(found) != 1:
        code = "unknown_book" if not found else "many_books"
        raise MatchError(text(code, "en", id=given[:40], count=len(found)), code=code, id=given[:40], count=len(found))
    return found[0]


def say_view(view: View, as_json: bool, lang: str | None, lines: Callable[[View, str], Iterable[str]]) -> int:
    """Print a view, as JSON or as the lines that are made of it in a language; the exit code."""
    if as_json:
        say_json(view)
    else:
        say(*lines(view, lang or "en"))
    return 0


def export_to(file: str, data: bytes, lang: str | None) -> int:
    """Write a file and say so; the exit code."""
    write_bytes(file, data)
    say(text("match.exported", lang or "en", name=shown_name(file)))
    return 0
