"""The `burraco` command. One module per command group: read, one library call, print.

Exit codes: 0 legal, 1 read but against the rules, 2 unreadable input or wrong usage. An error is one line on standard
error, never a traceback (`BURRACO_DEBUG=1` shows one).
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from typing import Final, TextIO

EXIT_RULES: Final = 1
EXIT_INPUT: Final = 2
_INTERRUPTED: Final = 130


class ClosedOutput(Exception):
    """The reader of the standard output has gone (`burraco meld - | head -1`): stop, and say nothing."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command on `argv` (default: the process's own) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        _never_fail_to_encode(stream)
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(args)
    except KeyboardInterrupt:
        return _tell("interrupted", args)
    except (ClosedOutput, BrokenPipeError):
        return _closed()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_INPUT
    except Exception as error:
        return _tell_error(error, args)
    finally:
        gc.enable()


def _run(args: list[str]) -> int:
    gc.disable()  # nothing that is imported becomes garbage, and looking for it takes a tenth of the start
    from scorer.cli.app import command

    code = command().main(args=args, prog_name="burraco", standalone_mode=False)
    sys.stdout.flush()
    if code == _INTERRUPTED:
        return _tell("interrupted", args)
    return code if isinstance(code, int) else 0


def _tell_error(error: Exception, args: list[str]) -> int:
    if os.environ.get("BURRACO_DEBUG"):
        import traceback

        traceback.print_exc()
    from scorer.errors import BurracoError

    if isinstance(error, ModuleNotFoundError):
        error = _missing_part(error, args)
    if isinstance(error, BurracoError):
        from scorer.cli.common import stated_lang, tell_error

        tell_error(error, stated_lang(args, str(error.params.get("tongue", "en"))))
        return EXIT_INPUT
    from scorer.messages import text

    if type(error).__name__ == "Abort":
        return _tell("interrupted", args)
    format_message = getattr(error, "format_message", None)  # wrong usage, found by Typer
    if format_message is None:
        detail = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        print(f"burraco: {text('internal_error', 'en', detail=detail)}", file=sys.stderr)
        return EXIT_INPUT
    message = " ".join(str(format_message()).split())
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "burraco"
    if message:
        print(f"burraco: {message}\ntry: {path} --help", file=sys.stderr)
    elif context is not None:
        print(context.get_help(), file=sys.stderr)
    return EXIT_INPUT


def _missing_part(error: ModuleNotFoundError, args: list[str]) -> Exception:
    """The same, as the extra to install where the command that ran has one."""
    from scorer.cli.registry import BY_NAME, missing_extra

    entry = BY_NAME.get(next((arg for arg in args if not arg.startswith("-")), ""))
    return missing_extra(entry) if entry is not None and entry.extra else error


def _tell(code: str, args: list[str]) -> int:
    from scorer.cli.common import stated_lang
    from scorer.messages import text

    print(f"\nburraco: {text(code, stated_lang(args))}", file=sys.stderr)
    return EXIT_INPUT


def _closed() -> int:
    """The reader of our output has gone: say nothing more, and let the interpreter's own last flush go nowhere."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_INPUT


def _never_fail_to_encode(stream: TextIO | None) -> None:
    """An output that cannot show `7♥` shows an escape instead of failing."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
