"""`burraco match`: the match book on this machine (or on the database that BURRACO_DATABASE_URL names)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli.books import book_id, export_to, open_store, say_view
from api.matchbook import KIND, SHOWN, MatchBook
from scorer.cli.common import (
    JsonFlag,
    LangCode,
    OptionList,
    RulesFile,
    RulesId,
    choice,
    command_group,
    read_json,
    read_text,
    say,
    say_json,
    shown_name,
    tell,
)
from scorer.contract import refuse
from scorer.errors import MatchError
from scorer.match_report import sheet_lines, statistics_lines
from scorer.messages import text

app = command_group("Keep the running score of a match.")

MatchId = Annotated[
    str | None, typer.Option("--match", "-m", metavar="ID", help="The match (or the start of its id); the newest one.")
]
DealFile = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A score sheet or JSON of the deal, - for standard input.")
]
Total = Annotated[str | None, typer.Option("--total", metavar="A,B", help="Only the totals, such as 365,-5.")]
Quick = Annotated[
    list[str] | None,
    typer.Option("--quick", metavar="TEXT", help="A side: 'clean 1, dirty 2, cards 345, hand 20, closed, pot played'."),
]
Void = Annotated[bool, typer.Option("--void", help="The deal counts for nobody.")]

#: Files that are photographs.
PHOTOS = (".jpg", ".jpeg", ".png", ".webp", ".heic")
#: Words of the quick form, both languages, and the field or burraco type that they mean.
WORDS = {
    "clean": "clean", "pulito": "clean", "puliti": "clean", "dirty": "dirty", "sporco": "dirty", "sporchi": "dirty",
    "semi": "semi", "semipulito": "semi", "semipuliti": "semi", "cards": "card_points", "carte": "card_points",
    "hand": "hand", "mano": "hand",
}  # fmt: skip
POTS = {
    "played": "played", "giocato": "played", "yes": "played", "sì": "played", "si": "played", "unplayed": "unplayed",
    "no": "not_taken", "not_taken": "not_taken", "missed": "not_taken", "mancato": "not_taken",
    "not taken": "not_taken", "taken": "played", "not played": "unplayed", "non preso": "not_taken", "preso": "played",
    "non giocato": "unplayed",
}  # fmt: skip


def open_book() -> MatchBook:
    """The match book of this command."""
    return MatchBook(open_store())


def _which(book: MatchBook, given: str | None) -> str:
    """The id of the match that is meant."""
    found = book_id(book.store, KIND, given)
    if found is None:
        raise MatchError("there is no match yet: burraco match new", code="no_match_yet")
    return found


def _show(view: Mapping[str, Any], as_json: bool, lang: str | None) -> int:
    return say_view(view, as_json, lang, sheet_lines)


def _entry(file: str | None, total: str | None, quick: list[str] | None, void: bool, lang: str) -> dict[str, Any]:
    """The deal that the arguments state, in exactly one form."""
    if sum((file is not None, total is not None, bool(quick), void)) != 1:
        raise refuse("one_deal_form")
    if void:
        return {"form": "void"}
    if total is not None:
        return {"form": "total", "points": [_number(part) for part in total.split(",")]}
    if quick:
        return {"form": "quick", "sides": [_quick_side(words) for words in quick]}
    words = read_text(str(file))
    if words.lstrip().startswith("{"):
        data = read_json(words)
        if "form" in data:
            return dict(data)
        return {"form": "table", **{key: data[key] for key in data if key not in ("rules", "options")}}
    return {"form": "sheet", "sheet": words, "lang": lang}


def _stated(
    book: MatchBook, ident: str, file: str | None, total: str | None, quick: list[str] | None, void: bool, lang: str
) -> dict[str, Any]:
    """The deal of the arguments; a photo is read under the rules of its match, and taken when nothing is in doubt."""
    if file is None or Path(file).suffix.casefold() not in PHOTOS or total or quick or void:
        return _entry(file, total, quick, void, lang)
    from vision.cli import sheet_without_doubts

    sheet = sheet_without_doubts(file, book.profile(ident), lang)
    if sheet is None:
        raise refuse("photo_in_doubt", name=shown_name(file))
    return {"form": "sheet", "sheet": sheet}


def _number(words: str) -> int:
    try:
        return int(words.strip())
    except ValueError:
        raise refuse("not_a_number", given=words.strip()[:40]) from None


def _quick_side(words: str) -> dict[str, Any]:
    side: dict[str, Any] = {"burrachi": {}}
    for part in filter(None, (p.strip() for p in words.casefold().split(","))):
        name, _, value = part.partition(" ")
        if name in ("closed", "chiude", "chiuso") and not value:
            side["closed"] = True
        elif name in ("pot", "pozzetto"):
            if value.strip() not in POTS:
                raise refuse("bad_quick", given=part[:60])
            side["pozzetto"] = POTS[value.strip()]
        elif name in WORDS or value:
            key = WORDS.get(name, name)
            target = side if key in ("card_points", "hand") else side["burrachi"]
            target[key] = _number(value)
        else:
            raise refuse("bad_quick", given=part[:60])
    return side


@app.command()
def new(
    name: Annotated[str, typer.Option("--name", help="What to call the match.")] = "",
    side: Annotated[
        list[str] | None, typer.Option("--side", metavar="'NAME: PLAYER, PLAYER'", help="A side; repeat for each.")
    ] = None,
    dealer: Annotated[int, typer.Option("--dealer", help="The seat that deals first, from 1.")] = 1,
    deals: Annotated[int | None, typer.Option("--deals", help="A match by number of deals.")] = None,
    vp: Annotated[str | None, typer.Option("--vp", metavar="TABLE", help="Victory Points: deals-3, deals-4.")] = None,
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    as_json: JsonFlag = False,
    lang: LangCode = None,
) -> int:
    """Begin a match and say its id."""
    chosen = choice(rules, option, rules_file, lang)
    data: dict[str, Any] = {"name": name, "first_dealer": dealer - 1, "length": deals, "vp": vp}
    if side:
        data["sides"] = [_side(words) for words in side]
    data["rules_text"] = read_text(rules_file) if rules_file is not None else ""
    data["rules"], data["options"] = chosen.profile().id, chosen.options
    book = open_book()
    made = book.create(data)
    if as_json:
        say_json({**made._asdict(), "match": book.view(made.id)})
        return 0
    say(text("match.created", lang or "en", id=made.id), "", *sheet_lines(book.view(made.id), lang or "en"))
    return 0


def _side(words: str) -> dict[str, Any]:
    name, _, players = words.partition(":")
    return {"name": name.strip(), "players": [p.strip() for p in players.split(",") if p.strip()]}


@app.command()
def add(
    file: DealFile = None, total: Total = None, quick: Quick = None, void: Void = False, match: MatchId = None,
    as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Add a deal: a score sheet, a quick form for each side, or the totals."""
    book = open_book()
    ident = _which(book, match)
    entry = _stated(book, ident, file, total, quick, void, choice(None, None, None, lang).lang or "en")
    view = book.add(ident, entry, lang=lang or "en")
    if view["deals"][-1]["faults"]:
        tell(text("match.faults", lang or "en", codes=", ".join(sorted(set(view["deals"][-1]["faults"])))))
    return _show(view, as_json, lang)


