"""`burraco rules`: the rule sets, their values with their sources, what differs, and house rules checked."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.common import (
    JsonFlag,
    LangCode,
    OptionList,
    RulesFile,
    choice,
    command_group,
    on_terminal,
    read_text,
    say,
    say_json,
    shown_name,
    tone,
)
from scorer.errors import BurracoError
from scorer.explain import error_text, spoken_source
from scorer.meld_report import head_lines
from scorer.messages import text
from scorer.profile import OPTIONS, RuleProfile, load_profile
from scorer.rulebook import (
    Difference,
    Leaf,
    Summary,
    check_file,
    differences,
    effective,
    profile_data,
    profile_toml,
    stated,
    summaries,
)

app = command_group()

RuleSet = Annotated[str, typer.Argument(metavar="ID", help="A rule set, as rules list names them.")]


def _tongue(lang: str | None) -> str:
    return choice(None, None, None, lang).lang or "en"


@app.command("list")
def list_rules(as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """List the rule sets."""
    tongue = _tongue(lang)
    found = summaries()
    if as_json:
        say_json([one.data() for one in found])
    else:
        rows = [_summary_row(one, tongue) for one in found]
        heads = [text(f"rules.{name}", tongue) for name in ("id", "name", "extends", "assumptions")]
        _columns([heads, *rows])
    return 0


def _summary_row(one: Summary, tongue: str) -> list[str]:
    mark = f" ({text('rules.default', tongue)})" if one.default else ""
    name = one.name_it if tongue == "it" else one.name_en
    return [one.id, name + mark, one.extends, f"{one.assumptions}/{one.values}"]


@app.command()
def show(
    ident: RuleSet = "",
    whole: Annotated[bool, typer.Option("--effective", help="Every value, also the inherited ones.")] = False,
    as_toml: Annotated[bool, typer.Option("--toml", help="As a TOML file, to begin house rules with.")] = False,
    as_json: JsonFlag = False,
    option: OptionList = None,
    rules_file: RulesFile = None,
    lang: LangCode = None,
) -> int:
    """Show a rule set: each value, and the words that it rests on."""
    chosen = choice(ident or None, option, rules_file, lang)
    tongue = chosen.lang or "en"
    profile = chosen.profile()
    if as_toml:
        say(profile_toml(profile).rstrip("\n"))
    elif as_json:
        say_json(profile_data(profile, only_stated=not whole, lang=tongue))
    else:
        say(*head_lines(profile, tongue), "")
        leaves = effective(profile) if whole else stated(profile)
        _leaves(leaves, tongue)
        if len(leaves) < len(OPTIONS):
            say("", text("rules.stated_note", tongue, count=len(OPTIONS)))
    return 0


def _leaves(leaves: Sequence[Leaf], tongue: str) -> None:
    section = ""
    width = max([len(f"{leaf.key} = {leaf.text}") for leaf in leaves] + [0])
    width = min(width, 44)
    for leaf in leaves:
        if leaf.section != section:
            section = leaf.section
            say(tone(f"[{section}]", "strong"))
        said = tone(spoken_source(leaf.source, tongue), "faint")
        say(f"  {leaf.key + ' = ' + leaf.text:<{width}}  {said}".rstrip())


@app.command()
def diff(left: RuleSet, right: RuleSet, as_json: JsonFlag = False, lang: LangCode = None) -> int:
    """Show where two rule sets differ; a rule set may also be the path of a house rules file."""
    tongue = _tongue(lang)
    one, two = _rule_set(left), _rule_set(right)
    found = differences(one, two)
    if as_json:
        say_json({"left": one.id, "right": two.id, "differences": [item.data(tongue) for item in found]})
    elif not found:
        say(text("rules.same", tongue, left=one.id, right=two.id))
    else:
        say(text("rules.differs", tongue, left=one.id, right=two.id, count=len(found)), "")
        _columns([[text("rules.key", tongue), one.id, two.id], *[_difference_row(item) for item in found]])
    return 0


def _difference_row(item: Difference) -> list[str]:
    return [item.key, item.left.text, item.right.text]


def _rule_set(name: str) -> RuleProfile:
    if name.endswith(".toml"):
        return choice(None, None, name, None).profile()
    return load_profile(name)


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE.toml", help="A file of house rules; - is standard input.")],
    as_json: JsonFlag = False,
    lang: LangCode = None,
) -> int:
    """Check a file of house rules: is it valid, what does it change, what has no source."""
    tongue = _tongue(lang)
    words = read_text(file)
    shipped = Path(file).resolve().parent == Path(str(resources.files("scorer") / "profiles")).resolve()
    outcome = check_file(words, shipped=shipped)
    profile = outcome.profile
    if as_json:
        fault = {"code": outcome.fault.code, "message": error_text(outcome.fault, tongue)} if outcome.fault else None
        changes = [item.data(tongue) for item in outcome.changes]
        bare = list(outcome.without_source)
        ident = profile.id if profile else None
        say_json({"good": outcome.good, "id": ident, "error": fault, "changes": changes, "without_source": bare})
        return 0 if outcome.good else 2
    if profile is None:
        raise outcome.fault or BurracoError("")
    name, base = shown_name(file), profile.extends
    code = "rules.good" if base else "rules.good_whole"
    say(tone(text(code, tongue, name=name, id=profile.id, count=len(outcome.changes), base=base), "good"))
    if outcome.changes:
        _columns([[text("rules.key", tongue), base, profile.id], *[_difference_row(item) for item in outcome.changes]])
    if outcome.without_source:
        say(tone(text("rules.without_source", tongue, keys=", ".join(outcome.without_source)), "note"))
    return 0


def _columns(rows: Sequence[Sequence[str]]) -> None:
    """Rows in aligned columns, the first one a heading."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for number, row in enumerate(rows):
        line = "  ".join([f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]).rstrip()
        say(tone(line, "strong" if not number and on_terminal() else ""))
