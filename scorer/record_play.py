"""Playing a record back, and making one from a deal that was played.

>>> import random
>>> from scorer.game import apply, legal_actions
>>> from scorer.profile import load_profile
>>> from scorer.record import read_record, write_record
>>> rng, deck = random.Random(3), [card.code for card in DECK]
>>> rng.shuffle(deck)
>>> profile, actions = load_profile("vanikar"), []
>>> state = deal(deck, profile, players=2)
>>> while not state.over:
...     actions.append(rng.choice(legal_actions(state)))
...     state = apply(state, actions[-1])
>>> record = record_of(profile, ("Anna", "Bruno"), (deal_record(deck, profile, actions, players=2),))
>>> read_record(write_record(record)) == record
True
>>> list(replay(record, 0))[-1].after == state
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from scorer.cards import DECK
from scorer.errors import NotationError, RecordError
from scorer.game.actions import Spoken, action_of, say, spoken_text
from scorer.game.apply import advance
from scorer.game.check import check
from scorer.game.final import DealResult, result_of, side_name
from scorer.game.state import PLAYED, UNPLAYED, Action, GameState, deal
from scorer.melds import Violation
from scorer.profile import RuleProfile
from scorer.record import DealRecord, Record, Turn, profile_of, record_of

__all__ = ["DECK", "Step", "deal_record", "marks", "opening", "record_of", "replay"]


class Step(NamedTuple):
    """One action of a replay: whose, what, and the states before and after it."""

    number: int
    seat: int
    piece: Spoken
    action: Action
    before: GameState
    after: GameState


def opening(record: Record, index: int, profile: RuleProfile | None = None) -> GameState:
    """The state in which a recorded deal begins; RecordError when the rules have changed, MatchError for its deck."""
    item = record.deals[index]
    rules = profile or profile_of(record)
    return deal(
        item.deck, rules, players=len(record.players), dealer=item.dealer, three_pots=item.three_pots, cut=item.cut
    )


def replay(record: Record, index: int = 0, profile: RuleProfile | None = None) -> Iterator[Step]:
    """Play a recorded deal; RecordError with line and column at the first thing that the rules refuse."""
    item = record.deals[index]
    state = opening(record, index, profile)
    number = 0
    for at, turn in enumerate(item.turns):
        line, columns = item.places[at] if at < len(item.places) else (item.line, ())
        for place, piece in enumerate(turn.pieces):
            column = columns[place] if place < len(columns) else 1
            if piece.word in ("pot", "close"):
                continue
            if state.over or state.turn != turn.seat:
                due = state.game.letters[state.turn]
                raise _refused("deal_over" if state.over else "not_your_turn", line, column, piece, why={"due": due})
            try:
                action = action_of(state, piece, column)
            except NotationError as error:
                raise _refused(error.code, line, column, piece, why=error.params) from None
            faults = check(state, action)
            if faults:
                raise _refused(faults[0].code, line, column, piece, violation=faults[0])
            after = advance(state, action)
            number += 1
            yield Step(number, turn.seat, piece, action, state, after)
            state = after


class RefusedMove(RecordError):
    """A recorded move that the rules refuse; `violation` is the first reason, None when it is no rule but the order.

    `why` fills the sentence of a reason that is no rule: whose turn it is, which meld is not there.
    """

    def __init__(
        self, message: str, violation: Violation | None, *, why: Mapping[str, object], line: int, **params: object
    ) -> None:
        super().__init__(message, code="record_move", line=line, **params)
        self.violation, self.why = violation, why


def _refused(
    code: str, line: int, column: int, piece: Spoken, *,
    violation: Violation | None = None, why: Mapping[str, object] = MappingProxyType({}),
) -> RefusedMove:  # fmt: skip
    text = spoken_text(piece)
    said = f"{text!r} is not allowed: {code}"
    return RefusedMove(said, violation, why=why, line=line, column=column, move=text, reason=code)


def marks(before: GameState, after: GameState) -> tuple[str, ...]:
    """The marks that an action earns: `pot` when it took the pot, `close` when it ended the deal."""
    seat = before.turn
    if after.end == "close":
        return ("close",)
    side = after.sides[seat]
    old, new = before.pot[before.sides[seat]], after.pot[side]
    if old == 0 and new in (UNPLAYED, PLAYED) and after.holder[side] == seat and before.holder != after.holder:
        return ("pot",)
    return ()


def deal_record(
    deck: Sequence[int],
    profile: RuleProfile,
    actions: Iterable[Action],
    *,
    players: int,
    dealer: int = 0,
    cut: int = 0,
    three_pots: bool = False,
) -> DealRecord:
    """The record of a deal from its deck and actions; its end and points are written when it is over.

    The actions must be legal (they are applied without asking); an unfinished deal gives a record that can go on.
    """
    state = deal(deck, profile, players=players, dealer=dealer, cut=cut, three_pots=three_pots)
    turns: list[Turn] = []
    pieces: list[Spoken] = []
    for action in actions:
        seat = state.turn
        pieces.append(say(state, action))
        after = advance(state, action)
        pieces += [Spoken(mark) for mark in marks(state, after)]
        if after.over or after.turn != seat:
            turns.append(Turn(seat, tuple(pieces)))
            pieces = []
        state = after
    if pieces:
        turns.append(Turn(state.turn, tuple(pieces)))
    points = claims(state, result_of(state)) if state.over else None
    return DealRecord(dealer, tuple(deck), tuple(turns), cut, three_pots, state.end, points)


def claims(state: GameState, result: DealResult) -> tuple[tuple[str, int], ...] | None:
    """The points of each side by name, as a record claims them; None without a result."""
    if result.sheet is None:
        return None
    names = [side_name(state.game, state.sides, state.sides[seats[0]]) for seats in result.sides]
    return tuple((name, side.score.total) for name, side in zip(names, result.sheet.sides, strict=True))
