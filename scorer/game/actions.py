"""Actions as text, both ways: `draw`, `take 3`, `lay N1 = 5h 6h JK=7h`, `add N1 + 8h with JK=4h`, `discard Kh`.

Italian words are read too (`pesca`, `prende`, `cala`, `lega`, `scarta`); output is always the canonical form above.
A meld is named by the letter of its side's first seat and its number; a wild's role is written only where the meld
would otherwise be read differently.

>>> from scorer.cards import DECK
>>> from scorer.game.state import deal
>>> from scorer.profile import load_profile
>>> state = deal([card.code for card in DECK], load_profile("fibur"), players=4)
>>> format_action(state, read_action("Scarta 7c", state)), read_action("draw", state).kind
('discard 7c', 0)
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from scorer.cards import CARDS
from scorer.errors import NotationError
from scorer.game.faults import Seen
from scorer.game.state import ADD, DISCARD, DRAW_CARD, KIND_NAMES, LAY, TAKE, Action, Game, Meld, meld_name
from scorer.moves import Codes, Roles
from scorer.notation import parse_card, parse_meld

#: Words for each kind of action and for the two marks that a record adds.
WORDS: Final[dict[str, str]] = {
    "draw": "draw", "draws": "draw", "pesca": "draw",
    "take": "take", "takes": "take", "pickup": "take", "prende": "take", "prendi": "take", "raccoglie": "take",
    "lay": "lay", "lays": "lay", "meld": "lay", "cala": "lay", "apre": "lay",
    "add": "add", "adds": "add", "lega": "add", "attacca": "add",
    "discard": "discard", "discards": "discard", "scarta": "discard",
    "pot": "pot", "pozzetto": "pot",
    "close": "close", "closes": "close", "chiude": "close",
}  # fmt: skip
_KINDS: Final = {name: kind for kind, name in enumerate(KIND_NAMES)}
_NAME: Final = re.compile(r"\s*([A-Za-z])\s*(\d{1,2})\s*(=|\+|:|\s)\s*")


class Spoken(NamedTuple):
    """A piece of a turn as it was said, without a table: `word` is the canonical word."""

    word: str
    meld: str = ""
    depth: int = 0
    cards: Codes = ()
    roles: Roles = ()


def _fault(code: str, message: str, column: int, token: str, expected: str = "") -> NotationError:
    return NotationError(message, code=code, column=column, token=token, expected=expected)


def parse_spoken(text: str, lang: str = "en", column: int = 1) -> Spoken:
    """Read one piece of a turn, without looking at any table; NotationError with its column."""
    lead = len(text) - len(text.lstrip())
    column += lead
    body = text.strip()
    first, _, rest = body.partition(" ")
    word = WORDS.get(first.lower().rstrip("."), "")
    if not word:
        known = ", ".join(dict.fromkeys(WORDS.values()))
        raise _fault("unknown_action_word", f"{first!r} is no action", column, first, known)
    at = column + len(first) + 1
    if word in ("draw", "pot", "close"):
        if rest.strip():
            raise _fault("words_after_action", f"nothing follows {word!r}", at, rest.strip())
        return Spoken(word)
    if word == "take":
        return Spoken(word, depth=_depth(rest, at))
    return _spoken_cards(word, rest, lang, at)


def _depth(rest: str, at: int) -> int:
    rest = rest.strip()
    if not rest:
        return 0
    if not rest.isascii() or not rest.isdigit() or not 0 < int(rest) < 1000:
        raise _fault("bad_depth", f"{rest!r} is no number of cards", at, rest, "a number of cards")
    return int(rest)


def _spoken_cards(word: str, rest: str, lang: str, at: int) -> Spoken:
    if not rest.strip():
        raise _fault("no_cards_named", f"which cards to {word}?", at, "")
    if word == "discard":
        return Spoken(word, cards=(_read(rest, at, lang),))
    name = ""
    found = _NAME.match(rest) if word == "add" or "=" in rest or "+" in rest else None
    if found and (found[3] != " " or word == "add") and not _is_card(found, lang, word):
        name = found[1].upper() + found[2]
        at += found.end()
        rest = rest[found.end() :]
    if word == "add" and not name:
        raise _fault("no_meld_named", "to which meld? write: add N1 + cards", at, rest.strip(), "a meld's name")
    cards_text, _, said = re.split(r"(\bwith\b|\bcon\b)", rest, maxsplit=1) if _WITH.search(rest) else (rest, "", "")
    cards, roles = _meld_cards(cards_text, at, lang)
    if said:
        roles = tuple(sorted((*roles, *_meld_cards(said, at + rest.index(said), lang)[1])))
    return Spoken(word, name, 0, cards, roles)


_WITH: Final = re.compile(r"\b(with|con)\b")


def _is_card(found: re.Match[str], lang: str, word: str) -> bool:
    """Whether what looks like a meld's name is a card with its role (`lay J5=..` never is; suits come last)."""
    return word == "lay" and found[3] not in "=:"


