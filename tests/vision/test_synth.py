"""The generator: same seed same bytes, labels that fit their pictures, held-out decks kept out of training."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from vision.reading_render import countable_table, designs, index_reach
from vision.reading_tables import INDEX, exact_truth, laid_table
from vision.synth import decks, glyphs, layouts
from vision.synth.export import pose_labels
from vision.synth.faces import face
from vision.synth.make import table, tiles
from vision.synth.render import Photo
from vision.truth import CARDS, TableTruth


@pytest.fixture(scope="module")
def some() -> list[Photo]:
    """Tiles of three tables."""
    return [photo for seed in (11, 12, 13) for photo in tiles(seed, 4)]


def test_same_seed_gives_the_same_bytes_and_another_seed_does_not() -> None:
    first, again, other = (next(tiles(seed, 1)) for seed in (5, 5, 6))
    assert first.image.tobytes() == again.image.tobytes()
    assert first.truth == again.truth
    assert first.image.tobytes() != other.image.tobytes()


def test_a_tile_does_not_depend_on_how_many_follow() -> None:
    assert next(tiles(7, 1)).image.tobytes() == next(tiles(7, 3)).image.tobytes()


def test_truth_survives_json(some: list[Photo]) -> None:
    for photo in some:
        assert TableTruth.from_json(photo.truth.to_json()) == photo.truth


def test_index_quads_lie_on_their_card_and_are_never_mirrored(some: list[Photo]) -> None:
    seen = 0
    for photo in some:
        cards = {card.id: card for card in photo.truth.cards}
        for index in photo.truth.indices:
            quad = np.array(index.quad)
            body = np.array(cards[index.card_id].quad)
            assert _signed_area(quad) > 0 and _signed_area(body) > 0
            assert cards[index.card_id].card == index.card in CARDS
            low, high = body.min(axis=0) - 1, body.max(axis=0) + 1
            assert (quad >= low).all() and (quad <= high).all()
            up, card_up = quad[0] - quad[3], body[0] - body[3]
            same = float(up @ card_up) > 0
            assert same == (index.corner in (0, 1))
            seen += 1
    assert seen > 50


def test_a_visible_index_lies_inside_the_picture(some: list[Photo]) -> None:
    for photo in some:
        for index in photo.truth.indices:
            if index.visible > 0.98:
                quad = np.array(index.quad)
                assert quad.min() > -8 and quad[:, 0].max() < photo.truth.width + 8
                assert quad[:, 1].max() < photo.truth.height + 8  # a tip is little area


def test_pose_labels_are_shares_of_the_picture(some: list[Photo]) -> None:
    lines = [line for photo in some for line in pose_labels(photo.truth)]
    assert lines
    for line in lines:
        numbers = [float(value) for value in line.split()]
        assert len(numbers) == 17 and numbers[0] in (0, 1)
        assert all(0 <= value <= 1 for value in numbers[1:5])


def test_a_whole_table_holds_every_card_and_the_melds_name_their_cards() -> None:
    photo = table(21, width=900, height=1200)
    truth = photo.truth
    assert photo.image.shape[:2] == (truth.height, truth.width)
    cards = {card.id: card for card in truth.cards}
    assert len(cards) > 8
    for meld in truth.melds:
        assert [cards[number].order for number in meld.cards] == sorted(cards[number].order for number in meld.cards)
        assert all(cards[number].meld == meld.id and cards[number].side == meld.side for number in meld.cards)
    assert any(truth.readable(card) for card in truth.cards)


@pytest.mark.long
def test_held_out_designs_never_enter_training() -> None:
    assert not set(decks.training(decks.HELD_OUT)) & set(decks.HELD_OUT)
    assert len(decks.held_out()) >= 8
    four = [name for name in decks.held_out() if decks.procedural(name).corners == 4]
    assert 2 * len(four) >= len(decks.held_out())
    for seed in range(300, 308):
        assert not set(next(tiles(seed, 1)).truth.deck_ids) & set(decks.HELD_OUT)
        assert set(next(tiles(seed, 1, "held_out")).truth.deck_ids) <= set(decks.HELD_OUT)


def test_designs_are_many_and_half_of_them_have_four_corners() -> None:
    specs = [decks.procedural(name) for name in decks.PROCEDURAL]
    assert len(specs) >= 60
    assert 2 * sum(spec.corners == 4 for spec in specs) >= len(specs)
    assert {spec.joker_mark for spec in specs} == set(decks.JOKER_MARKS)
    assert len({spec.letters for spec in specs}) == len(decks.LETTERS)
    assert any(spec.star_two for spec in specs)


@pytest.mark.parametrize("name", ["p001", "p002", "p013"])
def test_every_face_carries_its_indices_inside_the_card(name: str) -> None:
    spec = decks.procedural(name)
    for key in ("As", "10h", "Qd", "2c"):
        picture = face(name, key)
        height, width = picture.image.shape[:2]
        assert len(picture.boxes) == spec.corners
        for _, (x, y, w, h) in picture.boxes:
            assert x >= 0 and y >= 0 and x + w <= width + 1 and y + h <= height + 1
            inked = picture.image[int(y) : int(y + h), int(x) : int(x + w), :3]
            assert int(inked.max()) - int(inked.min()) > 80


def test_an_unknown_design_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        decks.procedural("p999")


def test_a_shoe_deals_each_card_twice_and_not_more() -> None:
    shoe = layouts.Shoe(np.random.default_rng(1))
    assert shoe.take("7h") and shoe.take("7h")
    assert shoe.take("7h") is None
    assert len(shoe.left) == 106


def _signed_area(quad: np.ndarray) -> float:
    x, y = quad[:, 0], quad[:, 1]
    area = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2
    assert math.isfinite(area)
    return area


def test_a_folder_of_more_typefaces_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "Only-Here.otf").touch()
    monkeypatch.setenv("BURRACO_FONTS", str(tmp_path))
    glyphs._font_files.cache_clear()
    try:
        assert glyphs.installed(("Nowhere.ttf", "Only-Here.otf")) == ("Only-Here.otf",)
        monkeypatch.delenv("BURRACO_FONTS")
        glyphs._font_files.cache_clear()
        assert glyphs.installed(("Only-Here.otf",)) == ()
    finally:
        glyphs._font_files.cache_clear()


@pytest.mark.parametrize("seed", range(30))
def test_what_lies_face_up_on_a_dealt_table_is_what_was_dealt(seed: int) -> None:
    """What is painted with a face and not in the truth would be counted against the reader."""
    laid = laid_table(seed)
    owned = [cards for side in laid.deal.sides for cards in (*side.melds, *side.hands)]
    dealt = sum(len(cards) for cards in owned) + (laid.deal.other is not None)
    faces = [card.key for card in laid.scene.cards if card.key != layouts.BACK]
    assert len(faces) == dealt
    assert len(exact_truth(laid).cards) == dealt


@pytest.mark.parametrize("seed", range(30))
def test_a_countable_table_is_the_same_deal_with_an_index_of_every_card_in_sight(seed: int) -> None:
    chance, laid = laid_table(seed), laid_table(seed, index=INDEX)
    assert laid.deal == chance.deal
    piles = {number for number, _, layout in laid.scene.melds if layout == "pile"}
    truth = exact_truth(laid)
    hidden = [card.card for card in truth.cards if card.meld not in piles and not truth.readable(card)]
    assert hidden == []


def test_a_photographed_table_s_steps_follow_the_designs_that_it_is_painted_with() -> None:
    seed = next(s for s in range(99) if index_reach(designs(laid_table(s), s)[0])[1] > 0.3)
    laid = countable_table(seed)
    deep = index_reach(designs(laid, seed)[0])
    assert designs(laid, seed)[0] == designs(laid_table(seed), seed)[0]
    assert laid.scene.cards == laid_table(seed, index=deep).scene.cards != laid_table(seed, index=INDEX).scene.cards
