"""States, views and results as JSON-ready data (canonical cards), the same for the command and for HTTP."""

from __future__ import annotations

from typing import Any, Final

from scorer.cards import CARDS
from scorer.contract import score_json
from scorer.game.actions import format_action
from scorer.game.faults import Seen
from scorer.game.final import DealResult, side_list, side_name
from scorer.game.state import KIND_NAMES, Action, Game, GameState, Meld, meld_name
from scorer.game.view import View
from scorer.moves import Codes

Json = dict[str, Any]
PHASES: Final = ("draw", "lay_taken_card", "play", "over")
POTS: Final = ("not_taken", "unplayed", "played")


def texts(codes: Codes) -> list[str]:
    """Canonical cards."""
    return [CARDS[code].text for code in codes]


def meld_shape(game: Game, sides: tuple[int, ...], meld: Meld) -> Json:
    """A meld on the table: its name, side, slots in order, and what it would pay if counted now."""
    reading = game.book.reading(meld.codes, meld.reading)
    status = game.book.readings(meld.codes)[0]
    return {
        "name": meld_name(game, meld),
        "side": side_name(game, sides, sides[meld.home]),
        "kind": reading.kind,
        "type": status.type,
        "cards": [slot.card.text for slot in reading.slots],
        "slots": [{"card": s.card.text, "stands_for": s.stands_for.text, "wild": s.wild} for s in reading.slots],
    }


def action_shape(state: Seen, action: Action) -> Json:
    """An action at this table, with its canonical text."""
    meld = meld_name(state.game, state.melds[action.meld]) if 0 <= action.meld < len(state.melds) else None
    return {
        "kind": KIND_NAMES[action.kind], "text": format_action(state, action), "cards": texts(action.cards),
        "meld": meld, "depth": action.depth,
    }  # fmt: skip


def _open(state: GameState | View) -> Json:
    game = state.game
    return {
        "seats": list(game.letters),
        "dealer": game.letters[game.dealer],
        "trump": game.profile.table.trump,
        "phase": PHASES[state.phase],
        "turn": game.letters[state.turn],
        "turns": state.turns,
        "sides": [
            {
                "name": side_name(game, state.sides, side),
                "seats": [game.letters[s] for s, of in enumerate(state.sides) if of == side],
                "pot": POTS[state.pot[side]] if game.flags.pots else None,
            }
            for side in side_list(state.sides)
        ],
        "melds": [meld_shape(game, state.sides, meld) for meld in state.melds],
        "pile": texts(state.pile),
        "stock": state.stock_count,
        "pots": state.pot_count,
        "must_lay": CARDS[state.duty].text if state.duty >= 0 else None,
        "over": state.over,
        "end": state.end or None,
        "closer": game.letters[state.closer] if state.closer >= 0 else None,
    }


def state_shape(state: GameState) -> Json:
    """A whole state with every hand: for replays of finished deals, never for a player."""
    letters = state.game.letters
    return _open(state) | {"hands": {letters[s]: texts(hand) for s, hand in enumerate(state.hands)}}


def view_shape(view: View) -> Json:
    """What one seat sees: its own hand, the others' only as counts and what they openly took."""
    letters = view.game.letters
    return _open(view) | {
        "seat": letters[view.seat],
        "hand": texts(view.hand),
        "hand_counts": {letters[s]: count for s, count in enumerate(view.hand_counts)},
        "known": {letters[s]: texts(cards) for s, cards in enumerate(view.known)},
    }


def result_shape(state: GameState, result: DealResult, lang: str = "en") -> Json:
    """How a deal ended and its score; `score` is null for a truncated deal."""
    letters = state.game.letters
    return {
        "end": result.end,
        "closer": letters[result.closer] if result.closer >= 0 else None,
        "turns": result.turns,
        "void": result.void,
        "points": {letters[seat]: points for seat, points in enumerate(result.points)},
        "score": score_json(result.sheet, state.game.profile, lang) if result.sheet else None,
    }
