"""The OpenAPI document: published as it is served, everything described, every example true."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from api.published import published

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
#: Operation ids are names in other people's generated clients: they are only ever added to.
IDS = {
    "check_one_meld", "check_many_melds", "score_one_table", "score_many_tables", "compare_rules", "list_rules",
    "show_rules", "check_house_rules", "read_photo", "check_one_move", "list_bots", "create_game", "show_game",
    "list_actions", "act", "hint", "game_record", "health", "ready", "metrics",
}  # fmt: skip


@pytest.fixture(scope="module")
def document() -> Any:
    return json.loads(published())


def operations(document: Any) -> Iterator[tuple[str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_published_document_is_the_served_one() -> None:
    """`python -m api.published` writes it anew after a change of the API."""
    assert DOCUMENT.read_text(encoding="utf-8") == published()


def test_operation_ids_are_stable_and_unique(document: Any) -> None:
    ids = [operation["operationId"] for _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    assert set(ids) >= IDS


def test_every_operation_is_described(document: Any) -> None:
    for name, operation in operations(document):
        assert operation.get("summary") and operation.get("description"), name
        for parameter in operation.get("parameters", []):
            assert parameter.get("description"), (name, parameter["name"])
        for status, answer in operation["responses"].items():
            assert answer["description"], (name, status)


def test_every_field_is_described(document: Any) -> None:
    bare = [
        f"{shape}.{field}"
        for shape, schema in document["components"]["schemas"].items()
        for field, about in schema.get("properties", {}).items()
        if not about.get("description") and "$ref" not in json.dumps(about) and "enum" not in about
    ]
    assert bare == []


def test_points_say_their_unit(document: Any) -> None:
    for field, about in document["components"]["schemas"]["ScoreShape"]["properties"].items():
        assert "points" in about["description"], field


def test_errors_are_problem_documents(document: Any) -> None:
    for name, operation in operations(document):
        for status, answer in operation["responses"].items():
            if status[0] in "45" and "/v1/" in name:
                assert list(answer["content"]) == ["application/problem+json"], (name, status)
        if "/v1/" in name:
            assert {"401", "413", "429", "500", "503"} <= set(operation["responses"]), name
    assert "HTTPValidationError" not in document["components"]["schemas"]


def _examples(content: Any) -> Iterator[Any]:
    if "example" in content:
        yield content["example"]
    for example in content.get("examples", {}).values():
        yield example["value"]


def test_examples_fit_their_schemas_and_show_each_case(document: Any) -> None:
    seen = 0
    for name, operation in operations(document):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for body in [*bodies, *operation["responses"].values()]:
            for content in body.get("content", {}).values():
                for example in _examples(content):
                    if "schema" in content:
                        jsonschema_rs.validate({**content["schema"], "components": document["components"]}, example)
                        seen += 1
                    assert "error" not in example, (name, example)
    assert seen > 20
    answers = document["paths"]["/v1/melds"]["post"]["responses"]["200"]["content"]["application/json"]["examples"]
    assert answers["legal"]["value"]["legal"] and not answers["illegal"]["value"]["legal"]
    assert answers["disputed"]["value"]["notices"]
    tables = document["paths"]["/v1/scores"]["post"]["responses"]["200"]["content"]["application/json"]["examples"]
    assert tables["void"]["value"]["void"] and not tables["illegal"]["value"]["legal"]


def test_no_reference_is_broken(document: Any) -> None:
    text = json.dumps(document)
    for name in set(re.findall(r'"#/components/schemas/([^"]+)"', text)):
        assert name in document["components"]["schemas"], name


def test_document_is_served_without_scripts_from_elsewhere(client: Any) -> None:
    assert client.get("/openapi.json").json()["info"]["title"] == "Burraco"
    assert client.get("/docs").status_code == 404
