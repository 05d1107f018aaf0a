"""The reports as people read them. The files in `golden/` are read by a person before they are committed.

`BURRACO_GOLDEN=write pytest tests/scorer/test_report.py` writes them anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scorer.compare import compare
from scorer.notation import parse_sheet
from scorer.profile import load_profile
from scorer.report import comparison, plain, report
from scorer.scoring import score

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
SAMPLES = HERE.parents[1] / "samples"
VOID = "rules: classico\n[A]\n4h 5h 6h\npot: no\n[B]\nhand: 5c\npot: no\n"

CASES = {
    "vanikar_it": ["score", "samples/vanikar_it.txt"],
    "fibur_it_explain": ["score", "samples/fibur_it.txt", "--explain"],
    "fibur_in_english": ["score", "samples/fibur_it.txt", "--lang", "en"],
    "irregular_en_explain": ["score", "samples/irregular_en.txt", "--explain"],
    "irregular_it": ["score", "samples/irregular_en.txt", "--lang", "it"],
    "stekius_en": ["score", "samples/stekius_en.txt"],
    "brasile_it": ["score", "samples/brasile_it.txt"],
    "unreadable_it": ["score", "samples/unreadable_it.txt"],
    "compare_it": ["score", "samples/fibur_it.txt", "--compare", "fibur,vanikar,stekius,internazionale"],
    "compare_en": ["score", "samples/fitab_en.txt", "--compare", "fitab,feburit,fibur"],
    "compare_same": ["score", "samples/vanikar_it.txt", "--compare", "vanikar,fibur", "--lang", "en"],
    "meld_it_explain": ["meld", "3C 4C 5C 6C 7C 8C 9C 2P", "--lang", "it", "--rules", "fibur", "--explain"],
    "meld_en": ["meld", "Qh Kh JK", "--rules", "fibur"],
    "meld_en_illegal": ["meld", "Kh Ah 3h 2s JK", "--explain"],
    "rules_list_it": ["rules", "list", "--lang", "it"],
    "rules_diff_en": ["rules", "diff", "fibur", "fitab"],
    "rules_show_it": ["rules", "show", "feburit", "--lang", "it"],
}


@pytest.mark.parametrize("name", CASES)
def test_the_words_of_the_report(name: str, burraco: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES.parent)
    ran = burraco(*CASES[name])
    shown = f"$ burraco {' '.join(CASES[name])}\n{ran.out}{ran.err}[exit {ran.code}]\n"
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("BURRACO_GOLDEN") == "write":
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_case() -> None:
    assert {file.stem for file in GOLDEN.glob("*.txt")} == set(CASES)


def sheet_report(words: str, lang: str = "en", **params: bool) -> str:
    sheet = parse_sheet(words)
    profile = load_profile(sheet.rules or "vanikar", sheet.options)
    return plain(report(sheet.table, score(sheet.table, profile), profile, lang, **params))


def test_a_void_deal_says_so_once() -> None:
    shown = sheet_report(VOID, "it")
    assert shown.count("NULLA") == 1 and "smazzata nulla" in shown
    assert shown.count("si rigioca") == 1


def test_no_line_ends_in_spaces_and_columns_stand_in_line() -> None:
    for file in SAMPLES.glob("*_??.txt"):
        if file.stem == "unreadable_it":
            continue
        lines = sheet_report(file.read_text(encoding="utf-8")).splitlines()
        assert [line for line in lines if line != line.rstrip()] == []
        ends = {len(line) for line in lines if line.split() and line.split()[-1].lstrip("-").isdigit()}
        assert len(ends) == 1, file


def test_every_figure_of_the_report_is_the_scorers() -> None:
    sheet = parse_sheet((SAMPLES / "fibur_it.txt").read_text(encoding="utf-8"))
    profile = load_profile("fibur")
    scored = score(sheet.table, profile)
    made = report(sheet.table, scored, profile)
    for side, section in zip(scored.sides, made.sections, strict=True):
        melds = [row for row in section.rows if row.number]
        assert [(row.points, row.total) for row in melds] == [
            (str(verdict.card_points), str(verdict.total)) for verdict in side.melds
        ]
        assert section.rows[-1].total == str(side.score.total)
        assert sum(int(row.total) for row in section.rows[:-1]) == side.score.total


def test_a_comparison_marks_what_differs_from_the_first() -> None:
    table = parse_sheet("[A]\n3h-10h 2s\npot: yes\n[B]\npot: no").table
    shown = comparison(table, compare(table, [load_profile("vanikar"), load_profile("fibur")]), "en").plain()
    meld = next(line for line in shown if "meld 1" in line)
    assert "dirty  175 " in meld and meld.endswith("half-clean  225*")
    assert next(line for line in shown if line.startswith("  closing")).count("*") == 0


def test_side_names_do_not_run_together() -> None:
    shown = sheet_report("[Rita: Rita]\n4h 5h 6h\n[A very long name of a side: Anna, Bruno]\n")
    assert "\nRita  " in shown and "A very long name of a side: Anna, Bruno" in shown


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_figure_is_cut_off_on_a_narrow_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from scorer.cli.rich_report import show_report

    sheet = parse_sheet((SAMPLES / "fitab_en.txt").read_text(encoding="utf-8"))
    profile = load_profile("fitab")
    made = report(sheet.table, score(sheet.table, profile), profile)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout", out := io.StringIO())
    show_report(made, colour=False)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= width
    assert [line.split()[-1] for line in lines if " TOTAL " in line] == ["695", "295"]
    assert sum(line.endswith(" points") for line in lines) == 2


def test_the_terminal_shows_the_same_figures_and_no_colour_against_the_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    from scorer.cli.rich_report import show_comparison, show_report

    sheet = parse_sheet((SAMPLES / "irregular_en.txt").read_text(encoding="utf-8"))
    profile = load_profile("vanikar")
    made = report(sheet.table, score(sheet.table, profile), profile, explain=True)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("TERM", "xterm-256color")
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    show_report(made, colour=False)
    show_comparison(comparison(sheet.table, compare(sheet.table, [profile]), "en"), colour=False)
    shown = out.getvalue()
    assert "\x1b[3" not in shown
    for section in made.sections:
        for row in section.rows:
            assert row.cards in shown and row.total in shown
    for sentence, _ in made.faults:
        assert sentence[:60] in shown
