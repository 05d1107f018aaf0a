"""Legal actions against a brute force over every subset of a small hand, judged by the naive oracle.

What the engine proposes must be exactly what the oracle allows among the basis shapes, and every larger action that
the oracle allows must be a sequence of basis actions.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from itertools import combinations
from typing import Any

import pytest

from scorer.cards import CARDS, DECK, JOKER_CODE
from scorer.game import Action, GameState, Meld, advance, check, deal, legal_actions
from scorer.game.state import ADD, DISCARD, LAY, LAY_SOMETHING, PLAY, TAKE, TOP
from scorer.profile import OPTIONS, RuleProfile, load_profile, profile_ids
from tests.oracle.naive import Placement, placements

CODES = [card.code for card in DECK]
CLEAN = {"clean", "full_clean", "ace_to_ace", "super_clean"}


class Referee:
    """A second opinion on moves, from the rules' words: it shares no code with the engine but the state itself."""

    def __init__(self, profile: RuleProfile) -> None:
        self.rules: dict[str, Any] = {key: profile.get(key) for key in OPTIONS}
        self.placed = lru_cache(maxsize=None)(self._placed)

    def _placed(self, codes: tuple[int, ...]) -> frozenset[Placement]:
        return frozenset(placements([CARDS[c] for c in codes], self.rules))

    # --- melds

    def may_lay(self, state: GameState, cards: tuple[int, ...]) -> bool:
        if not self.placed(cards):
            return False
        if not self.rules["dup_sets"] and next(iter(self.placed(cards))).kind == "set":
            rank = {CARDS[c].rank_no for c in cards if not CARDS[c].is_wild}
            for meld in self.own(state, state.melds):
                naturals = {CARDS[c].rank_no for c in meld.codes if not CARDS[c].is_wild}
                if next(iter(self.placed(meld.codes))).kind == "set" and naturals == rank:
                    return False
        after = (*state.melds, Meld(state.sides.index(state.sides[state.turn]), 99, cards, 0))
        return self.lay_is_fine(state, cards, after)

    def may_add(self, state: GameState, index: int, cards: tuple[int, ...]) -> bool:
        meld = state.melds[index]
        if not self.rules["layoff_any"] and state.sides[meld.home] != state.sides[state.turn]:
            return False
        if not self.may_grow(state, meld, cards):
            return False
        after = list(state.melds)
        after[index] = meld._replace(codes=tuple(sorted(meld.codes + cards)))
        return self.lay_is_fine(state, cards, tuple(after))

    def may_grow(self, state: GameState, meld: Meld, cards: tuple[int, ...]) -> bool:
        bag = tuple(sorted(meld.codes + cards))
        now = state.game.book.reading(meld.codes, meld.reading)
        if self.rules["wild_move"] == "free":
            return bool(self.placed(bag))
        if now.kind == "set":
            return any(new.kind == "set" for new in self.placed(bag))
        old = {now.low + i: (slot.card.code, slot.wild) for i, slot in enumerate(now.slots)}
        return any(self.may_become(old, new, bag) for new in self.placed(bag))

    def may_become(self, old: dict[int, tuple[int, bool]], new: Placement, bag: tuple[int, ...]) -> bool:
        if new.kind != "run":
            return False
        slots = {rank: wild for rank, _, wild in new.places}
        suit = "hdcs".index(new.places[0][1])
        loose = Counter(bag)
        loose.subtract(suit * 13 + (rank - 1) % 13 for rank, wild in slots.items() if not wild)
        loose = +loose
        for rank, (code, wild) in old.items():
            if rank in (min(old), max(old)) and self.rules["wild_move"] == "free_end":
                continue
            if wild:
                if rank not in slots:
                    return False
                if slots[rank] and loose[code] == 0:
                    return False  # another wild would have taken its place
                if not slots[rank] and self.rules["wild_move"] == "locked" and not self.falls_right(code, slots):
                    return False
            elif CARDS[code].rank_no == 2 and slots.get(2, True):
                return False
        return True

    def falls_right(self, code: int, slots: dict[int, bool]) -> bool:
        """Where a replaced wild goes when wilds are locked: slot 2 as a natural two, else low, else over a low ace."""
        wild = [rank for rank, is_wild in slots.items() if is_wild]
        if not wild:
            return CARDS[code].rank_no == 2 and slots.get(2) is False
        low, high = min(slots), max(slots)
        return low in wild or (low == 1 and high in wild)

    # --- what is left in hand

    def own(self, state: GameState, melds: tuple[Meld, ...]) -> list[Meld]:
        return [m for m in melds if state.sides[m.home] == state.sides[state.turn]]

    def pot_comes(self, state: GameState) -> bool:
        return len(state.pots) > 0 and state.pot[state.sides[state.turn]] == 0

    def side_may_close(self, state: GameState, melds: tuple[Meld, ...]) -> bool:
        if self.rules["pots"] and state.pot[state.sides[state.turn]] == 0:
            return False
        kinds = {p.type for m in self.own(state, melds) for p in self.placed(m.codes)} - {None}
        need = self.rules["close_burraco"]
        return need == "none" or (bool(kinds & CLEAN) if need == "clean" else bool(kinds))

    def may_be_empty(self, state: GameState, melds: tuple[Meld, ...]) -> bool:
        if self.pot_comes(state):
            return True
        return not self.rules["close_discard"] and self.side_may_close(state, melds)

    def may_discard_last(self, state: GameState, card: int, melds: tuple[Meld, ...]) -> bool:
        if card == state.barred:
            return False
        takers = melds if self.rules["layoff_any"] else self.own(state, melds)
        limit = self.rules["close_wild_discard"]
        joker = limit == "unplayable_joker" and card == JOKER_CODE
        if joker and any(self.may_grow(state, m, (card,)) for m in takers):
            return False
        if self.pot_comes(state):
            return True
        return self.side_may_close(state, melds) and not (limit == "never" and CARDS[card].is_wild)

    def lay_is_fine(self, state: GameState, cards: tuple[int, ...], melds: tuple[Meld, ...]) -> bool:
        left = Counter(state.hand)
        left.subtract(cards)
        if any(n < 0 for n in left.values()):
            return False
        if state.phase == TOP:
            if state.duty not in cards:
                return False
            if self.rules["pickup"] == "top_melded":
                left.update(state.pile)
        rest = sorted(left.elements())
        return len(rest) > 1 or self.may_be_left(state, rest, melds)

    def may_be_left(self, state: GameState, rest: list[int], melds: tuple[Meld, ...]) -> bool:
        if not rest:
            return self.may_be_empty(state, melds)
        if self.may_discard_last(state, rest[0], melds):
            return True
        if not (self.pot_comes(state) or self.side_may_close(state, melds)):
            return False
        takers = range(len(melds)) if self.rules["layoff_any"] else [
            i for i, m in enumerate(melds) if state.sides[m.home] == state.sides[state.turn]
        ]  # fmt: skip
        for i in takers:
            if self.may_grow(state, melds[i], (rest[0],)):
                grown = (
                    *melds[:i],
                    melds[i]._replace(codes=tuple(sorted((*melds[i].codes, rest[0])))),
                    *melds[i + 1 :],
                )
                if self.may_be_empty(state, grown):
                    return True
        return False

    def may_discard(self, state: GameState, card: int) -> bool:
        if state.phase != PLAY or (state.duty == LAY_SOMETHING and not state.laid):
            return False
        if len(state.hand) == 1:
            return self.may_discard_last(state, card, state.melds)
        return card != state.barred

    # --- everything

    def can_lay(self, state: GameState) -> bool:
        must = {state.duty} if state.phase == TOP else set(state.hand)
        for size in range(1, len(state.hand) + 1):
            for cards in {tuple(sorted(pick)) for pick in combinations(state.hand, size)}:
                if must & set(cards) and (
                    (size >= 3 and self.may_lay(state, cards))
                    or any(self.may_add(state, i, cards) for i in range(len(state.melds)))
                ):
                    return True
        return False

    def allowed(self, state: GameState) -> set[tuple[int, tuple[int, ...], int]]:
        hand = state.hand
        out = set()
        subsets = {tuple(sorted(pick)) for n in range(1, len(hand) + 1) for pick in combinations(hand, n)}
        for cards in subsets:
            if len(cards) >= 3 and self.may_lay(state, cards):
                out.add((LAY, cards, -1))
            out |= {(ADD, cards, i) for i in range(len(state.melds)) if self.may_add(state, i, cards)}
        out |= {(DISCARD, (card,), -1) for card in set(hand) if self.may_discard(state, card)}
        return out


