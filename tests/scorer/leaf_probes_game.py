"""Probes of the leaves that only a game or a match decides; see `leaf_probes`."""

from __future__ import annotations

from typing import Any

from scorer.cards import DECK
from scorer.errors import MatchError
from scorer.game.apply import advance
from scorer.game.check import check
from scorer.game.position import position
from scorer.game.state import ADD, DISCARD, DRAW_CARD, LAY, TAKE, Action, GameState, deal, game_of
from scorer.match import Deal, chips, standing
from scorer.moves import codes_of
from scorer.profile import RuleProfile
from scorer.table import MeldText
from tests.scorer.leaf_probes import CLEAN, DIRTY, HIGH_ACE, Options, Probe, cards

PACK = [card.code for card in DECK]
PAIR: Options = {"players": (2, 3, 4)}


def melds(*bags: str) -> list[MeldText]:
    return [MeldText(cards(bag)) for bag in bags]


def on_turn(profile: RuleProfile, hand: str, **more: Any) -> GameState:
    """Seat 0 of two on turn; the pots are out unless said otherwise."""
    given = {"pot": "played", "others_pot": "played", "players": 2} | more
    return position(profile, cards(hand), **given)


def codes(state: GameState, action: Action) -> list[str]:
    return [fault.code for fault in check(state, action)]


def seats_allowed(profile: RuleProfile) -> list[bool]:
    def plays(players: int) -> bool:
        try:
            game_of(profile, players)
        except MatchError:
            return False
        return True

    return [plays(players) for players in (2, 3, 4)]


def first_deal(profile: RuleProfile) -> tuple[object, ...]:
    """Seat that plays first, cards in hand, open cards and cards in the stock of a deal."""
    state = deal(PACK, profile, players=2)
    return state.turn, [len(hand) for hand in state.hands], len(state.pile), len(state.stock)


def way_round(profile: RuleProfile) -> int:
    return deal(PACK, profile, players=4, dealer=1).turn


def trump(profile: RuleProfile) -> list[int]:
    """The trump of deals with each suit, and a joker, on top of the pile."""
    at = 2 * profile.table.hand_size + sum(game_of(profile, 2).pot_sizes)
    found = []
    for open_card in cards("7h 7d 7c 7s JK"):
        rest = list(PACK)
        rest.remove(open_card.code)
        state = deal([*rest[:at], open_card.code, *rest[at:]], profile, players=2)
        found.append(state.game.profile.rules.trump)
    return found


def pickup(profile: RuleProfile) -> list[object]:
    """Taking a pile of three whole and by its top card, by one who can use nothing, the top card or another one."""
    found: list[object] = []
    for hand in ("4s 9d Qc", "4s 5d 6d", "Qd Jd 4s", "Qd Qs Qc 4s 8h"):
        state = on_turn(profile, hand, pile=cards("Kd 4c 4d"), drawn=False)
        for depth in (0, 1, 2):
            found.append(codes(state, Action(TAKE, depth=depth)))
            if not found[-1]:
                after = advance(state, Action(TAKE, depth=depth))
                found.append((after.phase, len(after.hand), after.duty, codes(after, Action(DISCARD, codes_of("4s")))))
    return found


def rediscard(profile: RuleProfile) -> list[str]:
    after = advance(on_turn(profile, "4s 9d Qc", pile=cards("7h"), drawn=False), Action(TAKE))
    return codes(after, Action(DISCARD, codes_of("7h")))


def wild_moves(profile: RuleProfile) -> list[list[str]]:
    """A free end wild asked to slide; then one enclosed by a low ace, which could slide only if the ace rose."""
    rows = (("2s 5h 6h", "8h"), ("Ah JK 3h 4h 5h 6h 7h 8h 9h 10h Jh", "Kh"))
    found = []
    for bag, added in rows:
        state = on_turn(profile, f"{added} 4s 9d", mine=melds(bag))
        found.append(codes(state, Action(ADD, codes_of(added), meld=0)))
    return found


