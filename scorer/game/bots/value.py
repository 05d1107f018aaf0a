"""What an unfinished deal is worth to a side, in points: what lies on the table, and what will probably come of it.

A linear estimate of the margin at the end of the deal: `Signs` are counted for both sides, `PAIRS` and `ALONE` say what
each is worth. The weights were fitted by least squares to deals that `normale` played against itself
(`bench/fit_value.py`).
"""

from __future__ import annotations

from operator import mul
from typing import Final, NamedTuple

from scorer.game.bots.hand import WILD
from scorer.game.propose import memory_of
from scorer.game.state import DRAW, NOT_TAKEN, Game, GameState, Meld
from scorer.moves import Codes, Fit


class Signs(NamedTuple):
    """What is counted for one side of an unfinished deal; as weights, what each is worth in points."""

    #: Card points and bonuses of its melds; melds one, two and three cards short of a burraco.
    table: float
    one_short: float
    two_short: float
    three_short: float
    #: A burraco to close on; the pot taken; both.
    made: float
    pot: float
    ready: float
    #: In hand: card points, wilds, other cards that its melds take, one of them the last card of a burraco.
    points: float
    wilds: float
    fitting: float
    last: float
    #: A wild for a burraco that lacks one card, where no other card is there for it.
    wild_last: float
    #: One divided by one more than the shortest hand, when it can close, or when its pot waits.
    near_close: float
    near_pot: float
    #: The pile, when this side is about to draw: cards, cards that its melds take, the last of a burraco, wilds.
    pile: float
    pile_fitting: float
    pile_last: float
    pile_wilds: float


#: Each for himself: fitted to deals of both tables together.
ALONE: Final = Signs(
    table=1.2, one_short=62, two_short=36, three_short=20, made=1, pot=-74, ready=38, points=0.5, wilds=28, fitting=40,
    last=116, wild_last=54, near_close=116, near_pot=64, pile=4.5, pile_fitting=18.5, pile_last=101, pile_wilds=33,
)  # fmt: skip
#: Sides of two: fitted to `fibur` by four alone.
PAIRS: Final = Signs(
    table=1.1, one_short=50, two_short=34, three_short=21.5, made=32, pot=29, ready=-23, points=0.3, wilds=42,
    fitting=34, last=118, wild_last=48, near_close=199, near_pot=203, pile=7.4, pile_fitting=13.4, pile_last=121,
    pile_wilds=42.5,
)  # fmt: skip


class _Worth(NamedTuple):
    """A meld: its card points and bonus, the cards that a burraco lacks (0: it is one), and whether one may close."""

    points: float
    lacks: int
    closes: bool


class Value:
    """Estimates states of one game; what a meld is worth is remembered."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.weights = PAIRS if len(set(game.first_sides)) < game.seats else ALONE
        self._worth: dict[Codes, _Worth] = {}

    def margin(self, state: GameState, side: int) -> float:
        """Points that this side is expected to be ahead of the best other side when the deal is over."""
        mine, *others = [
            float(sum(map(mul, self.weights, self.signs(state, one))))
            for one in sorted(set(state.sides), key=lambda one: one != side)
        ]
        return mine - max(others)

    def signs(self, state: GameState, side: int) -> Signs:
        """What is counted for one side."""
        own, worths = [], []
        for meld, fit in zip(state.melds, memory_of(self.game.book).facts(state.melds).fits, strict=True):
            if state.sides[meld.home] == side:
                worth = self._worth.get(meld.codes) or self._meld(meld.codes)
                worths.append(worth)
                own.append((meld, fit, worth.lacks == 1))
        flags = self.game.flags
        lacks = [worth.lacks for worth in worths]
        made = flags.close_burraco == "none" or any([worth.closes for worth in worths])
        taken = not flags.pots or state.pot[side] != NOT_TAKEN
        hands = [hand for seat, hand in enumerate(state.hands) if state.sides[seat] == side]
        held = tuple([code for hand in hands for code in hand])
        near = 1 / (1 + min(map(len, hands)))
        fitting, last = self._takes(own, held)
        wilds = sum([WILD[code] for code in held])
        points = self.game.profile.rules.points
        drawing = state.phase == DRAW and state.sides[state.turn] == side
        pile = state.pile if drawing else ()
        pile_fitting, pile_last = self._takes(own, pile) if pile else (0, False)
        return Signs(
            table=sum([worth.points for worth in worths]), one_short=lacks.count(1), two_short=lacks.count(2),
            three_short=lacks.count(3), made=made, pot=taken, ready=made and taken,
            points=sum([points[code] for code in held]), wilds=wilds, fitting=fitting, last=last,
            wild_last=not last and wilds > 0 and 1 in lacks, near_close=near if made and taken else 0.0,
            near_pot=0.0 if taken else near, pile=len(pile), pile_fitting=pile_fitting, pile_last=pile_last,
            pile_wilds=sum([WILD[code] for code in pile]),
        )  # fmt: skip

    def _takes(self, own: list[tuple[Meld, Fit, bool]], cards: Codes) -> tuple[int, bool]:
        """How many of the cards, wilds left out, these melds take, and whether one of them makes a burraco."""
        mask = taken = 0
        for code in cards:
            mask |= 1 << code
        book = self.game.book
        mask &= ~book.wild_mask
        last = False
        for meld, fit, short in own:
            near = mask & fit.plausible
            if near:
                if near & ~fit.seen:
                    book.settle(fit, meld.codes, meld.reading, near & ~fit.seen)
                yes = fit.yes & mask
                taken |= yes
                last = last or (short and bool(yes))
        return sum([taken >> code & 1 for code in cards]), last

    def _meld(self, codes: Codes) -> _Worth:
        rules, flags = self.game.profile.rules, self.game.flags
        best = self.game.book.readings(codes)[0]
        points = float(sum([rules.points[code] for code in codes]) + best.bonus)
        whole = best.type is not None
        closes = whole and (flags.close_burraco != "clean" or self.game.book.status(codes).clean)
        found = self._worth[codes] = _Worth(points, 0 if whole else flags.burraco_cards - len(codes), closes)
        return found
