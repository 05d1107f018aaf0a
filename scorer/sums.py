"""Typed totals: what is impossible, what is unlikely, and whether a total can be reached at all.

The bounds are honest, not tight: what they refuse cannot happen under the profile, what they let pass need not have.

>>> from scorer.profile import load_profile
>>> profile = load_profile("vanikar")
>>> reachable([365, -5], profile), reachable([362, -5], profile)
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import gcd

from scorer.cards import CARDS, DECK, JOKER_CODE
from scorer.melds import CLEAN_TYPES, Violation
from scorer.profile import BURRACO_TYPES, RuleProfile
from scorer.table import Pozzetto


@dataclass(frozen=True, slots=True)
class QuickSide:
    """A side as score keepers write it: burrachi by type, card points on the table, points left in hand (positive)."""

    burrachi: dict[str, int] = field(default_factory=dict)
    card_points: int = 0
    hand: int = 0
    closed: bool = False
    pozzetto: Pozzetto | None = None


def deck_points(profile: RuleProfile) -> int:
    """Card points of all 108 cards (1,080 under the usual values)."""
    table = profile.rules.points
    return sum(table[card.code] for card in DECK)


def step(profile: RuleProfile) -> int:
    """Every total of this profile is a multiple of this number of points (5 under the usual values, 1 with pips)."""
    rules = profile.rules
    values = [rules.points[card.code] for card in CARDS[: JOKER_CODE + 1]]
    paid = [b for b in (*rules.bonus_run, *rules.bonus_set) if b is not None]
    return gcd(*values, *paid, profile.bonus.closing, profile.pot.pot_penalty)


def quick_points(sides: Sequence[QuickSide], profile: RuleProfile) -> tuple[int, ...]:
    """The total of each side; call `quick_faults` first."""
    nobody = profile.pot.pots and all(side.pozzetto == "not_taken" for side in sides)
    return tuple(_quick_total(side, profile, nobody) for side in sides)


def quick_void(sides: Sequence[QuickSide], profile: RuleProfile) -> bool:
    """Whether the deal is void because no side took a pot and nobody closed."""
    untouched = all(side.pozzetto == "not_taken" and not side.closed for side in sides)
    return profile.pot.pots and profile.pot.pot_nobody == "void" and untouched


def _quick_total(side: QuickSide, profile: RuleProfile, nobody: bool) -> int:
    bonus = sum(count * (_pays(kind, profile) or 0) for kind, count in side.burrachi.items())
    pot = 0
    if profile.pot.pots:
        forgiven = nobody and profile.pot.pot_nobody != "penalty"
        if side.pozzetto == "not_taken" and not forgiven:
            pot = -profile.pot.pot_penalty
        if side.pozzetto == "unplayed" and profile.pot.pot_unplayed == "penalty":
            pot = -profile.pot.pot_penalty
    return side.card_points + bonus + (profile.bonus.closing if side.closed else 0) - side.hand + pot


def _pays(kind: str, profile: RuleProfile) -> int | None:
    """Points of a burraco by type; `set_clean`, `set_dirty` where sets pay apart, `..._trump` in the trump suit."""
    rules = profile.rules
    plain, trump = kind.removesuffix("_trump"), kind.endswith("_trump")
    of_set = plain.removeprefix("set_")
    if (trump and rules.trump < 0) or plain not in (*BURRACO_TYPES, "set_clean", "set_dirty"):
        return None
    table = rules.bonus_set if plain.startswith("set_") else rules.bonus_run
    points = table[BURRACO_TYPES.index(of_set)]
    return points * rules.trump_factor if points is not None and trump else points


def quick_faults(
    sides: Sequence[QuickSide], profile: RuleProfile, names: Sequence[str] | None = None
) -> list[Violation]:
    """Everything impossible about a deal in quick form; empty when it can be. `names` of the sides, for the words."""
    named = list(names or [str(i) for i in range(1, len(sides) + 1)])
    faults: list[Violation] = []
    unit, most = step(profile), deck_points(profile)
    closers = [name for name, side in zip(named, sides, strict=True) if side.closed]
    if len(closers) > 1:
        faults.append(Violation("two_closed", (), "", (("sides", ", ".join(closers)),)))
    laid = sum(side.card_points + side.hand for side in sides)
    if laid > most:
        faults.append(Violation("more_points_than_deck", (), "values", (("points", laid), ("most", most))))
    need = profile.meld.burraco_cards * sum(sum(side.burrachi.values()) for side in sides)
    if need > len(DECK):
        faults.append(Violation("more_burrachi_than_cards", (), "burraco_cards", (("cards", need),)))
    for name, side in zip(named, sides, strict=True):
        faults += _quick_side_faults(side, name, profile, unit)
    return faults


def _quick_side_faults(side: QuickSide, name: str, profile: RuleProfile, unit: int) -> Iterator[Violation]:
    who = ("side", name)
    for key, points in (("card_points", side.card_points), ("hand", side.hand)):
        if points < 0:
            yield Violation("negative_points", (), "", (who, ("field", key), ("points", points)))
        elif points % unit:
            yield Violation("not_a_multiple", (), "values", (who, ("points", points), ("step", unit)))
    for kind, count in side.burrachi.items():
        if count < 0 or _pays(kind, profile) is None:
            yield Violation("unknown_burraco", (), "", (who, ("type", kind), ("count", count)))
    least = _least_cards(side, profile)
    if 0 <= side.card_points < least:
        yield Violation("too_few_card_points", (), "values", (who, ("points", side.card_points), ("least", least)))
    if side.closed:
        yield from _quick_closing(side, name, profile)


def _quick_closing(side: QuickSide, name: str, profile: RuleProfile) -> Iterator[Violation]:
    who = ("side", name)
    if profile.pot.pots and side.pozzetto in ("not_taken", "unplayed"):
        yield Violation("close_without_pot", (), "pots", (who,))
    made = {k.removesuffix("_trump").removeprefix("set_") for k, count in side.burrachi.items() if count > 0}
    need = profile.close.close_burraco
    if need == "any" and not made:
        yield Violation("close_without_burraco", (), "close_burraco", (who,))
    elif need == "clean" and not made & CLEAN_TYPES:
        yield Violation("close_without_clean", (), "close_burraco", (who,))


def _least_cards(side: QuickSide, profile: RuleProfile) -> int:
    """Fewest card points that so many burrachi can hold: seven of the cheapest card each."""
    table = profile.rules.points
    cheapest = min(table[card.code] for card in CARDS[: JOKER_CODE + 1])
    return sum(max(0, n) for n in side.burrachi.values()) * profile.meld.burraco_cards * cheapest


# --- the sum checker -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _bonus_sums(profile: RuleProfile, most_burrachi: int) -> frozenset[tuple[int, int]]:
    """Sums of burraco bonuses with how many burrachi make them."""
    rules = profile.rules
    factor = rules.trump_factor if rules.trump >= 0 else 1
    paid = {b * f for b in (*rules.bonus_run, *rules.bonus_set) if b for f in (1, factor)}
    found = {(0, 0)}
    frontier = {(0, 0)}
    for _ in range(most_burrachi):
        frontier = {(total + b, count + 1) for total, count in frontier for b in paid}
        found |= frontier
    return frozenset(found)


def reachable(totals: Sequence[int], profile: RuleProfile) -> bool:
    """Whether some deal under this profile can give these totals, by divisibility and by what 108 cards hold.

    Looks at every number of burrachi up to five a side, one closing at most, the pot taken or not.
    """
    unit, most = step(profile), deck_points(profile)
    if any(total % unit for total in totals):
        return False
    limit = 5 if len(totals) == 2 else 3
    sums = _bonus_sums(profile, limit)
    pots = (0, -profile.pot.pot_penalty) if profile.pot.pots else (0,)
    for closer in range(-1, len(totals)):
        spent = [
            _cheapest(total, profile.bonus.closing if i == closer else 0, pots, sums, profile, most)
            for i, total in enumerate(totals)
        ]
        if all(cards is not None for cards in spent) and sum(c or 0 for c in spent) <= most:
            return True
    return False


def _cheapest(
    total: int, closing: int, pots: tuple[int, ...], sums: frozenset[tuple[int, int]], profile: RuleProfile, most: int
) -> int | None:
    """The fewest card points, laid and held, with which one side can have this total; None when it cannot."""
    needs_burraco = bool(closing) and profile.close.close_burraco != "none"
    cheapest = profile.meld.burraco_cards * min(profile.rules.points[card.code] for card in CARDS[: JOKER_CODE + 1])
    best: int | None = None
    for (bonus, count), pot in product(sums, pots):
        if (needs_burraco and not count) or (closing and pot):
            continue
        net = total - closing - pot - bonus
        laid = max(net, count * cheapest)
        cards = laid + (laid - net)
        if cards <= most and (best is None or cards < best):
            best = cards
    return best
