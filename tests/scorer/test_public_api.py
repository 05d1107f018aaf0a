"""What other programs may import: a name or a signature that is written down never goes or changes unnoticed.

Names may be added. After a change that is meant, and to write down what was added, run `python
tests/scorer/test_public_api.py > tests/scorer/golden/public_api.lst`, and add a line to CHANGELOG.md.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden" / "public_api.lst"
MODULES = (
    "scorer.errors", "scorer.cards", "scorer.profile", "scorer.readings", "scorer.melds", "scorer.moves",
    "scorer.table", "scorer.scoring", "scorer.notation", "scorer.contract", "scorer.explain", "scorer.record",
    "scorer.match", "scorer.victory", "scorer.movements", "scorer.game",
)  # fmt: skip


def lines() -> Iterator[str]:
    """One line for each public name of each module: `module.name kind signature`."""
    for name in MODULES:
        module = import_module(name)
        exported = getattr(module, "__all__", None)
        for public, value in sorted(vars(module).items()):
            own = public in exported if exported is not None else getattr(value, "__module__", name) == name
            if not public.startswith("_") and own and not inspect.ismodule(value):
                yield f"{name}.{public}{shape(value)}"
                if inspect.isclass(value):
                    yield from (f"{name}.{public}.{part}" for part in members(value))


def shape(value: object) -> str:
    """The parameters of a function, the bases of a class, nothing of a constant."""
    if inspect.isclass(value):
        return f"({', '.join(base.__name__ for base in value.__bases__ if base is not object)})"
    return re.sub(r"<function (\w+) at \w+>", r"\1", str(inspect.signature(value))) if inspect.isfunction(value) else ""


def members(kind: type) -> Iterator[str]:
    """The fields and public methods that a class itself has."""
    fields = getattr(kind, "_fields", None) or tuple(getattr(kind, "__dataclass_fields__", ()))
    yield from fields
    for name, value in sorted(vars(kind).items()):
        if name.startswith("_") or name in fields:
            continue
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        yield f"{name}{inspect.signature(plain)}" if inspect.isfunction(plain) else name


def test_what_is_written_down_is_still_there() -> None:
    now, pinned = list(lines()), GOLDEN.read_text(encoding="utf-8").splitlines()
    assert len(pinned) > 600
    assert [line for line in pinned if line not in now] == []


if __name__ == "__main__":
    print("\n".join(lines()))
