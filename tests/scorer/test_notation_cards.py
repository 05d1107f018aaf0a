"""Cards and melds as people write them: every clash of the two alphabets, every form, every refusal."""

from __future__ import annotations

import pickle
import string
import time
import tomllib
from importlib import resources

import pytest

from scorer.cards import CARDS, DECK, JOKER, Card, face
from scorer.errors import NotationError, NotationErrors
from scorer.melds import Binding
from scorer.notation import (
    MAX_LINE,
    error_text,
    format_card,
    format_cards,
    format_meld,
    parse_card,
    parse_cards,
    parse_meld,
)
from scorer.notation_token import EXAMPLE
from scorer.notation_words import ATOMS, RANK_WORDS, STYLES, SUIT_WORDS

LANG_OF_STYLE = {"canonical": "en", "en": "en", "it": "it", "symbols": "en", "words-en": "en", "words-it": "it"}


def texts(cards: tuple[Card, ...]) -> str:
    return " ".join(card.text for card in cards)


def errors_of(text: str, lang: str = "en") -> list[NotationError]:
    with pytest.raises(NotationError) as caught:
        parse_meld(text, lang)
    error = caught.value
    return list(error.errors) if isinstance(error, NotationErrors) else [error]


def error_of(text: str, lang: str = "en") -> NotationError:
    errors = errors_of(text, lang)
    assert len(errors) == 1, [e.message for e in errors]
    return errors[0]


# --- one card, all its spellings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", sorted(STYLES))
def test_every_card_round_trips_in_every_style(style: str) -> None:
    lang = LANG_OF_STYLE[style]
    for card in CARDS:
        assert parse_card(format_card(card, style), lang) is card
    assert parse_cards(format_cards(DECK, style), lang) == DECK
    assert parse_cards(format_cards(CARDS, style), lang) == CARDS


def test_symbols_read_the_same_in_both_languages() -> None:
    for card in CARDS:
        assert parse_card(card.symbol, "en") is parse_card(card.symbol, "it") is card


@pytest.mark.parametrize(
    ("lang", "ranks", "suits"),
    [
        ("en", "A 1 2 3 4 5 6 7 8 9 10 T J Q K", "h d c s"),
        ("it", "A 1 2 3 4 5 6 7 8 9 10 T J Q K F D R", "C Q F P"),
    ],
)
def test_every_rank_with_every_suit_in_either_case(lang: str, ranks: str, suits: str) -> None:
    numbers = {"A": 1, "1": 1, "T": 10, "J": 11, "Q": 12, "K": 13, "F": 11, "D": 12, "R": 13}
    for rank in ranks.split():
        for suit_no, suit in enumerate(suits.split()):
            wanted = face(numbers.get(rank) or int(rank), suit_no)
            for written in {rank.upper() + suit.upper(), rank.lower() + suit.lower(), rank.upper() + suit.lower()}:
                assert parse_card(written, lang) is wanted, written
            symbol = wanted.symbol[-1]
            outlined = "♡♢♧♤"[suit_no]
            for written in (rank + symbol, symbol + rank, rank.lower() + outlined, outlined + rank):
                assert parse_card(written, lang) is wanted, written
            assert parse_card(rank + symbol + "\ufe0f", lang) is wanted
            assert parse_card(symbol + "\ufe0f" + rank, lang) is wanted


@pytest.mark.parametrize("lang", ["en", "it"])
def test_every_word_with_every_suit(lang: str) -> None:
    join = {"en": "of", "it": "di"}[lang]
    for word, rank in [*RANK_WORDS[lang].items(), *[(str(n), n) for n in range(2, 11)], ("K", 13)]:
        for suit, suit_no in SUIT_WORDS[lang].items():
            assert parse_card(f"{word} {join} {suit}", lang) is face(rank, suit_no)
            assert parse_card(f"{word.upper()}  {join.upper()} {suit.title()}", lang) is face(rank, suit_no)


