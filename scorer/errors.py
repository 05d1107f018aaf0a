"""Everything that can go wrong, as one tree.

::

    BurracoError                    root: one clear line, a stable code, exit code 2 at the command
    ├── NotationError               text that cannot be read as cards, melds or a sheet (has line, column, token)
    │   └── NotationErrors          all the NotationErrors of one text, at once
    ├── ProfileError                a rule profile or option that is unknown, ill-typed or without a source
    ├── RecordError                 a game record that cannot be read, or whose rules have changed
    ├── MoveError                   an action that `scorer.game` refuses (carries the violations)
    ├── MatchError                  an impossible deal, a stale write, a match that has ended
    ├── VisionError                 a picture that cannot be opened or is refused
    └── MissingExtraError           a part that was not installed (says which extra brings it)

A *violation of the rules* is not an error: it is data (`scorer.melds.Violation`) inside a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class BurracoError(Exception):
    """Root of every error this package raises on purpose.

    `code` is stable and documented; `params` fill the message template of that code in `scorer/messages`,
    so that the same error reads in Italian or English. `str(error)` is one English line.
    """

    default_code = "error"

    def __init__(self, message: str, *, code: str | None = None, **params: object) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.params: dict[str, object] = params


class NotationError(BurracoError):
    """Text that is not the notation. Lines and columns count from 1; `column` is that of `token`."""

    default_code = "bad_notation"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        line: int = 1,
        column: int = 1,
        token: str = "",
        expected: str = "",
        suggestion: str = "",
        **params: object,
    ) -> None:
        super().__init__(message, code=code, token=token, expected=expected, suggestion=suggestion, **params)
        self.line, self.column, self.token = line, column, token
        self.expected, self.suggestion = expected, suggestion


class NotationErrors(NotationError):
    """All errors of one text; behaves as its first one and lists every one in `errors`."""

    def __init__(self, errors: Sequence[NotationError]) -> None:
        first = errors[0]
        super().__init__(
            first.message,
            code=first.code,
            line=first.line,
            column=first.column,
            token=first.token,
            expected=first.expected,
            suggestion=first.suggestion,
        )
        self.params = first.params
        self.errors: tuple[NotationError, ...] = tuple(errors)


class Fault(NamedTuple):
    """One thing wrong with a rules file or a set of options; its sentence is `rules_fault.<code>` in the messages."""

    code: str
    params: Mapping[str, object] = {}


class ProfileError(BurracoError):
    """An unknown rule set, option or value (the message lists the known ones), or a rules file with `details`."""

    default_code = "bad_profile"

    def __init__(
        self, message: str, *, code: str | None = None, details: Sequence[Fault] = (), **params: object
    ) -> None:
        super().__init__(message, code=code, **params)
        self.details = tuple(details)


class RecordError(BurracoError):
    """A game record that cannot be read or replayed; `line` counts from 1."""

    default_code = "bad_record"

    def __init__(self, message: str, *, code: str | None = None, line: int = 1, **params: object) -> None:
        super().__init__(message, code=code, line=line, **params)
        self.line = line


class MoveError(BurracoError):
    """An action that the rules refuse; `violations` says why, all of it."""

    default_code = "illegal_move"

    def __init__(
        self, message: str, *, code: str | None = None, violations: Sequence[object] = (), **params: object
    ) -> None:
        super().__init__(message, code=code, **params)
        self.violations = tuple(violations)


class MatchError(BurracoError):
    """A change to a match that cannot be made."""

    default_code = "bad_match"


class VisionError(BurracoError):
    """A picture that cannot be read."""

    default_code = "bad_image"


class MissingExtraError(BurracoError):
    """A feature whose optional dependencies are not installed."""

    default_code = "missing_extra"
