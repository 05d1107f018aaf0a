"""How a deal begins and ends: dealing order, cut, direction, trump, pots, stall, and what the scorer is told."""

from __future__ import annotations

import pytest

from scorer.cards import CARDS, DECK, JOKER_CODE
from scorer.errors import MatchError, MoveError
from scorer.game import GameState, apply, deal, legal_actions, position, read_action, result_of, table_of
from scorer.moves import codes_of
from scorer.notation import parse_cards, parse_meld
from scorer.profile import load_profile

CODES = [card.code for card in DECK]
BURRACO = parse_meld("3d 4d 5d 6d 7d 8d 9d")


def play(state: GameState, *texts: str) -> GameState:
    for text in texts:
        state = apply(state, read_action(text, state))
    return state


def test_cards_go_round_from_the_seat_after_the_dealer() -> None:
    state = deal(CODES, load_profile("fibur"), players=4, dealer=1)
    assert state.turn == 2
    assert state.hands[2] == tuple(sorted(CODES[0:44:4])) and state.hands[1] == tuple(sorted(CODES[3:44:4]))
    assert state.pots == (tuple(CODES[44:55]), tuple(CODES[55:66])) and state.pile == (CODES[66],)
    assert state.stock[-1] == CODES[67] and state.stock[0] == CODES[107]


def test_anticlockwise_tables_deal_and_play_the_other_way() -> None:
    state = deal(CODES, load_profile("stbl"), players=4, dealer=1)
    assert state.turn == 0 and state.hands[0] == tuple(sorted(CODES[0:44:4]))
    assert state.hands[3] == tuple(sorted(CODES[1:44:4]))
    after = apply(state, read_action("draw", state))
    after = apply(after, next(a for a in legal_actions(after) if a.kind == 4))
    assert after.turn == 3


def test_the_cut_is_lifted_before_the_deal() -> None:
    profile = load_profile("brasile")
    cut = deal(CODES, profile, players=3, cut=40)
    assert cut == deal(CODES[40:] + CODES[:40], profile, players=3)._replace(game=cut.game)
    assert cut.game.cut == 40 and cut.pots == () and cut.pot_count == 0


@pytest.mark.parametrize(
    ("rules", "players", "pots", "stock", "pile"),
    [
        ("vanikar", 2, 2, 64, 0), ("vanikar", 4, 2, 42, 0), ("stekius", 2, 2, 63, 1), ("stekius", 3, 3, 41, 1),
        ("stekius", 4, 2, 41, 1), ("classico", 4, 2, 41, 1), ("canasta", 2, 2, 64, 0), ("brasile", 4, 0, 63, 1),
        ("fibur", 3, 2, 45, 1), ("stbl", 2, 2, 64, 0),
    ],
)  # fmt: skip
def test_tables(rules: str, players: int, pots: int, stock: int, pile: int) -> None:
    state = deal(CODES, load_profile(rules), players=players)
    assert (len(state.pots), len(state.stock), len(state.pile)) == (pots, stock, pile)
    assert all(len(hand) == 11 for hand in state.hands)


def test_trump_is_fixed_by_the_first_open_card() -> None:
    profile = load_profile("stekius", {"trump": "first_discard"})
    state = deal(CODES, profile, players=4)
    suit = CARDS[state.pile[0]].suit
    assert suit is not None and state.game.profile.table.trump == suit.value
    deck = CODES[:]
    deck[66], deck[-1] = deck[-1], deck[66]
    assert deck[66] == JOKER_CODE and deal(deck, profile, players=4).game.profile.table.trump == "none"


def test_trump_doubles_the_biriba_at_the_end() -> None:
    state = position(load_profile("stekius", {"trump": "d"}), parse_cards("9s"), mine=[BURRACO], pot="played")
    sheet = result_of(play(state, "discard 9s")).sheet
    assert sheet is not None and sheet.sides[0].score.burraco_bonus == 400


@pytest.mark.parametrize(
    "deck",
    [CODES[:-1], [*CODES, 0], [0, *CODES[1:-1], 0], [-1, *CODES[1:]], [60, *CODES[1:]]],
    ids=["107", "109", "third copy", "negative", "partial"],
)
def test_impossible_decks(deck: list[int]) -> None:
    with pytest.raises(MatchError):
        deal(deck, load_profile("fibur"), players=4)


