"""Whatever is sent: a result, or a `BurracoError` with a sentence; from the command, an exit code and one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer.contract import answer_meld, answer_score, error_json
from scorer.errors import BurracoError

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
TOKENS = ("4h", "5h", "6h", "7h", "7h", "2s", "2h", "JK", "Ah", "Kh", "?", "9?", "4x", "7C", "-", "=", "4h-10h", "7:hd")
cards = st.lists(st.sampled_from(TOKENS), max_size=9)
card_text = cards.map(" ".join) | st.text(max_size=12)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
rules = st.sampled_from(["vanikar", "fibur", "stekius", "brasile", "internazionale", "nope"]) | values
options = st.dictionaries(
    st.sampled_from(["max_wilds", "sets", "trump", "semi_set", "bonus.clean", "x"]), scalars, max_size=2
)
side = st.fixed_dictionaries({}, optional={
    "name": st.sampled_from(["A", "B", "C"]) | values, "players": st.lists(st.sampled_from("xyz"), max_size=3) | values,
    "melds": st.lists(card_text, max_size=4) | values, "hand": card_text | st.lists(card_text, max_size=3) | values,
    "closed": st.booleans() | values, "closed_by": st.sampled_from("xyz") | values,
    "pozzetto": st.sampled_from(["played", "unplayed", "not_taken", None]) | values,
    "pozzetto_cards": card_text | values,
})  # fmt: skip
common = {"rules": rules, "options": options | values, "lang": st.sampled_from(["en", "it"]) | values}
meld_requests = st.fixed_dictionaries({"cards": card_text | cards | values}, optional=common) | values
score_requests = st.fixed_dictionaries({"sides": st.lists(side, max_size=3) | values}, optional=common) | values


def settled(data: object, answer: Callable[[object], dict[str, Any]]) -> dict[str, Any] | None:
    """The answer, or None when the request was refused in words of both languages."""
    try:
        return answer(data)
    except BurracoError as error:
        for lang in ("en", "it"):
            body = error_json(error, lang)["error"]
            assert (body["message"] and "…" not in body["message"].replace(str(body["token"]), "")) or body["token"]
            json.dumps(body)
        return None


@given(meld_requests)
def test_any_meld_request(data: object) -> None:
    answer = settled(data, answer_meld)
    if answer is not None:
        assert answer["legal"] is (answer["violations"] == [])
        assert answer["total"] == answer["card_points"] + answer["bonus"]
        assert json.loads(json.dumps(answer)) == answer


@given(score_requests)
def test_any_score_request(data: object) -> None:
    answer = settled(data, answer_score)
    if answer is not None:
        for one in answer["sides"]:
            assert sum(line["points"] for line in one["lines"]) == one["score"]["total"]
        assert json.loads(json.dumps(answer)) == answer


@pytest.mark.parametrize("args", [["score", "-"], ["meld", "-"], ["rules", "check", "-"], ["score", "-", "--json"]])
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60) | st.text(max_size=60) | score_requests.map(lambda value: json.dumps(value)))
def test_any_bytes_to_the_command(args: list[str], data: bytes | str, burraco: Callable[..., Any]) -> None:
    ran = burraco(*args, stdin=data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    assert ran.code in (0, 1, 2) and "internal error" not in ran.err
    assert ran.out or ran.err
