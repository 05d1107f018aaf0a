"""The stateful model of the match book, shared by the SQLite and the PostgreSQL test: two clients, one database."""

from __future__ import annotations

import contextlib

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import text

from api.matchbook import MatchBook
from api.migrations.run import downgrade, upgrade
from api.store import StaleWrite, Store
from scorer.errors import MatchError

#: What may befall a snapshot at any time: all of it is made again from the events.
HARM = (
    "DELETE FROM snapshots",
    "DELETE FROM snapshot_pages",
    "UPDATE snapshots SET data = '{}'",
    "UPDATE snapshots SET version = version - 1",
    "UPDATE snapshot_pages SET data = '[]'",
    "UPDATE snapshot_pages SET data = replace(data, '5', '6')",
    "UPDATE snapshots SET data = replace(data, '5', '6')",
)
POINTS = st.integers(-40, 40).map(lambda n: 5 * n)


def machine(url: str) -> type[RuleBasedStateMachine]:  # noqa: C901  (a class with one method a rule)
    """A state machine on the database at `url`: random writes by two clients against a naive recount."""

    class BookMachine(RuleBasedStateMachine):
        @initialize()
        def begin(self) -> None:
            self.clients = [MatchBook(Store(url)), MatchBook(Store(url))]
            self.ident = self.clients[0].create({"length": 1000}).id
            self.seen = [0, 0]
            self.rows: dict[int, list[tuple[int, int]]] = {}  # by number: its versions, the last one stands
            self.gone: set[int] = set()
            self.undos: list[tuple[str, int]] = []
            self.writes = 0

        def teardown(self) -> None:
            for client in getattr(self, "clients", ()):
                client.store.close()

        def _write(self, who: int, act: str, *args: object) -> bool:
            """One write with the version that this client saw; a stale one must be refused, and is then retried."""
            stale = self.seen[who] != self.writes
            call = getattr(self.clients[who], act)
            try:
                view = call(self.ident, *args, seen=self.seen[who])
            except StaleWrite as error:
                assert stale and (error.seen, error.current) == (self.seen[who], self.writes)
                self.seen[who] = self.writes
                view = call(self.ident, *args, seen=self.seen[who])
            else:
                assert not stale
            self.writes += 1
            self.seen[who] = view["version"]
            assert view["version"] == self.writes
            return True

        @rule(who=st.integers(0, 1), a=POINTS, b=POINTS)
        def add(self, who: int, a: int, b: int) -> None:
            self._write(who, "add", {"form": "total", "points": [a, b]})
            number = len(self.rows) + 1
            self.rows[number] = [(a, b)]
            self.undos.append(("add", number))

        @rule(who=st.integers(0, 1), pick=st.integers(0, 99), a=POINTS, b=POINTS)
        def amend(self, who: int, pick: int, a: int, b: int) -> None:
            alive = self._alive()
            if alive:
                number = alive[pick % len(alive)]
                self._write(who, "amend", number, {"form": "total", "points": [a, b]})
                self.rows[number].append((a, b))
                self.undos.append(("amend", number))

        @rule(who=st.integers(0, 1), pick=st.integers(0, 99))
        def withdraw(self, who: int, pick: int) -> None:
            alive = self._alive()
            if alive:
                number = alive[pick % len(alive)]
                self._write(who, "withdraw", number)
                self.gone.add(number)
                self.undos.append(("withdraw", number))

        @rule(who=st.integers(0, 1))
        def undo(self, who: int) -> None:
            if not self.undos:
                with contextlib.suppress(MatchError):
                    self.clients[who].undo(self.ident)
                    raise AssertionError("there was nothing to undo")
                return
            self._write(who, "undo")
            what, number = self.undos.pop()
            if what == "withdraw":
                self.gone.discard(number)
            else:
                self.rows[number].pop()

        @rule(who=st.integers(0, 1))
        def reload(self, who: int) -> None:
            self.clients[who].store.close()
            self.clients[who] = MatchBook(Store(url))
            self.seen[who] = self.clients[who].view(self.ident)["version"]

        @rule(how=st.sampled_from(HARM))
        def harm(self, how: str) -> None:
            with self.clients[0].store.engine.begin() as connection:
                connection.execute(text(how))

        def _alive(self) -> list[int]:
            return [n for n, versions in self.rows.items() if versions and n not in self.gone]

        @invariant()
        def totals_equal_a_naive_recount(self) -> None:
            if not hasattr(self, "ident"):
                return
            alive = [self.rows[n][-1] for n in self._alive()]
            expected = [sum(a for a, _ in alive), sum(b for _, b in alive)]
            for client in self.clients:
                view = client.view(self.ident)
                assert view["totals"] == expected
                assert view["deal_count"] == len(self.rows)

    return BookMachine


def migrate_filled(url: str) -> None:
    """Take a database with a match down to each older revision and up again: nothing of the match changes."""
    store = Store(url)
    book = MatchBook(store)
    ident = book.create({"name": "Giovedì", "length": 1000}).id
    for n in range(3):
        book.add(ident, {"form": "total", "points": [5 * n, 55]})
    book.undo(ident)
    expected = book.view(ident, entries=True)
    assert expected["totals"] == [5, 110]
    store.close()
    downgrade(store.url, "0001")  # as a program without snapshots left it
    upgrade(store.url)
    book = MatchBook(Store(url))
    assert book.view(ident, entries=True) == expected
    assert book.add(ident, {"form": "void"})["version"] == 5
    book.store.close()


QUICK = settings(max_examples=5, stateful_step_count=25, deadline=None)
#: The same, for what CI runs apart.
WHOLE = settings(max_examples=20, stateful_step_count=25, deadline=None)
