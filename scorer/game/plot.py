"""Charts of a simulation as PNG or SVG (extra `plot`): points a deal by seat, and turns a deal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from scorer.contract import refuse
from scorer.errors import MissingExtraError
from scorer.game.simulate import DealSummary, Plan
from scorer.game.state import SEAT_LETTERS
from scorer.messages import text

FORMATS: Final = (".png", ".svg")


def check_plot(name: str) -> None:
    """One clear error, before anything is played, for a name that is no chart or when matplotlib is not there."""
    from importlib.util import find_spec

    if Path(name).suffix.lower() not in FORMATS:
        raise refuse("bad_value", path="--plot", value=name[-40:], allowed=", ".join(f"FILE{end}" for end in FORMATS))
    if find_spec("matplotlib") is None:
        params = {"feature": "simulate --plot", "extra": "plot"}
        raise MissingExtraError(text("missing_extra", "en", **params), **params)


def plot(plan: Plan, deals: Sequence[DealSummary], name: str, lang: str) -> None:
    """Draw the distributions of a run into a file; the same deals give the same bytes as SVG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure  # no pyplot: nothing global, no window

    mpl.rcParams["svg.hashsalt"] = "burraco"
    counted = [deal for deal in deals if deal.end != "truncated" and not deal.void]
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    letters, bots = SEAT_LETTERS[plan.players], plan.seat_bots()
    shown: list[tuple[int, ...]] = []
    for seat in range(plan.players):
        points = tuple(deal.points[seat] for deal in counted)
        if points in shown:
            continue  # partners have the same points
        shown.append(points)
        _histogram(left, points, f"{letters[seat]} {bots[seat]}")
    left.set(xlabel=text("simulate.points", lang), ylabel=text("simulate.deals", lang))
    left.legend()
    _histogram(right, [deal.turns for deal in counted], "")
    right.set(xlabel=text("simulate.turns", lang), ylabel=text("simulate.deals", lang))
    try:
        metadata: dict[str, Any] = {"Date": None} if name.lower().endswith(".svg") else {}
        figure.savefig(name, metadata=metadata)
    except OSError as error:
        raise refuse("cannot_write", name=name[-120:], detail=error.strerror or str(error)) from None


def _histogram(axes: Any, values: Sequence[int], label: str) -> None:
    if values:
        axes.hist(values, bins=min(40, max(5, len(values) // 10)), histtype="stepfilled", alpha=0.5, label=label)
