"""What cannot be seen is asked about, and a truthful answer puts it right: hands, piles, covered cards, torn melds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scorer.cards import Card
from scorer.errors import VisionError
from scorer.profile import load_profile
from vision.layout import flatten
from vision.reading import TableReading, answer, read_table
from vision.reading_answer import state
from vision.reading_ask import AS_READ, Doubt
from vision.reading_cover import covered_share, least_step, step_weight
from vision.reading_doubts import UNNAMED
from vision.reading_pieces import Part, View
from vision.reading_tables import exact_truth, hand_laid, laid_table, seen_exactly, straight
from vision.reading_text import choice_text, doubts_json, question_text, sheet_text
from vision.synth.layouts import Placed
from vision.types import CardsSeen

FIBUR = load_profile("fibur")
OTHER = [
    straight("Jh Jd Jc", "column", 3.2, -4.5, 3.14159, side=1, meld=8),
    straight("9c 10c Jc Qc", "column", 1.2, -4.5, 3.14159, side=1, meld=9),
]
RUN = straight("4h 5h 6h 7h")


def table(*groups: list[Placed], turn: float = 0.0) -> CardsSeen:
    return seen_exactly(exact_truth(hand_laid([*groups, *OTHER], turn=turn)))


def read(seen: CardsSeen) -> TableReading:
    return read_table([seen], FIBUR)


def without(seen: CardsSeen, *names: str) -> CardsSeen:
    cards = list(seen.cards)
    for name in names:
        del cards[next(n for n, card in enumerate(cards) if card.card == name)]
    return replace(seen, cards=tuple(cards))


def with_joker_twice(seen: CardsSeen, far: float) -> CardsSeen:
    """The first joker is seen once more, by one mark, so many card heights to the right."""
    joker = next(card for card in seen.cards if card.card == "JK")
    aside = np.array([far * joker.height_px, 0], dtype=np.float32)
    mark = replace(joker.marks[0], quad=joker.marks[0].quad + aside)
    again = replace(joker, quad=joker.quad + aside, marks=(mark,), box=(joker.box[0] + float(aside[0]), *joker.box[1:]))
    return replace(seen, cards=(*seen.cards, again))


def totals(reading: TableReading) -> tuple[int, ...]:
    return tuple(side.score.total for side in reading.score.sides)


def asked(reading: TableReading, *cards: str) -> tuple[int, Doubt]:
    """The first single doubt about a group that holds these cards, and the number of its question."""
    for number, question in enumerate(reading.doubts):
        for doubt in question.each:
            held = [card.text for card in reading.groups[doubt.group].chosen.faces]
            if doubt.kind != "sides" and all(name in held for name in cards):
                return number, doubt
    raise AssertionError(f"nothing is asked about {cards}: {[doubt.cards for doubt in reading.doubts]}")


def tell(reading: TableReading, number: int, doubt: Doubt, words: str) -> TableReading:
    """What a person says about one place of a question."""
    return answer(reading, number, words, reading.doubts[number].each.index(doubt))


def names(part: Part) -> list[str]:
    """What was seen of a part."""
    return [card.card for card in part.piece.seen]


def stated(seen: CardsSeen, group: list[str], cards: str) -> list[Part]:
    """The parts once a person says which meld lies where `group` was seen; the stated one is the last."""
    parts = [one.part for one in read(seen).groups]
    view = View.of(0, seen, flatten(seen), [part.group for part in parts], FIBUR)
    at = [names(part) for part in parts].index(group)
    told, origin = state(view, parts, at, "meld", [Card.of(name).code for name in cards.split()])
    assert len(told) == len(origin)
    return told


def test_a_tight_hand_is_asked_about_and_the_answer_counts() -> None:
    hand = straight("5c 9d Qs 3h Kd 8s", "row", y=4.5, step=0.13, meld=None)
    reading = read(without(table(RUN, straight("9c 9d 9s", x=1.3, meld=1), hand), "Qs"))
    number, doubt = asked(reading, "5c", "3h")
    assert doubt.kind == "hidden" and UNNAMED in [choice.value for choice in doubt.choices]
    assert not reading.sure
    later = tell(reading, number, doubt, "hand: 5c 9d Qs 3h Kd 8s")
    assert totals(later)[0] == totals(reading)[0] - 10
    assert all(later.groups[d.group].chosen.role != "hand" for d in later.doubts)
    question = reading.doubts[number]
    unnamed = [n for n, c in enumerate(question.choices) if c.value == UNNAMED and question.each[c.place or 0] is doubt]
    with pytest.raises(VisionError):
        answer(reading, number, unnamed[0])


def test_a_wide_hand_is_not_asked_about() -> None:
    hand = straight("5c 9d Qs", "row", y=4.5, step=0.45, meld=None)
    assert read(table(RUN, straight("9c 9d 9s", x=1.3, meld=1), hand)).sure


def test_a_card_alone_in_line_with_the_melds_may_be_the_top_of_a_pile() -> None:
    whole = table(straight("Kh Ks JK", "pile", x=1.1, meld=1), RUN, straight("9c 9d 9s", x=2.2, meld=2))
    reading = read(whole)
    number, doubt = asked(reading, "JK")
    assert doubt.kind == "role" and UNNAMED in [choice.value for choice in doubt.choices]
    unnamed = next(choice for choice in doubt.choices if choice.value == UNNAMED)
    assert "pile" in choice_text(doubt, unnamed, "en") and "mazzetto" in choice_text(doubt, unnamed, "it")
    assert question_text(reading, doubt, "en").endswith("at stake)")
    later = tell(reading, number, doubt, "meld: Kh Ks JK")
    assert totals(later)[0] == totals(reading)[0] + 10 + 10 + 30
    assert all(doubt.group != number for doubt in later.doubts) or later.doubts == ()


def test_two_melds_that_touch_are_parted() -> None:
    row = [*straight("4c 4s 4c 2s", "row", step=0.33, meld=1), *straight("JK Qd Qd", "row", x=1.35, step=0.38, meld=2)]
    reading = read(table(straight("3h 4h 5h 6h", y=2.4), row[:4], row[4:]))
    near = [sorted(card.text for card in meld.cards) for side in reading.table.sides for meld in side.melds]
    assert ["2s", "4c", "4c", "4s"] in near and ["JK", "Qd", "Qd"] in near


def test_stating_a_meld_takes_its_card_from_the_neighbour_that_has_it() -> None:
    # the joker of the queens lies nearer to the fours
    fours = straight("4c 4s 4c 2s", "row", step=0.33, meld=1)
    queens = straight("JK", x=1.32, meld=2) + straight("Qd Qd", "row", x=2.15, step=0.38, meld=2)
    melds = [straight("3h 4h 5h 6h", y=2.4), fours, queens]
    reading = read(table(*melds))
    want = totals(read(table(straight("3h 4h 5h 6h", y=2.4), fours, straight("JK Qd Qd", "row", x=3, meld=2))))
    number, doubt = asked(reading, "Qd", "Qd")
    later = tell(reading, number, doubt, "meld: JK Qd Qd")
    assert totals(later) == want and totals(reading) != want


def test_stating_a_whole_meld_joins_its_two_halves() -> None:
    left = straight("3d 4d 5d", step=0.28)
    right = straight("6d 7d 8d 9d", x=0.72, y=0.3, meld=1)
    reading = read(table(left, right, straight("9c 9d 9s", x=2.4, meld=2)))
    halves = [n for n, group in enumerate(reading.groups) if "4d" in [c.text for c in group.chosen.faces]]
    doubts = [n for n, doubt in enumerate(reading.doubts) if doubt.group in halves and doubt.kind != "sides"]
    if doubts and len(reading.groups) > 5:
        later = answer(reading, doubts[0], "meld: 3d 4d 5d 6d 7d 8d 9d")
        assert later.score.sides[0].score.burraco_bonus == 200


def test_a_pair_amid_the_melds_is_a_set_whose_joker_was_not_read() -> None:
    groups = [RUN, straight("9c JK 9d", x=1.3, step=0.28, meld=1), straight("5s 6s 7s 8s", x=2.6, meld=2)]
    reading = read(without(table(*groups), "JK"))
    pair = next(g for g in reading.groups if [c.card for c in g.part.piece.seen] == ["9c", "9d"])
    assert pair.chosen.role == "meld" and not reading.sure
    number, doubt = asked(reading, "9c", "9d")
    assert totals(tell(reading, number, doubt, "meld: 9c JK 9d"))[0] == totals(read(table(*groups)))[0]


def test_a_wild_at_the_end_with_a_hole_in_the_run_is_asked_about() -> None:
    # 9c is covered: the joker could stand for it only by lying out of its place
    cards = straight("6c 7c 8c 9c 10c JK", step=0.22)
    whole = [replace(c, y=c.y - 0.09) if c.key == "10c" else c for c in cards]
    reading = read(without(table(whole, straight("9h 9d 9s", x=1.3, meld=1)), "9c"))
    number, doubt = asked(reading, "6c", "10c")
    assert "9c" in [value for choice in doubt.choices for value in choice.value.split()]
    later = tell(reading, number, doubt, "9c")
    assert "9c" in [card.text for group in later.groups for card in group.chosen.faces]


def test_a_crosswise_card_and_the_one_laid_over_it_belong_to_their_column() -> None:
    cards = straight("3d 4d 5d 6d 7d 8d 9d", step=0.25)
    cards[5] = replace(cards[5], angle=1.5708, y=cards[5].y + 0.12, crosswise=True)
    reading = read(table(cards, straight("9c 9h 9s", x=1.5, meld=1)))
    assert reading.score.sides[0].score.burraco_bonus == 200


def test_a_statement_must_name_cards() -> None:
    hand = straight("5c 9d Qs 3h Kd 8s", "row", y=4.5, step=0.13, meld=None)
    reading = read(table(RUN, straight("9c 9d 9s", x=1.3, meld=1), hand))
    number, doubt = asked(reading, "5c")
    with pytest.raises(VisionError):
        tell(reading, number, doubt, "hand: 5c nonsense")


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 20), turn=st.floats(0, 360))
def test_any_turn_any_order_and_swapped_sides_change_nothing(seed: int, turn: float) -> None:
    melds = [straight("4h 5h 6h 7h"), straight("9c 9d 9s", x=1.3, meld=1), straight("9h 9h 9s", "row", x=2.6, meld=2)]
    plain = read(table(*melds))
    seen = table(*melds, turn=turn)
    cards = list(seen.cards)
    np.random.default_rng(seed).shuffle(cards)
    turned = read(replace(seen, cards=tuple(cards)))
    assert sorted(totals(turned)) == sorted(totals(plain))
    assert {g.chosen.codes for g in turned.groups} == {g.chosen.codes for g in plain.groups}


@pytest.mark.parametrize("seed", [3, 21, 40])
def test_every_answer_of_a_random_table_can_be_given(seed: int) -> None:
    reading = read(seen_exactly(exact_truth(laid_table(seed)), np.random.default_rng(seed), 0.03, 0.03))
    for number, doubt in enumerate(reading.doubts):
        if doubt.kind == "sides":
            continue
        place = doubt.each[-1]
        held = " ".join(card.text for card in reading.groups[place.group].chosen.faces)
        later = tell(reading, number, place, f"meld: {held} 7h")
        stated = [g for g in later.groups if "*" in g.part.settled]
        assert len(stated) == 1 and "7h" in [card.text for card in stated[0].chosen.faces]
        seen = sorted((g.part.photo, card) for g in later.groups for card in g.part.cards)
        assert len(seen) == len(set(seen)) == len(reading.photos[0].cards), "no card is lost or doubled"


def test_a_covered_card_needs_a_short_step() -> None:
    least = least_step((0.0, 1.0), 0.68, (0.25, 0.385), False)
    assert covered_share(0.2, least) > 0.02 > 0.002 > covered_share(0.35, least)
    # straight down the column hides an index sooner than a row to the right does
    assert least_step((1.0, 0.0), 0.68, (0.25, 0.385), False) < least
    # a row to the left covers the upper left index; the lower right one stays free
    assert least_step((-1.0, 0.0), 0.68, (0.25, 0.385), False) == least_step((1.0, 0.0), 0.68, (0.25, 0.385), False)
    assert step_weight(0.5, 0.25, least, 0.02) > 0 > step_weight(0.25, 0.25, least, 0.02)


def test_a_meld_cut_by_the_frame_is_never_sure() -> None:
    seen = table(RUN, straight("9c 9d 9s", x=1.3, meld=1))
    edge = max(float(card.quad[:, 1].max()) for card in seen.cards if card.card == "7h")
    cut = replace(seen, height=int(edge - 30))
    reading = read(cut)
    assert "meld_cut" in reading.notices and not reading.sure


def test_one_answer_settles_every_place_or_mends_the_one_that_is_wrong() -> None:
    runs = [straight("4h 5h 6h 7h 8h", step=0.24), straight("4s 5s 6s 7s 8s", x=1.3, step=0.24, meld=1)]
    seen = without(table(*runs, straight("9c 9d 9s", x=2.6, meld=2)), "6h", "6s")
    reading = read(seen)
    number, first = asked(reading, "4h", "8h")
    question = reading.doubts[number]
    held = [[card.text for card in reading.groups[place.group].chosen.faces] for place in question.places]
    assert any("4h" in cards for cards in held) and any("4s" in cards for cards in held)
    whole = next(n for n, choice in enumerate(question.choices) if choice.value == AS_READ)
    calm = answer(reading, number, whole)
    groups = {place.group for place in question.places}
    assert not groups & {place.group for doubt in calm.doubts for place in doubt.each if place.kind == question.kind}
    mended = tell(reading, number, first, "meld: 4h 5h 2c 7h 8h")
    assert "2c" in [card.text for group in mended.groups for card in group.chosen.faces]
    assert "6s" in [card.text for group in mended.groups for card in group.chosen.faces]
    for lang in ("en", "it"):
        assert "♠" in question_text(reading, question, lang) and "?" in question_text(reading, question, lang)


def test_a_heading_asks_without_the_answers_that_stand_below_it() -> None:
    several = 0
    for seed in range(6):
        reading = read(seen_exactly(exact_truth(laid_table(seed), seed)))
        for doubt, row in zip(reading.doubts, doubts_json(reading, "it"), strict=True):
            assert "?" in row["heading"] and "in gioco" not in row["heading"]
            if doubt.places:
                several += 1
                assert not any(choice["text"] in row["heading"] for choice in row["choices"])
            else:
                assert row["question"].startswith(row["heading"])
    assert several


def test_a_question_about_a_hand_is_good_italian() -> None:
    """A place is said after a preposition: "in il gruppo" stood on the page."""
    questions = []
    for seed in range(6):
        reading = read(seen_exactly(exact_truth(laid_table(seed), seed)))
        questions += [question_text(reading, doubt, "it") for doubt in reading.doubts]
    assert any("in un gruppo (" in question for question in questions)
    assert not any(" in il " in question or " in lo " in question for question in questions)


def test_a_joker_between_two_rows_goes_to_the_row_that_it_begins() -> None:
    row = straight("9d 10d Jd Qd Kd", "row", step=0.32, meld=1)
    end = row[-1].x
    beside = straight("JK Js 10s 9s", "row", x=end + 0.71, step=0.25, meld=2)
    seen = seen_exactly(exact_truth(hand_laid([straight("3h 4h 5h 6h", y=2.4), row, beside, *OTHER], four_corner=True)))
    found = {tuple(sorted(card.text for card in group.chosen.faces)) for group in read(seen).groups}
    assert ("10s", "9s", "JK", "Js") in found and ("10d", "9d", "Jd", "Kd", "Qd") in found


def test_the_sheet_remarks_likely_places_and_asks_about_the_others_once() -> None:
    likely = unlikely = 0
    for seed in range(6):
        reading = read(seen_exactly(exact_truth(laid_table(seed), seed)))
        sheet = sheet_text(reading, "en")
        for question in (one for one in reading.doubts if one.places):
            for place in question.places:
                said = sheet.count("? " + question_text(reading, place, "en"))
                assert said == (1 if place.slip >= 0.1 else 0)
                likely, unlikely = likely + (place.slip >= 0.1), unlikely + (place.slip < 0.1)
            whole = all(place.slip >= 0.1 for place in question.places)
            assert sheet.count("? " + question_text(reading, question, "en")) == (0 if whole else 1)
    assert likely and unlikely


def test_a_second_detection_of_a_joker_is_none_once_its_meld_is_stated() -> None:
    """Nothing that is stated is counted twice: the joker of the kings had been read twice, once beside them."""
    kings = straight("Ks Ks Kh JK", "row", x=1.4, step=0.4, meld=1)
    whole = table(straight("3h 4h 5h 6h", y=2.4), kings, straight("9c 9d 9s", x=-2.2, meld=2))
    told = stated(with_joker_twice(whole, 0.9), ["JK"], "Ks Ks Kh JK")
    assert sorted(card.text for card in told[-1].options[0].faces) == ["JK", "Kh", "Ks", "Ks"]
    assert [name for part in told[:-1] for name in names(part)].count("JK") == 0
    assert [card.change for card in told[-1].options[0].cards].count("extra") == 1


def test_what_was_said_before_is_not_laid_twice() -> None:
    """A second detection that lies apart is asked about too: the person says the same meld again, which is there."""
    kings = straight("Ks Ks Kh JK", "row", x=1.4, step=0.4, meld=1)
    whole = table(straight("3h 4h 5h 6h", y=2.4), kings, straight("9c 9d 9s", x=-2.2, meld=2))
    seen = with_joker_twice(whole, 1.5)
    first = stated(seen, ["Ks", "Ks", "Kh", "JK"], "Ks Ks Kh JK")
    lone = next(n for n, part in enumerate(first) if names(part) == ["JK"])
    flat = flatten(seen)
    view = View.of(0, seen, flat, [part.group for part in first], FIBUR)
    told, _ = state(view, first, lone, "meld", [Card.of(card).code for card in ("Ks", "Ks", "Kh", "JK")])
    assert [card.change for card in told[-1].options[0].cards] == ["extra"]
    melds = [sorted(card.text for card in part.options[0].faces) for part in told if part.options[0].role == "meld"]
    assert melds.count(["JK", "Kh", "Ks", "Ks"]) == 1
    assert sum(len(part.cards) for part in told) == len(seen.cards)


def test_stating_a_meld_takes_the_whole_chain_that_lies_apart_and_leaves_the_strange_joker() -> None:
    """The chain beside holds a joker, and so does the group that was asked about: one of them is not of the meld."""
    head = straight("JK Ad Kd", "row", step=0.3, meld=0)
    tail = straight("JK Jd 10d 9d 8d", "row", x=1.85, step=0.3, meld=1)
    seen = table(head, tail, straight("9c 9d 9s", y=3.2, meld=2))
    told = stated(seen, ["JK", "Ad", "Kd"], "Ad Kd JK Jd 10d 9d 8d")
    cards = told[-1].options[0].cards
    assert len(cards) == 7 and all(card.change == "" for card in cards)
    assert [name for part in told[:-1] for name in names(part)].count("JK") == 1
    assert sum(len(part.cards) for part in told) == len(seen.cards)
