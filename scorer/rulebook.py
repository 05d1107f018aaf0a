"""The rule book: what `burraco rules` and `GET /v1/rules` show. Plain data out, no words of its own.

>>> [x.key for x in differences(load_profile("fibur"), load_profile("feburit"))]
['bonus.full_clean', 'bonus.super_clean']
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from scorer.errors import ProfileError
from scorer.profile import (
    HOUSE_RULE,
    OPTIONS,
    OptionValue,
    RuleProfile,
    load_profile,
    profile_ids,
    read_profile,
    value_text,
)
from scorer.source_words import ASSUMPTION, source_words


class Leaf(NamedTuple):
    """One value of a rule set. `origin`: own, inherited, option (set by the person) or house (no source given)."""

    key: str
    section: str
    value: OptionValue
    source: str
    origin: str

    @property
    def text(self) -> str:
        """The value as one would type it after `--option KEY=`."""
        return value_text(self.value)

    @property
    def assumed(self) -> bool:
        """Whether no text settles this value."""
        return self.source.startswith(ASSUMPTION)

    def data(self, lang: str = "en") -> dict[str, Any]:
        """The leaf as JSON data, its source in a language."""
        shown = list(self.value) if isinstance(self.value, tuple) else self.value
        return {
            "key": self.key, "section": self.section, "value": shown, "source": source_words(self.source, lang),
            "origin": self.origin, "assumption": self.assumed,
        }  # fmt: skip


class Difference(NamedTuple):
    """One key on which two rule sets differ, with both values and both sources."""

    key: str
    left: Leaf
    right: Leaf

    def data(self, lang: str = "en") -> dict[str, Any]:
        """The difference as JSON data."""
        return {"key": self.key, "left": self.left.data(lang), "right": self.right.data(lang)}


class Summary(NamedTuple):
    """One line of the list of rule sets. `assumptions` counts the values that no text settles."""

    id: str
    version: int
    name_it: str
    name_en: str
    extends: str
    default: bool
    values: int
    assumptions: int

    def data(self) -> dict[str, Any]:
        """The summary as JSON data."""
        names = {"it": self.name_it, "en": self.name_en}
        rest = self._asdict()
        return {"id": rest.pop("id"), "name": names, **{k: v for k, v in rest.items() if not k.startswith("name_")}}


class Check(NamedTuple):
    """The outcome of reading a house rules file: the rule set or the fault, what it changes, what has no source."""

    profile: RuleProfile | None
    fault: ProfileError | None
    changes: tuple[Difference, ...]
    without_source: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether the file can be used."""
        return self.profile is not None


def summaries() -> tuple[Summary, ...]:
    """Every shipped rule set, the default one first."""
    return tuple(summary(load_profile(ident), default=place == 0) for place, ident in enumerate(profile_ids()))


def summary(profile: RuleProfile, *, default: bool = False) -> Summary:
    """The summary of one rule set; `default`: it is the one taken when none is named."""
    leaves = effective(profile)
    return Summary(
        profile.id, profile.version, profile.name_it, profile.name_en, profile.extends,
        default, len(leaves), sum(leaf.assumed for leaf in leaves),
    )  # fmt: skip


def effective(profile: RuleProfile) -> tuple[Leaf, ...]:
    """Every value of a rule set, options applied, in the order of the sections, each with its source.

    >>> effective(load_profile("classico", {"max_wilds": 2}))[29]
    Leaf(key='max_wilds', section='meld', value=2, source='option', origin='option')
    """
    base = load_profile(profile.extends) if profile.extends else None
    return tuple(_leaf(profile, key, base) for key in OPTIONS)


def stated(profile: RuleProfile) -> tuple[Leaf, ...]:
    """Only what the rule set says itself: its own values and the options, not what it inherits."""
    return tuple(leaf for leaf in effective(profile) if leaf.origin != "inherited")


def _leaf(profile: RuleProfile, key: str, base: RuleProfile | None) -> Leaf:
    source = profile.source(key)
    if key in dict(profile.options):
        origin = "option"
    elif source == HOUSE_RULE:
        origin = "house"
    elif base is not None and base.get(key) == profile.get(key) and base.source(key) == source:
        origin = "inherited"
    else:
        origin = "own"
    return Leaf(key, OPTIONS[key].section, profile.get(key), source, origin)


def differences(left: RuleProfile, right: RuleProfile) -> tuple[Difference, ...]:
    """The values on which two rule sets differ; two that differ only in their sources do not differ."""
    pairs = zip(effective(left), effective(right), strict=True)
    return tuple(Difference(a.key, a, b) for a, b in pairs if a.value != b.value)


def check_file(text: str, *, shipped: bool = False) -> Check:
    """Read a house rules file; never fails, the fault is in the answer. Changes are against what it extends.

    `shipped`: the file of a rule set of this package, which must give a source for every value.
    """
    try:
        profile = read_profile(text, shipped=shipped)
    except ProfileError as fault:
        return Check(None, fault, (), ())
    base = load_profile(profile.extends) if profile.extends else None
    changes = differences(base, profile) if base else ()
    bare = tuple(leaf.key for leaf in effective(profile) if leaf.origin == "house")
    return Check(profile, None, changes, bare)


def profile_data(profile: RuleProfile, *, only_stated: bool = False, lang: str = "en") -> dict[str, Any]:
    """A whole rule set as JSON data: its summary, its options and its values with their sources."""
    leaves = stated(profile) if only_stated else effective(profile)
    options = {key: list(v) if isinstance(v, tuple) else v for key, v in profile.options}
    return {**summary(profile).data(), "options": options, "rules": [leaf.data(lang) for leaf in leaves]}


def option_data() -> list[dict[str, Any]]:
    """Every option key with what it may be, as JSON data (for a form, or for a person who asks)."""
    return [
        {
            "key": spec.key, "section": spec.section, "kind": spec.kind, "choices": list(spec.choices),
            "low": spec.low, "high": spec.high, "allowed": spec.allowed,
        }
        for spec in OPTIONS.values()
    ]  # fmt: skip


def profile_toml(profile: RuleProfile) -> str:
    """A rule set as a TOML file that `read_profile` reads back to the same values (a start for house rules).

    >>> text = profile_toml(load_profile("stbl")).replace('id = "stbl"', 'id = "casa"')
    >>> differences(read_profile(text), load_profile("stbl"))
    ()
    """
    return "\n".join(_toml_lines(profile)) + "\n"


def _toml_lines(profile: RuleProfile) -> Iterator[str]:
    names = f"{{ it = {_quoted(profile.name_it)}, en = {_quoted(profile.name_en)} }}"
    yield from (f"id = {_quoted(profile.id)}", f"version = {profile.version}", f"name = {names}")
    section = ""
    sources: dict[str, str] = {}
    for leaf in effective(profile):
        if leaf.section != section:
            section = leaf.section
            yield from ("", f"[{section}]")
        name = OPTIONS[leaf.key].name
        sources[f"{section}.{name}"] = leaf.source
        yield f"{name} = {_toml_value(leaf.value)}"
    yield from ("", "[sources]")
    yield from (f"{_quoted(key)} = {_quoted(words)}" for key, words in sources.items())


def _toml_value(value: OptionValue) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml_value(part) for part in value) + "]"
    if isinstance(value, int):
        return str(value).lower()
    return _quoted("none" if value is None else value)


def _quoted(text: str) -> str:
    """A TOML basic string: quotes and backslashes escaped, control characters by number."""
    body = "".join(f"\\{c}" if c in '"\\' else f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c for c in text)
    return f'"{body}"'
