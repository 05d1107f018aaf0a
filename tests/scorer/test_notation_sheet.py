"""The score sheet as quick text: its words in both languages, all errors at once, and that it can be read again."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from scorer.cards import Card
from scorer.errors import NotationError, NotationErrors
from scorer.notation import MAX_SHEET, Sheet, decode_text, error_text, format_sheet, parse_cards, parse_sheet
from scorer.table import Hand, MeldText, Side, Table

DESIGN = """\
rules: fibur            # regole:
option: semi_position=end_only
lang: it
[Noi: Anna, Bruno]
4C-10C
RP RQ RC
mano Anna: -            # hand
mano Bruno: 5F 9Q
pozzetto: sì            # sì / no / non giocato: <cards>
chiude: Anna            # closed:
[Loro: Carla, Dino]
3F 4F 5F 6F 2P=7F 8F 9F
mano: JK AQ 2C
pozzetto: non giocato: 4Q 7P ?
"""


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.of(card) for card in text.split())


def bare(sheet: Sheet) -> Sheet:
    """The sheet without the words in which its melds were typed."""
    sides = [replace(side, melds=tuple(m._replace(source="") for m in side.melds)) for side in sheet.table.sides]
    return replace(sheet, table=Table(tuple(sides)))


def errors_of(text: str, lang: str = "en") -> list[NotationError]:
    with pytest.raises(NotationError) as caught:
        parse_sheet(text, lang)
    error = caught.value
    return list(error.errors) if isinstance(error, NotationErrors) else [error]


def test_the_sheet_of_the_design() -> None:
    sheet = parse_sheet(DESIGN)
    assert (sheet.rules, sheet.options, sheet.lang) == ("fibur", {"semi_position": "end_only"}, "it")
    we, they = sheet.table.sides
    assert we == Side(
        "Noi", ("Anna", "Bruno"),
        (
            MeldText(cards("4h 5h 6h 7h 8h 9h 10h"), (), "4C-10C"),
            MeldText(cards("Ks Kd Kh"), (), "RP RQ RC"),
        ),
        (Hand((), "Anna"), Hand(cards("5c 9d"), "Bruno")), "played", (), True, "Anna",
    )  # fmt: skip
    assert they.melds[0].bindings == ((Card.of("2s"), Card.of("7c")),)
    assert they.hands == (Hand(cards("JK Ad 2h"), None),)
    assert (they.pozzetto, they.pozzetto_cards, they.closed) == ("unplayed", cards("4d 7s ?"), False)


def test_words_of_both_languages_say_the_same() -> None:
    english = """rules: stekius\noption: sets=true\nlang: en\ntrump: h
[We: Ann, Bob]\n4h-10h\nhand Ann: -\nhand of Bob: 5c 9d\npot: yes\nclosed by: Ann
[They]\nhand: JK\npot: no\n[Others]\npot: unplayed: 5c"""
    italian = """regole: Stekius\nopzione: sets = true\nlingua: italiano\nbriscola: cuori
[We: Ann, Bob]\n4C - 10C\nmano Ann: -\nmano di Bob: 5F 9Q\npozzetto: si'\nchiuso da: ann
[They]\nMANO: jolly\npozzetto: No\n[Others]\npozzetto: non  giocato: 5F"""
    one, two = bare(parse_sheet(english)), bare(parse_sheet(italian))
    assert one == replace(two, lang="en")
    assert one.options == {"sets": "true", "trump": "h"}
    # The words are of no language: only the cards are.
    mixed = "regole: stekius\nopzione: sets=true\nbriscola: h\n" + english.partition("trump: h\n")[2]
    assert bare(parse_sheet(mixed)) == one


@pytest.mark.parametrize("lang", ["en", "it"])
def test_a_sheet_is_written_in_its_language_and_read_again(lang: str) -> None:
    sheet = replace(parse_sheet(DESIGN.replace("[Loro", "trump: C\n[Loro")), lang=lang)
    text = format_sheet(sheet)
    assert bare(parse_sheet(text)) == bare(sheet)
    assert format_sheet(parse_sheet(text)) == text
    assert ("pozzetto: non giocato: 4Q 7P ?" in text) == (lang == "it")
    assert ("pot: unplayed: 4d 7s ?" in text) == (lang == "en")
    assert ("briscola: C" in text) == (lang == "it")


def test_the_language_holds_for_the_whole_sheet_and_the_sheet_wins() -> None:
    assert parse_sheet("[a]\n7C 8C 9C\nlang: it", "en").table.sides[0].melds[0].cards == cards("7h 8h 9h")
    assert parse_sheet("[a]\n7C 8C 9C", "it").table.sides[0].melds[0].cards == cards("7h 8h 9h")
    assert parse_sheet("[a]\n7C 8C 9C").table.sides[0].melds[0].cards == cards("7c 8c 9c")


def test_comments_and_blank_lines_and_line_ends_are_nothing() -> None:
    sheet = parse_sheet(
        "\ufeff# doubt: is the third card 9h? (0.61)\r\n\r\n[a] # us\r\n7h 8h ?  # doubt: 9h or 9d\r\nhand: - #\r\n"
    )
    assert sheet == Sheet(
        None, {}, "en", Table((Side("a", (), (MeldText(cards("7h 8h ?"), (), "7h 8h ?"),), (Hand(()),)),))
    )


def test_a_set_shorthand_is_no_keyword_and_a_slip_is_no_meld() -> None:
    assert parse_sheet("[a]\n7:hdsc\nace:hd 2s").table.sides[0].melds[1].cards == cards("Ah Ad 2s")
    assert [(e.code, e.suggestion) for e in errors_of("[a]\npozetto: no")] == [("unknown_keyword", "pozzetto")]
    assert [(e.code, e.suggestion) for e in errors_of("[a]\nhnad: 7h")] == [("unknown_keyword", "hand")]


BAD = """\
regole: fiburr
opzione: semi_position=end_onl
opzione: semi_positio=x
opzione: target
lang: it
lang: it
mano: 4C
4C 5C 6C
[Noi: Anna, Bruno]
4C-10C
RP RQ RX
mano Ana: 5F 5G
mano Bruno: 5F 9Q
mano Bruno: 5F 9Q
pozetto: sì
pozzetto: forse
chiude: Carla
chiude Anna
  7:CQX  # boh
