"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of what is committed: a case, and a rule set."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = """id = "rione"
version = 1
extends = "fibur"
name = { it = "Regole del rione", en = "Rules of the street" }

[bonus]
clean = 250

[sources]
"bonus.clean" = "assumption: the street says so"
"""
CASE = {
    "id": "RIONE-1", "rules": "rione", "options": {}, "cards": "4h 5h 6h 7h 8h 9h 10h", "legal": True, "type": "clean",
    "doubled": False, "card_points": 50, "bonus": 250, "total": 300, "note": "the street pays 250",
}  # fmt: skip


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", str(folder)], input=archive, check=True)
    return folder


def run(folder: Path, *args: str, **more: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(folder), **more}
    done = subprocess.run([sys.executable, *args], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def burraco(folder: Path, *args: str) -> str:
    return run(folder, "-c", "import sys; from scorer.cli import main; sys.exit(main())", *args)


def derived(folder: Path) -> None:
    """What `make derived` does."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nderived:")[2].partition("\n\n")[0]
    for line in recipe.splitlines()[1:]:
        words = line.split("$(BIN)/python ")[1].split()
        if ">" in words:
            (folder / words[2]).write_text(run(folder, words[0]), encoding="utf-8")
        else:
            run(folder, *words, **dict(re.findall(r"(BURRACO_\w+)=(\w+)", line)))


@pytest.mark.long
def test_add_a_rule_set_and_a_case(copy: Path) -> None:
    file = copy / "scorer" / "profiles" / "rione.toml"
    file.write_text(RULES, encoding="utf-8")
    assert "rione" in burraco(copy, "rules", "check", str(file))
    with (copy / "scorer" / "messages" / "sources_it.toml").open("a", encoding="utf-8") as words:
        words.write('\n"the street says so" = "così dice il rione"\n')
    example = json.loads(re.findall(r"```json\n(.*?)\n```", (copy / "CONTRIBUTING.md").read_text(encoding="utf-8"))[0])
    with (copy / "tests" / "conformance" / "more_melds.jsonl").open("a", encoding="utf-8") as cases:
        cases.write(json.dumps(CASE) + "\n" + json.dumps(example) + "\n")
    derived(copy)
    assert "rione" in burraco(copy, "rules", "list")
    tests = ("tests/conformance", "tests/scorer", "tests/test_docs.py")
    run(copy, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests)
