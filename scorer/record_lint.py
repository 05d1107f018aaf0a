"""Everything wrong with a record, with line, column and code; a partial record is followed as far as it goes.

A move that breaks a rule but can be made (a wild as the closing discard, a second set of a rank) is reported and made,
so that one slip does not hide the rest; one that cannot be made ends the reading of that deal.

>>> [finding.code for finding in lint("format = 1")]
['bad_field', 'bad_field', 'bad_field', 'record_format']
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from scorer.cards import CARDS, JOKER_CODE, UNKNOWN_CODE, copies
from scorer.errors import BurracoError, NotationError
from scorer.game.actions import Spoken, action_of, spoken_text
from scorer.game.apply import advance
from scorer.game.check import check
from scorer.game.final import result_of
from scorer.game.state import GameState, all_cards
from scorer.melds import Violation
from scorer.profile import RuleProfile
from scorer.record import DealRecord, Fault, Record, parse_record, profile_of
from scorer.record_play import claims, marks, opening

#: Refusals that leave the cards where they were told to be: the deal can be followed past them.
_FOLLOWED: Final = frozenset({
    "rediscard", "must_lay_something", "not_your_meld", "equal_set", "closing_needs_burraco", "closing_needs_clean",
    "wild_closing_discard", "joker_can_be_laid", "closing_discard_required", "closing_needs_pot",
})  # fmt: skip

#: Errors of a record that was read: what it tells is not so, or against the rules.
READ_CODES: Final = frozenset({
    "not_your_turn", "deal_over", "wrong_mark", "turn_not_ended", "wrong_end", "wrong_points", "deck_copies",
    "no_meld_of_that_name",
})  # fmt: skip


class Finding(NamedTuple):
    """One finding: `level` is `error` or `note`; `violation` has the rule and the cards when a rule was broken."""

    line: int
    column: int
    code: str
    message: str
    level: str = "error"
    params: tuple[tuple[str, str | int], ...] = ()
    violation: Violation | None = None


def lint(text: str, profile: RuleProfile | None = None) -> list[Finding]:
    """Every finding in a record's text, in the order of the file. `profile` replaces the one that the record names."""
    record, faults = parse_record(text)
    found = [_of_fault(fault) for fault in faults]
    if record is not None:
        found += lint_record(record, profile, form_faults=bool(faults))
    return sorted(found, key=lambda finding: finding[:3])


def lint_record(record: Record, profile: RuleProfile | None = None, *, form_faults: bool = False) -> list[Finding]:
    """The findings of a record that could be read: its rule set, each deal, and what it claims."""
    if profile is None:
        if form_faults and not record.rules:
            return []
        try:
            profile = profile_of(record)
        except BurracoError as error:
            return [Finding(1, 1, error.code, error.message, "error", _plain(error.params))]
    out: list[Finding] = []
    if not record.deals:
        out.append(Finding(1, 1, "no_deals", "the record holds no deal"))
    for index, item in enumerate(record.deals):
        try:
            state = opening(record, index, profile)
        except BurracoError as error:
            out.append(Finding(item.line, 1, error.code, error.message, "error", _plain(error.params)))
            continue
        out += _lint_deal(record, item, state)
    return out


def _of_fault(fault: Fault) -> Finding:
    return Finding(fault.line, fault.column, fault.code, fault.message, "error", fault.params)


def _plain(params: dict[str, object]) -> tuple[tuple[str, str | int], ...]:
    return tuple((k, v) for k, v in params.items() if isinstance(v, str | int) and k not in ("line", "column"))


