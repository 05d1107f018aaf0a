"""Keys, limits, headers, languages, ids, figures: what stands between the internet and the scorer."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

MELD = {"cards": "4h 5h 6h 2s 8h 9h 10h", "rules": "vanikar"}


def test_headers_on_every_answer(client: Any) -> None:
    for answer in (client.post("/v1/melds", json=MELD), client.get("/nowhere"), client.post("/v1/melds", content="{")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert re.fullmatch(r"[0-9a-f]{12}-[0-9a-f]+", answer.headers["x-request-id"])


def test_request_id_is_taken_over_when_sane(client: Any) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    assert client.get("/healthz", headers={"X-Request-ID": "a b\t<x>"}).headers["x-request-id"] != "a b\t<x>"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("it", "non è una carta"),
        ("it-IT,it;q=0.9,en;q=0.8", "non è una carta"),
        ("en;q=0.9,it;q=0.1", "is not a card"),
        ("de", "is not a card"),
        (";;;q=,,", "is not a card"),
    ],
)
def test_problems_speak_the_language_asked_for(client: Any, header: str, words: str) -> None:
    answer = client.post("/v1/melds", json={"cards": "4h zz"}, headers={"Accept-Language": header})
    assert answer.status_code == 422 and words in answer.json()["detail"]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not_a_card" and answer.json()["column"] == 4


def test_sentences_of_a_verdict_follow_the_header_not_the_notation(client: Any) -> None:
    asked = {"cards": "4C 5C 7C", "lang": "it"}
    plain, english = (client.post("/v1/melds", json=asked, headers=h).json() for h in ({}, {"Accept-Language": "en"}))
    assert "posto vuoto" in plain["violations"][0]["message"]
    assert "missing" in english["violations"][0]["message"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "bad_json"),
        (b"{", 422, "bad_json"),
        (b"\xff\xfe", 422, "bad_json"),
        (b"[" * 100_000, 422, "bad_json"),
        (b"[]", 422, "wrong_type"),
        (b"{}", 422, "missing_field"),
        (b'{"cards": 7}', 422, "wrong_type"),
        (b'{"cards": "4h 5h 6h", "surprise": 1}', 422, "unknown_field"),
        (b'{"cards": "4h 5h 6h", "rules": "none"}', 422, "unknown_rules"),
        (b'{"cards": "4h 5h 6h", "lang": "fr"}', 422, "bad_value"),
        (b'{"cards": "' + b"4h " * 20_000 + b'"}', 422, None),
    ],
)
def test_what_cannot_be_read_is_one_clear_problem(client: Any, body: bytes, status: int, code: str | None) -> None:
    answer = client.post("/v1/melds", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    problem = answer.json()
    assert code is None or problem["code"] == code
    assert problem["detail"] and "\n" not in problem["detail"] and "Traceback" not in problem["detail"]


@pytest.mark.parametrize("more", [{}, {"toml": ""}])
@pytest.mark.parametrize("ill", [{"rules": True}, {"options": 3}])
def test_house_rules_are_well_formed_beside_a_file_too(client: Any, more: dict[str, Any], ill: dict[str, Any]) -> None:
    answer = client.post("/v1/rules:check", json={**more, **ill})
    assert answer.status_code == 422 and answer.json()["code"] == "wrong_type"


def test_a_broken_rule_is_no_error(client: Any) -> None:
    answer = client.post("/v1/melds", json={"cards": "4h 5h JK JK", "rules": "fibur"})
    assert answer.status_code == 200 and answer.json()["legal"] is False and answer.json()["violations"]


def test_addresses_and_methods(client: Any) -> None:
    wrong = client.get("/v1/melds")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert wrong.json()["code"] == "method_not_allowed"
    assert client.get("/v1/nothing").json()["code"] == "not_found"
    assert client.post("/v1/melds/", json=MELD).status_code == 404
    assert client.get("/v1/rules/nothing").json()["code"] == "unknown_rules"
    assert client.post("/v1/melds", content="x", headers={"content-type": "text/plain"}).status_code == 415


def test_size_limits(client_with: Callable[..., Any]) -> None:
    with client_with(max_body_bytes=2000, max_batch=3) as client:
        assert client.post("/v1/melds", json=MELD).status_code == 200
        large = client.post("/v1/melds", content=b'{"cards": "' + b" " * 3000 + b'"}')
        assert (large.status_code, large.json()["code"]) == (413, "body_too_large")

        def stream() -> Any:
            for _ in range(100):
                yield b" " * 100

        chunked = client.post("/v1/melds", content=stream(), headers={"content-type": "application/json"})
        assert (chunked.status_code, chunked.json()["code"]) == (413, "body_too_large")
        assert client.post("/v1/melds:batch", json=[MELD] * 3).status_code == 200
        many = client.post("/v1/melds:batch", json=[MELD] * 4)
        assert (many.status_code, many.json()["code"]) == (413, "batch_too_large")
        assert client.post("/v1/melds:batch", json=MELD).json()["code"] == "batch_not_list"


def test_a_thousand_tables_in_one_batch(client: Any) -> None:
    table = {"sides": [{"name": "A", "melds": ["4h-10h"]}, {"name": "B", "hand": "JK"}]}
    answer = client.post("/v1/scores:batch", json=[table] * 1000)
    assert answer.status_code == 200 and len(answer.json()) == 1000
    assert client.post("/v1/scores:batch", json=[table] * 1001).status_code == 413


def test_a_batch_of_anything_answers_each_item(client: Any) -> None:
    items = [None, 1, "x", [], {}, {"cards": "4h"}, {"cards": "4h 5h 6h"}, {"cards": "zz", "lang": "it"}]
    answers = client.post("/v1/melds:batch", json=items).json()
    assert ["error" in answer for answer in answers] == [True] * 5 + [False, False, True]
    assert "carta" in answers[-1]["error"]["message"]


def test_keys(client_with: Callable[..., Any]) -> None:
    with client_with(api_keys="alpha,beta") as client:
        asked = client.post("/v1/melds", json=MELD)
        assert (asked.status_code, asked.json()["code"]) == (401, "no_key")
        assert asked.headers["www-authenticate"].startswith("Bearer")
        wrong = client.post("/v1/melds", json=MELD, headers={"X-API-Key": "alph"})
        assert (wrong.status_code, wrong.json()["code"]) == (401, "unknown_key")
        for headers in ({"X-API-Key": "alpha"}, {"Authorization": "Bearer beta"}):
            assert client.post("/v1/melds", json=MELD, headers=headers).status_code == 200
        assert client.get("/v1/rules?key=alpha").status_code == 200
        assert client.get("/healthz").status_code == 200


def test_rate_limit_by_key_and_by_address(client_with: Callable[..., Any]) -> None:
    with client_with(rate_limit=60, rate_burst=3) as client:
        statuses = [client.post("/v1/melds", json=MELD).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        refused = client.post("/v1/melds", json=MELD)
        assert refused.json()["code"] == "rate_limited" and int(refused.headers["retry-after"]) >= 1
        assert client.get("/healthz").status_code == 200
    with client_with(rate_limit=60, rate_burst=2, api_keys="a,b") as client:
        seen = [client.get("/v1/rules", headers={"X-API-Key": key}).status_code for key in "aabba"]
        assert seen == [200, 200, 200, 200, 429]
        guesses = [client.get("/v1/rules", headers={"X-API-Key": str(n)}).status_code for n in range(4)]
        assert guesses == [401, 401, 429, 429]


def test_cors_only_where_it_is_set(client_with: Callable[..., Any]) -> None:
    origin = {"Origin": "https://club.example", "Access-Control-Request-Method": "POST"}
    with client_with() as client:
        assert "access-control-allow-origin" not in client.get("/healthz", headers=origin).headers
    with client_with(cors_origins="https://club.example", api_keys="k") as client:
        asked = client.options("/v1/melds", headers=origin)
        assert asked.headers["access-control-allow-origin"] == "https://club.example"
        refused = client.post("/v1/melds", json=MELD, headers={"Origin": "https://club.example"})
        assert refused.status_code == 401 and refused.headers["access-control-allow-origin"]
        other = client.get("/healthz", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


def test_hosts(client_with: Callable[..., Any]) -> None:
    with client_with(allowed_hosts="club.example") as client:
        assert client.get("/healthz", headers={"Host": "club.example:80"}).status_code == 200
        assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 400


def test_figures(client: Any) -> None:
    client.post("/v1/melds", json=MELD)
    client.request("BREW", "/v1/secret-path")
    text = client.get("/metrics").text
    assert re.search(r'burraco_requests_total\{method="POST",route="/v1/melds",status="200"\} \d', text)
    assert "secret-path" not in text and "BREW" not in text
    assert 'burraco_request_seconds_bucket{le="0.001",route="/v1/melds"}' in text


def test_figures_can_be_switched_off(client_with: Callable[..., Any]) -> None:
    with client_with(metrics=False) as client:
        assert client.get("/metrics").status_code == 404


def test_a_surprise_is_a_problem_with_the_request_id(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from api.routes import melds

    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(melds, "judged", broken)
    answer = client.post("/v1/melds", json=MELD, headers={"X-Request-ID": "find-me"})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "find-me" in answer.json()["detail"] and "secret" not in answer.text


def test_log_lines_are_json_with_the_request_id(live_server: Any) -> None:
    with live_server.client() as client:
        client.post("/v1/melds", json=MELD, headers={"X-Request-ID": "in-the-log"})
    found: list[Any] = []
    for _ in range(100):  # the line is written after the answer is sent
        lines = [json.loads(line) for line in live_server.log.read_text().splitlines() if line.startswith("{")]
        found = [line for line in lines if line.get("request_id") == "in-the-log"]
        if found:
            break
        time.sleep(0.05)
    (line,) = found
    assert (line["method"], line["path"], line["status"]) == ("POST", "/v1/melds", 200) and line["ms"] >= 0


def test_a_slow_body_is_given_up(start_server: Callable[..., Any]) -> None:
    server = start_server(body_seconds=0.5, photo_workers=0)
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), 10) as slow:
        head = b"POST /v1/melds HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"
        slow.sendall(head)
        answer = slow.recv(65536)
    assert b" 408 " in answer.split(b"\r\n")[0] + b" " and time.monotonic() - began < 5
