"""The score sheet of a match to print, to share and to open elsewhere: PDF, PNG, CSV. Input: the JSON of a match.

Names and notes are drawn as plain text, whatever they hold; in CSV a cell that a spreadsheet would run as a formula
gets an apostrophe in front. Times and ids are left out, so the same match gives the same picture.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any, Final

from api.matchbook import MatchBook
from scorer.contract import refuse
from scorer.match_report import heading, row_note, status_lines
from scorer.messages import text

#: Colours of the sides, readable on white and told apart by colour-blind readers too.
COLOURS: Final = ((178, 34, 52), (24, 78, 140), (30, 120, 70), (150, 90, 0))
INK: Final = (34, 34, 34)
PALE: Final = (120, 120, 120)
LINE: Final = (220, 220, 220)
#: Most rows drawn on a picture; a PDF has no limit.
PNG_ROWS: Final = 40


def font_path(bold: bool = False) -> Path:
    """The file of the typeface that ships (DejaVu Sans)."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return Path(str(resources.files("api") / "fonts" / name))


# --- CSV ----------------------------------------------------------------------------------


def safe_cell(value: object) -> object:
    """A CSV cell that no spreadsheet runs as a formula."""
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def match_csv(match: Mapping[str, Any]) -> str:
    """One row a deal: number, state, void, points of each side, running totals of each side."""
    names = [side["name"] for side in match["sides"]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(safe_cell, ["deal", "state", "void", *names, *[f"{name} total" for name in names]]))
    for row in match["deals"]:
        running = row["running"] or [""] * len(names)
        points = row["points"] or [""] * len(names)
        writer.writerow(map(safe_cell, [row["number"], row["state"], str(row["void"]).lower(), *points, *running]))
    return out.getvalue()


# --- the chart, in whatever units the page has ------------------------------------------------------------------


def chart_lines(
    match: Mapping[str, Any], box: tuple[float, float, float, float]
) -> Iterator[tuple[int, list[tuple[float, float]]]]:
    """The polyline of each side's running total inside a box (x, y, width, height), y downwards."""
    x, y, width, height = box
    rows = [row["running"] for row in match["deals"] if row["running"]]
    sides = len(match["sides"])
    series = [[0, *[row[i] for row in rows]] for i in range(sides)]
    low = min(0, *(min(line) for line in series))
    high = max(5, match["target"] or 0, *(max(line) for line in series))
    for i, line in enumerate(series):
        step = width / max(1, len(line) - 1)
        yield i, [(x + k * step, y + height * (high - v) / (high - low)) for k, v in enumerate(line)]


# --- PDF ----------------------------------------------------------------------------------


