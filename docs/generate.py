"""Write the reference pages that are made from data: `python docs/generate.py`. A test compares them.

`docs/options.md` from the profile leaves and the rule sets, `docs/errors.md` from the message files, the list of what
is assumed in `docs/rules-sources.md` from the rule sets.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

from scorer.cli import main as main_command
from scorer.contract import _plain
from scorer.messages import catalogue
from scorer.profile import OPTIONS, RuleProfile, load_profile, profile_ids
from scorer.rulebook import effective, summaries

HERE = Path(__file__).parent


def shown(value: object) -> str:
    """A value as one types it."""
    plain = _plain(value)  # type: ignore[arg-type]  # always a value of a profile
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, list | tuple):
        return "all" if len(plain) == 12 else ",".join(map(str, plain))
    return "none" if plain is None else str(plain)


def options_page() -> str:
    """Every option with what it may be, and its value in each rule set."""
    ids = profile_ids()
    profiles = [load_profile(ident) for ident in ids]
    lines = [
        "# Options", "",
        "Every value of a rule set has one key, for `--option KEY=VALUE`, for `option:` in a sheet and for",
        "`options` in JSON.",
        "Where a value comes from: `burraco rules show ID --effective`, or [the sources](rules-sources.md).", "",
        "## What each may be", "", "| key | may be |", "|---|---|",
    ]  # fmt: skip
    lines += [f"| `{key}` | {spec.allowed} |" for key, spec in OPTIONS.items()]
    lines += ["", "## The values of the twelve rule sets", "", "| key | " + " | ".join(ids) + " |"]
    lines.append("|---" * (len(ids) + 1) + "|")
    lines += [f"| `{key}` | " + " | ".join(shown(p.get(key)) for p in profiles) + " |" for key in OPTIONS]
    return "\n".join(lines) + "\n"


def errors_page() -> str:
    """Every code with its English and Italian sentence."""
    english, italian = catalogue("en"), catalogue("it")
    groups = {"violation": "Against the rules", "notice": "Notices", "": "Errors"}
    lines = [
        "# Error codes", "",
        "Codes are stable: programs may rely on them; sentences may be bettered. `{...}` is filled in. The same",
        "codes stand in the command's JSON, in HTTP problem documents and in the linter.", "",
    ]  # fmt: skip
    for prefix, title in groups.items():
        lines += [f"## {title}", "", "| code | English | Italian |", "|---|---|---|"]
        for key in sorted(english):
            head, _, rest = key.rpartition(".")
            if head != prefix:
                continue
            code = rest if prefix else key
            lines.append(f'| <span id="{code}">`{code}`</span> | {cell(english[key])} | {cell(italian[key])} |')
        lines.append("")
    return "\n".join(lines)


def cell(words: str) -> str:
    """Words in a table cell."""
    return words.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def sources_page() -> str:
    """The page of sources, its list of what each rule set assumes made anew."""
    page = (HERE / "rules-sources.md").read_text(encoding="utf-8")
    ids = [line.id for line in summaries()]
    rows = [f"* **{ident}**{_assumed(load_profile(ident))}" for ident in ids]
    lines = page.splitlines()
    old = [at for at, line in enumerate(lines) if line.startswith("* **") and line[4:].partition("**")[0] in ids]
    return "\n".join([*lines[: old[0]], *rows, *lines[old[-1] + 1 :]]) + "\n"


def _assumed(profile: RuleProfile) -> str:
    own = [leaf.key for leaf in effective(profile) if leaf.origin == "own" and leaf.assumed]
    base = f" (extends `{profile.extends}`)" if profile.extends else ""
    return f"{base}: " + (", ".join(f"`{key}`" for key in own) or "none of its own")


PAGES = {"options.md": options_page, "errors.md": errors_page, "rules-sources.md": sources_page}
#: Pages with `console` blocks: what a command prints is put under it again.
SHOWN = ("../README.md", "../README.it.md", "tutorial.md", "house-rules.md")


def with_output(page: str) -> str:
    """A page with the output of every `$ burraco ...` block made anew."""

    def again(block: re.Match[str]) -> str:
        line = block.group(1).partition("\n")[0]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            main_command(shlex.split(line.removeprefix("$ "))[1:])
        return f"```console\n{line}\n{out.getvalue().strip()}\n```"

    return re.sub(r"```console\n(.*?)```", again, page, flags=re.S)


def main() -> None:
    """Write the pages; run it from the top of the checkout."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
    for name in SHOWN:
        path = HERE / name
        path.write_text(with_output(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
