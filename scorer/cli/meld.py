"""`burraco meld`: one meld from the arguments, or a stream of them, one a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from scorer.cli.common import (
    Choice,
    JsonFlag,
    LangCode,
    OptionList,
    RulesFile,
    RulesId,
    choice,
    on_terminal,
    say,
    say_json,
    tell,
    tone,
)
from scorer.contract import error_json, meld_json, refuse
from scorer.errors import NotationError
from scorer.explain import error_text, explain_meld, fault_text
from scorer.meld_report import meld_block, meld_line
from scorer.melds import MeldVerdict, check_meld
from scorer.messages import text
from scorer.notation_cards import parse_meld
from scorer.profile import RuleProfile

#: The longest line of a stream, in bytes; the rest of a longer one is skipped and the line refused.
MAX_LINE = 16_000


def meld(
    cards: Annotated[
        list[str], typer.Argument(metavar="CARDS", help="The cards, such as '4h 5h 6h 2s', or - for one meld a line.")
    ],
    as_json: JsonFlag = False,
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    lang: LangCode = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say which rule decided, and its source.")] = False,
) -> int:
    """Judge one meld: is it legal, what is it, what does it score, and why."""
    chosen = choice(rules, option, rules_file, lang)
    profile = chosen.profile()
    if cards == ["-"]:
        return _stream(chosen, profile, as_json, explain)
    tongue = chosen.lang or "en"
    stated = parse_meld(" ".join(cards), tongue)
    verdict = check_meld(stated.cards, profile, stated.bindings)
    _say_verdict(verdict, profile, tongue, as_json, explain)
    return 0 if verdict.legal else 1


def _say_verdict(verdict: MeldVerdict, profile: RuleProfile, tongue: str, as_json: bool, explain: bool) -> None:
    if as_json:
        data = meld_json(verdict, profile, tongue)
        say_json({**data, "explanation": explain_meld(verdict, profile, tongue)} if explain else data)
    else:
        say(*[tone(line, mood) for line, mood in meld_block(verdict, profile, tongue, explain=explain)])


def _stream(chosen: Choice, profile: RuleProfile, as_json: bool, explain: bool) -> int:
    """Answer each line as it comes; the worst outcome decides the exit code (2 unreadable, 1 against the rules)."""
    if sys.stdin is None:
        raise refuse("empty_input", name="stdin")
    tongue = chosen.lang or "en"
    worst = number = 0
    for number, raw in enumerate(_lines(tongue), 1):
        try:
            stated = parse_meld(_decoded(raw), tongue)
        except NotationError as error:
            worst = 2
            if as_json:
                say_json(error_json(error, tongue))
            else:
                error.line = number
                tell(error_text(error, tongue, placed=True))
            continue
        verdict = check_meld(stated.cards, profile, stated.bindings)
        worst = max(worst, 0 if verdict.legal else 1)
        if as_json or explain:
            _say_verdict(verdict, profile, tongue, as_json, explain)
        else:
            _say_line(verdict, tongue)
    if not number:
        raise refuse("empty_input", name="stdin")
    return worst


def _say_line(verdict: MeldVerdict, tongue: str) -> None:
    line = meld_line(verdict, tongue)
    if verdict.violations:
        line += ": " + "; ".join([fault_text(fault, tongue) for fault in verdict.violations])
    say(tone(line, "" if verdict.legal else "bad"))


def _lines(tongue: str) -> Iterator[bytes]:
    """The lines of the standard input as they come; of a line that is too long only the beginning, marked by length."""
    if on_terminal() and sys.stdin.isatty():
        tell(text("ask.help_meld", tongue))
    stream = sys.stdin.buffer
    while line := stream.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line


def _decoded(raw: bytes) -> str:
    from scorer.notation import decode_text

    line = raw.rstrip(b"\r\n")
    return decode_text(line) if len(line) <= MAX_LINE else line.decode("utf-8", "replace")
