"""The score sheet as quick text: who played, what each side laid and holds, the pozzetto, who closed.

Keywords are English or Italian as the writer likes; the cards are in the one language that `lang:` names for the whole
sheet. Every error of the sheet is reported at once, with its line and column.

>>> sheet = parse_sheet("lang: it\\n[Noi: Anna, Bruno]\\n4C-10C\\nmano Anna: 5F\\nchiude: Bruno\\n[Loro]\\nmano: -")
>>> sheet.table.sides[0].closed_by, sheet.table.sides[0].hands[0].cards
('Bruno', (Card.of('5c'),))
>>> print(format_sheet(sheet).splitlines()[3])
4C 5C 6C 7C 8C 9C 10C
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from scorer.cards import CARDS, Card
from scorer.errors import NotationError, ProfileError
from scorer.notation_cards import NO_CARDS, format_cards, format_meld, quick_cards
from scorer.notation_errors import MAX_ERRORS, clip, fault, raise_all
from scorer.notation_keywords import (
    CLOSED_JOINS,
    EXAMPLE_LINES,
    HAND_JOINS,
    KEYWORDS,
    NO,
    POT_VALUES,
    WRITTEN,
    YES,
    bad_name,
    fold,
    is_card_word,
    near,
    trump_of,
)
from scorer.notation_meld import EXAMPLES, LineReader, item_languages, items_of, settle_language
from scorer.notation_token import check_line
from scorer.notation_words import LANG_NAMES, SHEET_STYLE, STYLES
from scorer.profile import load_profile, option_spec, parse_value, profile_ids
from scorer.table import Hand, MeldText, Pozzetto, Side, Table

#: The longest sheet, in characters; a deal of 108 cards in words needs about 3,000.
MAX_SHEET: Final = 100_000
_LINE_END: Final = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A score sheet: the rule set it names (None: the reader's choice), its options as text, language and table."""

    rules: str | None
    options: dict[str, str]
    lang: str
    table: Table