[Loro: Carla, Dino
mano Carla: 7C 2P=8C
[Altri: Eva, eva]
[noi: Fabio]
pozzetto: non giocato: 4F 6Z
pozzetto: no
pozzetto di Eva: no
briscola: cuoro
regole:
,,
"""


def test_all_errors_at_once_in_order() -> None:
    errors = errors_of(BAD)
    assert [(e.line, e.column, e.code) for e in errors] == [
        (1, 9, "unknown_rules"),
        (2, 10, "bad_option"),
        (3, 10, "unknown_option"),
        (4, 10, "bad_option_line"),
        (6, 1, "duplicate_line"),
        (7, 1, "no_side_yet"),  # said once
        (11, 7, "unknown_suit"),
        (12, 6, "unknown_player"),
        (12, 14, "unknown_suit"),
        (14, 1, "duplicate_line"),
        (15, 1, "unknown_keyword"),
        (16, 11, "bad_pozzetto"),
        (17, 9, "unknown_player"),
        (18, 1, "missing_colon"),
        (19, 5, "set_suits"),
        (20, 1, "bad_side"),
        (21, 16, "bind_in_hand"),
        (22, 14, "duplicate_player"),
        (23, 2, "duplicate_side"),
        (24, 27, "unknown_suit"),
        (25, 1, "duplicate_line"),
        (26, 10, "extra_words"),
        (27, 11, "bad_trump"),
        (28, 1, "empty_value"),
        (29, 1, "empty_meld"),
    ]
    by_line = {e.line: e for e in errors}
    assert [by_line[n].suggestion for n in (1, 3, 15, 27)] == ["fibur", "semi_position", "pozzetto", "cuori"]
    assert errors[7].suggestion == "Anna" and errors[7].token == "Ana"
    for error in errors:
        for lang in ("en", "it"):
            said = error_text(error, lang)
            assert said and "\n" not in said and "{" not in said


def test_the_columns_point_at_their_tokens() -> None:
    lines = BAD.splitlines()
    for error in errors_of(BAD):
        if error.code != "duplicate_line":
            assert lines[error.line - 1][error.column - 1 :].startswith(error.token.rstrip("…")[:1]), error.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_sides"), ("\n # nothing\n", "no_sides"), ("rules: fibur", "no_sides"), ("7h 8h", "no_side_yet"),
        ("lang: fr\n[a]", "bad_lang"), ("lang: itt\n[a]", "bad_lang"),
        ("[a]\nrules: fibur\nrules: fibur", "duplicate_line"),
        ("option: target=5\noption: target=10\n[a]", "duplicate_line"),
        ("trump: h\noption: trump=s\n[a]", "duplicate_line"), ("[]", "bad_sheet_name"),
        ("[a: b,, c]", "bad_sheet_name"), ("[a: yes]", "bad_sheet_name"), ("[sì]", "bad_sheet_name"),
        ("[" + "a" * 61 + "]", "bad_sheet_name"), ("[a [b]]", "bad_side"), ("[a", "bad_side"), ("[a]]", "bad_side"),
        ("[a: b: c]", "bad_sheet_name"), ("[a]\npot: played: 7h", "bad_pozzetto"),
        ("[a]\npot: maybe", "bad_pozzetto"), ("[a]\nclosed: yes\nclosed: no", "duplicate_line"),
        ("[a: B]\nclosed: C", "unknown_player"), ("[a]\nclosed: x#y\nhand a,b: 7h", "bad_sheet_name"),
        ("[a]\nhand: 7h\nhand: 8h", "duplicate_line"), ("trump: C\n[a]\n", None), ("trump: q\n[a]", "other_language"),
        ("trump: x\n[a]", "bad_trump"), ("[a]\n7P", "other_language"), ("[a]\n7h\nhand: 7P", "mixed_languages"),
        ("[a]\n7h\n7c\npot: unplayed: 7P", "mixed_languages"), ("[a]\n7h \x07", "control_character"),
        ("[a]\n\x00", "control_character"), ("[a]\n" + "7h " * 2000, "line_too_long"),
        ("x" * 5_000_000, "text_too_long"), ("\n" * 5_000_000, "text_too_long"), ("[a]\n- ", "dangling_operator"),
        ("[a]\nhand: ,", "empty_meld"), ("[a]\nhand: 7h -", "dangling_operator"),
    ],
)  # fmt: skip
def test_one_fault(text: str, code: str | None) -> None:
    if code is None:
        parse_sheet(text)
    else:
        errors = errors_of(text)
        assert [e.code for e in errors] == [code]
        assert len(errors[0].message) < 300 and errors[0].message.isprintable()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[a]\n7h \x07", (2, 4)), ("[a]\nhand: 7h 8\x07", (2, 11)), ("[a]\npot: unplayed: 7h \x07", (2, 19)),
        ("[a]\nhand: 7h 8x", (2, 10)), ("[a]\npot: unplayed: 8x", (2, 16)), ("[a]\n  7h 8x", (2, 6)),
        ("[a]\nhand: 7h 2s=", (2, 10)), ("[a]\n4h-10h 3y", (2, 8)), ("[a]\nhand: 7 of harts", (2, 7)),
    ],
)  # fmt: skip
def test_the_column_counts_from_the_beginning_of_the_line(text: str, place: tuple[int, int]) -> None:
    (error,) = errors_of(text)
    assert (error.line, error.column) == place


def test_names_of_the_field_are_names() -> None:
    sheet = parse_sheet("[NS: N, S]\nhand N: 7h\nclosed: S\n[E/O: José, D'Amico, Zoë 2]\nclosed: NO")
    assert [side.closed_by for side in sheet.table.sides] == ["S", None]
    assert [side.closed for side in sheet.table.sides] == [True, False]
    assert bare(parse_sheet(format_sheet(sheet))) == bare(sheet)


def test_many_errors_are_cut() -> None:
    errors = errors_of("[a]\n" + "4x 5h\n" * 5000)
    assert len(errors) == 51 and errors[-1].code == "too_many_errors"
    assert errors[-1].line == errors[-2].line == 51
    rubbish = errors_of("[a]\n" + "4h \x07\n" * 5000)
    assert [e.code for e in rubbish] == ["control_character"] * 50 + ["too_many_errors"] and rubbish[-1].line == 51


LONG = pytest.mark.long
JUNK = ["x y z\n", "[a]\n", "4h-\n", "mano x: 7h\n"]
MORE_JUNK = [pytest.param(junk, marks=LONG) for junk in ("a:b\n", "#\n", "\x01\n", ":\n", "7h,\n")]


@pytest.mark.parametrize("junk", [*JUNK, *MORE_JUNK])
def test_long_junk_is_read_in_linear_time(junk: str) -> None:
    text = "[b]\n" + junk * ((MAX_SHEET - 10) // len(junk))
    began = time.process_time()
    try:
        parse_sheet(text)
    except NotationError as error:
        assert len(str(error)) < 300
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "side",
    [
        Side("a,b"), Side(""), Side("a", ("x:y",)), Side("a", ("no",)), Side("a\nb"),
        Side("a", hands=(Hand((), " x"),)), Side("a", melds=(MeldText(()),)),
        Side("a", pozzetto="played", pozzetto_cards=cards("7h")),
        Side("a", pozzetto_cards=cards("7h")), Side("a", closed=True, closed_by="#1"),
    ],
)  # fmt: skip
def test_what_a_sheet_cannot_say_is_not_written(side: Side) -> None:
    with pytest.raises(NotationError):
        format_sheet(Sheet(None, {}, "en", Table((side,))))


def test_files_are_utf8() -> None:
    assert decode_text("\ufeffsì".encode()) == decode_text("sì".encode()) == "sì"
    for data in ("sì".encode("latin-1"), "sì".encode("utf-16"), b"\x89PNG\r\n\x1a\n", bytes(range(256)) * 20_000):
        with pytest.raises(NotationError) as caught:
            decode_text(data)
        assert caught.value.code == "not_text"


def test_a_bad_default_language_is_refused() -> None:
    assert [e.code for e in errors_of("[a]", "fr")] == ["bad_lang"]


def test_hand_of_the_quick_reader_equals_the_careful_one() -> None:
    assert parse_cards("7h, 8h") == parse_cards("7h\t8h")
