"""Matches played by the engine: E01..E10 through `Series`, the Italian game for three, void deals, stakes."""

from __future__ import annotations

import random

import pytest

from scorer.cards import DECK
from scorer.errors import MatchError
from scorer.game import GameState, advance, apply, deal, legal_actions, read_action, result_of
from scorer.game.final import DealResult
from scorer.game.series import NextDeal, Series
from scorer.game.simulate import Plan, play_match
from scorer.match import Deal, leave, three_player_points
from scorer.moves import codes_of
from scorer.profile import load_profile
from scorer.victory import vp_table

CODES = [card.code for card in DECK]


def series(rules: str, players: int, *points: tuple[int, ...], **options: object) -> Series:
    return Series(load_profile(rules, options or None), players, deals=tuple(Deal(p) for p in points))


@pytest.mark.parametrize(
    ("name", "rules", "players", "points", "options", "winners"),
    [
        ("E01", "classico", 4, [(375, -80), (130, 200)], {"target": 505}, (0,)),
        ("E02", "vanikar", 4, [(1990, 1995), (20, 10)], {}, (0,)),
        ("E03", "vanikar", 4, [(1990, 1995), (20, 15)], {}, ()),
        ("E04", "vanikar", 4, [(2000, 1500)], {}, ()),
        ("E05", "vanikar", 4, [(505, 600)], {"target": 505}, (1,)),
        ("E06", "stekius", 4, [(2100, 2300)], {}, (1,)),
        ("E06 tie", "stekius", 4, [(2100, 2100)], {}, ()),
        ("E07", "brasile", 3, [(3010, 2990, 3040)], {}, (2,)),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("E") else "",
)
def test_e_rows(
    name: str, rules: str, players: int, points: list[tuple[int, ...]], options: dict[str, object],
    winners: tuple[int, ...],
) -> None:  # fmt: skip
    now = series(rules, players, *points, **options).standing
    assert (now.winners, now.finished) == (winners, bool(winners)), name


def join(dealer: int = 2) -> GameState:
    """An Italian deal for three in which the first player is about to empty his hand."""
    return deal(CODES, load_profile("fibur"), players=3, dealer=dealer)


def test_e08_solo_and_pair_and_no_result_without_an_end() -> None:
    result = DealResult("stock", -1, 40, ((1,), (0, 2)), None, ())
    assert result.sheet is None
    with pytest.raises(MatchError):
        series("fibur", 3).after(result)
    assert three_player_points((420, 305), 1) == (153, 420, 153)
    assert three_player_points((420, -305), 1) == (-152, 420, -152)


def test_e08_the_first_to_take_a_pot_plays_alone() -> None:
    state = join()
    seat = state.turn
    assert [len(pot) for pot in state.pots] == [18, 11] and len(set(state.sides)) == 3
    hands = list(state.hands)
    hands[seat] = codes_of("9d")
    state = state._replace(hands=tuple(hands), phase=2)
    after = apply(state, read_action("discard 9d", state))
    others = [s for s in range(3) if s != seat]
    assert len(after.hands[seat]) == 18 and after.sides[others[0]] == after.sides[others[1]] != after.sides[seat]
    hands = list(after.hands)
    hands[after.turn] = codes_of("9c")
    second = after._replace(hands=tuple(hands), phase=2)
    second = apply(second, read_action("discard 9c", second))
    assert len(second.hands[after.turn]) == 11 and second.pots == () and second.sides == after.sides


def test_e08_points_of_a_played_deal_are_halved() -> None:
    rng = random.Random(4)
    profile = load_profile("fibur")
    for _ in range(200):
        deck = CODES[:]
        rng.shuffle(deck)
        state = deal(deck, profile, players=3)
        while not state.over:
            laying = [a for a in legal_actions(state) if a.kind in (2, 3)]
            state = advance(state, rng.choice(laying or legal_actions(state)))
        if len(set(state.sides)) == 2:
            break
    result = result_of(state)
    assert result.sheet is not None
    for seats, side in zip(result.sides, result.sheet.sides, strict=True):
        share = side.score.total if len(seats) == 1 else -(-side.score.total // 2)
        assert all(result.points[seat] == share for seat in seats)
    assert series("fibur", 3).after(result).standing.totals == result.points


def test_e09_from_a_thousand_on_three_pots_and_the_end_at_1505() -> None:
    before = series("fibur", 3, (995, 200, 300))
    assert before.next_deal() == NextDeal(1, False)
    match = series("fibur", 3, (1000, 200, 300))
    assert match.next_deal() == NextDeal(1, True)
    state = deal(CODES, match.profile, players=3, three_pots=True)
    assert [len(pot) for pot in state.pots] == [11, 11, 11] and not state.game.joins
    assert not series("fibur", 3, (1500, 200, 300)).standing.finished
    assert series("fibur", 3, (1505, 200, 300)).standing.winners == (0,)
    assert not series("fibur", 3, (1505, 200, 300), target=2005).standing.finished


def test_e10_four_deals_and_victory_points() -> None:
    table = vp_table("deals-4")
    match = Series(load_profile("fibur"), 4, length=4, deals=tuple(Deal(p) for p in ((460, 350),) * 3 + ((480, 375),)))
    assert match.standing.finished and match.standing.totals == (1860, 1425)
    assert table.points(1860, 1425) == (12, 8)


def test_a_void_deal_is_dealt_again_by_the_same_dealer() -> None:
    deck = CODES[:]
    profile = load_profile("classico")
    state = deal(deck, profile, players=4)._replace(stock=tuple(deck[:3]))
    state = apply(state, read_action("draw", state))
    state = apply(state, next(a for a in legal_actions(state) if a.kind == 4))
    match = Series(profile, 4).after(result_of(state))
    assert match.deals == (Deal((0, 0), True),) and match.next_deal() == NextDeal(0, False)


def test_the_dealer_goes_round_as_play_does() -> None:
    assert series("fibur", 4, (10, 20)).next_deal().dealer == 1
    assert series("stbl", 4, (10, 20)).next_deal().dealer == 3


def test_stakes_and_leaving() -> None:
    match = series("stekius", 4, (2100, 900), stakes=50)
    assert match.chips() == {0: 50, 1: -50, 2: 50, 3: -50}
    assert series("stekius", 3, (2100, 900, 5), stakes=50).chips() == {0: 100, 1: -50, 2: -50}
    assert series("stekius", 4, (100, 900), stakes=50).chips() == {}
    sides = match.units
    assert leave(50, sides, 1, rounds=1, finished=False).chips == 0
    late = leave(50, sides, 1, rounds=2, finished=False)
    assert (late.chips, late.ends, late.winners) == (-50, True, (0,))
    assert leave(50, sides, 1, rounds=9, finished=True).chips == 0


@pytest.mark.parametrize(("rules", "players"), [("vanikar", 2), ("fibur", 3), ("brasile", 3), ("stbl", 4)])
def test_whole_matches_end(rules: str, players: int) -> None:
    plan = Plan(load_profile(rules, {"target": 505} if rules != "fibur" else None), players, seed=5)
    match = play_match(plan, 0)
    assert match.standing.finished and len(match.standing.winners) == 1
    assert play_match(plan, 0) == match


def test_nobody_deals_after_the_end() -> None:
    assert series("vanikar", 4, (1000, 900)).next_deal().dealer == 1
    with pytest.raises(MatchError) as caught:
        series("vanikar", 4, (1000, 900), (1005, 0)).next_deal()
    assert caught.value.code == "match_ended"
