"""The reports drawn on a terminal with rich. Imported only there: it costs more than all the rest of the command."""

from __future__ import annotations

import sys
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from scorer.report import CompareReport, Report, Row, Section

_SUITS: Final = {"♥": "red", "♦": "red"}
_TONES: Final = {"bad": "red", "strong": "bold"}


def console(colour: bool) -> Console:
    """A console on the standard output; `colour` False draws without any."""
    return Console(file=sys.stdout, no_color=not colour, highlight=False, soft_wrap=False)


def _cards(words: str) -> Text:
    """Text in which the red suits are red."""
    made = Text(words)
    for symbol, style in _SUITS.items():
        made.highlight_regex(rf"(?:10|[A2-9JQK?]){symbol}", style)
    return made


def _grid(section: Section, columns: tuple[str, str, str], widths: tuple[int, int]) -> Grid:
    grid = Grid(title=section.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("", justify="right", style="dim")
    grid.add_column("", overflow="fold", width=widths[0])
    grid.add_column("", overflow="fold", width=widths[1])
    for column in columns:
        grid.add_column(column, justify="right", no_wrap=True, min_width=len(column))
    for row in section.rows:
        if row.tone == "strong":
            grid.add_section()
        grid.add_row(*_cells(row), style=_TONES.get(row.tone))
    return grid


def _widths(made: Report, width: int) -> tuple[int, int]:
    """The widths of the cards and of what they are: the same for every side, no wider than the terminal."""
    rows = [row for section in made.sections for row in section.rows]
    room = max(width - sum([len(column) for column in made.columns]) - 18, 20)
    what = min(max(len(row.what) for row in rows), room // 3)
    return min(max(len(row.cards) for row in rows), room - what), what


def _cells(row: Row) -> list[Text]:
    return [
        Text(row.number), _cards(row.cards), Text(row.what), Text(row.points), Text(row.bonus), Text(row.total),
    ]  # fmt: skip


def show_report(made: Report, *, colour: bool) -> None:
    """Draw the report of a deal."""
    out = console(colour)
    for line in made.head:
        out.print(Text(line, "dim"))
    widths = _widths(made, out.width)
    for section in made.sections:
        out.print()
        out.print(_grid(section, made.columns, widths))
        for number, reasons in section.reasons:
            for at, reason in enumerate(reasons):
                out.print(Text(f"{number if not at else '':>3}  "), _cards(reason), sep="")
    if made.void:
        out.print(Text(f"\n{made.void}", "yellow"))
    _listed(out, made.faults_title, made.faults, "red")
    _listed(out, made.notices_title, made.notices, "yellow")


def _listed(out: Console, title: str, items: tuple[tuple[str, str], ...], style: str) -> None:
    if items:
        out.print(Text(f"\n{title}:", f"bold {style}"))
    for sentence, why in items:
        out.print(Text(f"  - {sentence}"))
        if why:
            out.print(Text(f"    {why}", "dim"))


def show_comparison(made: CompareReport, *, colour: bool) -> None:
    """Draw a comparison, what differs in colour."""
    out = console(colour)
    grid = Grid(title=made.head, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("")
    for column in made.columns:
        grid.add_column(column, justify="right")
    for row in made.rows:
        if row.title:
            grid.add_section()
            grid.add_row(Text(row.label, "bold"), *[""] * len(made.columns))
            continue
        cells = [Text(cell, "yellow" if cell.endswith("*") else "") for cell in row.values]
        grid.add_row(Text(row.label), *cells)
    out.print(grid)
    for line in made.footer:
        out.print(Text(line))
