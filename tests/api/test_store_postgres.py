"""The store on a real PostgreSQL, started by the test on loopback (Debian: apt-get install postgresql)."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import text

from api.matchbook import MatchBook
from api.migrations.run import downgrade, upgrade
from api.store import Store

sys.path.insert(0, str(Path(__file__).parent))
from store_model import HARM, WHOLE, machine, migrate_filled

pytestmark = pytest.mark.postgres


def _program(name: str) -> str:
    found = shutil.which(name) or next(
        (str(p) for p in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None
    )
    assert found, f"{name} is not installed (Debian: apt-get install postgresql)"
    return found


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of an empty database of a server that lives as long as this module."""
    folder = tmp_path_factory.mktemp("postgres")
    as_user = []
    if os.geteuid() == 0:  # the server refuses to run as root
        for place in (folder, *list(folder.parents)[:2]):
            place.chmod(0o755)
        shutil.chown(folder, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
    data = folder / "data"

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, cwd=folder)

    run(_program("initdb"), "-D", str(data), "-U", "burraco", "--auth=trust", "-E", "UTF8", "--no-sync")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"-h 127.0.0.1 -p {port} -k {folder}"
    run(_program("pg_ctl"), "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
    try:
        yield f"postgresql://burraco@127.0.0.1:{port}/postgres"
    finally:
        run(_program("pg_ctl"), "-D", str(data), "-m", "immediate", "stop")


def test_random_writes_by_two_clients_equal_a_naive_recount(url: str) -> None:
    run_state_machine_as_test(machine(url), settings=WHOLE)


def test_migrations_run_down_and_up_on_a_filled_database(url: str) -> None:
    migrate_filled(url)
    driver = Store(url).url
    downgrade(driver)
    upgrade(driver)
    assert MatchBook(Store(url)).create({"name": "Venerdì"}).id


def test_a_snapshot_is_made_again_whatever_befalls_it(url: str) -> None:
    book = MatchBook(Store(url))
    ident = book.create({"length": 1000}).id
    for n in range(3):
        book.add(ident, {"form": "total", "points": [5 * n, 55]})
    expected = book.view(ident, entries=True)
    assert expected["totals"] == [15, 165]
    for how in HARM:
        with book.store.engine.begin() as connection:
            connection.execute(text(how))
        assert book.view(ident, entries=True) == expected, how


def test_double_taps_from_many_threads_add_one_deal(url: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from api.store import StaleWrite

    book = MatchBook(Store(url))
    ident = book.create({"length": 1000}).id

    def tap(_: int) -> None:
        while True:
            try:
                book.add(ident, {"form": "total", "points": [5, -5]}, key="same")
                return
            except StaleWrite:
                continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(tap, range(12)))
    assert book.view(ident)["totals"] == [5, -5]
