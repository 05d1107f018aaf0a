"""The JSON contract: exact shapes of results, strict requests, errors that say where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorer import contract
from scorer.contract import answer_batch, answer_meld, answer_score, error_json
from scorer.errors import BurracoError

RUN = "4h 5h 6h 2s 8h 9h 10h"
DEAL: dict[str, Any] = {
    "rules": "fibur",
    "sides": [
        {"name": "Noi", "players": ["Anna", "Bruno"], "melds": ["4h-10h", "Ks Kd Kh"], "hand": ["", "5c 9d"],
         "closed": True, "closed_by": "Anna", "pozzetto": "played"},
        {"name": "Loro", "melds": [RUN.replace("h", "c")], "hand": "JK", "pozzetto": "unplayed",
         "pozzetto_cards": "3d 4d"},
    ],
}  # fmt: skip


def test_a_meld_result_has_the_contract_keys() -> None:
    answer = answer_meld({"cards": RUN, "rules": "vanikar", "options": {}, "lang": "en"})
    assert answer == answer_meld({"cards": RUN, "rules": None, "options": None, "lang": None})
    assert list(answer) == [
        "rules", "cards", "legal", "kind", "type", "doubled", "card_points", "bonus", "total", "slots", "readings",
        "violations", "notices",
    ]  # fmt: skip
    assert answer["rules"] == {"id": "vanikar", "version": 1, "options": {}}
    assert answer["cards"] == RUN.split()
    assert (answer["kind"], answer["type"], answer["total"]) == ("run", "dirty", 165)
    assert answer["slots"][3] == {"card": "2s", "stands_for": "7h", "wild": True}
    assert json.loads(json.dumps(answer)) == answer


def test_the_other_readings_come_best_first() -> None:
    answer = answer_meld({"cards": "Qh Kh JK", "rules": "fibur"})
    assert answer["cards"] == ["JK", "Qh", "Kh"]
    assert [reading["cards"] for reading in answer["readings"]] == [["Qh", "Kh", "JK"]]


def test_a_bound_wild_takes_its_reading() -> None:
    assert answer_meld({"cards": "Qh Kh JK=Ah", "rules": "fibur"})["cards"] == ["Qh", "Kh", "JK"]


def test_a_wild_in_a_set_stands_for_the_rank() -> None:
    answer = answer_meld({"cards": "7h 7d 2s"})
    assert (answer["kind"], answer["slots"][2]["stands_for"]) == ("set", "7?")


def test_a_violation_has_code_words_cards_rule_and_source() -> None:
    answer = answer_meld({"cards": "JK JK 5h 6h 7h", "rules": "fibur"})
    (fault,) = answer["violations"]
    assert list(fault) == ["code", "message", "cards", "rule", "source", "params"]
    assert (fault["code"], fault["cards"], fault["rule"]) == ("too_many_wilds", ["JK", "JK"], "max_wilds")
    assert "rules.md" in fault["source"] and fault["params"] == {"count": 2, "most": 1}
    assert (answer["legal"], answer["kind"], answer["type"], answer["bonus"]) == (False, None, None, 0)
    assert answer["card_points"] == answer["total"] == 75


def test_options_are_shown_with_their_values() -> None:
    answer = answer_meld(
        {"cards": RUN, "rules": "internazionale", "options": {"set_ranks": ["3", "A"], "ace_both": "no"}}
    )
    assert answer["rules"]["options"] == {"ace_both": False, "set_ranks": ["A", "3"]}


def test_a_score_result_has_the_contract_keys() -> None:
    answer = answer_score(DEAL)
    assert list(answer) == ["rules", "void", "legal", "sides", "violations", "notices"]
    ours, theirs = answer["sides"]
    assert list(ours) == ["name", "melds", "score", "lines"]
    assert list(ours["melds"][0]) == list(answer_meld({"cards": "4h-10h"}))[1:]
    assert ours["score"] == {
        "card_points": 80, "burraco_bonus": 200, "closing": 100, "hand": -15, "pozzetto": 0, "total": 365,
    }  # fmt: skip
    assert list(ours["lines"][0]) == ["code", "label", "points", "cards", "rule", "source", "meld"]
    assert theirs["score"]["hand"] == -40
    for side in answer["sides"]:
        assert sum(line["points"] for line in side["lines"]) == side["score"]["total"]
    assert json.loads(json.dumps(answer)) == answer


def test_one_hand_for_the_side_or_one_a_player() -> None:
    whole = {**DEAL, "sides": [{**DEAL["sides"][0], "hand": "5c 9d"}, DEAL["sides"][1]]}
    assert answer_score(whole)["sides"][0]["score"] == answer_score(DEAL)["sides"][0]["score"]
    request = contract.score_request(DEAL)
    assert [(hand.player, len(hand.cards)) for hand in request.table.sides[0].hands] == [("Anna", 0), ("Bruno", 2)]


def test_results_can_be_sent_back() -> None:
    answer = answer_score(DEAL)
    again = {**DEAL, "sides": [
        {**side, "melds": [meld["cards"] for meld in shown["melds"]]}
        for side, shown in zip(DEAL["sides"], answer["sides"], strict=True)
    ]}  # fmt: skip
    assert [s["score"] for s in answer_score(again)["sides"]] == [s["score"] for s in answer["sides"]]


def test_a_row_of_cases_is_a_request() -> None:
    row = {"id": "M1", "note": "x", "cards": RUN, "legal": True, "type": "dirty", "total": 165}
    assert answer_meld(row)["total"] == 165


MELD_FAULTS = [
    (None, "wrong_type", "the request must be an object, not null"),
    ([], "wrong_type", "the request must be an object, not a list"),
    ({}, "missing_field", "'cards' is missing"),
    ({"cards": 7}, "wrong_type", "cards must be a string of cards, not a number"),
    ({"cards": ["4h", 5]}, "wrong_type", "cards must be a string of cards, not a list"),
    ({"cards": ""}, "empty_meld", "there is no card here"),
    ({"cards": "4h 5x"}, "unknown_suit", "“5x”"),
    ({"cards": "4h", "lang": "fr"}, "bad_value", "lang cannot be 'fr'; allowed: en, it"),
    ({"cards": "4h", "lang": 3}, "bad_value", "lang cannot be '3'"),
    ({"cards": "4h", "rules": "fibr"}, "unknown_rules", "did you mean fibur"),
    ({"cards": "4h", "rules": 5}, "wrong_type", "rules must be a string, not a number"),
    ({"cards": "4h", "options": []}, "wrong_type", "options must be an object, not a list"),
    ({"cards": "4h", "options": {"max_wild": 2}}, "unknown_option", "did you mean max_wilds"),
    ({"cards": "4h", "options": {"max_wilds": 77}}, "bad_option", "a whole number from 0 to 4"),
    ({"cards": "4h", "options": {"ace_both": True, "ace_low": False}}, "contradiction", "ace_both"),
    ({"cards": "4h", "Cards": "4h"}, "unknown_field", "unknown key 'Cards'; did you mean cards"),
]


@pytest.mark.parametrize(("data", "code", "words"), MELD_FAULTS)
def test_an_unreadable_meld_request(data: object, code: str, words: str) -> None:
    with pytest.raises(BurracoError) as caught:
        answer_meld(data)
    assert caught.value.code == code and words in str(caught.value)
    for lang in ("en", "it"):
        body = error_json(caught.value, lang)["error"]
        assert {"code", "message", "column", "token"} <= body.keys() and body["code"] == code
        assert "…" not in body["message"] and "{" not in body["message"] and "\n" not in body["message"]


SIDE_FAULTS = [
    ({"closed": 1}, "wrong_type", "sides[0].closed"),
    ({"closed": "yes"}, "wrong_type", "sides[0].closed"),
    ({"name": ""}, "wrong_type", "sides[0].name"),
    ({"name": "a\nb"}, "wrong_type", "sides[0].name"),
    ({"melds": "4h 5h 6h"}, "wrong_type", "sides[0].melds"),
    ({"melds": ["4h 5h 6h"] * 61}, "list_length", "sides[0].melds"),
    ({"pozzetto": "yes"}, "bad_value", "sides[0].pozzetto"),
    ({"pozzetto": True}, "bad_value", "sides[0].pozzetto"),
    ({"pozzetto": "played", "pozzetto_cards": "4h"}, "pot_cards_unasked", "sides[0].pozzetto_cards"),
    ({"players": ["x"], "hand": ["4h", "5h"]}, "hand_count", "sides[0].hand"),
    ({"hand": {"x": "4h"}}, "wrong_type", "sides[0].hand"),
    ({"hand": ["4h", 5]}, "wrong_type", "sides[0].hand[1]"),
    ({"players": ["x"], "closed": True, "closed_by": "z"}, "unknown_player", None),
    ({"closed": False, "closed_by": "z"}, "bad_value", "sides[0].closed_by"),
    ({"pot": "yes"}, "unknown_field", "sides[0]"),
    ({"melds": ["4h 5x 6h"]}, "unknown_suit", "sides[0].melds[0]"),
    ({"hand": "2s=7h"}, "bind_in_hand", "sides[0].hand"),
    ({"pozzetto": "unplayed", "pozzetto_cards": "4z"}, "unknown_suit", "sides[0].pozzetto_cards"),
]


@pytest.mark.parametrize(("side", "code", "path"), SIDE_FAULTS)
def test_an_unreadable_side_says_where(side: dict[str, Any], code: str, path: str | None) -> None:
    with pytest.raises(BurracoError) as caught:
        answer_score({"sides": [side, {"name": "B"}]})
    body = error_json(caught.value)["error"]
    assert (body["code"], body.get("path")) == (code, path)


@pytest.mark.parametrize("sides", [[], [{}] * 9, "A", None, {"name": "A"}, [{"name": "A"}, {"name": "A"}], [5]])
def test_unreadable_sides(sides: object) -> None:
    with pytest.raises(BurracoError):
        answer_score({"sides": sides})


def test_all_unreadable_texts_of_a_deal_are_told_at_once() -> None:
    deal = {"sides": [{"melds": ["4x", "5h 6y"], "hand": "zz"}, {"hand": "7z"}]}
    with pytest.raises(BurracoError) as caught:
        answer_score(deal)
    errors = error_json(caught.value)["error"]["errors"]
    assert [(one["path"], one["token"], one["column"]) for one in errors] == [
        ("sides[0].melds[0]", "4x", 1), ("sides[0].melds[1]", "6y", 4), ("sides[0].hand", "zz", 1),
        ("sides[1].hand", "7z", 1),
    ]  # fmt: skip


def test_a_batch_answers_in_order_and_goes_on_after_an_error() -> None:
    answers = answer_batch([{"cards": "4h 5h 6h"}, {"cards": "4x", "lang": "it"}, 5, {"cards": "5h 6h"}], answer_meld)
    assert [answer.get("legal", answer.get("error", {}).get("code")) for answer in answers] == [
        True, "unknown_suit", "wrong_type", False,
    ]  # fmt: skip
    assert "seme" in answers[1]["error"]["message"]


def test_defaults() -> None:
    answer = answer_score({"sides": [{}, {}]})
    assert [side["name"] for side in answer["sides"]] == ["A", "B"]
    assert answer["rules"]["id"] == "vanikar" and answer["legal"]
    assert [notice["code"] for notice in answer["notices"]] == ["pot_not_stated", "pot_not_stated"]


def test_a_hand_of_a_player_is_a_text() -> None:
    side = {"name": "A", "players": ["Anna", "Bruno"], "hand": ["4h", None]}
    with pytest.raises(BurracoError) as caught:
        answer_score({"sides": [side]})
    assert (caught.value.code, caught.value.params["path"]) == ("wrong_type", "sides[0].hand[1]")
