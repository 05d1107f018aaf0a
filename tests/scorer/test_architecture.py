"""The house holds: imports go one way, the core does not print, guess or name a rule set."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scorer.profile import profile_ids

ROOT = Path(__file__).parents[2]
PACKAGES = ("scorer", "vision", "api")
FILES = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
#: Where the modules of commands are.
COMMAND_PLACES = ("scorer.cli", "vision.cli", "api.cli")
#: Of the standard library's `random`, only the class that takes a seed.
SEEDED = frozenset({"Random"})
#: What a module of the core may not import (prefix -> prefixes): the arrows of design.md, read backwards.
FORBIDDEN = {
    "scorer.errors": ("scorer",),
    "scorer.cards": ("scorer",),
    "scorer.profile": ("scorer.melds", "scorer.scoring", "scorer.game", "scorer.cli"),
    "scorer.rule_leaves": ("scorer.melds", "scorer.scoring", "scorer.game", "scorer.cli"),
    "scorer.readings": ("scorer.melds", "scorer.diagnosis", "scorer.scoring", "scorer.table", "scorer.messages"),
    "scorer.melds": ("scorer.scoring", "scorer.game", "scorer.cli", "scorer.table", "scorer.messages"),
    "scorer.diagnosis": (
        "scorer.melds",
        "scorer.scoring",
        "scorer.game",
        "scorer.cli",
        "scorer.table",
        "scorer.messages",
    ),
    "scorer.table": ("scorer.scoring", "scorer.game", "scorer.cli", "scorer.notation", "scorer.messages"),
    "scorer.scoring": ("scorer.game", "scorer.cli", "scorer.notation", "scorer.messages", "scorer.explain"),
    "scorer.messages": ("scorer.melds", "scorer.scoring", "scorer.game", "scorer.cli"),
    "scorer.explain": ("scorer.game", "scorer.cli", "scorer.contract", "scorer.report"),
    "scorer.contract": ("scorer.game", "scorer.cli", "scorer.report"),
    "scorer.report": ("scorer.game", "scorer.cli", "scorer.contract"),
    "scorer.game": ("scorer.cli",),
}


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST, file: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports by statement, with its line; `if TYPE_CHECKING:` is not an import."""
    nodes = list(ast.walk(tree))
    skipped = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in nodes:
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module_of(file).split(".")
                above = above[: len(above) - node.level + (file.name == "__init__.py")]
                base = ".".join([*above, *([base] if base else [])])
            yield base, node.lineno
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def nodes_of(file: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(file)))


@cache
def imports_of(file: Path) -> tuple[tuple[str, int], ...]:
    return tuple(imports(tree_of(file), file))


def test_there_is_something_to_look_at() -> None:
    assert len(FILES) > 40


def import_faults(file: Path) -> Iterator[str]:
    me = module_of(file)
    bounds = [(mine, others) for mine, others in FORBIDDEN.items() if within(me, mine)]
    for name, line in imports_of(file):
        where = f"{me}:{line} imports {name}"
        if within(me, "scorer") and (within(name, "api") or within(name, "vision")):
            yield where
        if within(me, "vision") and within(name, "api"):
            yield where
        # the commands that an extra brings live with it (`vision.cli`, `api.cli`) and print as the others do
        if not is_command(file) and within(name, "scorer.cli"):
            yield where
        for mine, others in bounds:
            backwards = any(within(name, other) and not within(name, mine) for other in others)
            ground = others == ("scorer",) and name in ("scorer.cards", "scorer.errors")
            if backwards and not ground:
                yield where


def test_imports_go_one_way() -> None:
    assert [fault for file in FILES for fault in import_faults(file)] == []


def test_a_wrong_arrow_would_be_seen() -> None:
    tree = ast.parse("from scorer.cli import main\nif TYPE_CHECKING:\n    import api\nfrom . import game")
    names = [name for name, _ in imports(tree, ROOT / "scorer" / "melds.py")]
    assert "scorer.cli" in names and "api" not in names and "scorer.game" in names


def in_function(file: Path, line: int) -> bool:
    """Inside a function: a part that is only used where it is installed (such as the cluster)."""
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno < line <= (node.end_lineno or 0)
        for node in nodes_of(file)
    )