def small_positions(profile: RuleProfile, seed: int, wanted: int, most: int) -> list[GameState]:
    """States of random play in which the player holds few cards, and those in which a pile card must be laid."""
    rng = random.Random(f"{profile.id} {seed}")
    found: list[GameState] = []
    must: list[GameState] = []
    for number in range(400):
        deck = CODES[:]
        rng.shuffle(deck)
        state = deal(deck, profile, players=rng.choice(profile.table.players), dealer=0)
        while not state.over:
            small = len(state.hand) <= most
            if small and state.phase == TOP:
                must.append(state)
            elif small and state.phase == PLAY and rng.random() < 0.15:
                found.append(state)
            actions = legal_actions(state)
            laying = [a for a in actions if a.kind in (LAY, ADD)]
            state = advance(state, rng.choice(laying if laying and rng.random() < 0.8 else actions))
        if len(found) >= wanted and number >= 3:
            break
    rng.shuffle(found)
    return found[:wanted] + must[: wanted // 2]


def reached(state: GameState, target: tuple[int, tuple[int, ...], int]) -> bool:
    """Whether a sequence of basis actions lays exactly these cards on that meld (or as one new meld)."""
    kind, cards, index = target
    goal = Counter(cards)

    def go(now: GameState, meld: int, left: Counter[int]) -> bool:
        if not left:
            return True
        for action in legal_actions(now):
            if action.kind not in (LAY, ADD) or any(left[c] < n for c, n in Counter(action.cards).items()):
                continue
            if (action.kind == LAY) != (meld < 0) or (action.kind == ADD and action.meld != meld):
                continue
            rest = left - Counter(action.cards)
            after = advance(now, action)
            if rest and (after.over or after.turn != now.turn or Counter(after.hand) & rest != rest):
                continue
            if go(after, len(now.melds) if action.kind == LAY else meld, rest):
                return True
        return False

    return go(state, index if kind == ADD else -1, goal)


def compare(state: GameState, referee: Referee) -> None:
    allowed = referee.allowed(state)
    engine = {(a.kind, a.cards, a.meld) for a in legal_actions(state)}
    where = f"{[CARDS[c].text for c in state.hand]} under {state.game.profile.id}, phase {state.phase}"
    assert engine <= allowed, (where, engine - allowed)
    shapes = {(LAY, state.game.profile.meld.min_meld), (ADD, 1), (DISCARD, 1)}
    basis = {a for a in allowed if (a[0], len(a[1])) in shapes}
    assert basis <= engine, (where, basis - engine)
    for target in sorted(allowed - engine):
        assert check(state, Action(target[0], target[1], target[2])) == (), (where, target)
        assert reached(state, target), (where, target)


@pytest.mark.parametrize("rules", profile_ids())
def test_legal_actions_are_what_the_referee_allows(rules: str) -> None:
    profile = load_profile(rules)
    referee = Referee(profile)
    positions = small_positions(profile, 1, wanted=12, most=5)
    assert len(positions) >= 12
    for state in positions:
        compare(state, referee)


@pytest.mark.parametrize(
    ("rules", "options", "wanted"),
    [
        ("fibur", {"wild_move": "locked"}, 60),
        ("vanikar", {"min_natural": 1, "max_wilds": 3, "dup_sets": True, "ace_low": False}, 20),
        ("fibur", {"min_natural": 1, "max_wilds": 2, "dup_sets": True}, 20),
        pytest.param("stekius", {"pickup": "top_melded", "close_burraco": "clean"}, 20, marks=pytest.mark.slow),
        pytest.param("vanikar", {"min_meld": 4, "pickup": "any_depth"}, 20, marks=pytest.mark.slow),
        pytest.param(
            "classico", {"close_wild_discard": "unplayable_joker", "close_discard": False}, 20, marks=pytest.mark.slow
        ),
        pytest.param("brasile", {"close_discard": False, "wild_move": "free"}, 20, marks=pytest.mark.slow),
        pytest.param("internazionale", {"pickup": "any_depth", "rediscard": True}, 20, marks=pytest.mark.slow),
    ],
)
def test_legal_actions_under_options(rules: str, options: dict[str, object], wanted: int) -> None:
    profile = load_profile(rules, options)
    referee = Referee(profile)
    for state in small_positions(profile, 3, wanted=wanted, most=5):
        compare(state, referee)


@pytest.mark.slow
@pytest.mark.parametrize("rules", profile_ids())
def test_legal_actions_are_what_the_referee_allows_at_length(rules: str) -> None:
    profile = load_profile(rules)
    referee = Referee(profile)
    for state in small_positions(profile, 2, wanted=150, most=7):
        compare(state, referee)


@pytest.mark.parametrize("rules", ["brasile", "buraco-fechado", "stbl", "internazionale"])
def test_the_pile_is_offered_exactly_when_it_can_be_used(rules: str) -> None:
    """Taking is refused if and only if nothing that the rules then want could be laid."""
    profile = load_profile(rules)
    referee = Referee(profile)
    rng = random.Random(5)
    seen = {True: 0, False: 0}
    for _ in range(6):
        deck = CODES[:]
        rng.shuffle(deck)
        state = deal(deck, profile, players=2)
        while not state.over:
            actions = legal_actions(state)
            if state.phase == 0 and state.pile and len(state.hand) + len(state.pile) <= 6 and sum(seen.values()) < 60:
                whole = Action(TAKE) if profile.turn.pickup != "any_depth" else Action(TAKE, depth=len(state.pile))
                forced = advance(state, whole)
                usable = referee.can_lay(forced)
                assert (whole in actions) is usable
                assert (check(state, whole) == ()) is usable
                seen[usable] += 1
            laying = [a for a in actions if a.kind in (LAY, ADD)]
            state = advance(state, rng.choice(laying or actions))
    assert seen[True] > 2 and seen[False] > 2
