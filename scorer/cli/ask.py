"""`burraco score` without a file: a deal asked for step by step, each meld judged as soon as it is typed.

What has been typed is a list of answers; the questions follow from them (`questions` is played again from the start
each time), so taking one back is removing the last answer. On Ctrl-C, on the end of input and on any failure the
answers so far are written as a sheet that `burraco score FILE` reads.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from scorer.cli.common import Choice, say, tone, write_text
from scorer.errors import BurracoError
from scorer.explain import all_errors, cards_text, error_text, fault_text
from scorer.meld_report import meld_line
from scorer.melds import check_meld
from scorer.messages import text
from scorer.notation import Sheet, format_sheet, parse_cards, parse_meld, parse_sheet
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile

UNDO: Final = frozenset({"undo", "annulla"})
HELP: Final = frozenset({"?", "help", "aiuto"})
#: Most sides that are asked for.
MAX_SIDES: Final = 4

Read = Callable[[str], str]
Write = Callable[[str], None]


class Step(NamedTuple):
    """A question: what it is about, the words, and the answer that an empty line means."""

    kind: str
    prompt: str
    default: str = ""


@dataclass
class SideDraft:
    """One side as typed so far: lines of quick text."""

    name: str
    players: list[str] = field(default_factory=list)
    melds: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        head = f"[{self.name}: {', '.join(self.players)}]" if self.players else f"[{self.name}]"
        return ["", head, *self.melds, *self.rest]


@dataclass
class Draft:
    """The sheet as typed so far. `lang` is the language of the cards, `tongue` that of the questions."""

    lang: str
    tongue: str
    rules: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    sides: list[SideDraft] = field(default_factory=list)

    def text(self) -> str:
        """The sheet as quick text; it can be read again whatever is still missing."""
        head = [f"rules: {self.rules}"] if self.rules else []
        head += [f"option: {key}={value}" for key, value in self.options.items()]
        lines = [*head, f"lang: {self.lang}"]
        for side in self.sides:
            lines += side.lines()
        return "\n".join(lines) + "\n"

    def sheet(self) -> Sheet:
        """The sheet itself."""
        return parse_sheet(self.text(), self.lang)

    def ask(self, kind: str, default: str = "", **params: object) -> Step:
        """A question in the language of the person."""
        return Step(kind, text(f"ask.{kind}", self.tongue, **params), default)


Questions = Generator[Step, str, None]


def questions(draft: Draft, chosen: Choice) -> Questions:
    """Every question in turn; what is answered goes into the draft."""
    if not chosen.states_rules:
        draft.rules = yield draft.ask("rules", DEFAULT_PROFILE)
    if chosen.lang is None:
        draft.lang = draft.tongue = yield draft.ask("lang", "en")
    pots = chosen.profile(draft.rules).pot.pots
    while len(draft.sides) < MAX_SIDES:
        number = len(draft.sides) + 1
        name = yield draft.ask("side" if number <= 2 else "more_side", _side_name(number, draft), number=number)
        if not name:
            break
        side = SideDraft(name)
        draft.sides.append(side)
        yield from _side_questions(draft, side, pots)
    closer = yield draft.ask("closed", choices=", ".join(_closers(draft)))
    if closer:
        side, line = _closers(draft)[_folded(closer, draft)]
        side.rest.append(line)


def _side_name(number: int, draft: Draft) -> str:
    names = ("Noi", "Loro") if draft.tongue == "it" else ("We", "They")
    return names[number - 1] if number <= 2 else ""


def _side_questions(draft: Draft, side: SideDraft, pots: bool) -> Questions:
    players = yield draft.ask("players", side=side.name)
    side.players = [part.strip() for part in players.split(",") if part.strip()]
    while True:
        meld = yield draft.ask("meld", side=side.name, number=len(side.melds) + 1)
        if not meld:
            break
        side.melds.append(meld)
    for who in side.players or [""]:
        cards = yield draft.ask("hand", who=who)
        side.rest.append(f"hand {who}: {cards or '-'}" if who else f"hand: {cards or '-'}")
    if not pots:
        return
    pot = yield draft.ask("pot", side=side.name)
    if pot and _pot_state(pot, draft.lang) == "unplayed" and ":" not in pot:
        cards = yield draft.ask("pot_cards")
        pot = f"{pot}: {cards}" if cards else pot
    if pot:
        side.rest.append(f"pot: {pot}")


def _pot_state(pot: str, lang: str) -> str | None:
    return parse_sheet(f"[A]\npot: {pot}", lang).table.sides[0].pozzetto


def _closers(draft: Draft) -> dict[str, tuple[SideDraft, str]]:
    """Who may have closed: each player, or each side that has none named, with the line that says so."""
    found = {}
    for side in draft.sides:
        found[side.name] = (side, "closed: yes")
        found.update({player: (side, f"closed: {player}") for player in side.players})
    return found


def _folded(answer: str, draft: Draft) -> str:
    known = _closers(draft)
    matches = [name for name in known if name.casefold() == answer.casefold()]
    if not matches:
        choices = ", ".join(known)
        raise BurracoError(text("ask.yes_no", draft.tongue, choices=choices), code="ask.yes_no", choices=choices)
    return matches[0]


# --- answers -------------------------------------------------------------------------------------------------------


def _checked(step: Step, draft: Draft, answer: str) -> None:
    """BurracoError if the answer cannot be read; the same readers decide that read a sheet."""
    if step.kind == "rules":
        load_profile(answer)
    elif step.kind == "lang":
        parse_cards("", answer)
    elif step.kind in ("side", "more_side") and answer:
        parse_sheet("\n".join([*[f"[{side.name}]" for side in draft.sides], f"[{answer}]"]), draft.lang)
    elif step.kind == "players" and answer:
        parse_sheet(f"[{draft.sides[-1].name}: {answer}]", draft.lang)
    elif step.kind == "meld" and answer:
        parse_meld(answer, draft.lang)
    elif step.kind in ("hand", "pot_cards"):
        parse_cards(answer, draft.lang)
    elif step.kind == "pot" and answer:
        _pot_state(answer, draft.lang)
    elif step.kind == "closed" and answer:
        _folded(answer, draft)


def _echo(step: Step, draft: Draft, answer: str, profile: Callable[[], RuleProfile], write: Write) -> None:
    """What was understood: the verdict on a meld, the cards of a hand."""
    if step.kind == "meld" and answer:
        stated = parse_meld(answer, draft.lang)
        verdict = check_meld(stated.cards, profile(), stated.bindings)
        write("  " + tone(meld_line(verdict, draft.tongue), "good" if verdict.legal else "bad"))
        for fault in verdict.violations:
            write("  - " + tone(fault_text(fault, draft.tongue), "bad"))
        for notice in verdict.notices:
            write("  - " + tone(fault_text(notice, draft.tongue), "note"))
    elif step.kind in ("hand", "pot_cards") and (cards := parse_cards(answer, draft.lang)):
        write("  " + cards_text(cards))


def replay(answers: list[str], chosen: Choice) -> tuple[Draft, Step | None]:
    """The draft that the answers make, and the next question (None: all asked)."""
    draft = Draft(chosen.lang or "en", chosen.lang or "en", options=dict(chosen.options))
    draft.rules = chosen.rules
    asking = questions(draft, chosen)
    try:
        step = next(asking)
        for answer in answers:
            step = asking.send(answer)
    except StopIteration:
        return draft, None
    return draft, step


def ask_sheet(chosen: Choice, read: Read, write: Write, answers: list[str]) -> Draft:
    """Ask until the sheet is whole. `answers` grows as they come, so that the caller can save them at any time."""
    while True:
        draft, step = replay(answers, chosen)
        if step is None:
            return draft
        shown = f"{step.prompt} [{step.default}]: " if step.default else f"{step.prompt}: "
        given = " ".join(read(shown).split())
        if given.casefold() in UNDO:
            _undo(answers, draft, write)
        elif given.casefold() in HELP:
            code = f"ask.help_{step.kind}" if step.kind in ("meld", "hand") else "ask.help_other"
            write("  " + text(code, draft.tongue))
        else:
            _take(given or step.default, step, draft, chosen, write, answers)


def _undo(answers: list[str], draft: Draft, write: Write) -> None:
    """Take back the last line that was typed, an empty one too."""
    if answers:
        write("  " + text("ask.undone", draft.tongue, what=answers.pop() or "-"))
    else:
        write("  " + text("ask.nothing_to_undo", draft.tongue))


def _take(answer: str, step: Step, draft: Draft, chosen: Choice, write: Write, answers: list[str]) -> None:
    try:
        _checked(step, draft, answer)
        _echo(step, draft, answer, lambda: chosen.profile(draft.rules), write)
    except BurracoError as error:
        for one in all_errors(error):
            write("  " + tone(error_text(one, draft.tongue), "bad"))
        return
    answers.append(answer)


# --- on a terminal -------------------------------------------------------------------------------------------------


def ask_on_terminal(chosen: Choice) -> Sheet:
    """Ask on the terminal. When it is broken off, the answers so far are saved and KeyboardInterrupt goes on."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (line editing and history, where the platform has them)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    answers: list[str] = []
    say(text("ask.welcome", chosen.lang or "en"))
    try:
        return ask_sheet(chosen, input, say, answers).sheet()
    except BaseException as stop:
        _save(answers, chosen)
        if isinstance(stop, EOFError):
            raise KeyboardInterrupt from None
        raise


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def offer_to_save(sheet: Sheet, tongue: str) -> None:
    """Ask for a file to write the finished sheet to; an empty answer, or none, leaves it."""
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while name := input(text("ask.save", tongue) + ": ").strip():
            try:
                write_text(name, format_sheet(sheet))
            except BurracoError as error:
                say("  " + error_text(error, tongue))
                continue
            say(text("ask.sheet_saved", tongue, name=name))
            return


def _save(answers: list[str], chosen: Choice) -> None:
    """Write what was typed to a new file here, or in the temporary folder; if neither works, show it."""
    draft, _ = replay(answers, chosen)
    if not draft.sides:
        return
    words = _tidy(draft)
    detail = ""
    for folder in _folders():
        name = free_name(folder, time.strftime("burraco-%Y%m%d-%H%M%S"))
        try:
            write_text(str(name), words)
        except BurracoError as error:
            detail = detail or error_text(error, draft.tongue)
            continue
        say("", text("ask.saved", draft.tongue, name=str(name)))
        return
    say(text("ask.not_saved", draft.tongue, detail=detail), words.rstrip("\n"))


def _folders() -> list[Path]:
    import tempfile

    return [Path(), Path(tempfile.gettempdir())]


def free_name(folder: Path, stem: str) -> Path:
    """A file name in the folder that is not taken."""
    name = folder / f"{stem}.txt"
    number = 1
    while name.exists():
        number += 1
        name = folder / f"{stem}-{number}.txt"
    return name


def _tidy(draft: Draft) -> str:
    """The sheet in its own language where it can be read as it stands, else the lines as typed."""
    try:
        return format_sheet(draft.sheet())
    except BurracoError:
        return draft.text()
