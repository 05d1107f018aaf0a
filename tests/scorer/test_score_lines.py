"""The lines of a side's sheet: which meld each is about, and which rule decided it."""

from __future__ import annotations

from typing import Any

from scorer.cards import Card
from scorer.profile import load_profile
from scorer.scoring import ScoreLine, score
from scorer.table import Hand, MeldText, Side, Table

RUN, TRUMPS, SET, SMALL = "4h 5h 6h 7h 8h 9h 10h", "3d 4d 5d 6d 2c 8d 9d", "Kh Kh Kd Kd Ks Ks JK", "5s 6s 7s"


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.of(token) for token in text.split())


def lines(rules: str, *bags: str, options: dict[str, object] | None = None, **state: Any) -> tuple[ScoreLine, ...]:
    side = Side("A", melds=tuple(MeldText(cards(bag)) for bag in bags), **state)
    return score(Table((side, Side("B", pozzetto="played"))), load_profile(rules, options)).sides[0].lines


def test_each_line_says_which_meld_it_is_about() -> None:
    found = [(line.code, dict(line.params).get("meld")) for line in lines("fibur", SMALL, RUN, pozzetto="played")]
    assert found == [("meld_cards", 1), ("meld_cards", 2), ("burraco", 2)]


def test_each_bonus_names_the_rule_that_paid_it() -> None:
    paid = [line for line in lines("stekius", RUN, TRUMPS, SET, options={"trump": "d"}) if "burraco" in line.code]
    assert [(line.code, line.rule, line.points) for line in paid] == [
        ("burraco", "bonus.clean", 200), ("burraco_trump", "bonus.dirty", 200), ("burraco", "bonus.set_dirty", 150),
    ]  # fmt: skip
    assert [dict(line.params)["factor"] for line in paid] == [2, 2, 2]
    plain = [line.rule for line in lines("vanikar", RUN, SET) if line.code == "burraco"]
    assert plain == ["bonus.clean", "bonus.dirty"]  # no bonus of its own for sets here


def test_hands_pots_and_closing_name_theirs() -> None:
    hands = (Hand(cards("5c 9d"), "x"), Hand((), "y"), Hand(cards("JK"), "z"))
    closed = lines("vanikar", RUN, hands=hands, closed=True, closed_by="y", pozzetto="played", players=("x", "y", "z"))
    assert [(line.code, line.points, line.rule) for line in closed[2:]] == [
        ("closing", 100, "bonus.closing"), ("hand", -15, "values"), ("hand", -30, "values"),
    ]  # fmt: skip
    assert [dict(line.params)["player"] for line in closed[3:]] == ["x", "z"]
    pot = cards("3c 4c 5c 6c 7c 8c 9c 10c Jc Qc Kc")
    unplayed = {rules: lines(rules, pozzetto="unplayed", pozzetto_cards=pot)[-1] for rules in ("fibur", "canasta")}
    assert (unplayed["fibur"].code, unplayed["fibur"].points) == ("pot_unplayed_hand", -85)
    assert (unplayed["canasta"].code, unplayed["canasta"].points) == ("pot_unplayed_penalty", -100)
    assert {line.rule for line in unplayed.values()} == {"pot_unplayed"}
    (missed,) = lines("fibur", pozzetto="not_taken")
    assert (missed.code, missed.points, missed.rule) == ("pot_not_taken", -100, "pot_penalty")
