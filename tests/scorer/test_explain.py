"""Reasons in words: they name the option that decided, its value and its source, and hold no number of their own."""

from __future__ import annotations

import ast
import inspect

import pytest

from scorer import explain
from scorer.entries import score_entry
from scorer.errors import BurracoError
from scorer.explain import (
    error_text,
    explain_fault,
    explain_line,
    explain_meld,
    fault_text,
    line_text,
    meld_sentence,
    rule_text,
    slots_text,
)
from scorer.melds import MeldVerdict, Notice, Violation, check_meld
from scorer.notation import NotationError, parse_meld, parse_sheet
from scorer.profile import ProfileError, load_profile
from scorer.scoring import score


def verdict_of(words: str, rules: str = "fibur", **options: object) -> tuple[MeldVerdict, list[str]]:
    profile = load_profile(rules, options)
    stated = parse_meld(words)
    verdict = check_meld(stated.cards, profile, stated.bindings)
    return verdict, explain_meld(verdict, profile, "en")


def test_a_run_says_its_ends_its_wild_and_its_bonus() -> None:
    verdict, reasons = verdict_of("3h-10h 2s")
    assert slots_text(verdict.slots) == "2♠=2♥ 3♥ 4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥"
    assert reasons[0] == "run of hearts, from 2 to 10, 9 cards; 2♠ stands for 2♥"
    assert reasons[1] == "cards: 20 + 5 + 5 + 5 + 5 + 5 + 10 + 10 + 10 = 75 (values)"
    assert reasons[2] == "bonus: 150 for a half-clean burraco"
    assert reasons[3].startswith("bonus.semi = 150 (source: ")
    assert reasons[4].startswith("semi_position = one_side (source: ")
    assert reasons[5] == "another reading: 3♥ 4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥ 2♠=J♥, half-clean burraco, 150 bonus"


def test_a_set_a_natural_two_and_the_ends_in_words() -> None:
    assert verdict_of("7h 7d 2s")[1][0] == "set of 7, 3 cards; 2♠ is wild"
    assert verdict_of("Qh Qd Qs")[1][0] == "set of queens, 3 cards; no wild"
    assert verdict_of("Ah 2h 3h")[1][0] == (
        "run of hearts, from the ace to 3, 3 cards; no wild; 2♥ stands in its own place and is natural"
    )
    profile = load_profile("fibur")
    verdict = check_meld(parse_meld("8h 9h 10h Jh Qh").cards, profile)
    assert explain_meld(verdict, profile, "it")[0] == "scala di cuori, dall'8 alla donna, 5 carte; nessuna matta"


def test_too_short_for_a_bonus_and_not_legal() -> None:
    assert verdict_of("7h 7d 7s")[1][-1] == "no bonus: a burraco needs 7 cards (burraco_cards)"
    verdict, reasons = verdict_of("7h 7d 8s")
    assert reasons == ["cards: 5 + 5 + 10 = 20 (values)", "no legal reading: the cards count 20, without a bonus"]
    assert meld_sentence(verdict, "it") == "gioco non valido"


def test_a_trump_and_a_set_with_its_own_bonus() -> None:
    _, reasons = verdict_of("4h-10h", "stekius", trump="h")
    assert "bonus: 400 for a clean burraco, ×2 because hearts is trumps" in reasons
    assert any(reason.startswith("bonus.trump_factor = 2 (source: ") for reason in reasons)
    assert any(
        r.startswith("bonus.set_clean = 300") for r in verdict_of("9h 9h 9d 9d 9c 9c 9s", "stekius", sets=True)[1]
    )


def test_options_assumptions_and_house_rules_are_named() -> None:
    profile = load_profile("vanikar", {"max_wilds": 2})
    assert rule_text("max_wilds", profile, "en") == "max_wilds = 2 (set by option)"
    assert rule_text("bonus.trump_factor", profile, "it").startswith("bonus.trump_factor = 1 (assunzione: ")
    fault = Violation("too_many_wilds", (), "max_wilds", (("count", 3), ("most", 2)))
    assert explain_fault(fault, profile, "en") == "max_wilds = 2 (set by option)"
    assert explain_fault(Violation("not_a_meld"), profile) == ""


