"""What the documentation shows is what the commands print, and what it generates is up to date."""

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from scorer.cli import main

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "README.it.md", "docs/tutorial.md", "docs/house-rules.md"]
BLOCK = re.compile(r"```console\n(.*?)```", re.S)


def blocks() -> list[tuple[str, str, str]]:
    """Every (page, command line, output shown) of the pages."""
    out = []
    for page in PAGES:
        path = ROOT / page
        for block in BLOCK.findall(path.read_text(encoding="utf-8")):
            first, _, shown = block.partition("\n")
            out.append((page, first.removeprefix("$ "), shown))
    return out


@pytest.mark.parametrize(("page", "line", "shown"), blocks(), ids=lambda v: str(v)[:60])
def test_a_command_prints_what_its_page_shows(
    page: str, line: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    words = shlex.split(line)
    assert words[0] == "burraco"
    assert main(words[1:]) in (0, 1)
    assert capsys.readouterr().out.strip() == shown.strip()


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["options.md", "errors.md", "rules-sources.md"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    fresh = _generator().PAGES[name]()
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == fresh, "run: python docs/generate.py"


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "README.it.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if not target.startswith(("http:", "https:")):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_stands_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert page.name in nav, page.name


CITED = re.compile(r"rules\.md ((?:(?:\d\.\d+|[CE]\d[.\d]\d?)(?: [a-d]\b)?(?:, )?)+)")


def test_every_paragraph_of_the_rule_reference_that_is_cited_is_there() -> None:
    """A source that points to a paragraph must lead a reader to it, in this repository."""
    reference = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    there = set(re.findall(r"^(?:#+|\|) (\d\.\d+|[CE]\d[.\d]\d?)\b", reference, flags=re.M))
    cited = {
        number
        for file in [*sorted((ROOT / "scorer").rglob("*.toml")), *sorted((ROOT / "scorer").rglob("*.py"))]
        for run in CITED.findall(file.read_text(encoding="utf-8"))
        for number in re.findall(r"\d\.\d+|[CE]\d[.\d]\d?", run)
    }
    assert len(cited) > 25
    assert sorted(cited - there) == []


def test_no_page_points_outside_the_repository_for_a_rule() -> None:
    for file in sorted((ROOT / "scorer").rglob("*.toml")):
        assert "shared/" not in file.read_text(encoding="utf-8"), file.name
