"""Snapshots of the match book: whatever befalls them, the events alone decide; a page never reads the whole match."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from api.matchbook import MatchBook
from api.snapshots import PAGE
from api.store import Store, default_url
from scorer.errors import MatchError

sys.path.insert(0, str(Path(__file__).parent))
from store_model import HARM

DEALS = 2 * PAGE + 30


def entry(number: int) -> dict[str, Any]:
    if number % 10 == 0:
        return {"form": "void"}
    points = 5 * (number % 7) - 15
    return {"form": "total", "points": [points, -points]}


def filled(store: Store, deals: int = DEALS, ident: str = "long") -> MatchBook:
    rows = [{"seq": n, "kind": "deal", "payload": {"entry": entry(n)}} for n in range(1, deals + 1)]
    book = MatchBook(store)
    book.restore({"format": "burraco-match/1", "id": ident, "info": {"options": {"target": 3005}}, "events": rows})
    return book


@pytest.fixture
def book(tmp_path: Path) -> Iterator[MatchBook]:
    store = Store(default_url(tmp_path))
    yield filled(store)
    store.close()


def from_events(book: MatchBook) -> dict[str, Any]:
    """The whole match as the events alone give it."""
    with book.store.engine.begin() as connection:
        connection.execute(text("DELETE FROM snapshots"))
    return book.view("long", entries=True)


@pytest.mark.parametrize("how", HARM)
def test_a_lost_or_damaged_snapshot_gives_the_same_match(book: MatchBook, how: str) -> None:
    expected = from_events(book)
    with book.store.engine.begin() as connection:
        connection.execute(text(how))
    assert book.view("long", entries=True) == expected
    assert book.view("long", entries=True, first=PAGE, most=5)["deals"] == expected["deals"][PAGE - 1 : PAGE + 4]


@pytest.mark.parametrize("how", HARM)
def test_a_write_beside_a_damaged_snapshot_counts_right(book: MatchBook, how: str) -> None:
    with book.store.engine.begin() as connection:
        connection.execute(text(how))
    added = book.add("long", {"form": "total", "points": [55, -55]})
    assert from_events(book)["totals"] == added["totals"]


def test_every_write_leaves_the_snapshot_that_the_events_give(book: MatchBook) -> None:
    writes = [
        lambda: book.add("long", {"form": "total", "points": [55, -55]}),
        lambda: book.write("long", "note", {"text": "Anna è in ritardo"}),
        lambda: book.amend("long", 3, {"form": "void"}),
        lambda: book.withdraw("long", PAGE + 1),
        lambda: book.undo("long"),
        lambda: book.write("long", "close", {}),
        lambda: book.write("long", "reopen", {}),
        lambda: book.write("long", "target", {"target": 505}),
        *[lambda: book.add("long", {"form": "void"})] * 75,
        lambda: book.add("long", {"form": "total", "points": [600, 5]}),
        lambda: book.amend("long", 1, {"form": "total", "points": [600, 5]}),
    ]
    for write in writes:
        answered = write()
        with book.store.engine.connect() as connection:
            versions = connection.execute(text("SELECT version FROM snapshots")).scalars().all()
        assert versions == [answered["version"]]
    seen = book.view("long", entries=True)
    assert seen["finished"] and seen["deals"][1]["state"] == "after_end"
    assert from_events(book) == seen


def test_a_page_and_a_new_deal_read_no_events(book: MatchBook) -> None:
    asked: list[str] = []
    event.listen(book.store.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))
    page = book.view("long", first=PAGE - 1, most=4)
    book.add("long", entry(1))
    assert [deal["number"] for deal in page["deals"]] == [PAGE - 1, PAGE, PAGE + 1, PAGE + 2]
    assert asked and not any("FROM events" in line for line in asked)


def test_pages(book: MatchBook) -> None:
    def numbers(**page: Any) -> list[int]:
        return [deal["number"] for deal in book.view("long", **page)["deals"]]

    assert numbers() == list(range(1, DEALS + 1))
    assert numbers(first=None, most=3) == [DEALS - 2, DEALS - 1, DEALS]
    assert numbers(first=DEALS, most=50) == [DEALS]
    assert numbers(first=DEALS + 1, most=50) == []
    assert numbers(first=1, most=0) == []
    short = book.view("long", first=None, most=2)
    assert (short["deal_count"], short["played"]) == (DEALS, DEALS - DEALS // 10)


def test_other_rules_make_a_snapshot_again(book: MatchBook, monkeypatch: pytest.MonkeyPatch) -> None:
    from api import snapshots

    before = book.view("long")
    monkeypatch.setattr(snapshots, "FORMAT", 99)  # as a newer program would
    assert book.view("long") == before
    with book.store.engine.connect() as connection:
        assert '"basis":[99' in str(connection.execute(text("SELECT data FROM snapshots")).scalar())


def test_a_database_that_cannot_be_written_still_shows_the_match(
    book: MatchBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = from_events(book)
    with book.store.engine.begin() as connection:
        connection.execute(text("DELETE FROM snapshots"))

    def refuse(*_: object) -> None:
        raise MatchError("disk full", code="store_failed", detail="disk full")

    monkeypatch.setattr("api.store._put", refuse)
    assert book.view("long", entries=True) == expected
