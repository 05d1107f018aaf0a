"""The command as people and programs use it: options, languages, rule sets, comparison, help."""

from __future__ import annotations

import importlib.metadata
import io
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.cli import main
from scorer.cli.registry import COMMANDS, Entry, load, present
from scorer.errors import BurracoError, MissingExtraError
from scorer.profile import OPTIONS, profile_ids

Burraco = Callable[..., Any]
SHEET = "lang: it\nregole: fibur\n[Noi: Anna]\n4C-10C\npozzetto: sì\nchiude: sì\n[Loro]\n5F 6F 7F\npozzetto: no\n"
MELD = "4h 5h 6h 2s 8h 9h 10h"


def test_cards_may_be_one_argument_or_many(burraco: Burraco) -> None:
    assert burraco("meld", MELD, "--json").data == burraco("meld", *MELD.split(), "--json").data


def test_json_is_one_line_and_nothing_else(burraco: Burraco) -> None:
    ran = burraco("meld", MELD, "--json")
    assert ran.out.count("\n") == 1 and ran.err == ""
    assert burraco("score", "-", "--json", stdin=SHEET).out.count("\n") == 1


def test_the_language_rules_letters_and_report(burraco: Burraco) -> None:
    assert burraco("meld", "4C 5C 6C", "--lang", "it").out.splitlines()[0] == "4♥ 5♥ 6♥"
    assert burraco("meld", "4C 5C 6C").out.splitlines()[0] == "4♣ 5♣ 6♣"
    assert "TOTALE" in burraco("score", "-", stdin=SHEET).out  # the sheet says it is Italian
    english = burraco("score", "-", "--lang", "en", stdin=SHEET).out  # its letters stay Italian, the report is not
    assert "TOTAL\n" not in english and "TOTAL " in english and "4♥" in english


def test_rules_of_the_sheet_give_way_to_the_command_line(burraco: Burraco) -> None:
    assert burraco("score", "-", "--json", stdin=SHEET).data["rules"]["id"] == "fibur"
    assert burraco("score", "-", "--json", "--rules", "stekius", stdin=SHEET).data["rules"]["id"] == "stekius"
    both = burraco("score", "-", "--json", "--option", "sets=false", stdin="option: max_wilds=2\n" + SHEET)
    assert both.data["rules"]["options"] == {"max_wilds": 2, "sets": False}


def test_every_option_key_is_taken(burraco: Burraco) -> None:
    profile_value = {"bool": "true", "int": "", "points": "none", "choice": "", "ranks": "A,3", "players": "2,4"}
    for key, spec in OPTIONS.items():
        value = profile_value[spec.kind] or (spec.choices[0] if spec.choices else str(spec.low))
        ran = burraco("meld", "4h 5h 6h", "--option", f"{key}={value}", "--json")
        assert ran.code in (0, 1) or "contradict" in ran.err, (key, ran.err)


def test_house_rules_from_a_file(burraco: Burraco, tmp_path: Path) -> None:
    file = tmp_path / "casa.toml"
    file.write_text('id = "casa"\nversion = 1\nname = "Casa"\nextends = "fibur"\n[bonus]\nclean = 250\n', "utf-8")
    assert burraco("meld", "4h-10h", "--rules-file", str(file), "--json").data["bonus"] == 250
    assert burraco("meld", "4h-10h", "--rules-file", "-", "--json", stdin=file.read_text("utf-8")).data["bonus"] == 250
    ran = burraco("rules", "check", str(file))
    assert ran.code == 0 and "casa" in ran.out and "1 change from fibur" in ran.out
    assert "Without a source: bonus.clean" in ran.out
    assert [change["key"] for change in burraco("rules", "check", str(file), "--json").data["changes"]] == [
        "bonus.clean"
    ]
    file.write_text(file.read_text("utf-8") + "claen = 3\n", "utf-8")
    bad = burraco("rules", "check", str(file))
    assert (bad.code, bad.out) == (2, "") and "bonus.claen" in bad.err
    assert burraco("rules", "check", str(file), "--json").data["error"]["code"] == "bad_rules_file"
    assert burraco("rules", "diff", "fibur", str(file)).code == 2


def test_a_sheet_as_json_gives_the_same_as_the_sheet(burraco: Burraco) -> None:
    deal = {"rules": "fibur", "sides": [
        {"name": "Noi", "players": ["Anna"], "melds": ["4h-10h"], "hand": "", "closed": True, "pozzetto": "played"},
        {"name": "Loro", "melds": ["5c 6c 7c"], "pozzetto": "not_taken"},
    ]}  # fmt: skip
    quick = burraco("score", "-", "--json", "--lang", "en", stdin=SHEET).data
    assert burraco("score", "-", "--json", stdin=json.dumps(deal)).data == quick
    assert burraco("score", "-", "--json", stdin="\ufeff" + json.dumps(deal, indent=1)).data == quick


def test_explanations_come_in_json_too(burraco: Burraco) -> None:
    plain = burraco("score", "-", "--json", stdin=SHEET).data
    data = burraco("score", "-", "--json", "--explain", stdin=SHEET).data
    assert "scala di cuori" in data["sides"][0]["melds"][0]["explanation"][0]
    for side in data["sides"]:
        for item in (*side["melds"], *side["lines"]):
            assert isinstance(item.pop("explanation"), list)
    assert data == plain
    assert burraco("meld", MELD, "--json", "--explain").data["explanation"]


