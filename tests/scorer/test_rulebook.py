"""The rule book behind `burraco rules list | show | diff | check`."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from scorer import profile as profile_module
from scorer.errors import ProfileError
from scorer.explain import error_text
from scorer.messages import part
from scorer.profile import OPTIONS, load_profile, profile_from_data, profile_ids, read_profile
from scorer.rulebook import (
    check_file,
    differences,
    effective,
    option_data,
    profile_data,
    profile_toml,
    stated,
    summaries,
)
from tests.scorer.house_rules import HOUSE


def test_summaries() -> None:
    lines = summaries()
    assert [line.id for line in lines] == list(profile_ids())
    assert [line.id for line in lines if line.default] == ["vanikar"]
    for line in lines:
        assert line.values == len(OPTIONS) and 0 < line.assumptions < line.values
        assert line.data()["name"] == {"it": line.name_it, "en": line.name_en}


def test_stated_is_what_a_file_says() -> None:
    assert [leaf.key for leaf in stated(load_profile("feburit"))] == ["bonus.full_clean", "bonus.super_clean"]
    assert len(stated(load_profile("fibur"))) == len(OPTIONS)
    casa = read_profile(HOUSE, {"target": 1005})
    assert {leaf.key: leaf.origin for leaf in stated(casa)} == {
        "bonus.semi": "house", "ace_high": "own", "target": "option",
    }  # fmt: skip


def test_differences_are_symmetrical_and_carry_both_sources() -> None:
    a, b = load_profile("vanikar"), load_profile("stekius")
    there, back = differences(a, b), differences(b, a)
    assert [(d.key, d.left, d.right) for d in there] == [(d.key, d.right, d.left) for d in back]
    two = next(d for d in there if d.key == "values.two")
    assert (two.left.value, two.right.value) == (20, 10)
    assert two.left.source == "«il 2 vale 20»" and two.right.source == "«il due 10»"
    assert differences(a, a) == ()


def test_check_names_changes_and_values_without_a_source() -> None:
    report = check_file(HOUSE)
    assert report.good and report.without_source == ("bonus.semi",)
    assert [(c.key, c.left.value, c.right.value) for c in report.changes] == [
        ("bonus.semi", 150, 160), ("ace_high", True, False),
    ]  # fmt: skip


def test_profile_data_is_json_and_complete() -> None:
    data = profile_data(load_profile("internazionale", {"players": "4"}))
    assert json.loads(json.dumps(data)) == data
    assert [leaf["key"] for leaf in data["rules"]] == list(OPTIONS) == [one["key"] for one in option_data()]
    assert data["options"] == {"players": [4]} and data["extends"] == "fibur"


@pytest.mark.parametrize("ident", profile_ids())
def test_a_rule_set_written_as_toml_reads_back(ident: str) -> None:
    profile = load_profile(ident, {"set_ranks": "A,3", "bonus.semi": 155})
    data = tomllib.loads(profile_toml(profile))
    again = profile_from_data(data | {"id": "casa"})
    assert differences(again, profile) == ()
    assert again.source("target") == profile.source("target")


def test_a_name_with_quotes_and_control_characters_survives() -> None:
    odd = 'casa "di\\ \u0001nonna"'
    profile = read_profile('extends = "fibur"\nname = "casa \\"di\\\\ \\u0001nonna\\""')
    assert profile.name_it == odd
    assert tomllib.loads(profile_toml(profile))["name"]["it"] == odd


def test_the_page_of_sources_lists_every_assumption() -> None:
    page = (Path(__file__).parents[2] / "docs" / "rules-sources.md").read_text(encoding="utf-8")
    for line in summaries():
        row = next(row for row in page.splitlines() if row.startswith(f"* **{line.id}**"))
        leaves = effective(load_profile(line.id))
        own = [leaf.key for leaf in leaves if leaf.origin == "own" and leaf.assumed]
        assert re.findall(r"`([a-z_.]+)`", row.partition(": ")[2]) == own, line.id


def test_what_is_wrong_is_said_in_italian_too() -> None:
    report = check_file('id = "casa"\nextends = "fibur"\nbonus.clean = "molto"\nrun.asso = true\nsources.values = ""')
    assert report.fault is not None
    assert error_text(report.fault, "it") == (
        "il file delle regole non è valido: sources deve essere una tabella di testi; "
        "bonus.clean non può valere «molto»: un numero intero da 0 a 10000; chiave sconosciuta «run.asso»"
    )
    with pytest.raises(ProfileError) as caught:
        load_profile("vanikar", {"target": 7})
    assert "target deve essere da 505 a 3005; target deve essere un multiplo di 5" in error_text(caught.value, "it")


def test_every_fault_has_a_sentence_in_both_languages() -> None:
    here, there = (set(part("rules", lang)) for lang in ("en", "it"))
    assert here == there
    source = Path(profile_module.__file__).read_text(encoding="utf-8")
    used = set(re.findall(r'Fault\("(\w+)"', source)) | set(re.findall(r'^        "(\w+)": ', source, re.M))
    assert {f"rules_fault.{code}" for code in used} >= here