@pytest.mark.parametrize(
    "text", ["JK", "jk", "Jk", "jolly", "Jolly", "JOKER", "joker", "*", "🃏", "🂿", "🃟", "🃏\ufe0f"]
)
def test_jokers_read_in_both_languages(text: str) -> None:
    assert parse_card(text, "en") is parse_card(text, "it") is JOKER


def test_the_unicode_block() -> None:
    for row, suit_no in ((0x1F0A0, 3), (0x1F0B0, 0), (0x1F0C0, 1), (0x1F0D0, 2)):
        for offset in range(1, 15):
            if offset == 12:
                assert error_of(chr(row + offset)).code == "knight"
                continue
            rank = offset if offset < 12 else offset - 1
            assert parse_card(chr(row + offset)) is face(rank, suit_no)
    assert texts(parse_cards("🂱🂲🂾")) == "Ah 2h Kh"  # no separator needed: each is one character
    assert parse_card("🂠").text == "?"
    assert error_of("\U0001f0e1").code == "not_a_card"  # the block's tarot trumps


@pytest.mark.parametrize(
    ("text", "lang", "card"),
    [
        ("?", "en", "?"), ("9?", "en", "9?"), ("10?", "it", "10?"), ("?h", "en", "?h"), ("?C", "it", "?h"),
        ("?c", "en", "?c"), ("?♠", "it", "?s"), ("♦?", "en", "?d"), ("R?", "it", "K?"), ("? of clubs", "en", "?c"),
        ("7 di ?", "it", "7?"),
    ],
)  # fmt: skip
def test_unknown_cards(text: str, lang: str, card: str) -> None:
    assert parse_card(text, lang).text == card


# --- clashes (rules.md 6.2) ------------------------------------------------------------------------------------------

#: text -> what it is in English and in Italian: a canonical card, or the error's code.
CLASHES = {
    "7C": ("7c", "7h"),  # clubs or cuori: both read, the language decides
    "QC": ("Qc", "Qh"),  # the queen in both, the suit differs
    "AC": ("Ac", "Ah"),
    "1C": ("Ac", "Ah"),
    "JC": ("Jc", "Jh"),
    "KC": ("Kc", "Kh"),
    "TC": ("10c", "10h"),
    "7H": ("7h", "other_language"),
    "7S": ("7s", "other_language"),
    "7D": ("7d", "other_language"),  # D is diamonds or donna: as a suit only English has it
    "7Q": ("other_language", "7d"),
    "7F": ("other_language", "7c"),
    "7P": ("other_language", "7s"),  # picche; never the Portuguese paus
    "QQ": ("other_language", "Qd"),  # the last letter is the suit: queen of quadri
    "DQ": ("other_language", "Qd"),
    "FF": ("other_language", "Jc"),  # fante di fiori
    "FQ": ("other_language", "Jd"),  # fante di quadri, not the queen of fiori
    "QF": ("other_language", "Qc"),
    "DC": ("other_language", "Qh"),
    "RC": ("other_language", "Kh"),
    "FC": ("other_language", "Jh"),
    "QD": ("Qd", "other_language"),
    "QH": ("Qh", "other_language"),
    "KS": ("Ks", "other_language"),
    "DD": ("mixed_languages", "mixed_languages"),  # donna (it) of diamonds (en)
    "RS": ("mixed_languages", "mixed_languages"),
    "FD": ("mixed_languages", "mixed_languages"),
    "FH": ("mixed_languages", "mixed_languages"),
    "J": ("bare_j", "bare_j"),  # a jack or the joker
    "JJ": ("not_a_card", "not_a_card"),
    "JK": ("JK", "JK"),  # the joker, never a jack "of K"
    "R": ("not_a_card", "missing_suit"),
    "D": ("missing_rank", "missing_suit"),
    "Q": ("missing_suit", "missing_suit"),
    "P": ("not_a_card", "missing_rank"),
    "10": ("missing_suit", "missing_suit"),
    "wr": ("not_a_card", "not_a_card"),  # the red joker of other programs
    "R♥": ("other_language", "Kh"),
    "Q♥": ("Qh", "Qh"),
    "♥Q": ("Qh", "Qh"),  # with a symbol the letter is the rank
    "F♦": ("other_language", "Jd"),
    "asso di picche": ("other_language", "As"),
    "7 of hearts": ("7h", "other_language"),
    "asso": ("other_language", "missing_suit"),
    "queen": ("missing_suit", "other_language"),
    "7cuori": ("other_language", "unknown_suit"),
    "7hearts": ("unknown_suit", "other_language"),
    "7 di hearts": ("mixed_languages", "mixed_languages"),
    "ace di cuori": ("mixed_languages", "mixed_languages"),
    "7 of cuori": ("mixed_languages", "mixed_languages"),
    "R:CQ": ("other_language", None),
    "7:hd": (None, "other_language"),
    "7:C": (None, None),
    "7:hP": ("mixed_languages", "mixed_languages"),
    "7P 7h": ("mixed_languages", "mixed_languages"),
    "7C 7h": (None, "other_language"),
    "7C 7P": ("other_language", None),
    "4h-10P": ("mixed_languages", "mixed_languages"),
    "2s=7C": (None, "other_language"),
    "2P=7C": ("other_language", None),
}


