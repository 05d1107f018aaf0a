"""Marks to cards, on tables drawn as plain geometry: the truth is known, and no network takes part."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest

from vision.cards import assemble, combine
from vision.detect import FakeDetector
from vision.geometry import Pairs, fit_plane, frames, quad_overlap, suppress
from vision.types import CARDS, CLASS_INDEX, IndexMark

WIDTH, HEIGHT = 2800, 2100


@dataclass(frozen=True)
class Deck:
    """A deck in millimetres: card size, index height, index middle to the edges, corners with an index."""

    card: tuple[float, float] = (63.0, 88.0)
    index: float = 16.0
    inset: tuple[float, float] = (6.5, 11.5)
    corners: tuple[int, ...] = (0, 2)


POKER = Deck()
ITALIAN = Deck(index=17.0, inset=(7.0, 12.5), corners=(0, 1, 2, 3))
BRIDGE = Deck(card=(57.0, 88.0), index=11.0, inset=(5.0, 9.0))
JUMBO = Deck(index=25.0, inset=(9.0, 15.5))
DECKS = {"poker": POKER, "italian": ITALIAN, "bridge": BRIDGE, "jumbo": JUMBO}


@dataclass(frozen=True)
class Lying:
    """A card on the table: its middle in millimetres, its turn in degrees, and which of its indices can be seen."""

    card: str
    x: float
    y: float
    turn: float = 0.0
    shown: tuple[int, ...] = (0, 1, 2, 3)
    joker_index: float = 0.0


def camera(tilt: float, azimuth: float, distance: float = 1100.0, turn: float = 0.0) -> np.ndarray:
    """Homography from table millimetres to pixels, for a telephone's lens at a distance above the middle."""
    focal = 0.78 * WIDTH
    inner = np.array([[focal, 0, WIDTH / 2], [0, focal, HEIGHT / 2], [0, 0, 1.0]])

    def about_z(angle: float) -> np.ndarray:
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])

    c, s = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    lean = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    way = math.radians(azimuth)
    turned = about_z(way) @ lean @ about_z(-way) @ about_z(math.radians(turn))
    return inner @ np.column_stack([turned[:, 0], turned[:, 1], [0.0, 0.0, distance]])


def to_marks(
    cards: list[Lying], deck: Deck, lens: np.ndarray, rng: np.random.Generator, noise: float = 0.8, lost: float = 0.0
) -> list[IndexMark]:
    marks = []
    for card in cards:
        angle = math.radians(card.turn)
        spin = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        tall = card.joker_index or deck.index
        wide = tall * (0.62 if card.card.startswith("10") else 0.45)
        for corner in deck.corners:
            if corner not in card.shown or rng.random() < lost:
                continue
            side = -1 if corner in (0, 3) else 1
            end = -1 if corner in (0, 1) else 1
            middle = np.array([side * (deck.card[0] / 2 - deck.inset[0]), end * (deck.card[1] / 2 - deck.inset[1] - 0)])
            box = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
            box = middle + (box if end < 0 else -box)
            placed = box @ spin.T + [card.x, card.y]
            pixels = np.column_stack([placed, np.ones(4)]) @ lens.T
            quad = pixels[:, :2] / pixels[:, 2:] + rng.normal(0, noise, (4, 2))
            marks.append(IndexMark.of(card.card, quad, score=float(rng.uniform(0.6, 1)), sure=0.97))
    return marks


