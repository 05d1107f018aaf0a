"""`normale`: builds towards burrachi, holds its wilds, reads the pile and the table, goes for the pot and closes.

Each kind of decision has one estimate in points (`_take_gain`, `_lay_gain`, `_discard_gain`); the largest wins, ties go
to the first in the engine's order, so nothing here depends on chance.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from scorer.cards import CARDS
from scorer.game.bots.base import Choice
from scorer.game.bots.goingout import NODES, WayOut
from scorer.game.bots.hand import (
    RANK_OF,
    SUIT_OF,
    WILD,
    Counts,
    burraco_made,
    counts,
    fits,
    keep_value,
    late,
    name,
    near_meld,
    own,
    set_ranks,
    theirs,
)
from scorer.game.state import ADD, DISCARD, DRAW_CARD, LAY, NOT_TAKEN, TAKE, Action, Meld
from scorer.game.view import View

#: A card drawn from the stock is worth about this much.
DRAW_WORTH = 9.0
#: Longest hand for which the whole way out is searched, in cards.
OUT_HAND = 7


class Normale:
    """A player who has sat at many tables."""

    name = "normale"

    def __init__(self, nodes: int = NODES) -> None:
        # `nodes`: most positions that the search for a way out looks at (fewer in the playouts of `forte`)
        self._way_out = WayOut(nodes)

    def choose(self, view: View, legal: Sequence[Action], rng: random.Random) -> Action:
        """The action with the best estimate."""
        return legal[0] if len(legal) == 1 else self.decide(view, legal, rng).action

    def decide(self, view: View, legal: Sequence[Action], rng: random.Random) -> Choice:
        """The action with the best estimate, and why."""
        if legal[0].kind in (DRAW_CARD, TAKE):
            return self._draw(view, legal)
        if len(view.hand) <= OUT_HAND and self._wants_out(view):
            step = self._way_out.first(view, legal)
            if step is not None:
                closing = view.pot[view.side] != NOT_TAKEN or not view.game.flags.pots
                return Choice(step, "bot.closes" if closing else "bot.goes_to_pot")
        best, gain = None, 0.0
        holding = len(view.hand)
        for action in legal:
            if action.kind == DISCARD:
                continue
            value = self._lay_gain(view, action, holding)
            if value > gain:
                best, gain = action, value
        if best is not None:
            return _lay_reason(view, best)
        discards = [a for a in legal if a.kind == DISCARD]
        if not discards:  # only lays are legal (a duty): the least bad one
            return _lay_reason(view, max(legal, key=lambda a: self._lay_gain(view, a, holding)))
        return self._discard(view, discards)

    # --- drawing ----------------------------------------------------------------------------------------------------

    def _draw(self, view: View, legal: Sequence[Action]) -> Choice:
        gains = self.draw_gains(view, legal)
        best = legal[max(range(len(legal)), key=gains.__getitem__)]
        if best.kind == DRAW_CARD:
            return Choice(best, "bot.draws")
        return Choice(best, "bot.takes_useful_pile", (("count", best.depth or len(view.pile)),))

    def draw_gains(self, view: View, legal: Sequence[Action]) -> list[float]:
        """The estimate of each way to draw."""
        return [
            DRAW_WORTH if action.kind == DRAW_CARD else self._take_gain(view, action.depth or len(view.pile))
            for action in legal
        ]

    def _take_gain(self, view: View, depth: int) -> float:
        """What the top `depth` cards of the pile bring, less the burden of holding them."""
        taken = view.pile[-depth:]
        before, after = counts(view.hand), counts((*view.hand, *taken))
        sets = set_ranks(view)
        mine = own(view)
        mask = 0
        for code in taken:
            mask |= 1 << code
        fitting = [(fits(view, meld, mask), len(meld.codes)) for meld in mine]
        value = 0.0
        for code in taken:
            bit = 1 << code
            good = [length for yes, length in fitting if yes & bit]
            if WILD[code]:
                value += 32.0
            elif good:
                value += 12.0 + (45.0 if 6 in good else 9.0 * max(good) / 6)
            else:
                value += _joins(code, before, after, sets)
        burden = 2.2 if not late(view) else 9.0
        return value - burden * depth

    # --- laying -----------------------------------------------------------------------------------------------------

    def _wants_out(self, view: View) -> bool:
        """Whether emptying the hand is what this seat plays for now: the pot, or the close."""
        if view.game.flags.pots and view.pot[view.side] == NOT_TAKEN:
            return True
        if not burraco_made(view) and not any(len(m.codes) >= 5 for m in own(view)):
            return False
        partner = [c for s, c in enumerate(view.hand_counts) if s != view.seat and view.sides[s] == view.side]
        return late(view) or not partner or min(partner) <= 9

    def _lay_gain(self, view: View, action: Action, holding: int) -> float:
        """What laying is worth now; zero or less: keep the cards."""
        wild = [code for code in action.cards if WILD[code]]
        if action.kind == ADD:
            meld = view.melds[action.meld]
            if view.sides[meld.home] != view.side:
                return -5.0
            if not wild or self._natural_two(view, meld, action):
                return 20.0 + _growth(len(meld.codes) + len(action.cards), view)
            return self._wild_gain(view, meld, holding)
        if not wild:
            return 10.0 + len(action.cards) + (3.0 if SUIT_OF[action.cards[0]] == SUIT_OF[action.cards[-1]] else 0.0)
        reading = view.game.book.readings(action.cards)[0]
        if not reading.wilds:
            return 15.0
        if late(view):
            return 8.0
        pot_near = view.game.flags.pots and view.pot[view.side] == NOT_TAKEN and holding - len(action.cards) <= 3
        wilds = sum(WILD[code] for code in view.hand)
        return 4.0 if pot_near or (wilds >= 2 and holding >= 9 and reading.kind == "run") else -1.0

    def _natural_two(self, view: View, meld: Meld, action: Action) -> bool:
        """Whether the two that is added drops into its own slot and dirties nothing."""
        before = view.game.book.reading(meld.codes, meld.reading).wilds
        after = view.game.book.readings(tuple(sorted((*meld.codes, *action.cards))))
        return bool(after) and after[0].wilds == before

    def _wild_gain(self, view: View, meld: Meld, holding: int) -> float:
        """Adding a wild: for the burraco that is missing, or at the end; never into a clean burraco."""
        size = len(meld.codes) + 1
        status = view.game.book.status(meld.codes)
        if status.burraco:
            return -1.0 if status.clean or not late(view) else 3.0
        if size == view.game.flags.burraco_cards:
            if view.game.flags.close_burraco == "clean":
                return 4.0 if late(view) else -1.0
            return 60.0 if late(view) or (not burraco_made(view) and holding <= 6) else -1.0
        if late(view):
            return 5.0
        pot_near = view.game.flags.pots and view.pot[view.side] == NOT_TAKEN and holding <= 3
        return 2.0 if pot_near else -1.0

    # --- discarding -------------------------------------------------------------------------------------------------

    def _discard(self, view: View, discards: Sequence[Action]) -> Choice:
        gains, wanted = self._discard_gains(view, discards)
        best = discards[max(range(len(discards)), key=gains.__getitem__)]
        code = best.cards[0]
        if any(yes >> code & 1 for yes, _ in wanted):
            return Choice(best, "bot.throws_least_harm", (("card", name(code)),))
        return Choice(best, "bot.throws_useless", (("card", name(code)),))

    def _discard_gains(self, view: View, discards: Sequence[Action]) -> tuple[list[float], list[tuple[int, int]]]:
        """The estimate of each discard, and what the others' melds could take of these cards."""
        held, sets, ending = counts(view.hand), set_ranks(view), late(view)
        mine = own(view)
        mask = 0
        for action in discards:
            mask |= 1 << action.cards[0]
        wanted = [(fits(view, meld, mask), len(meld.codes)) for meld in theirs(view)]
        ours = 0
        for meld in mine:
            ours |= fits(view, meld, mask)
        next_known = view.known[(view.turn + view.game.step) % view.game.seats]
        pile = len(view.pile)
        gains = []
        for action in discards:
            code = action.cards[0]
            value = -self._keep(view, code, held, sets, mine, ours, ending)
            gains.append(value - _danger(code, wanted, pile) - _feeds(code, next_known))
        return gains, wanted

    def _keep(self, view: View, code: int, held: Counts, sets: int, mine: list[Meld], ours: int, ending: bool) -> float:
        if WILD[code]:
            return 60.0
        value = keep_value(code, held, sets)
        if ours >> code & 1:
            value += 25.0
        elif near_meld(code, mine, view):
            value += 8.0
        face = view.game.profile.rules.points[code]
        return value * 0.4 - 0.6 * face if ending else value - 0.1 * face


