"""What must hold in every state of random play, under every rule set and number of players."""

from __future__ import annotations

import copy
import os
import pickle
import random
from collections import Counter
from typing import Any

import pytest

from scorer.cards import CARDS, DECK
from scorer.game import (
    Action,
    GameState,
    View,
    advance,
    apply,
    check,
    deal,
    format_action,
    imagine,
    legal_actions,
    read_action,
    result_of,
    view_of,
)
from scorer.game.state import ADD, DISCARD, LAY, TAKE, all_cards
from scorer.profile import OPTIONS, RuleProfile, load_profile, profile_ids
from scorer.record import read_record, record_of, write_record
from scorer.record_lint import lint
from scorer.record_play import deal_record, replay
from scorer.scoring import ScoreSheet
from tests.oracle.naive import placements, points, rank_of

CODES = [card.code for card in DECK]
ALL = sorted(CODES)
#: Option sets that reach corners which no rule set has by default.
CORNERS: tuple[tuple[str, dict[str, object]], ...] = (
    ("fibur", {"wild_move": "locked"}),
    ("stekius", {"pickup": "top_melded", "close_burraco": "clean", "trump": "first_discard"}),
    ("classico", {"max_wilds": 2}),
    ("vanikar", {"min_meld": 4}),
    ("canasta", {"wild_move": "locked", "close_wild_discard": "never"}),
)


def check_state(state: GameState, actions: list[Action], rng: random.Random) -> None:
    assert all_cards(state) == ALL
    assert actions and actions == sorted(set(actions))
    for action in actions:
        assert check(state, action) == (), (action, check(state, action))
    known = set(actions)
    for action in (guess(state, rng) for _ in range(3)):
        if action not in known:
            assert check(state, action), action


def guess(state: GameState, rng: random.Random) -> Action:
    """A random action of a basis shape, legal or not."""
    kind = rng.choice((TAKE, LAY, LAY, ADD, DISCARD, DISCARD))
    hand = state.hand
    if kind == TAKE:
        return Action(TAKE, depth=rng.randint(1, 4) if state.game.flags.pickup == "any_depth" else 0)
    if kind == DISCARD:
        return Action(DISCARD, (rng.choice(CODES),))
    if kind == ADD and state.melds:
        return Action(ADD, (rng.choice(hand),), rng.randrange(len(state.melds)))
    size = state.game.profile.meld.min_meld
    return (
        Action(LAY, tuple(sorted(rng.sample(hand, size))))
        if len(hand) >= size
        else Action(DISCARD, (rng.choice(CODES),))
    )


def recount(state: GameState) -> dict[int, int]:
    """The points of each side, counted from the rules' words and the last state, without the scorer."""
    profile = state.game.profile
    rules: dict[str, Any] = {key: profile.get(key) for key in OPTIONS}
    total: dict[int, int] = dict.fromkeys(state.sides, 0)
    for meld in state.melds:
        cards = [CARDS[code] for code in meld.codes]
        best = min(placements(cards, rules), key=rank_of)
        total[state.sides[meld.home]] += points(cards, rules) + best.bonus
    taken = {side: state.pot[side] for side in total}
    for seat, hand in enumerate(state.hands):
        side = state.sides[seat]
        unplayed = taken[side] == 1 and state.holder[side] == seat and state.end != "close"
        unplayed = unplayed or (taken[side] == 1 and state.holder[side] == seat and state.sides[state.closer] != side)
        if unplayed and rules["pot_unplayed"] == "penalty":
            total[side] -= rules["pot_penalty"]
        else:
            total[side] -= points([CARDS[code] for code in hand], rules)
    if state.end == "close":
        total[state.sides[state.closer]] += rules["bonus.closing"]
    if rules["pots"]:
        nobody = not any(taken.values())
        if nobody and rules["pot_nobody"] == "void" and state.end != "close":
            return dict.fromkeys(total, 0)
        for side in total:
            if taken[side] == 0 and not (nobody and rules["pot_nobody"] == "none"):
                total[side] -= rules["pot_penalty"]
    return total


