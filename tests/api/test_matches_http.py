"""The match book over HTTP: tokens, double taps, stale writes, live view, exports."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings

TOTAL = {"entry": {"form": "total", "points": [365, -5]}}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(data_dir=tmp_path, page=False))) as made:
        yield made


@pytest.fixture
def match(client: TestClient) -> dict[str, Any]:
    sides = [{"name": "Noi", "players": ["Anna", "Bruno"]}, {"name": "Loro", "players": ["Carla", "Dino"]}]
    answer = client.post("/v1/matches", json={"rules": "vanikar", "options": {"target": 505}, "sides": sides})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def edit(match: dict[str, Any], **headers: str) -> dict[str, str]:
    return {"X-Match-Token": match["edit_token"], **headers}


def view(match: dict[str, Any]) -> dict[str, str]:
    return {"X-Match-Token": match["view_token"]}


def test_a_deal_and_a_double_tap(client: TestClient, match: dict[str, Any]) -> None:
    url = f"/v1/matches/{match['id']}"
    for _ in range(2):
        answer = client.post(f"{url}/deals", json=TOTAL, headers=edit(match, **{"Idempotency-Key": "tap-1"}))
        assert answer.status_code == 201
    shown = client.get(url, headers=view(match)).json()
    assert (shown["totals"], shown["deal_count"], shown["dealer"]["player"]) == ([365, -5], 1, "Carla")


def test_tokens(client: TestClient, match: dict[str, Any]) -> None:
    url = f"/v1/matches/{match['id']}"
    assert client.get(url).status_code == 403
    assert client.post(f"{url}/deals", json=TOTAL, headers=view(match)).status_code == 403
    assert client.get("/v1/matches/nowhere", headers=view(match)).status_code == 404


def test_a_stale_write_is_a_409_that_shows_both(client: TestClient, match: dict[str, Any]) -> None:
    url = f"/v1/matches/{match['id']}"
    client.post(f"{url}/deals", json={**TOTAL, "version": 0}, headers=edit(match))
    answer = client.post(f"{url}/deals", json={**TOTAL, "version": 0}, headers=edit(match))
    problem = answer.json()
    assert answer.status_code == 409 and problem["code"] == "stale_write"
    assert (problem["seen"], problem["current"], problem["match"]["totals"]) == (0, 1, [365, -5])


def test_correct_withdraw_undo_and_the_end(client: TestClient, match: dict[str, Any]) -> None:
    url, head = f"/v1/matches/{match['id']}", edit(match)
    client.post(f"{url}/deals", json=TOTAL, headers=head)
    ended = client.post(f"{url}/deals", json=TOTAL, headers=head).json()
    assert ended["finished"] and ended["winners"] == [0]
    assert client.post(f"{url}/deals", json=TOTAL, headers=head).status_code == 409
    open_again = client.post(f"{url}/undo", json={}, headers=head).json()
    assert not open_again["finished"]
    amended = client.put(f"{url}/deals/1", json={"entry": {"form": "void"}}, headers=head).json()
    assert amended["totals"] == [0, 0] and amended["deals"][0]["amended"]
    gone = client.delete(f"{url}/deals/1", headers=head).json()
    assert [d["state"] for d in gone["deals"]] == ["withdrawn", "undone"]
    assert client.delete(f"{url}/deals/9", headers=head).status_code == 404
    noted = client.post(f"{url}/events", json={"kind": "note", "text": "<img onerror=x>"}, headers=head).json()
    assert noted["notes"][0]["text"] == "<img onerror=x>"
    raised = client.post(f"{url}/events", json={"kind": "target", "target": 1005}, headers=head).json()
    assert raised["target"] == 1005


def test_what_cannot_be_is_a_422_in_the_readers_language(client: TestClient, match: dict[str, Any]) -> None:
    body = {"entry": {"form": "total", "points": [363, 0]}}
    headers = edit(match, **{"Accept-Language": "it"})
    answer = client.post(f"/v1/matches/{match['id']}/deals", json=body, headers=headers)
    assert answer.status_code == 422 and "363 non è un multiplo di 5" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, "form deve essere uno di"),
        ({"form": "total", "points": [5, 5], "x": 1}, "chiave sconosciuta 'x'"),
        ({"form": "total", "points": [5, "a"]}, "points[1] deve essere un numero intero"),
        ({"form": "quick", "sides": [1, {}]}, "sides[0] deve essere un oggetto"),
        ({"form": "quick", "sides": [{"hands": 3}, {}]}, "sides[0]: chiave sconosciuta 'hands'"),
        ({"form": "quick", "sides": [{"burrachi": []}, {}]}, "sides[0].burrachi deve essere un oggetto"),
        ({"form": "quick", "sides": [{"closed": 1}, {}]}, "sides[0]: closed è true o false"),
        ({"form": "sheet", "sheet": 3}, "sheet deve essere un testo"),
    ],
)
def test_an_entry_of_the_wrong_shape_is_refused_in_italian(
    client: TestClient, match: dict[str, Any], entry: dict[str, Any], words: str
) -> None:
    headers = edit(match, **{"Accept-Language": "it"})
    problem = client.post(f"/v1/matches/{match['id']}/deals", json={"entry": entry}, headers=headers).json()
    assert (problem["code"], words in problem["detail"]) == ("bad_entry", True), problem
    problem = client.post(f"/v1/matches/{match['id']}/deals", json={"entry": entry}, headers=edit(match)).json()
    assert words not in problem["detail"] and "…" not in problem["detail"]


def test_every_shape_fault_has_its_parameters_in_both_languages() -> None:
    from scorer.messages import catalogue, fields

    faults = [key for key in catalogue("en") if key.startswith("fault.")]
    assert len(faults) >= 15
    for key in faults:
        english, italian = (catalogue(lang)[key] for lang in ("en", "it"))
        assert fields(english) == fields(italian) and english != italian


def test_a_whole_table_counts_its_statistics(client: TestClient, match: dict[str, Any]) -> None:
    sides = [
        {"name": "Noi", "melds": ["4h-10h", "7:hds"], "closed": True, "pozzetto": "played"},
        {"name": "Loro", "hand": "JK", "pozzetto": "not_taken"},
    ]
    url = f"/v1/matches/{match['id']}"
    added = client.post(f"{url}/deals", json={"entry": {"form": "table", "sides": sides}}, headers=edit(match))
    assert added.json()["totals"] == [365, -130]
    stats = client.get(f"{url}/stats", headers=view(match)).json()
    assert (stats[0]["burrachi"], stats[0]["closings"], stats[1]["pots_missed"]) == ({"clean": 1}, 1, 1)


def test_exports_and_import(client: TestClient, match: dict[str, Any]) -> None:
    url = f"/v1/matches/{match['id']}"
    client.post(f"{url}/deals", json=TOTAL, headers=edit(match))
    starts = {"json": b"{", "csv": b"deal,", "pdf": b"%PDF", "png": b"\x89PNG"}
    for form, start in starts.items():
        answer = client.get(f"{url}/export.{form}?token={match['view_token']}")
        assert answer.status_code == 200 and answer.content.startswith(start), form
    data = client.get(f"{url}/export.json", headers=view(match)).json()
    assert client.post("/v1/matches/import", json=data).status_code == 409
    copied = client.post("/v1/matches/import?copy=true", json=data).json()
    assert copied["match"]["totals"] == [365, -5] and copied["id"] != match["id"]
    data["events"][0]["payload"]["points"] = [9000, 9000]  # points of an import are added up again
    assert client.post("/v1/matches/import?copy=true", json=data).json()["match"]["totals"] == [365, -5]
    assert client.post("/v1/matches/import", json={"format": "x"}).json()["code"] == "bad_export"


@pytest.mark.parametrize(
    "body",
    [
        {"rules": "nowhere"},
        {"sides": [{"name": "A"}, {"name": "a"}]},
        {"sides": [{"name": "A"}]},
        {"first_dealer": 5},
        {"options": {"target": 7}},
        {"vp": "deals-9"},
        {"name": "x" * 61},
        {"rules_text": "id = 3"},
        {"unknown": 1},
    ],
)
def test_matches_that_cannot_begin(client: TestClient, body: dict[str, Any]) -> None:
    answer = client.post("/v1/matches", json=body)
    assert answer.status_code in (404, 422) and answer.headers["content-type"].startswith("application/problem+json")


def test_victory_points_of_a_match_by_deals(client: TestClient) -> None:
    made = client.post("/v1/matches", json={"rules": "fibur", "vp": "deals-3"}).json()
    url = f"/v1/matches/{made['id']}/deals"
    for _ in range(3):
        shown = client.post(url, json=TOTAL, headers=edit(made)).json()
    assert (shown["finished"], shown["victory"]) == (True, [18, 2])


def test_every_phone_sees_a_change_at_once(client: TestClient, match: dict[str, Any]) -> None:
    """The stream tells the match now, and again after a write."""
    import anyio
    from fastapi import FastAPI
    from starlette.requests import Request

    from api.routes import matches

    class Gone(Request):
        calls = 0

        async def is_disconnected(self) -> bool:
            self.calls += 1
            return self.calls > 40

    assert isinstance(client.app, FastAPI)
    book = matches.book_of(client.app)

    async def follow() -> list[dict[str, Any]]:
        seen = []
        async for part in matches._changes(Gone({"type": "http"}), book, match["id"]):
            if part.startswith("id:"):
                seen.append(json.loads(part.split("data: ", 1)[1]))
                if len(seen) == 2:
                    break
                await anyio.to_thread.run_sync(lambda: book.add(match["id"], TOTAL["entry"]))
        return seen

    first, second = anyio.run(follow)
    assert (first["totals"], second["totals"]) == ([0, 0], [365, -5])


def test_a_wrong_method_is_told_every_right_one(client: TestClient, match: dict[str, Any]) -> None:
    answer = client.options(f"/v1/matches/{match['id']}/deals/1")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, PUT")
    assert client.delete("/v1/melds").headers["allow"] == "POST"


def test_a_truth_value_is_no_number(client: TestClient) -> None:
    assert client.post("/v1/matches", json={"first_dealer": False}).status_code == 422
