"""The report that people read: lines and tables of text, in Italian or English, without colours and without output.

A `Report` is plain data; `plain` lays it out for a pipe, the command draws it richly on a terminal. Every number is
one that the scorer gave.

>>> from scorer.notation import parse_sheet
>>> from scorer.profile import load_profile
>>> from scorer.scoring import score
>>> table = parse_sheet("[A]\\n4h-10h\\npot: yes\\nclosed: yes\\n[B]\\npot: no\\nhand: 5c").table
>>> profile = load_profile("vanikar")
>>> print(plain(report(table, score(table, profile), profile)).splitlines()[3].split())
['1', '4♥', '5♥', '6♥', '7♥', '8♥', '9♥', '10♥', 'clean', 'burraco', '50', '200', '250']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from scorer.compare import Comparison
from scorer.compare import Row as CompareRowData
from scorer.explain import (
    cards_text,
    explain_fault,
    explain_line,
    explain_meld,
    fault_text,
    line_text,
    meld_cards_text,
)
from scorer.meld_report import head_lines
from scorer.melds import MeldVerdict
from scorer.messages import text
from scorer.profile import RuleProfile
from scorer.scoring import ScoreLine, ScoreSheet, SideScore
from scorer.table import Side, Table

#: Lines that stand in a meld's own row.
_OF_MELD: Final = frozenset({"meld_cards", "burraco", "burraco_trump"})


class Row(NamedTuple):
    """A row of a side: its number, the cards, what they are, three numbers as text; `tone` is bad, strong or empty."""

    number: str
    cards: str
    what: str
    points: str
    bonus: str
    total: str
    tone: str = ""


class Section(NamedTuple):
    """One side: its title, its rows, and with `--explain` the reasons (number of the meld or empty, sentences)."""

    title: str
    rows: tuple[Row, ...]
    reasons: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Report(NamedTuple):
    """A whole deal; `faults` and `notices` are sentences, each with the rule that decided it or an empty text."""

    head: tuple[str, ...]
    columns: tuple[str, str, str]
    sections: tuple[Section, ...]
    void: str
    faults_title: str
    faults: tuple[tuple[str, str], ...]
    notices_title: str
    notices: tuple[tuple[str, str], ...]


def report(table: Table, sheet: ScoreSheet, profile: RuleProfile, lang: str = "en", *, explain: bool = False) -> Report:
    """The report of a scored table; `explain`: with the reasons of every meld and line."""
    sections = tuple(
        [_section(side, scored, profile, lang, explain) for side, scored in zip(table.sides, sheet.sides, strict=True)]
    )

    def shown(faults: Iterable[object]) -> tuple[tuple[str, str], ...]:
        return tuple(
            [
                (fault_text(f, lang), explain_fault(f, profile, lang) if explain else "")  # type: ignore[arg-type]  # same shape
                for f in faults
            ]
        )

    return Report(
        head_lines(profile, lang),
        (text("report.cards", lang), text("report.bonus", lang), text("report.points", lang)),
        sections,
        text("report.void", lang) if sheet.void else "",
        text("report.violations", lang, count=len(sheet.violations)),
        shown(sheet.violations),
        text("report.notices", lang),
        shown(notice for notice in sheet.notices if notice.code != "void"),
    )


def _section(side: Side, scored: SideScore, profile: RuleProfile, lang: str, explain: bool) -> Section:
    title = side.name + (": " + ", ".join(side.players) if side.players not in ((), (side.name,)) else "")
    rows = [_meld_row(number, verdict, lang) for number, verdict in enumerate(scored.melds, 1)]
    if not rows:
        rows.append(Row("", text("report.no_melds", lang), "", "", "", ""))
    rows += [_line_row(line, lang) for line in scored.lines if line.code not in _OF_MELD]
    rows.append(Row("", text("report.side_total", lang), "", "", "", str(scored.score.total), "strong"))
    return Section(title, tuple(rows), _reasons(scored, profile, lang) if explain else ())


def _meld_row(number: int, verdict: MeldVerdict, lang: str) -> Row:
    cards = meld_cards_text(verdict)
    if not verdict.legal:
        what, mood = text("report.illegal", lang), "bad"
    else:
        what = text(f"type.{verdict.type}" if verdict.type else f"kind.{verdict.kind}", lang)
        mood = ""
    bonus = str(verdict.bonus) if verdict.type else ""
    return Row(str(number), cards, what, str(verdict.card_points), bonus, str(verdict.total), mood)


def _line_row(line: ScoreLine, lang: str) -> Row:
    label = line_text(line, lang)
    shown = f"{label}: {cards_text(line.cards)}" if line.cards else label
    return Row("", shown, "", "", "", str(line.points), "bad" if line.code == "closing_refused" else "")


def _reasons(scored: SideScore, profile: RuleProfile, lang: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = [
        (str(number), tuple(explain_meld(verdict, profile, lang))) for number, verdict in enumerate(scored.melds, 1)
    ]
    for line in scored.lines:
        if line.code not in _OF_MELD:
            first, *rest = explain_line(line, profile, lang) or [""]
            found.append(("", (text("explain.labelled", lang, label=line_text(line, lang), reason=first), *rest)))
    return tuple(found)


# --- plain text -----------------------------------------------------------------------------------------------------


def plain(made: Report) -> str:
    """The report as plain text, columns aligned, no line with spaces at its end."""
    rows = [row for section in made.sections for row in section.rows]
    widths = _widths(rows, made.columns)
    out = list(made.head)
    for section in made.sections:
        out += ["", _titled(section.title, made.columns, widths)]
        out += [_laid_out(row, widths) for row in section.rows]
        for number, reasons in section.reasons:
            out += [f"{(number if not at else ''):>3}  {reason}" for at, reason in enumerate(reasons)]
    if made.void:
        out += ["", made.void]
    out += _listed(made.faults_title, made.faults)
    out += _listed(made.notices_title, made.notices)
    return "\n".join([line.rstrip() for line in out]) + "\n"


def _listed(title: str, items: Sequence[tuple[str, str]]) -> list[str]:
    if not items:
        return []
    lines = ["", f"{title}:"]
    for sentence, why in items:
        lines.append(f"  - {sentence}")
        if why:
            lines.append(f"    {why}")
    return lines


def _widths(rows: Sequence[Row], columns: tuple[str, str, str]) -> tuple[int, int, tuple[int, int, int]]:
    """Widths of the cards, of what they are, and of the three numbers."""
    cards = max([len(row.cards) for row in rows if row.number] + [20])
    what = max([len(row.what) for row in rows] + [8])
    long = max([len(row.cards) for row in rows if not row.number] + [0])
    what = max(what, long - cards - 2)
    return cards, what, (len(columns[0]) + 2, len(columns[1]) + 2, max(len(columns[2]), 5) + 2)


def _titled(title: str, columns: tuple[str, str, str], widths: tuple[int, int, tuple[int, int, int]]) -> str:
    cards, what, numbers = widths
    heads = "".join([f"{column:>{width}}" for column, width in zip(columns, numbers, strict=True)])
    return f"{title:<{cards + what + 7}}{heads}"


def _laid_out(row: Row, widths: tuple[int, int, tuple[int, int, int]]) -> str:
    cards, what, numbers = widths
    left = f"{row.number:>3}  {row.cards:<{cards}}  {row.what:<{what}}" if row.number else f"     {row.cards}"
    left = f"{left:<{cards + what + 7}}"
    cells = (row.points, row.bonus, row.total)
    return left + "".join([f"{cell:>{width}}" for cell, width in zip(cells, numbers, strict=True)])


# --- several rule sets ---------------------------------------------------------------------------------------------


class CompareRow(NamedTuple):
    """A row of a comparison: its label and its values, each marked with `*` where it differs from the first."""

    label: str
    values: tuple[str, ...]
    differs: bool
    title: bool = False


class CompareReport(NamedTuple):
    """A comparison for people. `footer` holds the legend and the violations under each rule set."""

    head: str
    columns: tuple[str, ...]
    rows: tuple[CompareRow, ...]
    footer: tuple[str, ...]

    def plain(self) -> list[str]:
        """The comparison as lines of plain text."""
        label = max([len(row.label) for row in self.rows] + [10])
        width = max([len(cell) for row in self.rows for cell in row.values] + [len(c) for c in self.columns]) + 2
        out = [self.head, "", " " * label + "".join([f"{column:>{width}}" for column in self.columns])]
        for row in self.rows:
            out.append(f"{row.label:<{label}}" + "".join([f"{cell:>{width}}" for cell in row.values]))
        return [line.rstrip() for line in [*out, *self.footer]]


def comparison(table: Table, made: Comparison, lang: str = "en") -> CompareReport:
    """The report of a comparison; values that differ from the first rule set's carry a `*`."""
    columns = tuple([profile.id for profile in made.profiles])
    rows: list[CompareRow] = []
    side = ""
    figures = [row for row in made.rows if not row.meld or row.what in ("type", "total")]
    for row in figures:
        if row.what == "void" and not row.differs and row.values[0] == "no":
            continue
        if row.side != side:
            side = row.side
            rows.append(CompareRow(side, ("",) * len(columns), False, title=True))
        if not row.meld:
            rows.append(_compare_row(row, lang))
        elif row.what == "type":
            total = next(r for r in figures if r[:3] == (row.side, row.meld, "total"))
            rows.append(_compare_meld(row, total, lang))
    same = not any([row.differs for row in made.rows])
    legend = text("compare.same", lang) if same else text("compare.marked", lang, id=columns[0])
    return CompareReport(
        text("compare.title", lang, count=len(columns)), columns, tuple(rows), ("", legend, *_faults_of(made, lang))
    )


