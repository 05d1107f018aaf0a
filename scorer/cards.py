"""Cards: the 108 of two packs with four jokers, and the partial cards that a doubtful reading needs.

A `Card` is interned: one object for each of the 52 faces, the joker, and the 18 partial cards (`?`, `9?`, `?h`).
The two copies of a face are the *same* object: where copies matter, keep lists, tuples or counters, never sets.

>>> Card.of("10h").symbol
'10♥'
>>> len(DECK), DECK.count(JOKER), DECK.count(Card.of("7h"))
(108, 4, 2)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import Final


class Suit(Enum):
    """The four suits in the Italian order "Come Quando Fuori Piove"."""

    HEARTS = "h"
    DIAMONDS = "d"
    CLUBS = "c"
    SPADES = "s"


class Rank(Enum):
    """Ranks by their number in a run; the ace is 1 (and may stand at 14)."""

    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13


SUITS: Final = tuple(Suit)
RANKS: Final = tuple(Rank)
RANK_TEXT: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUIT_SYMBOLS: Final = ("♥", "♦", "♣", "♠")

#: Codes: 0..51 = suit number * 13 + rank number - 1; then the joker; then `?`; then 13 `rank?`; then 4 `?suit`.
JOKER_CODE: Final = 52
UNKNOWN_CODE: Final = 53


class Card:
    """One face of the pack, the joker, or a partial card. Interned: compare with `is` or `==`, get one by `Card.of`.

    `code` is 0..52 for real cards and 53..70 for partial ones; `rank_no` is 1..13 or 0, `suit_no` 0..3 or -1.
    Cards sort by code: hearts, diamonds, clubs, spades, each from ace to king, then the joker.
    """

    __slots__ = ("code", "is_joker", "is_unknown", "is_wild", "rank", "rank_no", "suit", "suit_no", "symbol", "text")

    code: int
    text: str
    symbol: str
    rank: Rank | None
    suit: Suit | None
    rank_no: int
    suit_no: int
    is_joker: bool
    #: A joker or any two: it *can* be wild (a two in its own slot of a run is not).
    is_wild: bool
    is_unknown: bool

    def __new__(cls, *_args: object) -> Card:
        raise TypeError("cards are interned: use Card.of(text) or CARDS[code]")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Card cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Card cannot be changed")

    def __repr__(self) -> str:
        return f"Card.of({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return self.code

    def __eq__(self, other: object) -> bool:
        return self is other

    def __lt__(self, other: Card) -> bool:
        return self.code < other.code

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Card.of, (self.text,))

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, _memo: object) -> Card:
        return self

    @staticmethod
    def of(text: str) -> Card:
        """The card written in canonical notation (`7h`, `10d`, `JK`, `?`, `9?`, `?h`); ValueError otherwise.

        This is the exact inverse of `str(card)`; people's notation is read by `scorer.notation`.
        """
        try:
            return _BY_TEXT[text]
        except KeyError:
            raise ValueError(f"not a canonical card: {text!r}") from None


def _make(code: int, rank_no: int, suit_no: int, text: str, symbol: str) -> Card:
    card = object.__new__(Card)
    put = object.__setattr__
    put(card, "code", code)
    put(card, "rank_no", rank_no)
    put(card, "suit_no", suit_no)
    put(card, "rank", RANKS[rank_no - 1] if rank_no else None)
    put(card, "suit", SUITS[suit_no] if suit_no >= 0 else None)
    put(card, "text", text)
    put(card, "symbol", symbol)
    put(card, "is_joker", code == JOKER_CODE)
    put(card, "is_unknown", code > JOKER_CODE)
    put(card, "is_wild", code == JOKER_CODE or (code < JOKER_CODE and rank_no == 2))
    return card


def _all_cards() -> tuple[Card, ...]:
    cards = [
        _make(s * 13 + r, r + 1, s, RANK_TEXT[r] + SUITS[s].value, RANK_TEXT[r] + SUIT_SYMBOLS[s])
        for s in range(4)
        for r in range(13)
    ]
    cards.append(_make(JOKER_CODE, 0, -1, "JK", "JK"))
    cards.append(_make(UNKNOWN_CODE, 0, -1, "?", "?"))
    cards += [_make(UNKNOWN_CODE + 1 + r, r + 1, -1, RANK_TEXT[r] + "?", RANK_TEXT[r] + "?") for r in range(13)]
    cards += [_make(UNKNOWN_CODE + 14 + s, 0, s, "?" + SUITS[s].value, "?" + SUIT_SYMBOLS[s]) for s in range(4)]
    return tuple(cards)


#: Every card by its code (71 of them: 53 real, 18 partial).
CARDS: Final[tuple[Card, ...]] = _all_cards()
_BY_TEXT: Final[dict[str, Card]] = {card.text: card for card in CARDS}
JOKER: Final[Card] = CARDS[JOKER_CODE]
UNKNOWN: Final[Card] = CARDS[UNKNOWN_CODE]

#: The whole deck, sorted: two of each face and four jokers.
DECK: Final[tuple[Card, ...]] = tuple(sorted([*CARDS[:JOKER_CODE] * 2, *[JOKER] * 4], key=lambda c: c.code))


def face(rank_no: int, suit_no: int) -> Card:
    """The card of rank 1..14 (14 is the ace again) in suit 0..3; a suit of -1 gives the partial card `7?`."""
    rank = 1 if rank_no == 14 else rank_no
    return CARDS[suit_no * 13 + rank - 1] if suit_no >= 0 else CARDS[UNKNOWN_CODE + rank]


def copies(card: Card) -> int:
    """How many of a card the deck holds: 2, 4 for the joker; a partial card has no limit of its own (108).

    >>> copies(JOKER), copies(Card.of("As"))
    (4, 2)
    """
    return 108 if card.is_unknown else 4 if card.is_joker else 2


def over_deck(cards: Iterable[Card]) -> dict[Card, int]:
    """The cards that occur more often than the deck holds them, with how often they occur.

    >>> over_deck([Card.of("7h")] * 3 + [JOKER] * 4)
    {Card.of('7h'): 3}
    """
    return {card: n for card, n in sorted(Counter(cards).items()) if n > copies(card)}
