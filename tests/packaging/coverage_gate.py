"""`python tests/packaging/coverage_gate.py COVERAGE.json`: every line of `scorer/` runs, and most of the rest.

Prints the lines and branches of each part; exits with 1 where `scorer` misses a line, or a part falls below its share.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

WHOLE = "scorer"
"""The part of which every line must run."""
LEAST = {"scorer": 99.5, "api": 90.0, "vision": 90.0}
"""Least percentage of lines and branches together."""


LEFT_OUT = "vision/train/"
"""It needs torch and is tested where torch is installed."""


def part_of(path: str) -> str:
    """The top folder of a file; none of those that are left out."""
    plain = path.replace("\\", "/")
    return "" if plain.startswith(LEFT_OUT) else plain.split("/")[0]


def faults(report: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The lines to print and the complaints, of a report of `coverage json`."""
    table, complaints = [], []
    for part, least in LEAST.items():
        files = {path: found for path, found in report["files"].items() if part_of(path) == part}
        if not files:
            complaints.append(f"{part}: nothing was measured")
            continue
        sums = {
            key: sum(found["summary"][key] for found in files.values())
            for key in ("num_statements", "covered_lines", "num_branches", "covered_branches")
        }
        both = 100 * (sums["covered_lines"] + sums["covered_branches"])
        both /= max(1, sums["num_statements"] + sums["num_branches"])
        table.append(
            f"{part}: {sums['covered_lines']} of {sums['num_statements']} lines, "
            f"{sums['covered_branches']} of {sums['num_branches']} branches, together {both:.1f} %"
        )
        if both < least:
            complaints.append(f"{part}: {both:.2f} % of lines and branches, at least {least} % wanted")
        if part == WHOLE:
            missed = {path: found["missing_lines"] for path, found in files.items() if found["missing_lines"]}
            complaints += [f"{path}: no test runs line {', '.join(map(str, lines))}" for path, lines in missed.items()]
    return table, complaints


def main(arguments: list[str]) -> int:
    """Print the table, then what is wrong."""
    table, complaints = faults(json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
    sys.stdout.write("\n".join([*table, *complaints]) + "\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
