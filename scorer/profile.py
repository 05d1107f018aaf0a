"""Rule profiles: a rule set as nested frozen records, read strictly from TOML.

Every leaf has one option key: its own name (`ace_high`, `close_burraco`), or `values.X` and `bonus.X` for the two
tables. Every leaf of a shipped profile has a source: the words it rests on, or a text that begins with `assumption:`.
A leaf is looked up in `sources` by its full key (`run.ace_high`), in a house file else by its section (`run`). The
source of the whole section `values` serves the lines that count many cards.

>>> load_profile("fibur").bonus.semi
150
>>> load_profile("fibur", {"semi_position": "end_only"}).semi.semi_position
'end_only'
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

from scorer.cards import CARDS, RANK_TEXT
from scorer.errors import Fault, ProfileError
from scorer.rule_leaves import (
    BAD,
    OPTIONS,
    SECTIONS,
    Bonuses,
    CardValues,
    CloseRules,
    MatchRules,
    MeldLimits,
    OptionSpec,
    OptionValue,
    PotRules,
    RunRules,
    SemiRules,
    SetRules,
    StockRules,
    TableRules,
    TurnRules,
    leaf_key,
    option_spec,
    parse_value,
    typed_value,
    value_text,
)

__all__ = [
    "BURRACO_TYPES", "DEFAULT_PROFILE", "HOUSE_RULE", "OPTIONS", "SECTIONS", "Bonuses", "CardValues", "CloseRules",
    "MatchRules", "MeldLimits", "MeldRules", "OptionSpec", "OptionValue", "PotRules", "RuleProfile", "RunRules",
    "SemiRules", "SetRules", "StockRules", "TableRules", "TurnRules", "leaf_key", "load_profile", "option_spec",
    "parse_value", "profile_ids", "read_profile", "value_text",
]  # fmt: skip


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
    """A whole rule set. Equal profiles compare equal; `options` are the leaves changed from the named rule set.

    `extends` is the id of the rule set that this one was derived from, empty for none.
    """

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
    extends: str = field(default="", compare=False)

    def __hash__(self) -> int:
        return hash((self.id, self.version, self.options, self.values, self.bonus))

    def get(self, key: str) -> OptionValue:
        """The value of an option key; ProfileError for an unknown one."""
        spec = option_spec(key)
        value: OptionValue = getattr(getattr(self, spec.section), spec.name)
        return value

    def source(self, key: str) -> str:
        """The words that a value, or the section `values`, rests on; `assumption: ...` where no text settles it."""
        if key in SECTIONS:
            changed = any(OPTIONS[option].section == key for option, _ in self.options)
            return "option" if changed else self.sources.get(key, "")
        spec = option_spec(key)
        if key in dict(self.options):
            return "option"
        return self.sources.get(f"{spec.section}.{spec.name}") or self.sources.get(spec.section, "")

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """Room for what others work out from these rules and want to keep; no part of what a profile is."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or another process gets: not what others remember here, which may not travel."""
        return {name: value for name, value in vars(self).items() if name != "memory"}

    @cached_property
    def rules(self) -> MeldRules:
        """The compiled form for `scorer.melds`."""
        v, b = self.values, self.bonus
        by_rank = [int(getattr(v, name)) for name in _VALUE_NAMES]
        points = tuple(0 if c.is_unknown else v.joker if c.is_joker else by_rank[c.rank_no - 1] for c in CARDS)
        run = tuple(getattr(b, name) for name in BURRACO_TYPES)
        paid = {"clean": b.set_clean, "dirty": b.set_dirty}
        of_set = tuple(v if paid.get(n) is None else paid[n] for n, v in zip(BURRACO_TYPES, run, strict=True))
        # without a factor a trump suit doubles nothing, and nothing may be called doubled
        trump = "hdcs".find(self.table.trump) if len(self.table.trump) == 1 and b.trump_factor > 1 else -1
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