def _read(text: str, at: int, lang: str) -> int:
    try:
        return parse_card(text.strip(), lang).code
    except NotationError as error:
        error.column += at - 1
        raise


def _meld_cards(text: str, at: int, lang: str) -> tuple[Codes, Roles]:
    try:
        meld = parse_meld(text, lang)
    except NotationError as error:
        error.column += at - 1
        raise
    roles = tuple(sorted((b.card.code, b.stands_for.code) for b in meld.bindings))
    return tuple(sorted(card.code for card in meld.cards)), roles


def find_meld(game: Game, melds: tuple[Meld, ...], name: str) -> int:
    """The index of a meld by its name, -1 when there is none."""
    for index, meld in enumerate(melds):
        if meld_name(game, meld) == name:
            return index
    return -1


def action_of(state: Seen, spoken: Spoken, column: int = 1) -> Action:
    """The action that was said, at this table; NotationError when it names a meld that is not there."""
    if spoken.word not in _KINDS:
        raise _fault("mark_is_no_action", f"{spoken.word!r} follows by itself", column, spoken.word)
    kind = _KINDS[spoken.word]
    if kind in (DRAW_CARD, TAKE):
        return Action(kind, (), -1, spoken.depth)
    if kind in (LAY, DISCARD):
        return Action(kind, spoken.cards, -1, 0, spoken.roles)
    index = find_meld(state.game, state.melds, spoken.meld)
    if index < 0:
        there = " ".join(meld_name(state.game, meld) for meld in state.melds)
        raise _fault("no_meld_of_that_name", f"there is no meld {spoken.meld}", column, spoken.meld, there)
    return Action(ADD, spoken.cards, index, 0, spoken.roles)


def read_action(text: str, state: Seen, lang: str = "en") -> Action:
    """One action from text; NotationError with the column at fault."""
    return action_of(state, parse_spoken(text, lang), 1 + len(text) - len(text.lstrip()))


def say(state: Seen, action: Action) -> Spoken:
    """An action as it is said at this table (`state` is the one before it)."""
    name = ""
    if action.kind == LAY:
        home = state.sides.index(state.sides[state.turn])
        number = 1 + max((meld.number for meld in state.melds if meld.home == home), default=0)
        name = f"{state.game.letters[home]}{number}"
    elif action.kind == ADD:
        name = meld_name(state.game, state.melds[action.meld])
    return Spoken(KIND_NAMES[action.kind], name, action.depth, action.cards, action.roles)


def spoken_text(spoken: Spoken) -> str:
    """The canonical text of a piece of a turn; `parse_spoken` reads it back to the same piece."""
    word = spoken.word
    if word == "take" and spoken.depth:
        return f"{word} {spoken.depth}"
    if word == "discard":
        return f"{word} {CARDS[spoken.cards[0]].text}"
    if word == "lay":
        return f"{word} {spoken.meld} = {_cards_text(spoken)}" if spoken.meld else f"{word} {_cards_text(spoken)}"
    if word == "add":
        return f"{word} {spoken.meld} + {_cards_text(spoken)}"
    return word


def format_action(state: Seen, action: Action) -> str:
    """The canonical text of an action at this table (`state` is the one before it)."""
    return spoken_text(say(state, action))


def _cards_text(spoken: Spoken) -> str:
    """The cards, each wild with its role where one is said; roles of cards that lie on the table come after `with`."""
    left = list(spoken.roles)
    words = []
    for code in spoken.cards:
        role = next((role for role in left if role[0] == code), None)
        if role is not None:
            left.remove(role)
        words.append(CARDS[code].text + (f"={CARDS[role[1]].text}" if role else ""))
    text = " ".join(words)
    if left:
        text += " with " + " ".join(f"{CARDS[card].text}={CARDS[target].text}" for card, target in left)
    return text
