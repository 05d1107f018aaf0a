"""Anything at all either reads, and is then the same when written and read again, or is a `NotationError`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scorer.cards import CARDS, JOKER, Card, face
from scorer.errors import NotationError
from scorer.melds import Binding
from scorer.notation import (
    Sheet,
    error_text,
    format_cards,
    format_meld,
    format_sheet,
    parse_card,
    parse_cards,
    parse_meld,
    parse_sheet,
)
from scorer.notation_keywords import KEYWORDS, bad_name
from scorer.notation_words import ATOMS, RANK_WORDS, SUIT_WORDS
from scorer.table import Hand, MeldText, Side, Table

LANGS = st.sampled_from(["en", "it"])
STYLE = {"en": ["canonical", "symbols", "words-en"], "it": ["it", "symbols", "words-it"]}
PIECES = sorted(
    {*ATOMS["en"], *ATOMS["it"], *RANK_WORDS["en"], *RANK_WORDS["it"], *SUIT_WORDS["en"], *SUIT_WORDS["it"]}
    | {
        "of",
        "di",
        "-",
        "–",
        "+",
        "=",
        ":",
        ";",
        ",",
        "·",
        "hdsc",
        "CQFP",
        "10",
        "1",
        "C",
        "Q",
        "\ufe0f",
        "\x00",
        "spade",
    }
)
#: Texts that are nearly notation, which random characters never are.
near_lines = st.lists(
    st.tuples(st.sampled_from(PIECES) | st.text(max_size=3), st.sampled_from([" ", "", ", ", "-", "+", "=", ":"])),
    max_size=12,
).map(lambda parts: "".join(piece + glue for piece, glue in parts))
#: Lines that read in their language, made of every form a line may have.
FORMS = {
    "en": [
        *ATOMS["en"],
        "4h-10h",
        "J♠ – A♠",
        "7:hdsc",
        "ace:HH",
        "2s=7h",
        "JK = 9d",
        "2d=7?",
        "ten of clubs",
        "? of clubs",
    ],
    "it": [
        *ATOMS["it"],
        "4C-10C",
        "F♠ – A♠",
        "7:cqfp",
        "asso:CC",
        "2P=7C",
        "JK = 9Q",
        "2Q=7?",
        "re di fiori",
        "7 di ?",
    ],
}
GLUE = st.sampled_from([" ", " ", ", ", "  ", "+", " · "])


def good_lines(lang: str) -> st.SearchStrategy[str]:
    part = st.sampled_from(FORMS[lang][-9:]) | st.sampled_from(FORMS[lang])
    return st.lists(st.tuples(part, GLUE), min_size=1, max_size=10).map(
        lambda parts: "".join(piece + glue for piece, glue in parts)[: -len(parts[-1][1])]
    )


def spoilt(line: str, at: int, piece: str) -> str:
    at %= len(line) + 1
    return line[:at] + piece + line[at + len(piece) :]


good = good_lines("en") | good_lines("it")
lines = st.text(max_size=40) | near_lines | good | st.builds(spoilt, good, st.integers(0, 99), st.sampled_from(PIECES))
WORDS = sorted(KEYWORDS)
heads = st.sampled_from(["", "rules: fibur\n", "opzione: target=505\ntrump: C\n", "# doubt: 9h?\n\n", "briscola: ♠\n"])


def hand_lines(lang: str) -> st.SearchStrategy[str]:
    heads = st.sampled_from(["mano Ann: ", "hand of bob: ", "mano: "])
    return st.tuples(heads, good_lines(lang) | st.just("-")).map("".join)


@st.composite
def typed_sheets(draw: st.DrawFn) -> str:
    """A sheet as somebody may type it, mostly right: now and then a wrong or repeated line."""
    lang = draw(LANGS)
    said = [draw(heads) + f"lang: {lang}"]
    for name in draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=3, unique=draw(st.booleans()))):
        said.append(f"[{name}: Ann, Bob]")
        said += draw(st.lists(good_lines(lang), max_size=3))
        said += draw(st.lists(hand_lines(lang), max_size=2, unique_by=lambda text: text[:7]))
        pot = "pozzetto: non giocato: " + draw(good_lines(lang))
        said += draw(st.sampled_from([[], ["pot: yes"], [pot], ["pot: no", "closed: ann"]]))
        said += draw(st.lists(sheet_lines, max_size=1)) if draw(st.integers(0, 3)) == 0 else []
    return "\n".join(said)


sheet_lines = (
    near_lines
    | st.tuples(st.sampled_from(WORDS), st.sampled_from(["", " Ann", " di Bob"]), near_lines).map(
        lambda parts: f"{parts[0]}{parts[1]}: {parts[2]}"
    )
    | st.tuples(st.sampled_from(WORDS), st.sampled_from(["yes", "no", "sì", "Ann", "unplayed: 7h", "-"])).map(": ".join)
    | st.text(max_size=20)
)


def told(error: NotationError) -> None:
    """An error says something in both languages, on one short line."""
    assert str(error) and len(str(error)) < 1500 and error.line >= 1 and error.column >= 1
    for lang in ("en", "it"):
        assert error_text(error, lang).isprintable()


@given(lines, LANGS)
@example("4h-10h+2s", "en")
@example("2s JK=9d 2s=7h", "en")
@example("\u0130h", "it")
@example("7:\ufe0f", "en")
def test_any_line_reads_and_reads_again_or_is_an_error(text: str, lang: str) -> None:
    try:
        meld = parse_meld(text, lang)
    except NotationError as error:
        told(error)
    else:
        for style in STYLE[lang]:
            again = parse_meld(format_meld(meld, style), lang)
            assert sorted(again.cards) == sorted(meld.cards)
            assert again.bindings == meld.bindings
            assert format_meld(again, style) == format_meld(meld, style)
    for read in (parse_cards, parse_card):
        try:
            read(text, lang)
        except NotationError as error:
            told(error)


@given(typed_sheets() | st.lists(sheet_lines, max_size=6).map("\n".join), LANGS)
@example("[A: Ann]\nhand Ann: 7h\nclosed: ann\npot: unplayed: -", "en")
def test_any_sheet_reads_and_reads_again_or_is_an_error(text: str, lang: str) -> None:
    try:
        sheet = parse_sheet(text, lang)
    except NotationError as error:
        told(error)
        return
    written = format_sheet(sheet)
    assert bare(parse_sheet(written)) == bare(sheet)
    assert format_sheet(parse_sheet(written)) == written


def bare(sheet: Sheet) -> Sheet:
    sides = [replace(side, melds=tuple(m._replace(source="") for m in side.melds)) for side in sheet.table.sides]
    return replace(sheet, table=Table(tuple(sides)))


any_cards = st.lists(st.sampled_from(CARDS), max_size=15).map(tuple)
wilds = st.sampled_from([JOKER, *[face(2, suit) for suit in range(4)]])
targets = st.sampled_from([*CARDS[:52], *[face(rank, -1) for rank in range(1, 14)]])


@given(any_cards, st.sampled_from(["canonical", "en", "it", "symbols", "words-en", "words-it"]))
def test_cards_written_in_any_style_are_the_same_cards(cards: tuple[Card, ...], style: str) -> None:
    assert parse_cards(format_cards(cards, style), "it" if style.endswith("it") else "en") == cards


@st.composite
def melds(draw: st.DrawFn) -> MeldText:
    """A meld of which the first wilds of each face may be bound (a text cannot bind the second copy alone)."""
    cards = list(draw(any_cards)) + draw(st.lists(wilds, min_size=1, max_size=3))
    cards = draw(st.permutations(cards))
    bindings, left = [], {card: draw(st.integers(0, cards.count(card))) for card in cards if card.is_wild}
    for card in cards:
        if left.get(card, 0) > 0:
            left[card] -= 1
            bindings.append(Binding(card, draw(targets)))
    return MeldText(tuple(cards), tuple(bindings))


@given(melds(), LANGS, st.integers(0, 2))
def test_melds_written_in_any_style_are_the_same_melds(meld: MeldText, lang: str, style: int) -> None:
    assert parse_meld(format_meld(meld, STYLE[lang][style]), lang)._replace(source="") == meld


names = st.text(st.characters(categories=["L", "N"], include_characters=" './&-"), min_size=1, max_size=12).filter(
    lambda name: not bad_name(name)
)


@st.composite
def sides(draw: st.DrawFn, name: str) -> Side:
    players = tuple(draw(st.lists(names, max_size=3, unique_by=str.casefold)))
    pozzetto = draw(st.sampled_from([None, "played", "unplayed", "not_taken"]))
    held = draw(st.lists(st.sampled_from([None, *players]), max_size=3, unique=True))
    closed = draw(st.booleans())
    return Side(
        name, players, tuple(draw(st.lists(melds(), max_size=3))), tuple(Hand(draw(any_cards), p) for p in held),
        pozzetto, draw(any_cards) if pozzetto == "unplayed" else (), closed,
        draw(st.sampled_from([None, *players])) if closed else None,
    )  # fmt: skip


@st.composite
def sheets(draw: st.DrawFn) -> Sheet:
    called = draw(st.lists(names, min_size=1, max_size=3, unique_by=str.casefold))
    options = draw(
        st.fixed_dictionaries({}, optional={"trump": st.sampled_from(["h", "s", "none"]), "target": st.just("505")})
    )
    table = Table(tuple(draw(sides(name)) for name in called))
    return Sheet(draw(st.sampled_from([None, "fibur", "stekius"])), options, draw(LANGS), table)


@given(sheets())
def test_sheets_written_in_their_language_are_the_same_sheets(sheet: Sheet) -> None:
    assert bare(parse_sheet(format_sheet(sheet))) == sheet


@pytest.mark.slow
@settings(max_examples=5_000, deadline=None)
@given(lines, LANGS)
def test_any_line_at_length(text: str, lang: str) -> None:
    try:
        meld = parse_meld(text, lang)
    except NotationError as error:
        told(error)
    else:
        assert format_meld(parse_meld(format_meld(meld))) == format_meld(meld)
