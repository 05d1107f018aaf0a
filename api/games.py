"""Games in the store: a deck, who sits where, and the actions, from which everything else is replayed.

A game is a book of kind `game`; each event holds the actions of one request (a person's and the bots' that follow),
so a request is written whole or not at all and two servers on one database never disagree. Nobody but the server sees
the deck: an answer is built from the view of one seat, and the record opens when the deal is over.
"""

from __future__ import annotations

import hashlib
import random
import secrets
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from api.problems import Problem
from api.store import Store
from scorer.cards import DECK
from scorer.contract import fault_json, refuse, rules_json
from scorer.game import (
    Action,
    GameState,
    advance,
    check,
    deal,
    format_action,
    legal_actions,
    read_action,
    result_of,
    view_of,
)
from scorer.game.bots import bot_names, make_bot
from scorer.game.shape import action_shape, result_shape, view_shape
from scorer.game.state import SEAT_LETTERS
from scorer.profile import RuleProfile, load_profile
from scorer.record import record_of, write_record
from scorer.record_play import deal_record

KIND: Final = "game"
HUMAN: Final = "human"
_HOT: Final = 300
Json = dict[str, Any]


@dataclass
class Live:
    """A game replayed up to version `head`."""

    id: str
    info: Json
    profile: RuleProfile
    state: GameState
    head: int = 0
    actions: list[Action] = field(default_factory=list)
    said: list[tuple[str, str]] = field(default_factory=list)

    def copy(self) -> Live:
        """A copy that can go on without touching this one (states are frozen)."""
        return Live(self.id, self.info, self.profile, self.state, self.head, [*self.actions], [*self.said])

    def play(self, action: Action) -> None:
        """Apply a legal action."""
        self.said.append((self.state.game.letters[self.state.turn], format_action(self.state, action)))
        self.actions.append(action)
        self.state = advance(self.state, action)

    @property
    def on_turn(self) -> str:
        """Who is on turn: `human` or the name of a bot."""
        player: str = self.info["seats"][self.state.turn]
        return player


class Games:
    """The games of a store, the lately used ones kept replayed. Every method blocks: call it in a thread."""

    def __init__(self, store: Store, seconds: float) -> None:
        self.store = store
        self.seconds = seconds
        self._hot: OrderedDict[str, Live] = OrderedDict()
        self._lock = Lock()

    # --- reading -------------------------------------------------------------------------------------------------

    def load(self, ident: str) -> Live:
        """A game as it stands in the store; `game_not_found` when there is none."""
        from scorer.errors import MatchError

        try:
            book = self.store.book(ident)
        except MatchError as error:
            if error.code == "unknown_book":
                raise Problem(404, "game_not_found") from None
            raise
        if book.kind != KIND:
            raise Problem(404, "game_not_found")
        with self._lock:
            live = self._hot.get(ident)
        live = live.copy() if live is not None and live.head <= book.head else _opened(ident, book.info)
        for event in self.store.events(ident, after=live.head):
            for packed in event.payload["actions"]:
                live.play(_unpacked(packed))
            live.head = event.seq
        self._keep(live)
        return live

    def _keep(self, live: Live) -> None:
        with self._lock:
            self._hot[live.id] = live
            self._hot.move_to_end(live.id)
            if len(self._hot) > _HOT:
                self._hot.popitem(last=False)

    def seat_of(self, live: Live, token: str | None) -> int:
        """The seat whose token this is; 401 without one, 403 for a token of none."""
        if not token:
            raise Problem(401, "seat_token_needed")
        digest = _digest(token)
        for seat, kept in live.info["tokens"].items():
            if secrets.compare_digest(kept, digest):
                return int(seat)
        raise Problem(403, "seat_token_needed")

    # --- writing -------------------------------------------------------------------------------------------------

    def create(self, request: Json, profile: RuleProfile) -> tuple[Live, dict[str, str]]:
        """A new game, bots having moved up to the first person; with the token of each person's seat by letter."""
        seats: list[str] = request["seats"]
        seed = request["seed"] if request["seed"] is not None else secrets.token_hex(16)
        deck = [card.code for card in DECK]
        random.Random(f"deck {seed}").shuffle(deck)
        tokens = {seat: secrets.token_urlsafe(18) for seat, player in enumerate(seats) if player == HUMAN}
        info = {
            "rules": profile.id,
            "options": [[key, list(value) if isinstance(value, tuple) else value] for key, value in profile.options],
            "seats": seats,
            "dealer": request["dealer"],
            "deck": deck,
            "seed": str(seed),
            "tokens": {str(seat): _digest(token) for seat, token in tokens.items()},
        }
        deal(deck, profile, players=len(seats), dealer=request["dealer"])  # refused before it is stored
        made = self.store.create(KIND, info)
        live = _opened(made.id, info)
        if self._bots(live):
            live.head = self.store.append(made.id, "actions", {"actions": _packed(live.actions)}, seen=0).seq
        self._keep(live)
        letters = SEAT_LETTERS[len(seats)]
        return live, {letters[seat]: token for seat, token in tokens.items()}

    def act(self, ident: str, token: str | None, text: str, lang: str, words: str, seen: int) -> tuple[Live, int, Json]:
        """One action of a person, then the bots' until a person is on turn again; what is refused changes nothing."""
        live = self.load(ident)
        seat = self.seat_of(live, token)
        if seen != live.head:
            raise Problem(409, "game_changed", seen=seen, version=live.head, extra={"version": live.head})
        if live.state.over:
            raise Problem(409, "game_over", extra={"version": live.head})
        if live.state.turn != seat:
            letter = live.state.game.letters[live.state.turn]
            raise Problem(409, "other_turn", seat=letter, extra={"version": live.head})
        action = read_action(text, live.state, lang)
        faults = check(live.state, action)
        if faults:
            told = [fault_json(fault, live.profile, words) for fault in faults]
            return live, seat, {"legal": False, "violations": told}
        first = len(live.actions)
        live = live.copy()
        live.play(action)
        self._bots(live)
        live.head = self.store.append(ident, "actions", {"actions": _packed(live.actions[first:])}, seen=seen).seq
        self._keep(live)
        return live, seat, {"legal": True, "violations": []}

    def _bots(self, live: Live) -> bool:
        """Let bots move until a person is on turn or the deal is over; whether any did."""
        until = time.monotonic() + self.seconds
        moved = False
        while not live.state.over and live.on_turn != HUMAN:
            if time.monotonic() > until:
                raise Problem(503, "answer_timeout", headers={"Retry-After": "1"}, seconds=f"{self.seconds:g}")
            live.play(_chosen(live, live.on_turn, live.state.turn))
            moved = True
        return moved


