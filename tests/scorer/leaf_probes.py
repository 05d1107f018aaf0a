"""Probes of the leaves that the scorer alone decides: each shows what a profile's leaf does, as a comparable value.

`ENABLE` says what must hold for a leaf to matter at all (a rule about sets is asleep where there are no sets).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scorer.cards import JOKER, RANK_TEXT, Card, face
from scorer.errors import ProfileError
from scorer.melds import MeldVerdict, check_meld
from scorer.profile import RuleProfile
from scorer.scoring import ScoreSheet, score
from scorer.table import Hand, MeldText, Side, Table

Probe = Callable[[RuleProfile], object]
Options = dict[str, Any]


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.of(token) for token in text.split())


def meld(text: str, profile: RuleProfile) -> MeldVerdict:
    return check_meld(cards(text), profile)


def verdict(*bags: str) -> Probe:
    """Legality, type, bonus and trump of some melds."""
    return lambda profile: [(v.legal, v.type, v.bonus, v.doubled) for v in (meld(bag, profile) for bag in bags)]


def bonus(bag: str) -> Probe:
    return lambda profile: meld(bag, profile).bonus


SUIT = "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh Kh"
DIRTY_SUIT = "Ah 2h 3h 4h 5h 6h JK 8h 9h 10h Jh Qh Kh"
ACES = "Ah Ah Ad Ad Ac Ac As As"
CLEAN, DIRTY = "4h 5h 6h 7h 8h 9h 10h", "4c 5c 6c JK 8c 9c 10c"
POT = cards("JK 2c Ah Kd Qd 10s 9h 7c 5d 4d 3s")
SETS: Options = {"sets": True, "set_ranks": "all"}
LARGE_SETS: Options = SETS | {"set_duplicates": True, "max_set": 9}


def table(profile: RuleProfile, *sides: Side) -> ScoreSheet:
    return score(Table(sides), profile)


def side(name: str, *melds: str, hand: Sequence[Card] = (), **state: Any) -> Side:
    return Side(name, melds=tuple(MeldText(cards(bag)) for bag in melds), hands=(Hand(tuple(hand)),), **state)


def totals(sheet: ScoreSheet) -> list[object]:
    return [sheet.void, *[(one.score.hand, one.score.pozzetto, one.score.total) for one in sheet.sides]]


def pot_states(profile: RuleProfile) -> list[object]:
    """One side took its pot and the other not; nobody took one; one was taken and never played."""
    took, without = side("A", pozzetto="played"), side("B", "3h 4h 5h", pozzetto="not_taken")
    unplayed = side("B", pozzetto="unplayed", pozzetto_cards=POT)
    return [
        totals(table(profile, took, without)),
        totals(table(profile, side("A", pozzetto="not_taken"), without)),
        totals(table(profile, took, unplayed)),
    ]


def pot_size(profile: RuleProfile) -> list[list[tuple[object, ...]]]:
    sheet = table(profile, side("A"), side("B", pozzetto="unplayed", pozzetto_cards=POT))
    return [[(n.code, n.params) for n in sheet.notices if n.code == "pot_size"]]


def card_points(card: Card) -> Probe:
    """The points of one card: in a meld, and against you in the hand."""

    def probe(profile: RuleProfile) -> tuple[int, int]:
        held = table(profile, side("A", hand=[card]), side("B"))
        return check_meld([card], profile).card_points, held.sides[0].score.hand

    return probe


def closings(profile: RuleProfile) -> list[object]:
    """Closing with nothing, with a dirty burraco and with a clean one: who may, and what it pays."""
    found: list[object] = []
    for bags in ((), (DIRTY,), (CLEAN,)):
        sheet = table(profile, side("A", *bags, closed=True, pozzetto="played"), side("B", pozzetto="played"))
        found.append(([v.code for v in sheet.violations], sheet.sides[0].score.closing))
    return found


def set_ranks(profile: RuleProfile) -> list[bool]:
    return [
        check_meld([face(number, suit) for suit in (0, 1, 2)], profile).legal
        for number in range(1, 14)
        if RANK_TEXT[number - 1] != "2"
    ]


def set_sizes(profile: RuleProfile) -> list[bool]:
    """Sets of 3 to 8 naturals, each alone, with one wild and with two."""
    aces = cards("Ah Ad Ac As Ah Ad Ac As")
    wilds = ((), (JOKER,), (JOKER, JOKER))
    return [check_meld([*aces[:n], *wild], profile).legal for n in range(2, 9) for wild in wilds]


def dup_sets(profile: RuleProfile) -> list[str]:
    sheet = table(profile, side("A", "Ah Ad Ac", "Ah Ad As"), side("B"))
    return [fault.code for fault in sheet.violations]


def accepted_targets(profile: RuleProfile) -> list[bool]:
    def accepts(target: int) -> bool:
        try:
            profile.with_options({"target": target})
        except ProfileError:
            return False
        return True

    return [accepts(n) for n in (5, 10, 500, 505, 510, 3000, 3005, 3010, 99_995, 100_000)]


_NAMES = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")

SCORER_PROBES: dict[str, Probe] = {
    "values.joker": card_points(JOKER),
    **{f"values.{name}": card_points(face(number, 1)) for number, name in enumerate(_NAMES, 1)},
    "bonus.clean": bonus(CLEAN),
    "bonus.semi": bonus("4h 5h 6h 7h 8h 9h 10h JK"),
    "bonus.dirty": bonus(DIRTY),
    "bonus.full_clean": bonus(SUIT),
    "bonus.full_dirty": bonus(DIRTY_SUIT),
    "bonus.ace_to_ace": bonus(SUIT + " Ah"),
    "bonus.super_clean": bonus(ACES),
    "bonus.super_dirty": bonus(ACES + " JK"),
    "bonus.set_clean": bonus("Ah Ah Ad Ad Ac Ac As"),
    "bonus.set_dirty": bonus("Ah Ah Ad Ad Ac Ac JK"),
    "bonus.closing": closings,
    "bonus.trump_factor": bonus(CLEAN),
    "min_meld": verdict("4h 5h 6h", "4h 5h 6h 7h", "4h 5h 6h 7h 8h"),
    "burraco_cards": verdict("4h 5h 6h 7h 8h 9h", CLEAN, CLEAN + " Jh"),
    "min_natural": verdict("5h 6h JK", "5h JK 2s"),
    "max_wilds": verdict("4h 5h 6h", "4h 5h JK 7h", "4h JK 2s 7h"),
    "ace_low": verdict("Ah 3h 4h 2s"),
    "ace_high": verdict("Qh Kh Ah"),
    "ace_both": verdict(SUIT + " Ah"),
    "max_run": verdict(DIRTY_SUIT, SUIT + " JK", "Ah 2h 3h 4h 5h 6h 7h 8h 9h 10h Jh Qh"),
    "natural_two": verdict("Ah 2h 3h JK"),
    "sets": verdict("Ah Ad Ac"),
    "set_ranks": set_ranks,
    "max_set": set_sizes,
    "set_duplicates": verdict("Ah Ah Ad"),
    "dup_sets": dup_sets,
    "semi_position": bonus("3h 4h 5h 6h 7h 8h 9h JK Jh"),
    "semi_set": bonus(ACES + " JK"),
    "pots": pot_states,
    "pot_size": pot_size,
    "pot_penalty": pot_states,
    "pot_nobody": pot_states,
    "pot_unplayed": pot_states,
    "close_burraco": closings,
    "target_min": accepted_targets,
    "target_max": accepted_targets,
}

HIGH_ACE: Options = {"ace_high": True, "max_run": 14}

#: What must be switched on for a leaf to matter. Applied only where the profile has it otherwise.
ENABLE: dict[str, Options] = {
    "bonus.ace_to_ace": HIGH_ACE | {"ace_both": True},
    "bonus.super_clean": LARGE_SETS,
    "bonus.super_dirty": LARGE_SETS,
    "bonus.set_clean": LARGE_SETS,
    "bonus.set_dirty": LARGE_SETS,
    "bonus.trump_factor": {"trump": "h"},
    "min_natural": {"max_wilds": 2},
    "ace_low": {"ace_both": False},
    "ace_high": {"ace_both": False},
    "ace_both": HIGH_ACE,
    "max_run": {"ace_high": True},
    "set_ranks": {"sets": True},
    "max_set": SETS | {"set_duplicates": True, "max_wilds": 2},
    "set_duplicates": SETS,
    "dup_sets": SETS,
    "semi_position": {"bonus.semi": 155},
    "semi_set": LARGE_SETS | {"bonus.semi": 155, "bonus.super_dirty": None},
    "pot_size": {"pots": True},
    "pot_penalty": {"pots": True},
    "pot_nobody": {"pots": True},
    "pot_unplayed": {"pots": True},
}
