"""A game between people and bots, kept as what makes it: the decks and the actions. The record is its saved form.

The bots' chance comes from the seed, the deal and the count of actions so far, so a game that is saved, loaded and
played on goes exactly as it would have gone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scorer.cards import DECK
from scorer.errors import MatchError
from scorer.game.apply import advance, apply
from scorer.game.bots import make_bot
from scorer.game.bots.base import Choice
from scorer.game.final import result_of
from scorer.game.legal import legal_actions
from scorer.game.state import DISCARD, DRAW_CARD, TAKE, Action, GameState, deal, game_of
from scorer.game.view import View, view_of
from scorer.match import Deal, Standing, standing
from scorer.profile import RuleProfile
from scorer.record import Record, profile_of, record_of, write_record
from scorer.record_play import deal_record, replay


@dataclass
class Session:
    """A match being played. `people` are the seats that a person plays, `bots` the names of the others by seat."""

    profile: RuleProfile
    players: int
    people: frozenset[int]
    bots: tuple[str, ...]
    names: tuple[str, ...]
    seed: int
    decks: list[tuple[int, ...]] = field(default_factory=list)
    actions: list[list[Action]] = field(default_factory=list)
    states: list[GameState] = field(default_factory=list)
    results: list[tuple[tuple[int, ...], bool]] = field(default_factory=list)

    @property
    def state(self) -> GameState:
        """The table now."""
        return self.states[-1]

    @property
    def dealer(self) -> int:
        """The seat that dealt this deal."""
        return self.state.game.dealer

    def next_deal(self) -> GameState:
        """Shuffle and deal; the deck depends on the seed and the number of the deal only."""
        number = len(self.decks)
        deck = [card.code for card in DECK]
        random.Random(f"deck {self.seed} {number}").shuffle(deck)
        return self._deal(tuple(deck), self.standing().dealer)

    def _deal(self, deck: tuple[int, ...], dealer: int) -> GameState:
        self.decks.append(deck)
        self.actions.append([])
        self.states = [deal(deck, self.profile, players=self.players, dealer=dealer)]
        return self.state

    def view(self) -> View:
        """What the player on turn sees."""
        return view_of(self.state, self.state.turn)

    def act(self, action: Action) -> GameState:
        """Play an action of the player on turn; MoveError with every reason when it is refused, and nothing lost."""
        after = apply(self.state, action)
        self._push(action, after)
        return after

    def _push(self, action: Action, after: GameState) -> None:
        self.actions[-1].append(action)
        self.states.append(after)
        if after.over:
            result = result_of(after, self.names)
            self.results.append((self._by_side(result.points), result.void or result.end == "truncated"))

    def _by_side(self, points: Sequence[int]) -> tuple[int, ...]:
        game = game_of(self.profile, self.players)
        sides = max(game.first_sides) + 1
        return tuple(points[game.first_sides.index(side)] for side in range(sides))

    def hint(self, bot: str = "normale") -> Choice:
        """What a bot in this seat would do, and why."""
        player = make_bot(bot)
        legal = legal_actions(self.state)
        decide = getattr(player, "decide", None)
        chance = self._chance("hint")
        return decide(self.view(), legal, chance) if decide else Choice(player.choose(self.view(), legal, chance), "")

    def bot_moves(self) -> Iterator[tuple[GameState, Action]]:
        """Let the bots play until a person is on turn or the deal is over; (state before, action) of each."""
        while not self.state.over and self.state.turn not in self.people:
            before = self.state
            bot = make_bot(self.bots[before.turn])
            action = bot.choose(self.view(), legal_actions(before), self._chance(str(before.turn)))
            self._push(action, advance(before, action))
            yield before, action

    def _chance(self, who: str) -> random.Random:
        return random.Random(f"play {self.seed} {len(self.decks)} {len(self.actions[-1])} {who}")

    def undo(self) -> Action:
        """Take back the last lay or add of this turn; MatchError when there is none (a drawn card stays drawn)."""
        done = self.actions[-1]
        same = len(self.states) > 1 and self.states[-2].turn == self.state.turn and not self.state.over
        took_pot = same and self.states[-2].pot != self.state.pot
        if not done or not same or took_pot or done[-1].kind in (DRAW_CARD, TAKE, DISCARD):
            raise MatchError("there is nothing to take back in this turn", code="nothing_to_undo")
        self.states.pop()
        return done.pop()

    def standing(self) -> Standing:
        """The match so far."""
        sides = max(game_of(self.profile, self.players).first_sides) + 1
        deals = [Deal(points, void) for points, void in self.results]
        return standing(deals, self.profile, sides=sides, seats=self.players)

    def record(self) -> Record:
        """Everything played, as a game record (the last deal may be unfinished)."""
        deals = []
        dealers = self._dealers()
        for deck, actions, dealer in zip(self.decks, self.actions, dealers, strict=True):
            deals.append(deal_record(deck, self.profile, actions, players=self.players, dealer=dealer))
        return record_of(self.profile, self.names, tuple(deals))

    def _dealers(self) -> list[int]:
        out = []
        deals: list[Deal] = []
        sides = max(game_of(self.profile, self.players).first_sides) + 1
        for number in range(len(self.decks)):
            out.append(standing(deals, self.profile, sides=sides, seats=self.players).dealer)
            if number < len(self.results):
                points, void = self.results[number]
                deals.append(Deal(points, void))
        return out

    def text(self) -> str:
        """The record as text, with what a record does not hold in `_` lines."""
        head = f'_seed = {self.seed}\n_people = {sorted(self.people)}\n_bots = "{",".join(self.bots)}"\n'
        return head + write_record(self.record())


def resumed(record: Record, people: frozenset[int], bots: tuple[str, ...], seed: int) -> Session:
    """A session from a saved record, played up to where it stood; RecordError when the record breaks the rules."""
    session = Session(profile_of(record), len(record.players), people, bots, record.players, seed)
    for index, item in enumerate(record.deals):
        session._deal(item.deck, item.dealer)
        for step in replay(record, index):
            session._push(step.action, step.after)
    return session