def layoff(profile: RuleProfile) -> list[str]:
    state = on_turn(profile, "8h 4s 9d", others=melds("5h 6h 7h"))
    return codes(state, Action(ADD, codes_of("8h"), meld=0))


def close_by_laying(profile: RuleProfile) -> list[str]:
    return codes(on_turn(profile, "Jd Qd Kd", mine=melds(CLEAN)), Action(LAY, codes_of("Jd Qd Kd")))


def last_discards(profile: RuleProfile) -> list[list[str]]:
    """Closing with a joker that could be laid, a joker that could not, a two and a plain card."""
    rows = (("JK", CLEAN), ("JK", DIRTY), ("2s", CLEAN), ("4s", CLEAN))
    return [codes(on_turn(profile, card, mine=melds(bag)), Action(DISCARD, codes_of(card))) for card, bag in rows]


def closing_burraco(profile: RuleProfile) -> list[list[str]]:
    """Discarding the last card with nothing, a dirty and a clean burraco on the table."""
    tables = ([], melds(DIRTY), melds(CLEAN))
    return [codes(on_turn(profile, "4s", mine=mine), Action(DISCARD, codes_of("4s"))) for mine in tables]


def stock_end(profile: RuleProfile) -> list[object]:
    """How a deal goes on after a draw and a discard with 1 to 3 cards in the stock, a pot on the table or none."""
    found: list[object] = []
    for stock in (1, 2, 3, 4):
        for pots_left in (0, 1):
            state = on_turn(profile, "4s 9d Qc", stock=stock, pots_left=pots_left, others_pot="not_taken", drawn=False)
            after = advance(state, Action(DRAW_CARD))
            found.append((after.phase, after.end))
            if not after.over:
                later = advance(after, Action(DISCARD, codes_of("4s")))
                found.append((later.phase, later.end, codes(later, Action(DRAW_CARD))))
    return found


def reaching(profile: RuleProfile) -> list[bool]:
    """Whether a match is over five points below a row of totals, at them and above."""
    totals = range(0, profile.match.target + 15, 5)
    return [standing([Deal((total, 0))], profile).finished for total in totals]


def tie(profile: RuleProfile) -> object:
    level = standing([Deal((profile.match.target, profile.match.target))], profile)
    return level.finished, level.winners


GAME_PROBES: dict[str, Probe] = {
    "players": seats_allowed,
    "sides": lambda profile: game_of(profile, 4).first_sides,
    "three_players": lambda profile: (game_of(profile, 3).joins, game_of(profile, 3).pot_sizes),
    "hand_size": first_deal,
    "direction": way_round,
    "discard_start": first_deal,
    "trump": trump,
    "pickup": pickup,
    "rediscard": rediscard,
    "wild_move": wild_moves,
    "layoff_any": layoff,
    "close_discard": close_by_laying,
    "close_wild_discard": last_discards,
    "stock_end": stock_end,
    "target": reaching,
    "tie": tie,
    "stakes": lambda profile: chips(profile, [[0], [1]], [0]),
}

#: Leaves that the scorer decides and that the game must obey as well.
IN_THE_GAME: dict[str, Probe] = {
    "close_burraco": closing_burraco,
    "pots": lambda profile: game_of(profile, 2).pot_sizes,
    "pot_size": first_deal,
}

GAME_ENABLE: dict[str, Options] = {
    "sides": PAIR,
    "three_players": PAIR | {"pots": True},
    "hand_size": PAIR,
    "direction": PAIR,
    "discard_start": PAIR,
    "trump": PAIR | {"discard_start": "up", "bonus.trump_factor": 2},
    "pickup": PAIR | {"sets": True, "set_ranks": "all"},
    "rediscard": PAIR | {"pickup": "whole"},
    "wild_move": PAIR | HIGH_ACE,
    "layoff_any": PAIR,
    "close_discard": PAIR,
    "close_wild_discard": PAIR | {"close_discard": False},
    "stock_end": PAIR | {"pots": True},
    "close_burraco": PAIR,
    "pots": PAIR,
    "pot_size": PAIR | {"pots": True},
}
