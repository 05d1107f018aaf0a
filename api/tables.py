"""The tables of the store, as SQLAlchemy Core describes them; `api/migrations` makes the same ones."""

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, PrimaryKeyConstraint, String, Table, Text

#: The newest migration: tables of another revision are migrated before use.
REVISION = "0001"

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
