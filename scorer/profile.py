"""Rule profiles: a rule set as nested frozen records, read strictly from TOML.

Every leaf has one option key: its own name (`ace_high`, `close_burraco`), or `values.X` and `bonus.X` for the two
tables. Every leaf of a shipped profile has a source: the words it rests on, or a text that begins with `assumption:`.
A leaf is looked up in `sources` by its full key (`run.ace_high`), else by its section (`run`).

>>> load_profile("fibur").bonus.semi
150
>>> load_profile("fibur", {"semi_position": "end_only"}).semi.semi_position
'end_only'
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

from scorer.cards import CARDS, RANK_TEXT, SUITS
from scorer.errors import ProfileError

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
            "ranks": "ranks separated by commas, such as A,3",
            "players": "2, 3 or 4, separated by commas",
        }
        return words[self.kind]


def _options() -> dict[str, OptionSpec]:
    specs: dict[str, OptionSpec] = {}
    for section, record in SECTIONS.items():
        for leaf in dataclasses.fields(record):
            key = f"{section}.{leaf.name}" if section in _DOTTED else leaf.name
            m = leaf.metadata
            specs[key] = OptionSpec(key, section, leaf.name, m["kind"], m["choices"], m["low"], m["high"])
    return specs


#: Every option key, in the order of the sections.
OPTIONS: Final[dict[str, OptionSpec]] = _options()


class MeldRules(NamedTuple):
    """What the meld reader needs of a profile, as plain numbers (the hot path reads no nested record)."""

    min_meld: int
    burraco_cards: int
    min_natural: int
    max_wilds: int
    ace_low: bool
    ace_high: bool
    ace_both: bool
    max_run: int
    natural_two: bool
    sets: bool
    set_ranks: int  # bit r for rank r
    max_set: int
    set_duplicates: bool
    end_only: bool
    exactly_8: bool
    trump: int  # suit number, -1 for none
    points: tuple[int, ...]  # by card code, 0 for partial cards
    bonus_run: tuple[int | None, ...]  # by burraco type, in the order of `BURRACO_TYPES`
    bonus_set: tuple[int | None, ...]
    trump_factor: int


#: Burraco types, best first in no rule set: the order is only that of the bonus tuples.
BURRACO_TYPES: Final = (
    "clean",
    "semi",
    "dirty",
    "full_clean",
    "full_dirty",
    "ace_to_ace",
    "super_clean",
    "super_dirty",
)

_VALUE_NAMES: Final = (
    "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king",
)  # fmt: skip


@dataclass(frozen=True)
class RuleProfile:
    """A whole rule set. Equal profiles compare equal; `options` are the leaves changed from the named rule set."""

    id: str
    version: int
    name_it: str
    name_en: str
    values: CardValues
    bonus: Bonuses
    meld: MeldLimits
    run: RunRules
    set: SetRules
    semi: SemiRules
    pot: PotRules
    table: TableRules
    turn: TurnRules
    close: CloseRules
    stock: StockRules
    match: MatchRules
    sources: Mapping[str, str] = field(compare=False)
    options: tuple[tuple[str, OptionValue], ...] = ()

    def __hash__(self) -> int:
        return hash((self.id, self.version, self.options, self.values, self.bonus))

    def get(self, key: str) -> OptionValue:
        """The value of an option key; ProfileError for an unknown one."""
        spec = option_spec(key)
        value: OptionValue = getattr(getattr(self, spec.section), spec.name)
        return value

    def source(self, key: str) -> str:
        """The words that a value rests on; beginning with `assumption:` where no text settles it."""
        spec = option_spec(key)
        if key in dict(self.options):
            return "option"
        return self.sources.get(f"{spec.section}.{spec.name}") or self.sources.get(spec.section, "")

    @cached_property
    def rules(self) -> MeldRules:
        """The compiled form for `scorer.melds`."""
        v, b = self.values, self.bonus
        by_rank = [int(getattr(v, name)) for name in _VALUE_NAMES]
        points = tuple(
            0 if c.is_unknown else v.joker if c.is_joker else by_rank[c.rank_no - 1] for c in CARDS
        )
        run = tuple(getattr(b, name) for name in BURRACO_TYPES)
        paid = {"clean": b.set_clean, "dirty": b.set_dirty}
        of_set = tuple(v if paid.get(n) is None else paid[n] for n, v in zip(BURRACO_TYPES, run, strict=True))
        trump = "hdcs".find(self.table.trump) if len(self.table.trump) == 1 else -1
        return MeldRules(
            self.meld.min_meld, self.meld.burraco_cards, self.meld.min_natural, self.meld.max_wilds,
            self.run.ace_low, self.run.ace_high, self.run.ace_both, self.run.max_run, self.run.natural_two,
            self.set.sets, sum(1 << (RANK_TEXT.index(r) + 1) for r in self.set.set_ranks), self.set.max_set,
            self.set.set_duplicates, self.semi.semi_position == "end_only", self.semi.semi_set == "exactly_8",
            trump, points, run, of_set, b.trump_factor,
        )  # fmt: skip

    def with_options(self, options: Mapping[str, object]) -> RuleProfile:
        """This profile with some leaves changed; ProfileError names the known keys or the allowed values.

        Values may be typed (`True`, `150`) or text as on a command line (`"true"`, `"150"`, `"none"`, `"A,3"`).
        """
        changes: dict[str, dict[str, OptionValue]] = {}
        stated = dict(self.options)
        for key, raw in options.items():
            spec = option_spec(key)
            value = parse_value(spec, raw)
            changes.setdefault(spec.section, {})[spec.name] = value
            stated[key] = value
        parts: dict[str, Any] = {s: dataclasses.replace(getattr(self, s), **c) for s, c in changes.items()}
        made = dataclasses.replace(self, **parts, options=tuple(sorted(stated.items())))
        _cross_check(made)
        return made


def option_spec(key: str) -> OptionSpec:
    """The specification of an option key; ProfileError that suggests and lists the known ones."""
    try:
        return OPTIONS[key]
    except KeyError:
        import difflib

        near = difflib.get_close_matches(key, OPTIONS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = ", ".join(OPTIONS)
        raise ProfileError(
            f"unknown option {key!r}{hint}. Known options: {known}",
            code="unknown_option", key=key, suggestion=near[0] if near else "", known=known,
        ) from None  # fmt: skip


def parse_value(spec: OptionSpec, raw: object) -> OptionValue:
    """A value for an option, typed or as text; ProfileError that says what is allowed."""
    value = _parsed(spec, raw)
    if value is _BAD:
        raise ProfileError(
            f"option {spec.key} cannot be {raw!r}: {spec.allowed}",
            code="bad_option", key=spec.key, value=str(raw), allowed=spec.allowed,
        )  # fmt: skip
    return value  # type: ignore[return-value]  # _BAD is excluded above


_BAD: Final = object()
_WORDS: Final = {"true": True, "yes": True, "si": True, "sì": True, "false": False, "no": False}


def _parsed(spec: OptionSpec, raw: object) -> object:
    text = raw.strip() if isinstance(raw, str) else None
    if spec.kind == "bool":
        return raw if isinstance(raw, bool) else _WORDS.get((text or "").lower(), _BAD)
    if spec.kind == "choice":
        if raw is None or raw is False:
            text = "none"
        return text if text in spec.choices else _BAD
    if spec.kind in ("int", "points"):
        return _parsed_number(spec, raw, text)
    return _parsed_list(spec, raw, text)


def _parsed_number(spec: OptionSpec, raw: object, text: str | None) -> object:
    if spec.kind == "points" and (raw is None or (text or "").lower() == "none"):
        return None
    if isinstance(raw, bool):
        return _BAD
    if text is not None and text.isascii() and text.lstrip("-").isdigit() and len(text) < 12:
        raw = int(text)
    return raw if isinstance(raw, int) and spec.low <= raw <= spec.high else _BAD


def _parsed_list(spec: OptionSpec, raw: object, text: str | None) -> object:
    if text is not None:
        parts: list[object] = [part.strip() for part in text.split(",")]
    elif isinstance(raw, list | tuple):
        parts = list(raw)
    else:
        parts = [raw]
    if spec.kind == "ranks":
        names = [str(part).upper() for part in parts]
        good = all(n in RANK_TEXT and n != "2" for n in names) and len(set(names)) == len(names)
        return tuple(sorted(names, key=RANK_TEXT.index)) if good and names else _BAD
    numbers = [int(str(p)) if str(p) in ("2", "3", "4") else 0 for p in parts]
    return tuple(sorted(set(numbers))) if numbers and 0 not in numbers else _BAD


def _cross_check(profile: RuleProfile) -> None:
    """What single leaves cannot say: combinations that contradict each other."""
    run, match = profile.run, profile.match
    faults = []
    if run.ace_both and not (run.ace_low and run.ace_high):
        faults.append("ace_both needs ace_low and ace_high")
    if not match.target_min <= match.target <= match.target_max:
        faults.append(f"target must be from {match.target_min} to {match.target_max}")
    if match.target % 5:
        faults.append("target must be a multiple of 5")
    if profile.meld.burraco_cards < profile.meld.min_meld:
        faults.append("burraco_cards cannot be less than min_meld")
    if faults:
        raise ProfileError("; ".join(faults), code="contradiction", faults="; ".join(faults))


# --- reading TOML -----------------------------------------------------------------------------------------------


def profile_from_data(data: Mapping[str, Any], *, base: RuleProfile | None = None, shipped: bool = False) -> RuleProfile:
    """A profile from a parsed TOML document; every fault of the document in one ProfileError.

    `base` is the profile named by `extends`. A shipped profile must give a source for every value that it sets;
    a house rule without one is marked `house rule`.
    """
    faults: list[str] = []
    head = {"id", "version", "name", "extends", "sources"}
    faults += [f"unknown key {key!r}" for key in data if key not in head and key not in SECTIONS]
    sources = data.get("sources", {})
    if not isinstance(sources, Mapping) or not all(isinstance(v, str) and v.strip() for v in sources.values()):
        faults.append("sources must be a table of texts")
        sources = {}
    faults += [f"source for unknown value {key!r}" for key in sources if not _source_key_known(key)]
    merged = dict(base.sources) if base else {}
    parts: dict[str, Any] = {}
    for section, record in SECTIONS.items():
        stated = data.get(section, {})
        if not isinstance(stated, Mapping):
            faults.append(f"{section} must be a table")
            continue
        inherited = getattr(base, section) if base else None
        parts[section] = _section(section, record, stated, inherited, sources, merged, shipped, faults)
    merged.update(sources)
    ident = _head(data, faults)
    if faults:
        shown = "; ".join(faults)
        raise ProfileError(f"rule set {data.get('id', '?')!r}: {shown}", code="bad_rules_file", faults=shown)
    made = RuleProfile(**ident, **parts, sources=merged)
    _cross_check(made)
    return made


def _source_key_known(key: str) -> bool:
    section, _, name = key.partition(".")
    return section in SECTIONS and (not name or name in {f.name for f in dataclasses.fields(SECTIONS[section])})


def _head(data: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
    ident, version, name = data.get("id"), data.get("version"), data.get("name", {})
    if not isinstance(ident, str) or not ident.replace("-", "").replace("_", "").isalnum() or len(ident) > 40:
        faults.append("id must be a short word of letters, digits and hyphens")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        faults.append("version must be a whole number from 1")
    if isinstance(name, str):
        name = {"it": name, "en": name}
    if not isinstance(name, Mapping) or set(name) != {"it", "en"} or not all(isinstance(v, str) for v in name.values()):
        faults.append("name must be a text, or a table with it and en")
        name = {"it": "", "en": ""}
    return {"id": ident, "version": version, "name_it": name["it"], "name_en": name["en"]}


def _section(
    section: str,
    record: type,
    stated: Mapping[str, Any],
    inherited: Any,
    sources: Mapping[str, str],
    merged: dict[str, str],
    shipped: bool,
    faults: list[str],
) -> Any:
    values: dict[str, Any] = {}
    names = [leaf.name for leaf in dataclasses.fields(record)]
    faults += [f"unknown key {section}.{key}" for key in stated if key not in names]
    for name in names:
        key = f"{section}.{name}" if section in _DOTTED else name
        full = f"{section}.{name}"
        if name not in stated:
            if inherited is None:
                faults.append(f"{full} is missing")
            else:
                values[name] = getattr(inherited, name)
                merged.setdefault(full, merged.get(section, ""))
            continue
        value = _typed(OPTIONS[key], stated[name])
        if value is _BAD:
            faults.append(f"{full} cannot be {stated[name]!r}: {OPTIONS[key].allowed}")
        elif shipped and not (sources.get(full) or sources.get(section)):
            faults.append(f"{full} has no source")
        merged[full] = sources.get(full) or sources.get(section) or "house rule"
        values[name] = value
    return None if faults else record(**values)


def _typed(spec: OptionSpec, raw: object) -> object:
    """As `_parsed`, but a TOML file must use TOML's own types; only `"none"` stands for an absent bonus."""
    if spec.kind in ("bool", "int") and isinstance(raw, str):
        return _BAD
    if spec.kind == "points" and isinstance(raw, str) and raw != "none":
        return _BAD
    return _parsed(spec, raw)


