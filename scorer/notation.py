"""People's notation, read and written: cards, melds and score sheets in English or Italian (docs/notation.md).

What is read is never guessed: `lang` says whose letters they are, and a text that only the other language can read is
refused with that language's name. What is written can be read again.

>>> parse_card("7 di cuori", "it").symbol, parse_card("7C", "it").symbol, parse_card("7C").symbol
('7♥', '7♥', '7♣')
>>> format_meld(parse_meld("4h-6h 2s=7h 8h"))
'4h 5h 6h 2s=7h 8h'
>>> try:
...     parse_meld("7C 8P")
... except NotationError as error:
...     print(error.code, error.column, error.token, error.params["option"])
other_language 4 8P it
"""

from __future__ import annotations

from scorer.errors import NotationError, NotationErrors
from scorer.notation_cards import format_card, format_cards, format_meld, parse_card, parse_cards, parse_meld
from scorer.notation_errors import error_text
from scorer.notation_sheet import MAX_SHEET, Sheet, decode_text, format_sheet, parse_sheet
from scorer.notation_token import MAX_LINE

__all__ = [
    "MAX_LINE",
    "MAX_SHEET",
    "NotationError",
    "NotationErrors",
    "Sheet",
    "decode_text",
    "error_text",
    "format_card",
    "format_cards",
    "format_meld",
    "format_sheet",
    "parse_card",
    "parse_cards",
    "parse_meld",
    "parse_sheet",
]
