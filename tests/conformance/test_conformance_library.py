"""Every stated fact of the rules (`*.jsonl` beside this file) holds through the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scorer.cards import Card
from scorer.melds import check_meld
from scorer.profile import load_profile
from scorer.scoring import score
from scorer.table import Hand, MeldText, Side, Table

HERE = Path(__file__).parent


def rows(*names: str) -> list[Any]:
    found = []
    for name in names:
        lines = (HERE / name).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            found.append(pytest.param(row, id=f"{row['id']}-{number}"))
    return found


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card.of(token) for token in text.split())


@pytest.mark.parametrize("row", rows("melds.jsonl", "known_faults.jsonl", "more_melds.jsonl"))
def test_meld(row: dict[str, Any]) -> None:
    verdict = check_meld(cards(row["cards"]), load_profile(row["rules"], row["options"]))
    assert verdict.legal is row["legal"], verdict.violations
    if not row["legal"]:
        assert verdict.violations and verdict.reading is None
        return
    seen = {key: getattr(verdict, key) for key in ("type", "doubled", "card_points", "bonus", "total")}
    assert seen == {key: row[key] for key in seen}
    assert sorted(verdict.cards, key=lambda c: c.code) == sorted(cards(row["cards"]), key=lambda c: c.code)


def side(data: dict[str, Any]) -> Side:
    hand = data["hand"]
    hands = [hand] if isinstance(hand, str) else hand
    return Side(
        data["name"],
        melds=tuple(MeldText(cards(meld)) for meld in data["melds"]),
        hands=tuple(Hand(cards(held)) for held in hands),
        pozzetto=data["pozzetto"],
        pozzetto_cards=cards(data.get("pozzetto_cards", "")),
        closed=data["closed"],
    )


@pytest.mark.parametrize("row", rows("hands.jsonl", "more_hands.jsonl"))
def test_hand(row: dict[str, Any]) -> None:
    sheet = score(Table(tuple(map(side, row["sides"]))), load_profile(row["rules"], row["options"]))
    assert sheet.void is row["void"]
    assert sheet.legal, sheet.violations
    seen = [{"name": one.name, **one.score._asdict()} for one in sheet.sides]
    assert seen == row["expect"]
    for one in sheet.sides:
        assert sum(line.points for line in one.lines) == one.score.total


def test_the_data_is_whole() -> None:
    """A runner that finds no rows would pass; it may not."""
    assert (len(rows("melds.jsonl")), len(rows("known_faults.jsonl")), len(rows("hands.jsonl"))) == (91, 13, 29)
    assert len(rows("more_melds.jsonl")) >= 185 and len(rows("more_hands.jsonl")) >= 24
