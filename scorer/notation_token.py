"""From characters to tokens, and from one token (or `7 di cuori`) to one card; what a bad token probably meant.

Everything here is linear in the text, and nothing guesses the language: `proven` says which language a token *proves*,
which the caller uses only to word its refusal.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from scorer.cards import UNKNOWN, Card, face
from scorer.errors import NotationError
from scorer.notation_errors import fault
from scorer.notation_words import (
    ATOMS,
    BLOCK_FIRST,
    BLOCK_LAST,
    JOIN_LANG,
    JOINS,
    KNIGHTS,
    LANGS,
    NEAR_JOKERS,
    NEAR_SUITS,
    OTHER,
    RANK_WORDS,
    RANKS,
    STYLES,
    SUIT_WORDS,
    SUITS,
    SYMBOLS,
    partial_suit,
    rank_letters,
    suit_letters,
)

#: The longest line of cards, in characters; 108 cards in words need about 2,000.
MAX_LINE: Final = 4000

_SPACES: Final = " \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_DASHES: Final = "\\-\u2010-\u2015\u2212"
_CARD_BLOCK: Final = f"{chr(BLOCK_FIRST)}-{chr(BLOCK_LAST)}"
_TOKEN: Final = re.compile(f"[{_CARD_BLOCK}][\ufe0e\ufe0f]*|[{_DASHES}+=:;]|[^{_SPACES},·+=:;{_DASHES}{_CARD_BLOCK}]+")
_DASH: Final = re.compile(f"[{_DASHES}]")
_SELECTORS: Final = str.maketrans("", "", "\ufe0e\ufe0f")
_BAD_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
OPERATORS: Final = frozenset("-+=:;")

#: Ranks that other programs, or a hasty finger, write.
_NEAR_FIGURE: Final = dict.fromkeys(("0", "l0", "lo", "1o", "io"), 10) | {"11": 11, "12": 12, "13": 13, "14": 1}
#: A card to show as an example, in each language.
EXAMPLE: Final = {"en": "7h", "it": "7C"}


class Token(NamedTuple):
    """A piece of a line: an operator, or characters without a separator; `start` and `end` count from 0."""

    text: str
    start: int
    end: int


class Atom(NamedTuple):
    """One card as written: one token, or rank, joining word and suit (or, wrongly, rank and suit without the word)."""

    parts: tuple[str, ...]
    start: int
    end: int
    text: str


def bad_character(text: str) -> int:
    """The index of the first character that no readable text holds (control, invisible, surrogate), or -1."""
    if text.isprintable():
        return -1
    for index, char in enumerate(text):
        if not char.isprintable() and char != "\t" and unicodedata.category(char) in _BAD_CATEGORIES:
            return index
    return -1


def check_line(text: str, line: int = 1, offset: int = 0) -> None:
    """NotationError if the line is too long or holds an unreadable character."""
    if len(text) > MAX_LINE:
        raise fault("line_too_long", text, 1 + offset, line=line, length=len(text), limit=MAX_LINE)
    index = bad_character(text)
    if index >= 0:
        name = f"U+{ord(text[index]):04X}"
        raise fault("control_character", text[index], index + 1 + offset, line=line, name=name)


def tokens_of(text: str) -> list[Token]:
    """The tokens of a line: dashes of every kind become `-`, variation selectors go."""
    found = []
    for match in _TOKEN.finditer(text):
        token = match.group().translate(_SELECTORS)
        if token:
            found.append(Token("-" if _DASH.fullmatch(token) else token, match.start(), match.end()))
    return found


# --- one card ------------------------------------------------------------------------------------------------------


def rank_of(text: str, lang: str) -> int:
    """The rank 1..13 of a letter, a number or a word of the language; 0 if it is none."""
    low = text.lower() if text.isascii() else text  # the Kelvin sign is no king
    return RANKS[lang].get(low) or RANK_WORDS[lang].get(low, 0)


def suit_of(text: str, lang: str) -> int:
    """The suit 0..3 of a word of the language or a symbol; -1 if it is none (letters stand only at a rank)."""
    return SUIT_WORDS[lang].get(text.lower(), SYMBOLS.get(text, -1))


def card_of(parts: tuple[str, ...], lang: str) -> Card | None:
    """The card that an atom's parts name in a language, or None."""
    if len(parts) == 1:
        table = ATOMS[lang]
        return table.get(parts[0]) or (table.get(parts[0].lower()) if parts[0].isascii() else None)
    if len(parts) == 2:
        return None
    first, join, last = parts
    if join.lower() != JOINS[lang]:
        return None
    rank, suit = rank_of(first, lang), suit_of(last, lang)
    if first == "?":
        return UNKNOWN if last == "?" else partial_suit(suit) if suit >= 0 else None
    if not rank or (suit < 0 and last != "?"):
        return None
    return face(rank, suit)


