"""Write `docs/licences.md`: what a whole installation brings with it, and under which licence.

`python docs/licences.py`, in an environment with the extras `vision`, `api`, `cluster`, `plot` and `postgres`. Reads
the metadata of the installed packages; versions are left out, since pip takes the newest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

EXTRAS = ("", "vision", "api", "postgres", "cluster", "plot")
NAME = re.compile(r"^([\w.-]+)(?:\[([\w,-]+)\])?")
#: Markers of another system, or of a Python before ours.
ELSEWHERE = re.compile(r"== *.(win32|Windows)|python_version *< *.3\.(1[01]|\d)\b")
PAGE = Path(__file__).parent / "licences.md"
HEAD = """# Licences of what an installation brings

Burraco itself is AGPL-3.0-or-later; what ships inside its wheel stands in
[dependencies](dependencies.md#what-ships-inside-the-package).
The packages below come from the package index with `pip install`, each under its own licence, by the extra that needs
it first (packages of the core are not repeated under the extras). Made by `python docs/licences.py`.
"""


def needed(package: Distribution, extra: str) -> Iterator[tuple[str, str]]:
    """What a distribution requires for one extra (empty: always), as (name, its own extras)."""
    for line in package.requires or ():
        requirement, _, marker = line.partition(";")
        named = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", marker)
        if (named.group(1) if named else "") != extra or ELSEWHERE.search(marker):
            continue
        found = NAME.match(requirement.strip())
        if found:
            yield found.group(1), found.group(2) or ""


def closure(extra: str) -> dict[str, Distribution]:
    """Every package that an extra brings, by normal name."""
    left, seen = list(needed(distribution("burraco"), extra)), dict[str, Distribution]()
    while left:
        name, extras = left.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # for another system or an older Python
        more = [one for own in extras.split(",") if own for one in needed(package, own)]
        left += [*more, *(needed(package, "") if key not in seen else ())] if key not in seen or more else []
        seen[key] = package
    return seen


def licence(package: Distribution) -> str:
    """The licence in as few words as the metadata allows."""
    data = package.metadata
    words = data.get("License-Expression") or ""
    classes = [c.rpartition(" :: ")[2] for c in data.get_all("Classifier") or () if c.startswith("License ::")]
    stated = (data.get("License") or "").strip().splitlines()
    return words or "; ".join(classes) or (stated[0][:60] if stated else "not stated in its metadata")


def main() -> None:
    """Write the page."""
    lines, told = [HEAD], set[str]()
    for extra in EXTRAS:
        rows = [(key, package) for key, package in sorted(closure(extra).items()) if key not in told]
        told |= {key for key, _ in rows}
        lines += [f"## {f'Extra `{extra}`' if extra else 'Core'}", "", "| package | licence |", "|---|---|"]
        lines += [f"| {key} | {licence(package)} |" for key, package in rows]
        lines.append("")
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
