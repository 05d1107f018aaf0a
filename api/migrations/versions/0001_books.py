"""Books and their events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "books",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("info", sa.Text, nullable=False),
        sa.Column("head", sa.Integer, nullable=False),
        sa.Column("view_token", sa.String(64), nullable=False),
        sa.Column("edit_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("updated_at", sa.String(32), nullable=False),
    )
    op.create_index("ix_books_kind_updated", "books", ["kind", "updated_at"])
    op.create_table(
        "events",
        sa.Column("book_id", sa.String(64), sa.ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("idempotency_key", sa.String(80), nullable=True),
        sa.PrimaryKeyConstraint("book_id", "seq"),
    )
    op.create_index("ux_events_key", "events", ["book_id", "idempotency_key"], unique=True)


def downgrade() -> None:
    op.drop_table("events")
    op.drop_table("books")
