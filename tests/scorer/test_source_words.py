"""The words around the quotations are there in Italian too, and say the same."""

from __future__ import annotations

import re

import pytest

from scorer.profile import load_profile, profile_ids, read_profile
from scorer.rulebook import profile_data
from scorer.source_words import ASSUMPTION, italian, source_words

QUOTED = re.compile(r"«[^»]*»")


def references(text: str) -> list[str]:
    return sorted(re.findall(r"rules\.md|art\. \d+|C\d\.\d|\b\d\.\d+\b|\b\d{3,}\b", text))


def bodies() -> set[str]:
    words = {source for ident in profile_ids() for source in load_profile(ident).sources.values()}
    return {source.removeprefix(ASSUMPTION).strip() for source in words}


def test_everything_that_is_not_a_quotation_is_translated() -> None:
    same = {"rules", "md", "art", "jolly", "pinella", "asso", "canastra", "real"}
    untold = bodies() - set(italian())
    assert {body for body in untold if set(re.findall("[a-z]{2,}", QUOTED.sub("", body))) - same} == set()


def test_no_translation_is_left_over() -> None:
    assert set(italian()) <= bodies()


def test_a_translation_keeps_quotations_and_references() -> None:
    for words, said in italian().items():
        assert QUOTED.findall(said) == QUOTED.findall(words)
        assert references(said) == references(words)


def test_the_mark_of_an_assumption_stays() -> None:
    rows = profile_data(load_profile("vanikar"), lang="it")["rules"]
    tie = next(row for row in rows if row["key"] == "dup_sets")
    assert tie["source"] == "assumption: il testo tace su due gruppi dello stesso valore, quindi sono ammessi"
    assert tie["assumption"] is True
    assert source_words("assumption: mine alone", "it") == "assumption: mine alone"
    assert source_words("option", "it") == "option"


@pytest.mark.parametrize("ident", profile_ids())
def test_the_table_of_values_has_words_of_its_own(ident: str) -> None:
    profile = load_profile(ident)
    assert "30" in profile.source("values") or "20" in profile.source("values") or "Italian" in profile.source("values")
    assert load_profile(ident, {"values.joker": 40}).source("values") == "option"
    assert load_profile(ident, {"target": 1005}).source("values") == profile.source("values")
    house = read_profile(f'extends = "{ident}"\nvalues.joker = 40')
    assert house.source("values") == "house rule"