def _faults_of(made: Comparison, lang: str) -> list[str]:
    """Each violation once, with the rule sets that find it."""
    found: dict[str, list[str]] = {}
    for profile, sheet in zip(made.profiles, made.sheets, strict=True):
        for fault in sheet.violations:
            found.setdefault(fault_text(fault, lang), []).append(profile.id)
    lines = [f"  - {sentence} ({', '.join(dict.fromkeys(ids))})" for sentence, ids in found.items()]
    return ["", f"{text('report.violations', lang, count=len(lines))}:", *lines] if lines else []


def _marked(values: Sequence[str]) -> tuple[str, ...]:
    return tuple([value + ("*" if value != values[0] else " ") for value in values])


def _compare_row(row: CompareRowData, lang: str) -> CompareRow:
    label = text(f"compare.{row.what}", lang)
    shown = [_compare_value(row.what, value, lang) for value in row.values]
    return CompareRow(f"  {label}" if row.side else label, _marked(shown), row.differs)


def _compare_meld(kinds: CompareRowData, totals: CompareRowData, lang: str) -> CompareRow:
    label = text("place.meld", lang, meld=kinds.meld)
    named = [_compare_value("type", kind, lang) for kind in kinds.values]
    cells = [f"{name} {total:>4}" for name, total in zip(named, totals.values, strict=True)]
    return CompareRow(f"  {label}", _marked(cells), kinds.differs or totals.differs)


def _compare_value(what: str, value: str, lang: str) -> str:
    if what == "type":
        return text("compare.illegal", lang) if value == "illegal" else text(f"compare.types.{value}", lang)
    return text(f"compare.{value}", lang) if what in ("legal", "void") else value