@pytest.mark.parametrize("text", CLASHES)
@pytest.mark.parametrize("lang", ["en", "it"])
def test_clash(text: str, lang: str) -> None:
    wanted = CLASHES[text][lang == "it"]
    if wanted is None:
        parse_meld(text, lang)
        return
    try:
        found = texts(parse_meld(text, lang).cards)
    except NotationError as error:
        found = error.code
        if found in ("other_language", "mixed_languages"):  # the refusal names the option to use
            for spoken in ("en", "it"):
                other = {"en": "it", "it": "en"}[lang]
                said = error_text(error, spoken)
                assert f"lang: {other}" in said and f"--lang {other}" in said
    assert found == wanted


def test_no_text_is_two_cards_in_one_language() -> None:
    for rank in [*"a123456789tjqkfdr", "10", "?"]:
        for suit in "hdcsqfp":
            for lang, ranks, suits in (("en", "a123456789tjqk10?", "hdcs"), ("it", "a123456789tjqkfdr10?", "cqfp")):
                assert (rank + suit in ATOMS[lang]) == (rank in ranks and suit in suits), rank + suit


def test_every_two_letters_are_a_card_or_a_refusal_and_the_languages_agree_only_on_clubs_and_hearts() -> None:
    letters = string.ascii_uppercase + string.digits
    both = set()
    for first in letters:
        for second in letters:
            read = {}
            for lang in ("en", "it"):
                try:
                    read[lang] = parse_card(first + second, lang)
                except NotationError as error:
                    assert error.message
            if len(read) == 2:
                both.add(first + second)
    assert both == {r + "C" for r in "A123456789TJQK"} | {"JK"}