def test_the_core_needs_the_standard_library_only() -> None:
    faults = []
    for file in FILES:
        me = module_of(file)
        if not within(me, "scorer"):
            continue
        allowed = {"typer", "rich"} if within(me, "scorer.cli") else set()
        for name, line in imports_of(file):
            root = name.partition(".")[0]
            known = root in sys.stdlib_module_names or root in PACKAGES or root in allowed
            if not known and not in_function(file, line):
                faults.append(f"{me}:{line} imports {name}")
    assert faults == []


def is_command(file: Path) -> bool:
    """The command itself, and what is run as `python -m`."""
    words = file.read_text(encoding="utf-8")
    here = any(within(module_of(file), place) for place in COMMAND_PLACES)
    return here or file.name == "__main__.py" or 'if __name__ == "__main__"' in words


def test_nothing_prints_but_the_command() -> None:
    printing = ("print", "typer.echo", "sys.stdout.write", "input")
    faults = [
        f"{module_of(file)}:{node.lineno}"
        for file in FILES
        if not is_command(file)
        for node in nodes_of(file)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in printing
    ]
    assert faults == []


def random_faults(file: Path) -> Iterator[str]:
    whole = "random" in [name for name, _ in imports_of(file)]
    for node in nodes_of(file):
        of_module = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "random"
        if whole and of_module and isinstance(node, ast.Attribute) and node.attr not in SEEDED:
            yield f"{module_of(file)}:{node.lineno} uses random.{node.attr}"
        if isinstance(node, ast.ImportFrom) and node.module == "random":
            names = {alias.name for alias in node.names}
            if not names <= SEEDED:
                yield f"{module_of(file)}:{node.lineno}"


def test_randomness_is_passed_in() -> None:
    assert [fault for file in FILES for fault in random_faults(file)] == []


def naming_faults(file: Path) -> Iterator[str]:
    """Comparisons with the id of a rule set, and tables keyed by one: what differs must be data."""
    ids = set(profile_ids())
    for node in nodes_of(file):
        if isinstance(node, ast.Dict):
            parts: list[ast.AST | None] = list(node.keys)
        elif isinstance(node, ast.Compare | ast.match_case):
            parts = list(ast.walk(node))
        else:
            continue
        if any(isinstance(part, ast.Constant) and part.value in ids for part in parts if part is not None):
            yield f"{module_of(file)}:{getattr(node, 'lineno', 0)}"


def test_no_rule_set_is_named_in_a_decision() -> None:
    assert [fault for file in FILES for fault in naming_faults(file)] == []


def test_no_file_is_too_long() -> None:
    files = [*FILES, *sorted((ROOT / "tests").rglob("*.py"))]
    long = {str(f.relative_to(ROOT)): n for f in files if (n := len(f.read_text(encoding="utf-8").splitlines())) > 500}
    assert long == {}


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of what a function does: without its signature (the options of a command) and its docstring."""
    body = function.body
    first = body[1] if len(body) > 1 and ast.get_docstring(function) is not None else body[0]
    return (function.end_lineno or 0) - first.lineno + 1


def test_no_function_is_too_long() -> None:
    long = {
        f"{module_of(file)}.{node.name}": body_lines(node)
        for file in FILES
        for node in nodes_of(file)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and body_lines(node) > 50
    }
    assert long == {}


def circles(files: list[Path]) -> list[set[str]]:
    """Modules that import each other in a circle, also from inside functions."""
    modules = {module_of(file): file for file in files}
    arrows = {
        me: {name for name, _ in imports_of(file) if name in modules and name != me and not me.startswith(name + ".")}
        for me, file in modules.items()
    }

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        left = list(arrows[start])
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                left += arrows[name]
        return seen

    to = {name: reached(name) for name in arrows}
    found = {frozenset({other for other in to[name] if name in to[other]}) for name in arrows}
    return sorted((set(circle) for circle in found if len(circle) > 1), key=sorted)


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(FILES) == []


def test_one_meld_imports_neither_rich_nor_the_scorer_of_deals() -> None:
    """What keeps `burraco meld` starting fast."""
    probe = (
        "import sys; from scorer.cli import main; main(['meld', '4h 5h 6h']); "
        "print(sorted({'rich', 'scorer.scoring', 'scorer.game', 'vision', 'api', 'numpy', 'json'} & set(sys.modules)))"
    )
    # without what `make coverage` puts into every process: it imports json itself
    plain = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=60, cwd=ROOT, env=plain)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stdout + ran.stderr
