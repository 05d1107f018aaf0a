"""The state of one deal: plain frozen records of card codes, and how a deal begins.

After `deal` there is no chance left: the order of the deck decides everything. Hands are sorted tuples of card codes
(0..52, and 53 for an unknown card in a made-up position), so that the second copy of a card is never lost.

>>> from scorer.cards import DECK
>>> from scorer.profile import load_profile
>>> state = deal([card.code for card in DECK], load_profile("fibur"), players=4)
>>> state.phase == DRAW, len(state.stock), [len(hand) for hand in state.hands]
(True, 41, [11, 11, 11, 11])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from scorer.cards import CARDS, DECK, JOKER_CODE
from scorer.errors import MatchError
from scorer.moves import Codes, MeldBook, Roles, book_of
from scorer.profile import RuleProfile

#: Kinds of action, in the order in which `legal_actions` sorts them.
DRAW_CARD: Final = 0
TAKE: Final = 1
LAY: Final = 2
ADD: Final = 3
DISCARD: Final = 4
KIND_NAMES: Final = ("draw", "take", "lay", "add", "discard")

#: Phases. TOP: the pile was taken and the card gone for must be laid at once.
DRAW: Final = 0
TOP: Final = 1
PLAY: Final = 2
OVER: Final = 3

#: Duties of the player on turn, when not a card code.
NO_DUTY: Final = -1
LAY_SOMETHING: Final = -2

#: What became of a side's pot.
NOT_TAKEN: Final = 0
UNPLAYED: Final = 1
PLAYED: Final = 2

SEAT_LETTERS: Final = {2: "NS", 3: "NES", 4: "NESW"}
#: Turns (one player's each) after which a deal is cut off as truncated, with no result.
TURN_CAP: Final = 1_000
#: Rounds in which everybody only took the pile and laid nothing, after which the deal ends as a stall.
STALL_ROUNDS: Final = 10


class Action(NamedTuple):
    """One action; tuples of codes are sorted. Compare, sort and hash freely.

    `meld` is the index into `state.melds` (for `ADD`), `depth` the number of cards taken from the top of the pile
    (for `TAKE`; 0 the whole pile), `roles` what wilds are said to stand for where the default reading is not meant.
    """

    kind: int
    cards: Codes = ()
    meld: int = -1
    depth: int = 0
    roles: Roles = ()


class Meld(NamedTuple):
    """A meld on the table: whose it is and which reading it has.

    `home` is the first seat of the side that laid it and `number` counts that side's melds from 1: together they name
    it (`N2`) for the whole deal, also when sides join in the three-player game.
    """

    home: int
    number: int
    codes: Codes
    reading: int


class Event(NamedTuple):
    """One public event and the ones before it (a linked list, newest first): cards drawn are not shown."""

    before: Event | None
    seat: int
    action: Action


@dataclass(frozen=True)
class Game:
    """What never changes during a deal: the rules, who sits where, who deals."""

    profile: RuleProfile
    seats: int
    dealer: int = 0
    #: Sizes of the pots, the one on top first.
    pot_sizes: tuple[int, ...] = ()
    #: The first side of each seat at the start of the deal.
    first_sides: tuple[int, ...] = ()
    #: Three players of the Italian game: the first to take a pot plays alone against the other two.
    joins: bool = False
    cut: int = 0
    turn_cap: int = TURN_CAP
    book: MeldBook = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "book", book_of(self.profile))

    @cached_property
    def step(self) -> int:
        """How the turn passes from seat to seat: 1 clockwise, -1 anticlockwise."""
        return 1 if self.profile.table.direction == "clockwise" else -1

    @cached_property
    def flags(self) -> Flags:
        """The rules that every action looks at, flat."""
        p = self.profile
        return Flags(
            p.turn.pickup, p.turn.rediscard, p.turn.layoff_any, p.set.dup_sets, p.close.close_burraco,
            p.close.close_discard, p.close.close_wild_discard, p.stock.stock_end, p.pot.pots, p.meld.burraco_cards,
        )  # fmt: skip

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self.profile, self.seats, self.dealer, self.pot_sizes, self.first_sides, self.joins, self.cut)
        return (Game, (*values, self.turn_cap))

    @property
    def letters(self) -> str:
        """The letters of the seats, in their order round the table (clockwise)."""
        return SEAT_LETTERS[self.seats]

    @property
    def first(self) -> int:
        """The seat that plays first: the one after the dealer."""
        return (self.dealer + self.step) % self.seats


class Flags(NamedTuple):
    """Leaves of the profile that the hot path reads; the names are those of the profile."""

    pickup: str
    rediscard: bool
    layoff_any: bool
    dup_sets: bool
    close_burraco: str
    close_discard: bool
    close_wild_discard: str
    stock_end: str
    pots: bool
    burraco_cards: int


class GameState(NamedTuple):
    """The whole state of a deal, hidden cards included. Bots get a `View` of it, never this.

    `stock` is drawn from its end, `pile` and `pots` have their top last and first. `pot` and `holder` are by side:
    what became of its pot, and the seat that holds one taken by discard and not yet played (-1).
    """

    game: Game
    phase: int
    turn: int
    hands: tuple[Codes, ...]
    melds: tuple[Meld, ...]
    stock: Codes
    pile: Codes
    pots: tuple[Codes, ...]
    sides: tuple[int, ...]
    pot: tuple[int, ...]
    holder: tuple[int, ...]
    #: A code that the next lay must contain, `LAY_SOMETHING`, or `NO_DUTY`.
    duty: int
    #: The code that may not be discarded this turn (a one-card pile that was just taken), or -1.
    barred: int
    #: Whether the player on turn laid a card this turn, and whether he took the pile.
    laid: bool
    took: bool
    turns: int
    idle: int
    #: For each seat, sorted codes that everybody saw go into that hand from the pile and that may still be there.
    known: tuple[Codes, ...]
    log: Event | None
    #: "", "close", "stock", "stall" or "truncated".
    end: str
    closer: int

    @property
    def hand(self) -> Codes:
        """The hand of the player on turn."""
        return self.hands[self.turn]

    @property
    def over(self) -> bool:
        """Whether the deal has ended."""
        return self.phase == OVER

    @property
    def stock_count(self) -> int:
        """Cards left in the stock."""
        return len(self.stock)

    @property
    def pot_count(self) -> int:
        """Pots left on the table."""
        return len(self.pots)


def side_seats(sides: Sequence[int], side: int) -> tuple[int, ...]:
    """The seats of a side, in order."""
    return tuple([seat for seat, of in enumerate(sides) if of == side])


def game_of(
    profile: RuleProfile, players: int, *, dealer: int = 0, three_pots: bool = False, cut: int = 0,
    turn_cap: int = TURN_CAP,
) -> Game:  # fmt: skip
    """The fixed part of a deal; MatchError when the profile is not played by that many.

    `three_pots`: the last stage of the Italian three-player game, three pots and all against all.

    >>> from scorer.profile import load_profile
    >>> game_of(load_profile("fibur"), 3).pot_sizes
    (18, 11)
    """
    if players not in profile.table.players:
        allowed = ", ".join(map(str, profile.table.players))
        raise MatchError(
            f"{profile.id} is played by {allowed}, not by {players}", code="bad_players", players=players,
            allowed=allowed,
        )  # fmt: skip
    if not 0 <= dealer < players:
        raise MatchError(f"the dealer's seat must be 0 to {players - 1}", code="bad_dealer", dealer=dealer)
    pairs = players == 4 and profile.table.sides == "pairs"
    sides = (0, 1, 0, 1) if pairs else tuple(range(players))
    italian = players == 3 and profile.table.three_players == "italian" and profile.pot.pots
    size = profile.pot.pot_size
    if not profile.pot.pots:
        pots: tuple[int, ...] = ()
    elif italian and not three_pots:
        # the larger pot lies on top and makes its taker play alone (rules.md 1.1, E08)
        pots = (size + 7, size)
    else:
        pots = (size,) * (2 if pairs else players)
    return Game(profile, players, dealer, pots, sides, italian and not three_pots, cut, turn_cap)


def deal(
    deck: Sequence[int], profile: RuleProfile, *, players: int, dealer: int = 0, three_pots: bool = False,
    cut: int = 0, turn_cap: int = TURN_CAP,
) -> GameState:  # fmt: skip
    """Deal a full deck: one card at a time from the seat after the dealer, then the pots, then the open card.

    `deck` has 108 codes, the first one dealt first; 53 (`?`) stands for a card that nobody noted. `cut` cards are
    lifted from the top and put under the rest before dealing (0 to 107). MatchError for an impossible deck.
    """
    game = game_of(profile, players, dealer=dealer, three_pots=three_pots, cut=cut, turn_cap=turn_cap)
    _check_deck(deck, cut)
    cards = [*deck[cut:], *deck[:cut]]
    dealt = players * profile.table.hand_size
    hands = [
        tuple(sorted(cards[(seat - game.first) * game.step % players : dealt : players])) for seat in range(players)
    ]
    pots, at = [], dealt
    for size in game.pot_sizes:
        pots.append(tuple(sorted(cards[at : at + size])))
        at += size
    pile: Codes = ()
    if profile.table.discard_start == "up":
        pile = (cards[at],)
        at += 1
    if profile.table.trump == "first_discard":
        game = _with_trump(game, pile)
    return start(game, tuple(hands), tuple(pots), pile, tuple(reversed(cards[at:])))


def _check_deck(deck: Sequence[int], cut: int) -> None:
    if len(deck) != len(DECK):
        raise MatchError(f"a deck has 108 cards, not {len(deck)}", code="bad_deck", count=len(deck))
    for code, count in sorted(Counter(deck).items()):
        if not 0 <= code <= JOKER_CODE + 1:
            raise MatchError(f"{code} is no card of the deck", code="bad_deck_card", card=str(code))
        if count > (4 if code == JOKER_CODE else 2) and code <= JOKER_CODE:
            raise MatchError(
                f"{count} copies of {CARDS[code]} in the deck", code="deck_copies", card=str(CARDS[code]), count=count
            )
    if not 0 <= cut < len(DECK):
        raise MatchError("the cut must be 0 to 107 cards", code="bad_cut", cut=cut)


def _with_trump(game: Game, pile: Codes) -> Game:
    """Trump by the first open card; a joker, or no open card, makes none."""
    import dataclasses

    suit = CARDS[pile[0]].suit if pile else None
    profile = game.profile.with_options({"trump": suit.value if suit else "none"})
    return dataclasses.replace(game, profile=profile)


def start(game: Game, hands: tuple[Codes, ...], pots: tuple[Codes, ...], pile: Codes, stock: Codes) -> GameState:
    """The first state of a deal whose cards lie where they are given."""
    count = max(game.first_sides) + 1
    return GameState(
        game=game, phase=DRAW, turn=game.first, hands=hands, melds=(), stock=stock, pile=pile, pots=pots,
        sides=game.first_sides, pot=(NOT_TAKEN,) * count, holder=(-1,) * count, duty=NO_DUTY, barred=-1, laid=False,
        took=False, turns=0, idle=0, known=((),) * game.seats, log=None, end="", closer=-1,
    )  # fmt: skip


def all_cards(state: GameState) -> list[int]:
    """Every card of the state, wherever it lies, sorted: 108 codes, always the same."""
    places: list[Codes] = [*state.hands, *state.pots, state.stock, state.pile, *[meld.codes for meld in state.melds]]
    return sorted(code for place in places for code in place)


def meld_name(game: Game, meld: Meld) -> str:
    """How a meld is called in a record: the letter of its side's first seat, and its number (`N2`)."""
    return f"{game.letters[meld.home]}{meld.number}"
