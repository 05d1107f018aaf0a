"""`burraco photo`: read photos of the table, say what was read, what is not sure, and what it is worth.

The reader is imported only when the command runs: its help needs none of the extra's packages.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from scorer.cli.common import (
    JsonFlag,
    LangCode,
    OptionList,
    RulesFile,
    RulesId,
    choice,
    on_terminal,
    say,
    say_json,
    tell,
    tone,
)
from scorer.contract import refuse
from scorer.errors import MissingExtraError
from scorer.explain import cards_text, fault_text, meld_cards_text, meld_sentence
from scorer.messages import text
from scorer.profile import RuleProfile

_WIDTH: Final = 24


def photo(
    images: Annotated[
        list[str] | None, typer.Argument(metavar="IMAGE...", help="Photos, or a folder of photos, of one deal.")
    ] = None,
    side: Annotated[
        list[str] | None,
        typer.Option("--side", metavar="NAME", help="Whose melds the photos after it show; may be repeated."),
    ] = None,
    annotate: Annotated[
        str | None, typer.Option("--annotate", metavar="OUT.jpg", help="Draw what was read on the photo.")
    ] = None,
    report: Annotated[
        bool | None, typer.Option("--report/--sheet", help="A report, or only the sheet (the default when piped).")
    ] = None,
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    lang: LangCode = None,
    as_json: JsonFlag = False,
) -> int:
    """Read photos of the table: melds, points, and what is not sure.

    Several photos of one deal may be given; overlapping ones are merged. `--side Us a.jpg b.jpg --side Them c.jpg`
    says whose melds each photo shows. On a terminal a report is printed; into a file or pipe goes the quick-text
    sheet, for `burraco score`. Exit code 0: sure and legal; 1: doubts or violations; 2: unreadable.
    """
    chosen = choice(rules, option, rules_file, lang)
    tongue = chosen.lang or "en"
    profile = chosen.profile()
    reader, reader_text = _reader("vision.photo"), _reader("vision.reading_text")
    files, owners = _files(images or [], side or [], reader)
    found = reader.read_photos(
        files, profile, sides=owners if side else None, lang=tongue, progress=_progress(tongue) if _shows() else None
    )
    if _shows():
        tell_over("")
    if annotate is not None:
        drawn = _draw(found, annotate, tongue)
        if not as_json:
            tell(*[text("photo.written", tongue, file=name) for name in drawn])
    if as_json:
        say_json(reader.photo_json(found, tongue))
    elif report if report is not None else on_terminal():
        say(*_report(found, reader_text, profile, tongue))
    else:
        say(reader_text.sheet_text(found.reading, tongue).rstrip("\n"))
    return 0 if found.reading.sure else 1


def sheet_without_doubts(file: str, profile: RuleProfile, lang: str) -> str | None:
    """The sheet of one photo under some rules; None when anything on it is in doubt."""
    reader, reader_text = _reader("vision.photo"), _reader("vision.reading_text")
    found = reader.read_photos([file], profile, lang=lang)
    return str(reader_text.sheet_text(found.reading, lang)) if found.reading.sure else None


def _reader(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] in ("numpy", "cv2", "PIL", "onnxruntime", "vision"):
            params = {"feature": "photo", "extra": "vision"}
            raise MissingExtraError(text("missing_extra", "en", **params), **params) from None
        raise


# --- which photo is whose --------------------------------------------------------------------------------------------


def _files(images: list[str], sides: list[str], reader: Any) -> tuple[list[str], list[str | None]]:
    """File names and whose melds they show: a `--side NAME` holds for the photos up to the next one."""
    if not images:
        raise refuse("no_photos")
    if not sides:
        found = reader.expand(images)
        return found, [None] * len(found)
    owners: list[str | None] = []
    files: list[str] = []
    for name, owner in _by_side(sys.argv[1:], images, sides):
        here = reader.expand([name])
        files += here
        owners += [owner] * len(here)
    return files, owners


def _by_side(argv: list[str], images: list[str], sides: list[str]) -> list[tuple[str, str]]:
    """Pair photos with the `--side` before them, from the raw arguments; `--side=NAME` and NAME:FILE work too."""
    if all(":" in one and Path(one.split(":", 1)[1]).exists() for one in sides):
        return [(one.split(":", 1)[1], one.split(":", 1)[0]) for one in sides] + []
    left = list(images)
    out: list[tuple[str, str]] = []
    owner: str | None = None
    at = 0
    while at < len(argv):
        word = argv[at]
        if word == "--side" and at + 1 < len(argv):
            owner = argv[at + 1]
            at += 2
            continue
        if word.startswith("--side="):
            owner = word.partition("=")[2]
        elif word in left and not (at and argv[at - 1] in _VALUED):
            if owner is None:
                raise refuse("side_and_free")
            left.remove(word)
            out.append((word, owner))
        at += 1
    if left or not out:
        raise refuse("side_form")
    return out


_VALUED: Final = ("--annotate", "--rules", "--option", "--rules-file", "--lang")


# --- progress --------------------------------------------------------------------------------------------------------


def _shows() -> bool:
    return sys.stderr.isatty()


def _progress(lang: str) -> Any:
    def show(done: int, total: int, name: str) -> None:
        tell_over(f"[{done + 1}/{total}] {text('photo.reading', lang, name=name)}")

    return show


def tell_over(words: str) -> None:
    """Rewrite the progress line on the standard error."""
    sys.stderr.write(f"\r\x1b[K{words}")
    sys.stderr.flush()


# --- the report ------------------------------------------------------------------------------------------------------


def _draw(found: Any, name: str, lang: str) -> list[str]:
    drawer = _reader("vision.annotate")
    count = len(found.images)
    path = Path(name)
    names = []
    for number in range(count):
        target = name.replace("{n}", str(number + 1))
        if target == name and count > 1:
            target = str(path.with_name(f"{path.stem}-{number + 1}{path.suffix or '.jpg'}"))
        drawer.write_picture(drawer.annotate(found, number, lang), target)
        names.append(target)
    return names


def _report(found: Any, words: Any, profile: RuleProfile, lang: str) -> list[str]:
    reading = found.reading
    lines = []
    for name, image, seen in zip(found.names, found.images, found.seen, strict=True):
        size = {"width": image.shape[1], "height": image.shape[0]}
        lines.append(tone(text("photo.image", lang, name=name, cards=len(seen.cards), **size), "faint"))
    for number, side in enumerate(reading.score.sides):
        lines += ["", *_side_lines(reading, words, number, side, lang)]
    others = [card for g in reading.groups if g.chosen.role == "other" for card in g.chosen.faces]
    if others:
        lines += ["", f"{cards_text(others)}  ({text('photo.other', lang)})"]
    lines += ["", *_doubt_lines(found, words, lang)]
    faults = [tone(fault_text(fault, lang), "bad") for fault in reading.score.violations]
    hints = [tone(hint, "note") for hint in words.advice(reading, lang)]
    lines += ["", *faults, *hints] if faults or hints else []
    return lines


def _side_lines(reading: Any, words: Any, number: int, side: Any, lang: str) -> list[str]:
    low, best, high = (values[number] for values in reading.points)
    span = text("photo.range", lang, low=low, high=high) if low != high else ""
    lines = [tone(text("photo.total", lang, side=side.name, best=best, range=span), "strong")]
    groups = [n for n, g in enumerate(reading.groups) if g.side == number]
    melds = [n for n in groups if reading.groups[n].chosen.role == "meld"]
    for at, (group, verdict) in enumerate(zip(melds, side.melds, strict=True), 1):
        shown = f"  {at}. {meld_cards_text(verdict)}".ljust(_WIDTH)
        good = meld_sentence(verdict, lang)
        lines.append(f"{shown}  {good if verdict.legal else tone(good, 'bad')}")
        lines += [tone(f"       {change}", "note") for change in words.changes(reading, group, lang)]
    for group in groups:
        if reading.groups[group].chosen.role == "hand":
            lines.append(f"  {text('photo.hand', lang)}: {cards_text(reading.groups[group].chosen.faces)}")
    return lines


def _doubt_lines(found: Any, words: Any, lang: str) -> list[str]:
    reading = found.reading
    if not reading.groups:
        return []
    if not reading.doubts:
        return [tone(text("photo.sure", lang), "good")]
    lines = [tone(text("photo.doubts", lang), "note")]
    for number, row in enumerate(words.doubts_json(reading, lang), 1):
        box = row["boxes"][0] if row["boxes"] else (0, 0, 0, 0)
        place = text("photo.at", lang, x=round(box[0] + box[2] / 2), y=round(box[1] + box[3] / 2))
        lines.append(f"  {number}. {row['question']}  {tone(place, 'faint')}")
    return lines
