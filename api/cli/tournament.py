"""`burraco tournament`: a club's evening, from the list of entries to the printed standings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli.books import book_id, export_to, open_store, say_view
from api.tournaments import KIND, TournamentDesk, round_pdf, standings_csv, standings_pdf
from scorer.cli.common import (
    JsonFlag,
    LangCode,
    OptionList,
    RulesId,
    choice,
    command_group,
    read_text,
    say,
    say_json,
)
from scorer.contract import refuse
from scorer.errors import MatchError
from scorer.messages import text
from scorer.tournament_report import ranking_lines, round_lines, tournament_lines

app = command_group("Run a tournament: entries, rounds, ranking.")

Which = Annotated[
    str | None, typer.Option("--tournament", "-t", metavar="ID", help="Its id or the start of it; the newest one.")
]


def _desk(given: str | None) -> tuple[TournamentDesk, str]:
    """The desk and the id of the tournament that is meant."""
    desk = TournamentDesk(open_store())
    ident = book_id(desk.store, KIND, given)
    if ident is None:
        raise MatchError("there is no such match", code="unknown_book", id="")
    return desk, ident


def _show(view: Mapping[str, Any], as_json: bool, lang: str | None) -> int:
    return say_view(view, as_json, lang, tournament_lines)


@app.command()
def new(
    name: Annotated[str, typer.Option("--name", help="What to call it.")] = "",
    entries: Annotated[str | None, typer.Option("--entries", metavar="FILE.csv", help="The list of entries.")] = None,
    movement: Annotated[
        str, typer.Option("--movement", help="mitchell, danese, danese_modified or round_robin.")
    ] = "mitchell",
    rounds: Annotated[int, typer.Option("--rounds", help="Rounds to play.")] = 4,
    vp: Annotated[str, typer.Option("--vp", metavar="TABLE", help="Victory Points: deals-3, deals-4.")] = "deals-3",
    vp_file: Annotated[
        str | None, typer.Option("--vp-file", metavar="FILE.toml", help="A Victory Points table of your own.")
    ] = None,
    individuals: Annotated[
        bool, typer.Option("--individuals", help="Single players, new partners each round.")
    ] = False,
    bye_vp: Annotated[int, typer.Option("--bye-vp", help="Victory Points for sitting out.")] = 12,
    rules: RulesId = None,
    option: OptionList = None,
    as_json: JsonFlag = False,
    lang: LangCode = None,
) -> int:
    """Begin a tournament and say its id."""
    chosen = choice(rules, option, None, lang)
    data = {
        "name": name, "movement": movement, "rounds": rounds, "vp": vp, "individuals": individuals, "bye_vp": bye_vp,
        "vp_text": read_text(vp_file) if vp_file is not None else "", "rules": rules or "fibur",
        "options": chosen.options,
    }  # fmt: skip
    listed = read_text(entries) if entries is not None else None
    desk = TournamentDesk(open_store())
    made = desk.create(data)
    view = desk.enter_csv(made.id, listed) if listed is not None else desk.view(made.id)
    if as_json:
        say_json({**made._asdict(), "tournament": view})
        return 0
    say(text("tournament.created", lang or "en", id=made.id), "", *tournament_lines(view, lang or "en"))
    return 0


@app.command()
def enter(
    players: Annotated[list[str], typer.Argument(help="The names of the pair, or of the player.")],
    tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Enter a pair (or a player), late ones too: they play from the next round."""
    desk, ident = _desk(tournament)
    return _show(desk.write(ident, "entry", {"players": players}), as_json, lang)


@app.command()
def withdraw(
    entry: Annotated[int, typer.Argument(help="The number of the entry.")],
    tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Take an entry out of the coming rounds."""
    desk, ident = _desk(tournament)
    return _show(desk.write(ident, "withdraw", {"entry": entry}), as_json, lang)


@app.command("round")
def round_(tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """Draw the next round."""
    desk, ident = _desk(tournament)
    view = desk.write(ident, "round", {})
    return say_view(view, as_json, lang, lambda drawn, tongue: round_lines(drawn, len(drawn["rounds"]), tongue))


@app.command()
def result(
    table: Annotated[int, typer.Argument(help="The number of the table.")],
    points: Annotated[str | None, typer.Argument(metavar="[MP]", help="Match Points, such as 820:-35.")] = None,
    victory: Annotated[str | None, typer.Option("--vp", metavar="A:B", help="Victory Points set by hand.")] = None,
    which: Annotated[int | None, typer.Option("--round", help="The round; the last one.")] = None,
    tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Write the result of a table (again to correct it)."""
    desk, ident = _desk(tournament)
    number = which if which is not None else len(desk.state(ident).rounds)
    payload: dict[str, Any] = {"round": number, "table": table}
    payload["mp"] = _two(points) if points is not None else None
    payload["vp"] = _two(victory) if victory is not None else None
    return _show(desk.write(ident, "result", payload), as_json, lang)


def _two(words: str) -> list[int]:
    parts = words.replace(",", ":").split(":")
    try:
        return [int(part.strip()) for part in parts]
    except ValueError:
        raise refuse("not_a_number", given=words[:40]) from None


@app.command()
def show(tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """The last round and the ranking."""
    desk, ident = _desk(tournament)
    return _show(desk.view(ident), as_json, lang)


@app.command()
def standings(tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """The ranking; equal entries share the place."""
    desk, ident = _desk(tournament)
    view = desk.view(ident)
    if as_json:
        say_json(view["ranking"])
    else:
        say(*ranking_lines(view, lang or "en"))
    return 0


@app.command()
def undo(tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """Take back the last change (an entry, a round, a result)."""
    desk, ident = _desk(tournament)
    return _show(desk.write(ident, "undo", {}), as_json, lang)


@app.command()
def close(tournament: Which = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """End the tournament here."""
    desk, ident = _desk(tournament)
    return _show(desk.write(ident, "close", {}), as_json, lang)


@app.command()
def export(
    file: Annotated[str, typer.Argument(help="standings .csv or .pdf; with --round a round sheet .pdf.")],
    which: Annotated[int | None, typer.Option("--round", help="The sheet of this round instead.")] = None,
    tournament: Which = None, lang: LangCode = None,
) -> int:  # fmt: skip
    """Write the standings (.csv, .pdf), or the sheet of a round (.pdf)."""
    desk, ident = _desk(tournament)
    view, ending = desk.view(ident), Path(file).suffix.casefold()
    if which is not None and not 1 <= which <= len(view["rounds"]):
        raise MatchError(f"round {which} is not there", code="unknown_table", round=str(which), table="-")
    if ending == ".pdf":
        data = round_pdf(view, which, lang or "en") if which is not None else standings_pdf(view, lang or "en")
    elif ending == ".csv" and which is None:
        data = standings_csv(view).encode()
    else:
        raise refuse("bad_ending", given=ending or "-", known=".csv, .pdf")
    return export_to(file, data, lang)
