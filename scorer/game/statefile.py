"""What a simulation has done so far, kept so that it can go on: JSON lines, the plan first, then one unit a line.

The plan says everything that decides the results (rules with every option, seats, bots, seed) and not how many deals
are wanted, so a run can be continued and also made longer. A last line that was cut off by a kill is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from scorer.errors import BurracoError
from scorer.game.simulate import DealSummary, MatchSummary, Plan, Unit
from scorer.messages import text
from scorer.record import rules_digest

FORMAT: Final = "burraco-simulation/1"


def plan_json(plan: Plan, *, matches: bool) -> dict[str, Any]:
    """What decides the results of a run."""
    return {
        "format": FORMAT, "of": "matches" if matches else "deals", "rules": plan.profile.id,
        "values": rules_digest(plan.profile), "players": plan.players,
        "bots": list(plan.seat_bots()), "seed": plan.seed, "turn_cap": plan.turn_cap,
    }  # fmt: skip


def unit_json(unit: Unit) -> dict[str, Any]:
    """A unit as JSON-ready data."""
    if isinstance(unit, DealSummary):
        return unit._asdict()
    return {**unit._asdict(), "deals": [deal._asdict() for deal in unit.deals]}


def unit_of(data: Mapping[str, Any]) -> Unit:
    """A unit from its data; KeyError, TypeError or ValueError for anything else."""
    if "totals" in data:
        deals = tuple(_deal(one) for one in data["deals"])
        return MatchSummary(int(data["number"]), deals, tuple(map(int, data["totals"])), int(data["winner"]))
    return _deal(data)


def _deal(data: Mapping[str, Any]) -> DealSummary:
    return DealSummary(
        int(data["number"]), int(data["dealer"]), str(data["end"]), int(data["closer"]), int(data["turns"]),
        int(data["moves"]), bool(data["void"]), tuple(map(int, data["points"])),
        tuple(tuple(map(int, side)) for side in data["sides"]),
        tuple(tuple((str(kind), int(count)) for kind, count in side) for side in data["burrachi"]),
        tuple(map(bool, data["pots"])), int(data["match"]), bool(data["three_pots"]),
    )  # fmt: skip


class StateFile:
    """The file of a run: reads what is done, then takes what comes. BurracoError when it is another plan's."""

    def __init__(self, name: str, plan: Plan, *, matches: bool) -> None:
        self.path = Path(name)
        self.head = plan_json(plan, matches=matches)
        self.done: dict[int, Unit] = {}
        self._read()

    def _read(self) -> None:
        try:
            words = self.path.read_bytes()
        except FileNotFoundError:
            words = b""
        except OSError as error:
            raise self._refuse("unreadable_file", detail=error.strerror or str(error)) from None
        whole = words[: words.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if not lines and words:
            raise self._refuse("state_not_ours")
        try:
            for at, line in enumerate(lines):
                data = json.loads(line)
                if at == 0:
                    self._compare(data)
                else:
                    unit = unit_of(data)
                    self.done[unit.number] = unit
        except (ValueError, KeyError, TypeError, AttributeError):
            raise self._refuse("state_not_ours") from None
        try:
            if not lines:
                self.path.write_text(json.dumps(self.head) + "\n", encoding="utf-8")
            elif len(whole) < len(words):
                self.path.write_bytes(whole)
        except OSError as error:
            raise self._refuse("cannot_write", detail=error.strerror or str(error)) from None

    def _compare(self, found: Mapping[str, Any]) -> None:
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._refuse("state_not_ours")
        other = sorted(key for key in self.head | found if self.head.get(key) != found.get(key))
        if other:
            raise self._refuse("state_of_another_plan", what=", ".join(other))

    def _refuse(self, code: str, **params: object) -> BurracoError:
        name = "".join(c if c.isprintable() else "�" for c in str(self.path))[:120]
        return BurracoError(text(code, "en", name=name, **params), code=code, name=name, **params)

    def keep(self, units: Iterable[Unit]) -> None:
        """Add what is done to the file, whole lines at once."""
        words = "".join(json.dumps(unit_json(unit)) + "\n" for unit in units)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(words)
        except OSError as error:
            raise self._refuse("cannot_write", detail=error.strerror or str(error)) from None
