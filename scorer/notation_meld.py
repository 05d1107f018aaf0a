"""One line of cards: separate cards, runs (`4h-10h`), sets (`7:hdsc`), bound wilds (`2s=7h`), in one language.

A line is a list of items; an item is a card, or cards joined by an operator::

    line    = item { separator item }           separators: spaces, commas, "·"; "+" joins two items as well
    item    = card | card "-" card | rank ":" suits | card "=" card
    card    = rank suit | suit-symbol rank | "?" ... | joker | rank-word "of" suit-word

Reading collects every error of the line. The language decides before the letters do: see `LineReader.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from scorer.cards import Card, face
from scorer.errors import NotationError
from scorer.melds import Binding
from scorer.notation_errors import MAX_LINE_ERRORS, fault
from scorer.notation_token import (
    EXAMPLE,
    OPERATORS,
    Atom,
    Token,
    bad_atom,
    card_of,
    check_line,
    is_suit_word,
    other_lang_error,
    proven,
    rank_of,
    tokens_of,
)
from scorer.notation_words import (
    JOIN_LANG,
    LANGS,
    OTHER,
    RANKS,
    SHEET_STYLE,
    STYLES,
    SUITS,
    SYMBOLS,
    rank_letters,
    suit_letters,
)

#: More suits than this after `7:` is no set of anybody's.
MAX_SET: Final = 24
EXAMPLES: Final = {
    "en": {"run": "4h-10h", "set": "7:hdsc", "bind": "2s=7h", "meld": "4h 5h 6h"},
    "it": {"run": "4C-10C", "set": "7:CQFP", "bind": "2P=7C", "meld": "4C 5C 6C"},
}
_JOINING: Final = frozenset("-:=")
Kind = Literal["card", "-", ":", "=", "stray"]


class Item(NamedTuple):
    """Atoms joined by one operator (`kind`); an operator without its sides, or a longer chain, is kept and refused."""

    kind: Kind
    atoms: tuple[Atom, ...]
    start: int
    end: int


def aligned(cards: Iterable[Card], bindings: Iterable[Binding]) -> Iterator[tuple[Card, Binding | None]]:
    """Each card with its binding, the first copies of a face being the bound ones.

    Two copies of a two are one card: which of them was bound means nothing, so `2s 2s=7h` is `2s=7h 2s`.
    """
    waiting: dict[Card, list[Binding]] = {}
    for binding in bindings:
        waiting.setdefault(binding.card, []).append(binding)
    for card in cards:
        bound = waiting.get(card)
        yield card, bound.pop(0) if bound else None


def _atoms_at(tokens: list[Token], index: int, text: str) -> tuple[Atom, int]:
    """The atom at a token (`7h`, or `7 di cuori` as one) and the index behind it."""
    first = tokens[index]
    if index + 2 < len(tokens) and tokens[index + 1].text.lower() in JOIN_LANG:
        last = tokens[index + 2]
        if last.text not in OPERATORS and first.text.lower() not in JOIN_LANG:
            parts = (first.text, tokens[index + 1].text, last.text)
            return Atom(parts, first.start, last.end, text[first.start : last.end]), index + 3
    if index + 1 < len(tokens) and is_suit_word(tokens[index + 1].text) and any(rank_of(first.text, x) for x in LANGS):
        last = tokens[index + 1]
        return Atom((first.text, last.text), first.start, last.end, text[first.start : last.end]), index + 2
    return Atom((first.text,), first.start, first.end, text[first.start : first.end]), index + 1


def items_of(text: str) -> Iterator[Item]:
    """The items of a line, in order; operators that join nothing come out as `stray`."""
    tokens = tokens_of(text)
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text in OPERATORS:
            yield Item("stray", (), token.start, token.end)
            index += 1
            continue
        atoms, kind, index = _chain(tokens, index, text)
        dangling = kind != "card" and len(atoms) == 1
        yield Item("stray" if dangling else kind, tuple(atoms), atoms[0].start, tokens[index - 1].end)
        if index < len(tokens) and tokens[index].text == "+":
            index += 1
            if index == len(tokens) or tokens[index].text in OPERATORS:
                yield Item("stray", (), tokens[index - 1].start, tokens[index - 1].end)


def _chain(tokens: list[Token], index: int, text: str) -> tuple[list[Atom], Kind, int]:
    """An atom and what `-`, `:` or `=` joins to it; a second operator makes a chain of three or more atoms."""
    atom, index = _atoms_at(tokens, index, text)
    atoms, kind = [atom], "card"
    while index < len(tokens) and tokens[index].text in _JOINING:
        kind = tokens[index].text if kind == "card" else kind
        index += 1
        if index == len(tokens) or tokens[index].text in OPERATORS:
            return atoms[:1], kind, index  # type: ignore[return-value]  # one of the three operators
        atom, index = _atoms_at(tokens, index, text)
        atoms.append(atom)
    return atoms, kind, index  # type: ignore[return-value]  # "card" or one of the three operators


class LineReader:
    """Reads one line in one language and keeps every error, each with its column.

    A refusal because of the language (`other_language`, `mixed_languages`) is kept apart: one is enough for a text,
    and whether the text *mixes* the languages can only be said when all of it has been seen.
    """

    def __init__(self, text: str, lang: str, *, line: int = 1, offset: int = 0, bindings: bool = True) -> None:
        check_line(text, line, offset)
        self.text, self.lang, self.line, self.offset = text, lang, line, offset
        self._bindings_allowed = bindings
        self.cards: list[Card] = []
        self.bindings: list[Binding] = []
        self.errors: list[NotationError] = []
        self.lang_error: NotationError | None = None
        self.items = tuple(items_of(text))
        for item in self.items:
            try:
                self._read(item)
            except NotationError as error:
                self._keep(item, error)
                if len(self.errors) >= MAX_LINE_ERRORS:
                    break
        self.bindings = [binding for _, binding in aligned(self.cards, self.bindings) if binding]

    def _keep(self, item: Item, error: NotationError) -> None:
        languages = item_languages(item)
        about_lang = other_lang_error(self._shown(item), languages, self.lang, self._column(item))
        if about_lang is None:
            error.line = self.line
            self.errors.append(error)
        elif self.lang_error is None or about_lang.code == "mixed_languages" != self.lang_error.code:
            about_lang.line = self.line
            self.lang_error = about_lang

    def languages(self) -> frozenset[str]:
        """The languages that this line's items prove."""
        return frozenset().union(*[item_languages(item) for item in self.items])

    def all_errors(self) -> list[NotationError]:
        """The line's errors when it is the whole text, from left to right; at most one is about the language."""
        if self.lang_error is None:
            return self.errors
        about = settle_language(self.lang_error, self.languages(), self.lang)
        return sorted([about, *self.errors], key=lambda error: error.column)

    # --- items

    def _column(self, item: Item | Atom) -> int:
        return item.start + 1 + self.offset

    def _shown(self, item: Item | Atom) -> str:
        return self.text[item.start : item.end]

    def _fault(self, code: str, item: Item | Atom, expected: str = "", suggestion: str = "") -> NotationError:
        return fault(code, self._shown(item), self._column(item), expected=expected, suggestion=suggestion)

    def _card(self, atom: Atom) -> Card:
        card = card_of(atom.parts, self.lang)
        if card is None:
            raise bad_atom(atom, self.lang, self._column(atom))
        return card

    def _read(self, item: Item) -> None:
        if item.kind == "card":
            self.cards.append(self._card(item.atoms[0]))
        elif item.kind == "-":
            self.cards += self._run(item)
        elif item.kind == ":":
            self.cards += self._set(item)
        elif item.kind == "=":
            self._bound(item)
        else:
            self._stray(item)

    def _stray(self, item: Item) -> None:
        example = EXAMPLES[self.lang]
        shown = self._shown(item)
        if shown.startswith(";"):
            raise self._fault("separator", item)
        kind = "set" if ":" in shown else "bind" if "=" in shown else "run"
        raise self._fault("dangling_operator", item, example[kind])

    def _run(self, item: Item) -> list[Card]:
        example = EXAMPLES[self.lang]["run"]
        if len(item.atoms) != 2:
            raise self._fault("range_chain", item, example)
        low, high = self._ends(*item.atoms)
        for card, atom in ((low, item.atoms[0]), (high, item.atoms[1])):
            if card.is_joker or card.is_unknown:
                raise self._fault("range_end", atom, EXAMPLE[self.lang])
        if low.suit_no != high.suit_no:
            raise self._fault("range_suits", item, example)
        last = 14 if high.rank_no == 1 else high.rank_no
        if low.rank_no >= last:
            turned = "" if low is high or high.rank_no == 1 else self._joined(high, low)
            raise self._fault("range_order", item, example, turned)
        return [face(rank, low.suit_no) for rank in range(low.rank_no, last + 1)]

    def _joined(self, low: Card, high: Card) -> str:
        style = STYLES[SHEET_STYLE[self.lang]]
        return f"{style[low.code]}-{style[high.code]}"

    def _ends(self, first: Atom, last: Atom) -> tuple[Card, Card]:
        """Both ends of a run; a suit given only once (`4-10h`, `4h-10`) is an error that writes it out."""
        ends = [card_of(atom.parts, self.lang) for atom in (first, last)]
        known = ends[0] or ends[1]
        if None in ends and known is not None and known.suit_no >= 0:
            bare = last if ends[1] is None else first
            rank = rank_of(bare.parts[0], self.lang) if len(bare.parts) == 1 else 0
            if rank:
                end = face(rank, known.suit_no)
                pair = self._joined(known, end) if bare is last else self._joined(end, known)
                raise fault("missing_suit", bare.text, self._column(bare), expected=EXAMPLE[self.lang], suggestion=pair)
        return self._card(first), self._card(last)

    def _set(self, item: Item) -> list[Card]:
        if len(item.atoms) != 2 or len(item.atoms[1].parts) != 1:
            raise self._fault("set_suits", item, EXAMPLES[self.lang]["set"])
        first, suits = item.atoms[0], item.atoms[1].parts[0]
        rank = rank_of(first.parts[0], self.lang) if len(first.parts) == 1 else 0
        if not rank:
            raise self._fault("set_rank", first, rank_letters(self.lang))
        numbers = [SUITS[self.lang].get(letter, SYMBOLS.get(letter, -1)) for letter in suits[:MAX_SET].lower()]
        if -1 in numbers or len(suits) > MAX_SET:
            raise self._fault("set_suits", item.atoms[1], suit_letters(self.lang))
        return [face(rank, number) for number in numbers]

    def _bound(self, item: Item) -> None:
        example = EXAMPLES[self.lang]["bind"]
        if len(item.atoms) != 2:
            raise self._fault("bind_chain", item, example)
        card, target = self._card(item.atoms[0]), self._card(item.atoms[1])
        if not self._bindings_allowed:
            raise self._fault("bind_in_hand", item)
        if not card.is_wild:
            raise self._fault("bind_card", item.atoms[0], example)
        if target.is_joker or not target.rank_no:
            raise self._fault("bind_target", item.atoms[1], EXAMPLE[self.lang])
        self.cards.append(card)
        self.bindings.append(Binding(card, target))


def item_languages(item: Item) -> frozenset[str]:
    """The languages that an item proves; the suits of a set prove theirs too."""
    if item.kind == ":" and len(item.atoms) == 2:
        return _set_languages(item.atoms[0], item.atoms[1])
    return frozenset().union(*[proven(atom.parts) for atom in item.atoms])


def _set_languages(rank: Atom, suits: Atom) -> frozenset[str]:
    low = rank.parts[0].lower()
    found = set(proven(rank.parts)) if low not in RANKS["it"] else set()
    if low in RANKS["it"] and low not in RANKS["en"]:
        found.add("it")
    for lang in LANGS:
        alone = SUITS[lang].keys() - SUITS[OTHER[lang]].keys()
        if not alone.isdisjoint(suits.parts[0][:MAX_SET].lower()):
            found.add(lang)
    return frozenset(found)


def settle_language(error: NotationError, languages: frozenset[str], lang: str) -> NotationError:
    """The one error about a text's language: if the text proves both, it mixes them."""
    if error.code == "mixed_languages" or len(languages) < 2:
        return error
    return fault("mixed_languages", error.token, error.column, line=error.line, lang=lang)