def _cross_check(profile: RuleProfile) -> None:
    """What single leaves cannot say: combinations that contradict each other; all of them in one ProfileError."""
    run, meld, pot, table, match = profile.run, profile.meld, profile.pot, profile.table, profile.match
    sides = 2 if table.sides == "pairs" and max(table.players) != 3 else max(table.players)
    dealt = max(table.players) * table.hand_size + (sides * pot.pot_size if pot.pots else 0)
    wrong = {
        "ace_both": run.ace_both and not (run.ace_low and run.ace_high),
        "target_range": not match.target_min <= match.target <= match.target_max,
        "target_step": match.target % 5 != 0,
        "short_burraco": meld.burraco_cards < meld.min_meld,
        "many_naturals": meld.min_natural > meld.min_meld,
        "short_run": run.max_run < meld.min_meld,
        "small_set": profile.set.sets and profile.set.max_set < meld.min_meld,
        "empty_pots": pot.pots and pot.pot_size == 0,
        "no_open_card": table.trump == "first_discard" and table.discard_start != "up",
        "too_many_dealt": dealt > 100,
    }
    params: dict[str, dict[str, object]] = {
        "target_range": {"low": match.target_min, "high": match.target_max},
        "too_many_dealt": {"count": dealt},
    }
    faults = [Fault(code, params.get(code, {})) for code, is_wrong in wrong.items() if is_wrong]
    if faults:
        raise _refusal("contradiction", faults)


def _refusal(code: str, faults: Sequence[Fault], before: str = "") -> ProfileError:
    """The error that tells all faults: in English as its message, and one by one in `details` for other languages."""
    from scorer.messages import text  # only an error needs words

    said = "; ".join(text(f"rules_fault.{fault.code}", "en", **fault.params) for fault in faults)
    return ProfileError(before + said, code=code, faults=said, details=faults)


# --- reading TOML -----------------------------------------------------------------------------------------------

_HEAD: Final = frozenset({"id", "version", "name", "extends", "sources"})
#: The source of a value that a person's own file changes without saying why.
HOUSE_RULE: Final = "house rule"


def profile_from_data(
    data: Mapping[str, Any], *, base: RuleProfile | None = None, shipped: bool = False
) -> RuleProfile:
    """A profile from a parsed TOML document; every fault of the document in one ProfileError.

    `base` is the profile named by `extends`. A shipped profile must give a source for every value that it sets,
    and no source for a value that it does not set; a house rule without one is marked `house rule`, and a house
    file may leave out `id`, `version` and `name`.
    """
    faults = [Fault("unknown_key", {"name": key[:60]}) for key in data if key not in _HEAD and key not in SECTIONS]
    sources = _own_sources(data, shipped, faults)
    merged = dict(base.sources) if base else {}
    parts: dict[str, Any] = {}
    for section, record in SECTIONS.items():
        stated = data.get(section, {})
        if not isinstance(stated, Mapping):
            faults.append(Fault("not_a_table", {"name": section}))
            continue
        values = dict(dataclasses.asdict(getattr(base, section))) if base else {}
        _read_section(section, record, stated, values, faults)
        if section in sources or (stated and section in merged):
            merged[section] = sources.get(section, HOUSE_RULE)
        for name in stated:
            full = f"{section}.{name}"
            merged[full] = sources.get(full) or (not shipped and sources.get(section)) or HOUSE_RULE
            if shipped and merged[full] is HOUSE_RULE:
                faults.append(Fault("no_source", {"name": full}))
        parts[section] = values
    ident = _head(data if shipped else {"id": "house", "version": 1, "name": data.get("id", "house"), **data}, faults)
    if not shipped and ident["id"] in profile_ids():
        faults.append(Fault("taken_id", {"name": ident["id"]}))
    if faults:
        raise _refusal("bad_rules_file", faults, f"rule set {str(data.get('id', '?'))[:40]!r}: ")
    records = {section: record(**parts[section]) for section, record in SECTIONS.items()}
    made = RuleProfile(**ident, **records, sources=merged, extends=base.id if base else "")
    _cross_check(made)
    return made