# --- the shipped profiles ------------------------------------------------------------------------------------------

DEFAULT_PROFILE: Final = "vanikar"


@lru_cache(maxsize=1)
def profile_ids() -> tuple[str, ...]:
    """The ids of the shipped rule sets, the default one first, then by name."""
    folder = resources.files("scorer") / "profiles"
    names = sorted(item.name[:-5] for item in folder.iterdir() if item.name.endswith(".toml"))
    return (DEFAULT_PROFILE, *(n for n in names if n != DEFAULT_PROFILE))


@lru_cache(maxsize=32)
def _shipped(ident: str) -> RuleProfile:
    import tomllib

    path = resources.files("scorer") / "profiles" / f"{ident}.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    base = _shipped(data["extends"]) if "extends" in data else None
    return profile_from_data(data, base=base, shipped=True)


def load_profile(ident: str = DEFAULT_PROFILE, options: Mapping[str, object] | None = None) -> RuleProfile:
    """A shipped rule set by id, with options; ProfileError that lists the known ids.

    >>> load_profile("classico").run.ace_high
    False
    """
    if ident not in profile_ids():
        import difflib

        near = difflib.get_close_matches(ident, profile_ids(), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = ", ".join(profile_ids())
        raise ProfileError(
            f"unknown rule set {ident!r}{hint}. Known rule sets: {known}",
            code="unknown_rules", rules=ident, suggestion=near[0] if near else "", known=known,
        )  # fmt: skip
    made = _shipped(ident)
    return made.with_options(options) if options else made


def read_profile(text: str, options: Mapping[str, object] | None = None) -> RuleProfile:
    """House rules from the text of a TOML file, which may `extends` one shipped rule set; ProfileError otherwise."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"the rules file is not TOML: {error}", code="bad_toml", detail=str(error)) from None
    base_id = data.get("extends")
    if base_id is not None and not isinstance(base_id, str):
        raise ProfileError("extends must name a shipped rule set", code="bad_rules_file", faults="extends")
    made = profile_from_data(data, base=load_profile(base_id) if base_id else None)
    return made.with_options(options) if options else made


assert len(SUITS) == 4  # the trump index above relies on the order h d c s
