"""What a hand is worth to its holder: plain counts that every bot shares, and small estimates of single cards.

Estimates are in points, roughly: what keeping, taking or giving away a card is expected to change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from scorer.cards import CARDS
from scorer.game.state import Meld
from scorer.game.view import View

RANK_OF: Final = tuple(card.rank_no for card in CARDS)
SUIT_OF: Final = tuple(card.suit_no for card in CARDS)
WILD: Final = tuple(card.is_wild for card in CARDS)


class Counts(NamedTuple):
    """A bag of cards by rank and by suit: `ranks[r]` naturals of rank r, `suits[s]` bit r for each rank r (14: ace)."""

    ranks: list[int]
    suits: list[int]
    wilds: int


def counts(codes: Iterable[int]) -> Counts:
    """Count a bag; twos and jokers count as wilds only."""
    ranks, suits, wilds = [0] * 15, [0, 0, 0, 0], 0
    for code in codes:
        if WILD[code]:
            wilds += 1
            continue
        rank = RANK_OF[code]
        ranks[rank] += 1
        suits[SUIT_OF[code]] |= 1 << rank | (1 << 14 if rank == 1 else 0)
    return Counts(ranks, suits, wilds)


def set_ranks(view: View) -> int:
    """Bit r for each rank of which sets are allowed."""
    rules = view.game.profile.rules
    return rules.set_ranks if rules.sets else 0


def neighbours(code: int, held: Counts) -> tuple[int, int]:
    """How many ranks of its suit are held one step and two steps away."""
    rank, mask = RANK_OF[code], held.suits[SUIT_OF[code]]
    places = (1, 14) if rank == 1 else (rank,)
    near = far = 0
    for at in places:
        near += (mask >> (at - 1) & 1) + (mask >> (at + 1) & 1)
        far += (mask >> (at - 2) & 1 if at > 2 else 0) + (mask >> (at + 2) & 1)
    return near, far


def keep_value(code: int, held: Counts, sets: int) -> float:
    """What a card that cannot be laid now is worth in this hand (the card itself counted among `held`)."""
    near, far = neighbours(code, held)
    value = 9.0 * near + 4.0 * far
    if sets >> RANK_OF[code] & 1:
        value += 7.0 * (held.ranks[RANK_OF[code]] - 1)
    return value


def own(view: View) -> list[Meld]:
    """The melds of the side on turn."""
    side = view.side
    return [meld for meld in view.melds if view.sides[meld.home] == side]


def theirs(view: View) -> list[Meld]:
    """The melds of everybody else."""
    side = view.side
    return [meld for meld in view.melds if view.sides[meld.home] != side]


def fits(view: View, meld: Meld, mask: int) -> int:
    """Which of the cards in `mask` (bit = code) the meld can take, one at a time."""
    book = view.game.book
    fit = book.fit(meld.codes, meld.reading)
    new = mask & fit.plausible & ~fit.seen
    if new:
        book.settle(fit, meld.codes, meld.reading, new)
    return fit.yes & mask


def near_meld(code: int, melds: Iterable[Meld], view: View) -> bool:
    """Whether the card lies one hole away from a run of these melds: one more card and it goes in."""
    rank, suit = RANK_OF[code], SUIT_OF[code]
    for meld in melds:
        reading = view.game.book.reading(meld.codes, meld.reading)
        if reading.suit_no != suit:
            continue
        low, high = reading.low, reading.low + len(meld.codes) - 1
        if rank in (low - 2, high + 2) or (rank == 1 and high == 12):
            return True
    return False


def burraco_made(view: View) -> bool:
    """Whether this side has a burraco that lets it close."""
    need = view.game.flags.close_burraco
    book = view.game.book
    for meld in own(view):
        status = book.status(meld.codes)
        if status.burraco and (need != "clean" or status.clean):
            return True
    return need == "none"


def late(view: View) -> bool:
    """Whether the deal will soon end: little stock, or an opponent with few cards who may close."""
    if view.stock_count <= 12:
        return True
    for seat, count in enumerate(view.hand_counts):
        if view.sides[seat] != view.side and count <= 3 and view.pot[view.sides[seat]]:
            return True
    return False


def name(code: int) -> str:
    """A card for a sentence."""
    return CARDS[code].symbol