# --- melds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lang", "cards"),
    [
        ("4h 5h,6h · 7h,, 8h", "en", "4h 5h 6h 7h 8h"),
        ("  4h\t5h\u00a06h\u20097h ", "en", "4h 5h 6h 7h"),
        ("4h-10h", "en", "4h 5h 6h 7h 8h 9h 10h"),
        ("4C-10C", "it", "4h 5h 6h 7h 8h 9h 10h"),
        ("FP-AP", "it", "Js Qs Ks As"),
        ("Ah-3h", "en", "Ah 2h 3h"),
        ("Qh-Ah", "en", "Qh Kh Ah"),
        ("Ah-Ah", "en", "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh Ah"),
        ("♥4–10♥", "en", "4h 5h 6h 7h 8h 9h 10h"),
        ("4 di cuori - 6 di cuori", "it", "4h 5h 6h"),
        ("4h-6h+2s", "en", "4h 5h 6h 2s"),
        ("4h-6h + 2s + JK 9h", "en", "4h 5h 6h 2s JK 9h"),
        ("3h-5h 7h-9h", "en", "3h 4h 5h 7h 8h 9h"),
        ("7:hdsc", "en", "7h 7d 7s 7c"),
        ("7:hhdd", "en", "7h 7h 7d 7d"),
        ("R:CQFP+JK", "it", "Kh Kd Kc Ks JK"),
        ("Q:♥♦\ufe0fc", "en", "Qh Qd Qc"),
        ("asso:CQ", "it", "Ah Ad"),
        ("pinella di fiori, 3 di fiori, re di picche", "it", "2c 3c Ks"),
        ("* 🃏 jolly", "it", "JK JK JK"),
        ("4♥4♥", "en", None),
    ],
)
def test_meld_forms(text: str, lang: str, cards: str | None) -> None:
    if cards is None:
        assert error_of(text, lang).code == "glued_cards"
    else:
        assert texts(parse_meld(text, lang).cards) == cards


@pytest.mark.parametrize(
    ("text", "lang", "bindings"),
    [
        ("4h 5h 6h 2s=7h", "en", [("2s", "7h")]),
        ("7d 8d JK=9d", "en", [("JK", "9d")]),
        ("Ah 2h=2h 3h", "en", [("2h", "2h")]),
        ("7h 7d 2s=7?", "en", [("2s", "7?")]),
        ("2P = 7C 8C", "it", [("2s", "7h")]),
        ("pinella di picche=7 di cuori", "it", [("2s", "7h")]),
        ("4h-6h+JK=7h", "en", [("JK", "7h")]),
        ("JK=9d JK JK=Jd", "en", [("JK", "9d"), ("JK", "Jd")]),
    ],
)
def test_bound_wilds(text: str, lang: str, bindings: list[tuple[str, str]]) -> None:
    meld = parse_meld(text, lang)
    assert meld.bindings == tuple(Binding(Card.of(card), Card.of(target)) for card, target in bindings)
    for style in ("canonical", "it", "symbols", "words-it", "words-en"):
        again = parse_meld(format_meld(meld, style), LANG_OF_STYLE[style])
        assert sorted(again.cards) == sorted(meld.cards) and again.bindings == meld.bindings


def test_a_hand_may_be_empty_a_meld_may_not() -> None:
    assert parse_cards("") == parse_cards(" - ") == parse_cards("–", "it") == ()
    assert error_of("").code == error_of("  ", "it").code == "empty_meld"
    assert texts(parse_cards("4h-6h JK\n")) == "4h 5h 6h JK"


