"""Tournaments over HTTP: a whole evening, the printed sheets, the page for the wall."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings

NASTY = '<img src=x onerror="alert(1)">'
CSV = f'giocatore 1,giocatore 2\nAnna,Bruno\nCarla,Dino\nElena,Fabio\n=cmd,"{NASTY.replace(chr(34), chr(34) * 2)}"\n'


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(data_dir=tmp_path, page=False))) as made:
        yield made


@pytest.fixture
def evening(client: TestClient) -> dict[str, Any]:
    answer = client.post("/v1/tournaments", json={"name": NASTY, "rounds": 2, "entries_csv": CSV})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def write(client: TestClient, evening: dict[str, Any], **event: Any) -> Any:
    url = f"/v1/tournaments/{evening['id']}/events"
    return client.post(url, json=event, headers={"X-Match-Token": evening["edit_token"]})


def test_a_whole_evening(client: TestClient, evening: dict[str, Any]) -> None:
    for which in (1, 2):
        assert len(write(client, evening, kind="round").json()["rounds"]) == which
        assert write(client, evening, kind="round").status_code == 422  # two tables are still playing
        for table in (1, 2):
            shown = write(client, evening, kind="result", round=which, table=table, mp=[820, 0]).json()
    assert shown["finished"] and [p["vp"] for p in shown["ranking"]] == [34, 34, 6, 6]
    assert [p["place"] for p in shown["ranking"]] == [1, 1, 3, 3]


def test_sheets_and_the_page_for_the_wall(client: TestClient, evening: dict[str, Any]) -> None:
    write(client, evening, kind="round")
    base, token = f"/v1/tournaments/{evening['id']}", evening["view_token"]
    assert client.get(f"{base}/standings.pdf?token={token}").content.startswith(b"%PDF")
    assert client.get(f"{base}/rounds/1.pdf?token={token}").content.startswith(b"%PDF")
    assert client.get(f"{base}/rounds/2.pdf?token={token}").status_code == 404
    assert "'=cmd" in client.get(f"{base}/standings.csv?token={token}").text
    page = client.get(f"{base}/page?token={token}").text
    assert "<img" not in page and "&lt;img" in page and 'http-equiv="refresh"' in page
    assert client.get("/v1/tournaments/style/wall.css").status_code == 200


def test_tokens_and_stale_writes(client: TestClient, evening: dict[str, Any]) -> None:
    base = f"/v1/tournaments/{evening['id']}"
    assert client.get(base).status_code == 403
    assert client.get(base, headers={"X-Match-Token": evening["view_token"]}).status_code == 200
    stale = write(client, evening, kind="round", version=0)
    assert stale.status_code == 409 and stale.json()["current"] == 4


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"entries_csv": "Anna\n"}, "csv_row"),
        ({"entries_csv": "A,B\nC,A\n"}, "entered_already"),
        ({"vp_text": "x"}, "bad_vp_table"),
        ({"vp": "deals-2"}, "unknown_vp_table"),
        ({"rules": "nowhere"}, "unknown_rules"),
    ],
)
def test_tournaments_that_cannot_begin(client: TestClient, body: dict[str, Any], code: str) -> None:
    assert client.post("/v1/tournaments", json=body).json()["code"] == code


def test_a_truth_value_or_a_text_is_no_number(client: TestClient) -> None:
    for stated in ({"bye_vp": False}, {"rounds": "4"}):
        assert client.post("/v1/tournaments", json=stated).status_code == 422
