"""The letters, words and symbols that name cards: plain tables, one set for each language.

A language is never guessed: `C` is hearts (*cuori*) to an Italian and clubs to an English reader, and nothing in `7C`
says which. Every clash of the two alphabets is settled here, once: the rank stands first, so the *last* letter is the
suit (`QQ` is the queen of *quadri*, `FF` the *fante* of *fiori*), and `JK` is always the joker.

>>> ATOMS["en"]["7c"].symbol, ATOMS["it"]["7c"].symbol, ATOMS["it"]["QQ"].symbol
('7♣', '7♥', 'Q♦')
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from scorer.cards import CARDS, JOKER, RANK_TEXT, UNKNOWN, UNKNOWN_CODE, Card, face

LANGS: Final = ("en", "it")
OTHER: Final = {"en": "it", "it": "en"}
#: What a sheet may say after `lang:`.
LANG_NAMES: Final = {
    "en": "en", "english": "en", "inglese": "en", "it": "it", "italian": "it", "italiano": "it",
}  # fmt: skip

_RANKS_BOTH: Final = {text.lower(): number for number, text in enumerate(RANK_TEXT, 1)} | {"1": 1, "t": 10}
#: Rank letters (lower case) to 1..13. Italian adds fante, donna, re to the international letters.
RANKS: Final = {"en": _RANKS_BOTH, "it": _RANKS_BOTH | {"f": 11, "d": 12, "r": 13}}
#: Suit letters (lower case) to the suit number 0..3 (hearts, diamonds, clubs, spades).
SUITS: Final = {"en": dict(zip("hdcs", range(4), strict=True)), "it": dict(zip("cqfp", range(4), strict=True))}
#: Suit symbols, filled and outlined, and the heart that phones write.
SYMBOLS: Final = dict(zip("♥♦♣♠♡♢♧♤❤", (0, 1, 2, 3, 0, 1, 2, 3, 0), strict=True))
RANK_WORDS: Final[dict[str, dict[str, int]]] = {
    "en": {
        "ace": 1, "two": 2, "deuce": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
        "ten": 10, "jack": 11, "queen": 12, "king": 13,
    },
    "it": {
        "asso": 1, "due": 2, "pinella": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8,
        "nove": 9, "dieci": 10, "fante": 11, "donna": 12, "dama": 12, "regina": 12, "re": 13,
    },
}  # fmt: skip
SUIT_WORDS: Final[dict[str, dict[str, int]]] = {
    "en": {"hearts": 0, "diamonds": 1, "clubs": 2, "spades": 3},
    "it": {"cuori": 0, "quadri": 1, "fiori": 2, "picche": 3},
}
#: The word between rank and suit.
JOINS: Final = {"en": "of", "it": "di"}
JOIN_LANG: Final = {word: lang for lang, word in JOINS.items()}
JOKER_WORDS: Final = ("jk", "jolly", "joker", "*")

#: The block of playing cards: `suit row + rank`; rank 12 of the block is the knight, which this deck lacks.
BLOCK_FIRST, BLOCK_LAST = 0x1F0A0, 0x1F0FF
_BLOCK_ROWS: Final = {0x1F0A0: 3, 0x1F0B0: 0, 0x1F0C0: 1, 0x1F0D0: 2}
_BLOCK_JOKERS: Final = (0x1F0BF, 0x1F0CF, 0x1F0DF)
_BLOCK_BACK: Final = 0x1F0A0
KNIGHTS: Final = frozenset(chr(row + 12) for row in _BLOCK_ROWS)

#: Suits of other Italian decks and slips of the tongue -> the suit meant, to suggest (never to read).
NEAR_SUITS: Final = {
    "spade": 3, "spada": 3, "picca": 3, "picchi": 3, "denari": 1, "denaro": 1, "oro": 1, "ori": 1, "quadro": 1,
    "coppe": 0, "coppa": 0, "cuore": 0, "bastoni": 2, "trefoil": 2, "fiore": 2, "heart": 0, "diamond": 1, "club": 2,
}  # fmt: skip
#: What other programs write for the joker: suggested, never read (`J` alone could be a jack, `matta` a two).
NEAR_JOKERS: Final = frozenset({"jj", "0j", "jo", "jok", "jkr", "w", "x", "m", "wr", "wb", "jr", "jb", "matta", "j*"})


def _cases(text: str) -> set[str]:
    return {text, text.upper(), text.lower(), text.capitalize()}


def _block_cards() -> Iterator[tuple[str, Card]]:
    for row, suit in _BLOCK_ROWS.items():
        for rank in range(1, 14):
            yield chr(row + rank + (rank > 11)), face(rank, suit)
    for code in _BLOCK_JOKERS:
        yield chr(code), JOKER
    yield chr(_BLOCK_BACK), UNKNOWN


def partial_suit(suit: int) -> Card:
    """The card of which only the suit 0..3 is known, `?h`."""
    return CARDS[UNKNOWN_CODE + 14 + suit]


def _suited(lang: str) -> Iterator[tuple[str, Card]]:
    for rank_text, rank in RANKS[lang].items():
        for letter in {rank_text, rank_text.upper()}:
            yield letter + "?", face(rank, -1)
            for suit_letter, suit in SUITS[lang].items():
                yield letter + suit_letter, face(rank, suit)
                yield letter + suit_letter.upper(), face(rank, suit)
            for symbol, suit in SYMBOLS.items():
                yield letter + symbol, face(rank, suit)
                yield symbol + letter, face(rank, suit)


def _atoms(lang: str) -> dict[str, Card]:
    atoms = {"?": UNKNOWN}
    atoms.update(_suited(lang))
    for suit_letter, suit in SUITS[lang].items():
        atoms["?" + suit_letter] = atoms["?" + suit_letter.upper()] = partial_suit(suit)
    for symbol, suit in SYMBOLS.items():
        atoms["?" + symbol] = atoms[symbol + "?"] = partial_suit(suit)
    for word in JOKER_WORDS:
        atoms.update(dict.fromkeys(_cases(word), JOKER))
    atoms.update(_block_cards())
    return atoms


#: For each language, every way to write one card as one token (variation selectors removed) -> the card.
ATOMS: Final[dict[str, dict[str, Card]]] = {lang: _atoms(lang) for lang in LANGS}

_IT_RANKS: Final = (*RANK_TEXT[:10], "F", "D", "R")
_IT_WORDS: Final = ("asso", "2", "3", "4", "5", "6", "7", "8", "9", "10", "fante", "donna", "re")
_EN_WORDS: Final = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")


def _written(card: Card, ranks: tuple[str, ...], suits: tuple[str, ...], join: str, joker: str) -> str:
    if card.is_joker:
        return joker
    if not card.rank_no and card.suit_no < 0:
        return "?"
    rank = ranks[card.rank_no - 1] if card.rank_no else "?"
    return rank + join + (suits[card.suit_no] if card.suit_no >= 0 else "?")


def _style(ranks: tuple[str, ...], suits: tuple[str, ...], join: str = "", joker: str = "JK") -> tuple[str, ...]:
    return tuple([_written(card, ranks, suits, join, joker) for card in CARDS])


#: For each style, the text of every card by its code.
STYLES: Final[dict[str, tuple[str, ...]]] = {
    "canonical": tuple([card.text for card in CARDS]),
    "en": tuple([card.text for card in CARDS]),
    "symbols": tuple([card.symbol for card in CARDS]),
    "it": _style(_IT_RANKS, tuple("CQFP")),
    "words-en": _style(_EN_WORDS, tuple(SUIT_WORDS["en"]), " of ", "joker"),
    "words-it": _style(_IT_WORDS, tuple(SUIT_WORDS["it"]), " di ", "jolly"),
}
#: The style in which a sheet of a language is written, and read again.
SHEET_STYLE: Final = {"en": "canonical", "it": "it"}


def suit_letters(lang: str) -> str:
    """The suits a reader of `lang` may write, for an error's `expected`."""
    return " ".join(SUITS[lang] if lang == "en" else [s.upper() for s in SUITS[lang]]) + " ♥ ♦ ♣ ♠"


def rank_letters(lang: str) -> str:
    """The ranks a reader of `lang` may write, for an error's `expected`."""
    return " ".join(RANK_TEXT) + (" F D R" if lang == "it" else "")
