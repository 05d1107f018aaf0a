"""What a deal in the match book may be: a whole table, a quick form, or bare totals. Each is scored or refused here.

* `{"form": "table", "sides": [...], "lang"}`: the sides of a `score` request, scored card by card; with
  `{"options": {"trump": "h"}}` where the rules turn a trump in each deal.
* `{"form": "sheet", "sheet": "..."}`: the quick text of the notation; its rules and options must not contradict.
* `{"form": "quick", "sides": [{"burrachi": {"clean": 1}, "card_points", "hand", "closed", "pozzetto"}, ..]}`.
* `{"form": "total", "points": [365, -5]}`: only what was added up by hand; refused when no deal can give it.
* `{"form": "void"}`: the deal counts for nobody.

A table is kept as it lies: what breaks the rules on it is told (`legal` false), for its players must mend it.
What cannot be (a quick form or total that no deck gives) is refused with one error that names every fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from scorer.contract import refuse, score_request
from scorer.errors import BurracoError, MatchError
from scorer.explain import fault_text
from scorer.melds import Violation
from scorer.messages import text
from scorer.notation import parse_sheet
from scorer.profile import RuleProfile
from scorer.scoring import ScoreSheet, score
from scorer.sums import QuickSide, quick_faults, quick_points, quick_void, reachable, step
from scorer.table import POZZETTO, Side, Table

FORMS: Final = ("table", "sheet", "quick", "total", "void")
#: The largest number a person may type, in points.
MAX_POINTS: Final = 100_000


class SideDetail(NamedTuple):
    """What statistics need of a side; zero and empty where the form does not tell."""

    burrachi: dict[str, int]
    closed: bool
    pozzetto: str | None


class ScoredEntry(NamedTuple):
    """A deal's points for each side, whether it is void, whether its table is legal, and why not."""

    points: tuple[int, ...]
    void: bool
    faults: tuple[Violation, ...]
    details: tuple[SideDetail, ...]

    @property
    def legal(self) -> bool:
        """True when nothing on the table breaks the rules."""
        return not self.faults


def bad_entry(fault: str, **params: object) -> BurracoError:
    """The refusal of a deal or a match that has the wrong shape; `fault` is a sentence under `fault.`."""
    return MatchError(text(f"fault.{fault}", "en", **params), code="bad_entry", fault=fault, **params)


def score_entry(entry: object, profile: RuleProfile, names: Sequence[str], lang: str = "en") -> ScoredEntry:
    """Score a deal of a match whose sides are `names`; BurracoError (one line, every fault) when it cannot be."""
    if not isinstance(entry, Mapping):
        raise bad_entry("no_object")
    form = entry.get("form")
    if form == "void":
        _known(entry, ())
        return ScoredEntry((0,) * len(names), True, (), ())
    if form == "total":
        return _total(entry, profile, names, lang)
    if form == "quick":
        return _quick(entry, profile, names, lang)
    if form == "table":
        body = {key: value for key, value in entry.items() if key != "form"}
        return _table(score_request(body, profile=profile).table, _with_trump(profile, body.get("options")), names)
    if form == "sheet":
        return _sheet(entry, profile, names)
    raise bad_entry("form", known=", ".join(FORMS))


def _with_trump(profile: RuleProfile, options: object) -> RuleProfile:
    """The rules of the match with the trump of this deal: the one option that belongs to a deal."""
    trump = options.get("trump") if isinstance(options, Mapping) else None
    return profile.with_options({"trump": trump}) if trump else profile


