"""Every code that people can meet has a sentence in both languages, with the same parameters."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from scorer.cards import CARDS, Card
from scorer.contract import answer_meld, answer_score
from scorer.explain import fault_text
from scorer.melds import Violation, check_meld
from scorer.messages import LANGS, catalogue, fields, has, part, parts, text
from scorer.profile import BURRACO_TYPES, load_profile

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "conformance"
#: Records whose first argument is a code, and the table that its sentence stands in.
RECORDS = {"Violation": "violation", "Notice": "notice", "ScoreLine": "line"}


def test_both_languages_have_the_same_sentences() -> None:
    for name in parts():
        assert part(name, "en").keys() == part(name, "it").keys(), name


def test_both_languages_use_the_same_parameters() -> None:
    english, italian = catalogue("en"), catalogue("it")
    assert [code for code in english if fields(english[code]) != fields(italian[code])] == []


def test_no_code_stands_in_two_parts() -> None:
    count = Counter(code for name in parts() for code in part(name, "en"))
    assert [code for code, times in count.items() if times > 1] == []


def test_the_languages_are_not_each_other() -> None:
    same = [code for code, words in catalogue("en").items() if words == catalogue("it")[code] and " " in words]
    assert all(len(catalogue("en")[code]) < 60 for code in same), same


def sources() -> Iterator[tuple[Path, ast.AST]]:
    for file in sorted((ROOT / "scorer").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            yield file, node


def constants(node: ast.AST | None) -> list[str]:
    """The texts that an expression can be: a constant, or both arms of a conditional."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return constants(node.body) + constants(node.orelse)
    return []


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def emitted() -> dict[str, str]:
    """Code with its table's prefix -> the file that emits it."""
    found: dict[str, str] = {}
    for file, node in sources():
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = name_of(node)
        for code in constants(node.args[0]):
            if name in RECORDS:
                known = has(f"{RECORDS[name]}.{code}")
                found[f"{RECORDS[name]}.{code}" if known or name == "ScoreLine" else code] = file.name
            elif name in ("text", "refuse") and file.parent.name != "messages":
                found[code] = file.name
    return found


def test_every_emitted_code_has_a_sentence() -> None:
    codes = emitted()
    assert len(codes) > 100 and {"violation.hole", "notice.void", "line.hand", "missing_field"} <= codes.keys()
    assert {code: file for code, file in codes.items() if not (has(code, "en") and has(code, "it"))} == {}


def test_every_error_code_has_a_sentence() -> None:
    codes = {
        code: file.name
        for file, node in sources()
        if isinstance(node, ast.Call)
        for key in node.keywords
        if key.arg == "code" and name_of(node).endswith("Error")
        for code in constants(key.value)
    }
    assert {"unknown_option", "bad_toml"} <= codes.keys()
    assert {code: file for code, file in codes.items() if not (has(code, "en") and has(code, "it"))} == {}


@pytest.mark.parametrize("lang", LANGS)
def test_every_burraco_type_kind_and_suit_is_named(lang: str) -> None:
    wanted = [f"type.{name}" for name in BURRACO_TYPES] + [f"compare.types.{name}" for name in BURRACO_TYPES]
    wanted += ["kind.run", "kind.set", *[f"suit.{letter}" for letter in "hdcs"]]
    assert [code for code in wanted if not has(code, lang)] == []


ODD_MELDS = [
    "Kh Ah 3h", "5h 6h", "JK JK 5h", "2h 2s JK", "4h 5d 6c", "7h 7d 8c", "Ah Ah 3h 4h", "5h 5h 6h 7h", "? 5h 6h",
    "4h 5h 9h JK", "7h 7h 7h", "3h 4h 5h 2h 7h 8h 9h", "3h-10h 2s", "A:hdsc", "7:hhddsscc JK JK", "2s=9h 4h 5h",
    "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh JK", "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh Ah JK", "Qh Kh Ah",
]  # fmt: skip


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("rules", ["vanikar", "classico", "brasile", "fibur", "internazionale", "stekius"])
def test_no_sentence_misses_a_parameter(rules: str, lang: str) -> None:
    from scorer.notation import parse_meld

    profile = load_profile(rules)
    for words in ODD_MELDS:
        stated = parse_meld(words)
        verdict = check_meld(stated.cards, profile, stated.bindings)
        for fault in (*verdict.violations, *verdict.notices):
            sentence = fault_text(fault, lang)
            assert "…" not in sentence and "{" not in sentence and sentence != fault.code, (words, sentence)