def match_pdf(match: Mapping[str, Any], lang: str = "en") -> bytes:
    """An A4 score sheet, as many pages as it needs."""
    pdf = new_pdf()
    title, under = heading(match, lang)
    pdf.add_page()
    pdf.set_font("sheet", "B", 18)
    pdf.multi_cell(0, 9, title, new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("sheet", "", 10)
    pdf.multi_cell(0, 6, under, new_x="LMARGIN", new_y="NEXT")
    for side in match["sides"]:
        if side["players"]:
            pdf.multi_cell(0, 6, f"{side['name']}: {', '.join(side['players'])}", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(3)
    pdf_table(pdf, *_deal_table(match, lang))
    pdf.ln(3)
    pdf.set_font("sheet", "B", 11)
    for line in status_lines(match, lang):
        pdf.multi_cell(0, 6, line, new_x="LMARGIN", new_y="NEXT")
    _pdf_chart(pdf, match)
    pdf.set_font("sheet", "", 9)
    for note in match["notes"]:
        pdf.multi_cell(0, 5, note["text"], new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output())


def new_pdf() -> Any:
    """An empty A4 document with the typeface loaded and no date in it, so that equal content gives equal bytes."""
    from fpdf import FPDF

    pdf = FPDF(format="A4")
    pdf.set_creation_date(datetime(2020, 1, 1, tzinfo=UTC))
    pdf.add_font("sheet", "", str(font_path()))
    pdf.add_font("sheet", "B", str(font_path(bold=True)))
    pdf.set_auto_page_break(True, margin=15)
    return pdf


def pdf_table(pdf: Any, header: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> None:
    """A plain table over the page's width; `widths` are proportions, the header repeats on every page."""
    pdf.set_font("sheet", "", 10)
    align = tuple("LEFT" if i in (0, len(header) - 1) else "RIGHT" for i in range(len(header)))
    with pdf.table(
        col_widths=tuple(widths), text_align=align, borders_layout="HORIZONTAL_LINES", line_height=6
    ) as table:
        for cells in (header, *rows):
            row = table.row()
            for cell in cells:
                row.cell(cell)


def _deal_table(match: Mapping[str, Any], lang: str) -> tuple[list[str], list[list[str]], list[int]]:
    names = [side["name"] for side in match["sides"]]
    header = [text("sheet.deal", lang), *[part for name in names for part in (name, text("sheet.total", lang))], ""]
    rows = []
    for row in match["deals"]:
        cells = [str(row["number"])]
        for i in range(len(names)):
            cells.append(str(row["points"][i]) if row["points"] else "")
            cells.append(str(row["running"][i]) if row["running"] else "")
        rows.append([*cells, row_note(row, lang)])
    totals = [part for total in match["totals"] for part in ("", str(total))]
    rows.append([text("sheet.total", lang), *totals, ""])
    return header, rows, [14, *([12, 12] * len(names)), 20]


def _pdf_chart(pdf: Any, match: Mapping[str, Any]) -> None:
    height = 50.0
    if pdf.get_y() + height > 270:
        pdf.add_page()
    top = pdf.get_y() + 4
    box = (pdf.l_margin, top, pdf.epw, height)
    pdf.set_draw_color(*LINE)
    pdf.rect(*box)
    pdf.set_line_width(0.6)
    for i, points in chart_lines(match, box):
        pdf.set_draw_color(*COLOURS[i])
        pdf.polyline(points)
    pdf.set_y(top + height + 4)


# --- PNG ----------------------------------------------------------------------------------


def match_png(match: Mapping[str, Any], lang: str = "en") -> bytes:
    """A picture to share, 1080 pixels wide: names, totals, the last deals, where the match stands, the chart."""
    from PIL import Image, ImageDraw, ImageFont

    rows = match["deals"][-PNG_ROWS:]
    lines = status_lines(match, lang)
    width, row_height = 1080, 46
    height = 330 + row_height * (len(rows) + 1) + 44 * len(lines) + 360
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    fonts = {size: ImageFont.truetype(str(font_path(bold=size in (30, 44, 64))), size) for size in (24, 28, 30, 44, 64)}
    title, under = heading(match, lang)
    draw.text((60, 50), _fit(draw, title, fonts[44], width - 120), INK, fonts[44])
    draw.text((60, 112), under, PALE, fonts[28])
    columns = _columns(width, len(match["sides"]))
    for i, side in enumerate(match["sides"]):
        draw.text((columns[i], 180), _fit(draw, side["name"], fonts[30], 260), COLOURS[i], fonts[30], anchor="ra")
        draw.text((columns[i], 218), str(match["totals"][i]), COLOURS[i], fonts[64], anchor="ra")
    y = 320
    for row in rows:
        draw.line((60, y - 6, width - 60, y - 6), LINE, 2)
        label = f"{row['number']}  {row_note(row, lang)}"
        draw.text((60, y), _fit(draw, label, fonts[24], columns[0] - 200), PALE, fonts[24])
        for i, points in enumerate(row["points"]):
            ink = INK if row["state"] == "counted" else LINE
            draw.text((columns[i], y), str(points), ink, fonts[28], anchor="ra")
        y += row_height
    y += 20
    for line in lines:
        draw.text((60, y), _fit(draw, line, fonts[30], width - 120), INK, fonts[30])
        y += 44
    box = (60.0, y + 20.0, width - 120.0, 280.0)
    draw.rectangle((box[0], box[1], box[0] + box[2], box[1] + box[3]), outline=LINE)
    for i, points in chart_lines(match, box):
        draw.line(points, COLOURS[i], 6, joint="curve")
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _columns(width: int, sides: int) -> list[int]:
    """Right edges of the sides' columns."""
    step = 280 if sides <= 3 else 220
    return [width - 60 - step * (sides - 1 - i) for i in range(sides)]


def _fit(draw: Any, words: str, font: Any, width: float) -> str:
    """The text, cut with an ellipsis where it is wider than the room."""
    if draw.textlength(words, font=font) <= width:
        return words
    while words and draw.textlength(words + "…", font=font) > width:
        words = words[:-1]
    return words + "…"


def export_bytes(book: MatchBook, ident: str, form: str, lang: str) -> bytes:
    """A match as `json`, `csv`, `pdf` or `png`; one clear error for another form."""
    if form == "json":
        return (json.dumps(book.export(ident), ensure_ascii=False, indent=1) + "\n").encode()
    if form == "csv":
        return match_csv(book.view(ident)).encode()
    if form == "pdf":
        return match_pdf(book.view(ident), lang)
    if form == "png":
        return match_png(book.view(ident), lang)
    raise refuse("bad_ending", given=form or "-", known="json, csv, pdf, png")
