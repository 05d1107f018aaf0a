"""The store: books (matches and tournaments) and their append-only events, on SQLite or PostgreSQL.

A write names the version it saw; a stale one raises `StaleWrite` with what is there now. A write with an idempotency
key that was seen before answers the event of the first time. What `append` has returned is on disk.
Beside the events lies a snapshot of what was derived from them (`api/snapshots.py`): it may be lost at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, Engine, Row, create_engine, delete, event, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from api.tables import books, events, snapshot_pages, snapshots
from scorer.errors import MatchError
from scorer.events import Event

#: How long a writer waits for another one, in milliseconds (SQLite).
BUSY_MS = 15_000
_EVENTS = select(events.c.seq, events.c.kind, events.c.payload, events.c.at)


class StaleWrite(MatchError):
    """A write that saw an older version: `seen` and `current` are version numbers."""

    def __init__(self, seen: int, current: int) -> None:
        super().__init__(
            f"somebody else wrote first: you saw version {seen}, it is now {current}",
            code="stale_write", seen=seen, current=current,
        )  # fmt: skip
        self.seen, self.current = seen, current


class StoredBook(NamedTuple):
    """A book as stored; `head` is the number of its last event (its version)."""

    id: str
    kind: str
    info: dict[str, Any]
    head: int
    view_token: str
    created_at: str
    updated_at: str


class Created(NamedTuple):
    """A new book with its tokens; the edit token is shown once and kept only as a hash."""

    id: str
    view_token: str
    edit_token: str


class Snapshot(NamedTuple):
    """What was derived from a book at `version`: a head, with its digest, and pages of rows by number.

    On a write `pages` holds those that changed.
    """

    version: int
    data: str
    digest: str
    pages: Mapping[int, str]


def default_url(data_dir: Path | None = None) -> str:
    """The SQLite file in the user's data folder (made when missing), as a database URL."""
    if data_dir is None:
        from platformdirs import user_data_path

        data_dir = user_data_path("burraco", appauthor=False)
    data_dir.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{(data_dir / 'burraco.db').as_posix()}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Store:
    """One database. Safe to share between threads; every method is one transaction.

    MatchError `store_failed` when the database cannot be opened or written (a full disk, no server), with one line.
    """

    def __init__(self, url: str) -> None:
        self.url = url.replace("postgres://", "postgresql://", 1)
        if self.url.startswith("postgresql://"):
            self.url = self.url.replace("postgresql://", "postgresql+psycopg://", 1)
        self.engine = _engine(self.url)
        # a reader sees one moment of the database, however many queries it makes
        level = {} if self.engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        self._readers = self.engine.execution_options(writing=False, **level)
        with _plain_errors():
            _migrate(self.engine, self.url)

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with _plain_errors(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with _plain_errors(), self._readers.connect() as connection:
            yield connection

    def create(self, kind: str, info: Mapping[str, Any]) -> Created:
        """A new, empty book under an unguessable id."""
        made = Created(secrets.token_urlsafe(12), secrets.token_urlsafe(12), secrets.token_urlsafe(18))
        now = _now()
        with self._writing() as connection:
            connection.execute(
                insert(books).values(
                    id=made.id, kind=kind, info=_json(info), head=0, view_token=made.view_token,
                    edit_hash=_hash(made.edit_token), created_at=now, updated_at=now,
                )
            )  # fmt: skip
        return made

    def book(self, ident: str) -> StoredBook:
        """A book by id; MatchError `unknown_book` when there is none."""
        with self._reading() as connection:
            return _stored(_find(connection, ident))

    def newest(self, kind: str, limit: int = 200) -> list[StoredBook]:
        """The books of a kind, the last written first."""
        query = select(books).where(books.c.kind == kind).order_by(books.c.updated_at.desc(), books.c.id).limit(limit)
        with self._reading() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def events(self, ident: str, after: int = 0) -> list[Event]:
        """The events of a book with a number above `after`, in order."""
        query = _EVENTS.where(events.c.book_id == ident, events.c.seq > after).order_by(events.c.seq)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        # one text for all of them: ten thousand small ones take three times as long to read
        payloads = orjson.loads("[" + ",".join([row[2] for row in rows]) + "]")
        return [Event(row[0], row[1], payload, row[3]) for row, payload in zip(rows, payloads, strict=True)]

    def payloads(self, ident: str, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
        """The payloads of some events of a book, by number."""
        query = select(events.c.seq, events.c.payload).where(events.c.book_id == ident)
        found: dict[int, dict[str, Any]] = {}
        with self._reading() as connection:
            for at in range(0, len(numbers), 500):  # SQLite takes few parameters in one query
                part = connection.execute(query.where(events.c.seq.in_(numbers[at : at + 500])))
                found.update((seq, json.loads(data)) for seq, data in part)
        return found

    def snapshot(self, ident: str, wanted: Callable[[Snapshot], Sequence[int]]) -> tuple[StoredBook, Snapshot | None]:
        """A book with its snapshot as it lies there, all of one moment; the pages are those that `wanted` names."""
        with self._reading() as connection:
            stored = _stored(_find(connection, ident))
            row = connection.execute(select(snapshots).where(snapshots.c.book_id == ident)).first()
            if row is None:
                return stored, None
            found = Snapshot(row.version, row.data, row.digest, {})
            numbers = wanted(found)
            if numbers:
                mine = (snapshot_pages.c.book_id == ident, snapshot_pages.c.page.in_(numbers))
                pages = connection.execute(select(snapshot_pages.c.page, snapshot_pages.c.data).where(*mine))
                found = found._replace(pages={page: data for page, data in pages})
        return stored, found

    def keep(self, ident: str, snapshot: Snapshot) -> None:
        """Put a snapshot by, unless the book has moved on since; a database that cannot be written is no fault."""
        with contextlib.suppress(MatchError, IntegrityError), self._writing() as connection:
            if _find(connection, ident, lock=True).head == snapshot.version:
                _put(connection, ident, snapshot)

    def may_edit(self, ident: str, token: str) -> bool:
        """Whether `token` is the book's edit token."""
        with self._reading() as connection:
            row = _find(connection, ident)
        return secrets.compare_digest(row.edit_hash, _hash(token))

    def may_view(self, ident: str, token: str) -> bool:
        """Whether `token` is the book's view or edit token."""
        with self._reading() as connection:
            row = _find(connection, ident)
        as_bytes = token.encode()
        return secrets.compare_digest(row.view_token.encode(), as_bytes) or self.may_edit(ident, token)

    def append(
        self, ident: str, kind: str, payload: Mapping[str, Any], *, seen: int, key: str | None = None,
        snapshot: Snapshot | None = None,
    ) -> Event:  # fmt: skip
        """Add an event to a book whose version is `seen`; the event is on disk when this returns.

        `key`: an idempotency key of the caller's; the same key again answers the first event and writes nothing.
        `snapshot`: what the book is with this event, written with it.
        StaleWrite when the version is another; MatchError `key_reused` for a key used for something else.
        """
        text, at = _json(payload), _now()
        try:
            with self._writing() as connection:
                row = _find(connection, ident, lock=True)
                before = _by_key(connection, ident, key)
                if before is not None:
                    return _again(before, kind, text)
                if row.head != seen:
                    raise StaleWrite(seen, row.head)
                connection.execute(
                    insert(events).values(
                        book_id=ident, seq=seen + 1, kind=kind, payload=text, at=at, idempotency_key=key
                    )
                )
                connection.execute(update(books).where(books.c.id == ident).values(head=seen + 1, updated_at=at))
                if snapshot is not None and snapshot.version == seen + 1:
                    _put(connection, ident, snapshot)
        except IntegrityError:
            raise StaleWrite(seen, self.book(ident).head) from None
        return Event(seen + 1, kind, json.loads(text), at)

    def by_key(self, ident: str, key: str) -> Event | None:
        """The event that a key wrote, if any."""
        with self._reading() as connection:
            row = _by_key(connection, ident, key)
        return Event(row.seq, row.kind, json.loads(row.payload), row.at) if row is not None else None

    def restore(
        self, kind: str, info: Mapping[str, Any], rows: Sequence[Event], ident: str | None = None,
        snapshot: Snapshot | None = None,
    ) -> Created:  # fmt: skip
        """A whole book from an export, in one transaction; the id is kept when it is free, else `book_exists`."""
        made = Created(ident or secrets.token_urlsafe(12), secrets.token_urlsafe(12), secrets.token_urlsafe(18))
        now = _now()
        try:
            with self._writing() as connection:
                connection.execute(
                    insert(books).values(
                        id=made.id, kind=kind, info=_json(info), head=len(rows), view_token=made.view_token,
                        edit_hash=_hash(made.edit_token), created_at=now, updated_at=now,
                    )
                )  # fmt: skip
                made_rows = [
                    {"book_id": made.id, "seq": row.seq, "kind": row.kind, "payload": _json(row.payload), "at": row.at}
                    for row in rows
                ]
                if made_rows:
                    connection.execute(insert(events), made_rows)
                if snapshot is not None:
                    _put(connection, made.id, snapshot)
        except IntegrityError:
            raise MatchError("that match is already here", code="book_exists", id=made.id) from None
        return made

    def check(self) -> str | None:
        """None when the database answers, else why not in one line."""
        try:
            with self._reading() as connection:
                connection.execute(select(books.c.id).limit(1))
        except MatchError as error:
            return str(error)
        return None


# --- the details -----------------------------------------------------------------------------------------------------


def _engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_MS / 1000, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, before the first read
        cursor = connection.cursor()
        for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_MS}"):
            cursor.execute(f"PRAGMA {line}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        # IMMEDIATE only for writers: a reader that upgraded later would fail instead of waiting
        writing = connection.get_execution_options().get("writing", True)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _migrate(engine: Engine, url: str) -> None:
    """Bring the tables up to date; the migration tool is loaded only when there is something to do."""
    from api.tables import REVISION

    with engine.connect() as connection:
        if engine.dialect.has_table(connection, "alembic_version"):
            found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
            if found == REVISION:
                return
    from api.migrations.run import upgrade

    upgrade(url)


def _find(connection: Connection, ident: str, *, lock: bool = False) -> Row[Any]:
    query = select(books).where(books.c.id == ident)
    row = connection.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise MatchError("there is no such match", code="unknown_book", id=ident[:40])
    return row


def _stored(row: Row[Any]) -> StoredBook:
    return StoredBook(row.id, row.kind, json.loads(row.info), row.head, row.view_token, row.created_at, row.updated_at)


def _put(connection: Connection, ident: str, snapshot: Snapshot) -> None:
    """Write a snapshot in place of what lies there."""
    if snapshot.pages:
        mine = (snapshot_pages.c.book_id == ident, snapshot_pages.c.page.in_(list(snapshot.pages)))
        connection.execute(delete(snapshot_pages).where(*mine))
        rows = [{"book_id": ident, "page": page, "data": data} for page, data in snapshot.pages.items()]
        connection.execute(insert(snapshot_pages), rows)
    values = {"version": snapshot.version, "data": snapshot.data, "digest": snapshot.digest}
    done = connection.execute(update(snapshots).where(snapshots.c.book_id == ident).values(values))
    if not done.rowcount:
        connection.execute(insert(snapshots).values(book_id=ident, **values))


def _by_key(connection: Connection, ident: str, key: str | None) -> Row[Any] | None:
    if key is None:
        return None
    return connection.execute(select(events).where(events.c.book_id == ident, events.c.idempotency_key == key)).first()


def _again(row: Row[Any], kind: str, text: str) -> Event:
    if row.kind != kind or row.payload != text:
        raise MatchError("that idempotency key was used for something else", code="key_reused")
    return Event(row.seq, row.kind, json.loads(row.payload), row.at)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """A database failure as one line; constraint errors pass, their callers know what they mean."""
    try:
        yield
    except IntegrityError:
        raise
    except (OperationalError, DBAPIError) as error:
        detail = str(error.orig).strip().splitlines()[0] if error.orig else "the database does not answer"
        raise MatchError(f"the match book cannot be used: {detail}", code="store_failed", detail=detail) from None
