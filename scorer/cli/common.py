"""What every command shares: the options, reading input, choosing rules, printing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from scorer.cli import ClosedOutput
from scorer.contract import refuse
from scorer.errors import BurracoError
from scorer.explain import all_errors, error_text
from scorer.messages import LANGS, text
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile, read_profile

JsonFlag = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
RulesId = Annotated[
    str | None, typer.Option("--rules", metavar="ID", help=f"The rule set (default {DEFAULT_PROFILE}; see rules list).")
]
OptionList = Annotated[
    list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="Change one rule; may be repeated.")
]
RulesFile = Annotated[
    str | None, typer.Option("--rules-file", metavar="FILE.toml", help="House rules; they may extend a rule set.")
]
LangCode = Annotated[
    str | None, typer.Option("--lang", metavar="it|en", help="Language of the cards you type and of the answer.")
]


def command_group(about: str = "") -> typer.Typer:
    """A command of subcommands: alone it prints its help, and it installs no completion of its own."""
    return typer.Typer(help=about or None, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


#: The largest file that is read, in bytes.
MAX_INPUT: Final = 1_000_000
#: More errors of one input than these are only counted.
SHOWN_ERRORS: Final = 10
_RED, _GREEN, _YELLOW, _BOLD, _DIM, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1m", "\x1b[2m", "\x1b[0m"
_TONES: Final = {"bad": _RED, "good": _GREEN, "note": _YELLOW, "strong": _BOLD, "faint": _DIM}


def bounded(what: str, value: int, low: int, high: int) -> int:
    """Return the number that option `what` was given, refused outside low..high."""
    if not low <= value <= high:
        raise refuse("bad_number", what=what, low=low, high=high, given=value)
    return value


class Choice(NamedTuple):
    """What the options say about rules and language; None or empty where they say nothing."""

    rules: str | None
    options: dict[str, str]
    file: str | None
    lang: str | None

    def profile(self, stated: str | None = None, options: Mapping[str, object] | None = None) -> RuleProfile:
        """The rules to use: the command line's, else the input's (`stated`), else the default; both sets of options."""
        merged: dict[str, object] = {**(options or {}), **self.options}
        if self.file is not None:
            return read_profile(read_text(self.file), merged or None)
        return load_profile(self.rules or stated or DEFAULT_PROFILE, merged or None)

    @property
    def states_rules(self) -> bool:
        """Whether the command line itself names the rules."""
        return self.rules is not None or self.file is not None


def choice(rules: str | None, option: Sequence[str] | None, rules_file: str | None, lang: str | None) -> Choice:
    """The options of a command, checked for form."""
    if lang is not None and lang not in LANGS:
        raise refuse("bad_value", path="--lang", value=lang[:20], allowed=", ".join(LANGS))
    if rules is not None and rules_file is not None:
        raise refuse("two_rules")
    options = {}
    for given in option or ():
        key, equals, value = given.partition("=")
        if not equals or not key.strip():
            raise refuse("bad_option_form", given=given[:60])
        options[key.strip()] = value.strip()
    return Choice(rules, options, rules_file, lang)


def stated_lang(args: Sequence[str], default: str = "en") -> str:
    """The language of an error message, from the raw arguments (they may be what is wrong)."""
    for at, arg in enumerate(args):
        value = arg.partition("=")[2] if arg.startswith("--lang=") else ""
        if arg == "--lang" and at + 1 < len(args):
            value = args[at + 1]
        if value in LANGS:
            return value
    return default


# --- reading --------------------------------------------------------------------------------------------------------


def shown_name(name: str) -> str:
    """A file name for a message: on one line, not too long; `-` is `stdin`."""
    if name == "-":
        return "stdin"
    return "".join(c if c.isprintable() else "�" for c in name)[:120]


def read_bytes(name: str, limit: int = MAX_INPUT) -> bytes:
    """The bytes of a file, or of the standard input for `-`; one clear error when they cannot be had."""
    shown = shown_name(name)
    try:
        if name == "-":
            data = b"" if sys.stdin is None else sys.stdin.buffer.read(limit + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(limit + 1)
    except FileNotFoundError:
        raise refuse("no_file", name=shown) from None
    except IsADirectoryError:
        raise refuse("is_directory", name=shown) from None
    except (OSError, ValueError) as error:
        detail = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        code = "unreadable_file" if isinstance(error, OSError) else "no_file"
        raise refuse(code, name=shown, detail=detail) from None
    if len(data) > limit:
        raise refuse("too_large", what=shown, limit=limit)
    return data


def read_text(name: str) -> str:
    """The text of a file or of the standard input; never empty."""
    from scorer.notation import decode_text

    found = decode_text(read_bytes(name))
    if not found.strip():
        raise refuse("empty_input", name=shown_name(name))
    return found


def read_json(words: str) -> Any:
    """JSON from text; one clear error otherwise."""
    import json

    try:
        return json.loads(words)
    except RecursionError:
        raise refuse("bad_json", detail="nested too deeply") from None
    except ValueError as error:
        raise refuse("bad_json", detail=str(error)) from None


def write_text(name: str, words: str) -> None:
    """Write a file of text; one clear error when that cannot be done."""
    with _writing(name):
        Path(name).write_text(words, encoding="utf-8")


def write_bytes(name: str, data: bytes) -> None:
    """Write a file; one clear error when that cannot be done."""
    with _writing(name):
        Path(name).write_bytes(data)


@contextmanager
def _writing(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        detail = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise refuse("cannot_write", name=shown_name(name), detail=detail) from None


# --- printing -------------------------------------------------------------------------------------------------------


def say(*lines: str) -> None:
    """Lines to the standard output, at once (a stream's reader waits for each answer)."""
    try:
        sys.stdout.write("".join([line + "\n" for line in lines]))
        sys.stdout.flush()
    except BrokenPipeError:
        raise ClosedOutput from None


def say_json(data: object, *, indent: int | None = None) -> None:
    """JSON to the standard output, on one line unless `indent` is given."""
    import json

    say(json.dumps(data, ensure_ascii=False, indent=indent))


def tell(*lines: str) -> None:
    """Lines to the standard error."""
    sys.stdout.flush()
    sys.stderr.write("".join([line + "\n" for line in lines]))
    sys.stderr.flush()


def tell_error(error: BurracoError, lang: str) -> None:
    """An error on the standard error: one line, then the further errors of the same text, if any."""
    every = all_errors(error)
    shown = [error_text(one, lang, placed=True) for one in every[:SHOWN_ERRORS]]
    lines = [f"burraco: {shown[0]}", *[f"  {line}" for line in shown[1:]]]
    if len(every) > SHOWN_ERRORS:
        lines.append("  " + text("report.more_errors", lang, count=len(every) - SHOWN_ERRORS))
    tell(*lines)


def on_terminal() -> bool:
    """Whether the answer is read by a person on a terminal."""
    return sys.stdout.isatty()


def in_colour() -> bool:
    """Colours only on a terminal, and never against the reader's wish (no-color.org)."""
    return on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def tone(words: str, name: str) -> str:
    """Words in the colour of a tone (`bad`, `good`, `note`, `strong`, `faint`), where colours are wanted."""
    return f"{_TONES[name]}{words}{_PLAIN}" if name in _TONES and words and in_colour() else words
