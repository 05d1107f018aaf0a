"""The most probable table: repairs that are marked, plain views that stand, doubts that an answer settles."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace

import numpy as np
import pytest

from scorer.errors import VisionError
from scorer.notation import parse_sheet
from scorer.profile import load_profile
from vision.reading import TableReading, answer, read_table
from vision.reading_tables import exact_truth, hand_laid, laid_table, seen_exactly, straight
from vision.reading_text import reading_json, sheet_text
from vision.synth.layouts import Placed
from vision.types import CardsSeen

FIBUR = load_profile("fibur")
OTHER = [
    straight("Jh Jd Jc", "column", 3.2, -4.5, math.pi, side=1, meld=8),
    straight("9c 10c Jc Qc", "column", 1.2, -4.5, math.pi, side=1, meld=9),
]


def table(*groups: list[Placed], turn: float = 0.0, rivals: bool = True) -> CardsSeen:
    return seen_exactly(exact_truth(hand_laid([*groups, *(OTHER if rivals else [])], turn=turn)))


def read(seen: CardsSeen) -> TableReading:
    return read_table([seen], FIBUR)


def melds(reading: TableReading, side: int = 0) -> list[list[str]]:
    return [sorted(card.text for card in meld.cards) for meld in reading.table.sides[side].melds]


def misread(seen: CardsSeen, card: str, said: str, sure: float = 0.8, rest: float = 0.15) -> CardsSeen:
    """The same cards, one of them taken for another with the true face second."""
    out, done = [], False
    for one in seen.cards:
        if one.card == card and not done:
            one, done = replace(one, card=said, confidence=sure, alternatives=((card, rest),)), True
        out.append(one)
    return replace(seen, cards=tuple(out))


def without(seen: CardsSeen, card: str) -> CardsSeen:
    gone = next(n for n, one in enumerate(seen.cards) if one.card == card)
    return replace(seen, cards=tuple(one for n, one in enumerate(seen.cards) if n != gone))


# --- plain tables -----------------------------------------------------


def test_two_sides_and_their_points() -> None:
    reading = read(table(straight("4h 5h 6h 7h"), straight("9c 9d 9s", x=1.3, meld=1)))
    assert sorted(melds(reading)) == [["4h", "5h", "6h", "7h"], ["9c", "9d", "9s"]]
    assert sorted(map(len, melds(reading, 1))) == [3, 4]
    assert [side.score.total for side in reading.score.sides] == [50, 70]
    assert reading.points.best == (50, 70)
    assert reading.sure


@pytest.mark.parametrize(
    ("cards", "kind", "wild"),
    [
        ("3h 4h 5h 2h 7h 8h 9h", "dirty", "6h"),
        ("4s 5s 6s 7s JK", None, "3s"),
        ("8c 7c 6c 5c 4c 3c 2c JK", "semi", "Ac"),
        ("9h 9h 9s JK", None, "9?"),
        ("Qd Kd Ad 2s", None, "Jd"),
    ],
)
def test_melds_with_a_wild(cards: str, kind: str | None, wild: str) -> None:
    reading = read(table(straight(cards, step=0.3), straight("5c 6c 7c", x=1.4, meld=1)))
    verdict = next(v for v in reading.score.sides[0].melds if len(v.cards) == len(cards.split()))
    assert verdict.legal and verdict.type == kind
    assert [str(slot.stands_for) for slot in verdict.slots if slot.wild] == [wild]


def test_two_melds_of_one_rank_and_twins_side_by_side() -> None:
    reading = read(table(straight("9h 9h 9s", "row"), straight("9d 9d 9s JK", "row", x=2, y=0, meld=1)))
    assert sorted(melds(reading)) == [["9d", "9d", "9s", "JK"], ["9h", "9h", "9s"]]
    assert [fault.code for fault in reading.score.violations] == ["two_equal_sets"]
    assert not reading.sure


def test_a_column_with_its_crosswise_card_is_one_burraco() -> None:
    reading = read(table(straight("3d 4d 5d 6d 7d 8d 9d", crosswise=1), straight("5c 6c 7c", x=1.5, meld=1)))
    assert reading.score.sides[0].score.burraco_bonus == 200


@pytest.mark.parametrize("turn", [90.0, 180.0, 213.0])
def test_a_turned_photo_gives_the_same_deal(turn: float) -> None:
    groups = [straight("4h 5h 6h 7h"), straight("9c 9d 9s", x=1.3, meld=1), straight("5s 6s 7s 8s", x=2.6, meld=2)]
    upright, turned = read(table(*groups)), read(table(*groups, turn=turn))
    totals = sorted(side.score.total for side in upright.score.sides)
    assert sorted(side.score.total for side in turned.score.sides) == totals
    assert sorted(map(sorted, (melds(turned, n) for n in (0, 1)))) == sorted(
        map(sorted, (melds(upright, n) for n in (0, 1)))
    )


def test_the_order_of_the_detections_changes_nothing() -> None:
    seen = seen_exactly(exact_truth(laid_table(5)), np.random.default_rng(3), 0.02, 0.02)
    cards = list(seen.cards)
    random.Random(4).shuffle(cards)
    one, two = read(seen), read(replace(seen, cards=tuple(cards)))
    assert one.points == two.points
    assert [d.feature for d in one.doubts] == [d.feature for d in two.doubts]


def test_hands_and_the_discard_are_no_melds() -> None:
    hand = straight("Kd 4c 9h 2s", "fan", 0, 4, meld=None)
    alone = [Placed(0, "8s", -3.0, -1.6, 1.2, "discard")]
    reading = read(table(straight("4h 5h 6h 7h"), straight("9c 9d 9s", x=1.3, meld=1), hand, alone))
    (held,) = reading.table.sides[0].hands
    assert sorted(card.text for card in held.cards) == ["2s", "4c", "9h", "Kd"]
    assert [c.text for g in reading.groups if g.chosen.role == "other" for c in g.chosen.faces] == ["8s"]
    assert reading.score.sides[0].score.hand == -45


def test_whose_melds_a_photo_shows_can_be_said() -> None:
    mine = table(straight("4h 5h 6h 7h"), straight("9c 9d 9s", x=1.3, meld=1), rivals=False)
    theirs = table(straight("Jh Jd Jc"), straight("5s 6s 7s", x=1.3, meld=1), rivals=False)
    reading = read_table([mine, theirs], FIBUR, ("Noi", "Loro"), (1, 0))
    assert sorted(map(len, melds(reading, 1))) == [3, 4]
    assert ["Jc", "Jd", "Jh"] in melds(reading, 0)
    with pytest.raises(VisionError):
        read_table([mine], FIBUR, ("Noi", "Loro"), (1, 0))


# --- repairs -----------------------------------------------------


def test_a_card_misread_inside_a_run_is_mended_and_marked() -> None:
    seen = misread(table(straight("4h 5h 6h 7h 8h"), straight("9c 9d 9s", x=1.3, meld=1)), "6h", "6d", 0.7, 0.25)
    reading = read(seen)
    assert ["4h", "5h", "6h", "7h", "8h"] in melds(reading)
    (changed,) = [c for g in reading.groups for c in g.chosen.cards if c.change]
    assert changed.change == "misread"
    assert "6♥" in sheet_text(reading, "en") and "6♦" in sheet_text(reading, "en")


def test_what_is_plainly_visible_stands_though_it_be_illegal() -> None:
    seen = table(straight("4h 5h 6d 7h 8h", "row", step=0.5), straight("9c 9d 9s", x=4.3, meld=1))
    seen = replace(seen, cards=tuple(replace(c, confidence=0.9995, alternatives=()) for c in seen.cards))
    reading = read(seen)
    assert ["4h", "5h", "6d", "7h", "8h"] in melds(reading)
    assert not reading.score.legal and not reading.sure


def test_a_hole_in_a_run_is_a_hidden_card_with_a_doubt() -> None:
    whole = table(straight("4h 5h 6h 7h 8h 9h 10h"), straight("9c 9d 9s", x=1.3, meld=1))
    reading = read(without(whole, "7h"))
    assert ["10h", "4h", "5h", "6h", "7h", "8h", "9h"] in melds(reading)
    hidden = [c for g in reading.groups for c in g.chosen.cards if c.change == "hidden"]
    assert len(hidden) == 1 and hidden[0].source is None


def test_six_visible_and_a_joker_that_covers_one() -> None:
    # 9d lies wholly under the joker: eight, joker, jack is only a run if a card is hidden there
    reading = read(table(straight("8d JK Jd Qd Kd Ad"), straight("5c 6c 7c", x=1.3, meld=1)))
    run = max(melds(reading), key=len)
    assert len(run) == 7 and ("9d" in run) != ("10d" in run)
    assert reading.doubts and reading.doubts[0].kind in ("hidden", "role")
    low, best, high = (values[0] for values in reading.points)
    assert low <= best <= high and low < high


def test_a_wide_step_in_a_set_asks_for_the_card_under_it() -> None:
    seen = without(table(straight("9h 9d 9s 9c 9d 9h 2c", step=0.3), straight("5c 6c 7c", x=1.3, meld=1)), "9s")
    reading = read(seen)
    assert any(doubt.kind == "hidden" and doubt.stake >= 100 for doubt in reading.doubts)


def test_no_more_cards_than_the_deck_holds() -> None:
    groups = [straight("7h 8h 9h 10h"), straight("7h 7d 7s", x=1.3, meld=1), straight("7c 7d 7h", x=2.6, meld=2)]
    # the third seven of hearts is really of clubs, and the reader is not sure of it
    seen = misread(table(*groups), "7c", "7s", 0.6, 0.3)
    reading = read(seen)
    counts = [c.text for side in reading.table.sides for meld in side.melds for c in meld.cards]
    assert counts.count("7h") == 3, "three sure sevens of hearts are plainly visible"
    assert any(fault.code == "too_many_copies" for fault in reading.score.violations)
    doubtful = replace(
        seen,
        cards=tuple(
            replace(c, confidence=0.6, alternatives=(("7c", 0.35),)) if c.card == "7h" else c for c in seen.cards
        ),
    )
    counts = [c.text for side in read(doubtful).table.sides for meld in side.melds for c in meld.cards]
    assert counts.count("7h") <= 2


# --- doubts -----------------------------------------------------


def test_a_doubt_is_settled_by_an_answer() -> None:
    seen = misread(table(straight("4h 5h 6h"), straight("9c 9d 9s", x=1.3, meld=1)), "6h", "3h", 0.55, 0.43)
    reading = read(seen)
    doubts = [n for n, d in enumerate(reading.doubts) if d.kind in ("card", "hidden", "role")]
    if doubts:
        asked = reading.doubts[doubts[0]]
        for number in range(len(asked.choices)):
            later = answer(reading, doubts[0], number)
            place = asked.choices[number].place
            settled = asked.each if place is None else (asked.each[place],)
            still = {(d.group, d.feature) for question in later.doubts for d in question.each}
            assert not still & {(d.group, d.feature) for d in settled}
            assert sum(later.points.high) - sum(later.points.low) <= sum(reading.points.high) - sum(reading.points.low)
    with pytest.raises(VisionError):
        answer(reading, 99, 0)


def test_an_answer_may_name_a_card_nobody_thought_of() -> None:
    whole = table(straight("8d JK Jd Qd Kd Ad"), straight("5c 6c 7c", x=1.3, meld=1))
    reading = read(whole)
    at = next(n for n, d in enumerate(reading.doubts) if d.kind == "hidden")
    later = answer(reading, at, "2s")
    assert any("2s" in meld for meld in melds(later))
    with pytest.raises(VisionError):
        answer(reading, at, "no card")


def test_doubts_are_ranked_and_bound_the_points() -> None:
    reading = read(seen_exactly(exact_truth(laid_table(7)), np.random.default_rng(1), 0.05, 0.05))
    ranks = [doubt.rank for doubt in reading.doubts]
    assert ranks == sorted(ranks, reverse=True)
    for low, best, high in zip(*reading.points, strict=True):
        assert low <= best <= high


# --- no cards, another game, the clock -----------------------------------------------------


def test_a_photo_without_cards_is_a_clear_answer() -> None:
    reading = read_table([CardsSeen((), 800, 600)], FIBUR)
    assert reading.notices == ("no_cards",) and not reading.sure
    assert "[" in sheet_text(reading, "en")


def test_another_game_is_named() -> None:
    rows = [
        straight("4h Kc 9s", "row", 0, 0, meld=0),
        straight("2h Jc 5d", "row", 3, 0, meld=1),
        straight("8h 3c Qs", "row", 0, 3, meld=2),
    ]
    assert "other_game" in read(table(*rows, rivals=False)).notices


@pytest.mark.parametrize("lang", ["en", "it"])
def test_the_sheet_reads_back_to_the_same_table(lang: str) -> None:
    reading = read(seen_exactly(exact_truth(laid_table(8)), np.random.default_rng(2), 0.03, 0.03))
    text = sheet_text(reading, lang)
    back = parse_sheet(text)
    assert [[sorted(m.cards) for m in side.melds] for side in back.table.sides] == [
        [sorted(m.cards) for m in side.melds] for side in reading.table.sides
    ]
    assert ("?" in text) == bool(reading.doubts)


def test_the_json_has_the_contract_s_keys() -> None:
    reading = read(seen_exactly(exact_truth(laid_table(8)), np.random.default_rng(2), 0.03, 0.03))
    body = reading_json(reading, "it")
    assert {"cards", "melds", "hands", "other", "sheet", "doubts", "points", "notices"} <= set(body)
    assert {"low", "best", "high"} <= set(body["points"])
    for card in body["cards"]:
        assert {"card", "confidence", "box", "meld"} <= set(card) and 0 <= card["confidence"] <= 1
        assert card["meld"] is None or card["meld"] < len(body["melds"])
    for meld in body["melds"]:
        assert {"cards", "legal", "type", "side", "confidence"} <= set(meld)
    for doubt in body["doubts"]:
        assert doubt["question"] and doubt["points_at_stake"] > 0 and doubt["choices"]


@pytest.mark.bench
def test_the_joint_reading_takes_under_300_ms() -> None:
    seen = seen_exactly(exact_truth(laid_table(6)), np.random.default_rng(1), 0.03, 0.03)
    spent = []
    for _ in range(3):
        begun = time.thread_time()
        read(seen)
        spent.append(time.thread_time() - begun)
    assert min(spent) < 0.3
