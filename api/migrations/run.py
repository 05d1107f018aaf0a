"""Run the migrations without an ini file, one at a time: alembic keeps what it works on in the module `context`."""

import threading
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config

#: Two threads that open two stores would share alembic's connection, and SQLite does not survive that.
_ONE_AT_A_TIME: Final = threading.Lock()


def _config(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["url"] = url
    return config


def upgrade(url: str, revision: str = "head") -> None:
    """Bring a database up to a revision."""
    with _ONE_AT_A_TIME:
        command.upgrade(_config(url), revision)


def downgrade(url: str, revision: str = "base") -> None:
    """Take a database down to a revision; `base` drops every table."""
    with _ONE_AT_A_TIME:
        command.downgrade(_config(url), revision)