# --- answers ---------------------------------------------------------------------------------------------------------


def view_json(live: Live, seat: int, after: int, lang: str) -> Json:
    """What one seat may know: its view, the moves made since number `after`, the result when the deal is over."""
    state = live.state
    return {
        "id": live.id,
        "version": live.head,
        "rules": rules_json(live.profile),
        "players": dict(zip(state.game.letters, live.info["seats"], strict=True)),
        "your_turn": not state.over and state.turn == seat,
        "view": view_shape(view_of(state, seat)),
        "moves": [
            {"number": after + number, "seat": letter, "text": text}
            for number, (letter, text) in enumerate(live.said[after:], 1)
        ],
        "result": result_shape(state, result_of(state), lang) if state.over else None,
    }


def legal_json(live: Live, seat: int) -> list[Json]:
    """The legal actions of a seat: the shortest lays, single additions, discards; empty when it is not on turn."""
    if live.state.over or live.state.turn != seat:
        return []
    return [action_shape(live.state, action) for action in legal_actions(view_of(live.state, seat))]


def hint_json(live: Live, seat: int, bot: str | None) -> Json:
    """What a bot would do in this seat, seeing only what the seat sees."""
    if live.state.over or live.state.turn != seat:
        return {"bot": bot or bot_names()[-1], "action": None}
    name = bot or bot_names()[-1]
    make_bot(name)
    return {"bot": name, "action": action_shape(live.state, _chosen(live, name, seat))}


def record_text(live: Live) -> str:
    """The record of a finished deal; 409 while it is being played, for it shows every hand."""
    if not live.state.over:
        raise Problem(409, "game_running")
    seats = live.info["seats"]
    letters = live.state.game.letters
    names = tuple(f"{player} {letter}" for player, letter in zip(seats, letters, strict=True))
    made = deal_record(
        live.info["deck"], live.profile, live.actions, players=len(seats), dealer=live.info["dealer"]
    )  # fmt: skip
    return write_record(record_of(live.profile, names, (made,)))


def checked_seats(stated: Any) -> list[str]:
    """Who sits where: 2 to 4 of `human` and the names of bots, at least one person."""
    known = (HUMAN, *bot_names())
    if not isinstance(stated, list) or not 2 <= len(stated) <= 4 or HUMAN not in stated:
        raise refuse("bad_field", field="seats", expected=f"2..4: {', '.join(known)}")
    for name in stated:
        if name not in known:
            raise refuse("bad_value", path="seats", value=str(name)[:40], allowed=", ".join(known))
    return list(stated)


# --- details ---------------------------------------------------------------------------------------------------------


def _opened(ident: str, info: Json) -> Live:
    options = {key: value for key, value in info["options"]}
    profile = load_profile(info["rules"], options or None)
    state = deal(info["deck"], profile, players=len(info["seats"]), dealer=info["dealer"])
    return Live(ident, info, profile, state)


def _chosen(live: Live, name: str, seat: int) -> Action:
    """A bot's choice; its chance comes from the game's seed and the number of the move, so a replay is the same."""
    rng = random.Random(f"bot {live.info['seed']} {seat} {len(live.actions)}")
    view = view_of(live.state, seat)
    action = make_bot(name).choose(view, legal_actions(view), rng)
    if check(live.state, action):
        raise Problem(500, "game_failed")
    return action


def _packed(actions: Iterable[Action]) -> list[list[Any]]:
    return [[a.kind, list(a.cards), a.meld, a.depth, [list(role) for role in a.roles]] for a in actions]


def _unpacked(packed: list[Any]) -> Action:
    kind, cards, meld, depth, roles = packed
    return Action(kind, tuple(cards), meld, depth, tuple(tuple(role) for role in roles))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