def proven(parts: tuple[str, ...]) -> frozenset[str]:
    """The languages that an atom proves: one, none (both read it, or neither), or both (it mixes them)."""
    if len(parts) > 1:
        joins = [JOIN_LANG[part.lower()] for part in parts[1:-1]]
        return frozenset(joins).union(_proven_word(parts[0]), _proven_word(parts[-1]))
    readers = [lang for lang in LANGS if card_of(parts, lang) is not None]
    if readers:
        return frozenset(readers) if len(readers) == 1 else frozenset()
    return _proven_word(parts[0]) | _proven_split(parts[0].lower())


def _proven_word(word: str) -> frozenset[str]:
    low = word.lower()
    return frozenset(
        lang for lang in LANGS if low in SUIT_WORDS[lang] or (low in RANK_WORDS[lang] and low not in RANKS[lang])
    )


def _proven_split(low: str) -> frozenset[str]:
    """`7cuori` proves its word; `DD` and `RS` both: an Italian rank letter before an English suit letter."""
    for lang in LANGS:
        if low.endswith(tuple(SUIT_WORDS[lang])):
            return frozenset({lang})
    english_suit = low[-1:] in SUITS["en"] and low[-1:] not in SUITS["it"]
    italian_rank = low[:-1] in RANKS["it"] and low[:-1] not in RANKS["en"]
    return frozenset(LANGS) if english_suit and italian_rank else frozenset()


# --- what a bad token meant ----------------------------------------------------------------------------------------


def is_suit_word(text: str) -> bool:
    """True for a suit's name in either language, or a word that people say for one (`spade`, `denari`)."""
    low = text.lower()
    return low in NEAR_SUITS or any(low in SUIT_WORDS[lang] for lang in LANGS)


def bad_atom(atom: Atom, lang: str, column: int) -> NotationError:
    """Why an atom is no card in `lang`, with what was expected and a near miss."""
    diagnose = (_diagnose, _diagnose_unjoined, _diagnose_phrase)[len(atom.parts) - 1]
    code, expected, suggestion = diagnose(atom.parts, lang)
    return fault(code, atom.text, column, expected=expected, suggestion=suggestion)


def _diagnose(parts: tuple[str, ...], lang: str) -> tuple[str, str, str]:
    token, low, example = parts[0], parts[0].lower(), EXAMPLE[lang]
    if token in KNIGHTS:
        return "knight", example, ""
    if low == "j":
        return "bare_j", "JK", "JK"
    if low in NEAR_JOKERS:
        return "not_a_card", f"JK {example}", "JK"
    if low in JOIN_LANG:
        return "dangling_join", _phrase(1, 0, lang), ""
    if rank_of(token, lang):
        return "missing_suit", example, ""
    if low in SUITS[lang] or suit_of(token, lang) >= 0:
        return "missing_rank", example, ""
    glued = _glued(token, lang)
    if glued:
        return "glued_cards", example, " ".join(glued[:8])
    return _diagnose_letters(token, low, lang) or _diagnose_word(low, lang)


