"""The leaves of a rule profile: what can be set, within which bounds, and how a value is read from text.

Every leaf has one option key: its own name (`ace_high`, `close_burraco`), or `values.X` and `bonus.X` for the two
tables. `scorer.profile` gives all names of this module too.

>>> parse_value(option_spec("bonus.semi"), "none"), parse_value(option_spec("set_ranks"), "3,A")
(None, ('A', '3'))
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scorer.cards import RANK_TEXT
from scorer.errors import ProfileError

#: A bool, points, a choice, ranks (texts) or numbers of players; None is a burraco type that does not exist.
OptionValue = bool | int | str | tuple[str, ...] | tuple[int, ...] | None


def _leaf(kind: str, *, choices: tuple[str, ...] = (), low: int = 0, high: int = 100_000) -> Any:
    """A leaf of a profile: `kind` is bool, int, points, choice, ranks or players; bounds are inclusive."""
    return field(metadata={"kind": kind, "choices": choices, "low": low, "high": high})


def _points() -> Any:
    return _leaf("int", low=0, high=10_000)


def _bonus() -> Any:
    """Points of a burraco type; None means that the type does not exist in this rule set."""
    return _leaf("points", low=0, high=10_000)


@dataclass(frozen=True, slots=True)
class CardValues:
    """Points of each card, on the table for you, in the hand against you. A wild counts its own face."""

    joker: int = _points()
    two: int = _points()
    ace: int = _points()
    king: int = _points()
    queen: int = _points()
    jack: int = _points()
    ten: int = _points()
    nine: int = _points()
    eight: int = _points()
    seven: int = _points()
    six: int = _points()
    five: int = _points()
    four: int = _points()
    three: int = _points()


@dataclass(frozen=True, slots=True)
class Bonuses:
    """Points of each burraco type and of closing. `set_*` None: a set pays what a run pays."""

    clean: int = _points()
    semi: int | None = _bonus()
    dirty: int = _points()
    full_clean: int | None = _bonus()
    full_dirty: int | None = _bonus()
    ace_to_ace: int | None = _bonus()
    super_clean: int | None = _bonus()
    super_dirty: int | None = _bonus()
    set_clean: int | None = _bonus()
    set_dirty: int | None = _bonus()
    closing: int = _points()
    trump_factor: int = _leaf("int", low=1, high=10)


@dataclass(frozen=True, slots=True)
class MeldLimits:
    """What holds for runs and sets alike, in cards."""

    min_meld: int = _leaf("int", low=3, high=7)
    burraco_cards: int = _leaf("int", low=3, high=14)
    min_natural: int = _leaf("int", low=1, high=14)
    max_wilds: int = _leaf("int", low=0, high=4)


@dataclass(frozen=True, slots=True)
class RunRules:
    """Runs. Slots go from 1 (low ace) to 14 (high ace); `max_run` counts every card, the wild included."""

    ace_low: bool = _leaf("bool")
    ace_high: bool = _leaf("bool")
    ace_both: bool = _leaf("bool")
    max_run: int = _leaf("int", low=3, high=14)
    natural_two: bool = _leaf("bool")


@dataclass(frozen=True, slots=True)
class SetRules:
    """Sets. `set_ranks` are rank texts, `max_set` counts the wilds too; `dup_sets`: two sets of a rank by one side."""

    sets: bool = _leaf("bool")
    set_ranks: tuple[str, ...] = _leaf("ranks")
    max_set: int = _leaf("int", low=3, high=12)
    set_duplicates: bool = _leaf("bool")
    dup_sets: bool = _leaf("bool")


@dataclass(frozen=True, slots=True)
class SemiRules:
    """When a wild leaves a burraco half clean (rules.md 2.4): which side of seven, and how large a set."""

    semi_position: str = _leaf("choice", choices=("one_side", "end_only"))
    semi_set: str = _leaf("choice", choices=("at_least_8", "exactly_8"))


@dataclass(frozen=True, slots=True)
class PotRules:
    """The second hand. `pot_nobody`: what happens when no side took one; `pot_unplayed`: one taken, never played."""

    pots: bool = _leaf("bool")
    pot_size: int = _leaf("int", low=0, high=26)
    pot_penalty: int = _points()
    pot_nobody: str = _leaf("choice", choices=("penalty", "none", "void"))
    pot_unplayed: str = _leaf("choice", choices=("hand", "penalty"))


@dataclass(frozen=True, slots=True)
class TableRules:
    """Who sits where and how a deal begins. `three_players`: each for himself, or the Italian one against two."""

    players: tuple[int, ...] = _leaf("players")
    sides: str = _leaf("choice", choices=("pairs", "each"))
    three_players: str = _leaf("choice", choices=("each", "italian"))
    hand_size: int = _leaf("int", low=5, high=20)
    direction: str = _leaf("choice", choices=("clockwise", "anticlockwise"))
    discard_start: str = _leaf("choice", choices=("up", "empty"))
    trump: str = _leaf("choice", choices=("none", "h", "d", "c", "s", "first_discard"))


@dataclass(frozen=True, slots=True)
class TurnRules:
    """A turn. `pickup`: the condition to take the pile; `rediscard`: a one-card pile may go straight back."""

    pickup: str = _leaf("choice", choices=("whole", "meld_one", "top_melded", "any_depth"))
    rediscard: bool = _leaf("bool")
    wild_move: str = _leaf("choice", choices=("locked", "free_end", "free"))
    layoff_any: bool = _leaf("bool")


@dataclass(frozen=True, slots=True)
class CloseRules:
    """Going out. `close_discard`: a final discard is a duty; `close_wild_discard`: may that discard be wild?"""

    close_burraco: str = _leaf("choice", choices=("none", "any", "clean"))
    close_discard: bool = _leaf("bool")
    close_wild_discard: str = _leaf("choice", choices=("any", "unplayable_joker", "never"))


@dataclass(frozen=True, slots=True)
class StockRules:
    """The end of the stock. `pot_as_stock` puts a leftover pot there first and then ends as `last_discard` does."""

    stock_end: str = _leaf("choice", choices=("last_drawn", "last_discard", "two_left", "pot_as_stock"))


@dataclass(frozen=True, slots=True)
class MatchRules:
    """A match, in points. `tie`: what equal totals over the target mean; `stakes`: virtual chips at stake, 0 none."""

    target: int = _leaf("int", low=5, high=100_000)
    target_min: int = _leaf("int", low=5, high=100_000)
    target_max: int = _leaf("int", low=5, high=100_000)
    tie: str = _leaf("choice", choices=("another_deal", "shared"))
    stakes: int = _leaf("int", low=0, high=1_000_000)


SECTIONS: Final[dict[str, type]] = {
    "values": CardValues,
    "bonus": Bonuses,
    "meld": MeldLimits,
    "run": RunRules,
    "set": SetRules,
    "semi": SemiRules,
    "pot": PotRules,
    "table": TableRules,
    "turn": TurnRules,
    "close": CloseRules,
    "stock": StockRules,
    "match": MatchRules,
}
_DOTTED: Final = ("values", "bonus")
#: The ranks a set may have; twos are wild there.
ALL_RANKS: Final = tuple(rank for rank in RANK_TEXT if rank != "2")


def leaf_key(section: str, name: str) -> str:
    """The option key of a leaf: dotted for the two tables of points, else its bare name."""
    return f"{section}.{name}" if section in _DOTTED else name


class OptionSpec(NamedTuple):
    """What an option key may be: `kind` is bool, int, points (int or none), choice, ranks or players."""

    key: str
    section: str
    name: str
    kind: str
    choices: tuple[str, ...]
    low: int
    high: int

    @property
    def allowed(self) -> str:
        """The allowed values, in words for an error line."""
        bounds = f"{self.low} to {self.high}"
        words = {
            "bool": "true or false",
            "int": f"a whole number from {bounds}",
            "points": f"a whole number from {bounds}, or none",
            "choice": ", ".join(self.choices),
            "ranks": "ranks separated by commas, such as A,3, or all",
            "players": "2, 3 or 4, separated by commas",
        }
        return words[self.kind]


def _options() -> dict[str, OptionSpec]:
    specs: dict[str, OptionSpec] = {}
    for section, record in SECTIONS.items():
        for leaf in dataclasses.fields(record):
            key = leaf_key(section, leaf.name)
            m = leaf.metadata
            specs[key] = OptionSpec(key, section, leaf.name, m["kind"], m["choices"], m["low"], m["high"])
    return specs


#: Every option key, in the order of the sections.
OPTIONS: Final[dict[str, OptionSpec]] = _options()


def option_spec(key: str) -> OptionSpec:
    """The specification of an option key; ProfileError that suggests and lists the known ones."""
    try:
        return OPTIONS[key]
    except KeyError:
        import difflib  # an error is rare, and the cold start of the command is not

        shown = key[:60]
        near = difflib.get_close_matches(shown, OPTIONS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = ", ".join(OPTIONS)
        raise ProfileError(
            f"unknown option {shown!r}{hint}. Known options: {known}",
            code="unknown_option", key=shown, suggestion=near[0] if near else "", known=known,
        ) from None  # fmt: skip


def parse_value(spec: OptionSpec, raw: object) -> OptionValue:
    """A value for an option, typed or as text; ProfileError that says what is allowed."""
    value = _parsed(spec, raw)
    if value is BAD:
        shown = (raw if isinstance(raw, str) else repr(raw))[:60]
        raise ProfileError(
            f"option {spec.key} cannot be {shown!r}: {spec.allowed}",
            code="bad_option", key=spec.key, value=shown, allowed=spec.allowed,
        )  # fmt: skip
    return value  # type: ignore[return-value]  # BAD is excluded above


def typed_value(spec: OptionSpec, raw: object) -> object:
    """As `parse_value`, but for a TOML file, which must use TOML's own types; `BAD` when it may not be.

    Only the text `"none"` stands for a bonus that does not exist, since TOML has no null.
    """
    of_type = {
        "bool": isinstance(raw, bool),
        "int": isinstance(raw, int),
        "points": isinstance(raw, int) or raw == "none",
        "choice": isinstance(raw, str),
        "ranks": isinstance(raw, list) and all(isinstance(part, str) for part in raw),
        "players": isinstance(raw, list) and all(isinstance(part, int) for part in raw),
    }
    return _parsed(spec, raw) if of_type[spec.kind] else BAD


def value_text(value: OptionValue) -> str:
    """A value as one types it on the command line; `parse_value` reads it back.

    >>> value_text(True), value_text(None), value_text(("A", "3"))
    ('true', 'none', 'A,3')
    """
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


#: What `typed_value` answers for a value that is not allowed (None is a value: no such bonus).
BAD: Final = object()
_TRUE: Final = ("true", "yes", "on", "si", "sì", "vero")
_FALSE: Final = ("false", "no", "off", "falso")
_SUIT_WORDS: Final = {
    "hearts": "h", "cuori": "h", "♥": "h", "diamonds": "d", "quadri": "d", "♦": "d",
    "clubs": "c", "fiori": "c", "♣": "c", "spades": "s", "picche": "s", "♠": "s",
}  # fmt: skip
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def _parsed(spec: OptionSpec, raw: object) -> object:
    text = raw.strip().lower() if isinstance(raw, str) else None
    if spec.kind == "bool":
        return raw if isinstance(raw, bool) else True if text in _TRUE else False if text in _FALSE else BAD
    if spec.kind == "choice":
        return _parsed_choice(spec, "none" if raw is None or raw is False else text)
    if spec.kind in ("int", "points"):
        return _parsed_number(spec, raw, text)
    return _parsed_list(spec, raw, text)


def _parsed_choice(spec: OptionSpec, text: str | None) -> object:
    if text is not None and spec.key == "trump":
        text = _SUIT_WORDS.get(text.removesuffix("\ufe0f"), text)
    return text if text in spec.choices else BAD


def _parsed_number(spec: OptionSpec, raw: object, text: str | None) -> object:
    if spec.kind == "points" and (raw is None or text == "none"):
        return None
    if isinstance(raw, bool):
        return BAD
    if text is not None and _NUMBER.fullmatch(text):
        raw = int(text)
    return raw if isinstance(raw, int) and spec.low <= raw <= spec.high else BAD


def _parsed_list(spec: OptionSpec, raw: object, text: str | None) -> object:
    if text is not None:
        parts: list[object] = [part.strip() for part in text.split(",")]
    else:
        parts = list(raw) if isinstance(raw, list | tuple) else [raw]
    if spec.kind == "ranks":
        if parts == ["all"]:
            return ALL_RANKS
        names = [str(part).upper() for part in parts]
        good = all(name in ALL_RANKS for name in names) and len(set(names)) == len(names)
        return tuple(sorted(names, key=RANK_TEXT.index)) if good and names else BAD
    known = {"2": 2, "3": 3, "4": 4}
    numbers = [known.get(str(part), 0) for part in parts]
    return tuple(sorted(set(numbers))) if numbers and 0 not in numbers else BAD
