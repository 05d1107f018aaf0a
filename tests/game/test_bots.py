"""Bots: legal under every profile, blind to what is hidden, and right where one move is plainly right."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from scorer.errors import MatchError
from scorer.game.bots import bot_names, make_bot
from scorer.game.legal import legal_actions
from scorer.game.position import position
from scorer.game.simulate import Plan, play_out, shuffled
from scorer.game.state import ADD, DISCARD, DRAW_CARD, LAY, TAKE, Action, GameState, deal
from scorer.game.view import View, imagine, view_of
from scorer.messages import has
from scorer.notation import parse_cards, parse_meld
from scorer.profile import load_profile, profile_ids

QUICK = ("casuale", "facile", "normale")


def choose(bot: str, state: GameState, seed: int = 0) -> Action:
    legal = legal_actions(state)
    action = make_bot(bot).choose(view_of(state, state.turn), legal, random.Random(seed))
    assert action in legal
    return action


@pytest.mark.parametrize("rules", profile_ids())
@pytest.mark.parametrize("bot", QUICK)
def test_a_bot_plays_whole_deals_of_every_profile_and_table(rules: str, bot: str) -> None:
    """`play_out` refuses an illegal action, and a bot that leaves itself without a move would never end."""
    profile = load_profile(rules)
    for players in profile.table.players:
        state, actions = play_out(Plan(profile, players, (bot,), seed=3), 0)
        assert state.over and actions


@pytest.mark.slow
@pytest.mark.parametrize("rules", profile_ids())
@pytest.mark.parametrize("bot", [*QUICK, "forte:2"])
def test_a_thousand_deals_of_every_profile(rules: str, bot: str) -> None:
    profile = load_profile(rules)
    for number in range(1000):
        players = profile.table.players[number % len(profile.table.players)]
        assert play_out(Plan(profile, players, (bot,), seed=9), number)[0].over


@pytest.mark.parametrize("rules", ["fibur", pytest.param("brasile", marks=pytest.mark.slow)])
def test_forte_plays_a_whole_deal(rules: str) -> None:
    profile = load_profile(rules)
    state, _ = play_out(Plan(profile, 2, ("forte:2", "normale"), seed=1), 0)
    assert state.over


def test_trump_and_the_italian_game_for_three() -> None:
    trump = load_profile("stekius", {"trump": "first_discard"})
    three = load_profile("fibur", {"three_players": "italian", "players": "2,3,4"})
    for profile, players in ((trump, 4), (three, 3)):
        assert play_out(Plan(profile, players, ("normale",), seed=2), 0)[0].over


@pytest.mark.parametrize("bot", [*QUICK, "forte:2"])
def test_what_is_hidden_never_changes_the_move(bot: str) -> None:
    profile = load_profile("vanikar")
    rng = random.Random(5)
    state = deal(shuffled(Plan(profile, 4, seed=8), 0), profile, players=4)
    quick = make_bot("normale")
    for step in range(25):
        if state.over:
            break
        view = view_of(state, state.turn)
        hidden = list(view.unseen())
        rng.shuffle(hidden)
        other = imagine(view, hidden)
        assert choose(bot, other, seed=step) == choose(bot, state, seed=step)
        state = imagine(view, list(view.unseen()))
        from scorer.game.apply import advance

        state = advance(state, quick.choose(view, legal_actions(state), rng))


def table(
    hand: str, mine: Sequence[str] = (), others: Sequence[str] = (), rules: str = "fibur", pile: str = "", **more: Any
) -> GameState:
    return position(
        load_profile(rules), parse_cards(hand), mine=[parse_meld(m) for m in mine],
        others=[parse_meld(m) for m in others], pile=parse_cards(pile) if pile else (), **more,
    )  # fmt: skip


def named(action: Action) -> tuple[int, tuple[str, ...]]:
    from scorer.cards import CARDS

    return action.kind, tuple(CARDS[c].text for c in action.cards)


@pytest.mark.parametrize("bot", ["normale", "forte:8"])
def test_closes_when_it_can(bot: str) -> None:
    state = table("8h Kd", ["3s-9s", "4h-7h"], pot="played", stock=10)
    assert named(choose(bot, state)) == (ADD, ("8h",))


@pytest.mark.parametrize("bot", ["facile", "normale", "forte:8"])
def test_takes_a_pile_that_fits(bot: str) -> None:
    state = table("Kh Kd 4c 9d 5s 8c", ["5h-9h"], pile="3c 10h Ks", drawn=False)
    assert choose(bot, state).kind == TAKE


@pytest.mark.parametrize("bot", ["normale", "forte:8"])
def test_leaves_a_pile_of_one_useless_card(bot: str) -> None:
    state = table("Kh Kd Qh 9d 8d 5s", [], pile="3c", drawn=False)
    assert choose(bot, state).kind == DRAW_CARD


@pytest.mark.parametrize("bot", ["facile", "normale", "forte:8"])
def test_never_breaks_a_clean_burraco_with_a_wild(bot: str) -> None:
    state = table("JK 3d 9c Kd 5s 7c Qd 10s", ["4h-10h"], pot="played", stock=30)
    action = choose(bot, state)
    assert named(action) not in ((ADD, ("JK",)), (DISCARD, ("JK",)))
    assert action.kind == DISCARD or bot.startswith("forte")  # which may open with it: Qd Kd JK, to close sooner


@pytest.mark.parametrize("bot", ["normale", "forte:8"])
def test_does_not_discard_what_the_next_player_needs(bot: str) -> None:
    state = table("9c 3d Kd 7s 5h Qh", [], ["3c-8c"], pot="played", stock=30)
    assert named(choose(bot, state)) != (DISCARD, ("9c",))


@pytest.mark.parametrize("bot", ["facile", "normale", "forte:8"])
def test_goes_to_the_pot(bot: str) -> None:
    assert named(choose(bot, table("7h 7d 7s Kd"))) == (LAY, ("7h", "7d", "7s"))


@pytest.mark.parametrize("bot", ["normale", "forte:8"])
def test_goes_to_the_pot_with_its_wild(bot: str) -> None:
    assert choose(bot, table("7h 7d JK Kd")).kind == LAY


@pytest.mark.parametrize("bot", ["facile", "normale", "forte:8"])
def test_makes_the_burraco(bot: str) -> None:
    state = table("10h 3d 9c Kd 5s 7c Qd", ["4h-9h"], pot="played", stock=30)
    assert named(choose(bot, state)) == (ADD, ("10h",))


@pytest.mark.parametrize("bot", ["normale"])
def test_a_two_drops_into_its_own_slot(bot: str) -> None:
    state = table("2h 9d Kd 5s 7c Qd 10s", ["3h 4h 5h"], stock=30)
    assert named(choose(bot, state)) == (ADD, ("2h",))


@pytest.mark.parametrize("bot", ["normale", "forte:8"])
def test_holds_its_joker_early(bot: str) -> None:
    action = choose(bot, table("JK 7h 8h 3d Kd 5s 10c Qd 9s 4c 6d", stock=40))
    assert "JK" not in named(action)[1] or (action.kind == LAY and bot.startswith("forte"))


@pytest.mark.parametrize("bot", ["normale"])
def test_makes_a_dirty_burraco_when_the_stock_runs_out(bot: str) -> None:
    state = table("JK 3d 9c Kd 5s 7c Qd", ["4h-9h"], pot="played", stock=6)
    assert named(choose(bot, state)) == (ADD, ("JK",))


@pytest.mark.parametrize("bot", ["facile", "normale", "forte:8"])
def test_never_throws_a_wild_away_for_nothing(bot: str) -> None:
    state = table("2c JK 9d Kd 5s", [], ["3c-8c"], pot="played", stock=30)
    action = choose(bot, state)
    assert action.kind != DISCARD or named(action)[1] not in (("2c",), ("JK",))


def test_every_decision_says_why_in_both_languages() -> None:
    from scorer.game.bots.base import Casuale
    from scorer.game.bots.facile import Facile
    from scorer.game.bots.forte import Forte
    from scorer.game.bots.normale import Normale

    profile = load_profile("fibur")
    for player in (Casuale(), Facile(), Normale(), Forte(2)):
        state = deal(shuffled(Plan(profile, 2, seed=4), 0), profile, players=2)
        rng = random.Random(1)
        for _ in range(20):
            if state.over:
                break
            found = player.decide(view_of(state, state.turn), legal_actions(state), rng)
            assert has(found.code, "it") and has(found.code, "en")
            from scorer.game.apply import advance

            state = advance(state, found.action)


def test_forte_never_plays_out_more_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    from scorer.game.bots.forte import Forte
    from scorer.game.bots.value import Value

    played = 0
    real = Forte._playout

    def counted(self: Forte, state: GameState, view: View, value: Value) -> float:
        nonlocal played
        played += 1
        return real(self, state, view, value)

    monkeypatch.setattr(Forte, "_playout", counted)
    for budget in (1, 5, 30):
        played = 0
        choose(f"forte:{budget}", table("9c 3d Kd 7s 5h Qh", ["4h-7h"], pile="3c 8h", drawn=False))
        assert played <= budget and (played or budget == 1)


def test_forte_stays_within_its_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that the test moves: five milliseconds a look."""
    import scorer.game.bots.forte as module

    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.005
        return now

    monkeypatch.setattr(module.time, "perf_counter", clock)
    monkeypatch.setattr(module.Forte, "_playout", lambda *_: 0.0)
    choose("forte:200ms", table("9c 3d Kd 7s 5h Qh", ["4h-7h"], pile="3c 8h", drawn=False))
    assert 0.1 < now <= 0.3


