"""The tables of the store, as SQLAlchemy Core describes them; `api/migrations` makes the same ones."""

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, PrimaryKeyConstraint, String, Table, Text

#: The newest migration: tables of another revision are migrated before use.
REVISION = "0002"

metadata = MetaData()

books = Table(
    "books",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("info", Text, nullable=False),
    Column("head", Integer, nullable=False),
    Column("view_token", String(64), nullable=False),
    Column("edit_hash", String(64), nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Index("ix_books_kind_updated", "kind", "updated_at"),
)

events = Table(
    "events",
    metadata,
    Column("book_id", String(64), ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("payload", Text, nullable=False),
    Column("at", String(32), nullable=False),
    Column("idempotency_key", String(80), nullable=True),
    PrimaryKeyConstraint("book_id", "seq"),
    Index("ux_events_key", "book_id", "idempotency_key", unique=True),
)

#: Derived from the events and never trusted alone: a snapshot of another version, or one whose digests do not fit, is
#: made again from the events (`api/snapshots.py`).
snapshots = Table(
    "snapshots",
    metadata,
    Column("book_id", String(64), ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("data", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)

snapshot_pages = Table(
    "snapshot_pages",
    metadata,
    Column("book_id", String(64), ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
    Column("page", Integer, nullable=False),
    Column("data", Text, nullable=False),
    PrimaryKeyConstraint("book_id", "page"),
)