def _glued(token: str, lang: str) -> list[str]:
    """The cards of a token that is nothing but cards without separators, or nothing."""
    if len(token) > 60:
        return []
    ranks, suits = "".join(r for r in RANKS[lang] if len(r) == 1), "".join([*SUITS[lang], *SYMBOLS])
    one = re.compile(f"(?:10|[{ranks}])[{suits}]|jk", re.I)
    found = one.findall(token)
    return found if len("".join(found)) == len(token) else []


def _diagnose_letters(token: str, low: str, lang: str) -> tuple[str, str, str] | None:
    suits, ranks = SUITS[lang], RANKS[lang]
    if len(low) > 3 and low.isalpha():
        return None
    if low[0] in suits and low[1:] in ranks:
        return "suit_first", EXAMPLE[lang], STYLES[_style(lang)][face(ranks[low[1:]], suits[low[0]]).code]
    rank = next((low[:n] for n in (2, 1) if low[:n] in ranks), "")
    suit_no = _near_suit(low[len(rank) :], lang) if rank else -1
    if suit_no < 0 and (low[-1] in suits or low[-1] in SYMBOLS):
        near = _NEAR_FIGURE.get(low[:-1], 0)
        meant = face(near, suits.get(low[-1], SYMBOLS.get(low[-1], 0)))
        return "unknown_rank", rank_letters(lang), STYLES[_style(lang)][meant.code] if near else ""
    if not rank:
        return None
    return "unknown_suit", suit_letters(lang), _phrase(ranks[rank], suit_no, lang) if suit_no >= 0 else ""


def _diagnose_unjoined(parts: tuple[str, ...], lang: str) -> tuple[str, str, str]:
    rank, suit = rank_of(parts[0], lang), _near_suit(parts[1].lower(), lang)
    return "missing_join", JOINS[lang], _phrase(rank, suit, lang) if rank and suit >= 0 else ""


def _diagnose_phrase(parts: tuple[str, ...], lang: str) -> tuple[str, str, str]:
    rank, suit = rank_of(parts[0], lang), suit_of(parts[2], lang)
    if not rank and parts[0] != "?":
        near = _near(parts[0].lower(), RANK_WORDS[lang])
        good = bool(near) and suit >= 0
        return "unknown_rank", rank_letters(lang), _phrase(RANK_WORDS[lang][near], suit, lang) if good else ""
    suit = _near_suit(parts[2].lower(), lang)
    expected = " ".join([*SUIT_WORDS[lang], "♥ ♦ ♣ ♠"])
    return "unknown_suit", expected, _phrase(rank, suit, lang) if suit >= 0 and rank else ""


def _diagnose_word(low: str, lang: str) -> tuple[str, str, str]:
    near = _near(low, [*RANK_WORDS[lang], *SUIT_WORDS[lang], "jolly", "joker"])
    return "not_a_card", f"{EXAMPLE[lang]}, {_phrase(7, 0, lang)}, JK", near


def _near_suit(word: str, lang: str) -> int:
    """The suit that a word or letter probably means, or -1: a slip, another deck's suit, a whole word's letter."""
    if word in SUITS[lang]:
        return SUITS[lang][word]
    near = _near(word, SUIT_WORDS[lang])
    return SUIT_WORDS[lang][near] if near else NEAR_SUITS.get(word, -1)


def _near(word: str, known: dict[str, int] | list[str]) -> str:
    if not 2 < len(word) < 20:
        return ""
    import difflib

    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=0.7)), "")


def _phrase(rank: int, suit: int, lang: str) -> str:
    return STYLES[f"words-{lang}"][face(rank, suit).code]


def _style(lang: str) -> str:
    return "it" if lang == "it" else "en"


def other_lang_error(atom_text: str, languages: frozenset[str], lang: str, column: int) -> NotationError | None:
    """The refusal of a text that proves the other language, or both; None if it proves neither."""
    if len(languages) > 1:
        return fault("mixed_languages", atom_text, column, lang=lang)
    other = OTHER[lang]
    if other in languages:
        return fault("other_language", atom_text, column, lang=lang, option=other)
    return None