@pytest.mark.parametrize("text", ["", "7h 8h", "4h-6h", "7:h", "-"])
def test_parse_card_wants_exactly_one(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_card(text)
    assert caught.value.code in ("one_card", "dangling_operator")


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lang", "code", "column", "token", "suggestion"),
    [
        ("4h 5x 6h", "en", "unknown_suit", 4, "5x", ""),
        ("4h 7heats", "en", "unknown_suit", 4, "7heats", "7 of hearts"),
        ("7picc", "it", "unknown_suit", 1, "7picc", "7 di picche"),
        ("7 di spade", "it", "unknown_suit", 1, "7 di spade", "7 di picche"),
        ("7 di denari", "it", "unknown_suit", 1, "7 di denari", "7 di quadri"),
        ("7 of spade", "en", "unknown_suit", 1, "7 of spade", "7 of spades"),
        ("7 of h", "en", "unknown_suit", 1, "7 of h", "7 of hearts"),
        ("7 di P", "it", "unknown_suit", 1, "7 di P", "7 di picche"),
        ("aso di cuori", "it", "unknown_rank", 1, "aso di cuori", "asso di cuori"),
        ("11h", "en", "unknown_rank", 1, "11h", "Jh"),
        ("12h", "en", "unknown_rank", 1, "12h", "Qh"),
        ("13C", "it", "unknown_rank", 1, "13C", "RC"),
        ("0h", "en", "unknown_rank", 1, "0h", "10h"),
        ("l0h", "en", "unknown_rank", 1, "l0h", "10h"),
        ("1Oh", "en", "unknown_rank", 1, "1Oh", "10h"),
        ("zh", "en", "unknown_rank", 1, "zh", ""),
        ("h7", "en", "suit_first", 1, "h7", "7h"),
        ("C7", "it", "suit_first", 1, "C7", "7C"),
        ("4h5h6h", "en", "glued_cards", 1, "4h5h6h", "4h 5h 6h"),
        ("4C5C6C", "it", "glued_cards", 1, "4C5C6C", "4C 5C 6C"),
        ("7 cuori", "it", "missing_join", 1, "7 cuori", "7 di cuori"),
        ("asso spade", "it", "missing_join", 1, "asso spade", "asso di picche"),
        ("J", "en", "bare_j", 1, "J", "JK"),
        ("JJ", "it", "not_a_card", 1, "JJ", "JK"),
        ("matta", "it", "not_a_card", 1, "matta", "JK"),
        ("jollly", "it", "not_a_card", 1, "jollly", "jolly"),
        ("10h-4h", "en", "range_order", 1, "10h-4h", "4h-10h"),
        ("7h-7h", "en", "range_order", 1, "7h-7h", ""),
        ("4h-10", "en", "missing_suit", 4, "10", "4h-10h"),
        ("4-10h", "en", "missing_suit", 1, "4", "4h-10h"),
        ("4h-10d", "en", "range_suits", 1, "4h-10d", ""),
        ("4h-JK", "en", "range_end", 4, "JK", ""),
        ("4?-10h", "en", "range_end", 1, "4?", ""),
        ("4h-5h-6h", "en", "range_chain", 1, "4h-5h-6h", ""),
        ("A-2-3", "en", "range_chain", 1, "A-2-3", ""),
        ("7:hx", "en", "set_suits", 3, "hx", ""),
        ("JK:hd", "en", "set_rank", 1, "JK", ""),
        ("7:" + "h" * 30, "en", "set_suits", 3, "h" * 24 + "…", ""),
        ("5h=7h", "en", "bind_card", 1, "5h", ""),
        ("2s=JK", "en", "bind_target", 4, "JK", ""),
        ("2s=?", "en", "bind_target", 4, "?", ""),
        ("2s=7h=8h", "en", "bind_chain", 1, "2s=7h=8h", ""),
        ("4h -", "en", "dangling_operator", 1, "4h -", ""),
        ("-4h", "en", "dangling_operator", 1, "-", ""),
        ("4h ++ 5h", "en", "dangling_operator", 4, "+", ""),
        ("4h+", "en", "dangling_operator", 3, "+", ""),
        ("4h 2s=", "en", "dangling_operator", 4, "2s=", ""),
        ("4h; 5h", "en", "separator", 3, ";", ""),
        ("4h di", "it", "dangling_join", 4, "di", ""),
        ("4h \x00", "en", "control_character", 4, "\\u0000", ""),
        ("4h\x1c5h", "en", "control_character", 3, "\\u001c", ""),
        ("4h\u200b5h", "en", "control_character", 3, "\\u200b", ""),
        ("4h \udcff", "en", "control_character", 4, "\\udcff", ""),
        ("4h\n5h", "en", "control_character", 3, "\\u000a", ""),
    ],
)  # fmt: skip
def test_refusals(text: str, lang: str, code: str, column: int, token: str, suggestion: str) -> None:
    error = next(e for e in errors_of(text, lang) if e.code == code)
    assert (error.line, error.column, error.token, error.suggestion) == (1, column, token, suggestion)
    for spoken in ("en", "it"):
        said = error_text(error, spoken)
        assert said and "\n" not in said and "{" not in said and len(said) < 300
        assert suggestion in said
    assert str(error) == error_text(error, "en") != error_text(error, "it")