def random_table(rng: random.Random, four: bool) -> list[Lying]:
    """Columns and rows of random cards, two of each face at most, with what each card of a column can show."""
    pack = [card for card in CARDS if card != "JK"] * 2
    rng.shuffle(pack)
    cards: list[Lying] = []
    for number in range(rng.randint(4, 7)):
        turn = rng.choice([0, 90, 180, 270]) + rng.uniform(-4, 4)
        along = rng.uniform(22, 38)
        sideways = rng.random() < 0.4
        x0, y0 = -330 + (number % 4) * 220.0, -140.0 + (number // 4) * 270.0
        count = rng.randint(3, 5)
        for place in range(count):
            step = (place - count / 2) * along
            angle = math.radians(turn)
            local = (step, 0.0) if sideways else (0.0, step)
            dx = local[0] * math.cos(angle) - local[1] * math.sin(angle)
            dy = local[0] * math.sin(angle) + local[1] * math.cos(angle)
            last = place == count - 1
            shown = (0, 1, 2, 3) if last else ((0, 3) if sideways else (0, 1))
            cards.append(Lying(pack.pop(), x0 + dx, y0 + dy, turn + rng.uniform(-2, 2), shown))
    return cards


def faces(cards: list[Lying], deck: Deck) -> Counter[str]:
    return Counter(card.card for card in cards if set(card.shown) & set(deck.corners))


def read(marks: list[IndexMark]) -> Counter[str]:
    return Counter(card.card for card in assemble(marks, WIDTH, HEIGHT).cards)


@pytest.mark.parametrize("name", DECKS)
@pytest.mark.parametrize("tilt", [0, 20, 40])
def test_table_is_read_whole(name: str, tilt: int) -> None:
    deck = DECKS[name]
    wrong = total = 0
    for seed in range(3):
        rng = random.Random(seed)
        noise = np.random.default_rng(seed)
        cards = random_table(rng, 1 in deck.corners)
        lens = camera(tilt, rng.uniform(0, 360), turn=rng.uniform(0, 360))
        want, got = faces(cards, deck), read(to_marks(cards, deck, lens, noise))
        wrong += sum(((want - got) + (got - want)).values())
        total += sum(want.values())
    assert wrong <= 0.01 * total, f"{wrong} of {total}"


@pytest.mark.parametrize("name", DECKS)
def test_lost_marks_lose_no_other_card(name: str) -> None:
    """With a fifth of the marks missing, what is left still gives each card once."""
    deck = DECKS[name]
    extra = total = 0
    for seed in range(3):
        rng, noise = random.Random(seed), np.random.default_rng(seed)
        cards = random_table(rng, True)
        marks = to_marks(cards, deck, camera(25, 40 * seed), noise, lost=0.2)
        got = read(marks)
        extra += sum((got - faces(cards, deck)).values())
        total += sum(got.values())
        assert set(got) == {mark.best for mark in marks}, "every face that was detected is reported"
    assert extra <= 0.02 * total, f"{extra} of {total}"


@pytest.mark.parametrize("name", ["poker", "italian", "bridge"])
def test_twins_are_never_merged(name: str) -> None:
    """Two cards of one face, side by side or one step apart: always two, and no card counted twice."""
    deck = DECKS[name]
    merged = doubled = trials = 0
    for seed in range(15):
        rng, noise = random.Random(seed), np.random.default_rng(seed)
        cards = random_table(rng, True)[:12]
        twins = "9h"
        cards = [replace(card, card="8c" if card.card == twins else card.card) for card in cards]
        turn, step = rng.uniform(0, 360), rng.uniform(20, 40)
        dx, dy = -math.sin(math.radians(turn)) * step, math.cos(math.radians(turn)) * step
        under = Lying(twins, 330.0, 190.0, turn, (0, 1))
        cards += [under, Lying(twins, 330.0 + dx, 190.0 + dy, turn + rng.uniform(-2, 2))]
        got = read(to_marks(cards, deck, camera(rng.uniform(0, 40), rng.uniform(0, 360)), noise))[twins]
        merged += got < 2
        doubled += got > 2
        trials += 1
    assert merged == 0
    assert doubled <= 0.07 * trials


def test_turning_the_photo_changes_nothing() -> None:
    cards = random_table(random.Random(5), True)
    results = []
    for turn in (0, 37, 90, 151, 180, 270):
        marks = to_marks(cards, ITALIAN, camera(0, 0, turn=turn), np.random.default_rng(1), noise=0.3)
        results.append(read(marks))
    assert all(result == results[0] for result in results)
    assert results[0] == faces(cards, ITALIAN)


def test_order_of_marks_changes_nothing() -> None:
    marks = to_marks(random_table(random.Random(9), True), POKER, camera(30, 70), np.random.default_rng(2))
    first = assemble(marks, WIDTH, HEIGHT)
    shuffled = marks.copy()
    random.Random(1).shuffle(shuffled)
    second = assemble(shuffled, WIDTH, HEIGHT)
    assert [c.card for c in first.cards] == [c.card for c in second.cards]
    assert np.allclose([c.quad for c in first.cards], [c.quad for c in second.cards])


def test_outline_encloses_the_card() -> None:
    cards = random_table(random.Random(3), True)
    lens = camera(15, 200)
    seen = assemble(to_marks(cards, POKER, lens, np.random.default_rng(3)), WIDTH, HEIGHT)
    overlaps = []
    for card in seen.cards:
        if len(card.marks) < 2:
            continue
        best = 0.0
        for lying in cards:
            angle = math.radians(lying.turn)
            spin = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
            box = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]) @ spin.T + [lying.x, lying.y]
            pixels = np.column_stack([box, np.ones(4)]) @ lens.T
            best = max(best, quad_overlap(pixels[:, :2] / pixels[:, 2:], card.quad)[0])
        overlaps.append(best)
    assert len(overlaps) >= 4 and min(overlaps) > 0.85


