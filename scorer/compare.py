"""The same table under several rule sets, side by side: what comes out differently, and where.

>>> from scorer.profile import load_profile
>>> from scorer.notation import parse_sheet
>>> table = parse_sheet("[A]\\n3h-10h 2s\\npot: yes\\n[B]\\npot: no").table
>>> made = compare(table, [load_profile("vanikar"), load_profile("fibur")])
>>> [(d.what, d.values) for d in made.rows if d.differs][:2]
[('type', ('dirty', 'semi')), ('bonus', ('100', '150'))]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scorer.contract import Json, score_json
from scorer.melds import MeldVerdict
from scorer.profile import RuleProfile
from scorer.scoring import Score, ScoreSheet, SideScore, score
from scorer.table import Table


class Row(NamedTuple):
    """One figure under each rule set. `meld` is the number of a meld, 0 for a figure of the whole side or deal."""

    side: str
    meld: int
    what: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether any rule set gives another figure than the first."""
        return len(set(self.values)) > 1


class Comparison(NamedTuple):
    """Rule sets, their sheets and the rows; the first rule set is the one that the others are compared with."""

    profiles: tuple[RuleProfile, ...]
    sheets: tuple[ScoreSheet, ...]
    rows: tuple[Row, ...]


def compare(table: Table, profiles: Sequence[RuleProfile]) -> Comparison:
    """Score a table under each rule set."""
    sheets = tuple([score(table, profile) for profile in profiles])
    rows: list[Row] = []
    for at, side in enumerate(table.sides):
        scored = [sheet.sides[at] for sheet in sheets]
        for number in range(len(side.melds)):
            rows += _meld_rows(side.name, number, scored)
        rows += [
            Row(side.name, 0, figure, tuple([str(getattr(one.score, figure)) for one in scored]))
            for figure in Score._fields
        ]
    rows.append(Row("", 0, "legal", tuple(["yes" if sheet.legal else "no" for sheet in sheets])))
    rows.append(Row("", 0, "void", tuple(["yes" if sheet.void else "no" for sheet in sheets])))
    return Comparison(tuple(profiles), sheets, tuple(rows))


def _meld_rows(name: str, number: int, scored: Sequence[SideScore]) -> list[Row]:
    verdicts = [one.melds[number] for one in scored]
    figures: tuple[tuple[str, Callable[[MeldVerdict], object]], ...] = (
        ("type", lambda verdict: verdict.type or verdict.kind or "illegal"),
        ("card_points", lambda verdict: verdict.card_points),
        ("bonus", lambda verdict: verdict.bonus),
        ("total", lambda verdict: verdict.total),
    )
    return [Row(name, number + 1, what, tuple([str(of(v)) for v in verdicts])) for what, of in figures]


def comparison_json(made: Comparison, lang: str = "en") -> Json:
    """A comparison as JSON data: the ids, a score result for each, and the figures that differ."""
    results = [score_json(sheet, profile, lang) for sheet, profile in zip(made.sheets, made.profiles, strict=True)]
    rows = [
        {"side": row.side or None, "meld": row.meld or None, "what": row.what, "values": list(row.values)}
        for row in made.rows
        if row.differs
    ]
    return {"compare": [profile.id for profile in made.profiles], "results": results, "differences": rows}
