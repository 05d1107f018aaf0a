"""Run the migrations without an ini file."""

from pathlib import Path

from alembic import command
from alembic.config import Config


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["url"] = url
    return config


def upgrade(url: str, revision: str = "head") -> None:
    """Bring a database up to a revision."""
    command.upgrade(_config(url), revision)


def downgrade(url: str, revision: str = "base") -> None:
    """Take a database down to a revision; `base` drops every table."""
    command.downgrade(_config(url), revision)
