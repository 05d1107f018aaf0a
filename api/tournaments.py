"""Tournaments as a service: what the command and the HTTP routes do, on one store."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

from api.matchbook import clean_name
from api.store import Created, Store, StoredBook
from scorer.contract import refuse
from scorer.errors import MatchError
from scorer.events import Event, last_undoable, undone
from scorer.movements import MOVEMENTS
from scorer.profile import load_profile
from scorer.tournament import (
    TableResult,
    Tournament,
    TournamentInfo,
    check_tournament_event,
    draw,
    fold_tournament,
)
from scorer.victory import VictoryTable, read_tables, vp_table

KIND: Final = "tournament"
_KEYS: Final = ("name", "movement", "rounds", "vp", "vp_text", "individuals", "rules", "options", "bye_vp")


def tournament_info(data: Mapping[str, Any]) -> tuple[TournamentInfo, VictoryTable]:
    """A tournament's terms and its Victory Points table; BurracoError with one line when they cannot be.

    `vp_text` brings a table of the tournament's own, as TOML; `vp` then names it.
    """
    unknown = sorted(str(key) for key in data if key not in _KEYS)
    if unknown:
        raise refuse("unknown_field", path="", key=unknown[0][:40], suggestion="", known=", ".join(_KEYS))
    movement, rounds, bye = data.get("movement", "mitchell"), data.get("rounds", 4), data.get("bye_vp", 12)
    if movement not in MOVEMENTS:
        raise refuse("bad_value", path="movement", value=str(movement)[:40], allowed=", ".join(MOVEMENTS))
    for name, value, most in (("rounds", rounds, 60), ("bye_vp", bye, 20)):
        if not isinstance(value, int) or isinstance(value, bool) or not (name == "bye_vp") <= value + 1 <= most + 1:
            raise refuse("bad_value", path=name, value=str(value)[:40], allowed=f"0-{most}")
    if rounds < 1:
        raise refuse("bad_value", path="rounds", value=str(rounds), allowed="1-60")
    profile = load_profile(str(data.get("rules") or "fibur"), data.get("options") or {})
    text, vp = str(data.get("vp_text") or ""), str(data.get("vp") or "deals-3")
    table = _own_table(text, vp) if text else vp_table(vp)
    info = TournamentInfo(
        clean_name(data.get("name") or "", "name", empty=True), movement, rounds, table.name,
        bool(data.get("individuals", False)), profile.id, dict(data.get("options") or {}), bye,
    )  # fmt: skip
    return info, table


def _own_table(text: str, name: str) -> VictoryTable:
    tables = read_tables(text)
    if name in tables:
        return tables[name]
    if len(tables) == 1:
        return next(iter(tables.values()))
    known = ", ".join(tables)
    raise MatchError(
        f"unknown Victory Points table {name!r}. Known: {known}", code="unknown_vp_table", name=name, known=known
    )


class TournamentDesk:
    """Tournaments on a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def create(self, data: Mapping[str, Any]) -> Created:
        """A new tournament; the answer holds its id and tokens."""
        tournament_info(data)
        return self.store.create(KIND, data)

    def _read(self, ident: str) -> tuple[StoredBook, Tournament, list[Event]]:
        stored = self.store.book(ident)
        if stored.kind != KIND:
            raise MatchError("there is no such tournament", code="unknown_book", id=ident[:40])
        info, table = tournament_info(stored.info)
        events = self.store.events(ident)
        return stored, fold_tournament(info, events, table), events

    def state(self, ident: str) -> Tournament:
        """The derived tournament."""
        return self._read(ident)[1]

    def view(self, ident: str) -> dict[str, Any]:
        """The tournament as JSON."""
        stored, state, _ = self._read(ident)
        return tournament_json(stored, state)

    def write(
        self, ident: str, kind: str, payload: Mapping[str, Any], *, seen: int | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Add an event and give the tournament after it; `round` draws its own tables, `undo` the last event."""
        if key is not None and self.store.by_key(ident, key) is not None:
            return self.view(ident)
        stored, state, events = self._read(ident)
        given = dict(payload)
        if kind == "entry":
            given = {"players": [clean_name(p, "players") for p in given.get("players", ())]}
        elif kind == "round":
            tables = draw(state)
            given = {"tables": [{"table": t.table, "ns": list(t.ns), "ew": list(t.ew)} for t in tables]}
        elif kind == "undo" and "event" not in given:
            given = {"event": last_undoable(events)}
        check_tournament_event(state, kind, given)
        if kind == "undo" and given["event"] not in {e.seq for e in events} - undone(events):
            raise MatchError("that event cannot be undone", code="nothing_to_undo")
        self.store.append(ident, kind, given, seen=stored.head if seen is None else seen, key=key)
        return self.view(ident)

    def enter_csv(self, ident: str, text: str) -> dict[str, Any]:
        """Enter everybody in a CSV, all or nobody: one entry a row, its names in the columns."""
        rows = entries_from_csv(text)
        info = self.state(ident).info
        size = 1 if info.individuals else 2
        for number, names in enumerate(rows, 1):
            if len(names) != size:
                raise MatchError(
                    f"row {number} has {len(names)} names, an entry has {size}",
                    code="csv_row", row=number, given=len(names), size=size,
                )  # fmt: skip
        state = self.state(ident)
        for names in rows:  # the whole list first against itself, so that nothing is written if one is wrong
            check_tournament_event(state, "entry", {"players": names})
        folded = [name.casefold() for names in rows for name in names]
        twice = next((name for name in folded if folded.count(name) > 1), None)
        if twice is not None:
            raise MatchError(f"{twice} is there twice", code="entered_already", name=twice)
        view = self.view(ident)
        for names in rows:
            view = self.write(ident, "entry", {"players": names})
        return view


def entries_from_csv(text: str) -> list[list[str]]:
    """The names in a CSV (comma or semicolon), a header row of known words left out; MatchError when it is none."""
    sample = text[:2000]
    delimiter = ";" if sample.count(";") > sample.count(",") else ","
    try:
        rows = [
            [cell.strip() for cell in row if cell.strip()] for row in csv.reader(io.StringIO(text), delimiter=delimiter)
        ]
    except csv.Error as error:
        raise refuse("bad_csv", detail=str(error)) from None
    rows = [row for row in rows if row]
    header = {"player", "player 1", "player 2", "giocatore", "giocatore 1", "giocatore 2", "nome", "name", "names"}
    if rows and all(cell.casefold() in header for cell in rows[0]):
        rows = rows[1:]
    if not rows or len(rows) > 400:
        raise MatchError("a list has 1 to 400 entries", code="bad_csv", fault="csv_count", count=len(rows))
    return [[clean_name(cell, "players") for cell in row] for row in rows]


# --- JSON and CSV ----------------------------------------------------------------------------------------------------


def _names(state: Tournament, numbers: Sequence[int]) -> list[str]:
    return [name for number in numbers for name in state.entrants[number - 1].players]


def _table_json(state: Tournament, table: TableResult) -> dict[str, Any]:
    return {
        "table": table.table, "ns": list(table.ns), "ew": list(table.ew), "ns_names": _names(state, table.ns),
        "ew_names": _names(state, table.ew), "mp": list(table.mp) if table.mp else None,
        "vp": list(table.vp) if table.vp else None, "adjusted": table.adjusted, "bye": table.bye,
    }  # fmt: skip


def tournament_json(stored: StoredBook, state: Tournament) -> dict[str, Any]:
    """A tournament for people and programs; every ranking is derived."""
    info = state.info
    return {
        "id": stored.id, "name": info.name, "version": state.version, "movement": info.movement,
        "rounds_planned": info.rounds, "vp": info.vp, "bye_vp": info.bye_vp, "individuals": info.individuals,
        "rules": info.rules, "finished": state.finished, "closed": state.closed,
        "entries": [
            {"number": e.number, "players": list(e.players), "withdrawn": e.withdrawn, "from_round": e.late}
            for e in state.entrants
        ],
        "rounds": [[_table_json(state, table) for table in tables] for tables in state.rounds],
        "ranking": [{**place._asdict(), "players": _names(state, (place.number,))} for place in state.ranking],
        "updated_at": stored.updated_at,
    }  # fmt: skip


def standings_csv(view: Mapping[str, Any]) -> str:
    """The ranking as CSV: place, entry, names, Victory Points, margin, Match Points, tables played."""
    from api.sheets import safe_cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["place", "entry", "players", "vp", "margin", "mp", "played"])
    for row in view["ranking"]:
        names = " / ".join(row["players"])
        cells = (row["place"], row["number"], names, row["vp"], row["margin"], row["mp"], row["played"])
        writer.writerow([safe_cell(cell) for cell in cells])
    return out.getvalue()


def round_pdf(view: Mapping[str, Any], which: int, lang: str) -> bytes:
    """A sheet of one round to hang up: tables, names, room for Match Points."""
    from api.sheets import new_pdf, pdf_table
    from scorer.messages import text

    pdf = _titled(new_pdf(), view, text("tournament.round", lang, round=which))
    rows = []
    for table in view["rounds"][which - 1]:
        seat = str(table["table"]) if not table["bye"] else "-"
        ew = " / ".join(table["ew_names"]) if not table["bye"] else text("tournament.bye", lang)
        mp = f"{table['mp'][0]} - {table['mp'][1]}" if table["mp"] else ""
        rows.append([seat, " / ".join(table["ns_names"]), ew, mp])
    header = [text(f"tournament.{key}", lang) for key in ("table", "ns", "ew", "mp")]
    pdf_table(pdf, header, rows, [8, 32, 32, 16])
    return bytes(pdf.output())


def standings_pdf(view: Mapping[str, Any], lang: str) -> bytes:
    """The ranking to print."""
    from api.sheets import new_pdf, pdf_table
    from scorer.messages import text

    pdf = _titled(new_pdf(), view, text("tournament.standings", lang))
    rows = [
        [str(r["place"]), " / ".join(r["players"]), str(r["vp"]), str(r["margin"]), str(r["mp"])]
        for r in view["ranking"]
    ]
    header = [text(f"tournament.{key}", lang) for key in ("place", "players", "vp", "margin", "mp")]
    pdf_table(pdf, header, rows, [8, 44, 10, 14, 14])
    return bytes(pdf.output())


def _titled(pdf: Any, view: Mapping[str, Any], under: str) -> Any:
    pdf.add_page()
    pdf.set_font("sheet", "B", 18)
    pdf.multi_cell(0, 9, view["name"] or "Burraco", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("sheet", "", 12)
    pdf.multi_cell(0, 8, under, new_x="LMARGIN", new_y="NEXT")
    pdf.ln(2)
    return pdf
