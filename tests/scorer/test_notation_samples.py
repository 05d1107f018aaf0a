"""The sample sheets: they read, they are whole deals of one deck, and they score to the totals that the index gives."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.cards import over_deck
from scorer.errors import NotationErrors
from scorer.notation import Sheet, decode_text, error_text, format_sheet, parse_sheet
from scorer.profile import load_profile
from scorer.scoring import ScoreSheet, score

SAMPLES = Path(__file__).parents[2] / "samples"
#: sheet name -> the totals of its sides, as samples/README.md prints them.
INDEX = {
    name: {side: int(total) for side, total in re.findall(r"(\w+) (-?\d+)", totals)}
    for name, totals in re.findall(
        r"^\| \[(\w+\.txt)\].*\|([^|]+)\|$", (SAMPLES / "README.md").read_text("utf-8"), re.M
    )
}
#: (points of cards, burraco, closing, hand, pozzetto) of every side, added up by hand from the rules.
BY_HAND = {
    "vanikar_it.txt": [(300, 300, 100, -25, 0), (105, 100, 0, -115, -100)],
    "vanikar_words_it.txt": [(300, 300, 100, -25, 0), (105, 100, 0, -115, -100)],
    "stekius_en.txt": [(275, 700, 100, -20, 0), (115, 150, 0, -80, -100)],
    "classico_it.txt": [(240, 400, 0, -45, 0), (140, 100, 0, -160, 0)],
    "canasta_en.txt": [(195, 200, 100, 0, 0), (100, 100, 0, -25, -100)],
    "brasile_it.txt": [(89, 200, 100, 0, 0), (66, 100, 0, -43, 0), (72, 0, 0, -32, 0)],
    "fibur_it.txt": [(285, 350, 100, -25, 0), (185, 100, 0, -150, 0)],
    "fitab_en.txt": [(270, 350, 100, -25, 0), (185, 250, 0, -40, -100)],
    "buraco_aberto_en.txt": [(270, 600, 100, -20, 0), (120, 200, 0, -90, -100)],
    "internazionale_it.txt": [(270, 200, 100, -25, 0), (150, 0, 0, -75, -100)],
    "irregular_en.txt": [(110, 0, 0, -10, -100), (50, 0, 0, -25, 0)],
    "photo_doubts_en.txt": [(70, 200, 0, -5, 0), (20, 0, 0, -10, -100)],
}
READABLE = sorted(BY_HAND)
LEGAL = [name for name in READABLE if not name.startswith(("irregular", "photo"))]


def read(name: str) -> Sheet:
    return parse_sheet(decode_text((SAMPLES / name).read_bytes()))


def scored(sheet: Sheet) -> ScoreSheet:
    return score(sheet.table, load_profile(sheet.rules or "vanikar", sheet.options))


def test_the_index_names_every_sheet() -> None:
    assert (
        sorted(INDEX) == sorted(path.name for path in SAMPLES.glob("*.txt")) == sorted([*BY_HAND, "unreadable_it.txt"])
    )


@pytest.mark.parametrize("name", READABLE)
def test_a_sheet_scores_to_the_totals_of_the_index(name: str) -> None:
    result = scored(read(name))
    assert {side.name: side.score.total for side in result.sides} == INDEX[name]
    assert [side.score[:5] for side in result.sides] == BY_HAND[name]
    assert all(sum(parts) == total for parts, total in zip(BY_HAND[name], INDEX[name].values(), strict=True))
    assert result.legal == (name in LEGAL)


@pytest.mark.parametrize("name", LEGAL)
def test_a_sheet_is_a_possible_deal(name: str) -> None:
    """No card too many; nor too few: a turn discards no more than it drew, so a side keeps what it was dealt."""
    sheet = read(name)
    rules = load_profile(sheet.rules or "vanikar", sheet.options)
    everything = []
    for side in sheet.table.sides:
        cards = [card for _, held in side.places() for card in held]
        taken = rules.pot.pot_size if side.pozzetto in ("played", "unplayed") else 0
        assert len(cards) >= rules.table.hand_size * max(1, len(side.players)) + taken, side.name
        everything += cards
    assert over_deck(everything) == {} and len(everything) <= 108


@pytest.mark.parametrize("name", READABLE)
def test_a_sheet_written_again_in_either_language_scores_the_same(name: str) -> None:
    sheet = read(name)
    for lang in ("en", "it"):
        written = format_sheet(replace(sheet, lang=lang))
        assert parse_sheet(written).options == sheet.options
        assert scored(parse_sheet(written)) == scored(sheet)


def test_what_is_irregular_is_named() -> None:
    assert {violation.code for violation in scored(read("irregular_en.txt")).violations} == {
        "too_many_wilds", "hole", "close_without_pot", "close_without_burraco", "too_many_copies",
    }  # fmt: skip


def test_every_slip_of_the_unreadable_sheet_is_told_at_once() -> None:
    with pytest.raises(NotationErrors) as caught:
        read("unreadable_it.txt")
    errors = caught.value.errors
    assert [(e.line, e.code) for e in errors] == [
        (2, "unknown_rules"), (3, "unknown_option"), (7, "range_order"), (8, "unknown_rank"), (9, "missing_join"),
        (9, "unknown_suit"), (10, "unknown_player"), (11, "unknown_keyword"), (12, "missing_colon"),
        (15, "glued_cards"), (16, "bind_card"), (17, "bare_j"), (18, "bad_pozzetto"),
    ]  # fmt: skip
    assert [e.suggestion for e in errors if e.suggestion] == [
        "fibur", "semi_position", "4C-10C", "FC", "7 di cuori", "7 di picche", "Anna", "pozzetto", "3F 4F 5F", "JK",
    ]  # fmt: skip
    assert all(error_text(e, "it") for e in errors)
