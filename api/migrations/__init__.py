"""Alembic migrations of the match book; `run.py` runs them from the package."""