def _joins(code: int, before: Counts, after: Counts, sets: int) -> float:
    """What one pile card adds to a hand: it makes or nears a run or a set."""
    rank, suit = RANK_OF[code], SUIT_OF[code]
    mask = after.suits[suit]
    value = 0.0
    for at in (1, 14) if rank == 1 else (rank,):
        around = mask >> max(0, at - 2) & 31 if at >= 2 else mask << 1 & 31
        low, high = around & 0b00011, around & 0b11000
        if around & 0b01010 == 0b01010 or low == 0b00011 or high == 0b11000:
            value = max(value, 16.0)
        elif around & 0b01010:
            value = max(value, 6.0)
        elif around & 0b10001:
            value = max(value, 3.0)
    if sets >> rank & 1:
        same = after.ranks[rank]
        if same >= 3:
            value = max(value, 15.0)
        elif same == 2:
            value = max(value, 4.5)
    return value


def _growth(size: int, view: View) -> float:
    goal = view.game.flags.burraco_cards
    return 100.0 if size == goal else 2.0 * size if size < goal else 5.0


def _danger(code: int, wanted: Sequence[tuple[int, int]], pile: int) -> float:
    """What the next player gains by this card and the pile under it."""
    if WILD[code]:
        return 40.0
    value = 0.0
    for yes, length in wanted:
        if yes >> code & 1:
            value = max(value, 10.0 + (50.0 if length == 6 else 3.0 * min(length, 6)))
    return value + (1.5 * pile if value else 0.0)


def _feeds(code: int, known: Sequence[int]) -> float:
    """Whether the next player is known to hold what goes with this card."""
    rank, suit = RANK_OF[code], SUIT_OF[code]
    value = 0.0
    for other in known:
        if WILD[other]:
            continue
        if RANK_OF[other] == rank:
            value += 4.0
        elif SUIT_OF[other] == suit and abs(RANK_OF[other] - rank) <= 2:
            value += 5.0
    return value


def _lay_reason(view: View, action: Action) -> Choice:
    if action.kind == LAY:
        return Choice(action, "bot.opens", (("cards", " ".join(CARDS[c].symbol for c in action.cards)),))
    meld = view.melds[action.meld]
    size = len(meld.codes) + len(action.cards)
    code = "bot.makes_burraco" if size == view.game.flags.burraco_cards else "bot.grows"
    return Choice(action, code, (("card", name(action.cards[0])), ("count", size)))
