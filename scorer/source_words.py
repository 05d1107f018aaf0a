"""The words of a source in Italian: quotations stay as they are, what this project says around them is translated.

>>> source_words("assumption: silent; another deal (rules.md 1.10)", "it")
'assumption: il testo tace; si gioca un’altra mano (rules.md 1.10)'
>>> source_words("«il 2 vale 20»", "it")
'«il 2 vale 20»'
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Final

#: A source that begins so is a decision of this project, not a text. The mark is the same in every language.
ASSUMPTION: Final = "assumption:"


@lru_cache(maxsize=1)
def italian() -> dict[str, str]:
    """English words of the shipped sources to Italian ones."""
    file = resources.files("scorer") / "messages" / "sources_it.toml"
    return {key: str(words) for key, words in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def source_words(source: str, lang: str) -> str:
    """A source in a language, `it` or `en`; unknown words (a person's own file) come back unchanged."""
    if lang != "it":
        return source
    body = source.removeprefix(ASSUMPTION).strip()
    said = italian().get(body, body)
    return f"{ASSUMPTION} {said}" if source.startswith(ASSUMPTION) else said
