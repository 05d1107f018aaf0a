"""Cards and melds read from one line of text, and written so that they can be read again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from scorer.cards import Card
from scorer.notation_errors import fault, raise_all
from scorer.notation_meld import EXAMPLES, LineReader, aligned
from scorer.notation_token import EXAMPLE, MAX_LINE
from scorer.notation_words import ATOMS, STYLES
from scorer.table import MeldText

#: What stands where no card is left: an empty hand.
NO_CARDS: Final = frozenset({"", "-", "–", "—"})


def quick_cards(text: str, lang: str) -> tuple[Card, ...] | None:
    """The cards of a line of plain cards (the common case: one look-up a card), or None to read it carefully."""
    atoms = ATOMS.get(lang)
    if atoms is None:
        raise fault("bad_lang", lang, expected="en it")
    if len(text) > MAX_LINE or not text.isprintable():
        return None
    try:
        return tuple([atoms[token] for token in text.replace(",", " ").split()])
    except KeyError:
        return None


def _read(text: str, lang: str, *, bindings: bool) -> MeldText:
    """A line read with care: everything that is wrong with it is raised, also that it holds no card at all."""
    reader = LineReader(text.rstrip("\r\n"), lang, bindings=bindings)
    errors = reader.all_errors()
    if not errors and not reader.cards:
        errors = [fault("empty_meld", text.strip(), expected=EXAMPLES[lang]["meld"])]
    raise_all(errors)
    return MeldText(tuple(reader.cards), tuple(reader.bindings), text.strip())


def parse_card(text: str, lang: str = "en") -> Card:
    """Exactly one card: `7h`, `10♦`, `asso di picche` (`lang` "it"), `JK`, `?`, `9?`; NotationError otherwise.

    >>> parse_card("queen of spades"), parse_card("QQ", "it"), parse_card("🂱")
    (Card.of('Qs'), Card.of('Qd'), Card.of('Ah'))
    """
    quick = quick_cards(text, lang)
    if quick and len(quick) == 1:
        return quick[0]
    reader = LineReader(text.rstrip("\r\n"), lang, bindings=False)
    raise_all(reader.all_errors())
    if len(reader.items) != 1 or reader.items[0].kind != "card":
        raise fault("one_card", text, expected=EXAMPLE[lang])
    return reader.cards[0]


def parse_cards(text: str, lang: str = "en") -> tuple[Card, ...]:
    """The cards of a hand, in the order written; nothing, or `-`, is the empty hand. Wilds cannot be bound here.

    >>> [card.text for card in parse_cards("4h-6h, JK")], parse_cards("-")
    (['4h', '5h', '6h', 'JK'], ())
    """
    quick = quick_cards(text, lang)
    if quick:
        return quick
    if text.strip() in NO_CARDS:
        return ()
    return _read(text, lang, bindings=False).cards


def parse_meld(text: str, lang: str = "en") -> MeldText:
    """One meld, at least one card; its cards in the order written, and what wilds were said to stand for.

    >>> parse_meld("7:CQ+JK", "it").cards
    (Card.of('7h'), Card.of('7d'), Card.of('JK'))
    """
    quick = quick_cards(text, lang)
    if quick:
        return MeldText(quick, (), text)
    return _read(text, lang, bindings=True)


def _texts(style: str) -> tuple[str, ...]:
    try:
        return STYLES[style]
    except KeyError:
        raise fault("bad_style", style, expected=" ".join(STYLES)) from None


def format_card(card: Card, style: str = "canonical") -> str:
    """One card as text: `canonical` and `en` `7h`, `it` `7C`, `symbols` `7♥`, `words-en`, `words-it` `7 di cuori`.

    Read again with the same language it is the same card; canonical letters are English ones.
    """
    return _texts(style)[card.code]


def format_cards(cards: Iterable[Card], style: str = "canonical") -> str:
    """Cards as text that `parse_cards` reads again: separated by spaces, by commas between words.

    >>> format_cards(parse_cards("Kh 10d JK"), "symbols"), format_cards(parse_cards("Kh JK"), "words-it")
    ('K♥ 10♦ JK', 're di cuori, jolly')
    """
    texts = _texts(style)
    return (", " if style.startswith("words") else " ").join([texts[card.code] for card in cards])


def format_meld(meld: MeldText, style: str = "canonical") -> str:
    """A meld as text that `parse_meld` reads again, bound wilds as `2s=7h`."""
    texts = _texts(style)
    parts = [
        f"{texts[card.code]}={texts[bound.stands_for.code]}" if bound else texts[card.code]
        for card, bound in aligned(meld.cards, meld.bindings)
    ]
    return (", " if style.startswith("words") else " ").join(parts)
