"""`burraco replay`, `lint` and `move`: play deals back, check records, judge one move."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from scorer.cli.common import (
    JsonFlag,
    LangCode,
    OptionList,
    RulesFile,
    RulesId,
    bounded,
    choice,
    in_colour,
    read_json,
    read_text,
    say,
    say_json,
    shown_name,
    tell,
    tone,
)
from scorer.contract import refuse
from scorer.errors import BurracoError, RecordError
from scorer.messages import text
from scorer.profile import RuleProfile
from scorer.record import Record

# --- move ------------------------------------------------------------------------------------------------------------


def move(
    action: Annotated[
        str,
        typer.Argument(metavar="ACTION", help='"lay 7h 7d 7s", "add N1 + 8h", "discard Kh"; - reads JSON requests.'),
    ],
    table: Annotated[
        str | None, typer.Option("--table", metavar="FILE", help="A sheet: its first side is yours, with your hand.")
    ] = None,
    hand: Annotated[str | None, typer.Option("--hand", metavar="CARDS", help="The hand of the player on turn.")] = None,
    mine: Annotated[
        list[str] | None, typer.Option("--mine", metavar="MELD", help="A meld of his side (N1, N2..).")
    ] = None,
    others: Annotated[
        list[str] | None, typer.Option("--others", metavar="MELD", help="A meld of the next side.")
    ] = None,
    pile: Annotated[str | None, typer.Option("--pile", metavar="CARDS", help="The discard pile, top last.")] = None,
    stock: Annotated[int, typer.Option("--stock", metavar="N", help="Cards left in the stock.")] = 40,
    pot: Annotated[
        str | None, typer.Option("--pot", metavar="STATE", help="His side's pot: not_taken, unplayed or played.")
    ] = None,
    others_pot: Annotated[
        str | None, typer.Option("--others-pot", metavar="STATE", help="The other side's pot.")
    ] = None,
    players: Annotated[int | None, typer.Option("--players", metavar="N", help="How many play.")] = None,
    to_draw: Annotated[bool, typer.Option("--to-draw", help="He has not drawn yet.")] = False,
    taken: Annotated[
        str | None, typer.Option("--taken", metavar="CARD", help="The one card of the pile that he has just taken.")
    ] = None,
    as_json: JsonFlag = False,
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    lang: LangCode = None,
) -> int:
    """May I do this now? A table, a hand and an action in; the verdict with every reason out."""
    from scorer.game.judge import answer_move

    chosen = choice(rules, option, rules_file, lang)
    if action == "-":
        return _moves_from_input(chosen, as_json)
    body: dict[str, Any] = {
        "action": action, "mine": mine or [], "others": others or [], "stock": stock, "drawn": not to_draw,
    }  # fmt: skip
    given = {"hand": hand, "pile": pile, "pot": pot, "others_pot": others_pot, "players": players, "barred": taken}
    stated: str | None = None
    options: dict[str, object] = {}
    if table is not None:
        stated, options, lang = _add_sheet(body, table, lang)
    body |= {key: value for key, value in given.items() if value is not None}
    profile = chosen.profile(stated, options)
    tongue = lang or "en"
    answer = answer_move(body, profile=profile, lang=tongue)
    if as_json:
        say_json(answer)
    else:
        _show_verdict(answer, tongue)
    return 0 if answer["legal"] else 1


def _moves_from_input(chosen: Any, as_json: bool) -> int:
    """JSON requests from the standard input, one a line; the answer is always JSON."""
    from scorer.contract import error_json
    from scorer.game.judge import answer_move

    worst = 0
    for line in read_text("-").splitlines():
        if not line.strip():
            continue
        try:
            body = read_json(line)
            profile = chosen.profile() if chosen.states_rules else None
            answer = answer_move(body, profile=profile, lang=chosen.lang)
            worst = max(worst, 0 if answer["legal"] else 1)
            say_json(answer)
        except BurracoError as error:
            worst = 2
            say_json(error_json(error, chosen.lang or "en"))
    return worst


def _add_sheet(body: dict[str, Any], name: str, lang: str | None) -> tuple[str | None, dict[str, object], str]:
    """Fill a request from a sheet, its cards in canonical notation; the rules and language that the sheet states."""
    from scorer.notation import format_meld, parse_sheet

    sheet = parse_sheet(read_text(name), lang or "en")
    sides = sheet.table.sides
    style = "it" if (lang or sheet.lang) == "it" else "canonical"
    if sides:
        mine = sides[0]
        body["mine"] = [format_meld(meld, style) for meld in mine.melds] + body["mine"]
        body["others"] = [format_meld(meld, style) for side in sides[1:2] for meld in side.melds] + body["others"]
        if mine.hands:
            from scorer.notation import format_cards

            body["hand"] = format_cards(mine.hands[0].cards, style)
        body["pot"] = mine.pozzetto or "not_taken"
        if len(sides) > 1:
            body["others_pot"] = sides[1].pozzetto or "not_taken"
    return sheet.rules, dict(sheet.options), lang or sheet.lang


def _show_verdict(answer: dict[str, Any], lang: str) -> None:
    if answer["legal"]:
        say(tone(text("game.legal", lang), "good"))
        after = answer["after"]
        for meld in after["melds"]:
            say(f"  {meld['name']}: {_symbols(meld['cards'])}")
        say(f"  {text('game.hand', lang)}: {_symbols(after['hand']) or '-'}")
    else:
        say(tone(text("game.illegal", lang), "bad"))
    for found in [*answer["violations"], *answer["notices"]]:
        say(f"  - {found['message']}" + (f"  [{found['rule']}: {found['source']}]" if found["rule"] else ""))


def _symbols(cards: Sequence[str]) -> str:
    from scorer.cards import Card

    return " ".join(Card.of(card).symbol for card in cards)


# --- lint ------------------------------------------------------------------------------------------------------------


def lint(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Records; - reads the standard input.")],
    as_json: JsonFlag = False,
    rules_file: RulesFile = None,
    lang: LangCode = None,
) -> int:
    """Check records, move by move: every error with line, column and code."""
    from scorer.profile import read_profile
    from scorer.record_lint import lint as lint_text

    tongue = choice(None, None, rules_file, lang).lang or "en"
    profile = read_profile(read_text(rules_file)) if rules_file else None
    worst = 0
    for name in files:
        found = lint_text(read_text(name), profile)
        errors = [finding for finding in found if finding.level == "error"]
        worst = max(worst, _lint_exit(errors))
        if as_json:
            say_json({
                "file": shown_name(name), "legal": not errors, "findings": [_finding_json(f, tongue) for f in found],
            })  # fmt: skip
            continue
        for finding in found:
            where = f"{shown_name(name)}:{finding.line}:{finding.column}"
            word = tone(text(f"game.{finding.level}", tongue), "bad" if finding.level == "error" else "note")
            say(f"{where}: {word} {finding.code}: {finding_text(finding, tongue)}")
        if not found:
            say(text("game.clean_record", tongue, name=shown_name(name)))
        else:
            say(text("game.findings", tongue, errors=len(errors), notes=len(found) - len(errors)))
    return worst


def _lint_exit(errors: Sequence[Any]) -> int:
    """2 when the record cannot be read, 1 when it was read and breaks the rules or claims what is not so."""
    if not errors:
        return 0
    from scorer.record_lint import READ_CODES

    return 1 if all(e.violation is not None or e.code in READ_CODES for e in errors) else 2


def finding_text(finding: Any, lang: str) -> str:
    """The sentence of a finding, with the move that it is about."""
    from scorer.explain import fault_text
    from scorer.messages import has

    if finding.violation is not None:
        said = dict(finding.params).get("move", "")
        return f"{said}: {fault_text(finding.violation, lang, placed=False)}"
    params = dict(finding.params)
    return text(finding.code, lang, **params) if has(finding.code, lang) else finding.message


def _finding_json(finding: Any, lang: str) -> dict[str, Any]:
    return {
        "line": finding.line, "column": finding.column, "level": finding.level, "code": finding.code,
        "message": finding_text(finding, lang),
        "rule": finding.violation.rule if finding.violation else "",
        "cards": [card.text for card in finding.violation.cards] if finding.violation else [],
    }  # fmt: skip


# --- replay ----------------------------------------------------------------------------------------------------------


def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A record; - reads the standard input.")],
    deal: Annotated[int, typer.Option("--deal", metavar="N", help="Which deal, from 1.")] = 1,
    to: Annotated[
        int | None, typer.Option("--to", metavar="N", help="Stop after action N (0: before the first).")
    ] = None,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the table after every turn.")] = False,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after every turn (q stops).")] = False,
    as_json: JsonFlag = False,
    rules_file: RulesFile = None,
    lang: LangCode = None,
) -> int:
    """Play a recorded deal back, move by move, and score it."""
    from scorer.profile import read_profile
    from scorer.record import read_record

    tongue = choice(None, None, rules_file, lang).lang or "en"
    try:
        record = read_record(read_text(file))
    except RecordError as error:
        return _tell_place(error, file, tongue)
    if not 1 <= deal <= len(record.deals):
        raise refuse("no_such_deal", deal=deal, count=len(record.deals))
    profile = read_profile(read_text(rules_file), dict(record.options)) if rules_file else None
    if to is not None:
        bounded("--to", to, 0, 100_000)
    try:
        if as_json:
            return _replay_json(record, deal - 1, to, profile, tongue)
        return _replay_text(record, deal - 1, to, profile, tongue, boards or step, step)
    except RecordError as error:
        return _tell_place(error, file, tongue)


def _tell_place(error: RecordError, file: str, lang: str) -> int:
    """A record's error with its place, and the reason of a refused move in words; 1 for a rule, 2 for the rest."""
    from scorer.explain import error_text, fault_text
    from scorer.record_play import RefusedMove

    refused = isinstance(error, RefusedMove)
    if isinstance(error, RefusedMove):
        words = fault_text(error.violation, lang, placed=False) if error.violation else ""
        error.params["reason"] = words or text(str(error.params["reason"]), lang, **error.why)
    column = error.params.get("column", 1)
    tell(f"burraco: {shown_name(file)}:{error.line}:{column}: {error_text(error, lang)}")
    return 1 if refused else 2