def star_joker(shown: tuple[int, ...]) -> Lying:
    return Lying("JK", 330, 190, 12, shown, joker_index=7.0)


@pytest.mark.parametrize("shown", [(0, 1, 2, 3), (0, 1), (0, 2), (1, 2), (0, 3), (2,)])
def test_joker_with_a_star_in_each_corner_is_one_card(shown: tuple[int, ...]) -> None:
    cards = [card for card in random_table(random.Random(4), True) if math.hypot(card.x - 330, card.y - 190) > 160]
    marks = to_marks([*cards, star_joker(shown)], ITALIAN, camera(20, 100), np.random.default_rng(4), noise=0.5)
    assert read(marks)["JK"] == 1


def spun(mark: IndexMark, fifths: int) -> IndexMark:
    """The same star, its box made square and turned by fifths: all that a star itself can tell."""
    middle, side = mark.quad.mean(axis=0), mark.height / 2
    up = (mark.quad[0] + mark.quad[1] - mark.quad[2] - mark.quad[3]) / 2
    angle = math.atan2(up[1], up[0]) + fifths * 2 * math.pi / 5
    way, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    corners = [way - across, way + across, -way + across, -way - across]
    return replace(mark, quad=(middle + side * np.array(corners)).astype(np.float32))


@pytest.mark.parametrize("shown", [(0, 1, 2, 3), (0, 1), (0, 2), (1, 2)])
def test_stars_are_joined_however_they_are_turned(shown: tuple[int, ...]) -> None:
    cards = [card for card in random_table(random.Random(4), True) if math.hypot(card.x - 330, card.y - 190) > 160]
    joker = replace(star_joker(shown), turn=2)
    marks = to_marks([*cards, joker], ITALIAN, camera(20, 100), np.random.default_rng(4), noise=0.3)
    stars = [spun(mark, number % 5) for number, mark in enumerate(marks) if mark.best == "JK"]
    assert read([*(mark for mark in marks if mark.best != "JK"), *stars])["JK"] == 1


def test_pieces_of_a_word_and_a_word_inside_are_one_joker() -> None:
    """JO and KER one under the other in a corner, twice, and JOKER across the picture: one card."""
    cards = [card for card in random_table(random.Random(4), False) if math.hypot(card.x - 330, card.y - 190) > 160]
    lens, rng = camera(10, 30), np.random.default_rng(5)
    marks = to_marks([*cards, Lying("JK", 330, 190, 3, (0, 2), joker_index=24.0)], POKER, lens, rng, noise=0.3)
    plain = [mark for mark in marks if mark.best != "JK"]
    words = [mark for mark in marks if mark.best == "JK"]
    pieces = []
    for word in words:
        left, right = (word.quad[0] + word.quad[3]) / 2, (word.quad[1] + word.quad[2]) / 2
        pieces.append(replace(word, quad=np.array([word.quad[0], word.quad[1], right, left])))
        pieces.append(replace(word, quad=np.array([left, right, word.quad[2], word.quad[3]])))
    middle = np.mean([word.quad.mean(axis=0) for word in words], axis=0)
    inside = replace(words[0], quad=(words[0].quad - words[0].quad.mean(axis=0) + middle).astype(np.float32))
    assert len(pieces) == 4
    assert read([*plain, *pieces, inside])["JK"] == 1