def _known(entry: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    unknown = sorted(str(key) for key in entry if key not in (*keys, "form"))
    if unknown:
        raise bad_entry("unknown_key", path="", key=unknown[0][:40])


def _whole(value: object, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_POINTS:
        raise bad_entry("whole", path=path)
    return value


def _sides(entry: Mapping[str, Any], key: str, names: Sequence[str]) -> list[Any]:
    stated = entry.get(key)
    if not isinstance(stated, list) or len(stated) != len(names):
        raise refuse("one_per_side", key=key, count=len(names))
    return stated


def _impossible(faults: Sequence[Violation], lang: str) -> BurracoError:
    lines = "; ".join(fault_text(fault, "en") for fault in faults)
    made = MatchError(lines, code="impossible_deal", faults="; ".join(fault_text(fault, lang) for fault in faults))
    made.params["codes"] = [fault.code for fault in faults]
    return made


# --- the forms --------------------------------------------------------------------------------------------------------


def _total(entry: Mapping[str, Any], profile: RuleProfile, names: Sequence[str], lang: str) -> ScoredEntry:
    _known(entry, ("points",))
    points = tuple(_whole(value, f"points[{i}]") for i, value in enumerate(_sides(entry, "points", names)))
    unit = step(profile)
    for name, total in zip(names, points, strict=True):
        if total % unit:
            raise _impossible([Violation("not_a_multiple", (), "values",
                                         (("side", name), ("points", total), ("step", unit)))], lang)  # fmt: skip
    if not reachable(points, profile):
        totals = ", ".join(str(total) for total in points)
        raise MatchError(f"no deal can give these totals: {totals}", code="unreachable_total", totals=totals)
    return ScoredEntry(points, False, (), ())


def _quick(entry: Mapping[str, Any], profile: RuleProfile, names: Sequence[str], lang: str) -> ScoredEntry:
    _known(entry, ("sides",))
    sides = tuple(_quick_side(item, f"sides[{i}]") for i, item in enumerate(_sides(entry, "sides", names)))
    faults = quick_faults(sides, profile, names)
    if faults:
        raise _impossible(faults, lang)
    details = tuple(SideDetail(dict(side.burrachi), side.closed, side.pozzetto) for side in sides)
    if quick_void(sides, profile):
        return ScoredEntry((0,) * len(names), True, (), details)
    return ScoredEntry(quick_points(sides, profile), False, (), details)


def _quick_side(item: object, path: str) -> QuickSide:
    if not isinstance(item, Mapping):
        raise bad_entry("object", path=path)
    keys = {"burrachi", "card_points", "hand", "closed", "pozzetto"}
    if set(item) - keys:
        raise bad_entry("unknown_key", path=path, key=str(sorted(set(item) - keys)[0])[:40])
    burrachi = item.get("burrachi", {})
    if not isinstance(burrachi, Mapping) or len(burrachi) > 20:
        raise bad_entry("counts", path=f"{path}.burrachi")
    closed, pozzetto = item.get("closed", False), item.get("pozzetto")
    if not isinstance(closed, bool) or pozzetto not in (*POZZETTO, None):
        raise bad_entry("closing", path=path, known=", ".join(POZZETTO))
    return QuickSide(
        {str(kind)[:40]: _whole(count, f"{path}.burrachi") for kind, count in burrachi.items()},
        _whole(item.get("card_points", 0), f"{path}.card_points"),
        _whole(item.get("hand", 0), f"{path}.hand"),
        closed,
        pozzetto,
    )


def _sheet(entry: Mapping[str, Any], profile: RuleProfile, names: Sequence[str]) -> ScoredEntry:
    _known(entry, ("sheet", "lang"))
    words = entry.get("sheet")
    if not isinstance(words, str):
        raise bad_entry("no_text", path="sheet")
    sheet = parse_sheet(words, str(entry.get("lang", "en")))
    if sheet.rules is not None and sheet.rules != profile.id:
        raise MatchError(
            f"the sheet is for {sheet.rules}, the match is played under {profile.id}",
            code="other_rules", sheet=sheet.rules, match=profile.id,
        )  # fmt: skip
    return _table(sheet.table, _with_trump(profile, sheet.options), names)


def _table(table: Table, profile: RuleProfile, names: Sequence[str]) -> ScoredEntry:
    sides = _in_order(table.sides, names)
    result = score(Table(sides), profile)
    points = tuple(side.score.total for side in result.sides)
    return ScoredEntry(points, result.void, result.violations, _details(result, sides))


def _in_order(sides: tuple[Side, ...], names: Sequence[str]) -> tuple[Side, ...]:
    """The table's sides in the order of the match: by name where all names are known, else as they stand."""
    if len(sides) != len(names):
        raise MatchError(
            f"the table has {len(sides)} sides, the match has {len(names)}",
            code="wrong_number_of_sides", deal=0, given=len(sides), sides=len(names),
        )  # fmt: skip
    by_name = {side.name.casefold(): side for side in sides}
    wanted = [name.casefold() for name in names]
    return tuple(by_name[name] for name in wanted) if set(by_name) == set(wanted) else sides


def _details(result: ScoreSheet, sides: Sequence[Side]) -> tuple[SideDetail, ...]:
    out = []
    for scored, side in zip(result.sides, sides, strict=True):
        burrachi: dict[str, int] = {}
        for verdict in scored.melds:
            if verdict.type is not None:
                burrachi[verdict.type] = burrachi.get(verdict.type, 0) + 1
        out.append(SideDetail(burrachi, side.closed, side.pozzetto))
    return tuple(out)