def _replay_json(record: Record, index: int, to: int | None, profile: RuleProfile | None, lang: str) -> int:
    from scorer.contract import rules_json
    from scorer.game.final import result_of
    from scorer.game.shape import action_shape, result_shape, state_shape
    from scorer.record_play import opening
    from scorer.record_play import replay as play_back

    state = opening(record, index, profile)
    steps = []
    for one in play_back(record, index, profile):
        if to is not None and one.number > to:
            break
        seat = state.game.letters[one.seat]
        steps.append({"number": one.number, "seat": seat, **action_shape(one.before, one.action)})
        state = one.after
    result = result_shape(state, result_of(state, record.players), lang) if state.over else None
    say_json({
        "rules": rules_json(state.game.profile), "players": list(record.players), "deal": index + 1, "steps": steps,
        "state": state_shape(state), "result": result,
    })  # fmt: skip
    return 0


def _replay_text(
    record: Record, index: int, to: int | None, profile: RuleProfile | None, lang: str, boards: bool, wait: bool
) -> int:
    from scorer.cli.board import draw
    from scorer.game.actions import spoken_text
    from scorer.record_play import opening
    from scorer.record_play import replay as play_back

    state = opening(record, index, profile)
    say(text("game.start", lang))
    for one in play_back(record, index, profile):
        if to is not None and one.number > to:
            break
        name = f"{state.game.letters[one.seat]} {record.players[one.seat]}"
        say(text("game.step", lang, number=one.number, seat=name, move=spoken_text(one.piece)))
        turned = one.after.over or one.after.turn != one.seat
        state = one.after
        if boards and turned:
            draw(state, record.players, lang, colour=in_colour())
        if wait and turned and _stops():
            break
    if not boards:
        draw(state, record.players, lang, colour=in_colour())
    if state.over:
        _say_result(state, record, lang)
    return 0


def _stops() -> bool:
    """Wait for Enter on a terminal; whether the reader has had enough (`q`, or the end of the input)."""
    if not sys.stdin.isatty():
        return False
    try:
        return input().strip().lower() == "q"
    except EOFError:
        return True


def _say_result(state: Any, record: Record, lang: str) -> None:
    from scorer.game.final import result_of, table_of
    from scorer.report import plain, report

    result = result_of(state, record.players)
    seat = record.players[result.closer] if result.closer >= 0 else ""
    say("", text(f"game.over_{result.end}", lang, seat=seat))
    if result.sheet is not None:
        say(plain(report(table_of(state, record.players), result.sheet, state.game.profile, lang)).rstrip("\n"))
