"""The report of `burraco simulate` as tables for people, at most 80 columns wide."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from rich.table import Table

from scorer.cli.board import console
from scorer.cli.common import in_colour, say
from scorer.messages import has, text


def show(report: dict[str, Any], moves: int, seconds: float, lang: str) -> None:
    """Print a report (`simulation_shape`)."""
    rate = round(moves / max(seconds, 1e-9))
    say(text("game.deals", lang, deals=report["deals"], moves=report["moves"], seconds=f"{seconds:.2f}", rate=rate))
    if not report["deals"]:
        return
    screen = console(colour=in_colour())
    screen.print(_spreads(report, lang))
    screen.print(_seats(report, lang))
    ends = [f"{text(f'simulate.by_{end}', lang)} {count}" for end, count in report["ends"].items() if count]
    say(f"{text('simulate.ended', lang)}: {', '.join(ends)}")
    if report["void"]:
        say(f"{text('simulate.void', lang)}: {report['void']}")
    made = report["statistics"]["burrachi"]
    if made:
        line = f"{text('simulate.burrachi', lang)}: " + ", ".join(f"{_kind(k, lang)} {n}" for k, n in made.items())
        say(*wrap(line, 79, subsequent_indent="  "))
    edge = report["statistics"]["first_player_edge"]
    if edge:
        figures = {key: f"{edge[key]:+.0f}" for key in ("points", "low", "high")}
        say(*wrap(text("simulate.edge", lang, **figures, won=f"{100 * edge['won']:.1f}"), 79, subsequent_indent="  "))
    _matches(report["matches"], lang)


def _kind(kind: str, lang: str) -> str:
    return text(f"type.{kind}", lang) if has(f"type.{kind}", lang) else kind


def _spreads(report: dict[str, Any], lang: str) -> Table:
    table = Table(box=None, padding=(0, 1))
    table.add_column(text("simulate.quantity", lang))
    for head in (text("simulate.mean", lang), text("simulate.sd", lang), "5 %", "25 %", "50 %", "75 %", "95 %"):
        table.add_column(head, justify="right")
    rows = [
        (f"{text('simulate.points', lang)} {seat} {one['bot']}", one["points"])
        for seat, one in report["statistics"]["seats"].items()
    ]
    for name, values in [*rows, (text("simulate.turns", lang), report["statistics"]["turns"])]:
        if values:
            table.add_row(name, *[f"{value:.0f}" for value in values.values()])
    return table


def _seats(report: dict[str, Any], lang: str) -> Table:
    table = Table(box=None, padding=(0, 1))
    table.add_column(text("simulate.seat", lang))
    table.add_column(text("simulate.bot", lang))
    for head in ("closed", "pots_missed", "burrachi"):
        table.add_column(text(f"simulate.{head}", lang), justify="right")
    for seat, one in report["statistics"]["seats"].items():
        missed = "-" if one["pots_missed"] is None else f"{100 * one['pots_missed']:.1f} %"
        closed = f"{100 * one['closed'] / max(report['deals'], 1):.1f} %"
        table.add_row(seat, one["bot"], closed, missed, f"{sum(one['burrachi'].values()):.2f}")
    return table


def _matches(found: dict[str, Any] | None, lang: str) -> None:
    if not found or not found["deals"]:
        return
    spread = found["deals"]
    won = ", ".join(f"{name} {count}" for name, count in found["won"].items())
    say(text("simulate.match", lang, won=won, mean=f"{spread['mean']:.1f}", low=f"{spread['p5']:.0f}",
             high=f"{spread['p95']:.0f}"))  # fmt: skip
    if found["unfinished"]:
        say("  " + text("simulate.unfinished", lang, count=found["unfinished"]))