@app.command()
def edit(
    number: Annotated[int, typer.Argument(help="The number of the deal, as `show` lists it.")],
    file: DealFile = None, total: Total = None, quick: Quick = None, void: Void = False,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the deal out.")] = False,
    match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Put another deal in the place of deal NUMBER, or take it out."""
    book = open_book()
    ident = _which(book, match)
    if withdraw:
        return _show(book.withdraw(ident, number), as_json, lang)
    entry = _stated(book, ident, file, total, quick, void, choice(None, None, None, lang).lang or "en")
    return _show(book.amend(ident, number, entry, lang=lang or "en"), as_json, lang)


@app.command()
def show(
    first: Annotated[int | None, typer.Option("--first", min=1, help="The first deal to show.")] = None,
    most: Annotated[
        int | None, typer.Option("--most", min=1, help="How many deals; a sheet shows 200, JSON every one.")
    ] = None,
    match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """The sheet of a match, where it stands, and a chart; of a long match the last deals."""
    book = open_book()
    shown = SHOWN if most is None and not as_json else most
    return _show(book.view(_which(book, match), entries=as_json, first=first, most=shown), as_json, lang)


@app.command()
def undo(match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """Take back the last change."""
    book = open_book()
    return _show(book.undo(_which(book, match)), as_json, lang)


@app.command()
def note(
    words: Annotated[str, typer.Argument(help="The note.")],
    match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Write a note under the sheet."""
    book = open_book()
    return _show(book.write(_which(book, match), "note", {"text": words}), as_json, lang)


@app.command()
def target(
    points: Annotated[int, typer.Argument(help="The new target.")],
    match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Play to another target."""
    book = open_book()
    return _show(book.write(_which(book, match), "target", {"target": points}), as_json, lang)


@app.command()
def close(match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """End the match here."""
    book = open_book()
    return _show(book.write(_which(book, match), "close", {}), as_json, lang)


@app.command()
def reopen(match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """Go on with a match that was closed by hand."""
    book = open_book()
    return _show(book.write(_which(book, match), "reopen", {}), as_json, lang)


@app.command("list")
def list_(as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """The matches, the newest first."""
    book = open_book()
    views = [book.view(stored.id, most=None if as_json else 0) for stored in book.store.newest(KIND)]
    if as_json:
        say_json(views)
        return 0
    for view in views:
        totals = "  ".join(f"{s['name']} {t}" for s, t in zip(view["sides"], view["totals"], strict=True))
        say(f"{view['id']}  {view['updated_at'][:10]}  {view['rules']['id']:<14} {view['name']}  {totals}".rstrip())
    if not views:
        say(text("no_match_yet", lang or "en"))
    return 0


@app.command()
def stats(match: MatchId = None, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """Statistics of each side."""
    book = open_book()
    found = book.stats(_which(book, match))
    return say_view(found, as_json, lang, statistics_lines)


@app.command()
def export(
    file: Annotated[str, typer.Argument(help="Where to: .json, .csv, .pdf or .png.")],
    match: MatchId = None, lang: LangCode = None,
) -> int:  # fmt: skip
    """Write the match to a file: everything (.json), a table (.csv), a sheet to print (.pdf) or to share (.png)."""
    book = open_book()
    ident = _which(book, match)
    from api.sheets import export_bytes

    data = export_bytes(book, ident, Path(file).suffix.casefold().removeprefix("."), lang or "en")
    return export_to(file, data, lang)


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(help="A .json file that `export` wrote.")],
    copy: Annotated[bool, typer.Option("--copy", help="As a new match, with an id of its own.")] = False,
    as_json: JsonFlag = False, lang: LangCode = None,
) -> int:  # fmt: skip
    """Read a match back; its points are added up again."""
    book = open_book()
    made = book.restore(read_json(read_text(file)), new_id=copy)
    return _show(book.view(made.id), as_json, lang)