def test_every_line_of_a_deal_has_a_label_and_a_reason() -> None:
    sheets = {
        "fibur": "[A]\n4h-10h\npot: yes\nclosed: yes\n[B]\nhand: 5c\npot: unplayed: 4d 5d",
        "canasta": "[A]\nclosed: yes\npot: no\n[B]\npot: unplayed: 4d 5d",
        "stekius": "trump: h\n[A]\n4h-10h\npot: no\n[B]\npot: no",
        "classico": "[A]\npot: no\n[B]\npot: no",
        "feburit": "[A]\npot: no\n[B]\npot: no",
    }
    seen = set()
    for rules, words in sheets.items():
        sheet = parse_sheet(words)
        profile = load_profile(rules, sheet.options)
        for side in score(sheet.table, profile).sides:
            for line in side.lines:
                seen.add(line.code)
                for lang in ("en", "it"):
                    assert "…" not in line_text(line, lang) + "".join(explain_line(line, profile, lang))
                if line.code != "meld_cards":
                    assert explain_line(line, profile)
    assert seen >= {
        "meld_cards", "burraco", "burraco_trump", "closing", "closing_refused", "hand", "pot_unplayed_hand",
        "pot_unplayed_penalty", "pot_forgiven", "pot_not_taken", "void",
    }  # fmt: skip


def test_places_are_words() -> None:
    sheet = parse_sheet("[We / us]\n7h 8h 9h\n7h 7h 7d\n[B]\nhand: 7h\n")
    (fault,) = score(sheet.table, load_profile("vanikar")).violations
    assert fault_text(fault) == (
        "7♥ occurs 4 times, but the deck has 2 of it (We / us, meld 1; We / us, meld 2 ×2; B, hand)"
    )
    assert fault_text(fault, "it").endswith("(We / us, gioco 1; We / us, gioco 2 ×2; B, mano)")


def test_a_fault_begins_with_its_place_unless_told_not_to() -> None:
    fault = Notice("suited_two_is_wild", parse_meld("2h").cards, "", (("side", "A"), ("meld", 2), ("stands_for", "6h")))
    assert fault_text(fault).startswith("A, meld 2: 2♥ is not in its own place: it stands for 6♥")
    assert fault_text(fault, placed=False).startswith("2♥ is not")


@pytest.mark.parametrize("lang", ["en", "it"])
def test_errors_of_every_kind_are_one_line(lang: str) -> None:
    for make in (lambda: parse_meld("4x"), lambda: load_profile("x"), lambda: load_profile("fibur", {"sets": "?"})):
        with pytest.raises((NotationError, ProfileError)) as caught:
            make()
        assert "\n" not in error_text(caught.value, lang) and "…" not in error_text(caught.value, lang)
    assert error_text(caught.value, "it") == "l'opzione sets non può valere «?»: true o false"


def test_nothing_is_computed_here() -> None:
    """No arithmetic on points: what is shown was decided elsewhere (lengths of lists are counted, not points)."""
    tree = ast.parse(inspect.getsource(explain))
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv):
            assert "point" not in ast.unparse(node) and "bonus" not in ast.unparse(node), ast.unparse(node)
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) != "sum"


@pytest.mark.parametrize(("lang", "said"), [("it", "una smazzata è un oggetto"), ("en", "a deal is an object")])
def test_what_is_wrong_with_an_entry_is_told_in_the_language(lang: str, said: str) -> None:
    with pytest.raises(BurracoError) as caught:
        score_entry("x", load_profile("vanikar"), ["A", "B"])
    assert error_text(caught.value, lang).startswith(said)
