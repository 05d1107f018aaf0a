"""The twelve rule sets, the strict loader, options as text and house rules."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import pytest

from scorer.errors import ProfileError
from scorer.profile import (
    OPTIONS,
    RuleProfile,
    _extended,
    load_profile,
    parse_value,
    profile_ids,
    read_profile,
    value_text,
)
from scorer.rule_leaves import ALL_RANKS
from scorer.rulebook import check_file, effective
from tests.scorer.house_rules import HOUSE

TWELVE = {
    "vanikar", "stekius", "classico", "canasta", "brasile", "fibur", "internazionale", "fitab", "feburit",
    "buraco-aberto", "buraco-fechado", "stbl",
}  # fmt: skip
BASES = {
    "internazionale": "fibur", "fitab": "fibur", "feburit": "fibur",
    "buraco-fechado": "buraco-aberto", "stbl": "buraco-aberto",
}  # fmt: skip


def document(ident: str) -> dict[str, Any]:
    """The parsed TOML of a shipped rule set, free to be spoiled."""
    path = resources.files("scorer") / "profiles" / f"{ident}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def refused(data: Mapping[str, Any], *, shipped: bool = True) -> str:
    with pytest.raises(ProfileError) as caught:
        _extended(data, shipped=shipped)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the twelve ------------------------------------------------------------------------------------------------------


def test_the_twelve_are_there_and_vanikar_leads() -> None:
    assert set(profile_ids()) >= TWELVE
    assert profile_ids()[0] == "vanikar" == load_profile().id


@pytest.mark.parametrize("ident", sorted(TWELVE))
def test_extends_and_names(ident: str) -> None:
    profile = load_profile(ident)
    assert (profile.id, profile.extends) == (ident, BASES.get(ident, ""))
    assert profile.name_it and profile.name_en and profile.version >= 1


@pytest.mark.parametrize("ident", sorted(TWELVE))
def test_every_value_has_a_source(ident: str) -> None:
    for leaf in effective(load_profile(ident)):
        assert leaf.source, leaf.key
        assert leaf.origin in ("own", "inherited"), leaf.key
        assert len(leaf.source.removeprefix("assumption:").strip()) > 5, leaf.key


@pytest.mark.parametrize("ident", ["vanikar", "stekius", "classico", "canasta", "brasile"])
def test_most_values_of_the_five_texts_are_quoted(ident: str) -> None:
    leaves = effective(load_profile(ident))
    quoted = [leaf for leaf in leaves if "«" in leaf.source and not leaf.assumed]
    assert len(quoted) >= 36, [leaf.key for leaf in leaves if leaf not in quoted]


#: What the texts and `docs/rules.md` fix, leaf by leaf: `*` is every rule set that is not named.
FACTS: dict[str, dict[str, object]] = {
    "values.joker": {"stekius": 20, "brasile": 20, "*": 30},
    "values.two": {"stekius": 10, "*": 20},
    "values.ace": {"*": 15},
    "values.king": {"*": 10},
    "values.queen": {"*": 10},
    "values.jack": {"*": 10},
    "values.ten": {"*": 10},
    "values.nine": {"brasile": 9, "*": 10},
    "values.eight": {"brasile": 8, "*": 10},
    "values.seven": {"brasile": 7, "*": 5},
    "values.six": {"brasile": 6, "*": 5},
    "values.five": {"*": 5},
    "values.four": {"brasile": 4, "*": 5},
    "values.three": {"brasile": 3, "*": 5},
    "bonus.clean": {"*": 200},
    "bonus.dirty": {"*": 100},
    "bonus.semi": {"fibur": 150, "fitab": 150, "feburit": 150, "*": None},
    "bonus.full_clean": {
        "stekius": 1000, "fitab": 300, "feburit": 300, "buraco-aberto": 500, "buraco-fechado": 500, "stbl": 500,
        "*": None,
    },
    "bonus.full_dirty": {"stekius": 500, "fitab": 250, "*": None},
    "bonus.ace_to_ace": {"buraco-aberto": 1000, "buraco-fechado": 1000, "stbl": 1000, "*": None},
    "bonus.super_clean": {"fitab": 250, "feburit": 250, "*": None},
    "bonus.super_dirty": {"fitab": 200, "*": None},
    "bonus.set_clean": {"stekius": 300, "*": None},
    "bonus.set_dirty": {"stekius": 150, "*": None},
    "bonus.closing": {"*": 100},
    "bonus.trump_factor": {"stekius": 2, "*": 1},
    "min_meld": {"*": 3},
    "burraco_cards": {"*": 7},
    "min_natural": {"*": 2},
    "max_wilds": {"*": 1},
    "ace_low": {"*": True},
    "ace_high": {"classico": False, "*": True},
    "ace_both": {"canasta": True, "buraco-aberto": True, "buraco-fechado": True, "stbl": True, "*": False},
    "max_run": {"classico": 13, "*": 14},
    "natural_two": {"*": True},
    "sets": {"buraco-aberto": False, "stbl": False, "*": True},
    "set_ranks": {"internazionale": ("A", "3"), "*": ALL_RANKS},
    "max_set": {"brasile": 4, "*": 9},
    "set_duplicates": {"brasile": False, "*": True},
    "dup_sets": {"fibur": False, "internazionale": False, "fitab": False, "feburit": False, "*": True},
    "semi_position": {"*": "one_side"},
    "semi_set": {"*": "at_least_8"},
    "pots": {"brasile": False, "*": True},
    "pot_size": {"*": 11},
    "pot_penalty": {"*": 100},
    "pot_nobody": {
        "fibur": "none", "internazionale": "none", "fitab": "none", "feburit": "none", "classico": "void",
        "*": "penalty",
    },
    "pot_unplayed": {
        "canasta": "penalty", "buraco-aberto": "penalty", "buraco-fechado": "penalty", "stbl": "penalty", "*": "hand",
    },
    "players": {
        "stekius": (2, 3, 4), "brasile": (2, 3, 4), "fibur": (2, 3, 4), "internazionale": (2, 3, 4),
        "fitab": (2, 3, 4), "feburit": (2, 3, 4), "classico": (4,), "*": (2, 4),
    },
    "sides": {"brasile": "each", "*": "pairs"},
    "three_players": {
        "fibur": "italian", "internazionale": "italian", "fitab": "italian", "feburit": "italian", "*": "each",
    },
    "hand_size": {"*": 11},
    "direction": {
        "buraco-aberto": "anticlockwise", "buraco-fechado": "anticlockwise", "stbl": "anticlockwise",
        "*": "clockwise",
    },
    "discard_start": {
        "vanikar": "empty", "canasta": "empty", "buraco-aberto": "empty", "buraco-fechado": "empty", "stbl": "empty",
        "*": "up",
    },
    "trump": {"*": "none"},
    "pickup": {
        "internazionale": "meld_one", "buraco-fechado": "top_melded", "stbl": "top_melded", "brasile": "any_depth",
        "*": "whole",
    },
    "rediscard": {"fibur": False, "internazionale": False, "fitab": False, "feburit": False, "*": True},
    "wild_move": {
        "vanikar": "free", "buraco-aberto": "free", "buraco-fechado": "free", "stbl": "free", "*": "free_end",
    },
    "layoff_any": {"brasile": True, "*": False},
    "close_burraco": {
        "stekius": "none", "brasile": "clean", "internazionale": "clean", "buraco-aberto": "clean", "stbl": "clean",
        "*": "any",
    },
    "close_discard": {
        "classico": True, "brasile": True, "fibur": True, "internazionale": True, "fitab": True, "feburit": True,
        "*": False,
    },
    "close_wild_discard": {
        "vanikar": "unplayable_joker", "classico": "never", "fibur": "never", "internazionale": "never",
        "fitab": "never", "feburit": "never", "*": "any",
    },
    "stock_end": {
        "vanikar": "last_drawn", "stekius": "last_discard", "brasile": "last_discard", "classico": "two_left",
        "fibur": "two_left", "internazionale": "two_left", "fitab": "two_left", "feburit": "two_left",
        "*": "pot_as_stock",
    },
    "target": {
        "classico": 505, "stekius": 2000, "canasta": 2000, "brasile": 3000, "buraco-aberto": 3000,
        "buraco-fechado": 3000, "stbl": 3000, "*": 2005,
    },
    "target_min": {"vanikar": 505, "*": 5},
    "target_max": {"vanikar": 3005, "*": 100_000},
    "tie": {"*": "another_deal"},
    "stakes": {"*": 0},
}  # fmt: skip


@pytest.mark.parametrize("key", FACTS)
def test_facts_of_the_matrix(key: str) -> None:
    for ident in TWELVE:
        assert load_profile(ident).get(key) == FACTS[key].get(ident, FACTS[key]["*"]), ident


def test_the_facts_pin_every_leaf() -> None:
    """With this, a change of any value of any rule set fails a test by name."""
    assert set(FACTS) == set(OPTIONS)
    for key, by_rules in FACTS.items():
        assert set(by_rules) <= TWELVE | {"*"}, key


# --- the strict loader -----------------------------------------------------------------------------------------------


def test_an_unknown_key_is_refused() -> None:
    data = document("fibur")
    data["run"]["ace_hihg"] = True
    data["pozzetti"] = {}
    message = refused(data)
    assert "unknown key 'run.ace_hihg'" in message and "unknown key 'pozzetti'" in message


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("run", "ace_high", "true"),
        ("run", "ace_high", 1),
        ("bonus", "semi", "150"),
        ("bonus", "clean", "none"),
        ("bonus", "clean", True),
        ("bonus", "clean", 150.0),
        ("bonus", "clean", -5),
        ("set", "set_ranks", "A,3"),
        ("set", "set_ranks", [3]),
        ("set", "set_ranks", ["2"]),
        ("set", "set_ranks", []),
        ("table", "players", 4),
        ("table", "players", [5]),
        ("table", "trump", False),
        ("turn", "pickup", "all"),
        ("match", "target", 0),
    ],
)
def test_a_wrong_type_or_value_is_refused(section: str, name: str, value: object) -> None:
    data = document("fibur")
    data[section][name] = value
    assert f"{section}.{name} cannot be" in refused(data)


def test_a_missing_value_is_refused() -> None:
    data = document("vanikar")
    del data["stock"]["stock_end"]
    del data["sources"]["stock.stock_end"]
    assert "stock.stock_end is missing" in refused(data)


def test_a_missing_source_is_refused_in_a_shipped_rule_set() -> None:
    data = document("vanikar")
    del data["sources"]["run.ace_both"]
    assert "run.ace_both has no source" in refused(data)


def test_a_source_of_nothing_is_refused() -> None:
    data = document("fitab")
    data["sources"]["bonus.clean"] = "words"
    data["sources"]["run.wrap"] = "words"
    message = refused(data)
    assert "source for bonus.clean, which is not set here" in message
    assert "source for unknown value 'run.wrap'" in message


def test_sources_must_be_words() -> None:
    data = document("fitab")
    data["sources"] = {"bonus.full_clean": 3}
    assert "sources must be a table of texts" in refused(data)


def test_all_faults_are_told_at_once() -> None:
    data = document("vanikar")
    data["run"] = 7
    data["values"]["joker"] = "thirty"
    data["version"] = 0
    message = refused(data)
    assert all(part in message for part in ("run must be a table", "values.joker cannot be", "version must be"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ace_both": True}, "ace_both needs ace_low and ace_high"),
        ({"target": 500}, "target must be from 505 to 3005"),
        ({"target": 2001}, "target must be a multiple of 5"),
        ({"min_meld": 5, "burraco_cards": 4}, "burraco_cards cannot be less than min_meld"),
        ({"min_natural": 4}, "min_natural cannot be more than min_meld"),
        ({"max_run": 3, "min_meld": 4, "min_natural": 2}, "max_run cannot be less than min_meld"),
        ({"max_set": 3, "min_meld": 4}, "max_set cannot be less than min_meld"),
        ({"pot_size": 0}, "pots need a pot_size"),
        ({"trump": "first_discard"}, "trump = first_discard needs discard_start = up"),
        ({"hand_size": 20, "pot_size": 20}, "120 of the 108 cards"),
    ],
)
def test_contradictions_are_refused(options: dict[str, object], words: str) -> None:
    base = load_profile("vanikar", {"ace_high": False} if "ace_both" in options else None)
    with pytest.raises(ProfileError, match=words) as caught:
        base.with_options(options)
    assert caught.value.code == "contradiction"


def test_extends_goes_one_level() -> None:
    data = document("fitab") | {"extends": "feburit"}
    assert "one level only" in refused(data)
    assert _extended(document("fitab"), shipped=True) == load_profile("fitab")


def test_extends_must_name_a_shipped_rule_set() -> None:
    assert "must name" in refused({"extends": 3}, shipped=False)
    assert "Known rule sets: vanikar" in refused({"extends": "fiburr"}, shipped=False)


# --- house rules -----------------------------------------------------------------------------------------------------


def test_house_rules_extend_any_of_the_twelve() -> None:
    casa = read_profile(HOUSE)
    assert (casa.id, casa.extends, casa.bonus.semi, casa.bonus.full_clean) == ("casa", "fitab", 160, 300)
    assert casa.source("bonus.semi") == "house rule"
    assert casa.source("ace_high") == "la nonna non vuole"
    assert casa.source("bonus.full_clean") == load_profile("fitab").source("bonus.full_clean")
    assert casa.source("bonus.clean") == load_profile("fibur").source("bonus.clean")


def test_a_house_file_may_be_two_lines() -> None:
    small = read_profile('extends = "vanikar"\nmatch.target = 1005')
    assert (small.id, small.version, small.match.target) == ("house", 1, 1005)


def test_a_house_file_may_not_pass_for_a_shipped_one() -> None:
    with pytest.raises(ProfileError, match="'fibur' is a shipped rule set"):
        read_profile('id = "fibur"\nextends = "fibur"\nbonus.semi = 1000')


def test_a_section_source_serves_all_its_values() -> None:
    casa = read_profile('extends = "fibur"\nbonus.semi = 160\nbonus.dirty = 90\nsources.bonus = "delibera del circolo"')
    assert casa.source("bonus.semi") == casa.source("bonus.dirty") == "delibera del circolo"
    assert casa.source("bonus.clean") == load_profile("fibur").source("bonus.clean")


@pytest.mark.parametrize("text", ["", "x = ", "\0", "[" * 5000, 'extends = "fibur"\nextends = "fitab"', "id = 3"])
def test_what_is_no_rules_file_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ProfileError) as caught:
        read_profile(text)
    assert caught.value.code in ("bad_toml", "bad_rules_file") and "\n" not in str(caught.value)
    report = check_file(text)
    assert not report.good and report.fault is not None and report.fault.code == caught.value.code


def test_sources_may_be_tables() -> None:
    casa = read_profile('extends = "fibur"\nbonus.semi = 160\n[sources.bonus]\nsemi = "delibera"')
    assert casa.source("bonus.semi") == "delibera"


# --- options ---------------------------------------------------------------------------------------------------------

#: Design 3.4: every profile understands these, as text; each with a value that some profile does not have.
DESIGN_OPTIONS = {
    "target": "1005", "players": "4", "sets": "false", "set_ranks": "A,3", "max_wilds": "2", "trump": "h",
    "semi_position": "end_only", "semi_set": "exactly_8", "wild_move": "locked", "close_burraco": "clean",
    "close_discard": "true", "close_wild_discard": "never", "pickup": "top_melded", "pot_penalty": "50",
    "pot_unplayed": "penalty", "stock_end": "last_drawn", "ace_high": "true", "ace_both": "false",
    "dup_sets": "false", "layoff_any": "true",
}  # fmt: skip


@pytest.mark.parametrize("ident", sorted(TWELVE))
def test_every_option_of_the_design_is_settable_by_text(ident: str) -> None:
    for key, text in DESIGN_OPTIONS.items():
        changed = load_profile(ident, {key: text})
        assert value_text(changed.get(key)) == text
        assert changed.source(key) == "option"
        assert (key, changed.get(key)) in changed.options


@pytest.mark.parametrize("key", [key for key in OPTIONS if key.startswith(("values.", "bonus."))])
def test_every_value_of_the_point_tables_is_settable(key: str) -> None:
    assert load_profile("fibur", {key: "7"}).get(key) == 7


@pytest.mark.parametrize("ident", sorted(TWELVE))
def test_every_value_reads_back_from_its_text(ident: str) -> None:
    for key, spec in OPTIONS.items():
        value = load_profile(ident).get(key)
        assert parse_value(spec, value_text(value)) == value, key
        assert parse_value(spec, value) == value, key


@pytest.mark.parametrize(
    ("key", "raw", "value"),
    [
        ("ace_high", "sì", True), ("ace_high", "OFF", False), ("trump", "♥", "h"), ("trump", "♥\ufe0f", "h"),
        ("trump", "picche", "s"), ("trump", "Clubs", "c"), ("trump", None, "none"), ("bonus.semi", "NONE", None),
        ("set_ranks", "k, a", ("A", "K")), ("set_ranks", ["3", "A"], ("A", "3")), ("players", "4,2", (2, 4)),
        ("players", 4, (4,)), ("target", " 1005 ", 1005),
    ],
)  # fmt: skip
def test_friendly_spellings(key: str, raw: object, value: object) -> None:
    assert load_profile("fibur", {key: raw}).get(key) == value


def test_set_ranks_all() -> None:
    assert load_profile("internazionale", {"set_ranks": "all"}).set == load_profile("fibur").set


def test_an_unknown_option_lists_the_known_ones() -> None:
    with pytest.raises(ProfileError) as caught:
        load_profile("fibur", {"semi_positon": "end_only"})
    assert caught.value.code == "unknown_option"
    assert "did you mean semi_position?" in str(caught.value)
    assert all(key in str(caught.value) for key in OPTIONS)


@pytest.mark.parametrize(
    ("key", "raw"),
    [
        ("semi_position", "middle"), ("bonus.semi", "--5"), ("bonus.semi", "1e3"), ("bonus.semi", "99999999999"),
        ("bonus.semi", True), ("bonus.clean", None), ("bonus.clean", "none"), ("ace_high", 1), ("ace_high", "maybe"),
        ("ace_high", None), ("players", "1"), ("players", ""), ("set_ranks", "A,A"), ("set_ranks", "2"),
        ("trump", "q"), ("trump", True), ("target", [1005]), ("target", {}), ("max_wilds", "²"),
    ],
)  # fmt: skip
def test_a_bad_value_says_what_is_allowed(key: str, raw: object) -> None:
    with pytest.raises(ProfileError) as caught:
        load_profile("fibur", {key: raw})
    assert caught.value.code == "bad_option"
    assert OPTIONS[key].allowed in str(caught.value) and key in str(caught.value)


def test_a_huge_value_or_key_gives_a_short_line() -> None:
    for options in ({"target": "9" * 1_000_000}, {"x" * 1_000_000: "1"}):
        with pytest.raises(ProfileError) as caught:
            load_profile("fibur", options)
        assert len(str(caught.value)) < 2000


def test_an_unknown_rule_set_lists_the_known_ones() -> None:
    with pytest.raises(ProfileError, match="did you mean vanikar") as caught:
        load_profile("vanicar")
    assert all(ident in str(caught.value) for ident in TWELVE)


def test_options_add_up_and_the_last_one_wins() -> None:
    profile = load_profile("fibur", {"bonus.semi": 160}).with_options({"target": 1005, "bonus.semi": 170})
    assert profile.options == (("bonus.semi", 170), ("target", 1005))
    assert load_profile("fibur").bonus.semi == 150


def test_profiles_hash_and_compare_by_their_rules() -> None:
    one, two = load_profile("fibur"), load_profile("fibur", {"bonus.semi": 160})
    assert one == load_profile("fibur") and hash(one) == hash(load_profile("fibur")) and one != two
    assert isinstance(one, RuleProfile) and one.rules is one.rules


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        ({"sides": "each", "players": "4", "hand_size": 18}, False),  # four pots
        ({"sides": "pairs", "players": "4", "hand_size": 18}, True),  # two
        ({"sides": "pairs", "players": "3", "hand_size": 20, "pot_size": 14}, False),  # three, each for himself
        ({"sides": "pairs", "players": "2,3,4", "hand_size": 19, "pot_size": 12}, True),  # 76 + 24: exactly a hundred
        ({"sides": "pairs", "players": "2,3,4", "hand_size": 19, "pot_size": 13}, False),
        ({"sides": "each", "players": "4", "hand_size": 20, "pots": False}, True),
    ],
)
def test_what_is_dealt_must_leave_a_stock(options: dict[str, object], fits: bool) -> None:
    if fits:
        load_profile("stekius", options)
    else:
        with pytest.raises(ProfileError) as caught:
            load_profile("stekius", options)
        assert [fault.code for fault in caught.value.details] == ["too_many_dealt"]
