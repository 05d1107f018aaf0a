"""A made-up position: a table, a hand and what is known besides, so that one move can be judged ("may I do this now?").

What is not told (the other hands, the stock, the pots) is filled with unknown cards: the rules never look there.

>>> from scorer.notation import parse_cards, parse_meld
>>> from scorer.game.actions import read_action
>>> from scorer.game.check import check
>>> from scorer.profile import load_profile
>>> state = position(load_profile("fibur"), parse_cards("10c 4d 5d"), mine=[parse_meld("6c JK 8c")])
>>> [v.code for v in check(state, read_action("add N1 + 10c", state))]
['hole']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scorer.cards import UNKNOWN_CODE, Card, over_deck
from scorer.errors import MatchError
from scorer.game.state import DRAW, NO_DUTY, PLAY, GameState, Meld, game_of, start
from scorer.moves import Codes, Roles, sorted_codes
from scorer.profile import RuleProfile
from scorer.table import POZZETTO, MeldText

_POT: Final = {"not_taken": 0, "unplayed": 1, "played": 2}


def position(
    profile: RuleProfile,
    hand: Sequence[Card],
    *,
    mine: Sequence[MeldText] = (),
    others: Sequence[MeldText] = (),
    pile: Sequence[Card] = (),
    stock: int = 40,
    pot: str = "not_taken",
    others_pot: str = "not_taken",
    pots_left: int | None = None,
    players: int | None = None,
    drawn: bool = True,
    barred: Card | None = None,
) -> GameState:
    """A state in which seat 0 is on turn with this hand. MatchError when the table is impossible.

    `mine` and `others` are the melds of his side and of the next one; `pot` and `others_pot` are `not_taken`,
    `unplayed` or `played`; `stock` counts cards; `drawn` False: he has yet to draw; `barred`: the single card of a
    pile that he just took. `players` is by default the largest number that the profile knows.
    """
    game = game_of(profile, players or max(profile.table.players))
    _check_copies([*hand, *pile, *[card for meld in (*mine, *others) for card in meld.cards]])
    if not 0 <= stock <= 108:
        raise MatchError("the stock must hold 0 to 108 cards", code="bad_stock", count=stock)
    blank = (UNKNOWN_CODE,)
    hands = (sorted_codes(hand), *[blank * profile.table.hand_size] * (game.seats - 1))
    states = (_pot_state(pot), *[_pot_state(others_pot)] * max(game.first_sides))
    left = sum(state == 0 for state in states) if pots_left is None else pots_left
    pots = tuple([blank * size for size in game.pot_sizes[len(game.pot_sizes) - left :]]) if game.pot_sizes else ()
    state = start(game, hands, pots, tuple([card.code for card in pile]), blank * stock)
    melds = [_meld(state, text, 0, n) for n, text in enumerate(mine, 1)]
    melds += [_meld(state, text, 1, n) for n, text in enumerate(others, 1)]
    return state._replace(
        turn=0,
        phase=PLAY if drawn else DRAW,
        melds=tuple(melds),
        pot=states if game.flags.pots else (0,) * len(states),
        duty=NO_DUTY,
        barred=barred.code if barred else -1,
    )


def _check_copies(cards: Sequence[Card]) -> None:
    for card, count in over_deck(cards).items():
        raise MatchError(f"{count} copies of {card} on the table", code="deck_copies", card=str(card), count=count)


def _pot_state(word: str) -> int:
    if word not in _POT:
        raise MatchError(
            f"{word!r} is no state of a pot: {', '.join(POZZETTO)}", code="bad_pot_state", given=word,
            allowed=", ".join(POZZETTO),
        )  # fmt: skip
    return _POT[word]


def _meld(state: GameState, text: MeldText, home: int, number: int) -> Meld:
    book = state.game.book
    codes: Codes = sorted_codes(text.cards)
    roles: Roles = tuple(sorted((b.card.code, b.stands_for.code) for b in text.bindings))
    every = book.readings(codes)
    reading = book.choose(codes, range(len(every)), roles)
    if reading < 0:
        shown = " ".join(card.text for card in text.cards)
        raise MatchError(f"the meld {shown} on the table is not legal", code="illegal_table_meld", meld_cards=shown)
    return Meld(home, number, codes, reading)