def test_a_comparison_as_json(burraco: Burraco) -> None:
    ran = burraco(
        "score", "-", "--json", "--compare", "fibur, vanikar,stekius", stdin="[A]\n3h-10h 2s\npot: yes\n[B]\n"
    )
    assert ran.data["compare"] == ["fibur", "vanikar", "stekius"]
    assert [result["rules"]["id"] for result in ran.data["results"]] == ran.data["compare"]
    kinds = [row for row in ran.data["differences"] if row["what"] == "type"]
    assert kinds == [{"side": "A", "meld": 1, "what": "type", "values": ["semi", "dirty", "dirty"]}]
    single = burraco("score", "-", "--json", "--rules", "stekius", stdin="[A]\n3h-10h 2s\npot: yes\n[B]\n").data
    assert ran.data["results"][2] == single


def test_rules_commands_as_json(burraco: Burraco) -> None:
    assert [one["id"] for one in burraco("rules", "list", "--json").data] == list(profile_ids())
    shown = burraco("rules", "show", "fitab", "--json").data
    whole = burraco("rules", "show", "fitab", "--json", "--effective").data
    assert len(whole["rules"]) == len(OPTIONS) > len(shown["rules"]) > 0
    diff = burraco("rules", "diff", "fibur", "fitab", "--json").data
    assert {row["key"] for row in diff["differences"]} >= {"bonus.full_clean", "bonus.super_clean"}
    assert burraco("rules", "diff", "fibur", "fibur").out == "fibur and fibur are the same in every value\n"
    assert burraco("rules", "show", "fibur", "--toml").out.startswith('id = "fibur"')


def test_help_needs_no_command_to_be_imported(burraco: Burraco) -> None:
    ran = burraco("--help")
    assert ran.code == 0
    for entry in COMMANDS:
        assert (f" {entry.name} " in ran.out and entry.help[:20] in ran.out) is present(entry)
    assert burraco().code == 2
    assert re.fullmatch(r"burraco \d+\.\d+\.\d+.*\n", burraco("--version").out)


def test_the_version_where_it_was_never_installed(burraco: Burraco, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", nowhere)
    ran = burraco("--version")
    assert (ran.code, ran.out, ran.err) == (0, "burraco (not installed)\n", "")


def test_a_command_whose_part_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in this installation, not in its module, or it needs a package: of an extra, or of nobody."""
    (tmp_path / "burraco_odd_part.py").write_text("import burraco_no_such_package\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for target in ("scorer.cli.nowhere:run", "scorer.cli.meld:nowhere"):
        with pytest.raises(BurracoError) as caught:
            load(Entry("odd", target, "", "vision"))
        assert caught.value.code == "not_available" and caught.value.params == {"feature": "odd"}
    with pytest.raises(MissingExtraError) as missing:
        load(Entry("odd", "burraco_odd_part:run", "", "vision"))
    assert missing.value.params == {"feature": "odd", "extra": "vision"}
    with pytest.raises(ModuleNotFoundError, match="burraco_no_such_package"):
        load(Entry("odd", "burraco_odd_part:run", ""))


@pytest.mark.parametrize("args", [["meld"], ["score"], ["rules"], ["rules", "show"], ["rules", "check"]])
def test_every_command_has_help(args: list[str], burraco: Burraco) -> None:
    ran = burraco(*args, "--help")
    assert ran.code == 0 and "Usage: burraco " + " ".join(args) in ran.out


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_is_there_or_says_so_in_one_line(entry: Any, burraco: Burraco) -> None:
    try:
        load(entry)
    except BurracoError as error:
        assert error.code in ("missing_extra", "not_available")
        ran = burraco(entry.name)
        assert ran.code == 2 and len(ran.err.splitlines()) == 1
        return
    assert burraco(entry.name, "--help").code == 0


def test_no_colour_in_a_pipe(burraco: Burraco) -> None:
    for args in (["meld", MELD], ["meld", "4h 5h"], ["rules", "list"], ["meld", "4x"]):
        ran = burraco(*args)
        assert "\x1b" not in ran.out + ran.err


def test_colour_on_a_terminal_unless_unwanted(burraco: Burraco, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorer.cli.common.on_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[32m" in burraco("meld", MELD).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in burraco("meld", MELD).out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in burraco("meld", MELD).out
    assert "NO_COLOR" not in os.environ


@pytest.mark.parametrize(("lang", "words"), [("it", "Carte separate da spazi"), ("en", "Cards separated by spaces")])
def test_whoever_types_a_stream_of_melds_is_told_how(
    lang: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO("4♥ 5♥ 6♥\n".encode()), encoding="utf-8")
    monkeypatch.setattr(stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setattr("scorer.cli.meld.on_terminal", lambda: True)
    assert main(["meld", "-", "--lang", lang]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith(words) and shown.err.count("\n") == 1 and shown.out.startswith("4♥ 5♥ 6♥")
