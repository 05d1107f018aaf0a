"""Games over HTTP: each seat sees its own hand, a refusal changes nothing, a restart loses nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.record_lint import lint

FOUR = {"rules": "fibur", "seats": ["human", "casuale", "casuale", "casuale"], "seed": 5}


def new_game(client: Any, **request: Any) -> tuple[str, dict[str, dict[str, str]], Any]:
    """A game's address, the headers of each person's seat, and what was answered."""
    made = client.post("/v1/games", json={**FOUR, **request})
    assert made.status_code == 201, made.text
    body = made.json()
    assert made.headers["location"] == f"/v1/games/{body['game']['id']}"
    headers = {seat: {"X-Seat-Token": token} for seat, token in body["tokens"].items()}
    return made.headers["location"], headers, body["game"]


def play_on(client: Any, address: str, headers: dict[str, str], rng: random.Random, turns: int) -> Any:
    """Play at random up to so many actions; the last answer."""
    for _ in range(turns):
        legal = client.get(f"{address}/actions", headers=headers).json()
        if not legal["actions"]:
            break
        request = {"action": rng.choice(legal["actions"])["text"], "version": legal["version"]}
        answer = client.post(f"{address}/actions", json=request, headers=headers)
        assert answer.status_code == 200 and answer.json()["legal"], answer.text
    return client.get(address, headers=headers).json()


def test_a_whole_deal(client: Any) -> None:
    address, headers, _ = new_game(client)
    running = client.get(f"{address}/record", headers=headers["N"])
    assert (running.status_code, running.json()["code"]) == (409, "game_running")
    last = play_on(client, address, headers["N"], random.Random(3), 2000)
    assert last["view"]["over"] and last["result"]["end"] in ("close", "stock", "stall", "truncated")
    record = client.get(f"{address}/record", headers=headers["N"])
    assert record.headers["content-type"].startswith("application/toml")
    assert lint(record.text) == []
    after = client.post(f"{address}/actions", json={"action": "draw", "version": last["version"]}, headers=headers["N"])
    assert (after.status_code, after.json()["code"]) == (409, "game_over")


def test_a_seed_gives_the_same_game(client: Any) -> None:
    games = [new_game(client) for _ in range(2)]
    ends = [play_on(client, address, headers["N"], random.Random(9), 12) for address, headers, _ in games]
    for game in ends:
        game.pop("id")
    assert ends[0] == ends[1]
    assert new_game(client, seed=6)[2]["view"]["hand"] != ends[0]["view"]["hand"]


def test_a_seat_sees_no_other_hand(client: Any) -> None:
    address, headers, _ = new_game(client, seats=["human", "human"], rules="vanikar")
    views = {seat: client.get(address, headers=token).json()["view"] for seat, token in headers.items()}
    assert set(views) == {"N", "S"} and views["N"]["hand"] != views["S"]["hand"]
    for view in views.values():
        assert set(view) >= {"hand", "hand_counts", "stock"} and "hands" not in view and "deck" not in view
    assert isinstance(views["N"]["stock"], int)


def test_tokens(client: Any) -> None:
    address, headers, game = new_game(client)
    other = new_game(client)[1]
    assert client.get(address).status_code == 401
    for wrong in ({"X-Seat-Token": "guess"}, other["N"]):
        assert client.get(address, headers=wrong).status_code == 403
    assert client.get("/v1/games/nothing", headers=headers["N"]).json()["code"] == "game_not_found"
    assert game["players"] == {"N": "human", "E": "casuale", "S": "casuale", "W": "casuale"}


def test_what_the_rules_refuse_changes_nothing(client: Any) -> None:
    address, headers, _ = new_game(client, seats=["human", "human"])
    before = {seat: client.get(address, headers=token).json() for seat, token in headers.items()}
    seat = before["N"]["view"]["turn"]
    other = "S" if seat == "N" else "N"
    version = before[seat]["version"]
    act = f"{address}/actions"
    refused = client.post(
        act, json={"action": "discard Kh", "version": version},
        headers={**headers[seat], "Accept-Language": "it"},
    )  # fmt: skip
    assert refused.status_code == 200 and refused.json()["legal"] is False and refused.json()["violations"]
    assert refused.json()["game"]["version"] == version
    stale = client.post(act, json={"action": "draw", "version": version + 3}, headers=headers[seat])
    assert (stale.status_code, stale.json()["version"]) == (409, version)
    turn = client.post(act, json={"action": "draw", "version": version}, headers=headers[other])
    assert (turn.status_code, turn.json()["code"]) == (409, "other_turn")
    unread = client.post(act, json={"action": "jump", "version": version}, headers=headers[seat])
    assert unread.status_code == 422
    assert client.get(address, headers=headers[seat]).json() == before[seat]


def test_a_hint_is_legal_and_asks_no_more_than_the_seat_knows(client: Any) -> None:
    address, headers, _ = new_game(client)
    hint = client.get(f"{address}/hint?bot=casuale", headers=headers["N"]).json()
    texts = [action["text"] for action in client.get(f"{address}/actions", headers=headers["N"]).json()["actions"]]
    assert hint["action"]["text"] in texts
    assert client.get(f"{address}/hint?bot=nobody", headers=headers["N"]).status_code == 422


@pytest.mark.parametrize(
    "wrong",
    [
        {"seats": []},
        {"seats": ["casuale", "casuale"]},
        {"seats": ["human", "nobody"]},
        {"seats": ["human"] * 5},
        {"dealer": 4},
        {"dealer": True},
        {"seed": [1]},
        {"rules": "nothing"},
        {"surprise": 1},
    ],
)
def test_bad_games_are_refused(wrong: dict[str, Any], client: Any) -> None:
    assert client.post("/v1/games", json={**FOUR, **wrong}).status_code == 422


def test_a_restart_loses_nothing(client_with: Callable[..., Any], tmp_path: Path) -> None:
    with client_with(data_dir=tmp_path) as client:
        address, headers, _ = new_game(client)
        before = play_on(client, address, headers["N"], random.Random(1), 9)
    with client_with(data_dir=tmp_path) as client:
        assert client.get(address, headers=headers["N"]).json() == before
        play_on(client, address, headers["N"], random.Random(2), 3)


def test_two_servers_on_one_database_agree(client_with: Callable[..., Any], tmp_path: Path) -> None:
    with client_with(data_dir=tmp_path) as one, client_with(data_dir=tmp_path) as two:
        address, headers, game = new_game(one)
        act = {"action": "draw", "version": game["version"]}
        first = one.post(f"{address}/actions", json=act, headers=headers["N"])
        again = two.post(f"{address}/actions", json=act, headers=headers["N"])
        assert (first.status_code, again.status_code) == (200, 409)
        assert two.get(address, headers=headers["N"]).json() == one.get(address, headers=headers["N"]).json()
