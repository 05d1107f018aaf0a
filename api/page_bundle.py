"""The modules of the page's first view as one file, put together when the server starts.

There is no build step: `api/web` holds plain modules, and any of them runs as it lies there. But a phone that fetches
fourteen of them waits for three round trips where one would do. So what `app.js` imports is served as one module,
`/js/page.js`: the modules one after another in the order in which a browser would run them, their imports of each
other left out. The modules that come later import from it, so that there is one of each.

It works because no two of them use the same name at their top level and none renames what it imports; `bundled` says
so with a ValueError otherwise, and a test calls it.

>>> sorted(name for name in overlay() if name.startswith("js/p"))
['js/page.js', 'js/photo.js']
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "web"
FIRST: Final = "app.js"
PAGE: Final = "js/page.js"
_IMPORT: Final = re.compile(r"^import\s+(?:[\w$]+|\{[^}]*\})\s+from\s+'([^']+)';\n", re.M)
_DYNAMIC: Final = re.compile(r"\bimport\('([^']+)'\)")
_LIST: Final = re.compile(r"^export \{([^}]*)\};\n", re.M)
_DECLARED: Final = re.compile(
    r"^(export )?(?:async )?(?:function\*?|const|let|class) +([\w$]+|\{[^}]*\}|\[[^\]]*\])", re.M
)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.M)


def _path(module: str, stated: str) -> str:
    """What a module's import means, as a path below the page's folder."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), stated))


def _imports(module: str, text: str) -> list[str]:
    return [_path(module, stated) for stated in _IMPORT.findall(text)]


def _order(folder: Path, module: str, seen: dict[str, str]) -> list[str]:
    """The modules that this one needs, and then itself: the order in which a browser runs them."""
    if module in seen or module.startswith("vendor/"):
        return []
    seen[module] = (folder / module).read_text(encoding="utf-8")
    before = [other for name in _imports(module, seen[module]) for other in _order(folder, name, seen)]
    return [*before, module]


def bundled(folder: Path = FOLDER) -> tuple[str, tuple[str, ...]]:
    """The text of `page.js`, and the modules in it; ValueError where two of them use one name."""
    texts: dict[str, str] = {}
    order = _order(folder, FIRST, texts)
    foreign: dict[str, None] = {}
    names: dict[str, str] = {}
    shown: dict[str, None] = {}
    parts = []
    for module in order:
        text = texts[module]
        if re.search(r"^import[^;]*\bas\b[^;]*;", text, re.M):
            raise ValueError(f"{module} renames what it imports")
        for found in _IMPORT.finditer(text):
            path = _path(module, found[1])
            if path not in order:
                foreign[found[0].replace(f"'{found[1]}'", f"'/{path}'")] = None
        for exported, declared in _DECLARED.findall(text):
            for name in re.findall(r"[\w$]+", declared):
                if names.setdefault(name, module) != module:
                    raise ValueError(f"{module} and {names[name]} both say {name}")
                shown.update({name: None} if exported else {})
        for stated in _LIST.findall(text):
            shown.update(dict.fromkeys(name.strip() for name in stated.split(",")))
        text = _LIST.sub("", _IMPORT.sub("", text))
        parts.append(f"// {module}\n" + _dynamic(module, _EXPORT.sub("", text), order))
    tail = f"export {{ {', '.join(shown)} }};\n"
    return "".join(foreign) + "".join(parts) + tail, tuple(order)


def _dynamic(module: str, text: str, order: list[str] | tuple[str, ...]) -> str:
    """Imports that come later: of a module of the bundle from the bundle, all as seen from its folder."""

    def again(found: re.Match[str]) -> str:
        path = _path(module, found[1])
        return f"import('/{PAGE if path in order else path}')"

    return _DYNAMIC.sub(again, text)


def later(folder: Path, module: str, order: tuple[str, ...]) -> str:
    """A module that is fetched when it is first needed, with its imports from the bundle."""
    text = (folder / module).read_text(encoding="utf-8")

    def again(found: re.Match[str]) -> str:
        path = _path(module, found[1])
        return found[0].replace(f"'{found[1]}'", f"'/{PAGE if path in order else path}'")

    return _dynamic(module, _IMPORT.sub(again, text), order)


@cache
def overlay(folder: Path = FOLDER) -> dict[str, bytes]:
    """The files that are served otherwise than they lie in the folder, by path."""
    text, order = bundled(folder)
    made = {PAGE: text}
    for path in sorted((folder / "js").glob("*.js")):
        module = f"js/{path.name}"
        if module not in order:
            made[module] = later(folder, module, order)
    index = (folder / "index.html").read_text(encoding="utf-8")
    for module in order:
        index = index.replace(f'  <link rel="modulepreload" href="/{module}">\n', "")
    preload = f'  <link rel="modulepreload" href="/{PAGE}">\n'
    made["index.html"] = index.replace(
        '  <link rel="modulepreload"', preload + '  <link rel="modulepreload"', 1
    ).replace(f'src="/{FIRST}"', f'src="/{PAGE}"')
    worker = (folder / "sw.js").read_text(encoding="utf-8").replace(f"'/{FIRST}'", f"'/{PAGE}'")
    for module in order:
        worker = worker.replace(f"'{Path(module).stem}', ", "")
    made["sw.js"] = worker
    return {name: words.encode() for name, words in made.items()}
