"""Ends of matches: E01 to E08 and E10 of rules.md 3, ties, void deals, edits, stakes."""

import pytest

from scorer.errors import MatchError
from scorer.match import Deal, halves, leave, settle, standing, three_player_phase, three_player_points
from scorer.profile import load_profile
from scorer.victory import vp_table


def deals(*points: tuple[int, ...]) -> list[Deal]:
    return [Deal(p) for p in points]


def test_e01_reaching_the_target_is_enough() -> None:
    state = standing(deals((375, -80), (130, 200)), load_profile("classico", {"target": 505}))
    assert (state.totals, state.finished, state.winners) == ((505, 120), True, (0,))


def test_e02_both_over_the_higher_total_wins() -> None:
    state = standing(deals((1990, 1995), (20, 10)), load_profile("vanikar"))
    assert (state.totals, state.winners) == ((2010, 2005), (0,))


def test_e03_equal_totals_over_the_target_play_another_deal() -> None:
    rows = deals((1990, 1995), (20, 15))
    state = standing(rows, load_profile("vanikar"))
    assert (state.totals, state.finished, state.winners, state.leaders) == ((2010, 2010), False, (), (0, 1))
    assert standing([*rows, Deal((-50, 5))], load_profile("vanikar")).winners == (1,)


def test_ties_are_shared_where_the_profile_says_so() -> None:
    state = standing(deals((2010, 2010)), load_profile("vanikar", {"tie": "shared"}))
    assert state.finished and state.winners == (0, 1)


def test_e04_below_the_target_goes_on() -> None:
    state = standing(deals((2000, 1500)), load_profile("vanikar"))
    assert not state.finished and state.missing == (5, 505)


def test_e05_the_higher_of_two_over_505() -> None:
    assert standing(deals((505, 600)), load_profile("vanikar", {"target": 505})).winners == (1,)


def test_e06_stekius_both_over() -> None:
    assert standing(deals((2100, 2300)), load_profile("stekius")).winners == (1,)
    assert not standing(deals((2100, 2100)), load_profile("stekius")).finished


def test_e07_three_players_the_highest() -> None:
    state = standing(deals((3010, 2990, 3040)), load_profile("brasile"), sides=3, seats=3)
    assert state.winners == (2,)


def test_e08_halves_are_rounded_up() -> None:
    assert (halves(305), halves(-305), halves(300)) == (153, -152, 150)
    assert three_player_points((420, 305), 0) == (420, 153, 153)
    assert three_player_points((420, -305), 2) == (-152, -152, 420)


def test_e09_a_player_at_1000_changes_the_next_deal() -> None:
    assert three_player_phase((995, 20, 300)) == "pair"
    assert three_player_phase((1000, 20, 300)) == "each"


def test_e10_victory_points_of_four_deals() -> None:
    rows = deals((900, 400), (300, 500), (360, 225), (300, 300))
    state = standing(rows, load_profile("fibur"), length=4, table=vp_table("deals-4"))
    assert (state.totals, state.finished, state.victory) == ((1860, 1425), True, (12, 8))
    assert standing(rows[:3], load_profile("fibur"), length=4, table=vp_table("deals-4")).victory is None


def test_an_edit_of_deal_one_moves_the_end_earlier() -> None:
    profile = load_profile("vanikar", {"target": 505})
    before = standing(deals((100, 50), (200, 100), (250, 0)), profile)
    after = standing(deals((400, 50), (200, 100), (250, 0)), profile)
    assert (before.counted, before.totals) == (3, (550, 150))
    assert (after.counted, after.totals, after.finished) == (2, (600, 150), True)


def test_void_deals_count_for_nobody_and_keep_the_dealer() -> None:
    profile = load_profile("classico")
    state = standing([Deal((100, 50)), Deal((0, 0), void=True), Deal((5, 5))], profile, first_dealer=3)
    assert (state.totals, state.dealer, state.counted) == ((105, 55), 1, 3)
    assert not standing([Deal((0, 0), void=True)] * 3, profile, length=2).finished


def test_a_deal_for_three_sides_does_not_fit_a_match_of_two() -> None:
    with pytest.raises(MatchError, match="deal 2 has points for 3 sides"):
        standing([Deal((1, 2)), Deal((1, 2, 3))], load_profile("vanikar"))


def test_stakes_sum_to_zero_and_go_to_the_winners() -> None:
    assert settle(10, [[0], [1], [2]], [1]) == {0: -10, 1: 20, 2: -10}
    assert settle(5, [[0], [1], [2]], [0, 1]) == {0: 3, 1: 2, 2: -5}


def test_leaving_costs_the_stake_once_and_only_after_two_rounds() -> None:
    four = [[0, 2], [1, 3]]
    assert leave(10, four, 0, rounds=1, finished=False) == (0, True, (1,))
    assert leave(10, four, 0, rounds=2, finished=False) == (-10, True, (1,))
    assert leave(10, four, 0, rounds=9, finished=True) == (0, True, ())
    assert leave(10, [[0], [1], [2]], 0, rounds=3, finished=False) == (-10, False, ())