def test_forte_takes_no_time_where_there_is_nothing_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """One legal action, and everything that `normale` settles by itself."""
    from scorer.game.bots.forte import Forte

    def never(*_: object) -> float:
        raise AssertionError("a playout")

    monkeypatch.setattr(Forte, "_playout", never)
    choose("forte", table("9c 3d Kd 7s 5h Qh", ["4h-7h"], drawn=False))  # no pile: only the stock
    choose("forte", table("8h 3d Kd 7s 5h Qh", ["4h-7h"], pot="played"))
    choose("forte", table("9c 3d Kd 7s 5h Qh 8s", [], ["3c-8c"], pot="played", stock=30))


def test_the_value_of_a_state_is_the_margin_that_it_foretells() -> None:
    from scorer.game.bots.value import Value

    def margin(hand: str, mine: list[str], others: list[str]) -> float:
        state = table(hand, mine, others)
        return Value(state.game).margin(state, state.sides[0])

    even = margin("9c 3d Kd 7s", ["4h-7h"], ["4s-7s"])
    assert margin("9c 3d Kd 7s", ["4h-9h"], ["4s-7s"]) > even > margin("9c 3d Kd 7s", ["4h-7h"], ["4s-9s"])
    assert margin("9c 3d JK 7s", ["4h-7h"], ["4s-7s"]) > even
    assert margin("9c 3d Kd 10h", ["4h-9h"], ["4s-7s"]) > margin("9c 3d Kd 10d", ["4h-9h"], ["4s-7s"]) + 50


@pytest.mark.parametrize("name", ["nobody", "forte:0", "forte:x", "forte:-5ms", "forte:99999999"])
def test_an_unknown_bot_is_one_line(name: str) -> None:
    with pytest.raises(MatchError):
        make_bot(name)


def test_the_bots_in_order() -> None:
    assert bot_names() == ("casuale", "facile", "normale", "forte")
