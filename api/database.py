"""The one store of a server process: opened when it is first needed, closed with the server."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from api.settings import Settings

if TYPE_CHECKING:
    from api.store import Store


class Database:
    """Opens `api.store.Store` once. Scoring needs none, so a broken database does not keep the server from starting."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._store: Store | None = None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The database address: the stated one, else the SQLite file in the data folder."""
        from api.store import default_url

        stated = self.settings.database_url
        return stated.get_secret_value() if stated else default_url(self.settings.data_dir)

    def store(self) -> Store:
        """The store; MatchError `store_failed` when it cannot be opened. Blocks: call it in a thread."""
        from api.store import Store

        with self._lock:
            if self._store is None:
                self._store = Store(self.url)
            return self._store

    def check(self) -> str | None:
        """None when the database answers, else why not in one line. Blocks."""
        from scorer.errors import BurracoError

        try:
            return self.store().check()
        except (BurracoError, OSError) as error:
            return f"database: {error}"

    def close(self) -> None:
        """Give its connections back."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
