"""The store on SQLite: two clients, kills, migrations, faults."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from api.matchbook import MatchBook
from api.migrations.run import downgrade, upgrade
from api.store import StaleWrite, Store, default_url
from api.tables import metadata
from scorer.errors import MatchError

sys.path.insert(0, str(Path(__file__).parent))
from store_model import QUICK, WHOLE, machine, migrate_filled

LONG = {"length": 1000}  # a new one is begun half way, so that no writer reaches its end before it is killed
TOTAL = {"form": "total", "points": [5, -5]}

WRITER = """
import sys
from api.matchbook import MatchBook
from api.store import Store
book, ident = MatchBook(Store(sys.argv[1])), sys.argv[2]
print("ready", flush=True)
while True:
    view = book.add(ident, {"form": "total", "points": [5, -5]})
    print(view["version"], flush=True)  # only what is on disk is acknowledged
"""


@pytest.mark.parametrize("much", [QUICK, pytest.param(WHOLE, marks=pytest.mark.long)], ids=["quick", "whole"])
def test_random_writes_by_two_clients_equal_a_naive_recount(tmp_path: Path, much: settings) -> None:
    run_state_machine_as_test(machine(default_url(tmp_path)), settings=much)


def _killed(url: str, ident: str, seconds: float) -> int:
    """Start a writer, kill it after a while, and give the last version that it acknowledged."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, url, ident], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    lines = process.stdout.read().split("\n")[:-1]  # a last line without its end was not acknowledged
    process.wait()
    return int(lines[-1]) if lines else 0


def kill_often(folder: Path, times: int, seed: int) -> None:
    rng = random.Random(seed)
    url = default_url(folder)
    book = MatchBook(Store(url))
    ident = book.create(LONG).id
    acknowledged, longest, written = 0, 0.12, 0
    for _ in range(times):
        reached = _killed(url, ident, rng.uniform(0.0, longest))
        if not reached:  # a busy machine writes nothing in so short a life
            longest = min(1.5 * longest, 1.0)
        acknowledged, written = max(acknowledged, reached), written + bool(reached)
        with sqlite3.connect(folder / "burraco.db") as raw:
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        view = book.view(ident)  # the next command works, and nothing acknowledged is lost
        assert view["version"] >= acknowledged
        assert view["totals"] == [5 * view["deal_count"], -5 * view["deal_count"]]
        if view["deal_count"] > 500:
            ident, acknowledged = book.create(LONG).id, 0
    assert written >= times / 3  # most lives are long enough to write something


def test_a_killed_writer_loses_nothing_acknowledged(tmp_path: Path) -> None:
    kill_often(tmp_path, 6, seed=1)


@pytest.mark.slow
def test_a_writer_killed_two_hundred_times(tmp_path: Path) -> None:
    kill_often(tmp_path, 200, seed=2)


def test_migrations_run_down_and_up_on_a_filled_database(tmp_path: Path) -> None:
    url = default_url(tmp_path)
    migrate_filled(url)
    downgrade(url)
    with sqlite3.connect(tmp_path / "burraco.db") as raw:
        tables = {row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert not tables & set(metadata.tables)
    upgrade(url)
    assert MatchBook(Store(url)).create({}).id


def test_the_migrations_make_the_tables_that_the_code_describes(tmp_path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    store = Store(default_url(tmp_path))
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_two_writers_at_once_never_share_a_version(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    books = [MatchBook(Store(default_url(tmp_path))) for _ in range(2)]
    ident = books[0].create({"length": 1000}).id

    def tap(n: int) -> bool:
        for _ in range(200):
            try:
                books[n % 2].add(ident, TOTAL, key=f"tap-{n}")
            except StaleWrite:
                continue
            return True
        return False

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(tap, range(20)))
    view = books[0].view(ident)
    assert (view["deal_count"], view["totals"], view["version"]) == (20, [100, -100], 20)


def test_a_key_that_was_used_for_something_else(tmp_path: Path) -> None:
    store = Store(default_url(tmp_path))
    made = store.create("match", {})
    store.append(made.id, "note", {"text": "a"}, seen=0, key="k")
    assert store.append(made.id, "note", {"text": "a"}, seen=0, key="k").seq == 1
    with pytest.raises(MatchError) as caught:
        store.append(made.id, "note", {"text": "b"}, seen=1, key="k")
    assert caught.value.code == "key_reused"


def test_a_database_that_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "burraco.db").write_bytes(b"this is no database, it only has the name of one" * 50)
    with pytest.raises(MatchError) as caught:
        Store(default_url(tmp_path))
    assert caught.value.code == "store_failed" and "\n" not in str(caught.value)


@pytest.mark.long
def test_a_page_of_ten_thousand_deals_is_read_from_what_is_known(tmp_path: Path) -> None:
    book = MatchBook(Store(default_url(tmp_path)))
    export = {
        "format": "burraco-match/1", "id": "big", "info": {"length": 1000},
        "events": [{"seq": i, "kind": "deal", "payload": {"entry": {"form": "void"}}} for i in range(1, 10_001)],
    }  # fmt: skip
    book.restore(export)
    page = book.view("big", first=9_951, most=50)
    assert [d["number"] for d in page["deals"]] == list(range(9_951, 10_001))
    assert page["deal_count"] == 10_000


def test_many_stores_open_at_once_in_one_process(tmp_path: Path) -> None:
    def opened(number: int) -> str:
        store = Store(default_url(tmp_path / str(number)))
        try:
            return MatchBook(store).create({}).id
        finally:
            store.close()

    for number in range(6):
        (tmp_path / str(number)).mkdir()
    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(opened, range(6)))) == 6
