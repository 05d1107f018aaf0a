"""Notation errors as data: a stable code, where, what was expected, what was probably meant.

The English and Italian sentence of every code stands in `messages/notation_en.toml` and `messages/notation_it.toml`,
nowhere else. `expected` and `suggestion` are notation, not prose, so that both languages can show them as they are.
"""

from __future__ import annotations

from typing import Final

from scorer.errors import NotationError, NotationErrors

#: A token in a message is cut to this many characters, so that a hostile text cannot flood a report.
CLIP: Final = 24
#: Errors listed for one line and for one sheet; what comes after is not looked at.
MAX_LINE_ERRORS: Final = 10
MAX_ERRORS: Final = 50


def clip(text: str, width: int = CLIP) -> str:
    """The text on one printable line of at most `width` characters (and an ellipsis).

    >>> clip("4h\\x00" + "5" * 50)
    '4h\\\\u00005555555555555555…'
    """
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: width + 1])
    return shown if len(shown) <= width else shown[:width] + "…"


def templates(lang: str) -> dict[str, str]:
    """The sentence of every notation code in a language (`en` or `it`)."""
    from scorer.messages import part  # only when something is wrong: reading good text need not pay for it

    return part("notation", lang)


def error_text(error: NotationError, lang: str = "en") -> str:
    """One line for people, in English or Italian: the sentence, and what was probably meant.

    >>> from scorer.notation import parse_card
    >>> try:
    ...     parse_card("11h")
    ... except NotationError as error:
    ...     print(error_text(error, "it"))
    «11h»: il valore non esiste; attesi A 2 3 4 5 6 7 8 9 10 J Q K (forse «Jh»?)
    """
    known = templates(lang)
    if error.code not in known:  # a profile's own error, kept as it is
        return error.message
    text = known[error.code].format_map(error.params)
    return text + known["suggestion_suffix"].format_map(error.params) if error.suggestion else text


def fault(
    code: str,
    token: str = "",
    column: int = 1,
    *,
    line: int = 1,
    expected: str = "",
    suggestion: str = "",
    **params: object,
) -> NotationError:
    """The error of a code, its English message filled in; columns and lines count from 1."""
    shown = clip(token)
    fields = {"token": shown, "expected": expected, "suggestion": suggestion, **params}
    known = templates("en")
    message = known[code].format_map(fields)
    if suggestion:
        message += known["suggestion_suffix"].format_map(fields)
    return NotationError(
        message, code=code, line=line, column=column, token=shown, expected=expected, suggestion=suggestion, **params
    )


def raise_all(errors: list[NotationError]) -> None:
    """Raise what was found: nothing, the one error, or all of them together."""
    if errors:
        raise errors[0] if len(errors) == 1 else NotationErrors(errors)