def decode_text(data: bytes) -> str:
    """The text of a file, UTF-8 with or without a byte order mark; NotationError if it is not text.

    >>> decode_text(b"\\xef\\xbb\\xbf7h")
    '7h'
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise fault("not_text", offset=error.start) from None


@dataclass(slots=True)
class _Draft:
    """A side while its lines are being read."""

    name: str
    players: tuple[str, ...]
    melds: list[MeldText] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)
    pozzetto: Pozzetto | None = None
    pozzetto_cards: tuple[Card, ...] = ()
    closed: bool = False
    closed_by: str | None = None
    said: set[str] = field(default_factory=set)

    def side(self) -> Side:
        return Side(
            self.name, self.players, tuple(self.melds), tuple(self.hands), self.pozzetto, self.pozzetto_cards,
            self.closed, self.closed_by,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without its comment; for `word name: value` the parts, with the value's offset in the line."""

    number: int
    text: str
    word: str
    name: str
    value: str
    value_at: int
    colon: bool

    @property
    def word_at(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    def find(self, word: str) -> int:
        """The column of the last place where a word stands (the line's first column if it stands nowhere)."""
        return max(self.text.rfind(word), self.word_at) + 1

    @property
    def name_at(self) -> int:
        return self.text.find(self.name, self.word_at + len(self.word)) if self.name else self.word_at


def _line(number: int, raw: str) -> _Line:
    text = raw.partition("#")[0].rstrip()
    head, colon, value = text.partition(":")
    word, _, name = head.strip().partition(" ")
    at = len(head) + 1 + len(value) - len(value.lstrip())
    return _Line(number, text, word, name.strip(), value.strip(), at, bool(colon))


class _SheetReader:
    """Reads a sheet line by line; an unreadable line is reported and left out, the rest is read on."""

    def __init__(self, text: str, lang: str) -> None:
        self.errors: list[NotationError] = []
        self.lines: list[_Line] = []
        self.rules: str | None = None
        self.options: dict[str, str] = {}
        self.drafts: list[_Draft] = []
        self._said: set[str] = set()
        self._card_lines: list[str] = []
        self._lang_error: NotationError | None = None
        for number, raw in enumerate(_LINE_END.split(text), 1):
            self._try(number, self._prepare, number, raw)
            if len(self.errors) >= MAX_ERRORS:
                break
        self.lang = self._language(lang)
        for line in self.lines:
            if len(self.errors) >= MAX_ERRORS:
                break
            self._try(line.number, self._read, line)

    def finish(self) -> Sheet:
        """The sheet, or every error found in it in the order of the lines."""
        if self._lang_error is not None:
            items = [item for text in self._card_lines for item in items_of(text)]
            languages = frozenset().union(*map(item_languages, items))
            self.errors.append(settle_language(self._lang_error, languages, self.lang))
        if not self.errors and not self.drafts:
            self.errors.append(fault("no_sides", expected=EXAMPLE_LINES[self.lang]["side"]))
        self.errors.sort(key=lambda error: (error.line, error.column))
        if len(self.errors) >= MAX_ERRORS:
            del self.errors[MAX_ERRORS:]
            self.errors.append(fault("too_many_errors", line=self.errors[-1].line, count=MAX_ERRORS))
        raise_all(self.errors)
        return Sheet(self.rules, self.options, self.lang, Table(tuple([draft.side() for draft in self.drafts])))

    # --- lines

    def _try(self, number: int, step: Callable[..., None], *args: object) -> None:
        try:
            step(*args)
        except NotationError as error:
            error.line = number
            self.errors.append(error)

    def _prepare(self, number: int, raw: str) -> None:
        check_line(raw, number)
        line = _line(number, raw)
        if line.text.strip():
            self.lines.append(line)

    def _language(self, default: str) -> str:
        """The language of the whole sheet, wherever its `lang:` line stands."""
        for line in self.lines:
            if line.colon and KEYWORDS.get(fold(line.word)) == "lang":
                return LANG_NAMES.get(fold(line.value), default)
        return default

    def _read(self, line: _Line) -> None:
        text = line.text.strip()
        if text.startswith("["):
            self._begin_side(line, text)
            return
        key = KEYWORDS.get(fold(line.word))
        if key is None and line.colon and line.word.isalpha() and len(line.word) > 2 and not is_card_word(line.word):
            known = EXAMPLE_LINES[self.lang]["keywords"]
            guess = near(line.word, KEYWORDS)
            raise fault("unknown_keyword", line.word, line.word_at + 1, expected=known, suggestion=guess)
        if key is None:
            self._meld(line)
        elif not line.colon:
            raise fault("missing_colon", line.word, line.word_at + 1, expected=EXAMPLE_LINES[self.lang][key])
        else:
            self._keyword(key, line)

    def _keyword(self, key: str, line: _Line) -> None:
        example = EXAMPLE_LINES[self.lang][key]
        free = key == "hand" or (key == "closed" and fold(line.name) in CLOSED_JOINS)
        if line.name and not free:
            raise fault("extra_words", line.name, line.name_at + 1, expected=example)
        if not line.value and key != "hand":
            raise fault("empty_value", line.word, line.word_at + 1, expected=example)
        getattr(self, f"_{key}")(line)

    def _once(self, said: set[str], what: str, line: _Line) -> None:
        if what in said:
            raise fault("duplicate_line", line.text.strip().partition(":")[0], line.word_at + 1)
        said.add(what)

    # --- the head of the sheet

    def _rules(self, line: _Line) -> None:
        self._once(self._said, "rules", line)
        ident = line.value.lower()
        if ident not in profile_ids():
            try:
                load_profile(ident)
            except ProfileError as error:
                raise _from_profile(error, line) from None
        self.rules = ident

    def _option(self, line: _Line) -> None:
        key, equals, value = (part.strip() for part in line.value.partition("="))
        if not (key and equals and value):
            example = EXAMPLE_LINES[self.lang]["option"]
            raise fault("bad_option_line", line.value, line.value_at + 1, expected=example)
        try:
            parse_value(option_spec(key), value)
        except ProfileError as error:
            raise _from_profile(error, line) from None
        self._once(self._said, f"option {key}", line)
        self.options[key] = value

    def _lang(self, line: _Line) -> None:
        name = LANG_NAMES.get(fold(line.value))
        if name is None:
            guess = near(line.value, LANG_NAMES)
            raise fault("bad_lang", line.value, line.value_at + 1, expected="en it", suggestion=guess)
        self._once(self._said, "lang", line)

    def _trump(self, line: _Line) -> None:
        value = trump_of(line.value, self.lang)
        if isinstance(value, NotationError):
            value.column = line.value_at + 1
            raise value
        self._once(self._said, "option trump", line)
        self.options["trump"] = value

    # --- a side

    def _begin_side(self, line: _Line, text: str) -> None:
        column = line.word_at + 1
        if not text.endswith("]") or "[" in text[1:] or "]" in text[:-1]:
            self.drafts.append(_Draft(text, ()))  # what follows belongs to this side, however it is called
            raise fault("bad_side", text, column, expected=EXAMPLE_LINES[self.lang]["side"])
        name, _, rest = text[1:-1].partition(":")
        name = " ".join(name.split())
        players = tuple([" ".join(part.split()) for part in rest.split(",")]) if rest.strip() else ()
        faults = [fault("bad_sheet_name", word, line.find(word)) for word in (name, *players) if bad_name(word)]
        if any(fold(name) == fold(draft.name) for draft in self.drafts):
            faults.append(fault("duplicate_side", name, line.find(name)))
        folded = [fold(player) for player in players]
        twice = [player for n, player in enumerate(players) if folded[n] in folded[:n]]
        faults += [fault("duplicate_player", player, line.find(player)) for player in twice]
        # The side is begun even so: its lines must not be blamed for its name.
        self.drafts.append(_Draft(name, players))
        for error in faults:
            error.line = line.number
        self.errors += faults

    def _draft(self, line: _Line) -> _Draft:
        if not self.drafts:
            self.drafts.append(_Draft("", ()))  # said once, not for every line to come
            example = EXAMPLE_LINES[self.lang]["side"]
            raise fault("no_side_yet", line.text.strip(), line.word_at + 1, expected=example)
        return self.drafts[-1]

    def _cards(self, line: _Line, text: str, at: int, *, bindings: bool) -> MeldText:
        """The cards of a part of a line. Its errors are kept; a sheet has one error about its language."""
        self._card_lines.append(text)
        quick = quick_cards(text, self.lang)
        if quick:
            return MeldText(quick, (), text)
        reader = LineReader(text, self.lang, line=line.number, offset=at, bindings=bindings)
        if not reader.items:
            example = EXAMPLES[self.lang]["meld"]
            self.errors.append(fault("empty_meld", text, at + 1, line=line.number, expected=example))
        self.errors += reader.errors
        about = reader.lang_error
        if about and (self._lang_error is None or about.code == "mixed_languages" != self._lang_error.code):
            self._lang_error = about
        return MeldText(tuple(reader.cards), tuple(reader.bindings), text)

    def _hand_cards(self, line: _Line, text: str, at: int) -> tuple[Card, ...]:
        return () if text in NO_CARDS else self._cards(line, text, at, bindings=False).cards

    def _meld(self, line: _Line) -> None:
        draft, at = self._draft(line), line.word_at
        text = line.text.strip()
        draft.melds.append(self._cards(line, text, at, bindings=True))

    def _player(self, draft: _Draft, name: str, at: int) -> str:
        """The player of the side by that name, as the side's head writes it."""
        name = " ".join(name.split())
        for player in draft.players:
            if fold(player) == fold(name):
                return player
        if draft.players:
            expected = ", ".join(draft.players)
            raise fault("unknown_player", name, at + 1, expected=expected, suggestion=near(name, draft.players))
        if bad_name(name):
            raise fault("bad_sheet_name", name, at + 1)
        return name

    def _hand(self, line: _Line) -> None:
        draft, player, name = self._draft(line), None, line.name
        join, _, rest = name.partition(" ")
        if rest and fold(join) in HAND_JOINS and all(fold(name) != fold(known) for known in draft.players):
            name = rest.strip()
        try:
            player = self._player(draft, name, line.name_at) if name else None
            self._once(draft.said, f"hand {fold(player or '')}", line)
        finally:  # the cards are read in any case, so that their errors are told with the name's
            cards = self._hand_cards(line, line.value, line.value_at)
        draft.hands.append(Hand(cards, player))

    def _pot(self, line: _Line) -> None:
        draft = self._draft(line)
        words, colon, rest = line.value.partition(":")
        state = POT_VALUES.get(" ".join(fold(words).split()))
        if state is None or (colon and state != "unplayed"):
            values = EXAMPLE_LINES[self.lang]["pot_values"]
            raise fault(
                "bad_pozzetto", line.value, line.value_at + 1, expected=values, suggestion=near(words, POT_VALUES)
            )
        self._once(draft.said, "pot", line)
        draft.pozzetto = state
        at = line.value_at + len(words) + 1 + len(rest) - len(rest.lstrip())
        draft.pozzetto_cards = self._hand_cards(line, rest.strip(), at)

    def _closed(self, line: _Line) -> None:
        draft, value = self._draft(line), fold(line.value)
        self._once(draft.said, "closed", line)
        if value in NO:
            return
        if value not in YES:
            draft.closed_by = self._player(draft, line.value, line.value_at)
        draft.closed = True


def _from_profile(error: ProfileError, line: _Line) -> NotationError:
    """A wrong rule set or option, as an error of its line; code and message stay the profile's own."""
    params = dict(error.params)
    suggestion = str(params.pop("suggestion", ""))
    told = NotationError(
        error.message, code=error.code, line=line.number, column=line.value_at + 1, token=clip(line.value),
        suggestion=suggestion,
    )  # fmt: skip
    told.params.update(params)
    return told


def parse_sheet(text: str, lang: str = "en") -> Sheet:
    """A score sheet from its quick text; `lang` is the language of its cards if the sheet has no `lang:` line.

    NotationError (or NotationErrors with all of them, in order) if any line cannot be read.
    """
    if lang not in EXAMPLES:
        raise fault("bad_lang", lang, expected="en it")
    if len(text) > MAX_SHEET:
        raise fault("text_too_long", length=len(text), limit=MAX_SHEET)
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise fault("no_sides", expected=EXAMPLE_LINES[lang]["side"])
    binary = text.find("\0")
    if binary >= 0:  # one line says it, not one for each line of rubbish
        column = binary - text.rfind("\n", 0, binary)
        raise fault("control_character", "\0", column, line=text.count("\n", 0, binary) + 1, name="U+0000")
    return _SheetReader(text, lang).finish()


# --- writing -------------------------------------------------------------------------------------------------------


def format_sheet(sheet: Sheet) -> str:
    """The sheet as quick text in its own language; `parse_sheet` reads the same sheet again (but for `source`).

    NotationError for what the text cannot say: a name with a comma or colon, a meld without cards, cards of a
    pozzetto that was played or not taken.
    """
    words = WRITTEN[sheet.lang]
    lines = [f"{words['rules']}: {sheet.rules}"] if sheet.rules else []
    for key, value in sheet.options.items():
        suit = "hdcs".find(value) if key == "trump" and len(value) == 1 else -1
        said = f"{words['trump']}: {_suit_text(suit, sheet.lang)}" if suit >= 0 else f"{words['option']}: {key}={value}"
        lines.append(said)
    lines.append(f"{words['lang']}: {sheet.lang}")
    for side in sheet.table.sides:
        lines += ["", *_side_lines(side, sheet.lang)]
    return "\n".join(lines) + "\n"


def _suit_text(suit: int, lang: str) -> str:
    return STYLES[SHEET_STYLE[lang]][CARDS[suit * 13].code].removeprefix("A")


def _side_lines(side: Side, lang: str) -> list[str]:
    words, style = WRITTEN[lang], SHEET_STYLE[lang]
    for name in (side.name, *side.players, *[hand.player for hand in side.hands], side.closed_by):
        if name is not None and bad_name(name):
            raise fault("bad_sheet_name", name)
    lines = [f"[{side.name}: {', '.join(side.players)}]" if side.players else f"[{side.name}]"]
    for meld in side.melds:
        if not meld.cards:
            raise fault("empty_meld", expected=EXAMPLES[lang]["meld"])
        lines.append(format_meld(meld, style))
    for hand in side.hands:
        head = f"{words['hand']} {hand.player}" if hand.player is not None else words["hand"]
        lines.append(f"{head}: {format_cards(hand.cards, style) or '-'}")
    if side.pozzetto is not None:
        lines.append(f"{words['pot']}: {_pot_text(side, lang)}")
    elif side.pozzetto_cards:
        raise fault("bad_pozzetto", "-", expected=EXAMPLE_LINES[lang]["pot_values"])
    if side.closed:
        lines.append(f"{words['closed']}: {side.closed_by or words['yes']}")
    return lines


def _pot_text(side: Side, lang: str) -> str:
    words, cards = WRITTEN[lang], format_cards(side.pozzetto_cards, SHEET_STYLE[lang])
    if side.pozzetto == "unplayed":
        return f"{words['unplayed']}: {cards}" if cards else words["unplayed"]
    if cards:
        raise fault("bad_pozzetto", cards, expected=EXAMPLE_LINES[lang]["pot_values"])
    return words["yes"] if side.pozzetto == "played" else words["no"]