def test_impossible_tables() -> None:
    for players, dealer, cut in ((3, 0, 0), (5, 0, 0), (4, 4, 0), (4, 0, 108)):
        with pytest.raises(MatchError):
            deal(CODES, load_profile("vanikar"), players=players, dealer=dealer, cut=cut)


def test_apply_refuses_with_every_reason_and_changes_nothing() -> None:
    state = deal(CODES, load_profile("fibur"), players=4)
    with pytest.raises(MoveError) as caught:
        apply(state, read_action("lay JK JK JK", state))
    assert len(caught.value.violations) >= 2
    assert state == deal(CODES, load_profile("fibur"), players=4)


@pytest.mark.parametrize("rules", ["stekius", "brasile"])
def test_the_deal_ends_with_the_discard_of_who_drew_the_last_card(rules: str) -> None:
    state = position(load_profile(rules), parse_cards("4d 9s Kc"), stock=1, drawn=False)
    after = play(state, "draw")
    assert not after.over and after.stock == ()
    assert play(after, "discard 4d").end == "stock"


def test_a_pot_taken_by_discard_is_unplayed_until_its_holder_draws() -> None:
    state = position(load_profile("fibur"), parse_cards("9s"), players=2)
    after = play(state, "discard 9s")
    side = table_of(after).sides[0]
    assert (side.pozzetto, len(side.pozzetto_cards), side.hands[0].cards) == ("unplayed", 11, ())
    after = play(after, "draw")._replace(phase=0, turn=0)
    side = table_of(play(after, "draw")).sides[0]
    assert (side.pozzetto, side.pozzetto_cards, len(side.hands[0].cards)) == ("played", (), 12)


def closed_with_partners_pot(rules: str) -> GameState:
    """Seat 2 has just taken the pot by discard; seat 0 closes before it is played."""
    state = position(load_profile(rules), parse_cards("9s"), mine=[BURRACO], pot="unplayed", players=4)
    held = (*state.hands[:2], codes_of("Kh Kd Ks Qh Qd Qs Jh Jd Js 10h 10d"), state.hands[3])
    return state._replace(hands=held, holder=(2, -1))


@pytest.mark.parametrize("rules", ["fibur", "canasta"])
def test_a_partner_closes_before_the_pot_is_played(rules: str) -> None:
    after = play(closed_with_partners_pot(rules), "discard 9s")
    side = table_of(after).sides[0]
    assert (after.end, side.pozzetto, side.closed, side.closed_by) == ("close", "played", True, "N")
    sheet = result_of(after).sheet
    assert sheet is not None and sheet.sides[0].score.hand == -110 and sheet.sides[0].score.pozzetto == 0


@pytest.mark.parametrize(("rules", "points"), [("fibur", (-110, 0)), ("canasta", (0, -100))])
def test_an_opponent_closes_before_the_pot_is_played(rules: str, points: tuple[int, int]) -> None:
    state = closed_with_partners_pot(rules)
    hands = (codes_of("4c"), codes_of("9c"), *state.hands[2:])
    other = position(load_profile(rules), parse_cards("5c"), others=[BURRACO], pot="unplayed", others_pot="played")
    state = other._replace(hands=(hands[0], hands[1], state.hands[2], ()), turn=1, holder=(2, -1))
    sheet = result_of(play(state, "discard 9c")).sheet
    assert sheet is not None
    score = sheet.sides[0].score
    assert (score.hand + 5, score.pozzetto) == points


def test_swapping_only_the_pile_is_a_stall() -> None:
    state = position(load_profile("vanikar"), parse_cards("4d 9s Kc"), pile=parse_cards("7h"), players=2, drawn=False)
    state = state._replace(hands=(state.hands[0], codes_of("3c 8s Qc")))
    turns = 0
    while not state.over:
        state = play(state, "take")
        state = apply(state, next(a for a in legal_actions(state) if a.kind == 4))
        turns += 1
    assert (state.end, turns) == ("stall", 20)
    assert state.closer == -1