def _lint_deal(record: Record, item: DealRecord, state: GameState) -> Iterator[Finding]:
    whole = True
    for at, turn in enumerate(item.turns):
        line, columns = item.places[at] if at < len(item.places) else (item.line, ())
        if item.readable is not None and at >= item.readable:
            yield Finding(line, 1, "rest_not_read", "the rest of this deal was not read", "note")
            return
        due: tuple[str, ...] = ()
        for place, piece in enumerate(turn.pieces):
            column = columns[place] if place < len(columns) else 1
            if piece.word in ("pot", "close"):
                if due[:1] != (piece.word,):
                    yield Finding(line, column, "wrong_mark", f"{piece.word!r} is not what happened here", "error",
                                  (("mark", piece.word),))  # fmt: skip
                due = due[1:]
                continue
            yield from _missing_mark(due, line, column)
            found, after = _made(state, turn.seat, piece, line, column)
            yield from found
            if after is None:
                yield Finding(line, column, "rest_not_read", "the rest of this deal was not read", "note")
                return
            due = marks(state, after)
            state = after
        yield from _missing_mark(due, line, 1)
        if not state.over and state.turn == turn.seat:
            last = at == len(item.turns) - 1
            if not last:
                yield Finding(line, 1, "turn_not_ended", "the turn has no discard")
                whole = False
    if item.readable is None:
        yield from _lint_end(item, state, whole)


def _missing_mark(due: tuple[str, ...], line: int, column: int) -> Iterator[Finding]:
    for mark in due:
        yield Finding(line, column, "missing_mark", f"{mark!r} is not written", "note", (("mark", mark),))


def _made(state: GameState, seat: int, piece: Spoken, line: int, column: int) -> tuple[list[Finding], GameState | None]:
    text = spoken_text(piece)
    if state.over or state.turn != seat:
        code = "deal_over" if state.over else "not_your_turn"
        due = state.game.letters[state.turn]
        message = "the deal is over" if state.over else f"it is {due}'s turn"
        return [Finding(line, column, code, message, "error", (("move", text), ("due", due)))], None
    try:
        action = action_of(state, piece, column)
    except NotationError as error:
        return [Finding(line, column, error.code, error.message, "error", _plain(error.params))], None
    faults = check(state, action)
    found = [
        Finding(line, column, v.code, f"{text}: {v.code}", "error", (("move", text), *v.params), v) for v in faults
    ]
    if any(fault.code not in _FOLLOWED for fault in faults):
        return found, None
    return found, advance(state, action)


def _lint_end(item: DealRecord, state: GameState, whole: bool) -> Iterator[Finding]:
    line = item.line
    known = [code for code in all_cards(state) if code <= JOKER_CODE]
    for code in sorted(set(known)):
        count = known.count(code)
        if count > copies(CARDS[code]):
            yield Finding(line, 1, "deck_copies", f"{count} copies of {CARDS[code]}", "error",
                          (("card", CARDS[code].text), ("count", count)))  # fmt: skip
    if not state.over:
        yield Finding(line, 1, "unfinished", "the deal is not finished", "note")
        if item.end:
            yield Finding(item.end_line, 1, "wrong_end", f"the deal does not end by {item.end!r}", "error",
                          (("claimed", item.end), ("found", "")))  # fmt: skip
        return
    if item.end and item.end != state.end:
        yield Finding(item.end_line, 1, "wrong_end", f"the deal ends by {state.end!r}, not {item.end!r}", "error",
                      (("claimed", item.end), ("found", state.end)))  # fmt: skip
    if item.points is not None and whole:
        yield from _lint_points(item, state, item.points_line)


def _lint_points(item: DealRecord, state: GameState, line: int) -> Iterator[Finding]:
    if any(UNKNOWN_CODE in hand for hand in state.hands):
        yield Finding(line, 1, "points_not_checked", "cards left in hand are unknown: the points stay a claim", "note")
        return
    real = dict(claims(state, result_of(state)) or ())
    stated = dict(item.points or ())
    for name in sorted(real.keys() | stated.keys()):
        if real.get(name) != stated.get(name):
            yield Finding(
                line, 1, "wrong_points", f"{name} has {real.get(name)} points, not {stated.get(name)}", "error",
                (("side", name), ("claimed", str(stated.get(name, ""))), ("found", str(real.get(name, "")))),
            )  # fmt: skip
