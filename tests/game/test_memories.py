"""Memories that are full are emptied, and nobody notices: the same deals come out."""

from __future__ import annotations

import pytest

import scorer.contract
import scorer.game.propose
import scorer.moves
from scorer.game.many import simulate
from scorer.game.simulate import Plan, play_deal
from scorer.profile import RuleProfile, load_profile

LIMITS = [(scorer.moves, "_CACHE_LIMIT"), (scorer.game.propose, "_CACHE_LIMIT")]


def fresh(rules: str) -> RuleProfile:
    """A rule set that remembers nothing yet."""
    return load_profile(rules, {"target": 1005})


@pytest.mark.parametrize("rules", ["vanikar", "fibur"])
def test_a_full_memory_changes_no_deal(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play_deal(Plan(fresh(rules), 2, seed=3), 0)
    for module, name in LIMITS:
        monkeypatch.setattr(module, name, 3)
    scorer.moves._book.cache_clear()
    profile = fresh(rules)
    assert play_deal(Plan(profile, 2, seed=3), 0) == whole
    book = scorer.moves.book_of(profile)
    assert book._read
    assert len(book._read) <= 3 >= len(book._status) and len(book._grown) <= 3 >= len(book._fits)


def test_what_is_kept_of_a_rule_set_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer.contract, "_KEPT", 2)
    kept: dict[object, object] = {}
    for number in range(5):
        scorer.contract.keep(kept, number, number)
    assert kept == {4: 4}


def test_a_simulation_tells_how_far_it_is() -> None:
    told: list[int] = []
    deals = list(simulate(Plan(load_profile("vanikar"), 2, seed=3), 2, told=told.append))
    assert len(deals) == 2 == told[-1] and told == sorted(told)
