"""Whole deals against the naive recount, for every rule set and under random house rules."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scorer.cards import DECK, face
from scorer.profile import OPTIONS, RuleProfile, load_profile, profile_ids
from scorer.scoring import score
from scorer.table import Hand, MeldText, Side, Table
from tests.oracle.naive_score import deal_sums
from tests.oracle.test_oracle import mixed_options, near_meld


def random_sides(rng: random.Random) -> list[dict[str, Any]]:
    """Two to four sides with up to three melds each; the cards need not come from one deck."""
    sides = []
    for _ in range(rng.choice((2, 2, 2, 3, 4))):
        pot = rng.choice(("played", "played", "played", "unplayed", "not_taken", "not_taken", None))
        sides.append(
            {
                "melds": [near_meld(rng) for _ in range(rng.randint(0, 3))],
                "hand": rng.sample(DECK, rng.choice((0, 1, 4))),
                "pot": pot,
                "pot_cards": rng.sample(DECK, 11) if pot == "unplayed" else [],
                "closed": False,
            }
        )
    if rng.random() < 0.6:
        closer = rng.choice(sides)
        closer["closed"] = True
        if rng.random() < 0.5:
            closer["melds"].append([face(slot, 0) for slot in range(4, 11)])
    if rng.random() < 0.05:
        rng.choice(sides)["closed"] = True
    return sides


def table_of(sides: list[dict[str, Any]]) -> Table:
    return Table(tuple(
        Side(
            f"S{number}",
            melds=tuple(MeldText(tuple(bag)) for bag in side["melds"]),
            hands=(Hand(tuple(side["hand"])),),
            pozzetto=side["pot"],
            pozzetto_cards=tuple(side["pot_cards"]),
            closed=side["closed"],
        )
        for number, side in enumerate(sides)
    ))  # fmt: skip


def agree(profile: RuleProfile, rng: random.Random) -> bool:
    """Assert that both give the same sums for one random table; tell whether somebody closed well."""
    sides = random_sides(rng)
    rules = {key: profile.get(key) for key in OPTIONS}
    expected = deal_sums(sides, rules)
    sheet = score(table_of(sides), profile)
    assert sheet.void == (expected is None)
    seen = [side.score for side in sheet.sides]
    if expected is None:
        assert all(one == (0,) * 6 for one in seen)
        return False
    assert [tuple(one) for one in seen] == [(*sums, sums.total) for sums in expected], sides
    return any(sums.closing for sums in expected)


def check(ident: str, count: int, seed: int) -> None:
    rng = random.Random(seed)
    closed = sum(agree(load_profile(ident), rng) for _ in range(count))
    assert closed > count * 0.05


@pytest.mark.parametrize("ident", profile_ids())
def test_random_deals(ident: str) -> None:
    check(ident, 40, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("ident", profile_ids())
def test_5000_random_deals(ident: str) -> None:
    check(ident, 5_000, seed=6)


@pytest.mark.slow
def test_random_deals_under_house_rules() -> None:
    rng = random.Random(7)
    for _ in range(1_000):
        agree(load_profile(rng.choice(profile_ids())).with_options(mixed_options(rng)), rng)
