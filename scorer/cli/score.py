"""`burraco score`: a deal from a sheet, from JSON, from the standard input, or asked for step by step."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from scorer.cli.common import (
    Choice,
    JsonFlag,
    LangCode,
    OptionList,
    RulesFile,
    RulesId,
    choice,
    in_colour,
    on_terminal,
    read_json,
    read_text,
    say,
    say_json,
    write_text,
)
from scorer.compare import compare, comparison_json
from scorer.contract import SCORE_KEYS, Json, checked_object, request_lang, score_json, stated_rules, table_of
from scorer.errors import BurracoError
from scorer.explain import explain_line, explain_meld
from scorer.notation import Sheet, format_sheet, parse_sheet
from scorer.notation_words import LANG_NAMES
from scorer.profile import RuleProfile, load_profile
from scorer.report import comparison, plain, report
from scorer.scoring import ScoreSheet
from scorer.scoring import score as score_table
from scorer.table import Table

#: A text that begins so is JSON; a sheet may begin with `[Name]`.
_JSON_START = re.compile(r"\s*(\{|\[\s*[\[{\]])")
_LANG_LINE = re.compile(r"^\s*(?:lang|language|lingua)\s*:\s*(\w+)", re.IGNORECASE | re.MULTILINE)


class Stated(NamedTuple):
    """A deal as it was given: the table, what it says of the rules, the language of the answer."""

    table: Table
    rules: str | None
    options: dict[str, object]
    lang: str


def score(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A sheet or JSON; - reads it from standard input; none asks.")
    ] = None,
    as_json: JsonFlag = False,
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    lang: LangCode = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say which rule decided each figure.")] = False,
    compare_ids: Annotated[
        str | None, typer.Option("--compare", metavar="ID,ID,...", help="Score under several rule sets, side by side.")
    ] = None,
    save: Annotated[
        str | None, typer.Option("--save", metavar="FILE", help="Write the sheet that was typed step by step.")
    ] = None,
) -> int:
    """Score a deal: every meld, every side, what breaks the rules, and why."""
    chosen = choice(rules, option, rules_file, lang)
    if file is not None or sys.stdin is None or not sys.stdin.isatty():
        return _answer(read_deal(read_text(file or "-"), chosen), chosen, as_json, explain, compare_ids)
    stated, sheet = _ask(chosen, save)
    code = _answer(stated, chosen, as_json, explain, compare_ids)
    if save is None and not as_json:
        from scorer.cli.ask import offer_to_save

        offer_to_save(sheet, stated.lang)
    return code


def _answer(stated: Stated, chosen: Choice, as_json: bool, explain: bool, compare_ids: str | None) -> int:
    if compare_ids is not None:
        return _compare(stated, chosen, compare_ids, as_json)
    profile = chosen.profile(stated.rules, stated.options)
    sheet = score_table(stated.table, profile)
    if as_json:
        data = score_json(sheet, profile, stated.lang)
        say_json(_explained(data, sheet, profile, stated.lang) if explain else data)
    else:
        _show(stated, sheet, profile, explain)
    return 0 if sheet.legal else 1


def read_deal(words: str, chosen: Choice) -> Stated:
    """A deal from quick text or JSON. What it says of the language decides its cards; the command line the answer."""
    default = chosen.lang or "en"
    if not _JSON_START.match(words):
        try:
            return _of_sheet(parse_sheet(words, default), chosen)
        except BurracoError as error:
            error.params["tongue"] = sheet_lang(words, default)
            raise
    body = checked_object(read_json(words), SCORE_KEYS)
    tongue = request_lang(body) if "lang" in body else default
    ident, options = stated_rules(body)
    return Stated(table_of(body, tongue), ident, options, chosen.lang or tongue)


def sheet_lang(words: str, default: str) -> str:
    """The language that a sheet says it is in, for the refusal of one that cannot be read."""
    stated = _LANG_LINE.search(words[:10_000])
    return LANG_NAMES.get(stated.group(1).casefold(), default) if stated else default


def _of_sheet(sheet: Sheet, chosen: Choice) -> Stated:
    return Stated(sheet.table, sheet.rules, dict(sheet.options), chosen.lang or sheet.lang)


def _ask(chosen: Choice, save: str | None) -> tuple[Stated, Sheet]:
    from scorer.cli.ask import ask_on_terminal

    sheet = ask_on_terminal(chosen)
    if save is not None:
        write_text(save, format_sheet(sheet))
    return _of_sheet(sheet, chosen), sheet


def _show(stated: Stated, sheet: ScoreSheet, profile: RuleProfile, explain: bool) -> None:
    made = report(stated.table, sheet, profile, stated.lang, explain=explain)
    if on_terminal():
        from scorer.cli.rich_report import show_report

        show_report(made, colour=in_colour())
    else:
        say(plain(made).rstrip("\n"))


def _explained(data: Json, sheet: ScoreSheet, profile: RuleProfile, lang: str) -> Json:
    """The result with an `explanation` (a list of sentences) for each meld and each line."""
    for shown, side in zip(data["sides"], sheet.sides, strict=True):
        for one, verdict in zip(shown["melds"], side.melds, strict=True):
            one["explanation"] = explain_meld(verdict, profile, lang)
        for one, line in zip(shown["lines"], side.lines, strict=True):
            one["explanation"] = explain_line(line, profile, lang)
    return data


# --- several rule sets ----------------------------------------------------------------------------------------------


def _compare(stated: Stated, chosen: Choice, ids: str, as_json: bool) -> int:
    merged = {**stated.options, **chosen.options}
    profiles = [load_profile(ident.strip(), merged or None) for ident in ids.split(",") if ident.strip()]
    if chosen.states_rules or not profiles:
        profiles.insert(0, chosen.profile(stated.rules, stated.options))
    made = compare(stated.table, _distinct(profiles))
    if as_json:
        say_json(comparison_json(made, stated.lang))
    elif on_terminal():
        from scorer.cli.rich_report import show_comparison

        show_comparison(comparison(stated.table, made, stated.lang), colour=in_colour())
    else:
        say(*comparison(stated.table, made, stated.lang).plain())
    return 0 if all(sheet.legal for sheet in made.sheets) else 1


def _distinct(profiles: Sequence[RuleProfile]) -> list[RuleProfile]:
    return list(dict.fromkeys(profiles))