def play_one(profile: RuleProfile, players: int, seed: str, number: int) -> None:
    rng = random.Random(f"{seed} {number}")
    deck = CODES[:]
    rng.shuffle(deck)
    cut = rng.choice((0, 0, rng.randrange(108)))
    dealer = number % players
    first = state = deal(deck, profile, players=players, dealer=dealer, cut=cut)
    kept = copy.deepcopy(state)
    actions: list[Action] = []
    states: list[GameState] = []
    eager = rng.random()
    while not state.over:
        legal = legal_actions(state)
        check_state(state, legal, rng)
        laying = [a for a in legal if a.kind in (LAY, ADD)]
        action = rng.choice(laying if laying and rng.random() < eager else legal)
        actions.append(action)
        if rng.random() < 0.05:
            assert read_action(format_action(state, action), state) == action
            assert apply(state, action) == advance(state, action)
        state = advance(state, action)
        states.append(state)
    assert legal_actions(state) == [] and check(state, Action(DISCARD, (0,)))
    assert first == kept and all_cards(state) == ALL
    result = result_of(state)
    sheet = result.sheet
    assert sheet is not None and (sheet.violations == () or joined_sets(state, sheet))
    counted = recount(state)
    for seats, side in zip(result.sides, sheet.sides, strict=True):
        assert side.score.total == counted[state.sides[seats[0]]]
    record = record_of(profile, tuple("ABCD"[:players]), (
        deal_record(deck, profile, actions, players=players, dealer=dealer, cut=cut),
    ))  # fmt: skip
    text = write_record(record)
    again = read_record(text)
    assert again == record and write_record(again) == text
    # replayed with every check, from the text: each state on the way, which also shows that none was changed later
    replayed = [step.after for step in replay(again)]
    assert [bare(state) for state in replayed] == [bare(state) for state in states] and replayed[-1] == state
    if number % 3 == 0:
        assert lint(text) == []


def bare(state: GameState) -> tuple[Any, ...]:
    """A state with its last event alone: the log holds all the others, and comparing them each time is quadratic."""
    last = state.log
    return (*state._replace(log=None), last and (last.seat, last.action))


def joined_sets(state: GameState, sheet: ScoreSheet) -> bool:
    """In the Italian game for three, two players who join may bring a set of the same rank each."""
    return state.game.joins and {v.code for v in sheet.violations} == {"two_equal_sets"}


@pytest.mark.parametrize("rules", profile_ids())
def test_random_play(rules: str) -> None:
    profile = load_profile(rules)
    for number in range(3):
        players = profile.table.players[number % len(profile.table.players)]
        play_one(profile, players, rules, number)


@pytest.mark.parametrize(("rules", "options"), CORNERS)
def test_random_play_in_the_corners(rules: str, options: dict[str, object]) -> None:
    profile = load_profile(rules, options)
    for number in range(2):
        players = profile.table.players[number % len(profile.table.players)]
        play_one(profile, players, f"{rules} {options}", number)


@pytest.mark.parametrize("rules", profile_ids())
@pytest.mark.parametrize(
    "deals", [pytest.param(300, marks=pytest.mark.long), pytest.param(10_000, marks=pytest.mark.slow)]
)
def test_random_play_at_length(rules: str, deals: int) -> None:
    """300 deals of each rule set in `make full`, 10,000 in `make slow` (or as many as BURRACO_DEALS says)."""
    profile = load_profile(rules)
    for number in range(min(deals, int(os.environ.get("BURRACO_DEALS", deals)))):
        players = profile.table.players[number % len(profile.table.players)]
        play_one(profile, players, f"long {rules}", number)


@pytest.mark.parametrize("rules", profile_ids())
def test_a_seat_sees_nothing_hidden(rules: str) -> None:
    """Shuffling everything that a seat cannot see changes neither its view nor its legal actions."""
    profile = load_profile(rules)
    rng = random.Random(f"hidden {rules}")
    for players in profile.table.players:
        deck = CODES[:]
        rng.shuffle(deck)
        state = deal(deck, profile, players=players)
        while not state.over:
            legal = legal_actions(state)
            if rng.random() < 0.25:
                for seat in range(players):
                    view = view_of(state, seat)
                    unseen = list(view.unseen())
                    rng.shuffle(unseen)
                    other = imagine(view, unseen)
                    assert all_cards(other) == ALL
                    assert view_of(other, seat) == view
                    if seat == state.turn:
                        assert legal_actions(other) == legal == legal_actions(view)
                        assert all(check(view, action) == () for action in legal)
            state = advance(state, rng.choice(legal))


def test_a_view_has_these_fields_and_no_others() -> None:
    assert View._fields == (
        "game", "seat", "phase", "turn", "hand", "hand_counts", "melds", "pile", "stock_count", "pot_count",
        "pot_counts", "sides", "pot", "holder", "duty", "barred", "laid", "took", "turns", "idle", "known", "log",
        "end", "closer",
    )  # fmt: skip


def test_known_cards_are_in_the_hand() -> None:
    rng = random.Random(11)
    for rules in ("vanikar", "brasile", "fibur"):
        profile = load_profile(rules)
        deck = CODES[:]
        rng.shuffle(deck)
        state = deal(deck, profile, players=2)
        while not state.over:
            for hand, known in zip(state.hands, state.known, strict=True):
                assert not Counter(known) - Counter(hand)
            state = advance(state, rng.choice(legal_actions(state)))


def test_states_travel_between_processes() -> None:
    state = deal(CODES, load_profile("fibur", {"semi_position": "end_only"}), players=4)
    assert pickle.loads(pickle.dumps(state)) == state
