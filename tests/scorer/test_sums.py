"""Typed totals: the impossible is refused, the possible passes."""

import random

from scorer.profile import load_profile
from scorer.sums import QuickSide, deck_points, quick_faults, quick_points, quick_void, reachable, step

VANIKAR = load_profile("vanikar")


def codes(*sides: QuickSide, rules: str = "vanikar") -> list[str]:
    return [fault.code for fault in quick_faults(sides, load_profile(rules))]


def test_deck_and_step() -> None:
    assert (deck_points(VANIKAR), step(VANIKAR)) == (1080, 5)
    assert step(load_profile("brasile")) == 1


def test_quick_points_of_h01() -> None:
    sides = (
        QuickSide({"clean": 1}, 80, 15, True, "played"),
        QuickSide({"dirty": 1}, 60, 65, False, "not_taken"),
    )
    assert not quick_faults(sides, VANIKAR)
    assert quick_points(sides, VANIKAR) == (365, -5)


def test_pot_of_nobody() -> None:
    sides = (QuickSide({}, 15, 60, False, "not_taken"), QuickSide({}, 40, 45, False, "not_taken"))
    assert quick_points(sides, VANIKAR) == (-145, -105)
    assert quick_points(sides, load_profile("fibur")) == (-45, -5)
    assert quick_void(sides, load_profile("classico")) and not quick_void(sides, VANIKAR)


def test_unplayed_pot_under_canasta() -> None:
    sides = (QuickSide({"clean": 1}, 100, 20, True, "played"), QuickSide({}, 55, 15, False, "unplayed"))
    assert quick_points(sides, load_profile("canasta")) == (380, -60)


def test_what_is_impossible() -> None:
    good = QuickSide({"clean": 1}, 80, 0, True, "played")
    assert codes(good, QuickSide({"clean": 1}, 80, 0, True, "played")) == ["two_closed"]
    assert codes(good, QuickSide({}, 82)) == ["not_a_multiple"]
    assert codes(good, QuickSide({}, 1005)) == ["more_points_than_deck"]
    assert codes(QuickSide({}, 80, 0, True, "played"), QuickSide()) == ["close_without_burraco"]
    assert codes(QuickSide({"dirty": 1}, 80, 0, True, None), QuickSide(), rules="brasile") == ["close_without_clean"]
    assert codes(QuickSide({"clean": 1}, 80, 0, True, "not_taken"), QuickSide()) == ["close_without_pot"]
    assert codes(QuickSide({"semi": 1}, 80), QuickSide()) == ["unknown_burraco"]
    assert codes(QuickSide({"clean": 1}, 30), QuickSide()) == ["too_few_card_points"]
    assert "more_burrachi_than_cards" in codes(QuickSide({"clean": 16}, 900), QuickSide())
    assert codes(QuickSide({}, -5), QuickSide()) == ["negative_points"]


def test_sets_and_trump_of_stekius() -> None:
    trump = load_profile("stekius", {"trump": "h"})
    burrachi = {"set_clean": 1, "clean_trump": 1}
    sides = (QuickSide(burrachi, 200, 0, True, "played"), QuickSide({}, 0, 0, False, "played"))
    assert not quick_faults(sides, trump)
    assert quick_points(sides, trump) == (200 + 300 + 400 + 100, 0)
    assert codes(QuickSide({"clean_trump": 1}, 200), rules="stekius") == ["unknown_burraco"]


def test_reachable_totals() -> None:
    assert reachable([365, -5], VANIKAR)
    assert not reachable([363, -5], VANIKAR)
    assert not reachable([3000, 0], VANIKAR)
    assert not reachable([-1300, 0], VANIKAR)
    assert not reachable([1900, 1900], VANIKAR)
    assert reachable([376, 5, -53], load_profile("brasile"))


def test_every_quick_deal_without_faults_has_reachable_totals() -> None:
    rng = random.Random(7)
    seen = 0
    while seen < 200:
        sides = tuple(
            QuickSide(
                {"clean": rng.randrange(3), "dirty": rng.randrange(2)}, 5 * rng.randrange(120), 5 * rng.randrange(30),
                i == 0 and rng.random() < 0.5, rng.choice(("played", "not_taken")),
            )
            for i in range(2)
        )  # fmt: skip
        if quick_faults(sides, VANIKAR):
            continue
        seen += 1
        assert reachable(quick_points(sides, VANIKAR), VANIKAR), sides
