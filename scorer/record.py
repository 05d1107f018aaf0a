"""The game record `burraco-record/1`: a TOML file of one or more deals, card by card (grammar: docs/record.md).

The reader is lenient (blank lines, comments, letters in either case, suit symbols, Italian words with `lang = "it"`);
the writer is canonical, and what it writes reads back as the same record. Claimed points are kept as claims: they are
recomputed by `scorer.record_lint` and trusted by nobody. Fields that begin with `_` are ignored, others refused.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scorer.cards import CARDS, DECK, JOKER_CODE, UNKNOWN_CODE
from scorer.errors import NotationError, NotationErrors, RecordError
from scorer.game.actions import Spoken, parse_spoken, spoken_text
from scorer.game.state import SEAT_LETTERS
from scorer.notation import parse_cards
from scorer.profile import OPTIONS, RuleProfile, load_profile

FORMAT: Final = "burraco-record/1"
ENDS: Final = ("close", "stock", "stall", "truncated")
UNKNOWN_DECK: Final = (UNKNOWN_CODE,) * len(DECK)
_HEAD: Final = {"format", "rules", "version", "digest", "options", "players", "sides", "lang", "deal"}
_DEAL: Final = {"dealer", "cut", "three_pots", "deck", "play", "end", "points"}
#: Files larger than this are refused unread: a whole match is a few hundred kilobytes.
MAX_CHARS: Final = 4_000_000


class Turn(NamedTuple):
    """One player's turn: his seat (0..3) and what he did, in order, with the marks `pot` and `close`."""

    seat: int
    pieces: tuple[Spoken, ...]


@dataclass(frozen=True)
class DealRecord:
    """One deal. `deck` are 108 codes (53 for a card nobody noted); `points` are claims by side name, or None."""

    dealer: int
    deck: tuple[int, ...]
    turns: tuple[Turn, ...]
    cut: int = 0
    three_pots: bool = False
    end: str = ""
    points: tuple[tuple[str, int], ...] | None = None
    #: Line of each turn in the file and columns of its pieces, counted from 1; not part of the record.
    places: tuple[tuple[int, tuple[int, ...]], ...] = field(default=(), compare=False, repr=False)
    line: int = field(default=1, compare=False, repr=False)
    end_line: int = field(default=1, compare=False, repr=False)
    points_line: int = field(default=1, compare=False, repr=False)
    #: How many turns stand before the first line that could not be read; None when all could.
    readable: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Record:
    """A whole record. `version` and `digest` pin the rule values under which it was played."""

    rules: str
    version: int
    digest: str
    options: tuple[tuple[str, str], ...]
    players: tuple[str, ...]
    sides: tuple[str, ...]
    deals: tuple[DealRecord, ...]


def rules_digest(profile: RuleProfile) -> str:
    """Twelve hexadecimal digits of every value of a rule set: they change when any value does.

    >>> rules_digest(load_profile("fibur")) == rules_digest(load_profile("fibur", {"semi_position": "end_only"}))
    False
    """
    values = "\n".join(f"{key}={profile.get(key)!r}" for key in OPTIONS)
    return hashlib.sha256(values.encode()).hexdigest()[:12]


