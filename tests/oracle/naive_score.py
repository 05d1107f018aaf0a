"""A second opinion on a deal's points, from the rule texts: plain mappings in, five numbers a side out.

Imports only `scorer.cards` and the naive melds. A side is a mapping with `melds`, `hand`, `pot` (`played`, `unplayed`,
`not_taken` or None), `pot_cards` and `closed`; everybody's cards of a side are in its one hand, and the closer's are
not among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests.oracle.naive import Placement, Rules, placements, points, rank_of


class Sums(NamedTuple):
    card_points: int
    burraco_bonus: int
    closing: int
    hand: int
    pozzetto: int

    @property
    def total(self) -> int:
        return sum(self)


def deal_sums(sides: Sequence[Mapping[str, Any]], rules: Rules) -> list[Sums] | None:
    """The points of every side; None when the deal is void."""
    nobody = all(side["pot"] == "not_taken" for side in sides)
    if rules["pots"] and nobody and rules["pot_nobody"] == "void" and not any(side["closed"] for side in sides):
        return None
    closers = sum(side["closed"] for side in sides)
    each = len(sides) > 2 or rules["sides"] == "each"  # a lone player who holds cards has not gone out
    return [_side(side, rules, nobody, closers, each) for side in sides]


def _side(side: Mapping[str, Any], rules: Rules, nobody: bool, closers: int, each: bool) -> Sums:
    best = [_best(meld, rules) for meld in side["melds"]]
    burraco = [placement for placement in best if placement is not None and placement.type is not None]
    closing = 0
    out = not (each and side["hand"])
    if side["closed"] and closers == 1 and out and _may_close(side, burraco, rules):
        closing = rules["bonus.closing"]
    hand = -points(side["hand"], rules)
    pot = 0
    if rules["pots"] and side["pot"] == "unplayed":
        if rules["pot_unplayed"] == "hand":
            hand -= points(side["pot_cards"], rules)
        else:
            pot = -rules["pot_penalty"]
    if rules["pots"] and side["pot"] == "not_taken" and not (nobody and rules["pot_nobody"] == "none"):
        pot = -rules["pot_penalty"]
    laid = sum(points(meld, rules) for meld in side["melds"])
    return Sums(laid, sum(placement.bonus for placement in burraco), closing, hand, pot)


def _best(meld: Sequence[Any], rules: Rules) -> Placement | None:
    found = placements(meld, rules)
    return min(found, key=rank_of) if found else None


def _may_close(side: Mapping[str, Any], burraco: Sequence[Placement], rules: Rules) -> bool:
    if rules["pots"] and side["pot"] in ("not_taken", "unplayed"):
        return False
    if rules["close_burraco"] == "clean":
        return any(placement.wilds == 0 for placement in burraco)
    return bool(burraco) or rules["close_burraco"] == "none"
