"""The words of the score sheet, English and Italian, and what may be a name in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final

from scorer.errors import NotationError
from scorer.notation_errors import fault
from scorer.notation_token import rank_of
from scorer.notation_words import JOKER_WORDS, LANGS, OTHER, SUIT_WORDS, SUITS, SYMBOLS, suit_letters
from scorer.table import Pozzetto

#: Folded word before the colon -> what the line says. Both languages are read whatever the cards' language is.
KEYWORDS: Final[dict[str, str]] = {
    "rules": "rules", "regole": "rules", "option": "option", "opzione": "option", "lang": "lang", "language": "lang",
    "lingua": "lang", "hand": "hand", "mano": "hand", "pot": "pot", "pozzetto": "pot", "closed": "closed",
    "closes": "closed", "chiude": "closed", "chiuso": "closed", "trump": "trump", "briscola": "trump",
}  # fmt: skip
#: What a sheet written in a language says for each kind of line.
WRITTEN: Final = {
    "en": {"rules": "rules", "option": "option", "lang": "lang", "hand": "hand", "pot": "pot", "closed": "closed",
           "trump": "trump", "yes": "yes", "no": "no", "unplayed": "unplayed"},
    "it": {"rules": "regole", "option": "opzione", "lang": "lingua", "hand": "mano", "pot": "pozzetto",
           "closed": "chiude", "trump": "briscola", "yes": "sì", "no": "no", "unplayed": "non giocato"},
}  # fmt: skip
#: What an error shows as the right way to write a line.
EXAMPLE_LINES: Final = {
    "en": {"rules": "rules: fibur", "option": "option: semi_position=end_only", "lang": "lang: en",
           "hand": "hand Anna: 5c 9d", "pot": "pot: yes", "closed": "closed: Anna", "trump": "trump: h",
           "side": "[We: Anna, Bruno]", "pot_values": "yes, no, unplayed: 5c 9d",
           "keywords": "rules, option, lang, trump, hand, pot, closed"},
    "it": {"rules": "regole: fibur", "option": "opzione: semi_position=end_only", "lang": "lingua: it",
           "hand": "mano Anna: 5F 9Q", "pot": "pozzetto: sì", "closed": "chiude: Anna", "trump": "briscola: C",
           "side": "[Noi: Anna, Bruno]", "pot_values": "sì, no, non giocato: 5F 9Q",
           "keywords": "regole, opzione, lingua, briscola, mano, pozzetto, chiude"},
}  # fmt: skip
YES: Final = frozenset({"yes", "sì", "si", "si'", "si’"})
NO: Final = frozenset({"no"})
POT_VALUES: Final[dict[str, Pozzetto]] = {
    **dict.fromkeys((*sorted(YES), "played", "giocato"), "played"),
    **dict.fromkeys(("no", "not taken", "non preso"), "not_taken"),
    **dict.fromkeys(("unplayed", "not played", "non giocato"), "unplayed"),
}
#: `mano di Anna`, `hand of Anna`; `closed by: Anna`, `chiuso da: Anna`.
HAND_JOINS: Final = frozenset({"di", "of"})
CLOSED_JOINS: Final = frozenset({"by", "da"})

_NO_NAME_HAS: Final = frozenset(",:#[]")
_LONGEST_NAME: Final = 60


def fold(text: str) -> str:
    """The text without differences of case or of how accents are composed."""
    return unicodedata.normalize("NFC", text).casefold()


def near(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant, or nothing."""
    if not 1 < len(word) <= _LONGEST_NAME:
        return ""
    import difflib

    folded = {fold(candidate): candidate for candidate in known}
    return next((folded[match] for match in difflib.get_close_matches(fold(word.strip()), folded, n=1)), "")


def bad_name(name: str) -> bool:
    """True for what cannot be the name of a side or a player: the sheet could not be read again."""
    return (
        not 0 < len(name) <= _LONGEST_NAME
        or not name.isprintable()
        or name != " ".join(name.split())
        or not _NO_NAME_HAS.isdisjoint(name)
        or fold(name) in YES | NO | {"-", "–", "—"}
    )


def is_card_word(word: str) -> bool:
    """True for a word that begins a card in either language (`asso`, `queen`, `jolly`): no misspelt keyword."""
    return word.lower() in JOKER_WORDS or any(rank_of(word, lang) for lang in LANGS)


def trump_of(text: str, lang: str) -> str | NotationError:
    """The value of the option `trump` (`h d c s`, `none`, `first_discard`) that a sheet's word means, or the error."""
    low = fold(text).replace("\ufe0f", "")
    if low in ("none", "nessuna", "nessuno"):
        return "none"
    if low in ("first_discard", "first discard", "primo scarto"):
        return "first_discard"
    suits = SUITS[lang] | SUIT_WORDS[lang] | SYMBOLS
    if low in suits:
        return "hdcs"[suits[low]]
    other = OTHER[lang]
    if low in SUITS[other] or low in SUIT_WORDS[other]:
        return fault("other_language", text, lang=lang, option=other)
    return fault("bad_trump", text, expected=suit_letters(lang), suggestion=near(low, SUIT_WORDS[lang]))