def option_text(value: object) -> str:
    """An option's value as text that `load_profile` reads again."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return "none" if value is None else str(value)


def record_of(
    profile: RuleProfile, players: tuple[str, ...], deals: tuple[DealRecord, ...], sides: tuple[str, ...] = ()
) -> Record:
    """A record with the rule set pinned as it is now; `sides` by default as the profile seats that many players."""
    options = tuple((key, option_text(value)) for key, value in profile.options)
    from scorer.game.final import side_list, side_name
    from scorer.game.state import game_of

    if not sides:
        game = game_of(profile, len(players))
        sides = tuple(side_name(game, game.first_sides, side) for side in side_list(game.first_sides))
    return Record(profile.id, profile.version, rules_digest(profile), options, players, sides, deals)


def profile_of(record: Record) -> RuleProfile:
    """The rule set of a record; RecordError when its version or any of its values has changed since."""
    profile = load_profile(record.rules, dict(record.options))
    if profile.version != record.version:
        raise RecordError(
            f"played under version {record.version} of {record.rules}, this is version {profile.version}",
            code="rules_version_changed", rules=record.rules, played=record.version, now=profile.version,
        )  # fmt: skip
    now = rules_digest(profile)
    if record.digest and now != record.digest:
        raise RecordError(
            f"a value of {record.rules} has changed since this was played ({record.digest}, now {now})",
            code="rules_values_changed", rules=record.rules, played=record.digest, now=now,
        )  # fmt: skip
    return profile


# --- writing ---------------------------------------------------------------------------------------------------------


def write_record(record: Record) -> str:
    """The canonical text of a record: ASCII but for the names, one turn a line, 18 cards of the deck a line."""
    out = [
        f'format = "{FORMAT}"',
        f"rules = {_quoted(record.rules)}",
        f"version = {record.version}",
        f"digest = {_quoted(record.digest)}",
        f"players = [{', '.join(map(_quoted, record.players))}]",
        f"sides = [{', '.join(map(_quoted, record.sides))}]",
    ]
    if record.options:
        out += ["", "[options]", *[f"{_quoted(key)} = {_quoted(value)}" for key, value in record.options]]
    letters = SEAT_LETTERS[len(record.players)]
    for deal in record.deals:
        out += ["", *_deal_lines(deal, letters)]
    return "\n".join(out) + "\n"


def _deal_lines(deal: DealRecord, letters: str) -> list[str]:
    out = ["[[deal]]", f'dealer = "{letters[deal.dealer]}"']
    if deal.cut:
        out.append(f"cut = {deal.cut}")
    if deal.three_pots:
        out.append("three_pots = true")
    if deal.deck == UNKNOWN_DECK:
        out.append('deck = "?"')
    else:
        cards = [CARDS[code].text for code in deal.deck]
        out += ['deck = """', *[" ".join(cards[i : i + 18]) for i in range(0, len(cards), 18)], '"""']
    out += ['play = """', *[turn_text(turn, letters) for turn in deal.turns], '"""']
    if deal.end:
        out.append(f'end = "{deal.end}"')
    if deal.points is not None:
        out += ["[deal.points]", *[f"{_quoted(name)} = {points}" for name, points in deal.points]]
    return out


def turn_text(turn: Turn, letters: str) -> str:
    """One turn as a line: `N draw; lay N1 = 7h 7d 7s; discard Kh`."""
    return f"{letters[turn.seat]} " + "; ".join(spoken_text(piece) for piece in turn.pieces)


def _quoted(text: str) -> str:
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif ord(char) < 32 or ord(char) == 127:
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


# --- reading ---------------------------------------------------------------------------------------------------------


class Fault(NamedTuple):
    """One thing wrong with a record: where, a stable code, an English line, and the parameters of its message."""

    line: int
    column: int
    code: str
    message: str
    params: tuple[tuple[str, str | int], ...] = ()

    def error(self) -> RecordError:
        """As an exception."""
        return RecordError(self.message, code=self.code, line=self.line, column=self.column, **dict(self.params))


def read_record(text: str) -> Record:
    """Read a record; RecordError for the first thing wrong with its form (`parse_record` gives all of them)."""
    record, faults = parse_record(text)
    if faults or record is None:
        raise faults[0].error()
    return record


def parse_record(text: str) -> tuple[Record | None, list[Fault]]:
    """Read a record and list everything wrong with its form; the record is None when it cannot be told at all.

    Turns that cannot be read are left out of the record; what the rules say of the rest is `scorer.record_lint`'s.
    """
    if len(text) > MAX_CHARS:
        return None, [Fault(1, 1, "record_too_large", "the record is too large", (("limit", MAX_CHARS),))]
    try:
        data = tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line, column = _toml_place(str(error))
        return None, [Fault(line, column, "record_not_toml", f"not TOML: {error}", (("detail", str(error)[:200]),))]
    return _Reader(text.removeprefix("\ufeff"), data).read()


def _toml_place(message: str) -> tuple[int, int]:
    found = re.search(r"line (\d+), column (\d+)", message)
    return (int(found[1]), int(found[2])) if found else (1, 1)


class _Reader:
    """Reads one parsed TOML document, collecting faults."""

    def __init__(self, text: str, data: Mapping[str, Any]) -> None:
        self.lines = text.split("\n")
        self.data = data
        self.faults: list[Fault] = []
        self.lang = "en"
        starts = [i for i, line in enumerate(self.lines) if re.match(r"\s*\[\[\s*deal\s*\]\]", line)]
        self.blocks = list(zip(starts, [*starts[1:], len(self.lines)], strict=False))
        self.head_end = starts[0] if starts else len(self.lines)

    def fault(self, line: int, column: int, code: str, message: str, **params: str | int) -> None:
        self.faults.append(Fault(line, column, code, message, tuple(params.items())))

    def key_line(self, key: str, start: int = 0, end: int | None = None) -> int:
        """The line, from 1, on which a key is set; the start of its block when it cannot be found."""
        limit = self.head_end if end is None else end
        pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*(=|\.|\])|\s*\[\s*(deal\.)?{re.escape(key)}\s*\]")
        for i in range(start, min(limit, len(self.lines))):
            if pattern.match(self.lines[i]):
                return i + 1
        return start + 1

    def read(self) -> tuple[Record | None, list[Fault]]:
        data = self.data
        for key in data:
            if key not in _HEAD and not key.startswith("_"):
                self.fault(self.key_line(key), 1, "record_field", f"unknown field {key!r}", field=key)
        if data.get("format") != FORMAT:
            self.fault(
                self.key_line("format"), 1, "record_format", f"format must be {FORMAT!r}", expected=FORMAT,
                found=str(data.get("format", ""))[:40],
            )  # fmt: skip
        if data.get("lang", "en") not in ("en", "it"):
            self.wrong("lang", "en or it")
        else:
            self.lang = data.get("lang", "en")
        rules = self.typed("rules", str, "the id of a rule set", "")
        version = self.typed("version", int, "a whole number", 0)
        digest = self.typed("digest", str, "twelve hexadecimal digits", "", needed=False)
        players = self.names("players", "2 to 4 names")
        sides = self.names("sides", "names of sides", needed=False)
        options = self.options()
        if len(players) not in SEAT_LETTERS:
            if players:
                self.wrong("players", "2 to 4 names")
            return None, sorted(self.faults)
        deals = self.deals(SEAT_LETTERS[len(players)])
        return Record(rules, version, digest, options, players, sides, deals), sorted(self.faults)

    def wrong(self, key: str, expected: str, start: int = 0, end: int | None = None) -> None:
        line = self.key_line(key, start, end)
        self.fault(line, 1, "bad_field", f"{key} must be {expected}", field=key, expected=expected)

    def typed(self, key: str, kind: type, expected: str, default: Any, *, needed: bool = True) -> Any:
        value = self.data.get(key)
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        if needed or key in self.data:
            self.wrong(key, expected)
        return default

    def names(self, key: str, expected: str, *, needed: bool = True) -> tuple[str, ...]:
        value = self.data.get(key)
        if isinstance(value, list) and all(isinstance(v, str) and 0 < len(v.strip()) <= 80 for v in value):
            return tuple(value)
        if needed or key in self.data:
            self.wrong(key, expected)
        return ()

    def options(self) -> tuple[tuple[str, str], ...]:
        value = self.data.get("options", {})
        if not isinstance(value, dict):
            self.wrong("options", "a table")
            return ()
        flat: dict[str, str] = {}
        for key, item in value.items():
            if isinstance(item, dict):
                flat.update({f"{key}.{name}": option_text(_plain(v)) for name, v in item.items()})
            else:
                flat[key] = option_text(_plain(item))
        return tuple(sorted(flat.items()))

    def deals(self, letters: str) -> tuple[DealRecord, ...]:
        value = self.data.get("deal", [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.wrong("deal", "one or more [[deal]] tables")
            return ()
        out = []
        for number, item in enumerate(value):
            block = self.blocks[number] if number < len(self.blocks) else (0, len(self.lines))
            out.append(self.deal(item, block, letters))
        return tuple(out)

    def deal(self, item: Mapping[str, Any], block: tuple[int, int], letters: str) -> DealRecord:
        for key in item:
            if key not in _DEAL and not key.startswith("_"):
                self.fault(self.key_line(key, *block), 1, "record_field", f"unknown field {key!r}", field=key)
        dealer = item.get("dealer")
        seat = letters.find(dealer.upper()) if isinstance(dealer, str) and len(dealer) == 1 else -1
        if seat < 0:
            self.wrong("dealer", "one of " + " ".join(letters), *block)
        cut = item.get("cut", 0)
        if not isinstance(cut, int) or isinstance(cut, bool) or not 0 <= cut < len(DECK):
            self.wrong("cut", "0 to 107 cards", *block)
            cut = 0
        three = item.get("three_pots", False)
        if not isinstance(three, bool):
            self.wrong("three_pots", "true or false", *block)
        end = item.get("end", "")
        if end not in ("", *ENDS):
            self.wrong("end", ", ".join(ENDS), *block)
            end = ""
        turns, places, readable = self.turns(item.get("play", ""), block, letters)
        return DealRecord(
            max(seat, 0), self.deck(item.get("deck", "?"), block), turns, cut, three is True, end,
            self.points(item, block), places, block[0] + 1, self.key_line("end", *block),
            self.key_line("points", *block), readable,
        )  # fmt: skip

    def points(self, item: Mapping[str, Any], block: tuple[int, int]) -> tuple[tuple[str, int], ...] | None:
        value = item.get("points")
        if value is None:
            return None
        if isinstance(value, dict) and all(isinstance(v, int) and not isinstance(v, bool) for v in value.values()):
            return tuple(value.items())
        self.wrong("points", "a table of whole numbers by side", *block)
        return None

    def deck(self, value: object, block: tuple[int, int]) -> tuple[int, ...]:
        line = self.key_line("deck", *block)
        text = " ".join(map(str, value)) if isinstance(value, list) else value
        if not isinstance(text, str):
            self.wrong("deck", "108 cards", *block)
            return UNKNOWN_DECK
        if text.strip() == "?":
            return UNKNOWN_DECK
        codes: list[int] = []
        for offset, row in enumerate(text.split("\n")):
            try:
                codes += [card.code for card in parse_cards(row, self.lang)] if row.strip() else []
            except NotationError as error:
                at = line + offset
                self.fault(at, error.column, error.code, error.message, **_params(error))
                return UNKNOWN_DECK
        codes = [UNKNOWN_CODE if code > JOKER_CODE else code for code in codes]
        if len(codes) != len(DECK):
            self.fault(line, 1, "bad_deck", f"a deck has 108 cards, not {len(codes)}", count=len(codes))
            return UNKNOWN_DECK
        return tuple(codes)

    def turns(
        self, value: object, block: tuple[int, int], letters: str
    ) -> tuple[tuple[Turn, ...], tuple[tuple[int, tuple[int, ...]], ...], int | None]:
        rows = value if isinstance(value, list) else value.split("\n") if isinstance(value, str) else None
        if rows is None or not all(isinstance(row, str) for row in rows):
            self.wrong("play", "one turn a line", *block)
            return (), (), 0
        first = self.key_line("play", *block)
        opened = self.lines[first - 1] if first <= len(self.lines) else ""
        # TOML drops the line break right after the opening quotes: the first row then stands one line lower
        shift = 1 if re.search(r"(\"\"\"|''')\s*$", opened) else 0
        turns: list[Turn] = []
        places: list[tuple[int, tuple[int, ...]]] = []
        readable: int | None = None
        for offset, row in enumerate(rows):
            line = min(first + shift + offset, len(self.lines))
            before = len(self.faults)
            found = self.turn(row.split("#", 1)[0], line, letters)
            if len(self.faults) > before and readable is None:
                readable = len(turns)
            if found is not None:
                turns.append(found[0])
                places.append((line, found[1]))
        return tuple(turns), tuple(places), readable

    def turn(self, row: str, line: int, letters: str) -> tuple[Turn, tuple[int, ...]] | None:
        if not row.strip():
            return None
        lead = len(row) - len(row.lstrip())
        head = row.split(None, 1)[0]
        seat = letters.find(head.upper()) if len(head) == 1 else -1
        if seat < 0:
            allowed = " ".join(letters)
            self.fault(
                line, lead + 1, "record_seat", f"a turn begins with a seat ({allowed}), not {head!r}", token=head,
                allowed=allowed,
            )  # fmt: skip
            return None
        pieces: list[Spoken] = []
        columns: list[int] = []
        at = lead + len(head)
        for part in row[at:].split(";"):
            if part.strip():
                column = at + 1 + len(part) - len(part.lstrip())
                try:
                    pieces.append(parse_spoken(part, self.lang, at + 1))
                except NotationError as error:
                    for one in error.errors if isinstance(error, NotationErrors) else (error,):
                        self.fault(line, error.column, one.code, one.message, **_params(one))
                    return Turn(seat, tuple(pieces)), tuple(columns)
                columns.append(column)
            at += len(part) + 1
        return Turn(seat, tuple(pieces)), tuple(columns)


def _params(error: NotationError) -> dict[str, str | int]:
    keep = {key: value for key, value in error.params.items() if isinstance(value, str | int)}
    return {key: value for key, value in keep.items() if key not in ("line", "column", "code", "message")}


def _plain(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