def test_a_suggestion_can_be_read() -> None:
    for text, lang in [("11h", "en"), ("h7", "en"), ("4h5h", "en"), ("7 cuori", "it"), ("10C-4C", "it"), ("JJ", "en")]:
        parse_meld(error_of(text, lang).suggestion, lang)


def test_all_errors_of_a_line_from_left_to_right() -> None:
    assert [(e.code, e.column) for e in errors_of("4x 5h zh 10h-4h")] == [
        ("unknown_suit", 1), ("unknown_rank", 7), ("range_order", 10),
    ]  # fmt: skip
    assert len(errors_of("4x " * 100)) == 10


def test_one_error_about_the_language_is_enough() -> None:
    assert error_of("7P 8P 9P").params["option"] == "it"
    assert error_of("7h 8h 9h", "it").params["option"] == "en"


def test_a_hand_has_no_bound_wilds() -> None:
    with pytest.raises(NotationError) as caught:
        parse_cards("5h 2s=7h")
    assert (caught.value.code, caught.value.column) == ("bind_in_hand", 4)


def test_unknown_languages_and_styles_are_refused() -> None:
    for call in (lambda: parse_card("7h", "auto"), lambda: parse_meld("7h", "fr"), lambda: format_card(JOKER, "de")):
        with pytest.raises(NotationError) as caught:
            call()
        assert caught.value.code in ("bad_lang", "bad_style") and caught.value.expected


HOSTILE = [
    "x" * 5_000_000, "4h " * 2_000_000, "4h-" * 1300, "7:" * 1900, "- " * 1900, "a" * 3999, "1" * 3999,
    "7:" + "h" * 3900, "2s=" * 1300, "di " * 1300, "7 di " * 790, ";" * 3999, "+" * 3999, "♥" * 3999, "é" * 3999,
    "\ufe0f" * 3999, "🂬" * 3999, "9" * 60, "{token}", "%s%n", "4h\x00" * 100, "İ" * 300, "\ud800",
    "٣h", "７h", "\u212ah", "\u212a of hearts", "7ℎ",
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_text_is_one_short_refusal_and_fast(number: int) -> None:
    text = HOSTILE[number]
    for read in (parse_meld, parse_cards, parse_card):
        began = time.process_time()
        with pytest.raises(NotationError) as caught:
            read(text)
        assert time.process_time() - began < 2  # linear: milliseconds; the bound is for a busy machine
        assert len(str(caught.value)) < 300 and str(caught.value).isprintable()


def test_the_longest_line_is_read() -> None:
    words = ", ".join(["quattro di quadri"] * 200)
    assert len(words) < MAX_LINE and len(parse_cards(words, "it")) == 200
    assert error_of("7h " * 1334).code == "line_too_long"


def test_both_languages_have_every_sentence_with_the_same_parameters() -> None:
    files = [resources.files("scorer") / "messages" / f"notation_{lang}.toml" for lang in ("en", "it")]
    english, italian = [tomllib.loads(file.read_text("utf-8")) for file in files]
    assert english.keys() == italian.keys()
    for code, sentence in english.items():
        fields = [sorted(f for _, f, _, _ in string.Formatter().parse(s) if f) for s in (sentence, italian[code])]
        assert set(fields[0]) == set(fields[1]), code
        assert sentence != italian[code], code


def test_examples_are_cards() -> None:
    for lang, example in EXAMPLE.items():
        assert parse_card(example, lang).text == "7h"


def test_the_canonical_text_of_a_card_is_its_identity() -> None:
    for card in CARDS:
        assert Card.of(str(card)) is card and pickle.loads(pickle.dumps(card)) is card
    for text in ("7C", "10", "jk", "7H", ""):
        with pytest.raises(ValueError, match="not a canonical card"):
            Card.of(text)
