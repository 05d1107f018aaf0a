"""Every sentence that people read, in Italian and English, by a stable code.

A file `<part>_<lang>.toml` holds the sentences of one part; nested tables give dotted keys (`[line] hand` is
`line.hand`, a violation is `violation.too_few_cards`); errors stand under their own code, without a prefix. A template
is a format string with two additions: `{n:card|cards}` picks the singular or the plural by the number `n`, and
`{x:? (~)}` gives the text after `?` with `~` replaced by `x`, or nothing when `x` is empty.

>>> text("violation.too_few_cards", "it", count=2, least=3)
'2 carte sono troppo poche: ne servono almeno 3'
>>> has("no such code")
False
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from string import Formatter
from typing import Any, Final

LANGS: Final = ("en", "it")
#: The part that is read first: a sentence of the core costs one small file, the others only when asked for.
_FIRST: Final = "core"


class _Wording(Formatter):
    """`str.format` with plural and optional specs; a missing parameter shows as `…`, never an exception."""

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs.get(str(key), "…")

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec.startswith("?"):
            return format_spec[1:].replace("~", str(value)) if value or value == 0 else ""
        if "|" in format_spec:
            one, many = format_spec.split("|", 1)
            return one if str(value) == "1" else many
        return str(value)


_WORDING: Final = _Wording()
#: Characters of the longest parameter whose sentences are kept.
_KEPT: Final = 120


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, str(value)


@lru_cache(maxsize=64)
def part(name: str, lang: str) -> dict[str, str]:
    """The templates of one file by dotted key (`part("core", "it")`)."""
    file = resources.files(__name__) / f"{name}_{lang}.toml"
    return dict(_flat(tomllib.loads(file.read_text(encoding="utf-8"))))


@lru_cache(maxsize=1)
def parts() -> tuple[str, ...]:
    """The names of the parts, the core first."""
    files = [item.name for item in resources.files(__name__).iterdir()]
    names = sorted(name.removesuffix("_en.toml") for name in files if name.endswith("_en.toml"))
    return (_FIRST, *(name for name in names if name != _FIRST))


@lru_cache(maxsize=2)
def catalogue(lang: str = "en") -> dict[str, str]:
    """Every template of a language by code."""
    return {code: template for name in parts() for code, template in part(name, lang).items()}


def template(code: str, lang: str = "en") -> str | None:
    """The template of a code, or None."""
    found = part(_FIRST, lang).get(code)
    if found is None:
        found = next((part(name, lang)[code] for name in parts() if code in part(name, lang)), None)
    return found


def has(code: str, lang: str = "en") -> bool:
    """Whether a code has a sentence."""
    return template(code, lang) is not None


def text(code: str, lang: str = "en", /, **params: object) -> str:
    """The sentence of a code with its parameters filled in; an unknown code gives the code itself."""
    found = template(code, lang)
    if found is None:
        return code
    # Formatting is the dearest step of an answer and sentences recur; long texts of people are not kept.
    if all([type(v) is int or (type(v) is str and len(v) <= _KEPT) for v in params.values()]):
        return _filled(found, tuple(params.items()))
    return _WORDING.vformat(found, (), params)


@lru_cache(maxsize=4096)
def _filled(found: str, params: tuple[tuple[str, object], ...]) -> str:
    return _WORDING.vformat(found, (), dict(params))


def fields(template_text: str) -> frozenset[str]:
    """The parameter names of a template (the tests compare the two languages with it)."""
    return frozenset(name for _, name, _, _ in _WORDING.parse(template_text) if name)
