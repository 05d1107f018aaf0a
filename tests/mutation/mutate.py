"""Change the scorer in small ways and see whether a test notices: `python tests/mutation/mutate.py --count 20`.

A sample of the mutants of each module below is drawn with a seed, each is put into a copy of what is committed, and
the module's own tests run until the first failure. What survives is printed as a line of the source before and after;
`docs/quality.md` says what became of it.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_MELDS = (
    "tests/conformance/test_conformance_library.py", "tests/scorer/test_violations.py", "tests/scorer/test_counts.py",
    "tests/oracle/test_oracle.py", "tests/scorer/test_meld_properties.py",
)  # fmt: skip
_NOTATION = (
    "tests/scorer/test_notation_cards.py", "tests/scorer/test_notation_sheet.py",
    "tests/scorer/test_notation_samples.py", "tests/scorer/test_notation_fuzz.py",
)  # fmt: skip
_PROFILE = ("tests/scorer/test_profiles.py", "tests/scorer/test_rulebook.py", "tests/scorer/test_profile_coverage.py")
#: The tests that have to notice a change of a module.
TESTS = {
    "scorer/readings.py": _MELDS,
    "scorer/melds.py": _MELDS,
    "scorer/diagnosis.py": _MELDS,
    "scorer/scoring.py": (
        "tests/conformance/test_conformance_library.py", "tests/scorer/test_violations.py",
        "tests/oracle/test_oracle_score.py", "tests/scorer/test_report.py", "tests/scorer/test_meld_properties.py",
        "tests/scorer/test_score_lines.py",
    ),
    "scorer/notation_token.py": _NOTATION,
    "scorer/notation_meld.py": _NOTATION,
    "scorer/notation_cards.py": _NOTATION,
    "scorer/notation_sheet.py": _NOTATION,
    "scorer/profile.py": _PROFILE,
    "scorer/rule_leaves.py": _PROFILE,
}  # fmt: skip
#: Seconds after which a mutant is taken for one that never ends, which counts as noticed.
PATIENCE = 600
_COMPARE = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change: the module, the line, the source of the statement part before and after, and the whole new text."""

    module: str
    line: int
    before: str
    after: str
    text: str


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may stand in the place of one."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        yield ast.Compare(node.left, [_COMPARE[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)


def mutants(module: str, root: Path = ROOT) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines; only inside functions, none of `strict=True`."""
    text = (root / module).read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    raw = text.encode()
    found = []
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    nodes = {id(node): node for function in functions for part in function.body for node in ast.walk(part)}
    guards = {id(node.value) for node in nodes.values() if isinstance(node, ast.keyword) and node.arg == "strict"}
    for node in nodes.values():
        if not isinstance(node, ast.expr) or id(node) in guards:
            continue
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        for other in changed(node):
            after = f"({ast.unparse(ast.fix_missing_locations(other))})"
            new = raw[:begin] + after.encode() + raw[end:]
            found.append(Mutant(module, node.lineno, raw[begin:end].decode(), after, new.decode()))
    return sorted(found, key=lambda m: (m.line, m.before, m.after))


def survives(mutant: Mutant, copy: Path) -> bool:
    """Whether all tests of the module pass in spite of the change."""
    file = copy / mutant.module
    kept = file.read_text(encoding="utf-8")
    file.write_text(mutant.text, encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS[mutant.module]]
        env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, cwd=copy, env=env, capture_output=True, timeout=PATIENCE, check=False)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        file.write_text(kept, encoding="utf-8")


def main() -> None:
    """Print what survives, and the share that was noticed, by module."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--count", type=int, default=20, help="mutants of each module (0: all)")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--module", action="append", choices=TESTS, help="only this one; may be repeated")
    given = asked.parse_args()
    total = noticed = 0
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "x", "-C", name], input=archive, check=True)
        for module in given.module or TESTS:
            every = mutants(module, copy)
            drawn = random.Random(f"{given.seed} {module}").sample(every, min(given.count or len(every), len(every)))
            unchanged = (copy / module).read_text(encoding="utf-8")
            if not survives(Mutant(module, 0, "", "", unchanged), copy):
                raise SystemExit(f"{module}: its tests fail without any change")
            lived = []
            for mutant in sorted(drawn):
                if survives(mutant, copy):
                    lived.append(mutant)
                    print(f"  {module}:{mutant.line}: {mutant.before}  ->  {mutant.after}", flush=True)
            total, noticed = total + len(drawn), noticed + len(drawn) - len(lived)
            print(f"{module}: {len(drawn) - len(lived)} of {len(drawn)} noticed ({len(every)} possible)", flush=True)
    print(f"{noticed} of {total} noticed, {100 * noticed / total:.1f} %")


if __name__ == "__main__":
    main()
