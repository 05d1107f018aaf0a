"""Snapshots: what was derived from a book's events, so that a long match need not be added up again to show a page.

Nothing is filled in here: a snapshot that is missing is made at the next look.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "snapshots",
        sa.Column("book_id", sa.String(64), sa.ForeignKey("books.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.create_table(
        "snapshot_pages",
        sa.Column("book_id", sa.String(64), sa.ForeignKey("books.id", ondelete="CASCADE"), nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("book_id", "page"),
    )


def downgrade() -> None:
    op.drop_table("snapshot_pages")
    op.drop_table("snapshots")
