"""What many deals say: means, spreads, counts. Everything is a plain number, rounded: the same deals, the same bytes.

>>> spread([10.0, 20.0, 60.0]).mean, spread([]) is None
(30.0, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, Final, NamedTuple

from scorer.game.simulate import DealSummary, MatchSummary, Plan, Unit
from scorer.game.state import SEAT_LETTERS, game_of

#: The quantiles that are told.
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Ways a deal may end.
ENDS: Final = ("close", "stock", "stall", "truncated")


class Spread(NamedTuple):
    """A distribution in a few numbers: mean, standard deviation, and the values at 5, 25, 50, 75 and 95 %."""

    mean: float
    sd: float
    quantiles: tuple[float, ...]

    def shape(self) -> dict[str, Any]:
        """As JSON-ready data."""
        names = [f"p{round(100 * q)}" for q in QUANTILES]
        return {"mean": self.mean, "sd": self.sd, **dict(zip(names, self.quantiles, strict=True))}


def spread(values: Sequence[float]) -> Spread | None:
    """The distribution of some values; None without any. The standard deviation is the sample's (n - 1)."""
    if not values:
        return None
    count = len(values)
    mean = sum(values) / count
    sd = sqrt(sum((v - mean) ** 2 for v in values) / (count - 1)) if count > 1 else 0.0
    ordered = sorted(values)
    return Spread(round(mean, 2), round(sd, 2), tuple(round(_quantile(ordered, q), 1) for q in QUANTILES))


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Between the two nearest values, in proportion."""
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def deals_of(units: Iterable[Unit]) -> list[DealSummary]:
    """Every deal of some units, in order."""
    out: list[DealSummary] = []
    for unit in units:
        out.extend(unit.deals if isinstance(unit, MatchSummary) else (unit,))
    return out


def statistics(plan: Plan, units: Sequence[Unit]) -> dict[str, Any]:
    """The totals and distributions of a run, as JSON-ready data. Deals that were cut off have no points."""
    deals = deals_of(units)
    letters, bots = SEAT_LETTERS[plan.players], plan.seat_bots()
    counted = [d for d in deals if d.end != "truncated" and not d.void]
    seats = {letters[seat]: {"bot": bots[seat], **_of_seat(counted, seat)} for seat in range(plan.players)}
    return {
        "turns": _shape([d.turns for d in counted]), "moves": _shape([d.moves for d in counted]),
        "burrachi": _burrachi(counted), "seats": seats, "first_player_edge": first_edge(plan, counted),
    }  # fmt: skip


def _shape(values: Sequence[float]) -> dict[str, Any] | None:
    found = spread(values)
    return found.shape() if found else None


def _of_seat(deals: Sequence[DealSummary], seat: int) -> dict[str, Any]:
    """What one seat did: its side's points and burrachi, its own closings, the pots its side never had."""
    made: Counter[str] = Counter()
    missed = dealt = 0
    for deal in deals:
        side = next(i for i, seats in enumerate(deal.sides) if seat in seats)
        made.update(dict(deal.burrachi[side]))
        if deal.pots:
            dealt += 1
            missed += not deal.pots[side]
    count = max(len(deals), 1)
    return {
        "points": _shape([d.points[seat] for d in deals]),
        "closed": sum(d.closer == seat for d in deals),
        "burrachi": {kind: round(made[kind] / count, 3) for kind in sorted(made)},
        "pots_missed": round(missed / dealt, 3) if dealt else None,
    }


def _burrachi(deals: Sequence[DealSummary]) -> dict[str, int]:
    made: Counter[str] = Counter()
    for deal in deals:
        for side in deal.burrachi:
            made.update(dict(side))
    return {kind: made[kind] for kind in sorted(made)}


def first_edge(plan: Plan, deals: Sequence[DealSummary]) -> dict[str, Any] | None:
    """Points a deal that the side of the first player is ahead of the mean of the others, with a 95 % interval.

    The interval is the normal one (1.96 standard errors); None for fewer than two deals.
    """
    if len(deals) < 2:
        return None
    step = game_of(plan.profile, plan.players).step
    edges = []
    for deal in deals:
        first = (deal.dealer + step) % plan.players
        mine = next(seats for seats in deal.sides if first in seats)
        others = [deal.points[seats[0]] for seats in deal.sides if seats != mine]
        edges.append(deal.points[first] - sum(others) / max(len(others), 1))
    count = len(edges)
    mean = sum(edges) / count
    error = 1.96 * sqrt(sum((e - mean) ** 2 for e in edges) / (count - 1) / count)
    won = sum(e > 0 for e in edges) + 0.5 * sum(e == 0 for e in edges)
    return {
        "points": round(mean, 2), "low": round(mean - error, 2), "high": round(mean + error, 2),
        "won": round(won / count, 4),
    }  # fmt: skip


def match_shape(plan: Plan, matches: Sequence[MatchSummary]) -> dict[str, Any]:
    """Who won how many matches, and how long they were. `units` are the sides, or the players where each counts."""
    letters = SEAT_LETTERS[plan.players]
    each = bool(matches) and len(matches[0].totals) == plan.players
    firsts = game_of(plan.profile, plan.players).first_sides
    names = [
        letters[i] if each else "".join(letters[s] for s in range(plan.players) if firsts[s] == i)
        for i in range(len(matches[0].totals) if matches else 0)
    ]
    return {
        "count": len(matches), "unfinished": sum(m.winner < 0 for m in matches),
        "won": {name: sum(m.winner == i for m in matches) for i, name in enumerate(names)},
        "deals": _shape([len(m.deals) for m in matches]),
        "results": [
            {
                "match": m.number, "deals": len(m.deals), "totals": dict(zip(names, m.totals, strict=True)),
                "winner": names[m.winner] if m.winner >= 0 else None,
            }
            for m in matches
        ],
    }  # fmt: skip


def csv_text(plan: Plan, deals: Sequence[DealSummary]) -> str:
    """One row a deal: the columns are named in the first row; a list in a cell is separated by spaces."""
    letters = SEAT_LETTERS[plan.players]
    kinds = sorted({kind for deal in deals for side in deal.burrachi for kind, _ in side})
    head = ["match", "deal", "dealer", "end", "closer", "turns", "moves", "void"]
    head += (
        [f"points_{letter}" for letter in letters] + [f"burrachi_{kind}" for kind in kinds] + ["sides", "pots_missed"]
    )
    lines = [",".join(head)]
    for deal in deals:
        made: Counter[str] = Counter()
        for side in deal.burrachi:
            made.update(dict(side))
        names = ["".join(letters[seat] for seat in seats) for seats in deal.sides]
        missed = [name for name, had in zip(names, deal.pots, strict=False) if not had]
        row: list[object] = [
            deal.match if deal.match >= 0 else "", deal.number, letters[deal.dealer], deal.end,
            letters[deal.closer] if deal.closer >= 0 else "", deal.turns, deal.moves, int(deal.void),
            *deal.points, *[made[kind] for kind in kinds], " ".join(names), " ".join(missed),
        ]  # fmt: skip
        lines.append(",".join(map(str, row)))
    return "\n".join(lines) + "\n"