def _own_sources(data: Mapping[str, Any], shipped: bool, faults: list[Fault]) -> dict[str, str]:
    """The `sources` table: full keys (`run.ace_high`, quoted or as tables) or sections (`run`), each with words."""
    given = data.get("sources", {})
    tables: Mapping[str, Any] = given if isinstance(given, Mapping) else {"": None}
    sources: dict[str, Any] = {}
    for key, words in tables.items():
        nested = isinstance(words, Mapping)
        sources |= {f"{key}.{name}": text for name, text in words.items()} if nested else {key: words}
    if not all(isinstance(words, str) and words.strip() for words in sources.values()):
        faults.append(Fault("bad_sources"))
        return {}
    for key in sources:
        section, _, name = key.partition(".")
        leaves = {leaf.name for leaf in dataclasses.fields(SECTIONS[section])} if section in SECTIONS else set()
        if not leaves or (name and name not in leaves):
            faults.append(Fault("unknown_source", {"name": key[:60]}))
        elif shipped and name and not (isinstance(data.get(section), Mapping) and name in data[section]):
            faults.append(Fault("idle_source", {"name": key}))
    return sources


def _head(data: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    ident, version, name = data.get("id"), data.get("version"), data.get("name", {})
    if not isinstance(ident, str) or not ident.replace("-", "").replace("_", "").isalnum() or len(ident) > 40:
        faults.append(Fault("bad_id"))
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        faults.append(Fault("bad_version"))
    if isinstance(name, str):
        name = {"it": name, "en": name}
    if not isinstance(name, Mapping) or set(name) != {"it", "en"} or not all(isinstance(v, str) for v in name.values()):
        faults.append(Fault("bad_name"))
        name = {"it": "", "en": ""}
    return {"id": ident, "version": version, "name_it": name["it"], "name_en": name["en"]}


def _read_section(
    section: str, record: type, stated: Mapping[str, Any], values: dict[str, Any], faults: list[Fault]
) -> None:
    """Put the stated values of a section over the inherited ones in `values`; what is wrong goes to `faults`."""
    names = [leaf.name for leaf in dataclasses.fields(record)]
    faults += [Fault("unknown_key", {"name": f"{section}.{key[:60]}"}) for key in stated if key not in names]
    for name in names:
        if name in stated:
            spec = OPTIONS[leaf_key(section, name)]
            values[name] = typed_value(spec, stated[name])
            if values[name] is BAD:
                said = {"value": str(stated[name])[:60], "key": spec.key, "allowed": spec.allowed}
                faults.append(Fault("bad_value", {"name": f"{section}.{name}", **said}))
        elif name not in values:
            faults.append(Fault("missing", {"name": f"{section}.{name}"}))


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
    return _extended(tomllib.loads(path.read_text(encoding="utf-8")), shipped=True)


def _extended(data: Mapping[str, Any], *, shipped: bool = False) -> RuleProfile:
    """A profile from a document that may name a base. A shipped one may not lean on one that leans itself."""
    base = None
    if "extends" in data:
        if not isinstance(data["extends"], str):
            raise _refusal("bad_rules_file", [Fault("bad_extends")])
        base = load_profile(data["extends"])
        if shipped and base.extends:
            raise _refusal("bad_rules_file", [Fault("chain", {"name": base.id, "base": base.extends})])
    return profile_from_data(data, base=base, shipped=shipped)


def load_profile(ident: str = DEFAULT_PROFILE, options: Mapping[str, object] | None = None) -> RuleProfile:
    """A shipped rule set by id, with options; ProfileError that lists the known ids.

    >>> load_profile("classico").run.ace_high
    False
    """
    if ident not in profile_ids():
        import difflib

        shown = ident[:60]
        near = difflib.get_close_matches(shown, profile_ids(), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = ", ".join(profile_ids())
        raise ProfileError(
            f"unknown rule set {shown!r}{hint}. Known rule sets: {known}",
            code="unknown_rules", rules=shown, suggestion=near[0] if near else "", known=known,
        )  # fmt: skip
    made = _shipped(ident)
    return made.with_options(options) if options else made


def read_profile(text: str, options: Mapping[str, object] | None = None, *, shipped: bool = False) -> RuleProfile:
    """House rules from the text of a TOML file, which may `extends` one shipped rule set; ProfileError otherwise.

    `shipped`: judged as one of the rule sets of this package, which say where every value comes from.
    """
    import tomllib

    try:
        made = _extended(tomllib.loads(text), shipped=shipped)
    except (ValueError, RecursionError) as error:  # TOML may also nest or count beyond what Python can show
        detail = "nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise ProfileError(f"the rules file is not TOML: {detail}", code="bad_toml", detail=detail) from None
    return made.with_options(options) if options else made
