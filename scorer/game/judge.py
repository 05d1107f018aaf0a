"""The referee's question as data: a table, a hand and an action in; verdict and reasons out.

>>> answer = answer_move({"rules": "fibur", "mine": ["6c JK 8c"], "hand": "10c 4d 5d", "action": "add N1 + 10c"})
>>> answer["legal"], answer["violations"][0]["code"]
(False, 'hole')
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from scorer.cards import Card
from scorer.contract import checked_object, fault_json, refuse, request_lang, rules_json, stated_rules
from scorer.game.actions import read_action
from scorer.game.apply import advance
from scorer.game.check import check, notices
from scorer.game.position import position
from scorer.game.shape import POTS, Json, action_shape, meld_shape, texts
from scorer.game.state import Action, GameState
from scorer.notation import parse_card, parse_cards, parse_meld
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile
from scorer.table import MeldText

MOVE_KEYS: Final = (
    "rules", "options", "lang", "action", "hand", "mine", "others", "pile", "stock", "pot", "others_pot", "pots_left",
    "players", "drawn", "barred",
)  # fmt: skip


def answer_move(
    data: object, *, profile: RuleProfile | None = None, lang: str | None = None, words: str | None = None
) -> Json:
    """The answer to a request (docs/record.md, "The move checker"); BurracoError when it cannot be read.

    `lang` is the language of the notation; the reasons are in `words`, or in the same language.
    """
    body = checked_object(data, MOVE_KEYS)
    tongue = request_lang(body, lang)
    if profile is None:
        ident, options = stated_rules(body)
        profile = load_profile(ident or DEFAULT_PROFILE, options or None)
    state = position_of(body, profile, tongue)
    return verdict_shape(state, read_action(_text(body, "action", needed=True), state, tongue), words or tongue)


def verdict_shape(state: GameState, action: Action, lang: str) -> Json:
    """The verdict on one action: every reason against it, or what the table looks like after it."""
    profile = state.game.profile
    faults = check(state, action)
    return {
        "rules": rules_json(profile),
        "action": action_shape(state, action) if _told(state, action) else None,
        "legal": not faults,
        "violations": [fault_json(fault, profile, lang) for fault in faults],
        "notices": [fault_json(notice, profile, lang) for notice in notices(state, action)],
        "after": None if faults else _after(state, advance(state, action)),
    }


def _told(state: GameState, action: Action) -> bool:
    return action.meld < len(state.melds)


def _after(before: GameState, state: GameState) -> Json:
    seat = before.turn
    side = state.sides[seat]
    return {
        "hand": texts(state.hands[seat]),
        "melds": [meld_shape(state.game, state.sides, meld) for meld in state.melds],
        "pot": POTS[state.pot[side]] if state.game.flags.pots else None,
        "turn_over": state.over or state.turn != seat,
        "end": state.end or None,
    }


def position_of(body: Mapping[str, Any], profile: RuleProfile, lang: str) -> GameState:
    """The position that a request describes."""
    barred = _text(body, "barred")
    players = body.get("players")
    left = body.get("pots_left")
    return position(
        profile,
        _cards(body, "hand", lang),
        mine=_melds(body, "mine", lang),
        others=_melds(body, "others", lang),
        pile=_cards(body, "pile", lang),
        stock=_number(body, "stock", 0, 108) if "stock" in body else 40,
        pot=_text(body, "pot") or "not_taken",
        others_pot=_text(body, "others_pot") or "not_taken",
        pots_left=None if left is None else _number(body, "pots_left", 0, 4),
        players=None if players is None else _number(body, "players", 2, 4),
        drawn=_flag(body, "drawn", True),
        barred=parse_card(barred, lang) if barred else None,
    )


def _text(body: Mapping[str, Any], key: str, *, needed: bool = False) -> str:
    value = body.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value.strip()) or len(value) > 2000:
        raise refuse("bad_field", field=key, expected="a text")
    return value


def _number(body: Mapping[str, Any], key: str, low: int, high: int) -> int:
    value = body.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise refuse("bad_field", field=key, expected=f"{low}..{high}")
    return value


def _flag(body: Mapping[str, Any], key: str, default: bool) -> bool:
    value = body.get(key, default)
    if not isinstance(value, bool):
        raise refuse("bad_field", field=key, expected="true, false")
    return value


def _cards(body: Mapping[str, Any], key: str, lang: str) -> tuple[Card, ...]:
    value = body.get(key, "")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    if not isinstance(value, str) or len(value) > 2000:
        raise refuse("bad_field", field=key, expected="7h 8h 9h")
    return parse_cards(value, lang)


def _melds(body: Mapping[str, Any], key: str, lang: str) -> tuple[MeldText, ...]:
    value = body.get(key, [])
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or len(value) > 40 or not all(isinstance(v, str) and len(v) < 500 for v in value):
        raise refuse("bad_field", field=key, expected='["7h 8h 9h", ...]')
    return tuple(parse_meld(text, lang) for text in value)
