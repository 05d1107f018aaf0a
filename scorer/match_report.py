"""A match for a person at a terminal: the sheet, the chart of running totals, statistics. Plain lines, no colour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scorer.messages import text

#: One mark for each side on the chart; where two meet, `*`.
MARKS: Final = "●○▲△"


def heading(match: Mapping[str, Any], lang: str) -> tuple[str, str]:
    """Title, and the line of rules and target."""
    target = (
        text("sheet.length", lang, count=match["length"])
        if match["length"]
        else text("sheet.target", lang, points=match["target"])
    )
    rules = text("sheet.rules", lang, rules=match["rules"]["id"])
    return match["name"] or text("sheet.match", lang), f"{rules} · {target}"


def status_lines(match: Mapping[str, Any], lang: str) -> list[str]:
    """Where a match stands, in one to four lines."""
    names = [side["name"] for side in match["sides"]]
    if match["finished"]:
        who = [names[i] for i in match["winners"] or match["leaders"]]
        code = "sheet.winner" if len(who) == 1 else "sheet.shared"
        lines = [text(code, lang, name=" / ".join(who))]
        if match["victory"]:
            lines.append(text("sheet.victory", lang, a=match["victory"][0], b=match["victory"][1]))
        return lines
    dealer = match["dealer"]
    seat = dealer["player"] or f"{dealer['side']} ({text('sheet.seat', lang, seat=dealer['seat'] + 1)})"
    lines = [text("sheet.dealer", lang, name=seat)]
    if match["length"] is None:
        lines += [
            text("sheet.missing", lang, name=name, points=left)
            for name, left in zip(names, match["missing"], strict=True)
        ]
    return lines


def row_note(row: Mapping[str, Any], lang: str) -> str:
    """What is special about a deal, or nothing."""
    parts = [] if row["state"] == "counted" else [text(f"sheet.{row['state']}", lang)]
    parts += [text("sheet.void", lang)] if row["void"] else []
    parts += [text("sheet.amended", lang)] if row["amended"] else []
    parts += [text("sheet.faults", lang)] if row["faults"] else []
    return ", ".join(parts)


def sheet_lines(match: Mapping[str, Any], lang: str) -> Iterator[str]:
    """The whole sheet: title, table of deals, where it stands, chart, notes."""
    yield from heading(match, lang)
    yield ""
    if len(match["deals"]) < match["deal_count"]:
        numbers = [row["number"] for row in match["deals"]] or [0]
        yield text("sheet.page", lang, first=numbers[0], last=numbers[-1], count=match["deal_count"])
    names = [side["name"] for side in match["sides"]]
    width = max(8, *(len(name) + 2 for name in names))
    left = max(len(text("sheet.deal", lang)), len(text("sheet.total", lang))) + 1
    yield text("sheet.deal", lang).ljust(left) + "".join(name.rjust(width) + " " * 7 for name in names)
    for row in match["deals"]:
        cells = ""
        for i in range(len(names)):
            points = str(row["points"][i]) if row["points"] else "-"
            running = str(row["running"][i]) if row["running"] else "-"
            cells += points.rjust(width) + running.rjust(7)
        yield (str(row["number"]).ljust(left) + cells + "  " + row_note(row, lang)).rstrip()
    totals = "".join("".rjust(width) + str(total).rjust(7) for total in match["totals"])
    yield text("sheet.total", lang).ljust(left) + totals
    yield ""
    yield from status_lines(match, lang)
    chart = list(chart_lines(match))
    if chart:
        yield ""
        yield from chart
    for note in match["notes"]:
        yield f"# {note['text']}"


def chart_lines(match: Mapping[str, Any], width: int = 60, height: int = 10) -> Iterator[str]:
    """Running totals over the deals, a mark for each side; nothing before the second deal."""
    rows = [row["running"] for row in match["deals"] if row["running"]]
    if len(rows) < 2:
        return
    sides = len(match["sides"])
    start = [0] if match["deals"][0]["number"] == 1 else []  # a page of a long match begins where it begins
    series = [[*start, *[row[i] for row in rows]] for i in range(sides)]
    low = min(0, *(min(line) for line in series))
    high = max(5, match["target"] or 0, *(max(line) for line in series))
    grid = [[" "] * width for _ in range(height)]
    for i, line in enumerate(series):
        _plot(grid, line, low, high, MARKS[i])
    for at, cells in enumerate(grid):
        value = round(high - (high - low) * at / (height - 1))
        yield f"{value:>7} │{''.join(cells).rstrip()}"
    yield " " * 7 + " └" + "─" * width
    yield " " * 9 + "   ".join(f"{MARKS[i]} {side['name']}" for i, side in enumerate(match["sides"]))


def _plot(grid: list[list[str]], line: Sequence[int], low: int, high: int, mark: str) -> None:
    width, height = len(grid[0]), len(grid)
    for column in range(width):
        at = column * (len(line) - 1) / (width - 1)
        left = int(at)
        right = min(left + 1, len(line) - 1)
        value = line[left] + (line[right] - line[left]) * (at - left)
        row = round((high - value) * (height - 1) / (high - low))
        cell = grid[row][column]
        grid[row][column] = mark if cell in (" ", mark) else "*"


def statistics_lines(stats: Sequence[Mapping[str, Any]], lang: str) -> Iterator[str]:
    """One block a side."""
    for side in stats:
        yield side["side"]
        for key in ("won", "best", "worst", "average", "closings", "pots_missed"):
            code = "sheet.won_deals" if key == "won" else f"sheet.{key}"
            yield f"  {text(code, lang):<20} {side[key]}"
        made = ", ".join(f"{kind} {count}" for kind, count in sorted(side["burrachi"].items())) or "-"
        yield f"  {text('sheet.burrachi', lang):<20} {made}"
