"""The whole game as a pure state machine: `deal`, `legal_actions`, `check`, `apply`, `view_of`, `result_of`.

>>> import random
>>> from scorer.cards import DECK
>>> from scorer.profile import load_profile
>>> rng, deck = random.Random(7), [card.code for card in DECK]
>>> rng.shuffle(deck)
>>> state = deal(deck, load_profile("fibur"), players=4)
>>> while not state.over:
...     state = apply(state, rng.choice(legal_actions(state)))
>>> result_of(state).end
'stock'
"""

from scorer.game.actions import format_action, read_action
from scorer.game.apply import advance, apply
from scorer.game.check import check, notices
from scorer.game.final import DealResult, result_of, table_of
from scorer.game.legal import legal_actions
from scorer.game.position import position
from scorer.game.state import Action, Event, Game, GameState, Meld, deal, game_of, meld_name, side_seats
from scorer.game.view import View, imagine, view_of

__all__ = [
    "Action", "DealResult", "Event", "Game", "GameState", "Meld", "View", "advance", "apply", "check", "deal",
    "format_action", "game_of", "imagine", "legal_actions", "meld_name", "notices", "position", "read_action",
    "result_of", "side_seats", "table_of", "view_of",
]  # fmt: skip