def table_of_twins(rng: random.Random) -> list[Lying]:
    """Twelve faces, each twice, in columns and rows: twins often lie one on the other, or side by side."""
    cards = random_table(rng, False)
    faces = rng.sample([card for card in CARDS if card != "JK"], len(cards) // 2 + 1)
    return [replace(card, card=faces[number // 2]) for number, card in enumerate(cards)]


@pytest.mark.slow
def test_of_a_thousand_pairs_of_twins_none_is_merged() -> None:
    pairs = merged = 0
    for seed in range(110):
        rng, noise = random.Random(seed), np.random.default_rng(seed)
        deck = [POKER, ITALIAN, BRIDGE, JUMBO][seed % 4]
        cards = table_of_twins(rng)
        lens = camera(rng.uniform(0, 40), rng.uniform(0, 360), turn=rng.uniform(0, 360))
        owners, marks = [], []
        for number, card in enumerate(cards):
            own = to_marks([card], deck, lens, noise, noise=1.0, lost=0.05)
            owners += [number] * len(own)
            marks += own
        number_of = {id(mark): owner for mark, owner in zip(marks, owners, strict=True)}
        seen = Counter(cards[owner].card for owner in set(owners))
        pairs += sum(count * (count - 1) // 2 for count in seen.values())
        for card in assemble(marks, WIDTH, HEIGHT).cards:
            merged += len({number_of[id(mark)] for mark in card.marks}) > 1
    assert pairs >= 1000
    assert merged <= MERGED


MERGED = 0


def test_one_whole_card_tells_of_a_second_four_corner_design() -> None:
    """Among many two-corner cards, the four marks of the only whole card of another deck are one card."""
    cards = [card for card in random_table(random.Random(11), False) if math.hypot(card.x - 330, card.y - 190) > 150]
    lens, rng = camera(10, 30), np.random.default_rng(11)
    other = to_marks([Lying("Ad", 330, 190, 4)], replace(ITALIAN, index=15.0, inset=(10.0, 17.0)), lens, rng, noise=0.3)
    marks = [*to_marks([card for card in cards if card.card != "Ad"], POKER, lens, rng, noise=0.3), *other]
    assert len(other) == 4 and read(marks)["Ad"] == 1


def test_false_joker_in_the_corner_of_a_card_is_dropped() -> None:
    """A two-corner card whose other corners read as jokers, unsurely, stays one card."""
    cards = random_table(random.Random(6), False)
    marks = to_marks(cards, POKER, camera(10, 10), np.random.default_rng(6), noise=0.4)
    whole = next(card for card in cards if len(card.shown) == 4)
    false = to_marks(
        [replace(whole, card="JK", shown=(1, 3))],
        replace(POKER, corners=(0, 1, 2, 3)),
        camera(10, 10),
        np.random.default_rng(7),
        noise=0.4,
    )
    unsure = [IndexMark.of("JK", mark.quad, 0.6, 0.8) for mark in false]
    assert read([*marks, *unsure]) == faces(cards, POKER)


def test_none_marks_are_no_cards() -> None:
    quad = [(10, 10), (30, 10), (30, 50), (10, 50)]
    seen = assemble([IndexMark.of("none", quad, 0.9, 0.8)], 200, 200)
    assert seen.cards == () and seen.notices == ("no_cards",)
    assert assemble([], 200, 200).cards == ()


def test_two_marks_make_surer_than_one() -> None:
    one = IndexMark.of("7h", [(0, 0), (1, 0), (1, 2), (0, 2)], sure=0.7).probs[:53].astype(float)
    both = combine(np.vstack([one, one]))
    assert both[CLASS_INDEX["7h"]] > 0.9 > one[CLASS_INDEX["7h"]]
    assert both.sum() == pytest.approx(1.0)


def test_a_doubtful_mark_is_settled_by_its_partner() -> None:
    marks = to_marks([Lying("9h", 0, 0)], POKER, camera(0, 0), np.random.default_rng(8), noise=0.2)
    probs = marks[0].probs.copy()
    probs[CLASS_INDEX["6h"]], probs[CLASS_INDEX["9h"]] = 0.55, 0.40
    seen = assemble([replace(marks[0], probs=probs / probs.sum()), marks[1]], WIDTH, HEIGHT)
    assert [card.card for card in seen.cards] == ["9h"]
    assert seen.cards[0].alternatives[0][0] == "6h"


@pytest.mark.parametrize("tilt", [0, 15, 30, 45])
def test_plane_makes_indices_equal_and_square(tilt: int) -> None:
    rng = random.Random(tilt)
    marks = to_marks(random_table(rng, True), ITALIAN, camera(tilt, 65, turn=30), np.random.default_rng(1), noise=0.5)
    quads = np.array([mark.quad for mark in marks], dtype=np.float64)
    flat = fit_plane(quads, (WIDTH, HEIGHT)).project(quads)
    heights = frames(flat)[3]
    before = frames(quads)[3]
    assert heights.std() / heights.mean() < max(0.035, 0.5 * before.std() / before.mean() if tilt else 0.035)


def test_suppress_keeps_the_strongest_of_overlapping_quads() -> None:
    square = np.array([[0, 0], [10, 0], [10, 10], [0, 10.0]])
    quads = np.array([square, square + 1, square + 20, square * 0.5 + 2])
    assert suppress(quads, np.array([0.5, 0.9, 0.4, 0.3])) == [1, 2]
    assert suppress(np.zeros((0, 4, 2)), np.zeros(0)) == []


def test_fake_detector_replays() -> None:
    marks = [IndexMark.of("As", [(0, 0), (1, 0), (1, 2), (0, 2)])]
    assert FakeDetector(marks).detect(np.zeros((80, 80, 3), np.uint8)) == marks


def test_a_box_cut_short_at_a_corner_is_no_second_card() -> None:
    """Of a four-corner card three indices are whole and the fourth from two thirds of its height: one card."""
    marks = to_marks(random_table(random.Random(5), True), ITALIAN, camera(0, 0), np.random.default_rng(1), noise=0.3)
    want = read(marks)
    whole = next(card for card in assemble(marks, WIDTH, HEIGHT).cards if len(card.marks) == 4)
    short = whole.marks[3]
    low = short.quad[:2] + 0.7 * (short.quad[[3, 2]] - short.quad[:2])
    cut = replace(short, quad=np.array([*short.quad[:2], low[1], low[0]], dtype=np.float32))
    assert read([cut if mark is short else mark for mark in marks]) == want


def column(deck: Deck, faces_: str, x: float, step: float = 22.0) -> list[Lying]:
    """A column whose cards show their upper corners only."""
    return [Lying(face, x, -200 + step * place, 0.0, (0, 1)) for place, face in enumerate(faces_.split())]


def test_a_second_design_is_known_by_its_sides_alone() -> None:
    rng = np.random.default_rng(5)
    lens = camera(6, 40)
    large = Deck(index=28.0, inset=(10.0, 17.0), corners=(0, 1, 2, 3))
    whole = [Lying(face, -350 + 75 * place, 150) for place, face in enumerate(["3h", "8s", "Kd", "5c", "9h", "2s"])]
    sides = column(large, "7h 8h 9h 10h Jh Qh", 250, 34.0)
    marks = [*to_marks(whole, ITALIAN, lens, rng), *to_marks(sides, large, lens, rng)]
    assert read(marks) == Counter([*["3h", "8s", "Kd", "5c", "9h", "2s"], *["7h", "8h", "9h", "10h", "Jh", "Qh"]])


@pytest.mark.parametrize("share", [0.68, 1.4])
def test_a_box_of_the_wrong_height_is_still_its_card_s_corner(share: float) -> None:
    rng = np.random.default_rng(7)
    names = ["3h", "8s", "Kd", "5c", "9h", "2s", "Qd"]
    shown = [(0, 2) if place in (2, 5) else (0, 1, 2, 3) for place in range(7)]
    cards = [Lying(face, -350 + 75 * place, 150, 0.0, shown[place]) for place, face in enumerate(names)]
    marks = to_marks(cards, ITALIAN, camera(10, 40), rng, noise=0.4)
    for number in (8, 19):  # one of the two corners of Kd and of 2s
        quad = marks[number].quad.copy()
        quad[2:] = quad[[1, 0]] + share * (quad[[2, 3]] - quad[[1, 0]])
        marks[number] = replace(marks[number], quad=quad)
    assert read(marks) == Counter(names)


def ranks_alone(marks: list[IndexMark], numbers: tuple[int, int], share: float = 0.7) -> list[IndexMark]:
    """The marks; of the two numbered ones only the rank is seen: a box lower and narrower, its top in place."""
    out = list(marks)
    for number, right in zip(numbers, (0.1, 0.9), strict=True):
        quad = out[number].quad.copy()
        quad[2:] = quad[[1, 0]] + share * (quad[[2, 3]] - quad[[1, 0]])
        middle = quad.mean(axis=0)
        across = quad[1] - quad[0]
        across /= np.linalg.norm(across)
        quad -= 0.3 * ((quad - middle) @ across)[:, None] * across
        out[number] = replace(out[number], quad=quad.astype(np.float32), right=right)
    return out


def test_two_ranks_whose_suits_are_hidden_are_one_card_and_twins_stay_two() -> None:
    """A card covers the lower half of both upper indices of the one beneath; a twin's left index is no right corner."""
    rng = np.random.default_rng(9)
    lens = camera(8, 30)
    names = ["3h", "8s", "5c", "9h", "2s", "Qd"]
    whole = to_marks([Lying(face, -350 + 75 * place, 150) for place, face in enumerate(names)], ITALIAN, lens, rng, 0.4)
    upper = to_marks([Lying("Kc", -200, -150, 0.0, (0, 1))], ITALIAN, lens, rng, 0.4)
    assert read([*whole, *ranks_alone(upper, (0, 1))]) == Counter([*names, "Kc"])
    left = to_marks([Lying("Kc", -200 + step, -150, 0.0, (0,)) for step in (0.0, 49.0)], ITALIAN, lens, rng, 0.4)
    twins = [replace(mark, right=0.02) for mark in ranks_alone(left, (0, 1))]
    assert read([*whole, *twins]) == Counter([*names, "Kc", "Kc"])


def test_a_joker_s_words_along_its_short_sides_are_one_card() -> None:
    rng = np.random.default_rng(8)
    lens = camera(8, 20)
    cards = [
        Lying(face, -350 + 75 * place, 150) for place, face in enumerate(["3h", "8s", "Kd", "5c", "9h", "2s", "Qd"])
    ]
    marks = to_marks(cards, ITALIAN, lens, rng)
    for turn in (1.0, -1.0):  # two words, each read along the card's short side, from opposite corners
        box = np.array([[-11, 3], [-11, -3], [11, -3], [11, 3]]) * turn + np.array([-16.0, -38.0]) * turn
        pixels = np.column_stack([box + np.array([100, -150]), np.ones(4)]) @ lens.T
        marks.append(IndexMark.of("JK", pixels[:, :2] / pixels[:, 2:], 0.97, 0.97))
    assert read(marks)["JK"] == 1


def test_a_sheared_plane_is_told_by_cards_that_all_lie_alike() -> None:
    """Each kind of pair stays one crowd under a shear; but rows must lie across, and both diagonals be as long."""
    corners = np.array([(-40.0, -60.0), (40.0, -60.0), (40.0, 60.0), (-40.0, 60.0)])
    middles = np.array([(150.0 * column, 200.0 * row) for column in range(3) for row in range(2)])
    centre = (middles[:, None] + corners).reshape(-1, 2)
    down = np.tile([(0.0, 1.0), (0.0, 1.0), (0.0, -1.0), (0.0, -1.0)], (len(middles), 1))
    kinds = [(0, 1, 0), (1, 2, 1), (0, 2, 2), (1, 3, 3)]
    rows = [(4 * n + a, 4 * n + b, kind) for n in range(len(middles)) for a, b, kind in kinds]
    pairs = Pairs(*np.array(rows).T)
    shear = np.array([[1.0, 0.25], [0.0, 1.0]])
    true = pairs.disorder(centre[None], down[None])[0]
    wrong = pairs.disorder((centre @ shear.T)[None], (down @ shear.T)[None])[0]
    assert true < wrong - 10