@pytest.mark.parametrize("lang", LANGS)
def test_no_sentence_of_a_deal_misses_a_parameter(lang: str) -> None:
    deals = [json.loads(line) for line in (CASES / "hands.jsonl").read_text(encoding="utf-8").splitlines()]
    deals += [
        {"sides": [
            {"name": "A", "players": ["x", "y"], "melds": ["7h 7d 7s", "7c 7h 7d", "7h 7h 7s"], "closed": True,
             "hand": ["5h", "6h"], "pozzetto": "not_taken"},
            {"name": "B", "melds": ["4h 5h"], "hand": "? JK JK JK JK JK", "closed": True, "pozzetto": "unplayed",
             "pozzetto_cards": "3c 3d"},
        ], "rules": rules}
        for rules in ("fibur", "internazionale", "brasile", "canasta")
    ]  # fmt: skip
    deals += [{"sides": [{"name": "A"}]}, {"sides": [{"pozzetto": "not_taken"}, {"pozzetto": "not_taken"}]}]
    deals += [{"sides": [{"pozzetto": "not_taken"}, {"pozzetto": "not_taken"}], "rules": "classico"}]
    for deal in deals:
        answer = answer_score({**deal, "lang": "en"} if lang == "en" else {**deal, "lang": "it", **italian(deal)})
        shown = [item["message"] for item in (*answer["violations"], *answer["notices"])]
        shown += [line["label"] for side in answer["sides"] for line in side["lines"]]
        assert [words for words in shown if "…" in words or "{" in words] == []


def italian(deal: dict[str, object]) -> dict[str, object]:
    """The same deal in Italian letters."""
    table = str.maketrans({"h": "C", "d": "Q", "c": "F", "s": "P"})
    sides = json.loads(json.dumps(deal["sides"]))
    for side in sides:
        side["melds"] = [meld.translate(table) for meld in side.get("melds", [])]
        hand = side.get("hand", "")
        side["hand"] = [one.translate(table) for one in hand] if isinstance(hand, list) else hand.translate(table)
        side["pozzetto_cards"] = side.get("pozzetto_cards", "").translate(table)
    return {"sides": sides}


def test_plural_and_optional_parts() -> None:
    assert text("too_large", "it", what="x", limit=3) == "x è troppo grande: se ne leggono al massimo 3 byte"
    hole = text("violation.hole", "it", missing="7", count=1)
    assert hole == "resta un posto vuoto (7) e nessuna matta è libera per quello"
    assert text("violation.hole", "it", missing="7 8", count=2).startswith("restano posti vuoti (7 8)")
    assert text("line.hand", "en", player="") == "left in hand"
    assert text("line.hand", "en", player="Anna") == "left in hand, Anna"
    assert text("violation.two_aces", "en") == "two aces in one run: a run has one ace, low or high"


def test_a_missing_parameter_never_raises() -> None:
    assert text("violation.hole", "en") == "… are missing and no wild is free to take their place"
    assert text("no.such.code", "it") == "no.such.code"


def test_an_answer_speaks_the_language_asked_for() -> None:
    said = {lang: answer_meld({"cards": "JK JK 5h".replace("h", "C" if lang == "it" else "h"), "lang": lang})
            for lang in LANGS}  # fmt: skip
    assert said["it"]["violations"][0]["message"] != said["en"]["violations"][0]["message"]
    assert said["it"]["violations"][0]["code"] == said["en"]["violations"][0]["code"]


def test_cards_in_sentences_are_symbols() -> None:
    for card in CARDS[:53]:
        shown = fault_text(Violation("no_room", (card,)), "en")
        assert card.symbol in shown
    assert Card.of("7h").symbol in fault_text(
        Violation("binding_impossible", (Card.of("2s"),), "", (("stands_for", "7h"),))
    )
