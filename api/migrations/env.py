"""Alembic's entry: one online run, with the URL that `run.py` was given."""

from alembic import context
from sqlalchemy import create_engine, pool

from api.tables import metadata

url = context.config.attributes["url"]
engine = create_engine(url, poolclass=pool.NullPool)
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
