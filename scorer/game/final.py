"""The end of a deal: the state becomes a `Table`, and the scorer (nobody else) adds the points."""

from __future__ import annotations

from typing import Final, NamedTuple

from scorer.cards import Card
from scorer.game.faults import cards_of
from scorer.game.state import PLAYED, UNPLAYED, Game, GameState, side_seats
from scorer.match import halves
from scorer.scoring import ScoreSheet, score
from scorer.table import Hand, MeldText, Pozzetto, Side, Table

_POT_WORDS: Final[tuple[Pozzetto, ...]] = ("not_taken", "unplayed", "played")


class DealResult(NamedTuple):
    """How a deal ended. `sheet` is None for a truncated deal: it has no result.

    `sides` lists the seats of each side in the order of the sheet; `points` are the points of each seat: its side's
    total, or its half of it where a pair was formed during the deal.
    """

    end: str
    closer: int
    turns: int
    sides: tuple[tuple[int, ...], ...]
    sheet: ScoreSheet | None
    points: tuple[int, ...]

    @property
    def void(self) -> bool:
        """Whether the deal counts for nobody and is dealt again."""
        return self.sheet is not None and self.sheet.void


def side_list(sides: tuple[int, ...]) -> tuple[int, ...]:
    """The sides that exist, in the order of their first seats."""
    return tuple(dict.fromkeys(sides))


def side_name(game: Game, sides: tuple[int, ...], side: int) -> str:
    """A side's name: the letters of its seats (`NS`)."""
    return "".join(game.letters[seat] for seat in side_seats(sides, side))


def table_of(state: GameState, players: tuple[str, ...] = ()) -> Table:
    """The table as the scorer wants it, at any moment; `players` are names by seat, the letters when not given.

    A pot taken by discard and not yet played is `unplayed`, unless its own side closed: then its cards are a hand.
    """
    names = players or tuple(state.game.letters)
    return Table(tuple(_side(state, side, names) for side in side_list(state.sides)))


def _side(state: GameState, side: int, names: tuple[str, ...]) -> Side:
    game = state.game
    seats = side_seats(state.sides, side)
    closed = state.closer in seats
    status = state.pot[side]
    if closed and status == UNPLAYED:
        status = PLAYED
    held = state.holder[side] if status == UNPLAYED else -1
    return Side(
        name=side_name(game, state.sides, side),
        players=tuple(names[seat] for seat in seats),
        melds=tuple(MeldText(_shown(state, i)) for i, m in enumerate(state.melds) if state.sides[m.home] == side),
        hands=tuple(Hand(() if seat == held else cards_of(state.hands[seat]), names[seat]) for seat in seats),
        pozzetto=_POT_WORDS[status] if game.flags.pots else None,
        pozzetto_cards=cards_of(state.hands[held]) if held >= 0 else (),
        closed=closed,
        closed_by=names[state.closer] if closed else None,
    )


def _shown(state: GameState, index: int) -> tuple[Card, ...]:
    meld = state.melds[index]
    return tuple(slot.card for slot in state.game.book.reading(meld.codes, meld.reading).slots)


def result_of(state: GameState, players: tuple[str, ...] = ()) -> DealResult:
    """The result of a deal that is over, scored by `scorer.scoring`."""
    sides = tuple(side_seats(state.sides, side) for side in side_list(state.sides))
    if state.end == "truncated":
        return DealResult(state.end, -1, state.turns, sides, None, (0,) * state.game.seats)
    sheet = score(table_of(state, players), state.game.profile)
    points = [0] * state.game.seats
    for seats, side in zip(sides, sheet.sides, strict=True):
        joined = state.game.joins and len(seats) > 1
        for seat in seats:
            points[seat] = halves(side.score.total) if joined else side.score.total
    return DealResult(state.end, state.closer, state.turns, sides, sheet, tuple(points))
