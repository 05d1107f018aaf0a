"""The measurement itself: what counts as right, missed, extra; joins, reliability, the command, frozen marks."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from scorer.errors import BurracoError, VisionError
from vision.cards import assemble
from vision.evaluate import as_data, freezing, main, measure, true_marks
from vision.evaluate_measure import (
    IndexTally,
    Tally,
    calibration_error,
    pair_marks,
    reliability,
    score_cards,
    size_class,
    tilt_class,
)
from vision.evaluate_sets import Sample, samples
from vision.frozen import dump_marks, load_marks
from vision.truth import CardTruth, IndexTruth, TableTruth
from vision.types import CardsSeen, IndexMark


def box(x: float, y: float, wide: float = 20, tall: float = 40) -> tuple[tuple[float, float], ...]:
    return ((x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall))


def table(faces: list[str], hidden: int = 0) -> TableTruth:
    """Cards side by side, one index each; the last `hidden` ones cannot be read."""
    cards, indices = [], []
    for number, face in enumerate(faces):
        x = 40.0 + 150 * number
        visible = 0.2 if number >= len(faces) - hidden else 1.0
        cards.append(CardTruth(number, face, box(x - 10, 30, 120, 170), visible, "loose", None, None, 0, False))
        indices.append(IndexTruth(number, 0, face, box(x, 40), visible))
    conditions = {"tilt_deg": 12.0, "light": "lamp"}
    return TableTruth(150 * len(faces) + 100, 300, 5, ("deck",), conditions, tuple(cards), tuple(indices), ())


def sample(truth: TableTruth) -> Sample:
    readable = tuple(card.card for card in truth.cards if truth.readable(card))
    others = tuple(card.card for card in truth.cards if not truth.readable(card))
    image = np.full((truth.height, truth.width, 3), 200, np.uint8)
    return Sample("table", lambda: image, readable, others, truth)


def test_twins_count_twice_and_maybe_counts_neither_way() -> None:
    score = score_cards(["7h", "7h", "7h", "9c"], ["7h", "7h", "Ks"], ["9c", "2d"])
    assert (score.right.total(), score.missed.total(), score.extra.total()) == (2, 1, 1)
    assert not score.perfect
    assert score_cards(["9c", "Ks"], ["Ks"], ["9c"]).perfect


def test_a_maybe_card_excuses_one_reading_only() -> None:
    assert score_cards(["9c", "9c"], [], ["9c"]).extra == {"9c": 1}


def test_tally_gives_recall_precision_and_jokers() -> None:
    tally = Tally()
    tally.add(score_cards(["7h", "JK"], ["7h", "JK", "JK", "2c"]))
    tally.add(score_cards(["As"], ["As"]))
    assert (tally.photos, tally.perfect) == (2, 1)
    assert tally.recall == pytest.approx(3 / 5) and tally.precision == 1.0
    assert tally.jokers.right.total() == 1 and tally.jokers.missed.total() == 1
    assert Tally().recall == 1.0 and Tally().precision == 1.0


def test_marks_pair_with_the_nearest_index_only_once() -> None:
    truth = table(["7h", "8h"])
    marks = [IndexMark.of("7h", box(42, 41)), IndexMark.of("7h", box(44, 44)), IndexMark.of("8h", box(400, 200))]
    assert pair_marks(marks, truth) == ([0, -1], [0, -1, -1])
    assert pair_marks([], truth).mark_of == [-1, -1]


def test_index_tally_counts_finds_names_false_marks_and_joins() -> None:
    truth = table(["7h", "8h", "9h"], hidden=1)
    marks = [IndexMark.of("7h", box(40, 40)), IndexMark.of("6h", box(190, 40)), IndexMark.of("2c", box(20, 250))]
    tally = IndexTally()
    tally.add(marks, assemble(marks, truth.width, truth.height), truth)
    assert tally.by["all"] == [2, 1, 2], "the hidden index is not asked for"
    assert tally.by["light lamp"] == [2, 1, 2] and tally.by["tilt 10-20"] == [2, 1, 2]
    assert tally.wrong == {("8h", "6h"): 1}
    assert (tally.false_marks, tally.merged, tally.doubled) == (1, 0, 0)


def test_wrong_join_and_double_reading_are_counted() -> None:
    truth = table(["7h", "7h"])
    marks = [IndexMark.of("7h", box(40, 40)), IndexMark.of("7h", box(190, 40))]
    apart = assemble(marks, truth.width, truth.height)
    joined = CardsSeen((type(apart.cards[0])(**{**vars(apart.cards[0]), "marks": tuple(marks)}),), 500, 300)
    tally = IndexTally()
    tally.add(marks, joined, truth)
    assert (tally.merged, tally.twins, tally.twins_merged) == (1, 1, 1)
    tally = IndexTally()
    tally.add(marks, CardsSeen((apart.cards[0], apart.cards[0], apart.cards[1]), 500, 300), truth)
    assert tally.doubled == 1


def test_true_marks_read_a_table_whole_and_damage_is_repeatable() -> None:
    truth = table(["7h", "8h", "Ks", "2c", "As"], hidden=1)
    report = measure("x", [sample(truth)], true_marks(), 0.5)
    assert report.tally.perfect == 1 and report.tally.right == 4
    data = as_data(report)
    assert data["recall"] == 1.0 and data["indices"]["all"] == {"found": 1.0, "named": 1.0, "count": 4}
    damaged = true_marks(noise=1.0, lose=0.5, confuse=0.5)
    first, second = (damaged(sample(truth), np.zeros((1, 1, 3), np.uint8))[0] for _ in range(2))
    assert dump_marks(first) == dump_marks(second) and len(first) < 5


def test_reliability_separates_honest_from_boasting() -> None:
    honest = [(0.75, i % 4 != 0) for i in range(400)]
    boasting = [(0.99, i % 4 != 0) for i in range(400)]
    assert reliability(honest) == [("0.70-0.80", 400, 0.75, 0.75)]
    assert calibration_error(honest) == pytest.approx(0.0)
    assert calibration_error(boasting) == pytest.approx(0.24)


def test_classes_of_size_and_tilt() -> None:
    assert [size_class(h) for h in (3, 12, 69.9, 500)] == ["000-012", "012-016", "048-070", "070-"]
    assert tilt_class(0.0) == "tilt 00-10"


def photos_folder(folder: Path) -> Path:
    tables = folder / "tables"
    tables.mkdir(parents=True)
    blank = np.full((200, 300, 3), 90, np.uint8)
    for path in (folder / "a.jpg", folder / "bidly-bridge-1.jpg", folder / "l.jpg", tables / "t.jpg"):
        cv2.imwrite(str(path), blank)
    rows = [
        {"file": "a.jpg", "cards": ["7h", "2c"], "maybe": ["3d"], "note": "n"},
        {"file": "bidly-bridge-1.jpg", "cards": ["As"]},
        {"file": "l.jpg", "cards": ["Js"], "letters": "DBK"},
    ]
    (folder / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    row = {"file": "t.jpg", "cards": ["JK", "5h"], "hidden": ["9d"], "other": ["7c"]}
    (tables / "truth.jsonl").write_text(json.dumps(row) + "\n")
    return folder


def test_sets_are_kept_apart(tmp_path: Path) -> None:
    folder = photos_folder(tmp_path / "photos")
    names = {
        name: [one.name for one in samples(name, folder, 0, 0)] for name in ("real", "bridge", "letters", "tables")
    }
    assert names == {"real": ["a.jpg"], "bridge": ["bidly-bridge-1.jpg"], "letters": ["l.jpg"], "tables": ["t.jpg"]}
    rendered = next(iter(samples("tables", folder, 0, 0)))
    assert rendered.cards == ("JK", "5h") and set(rendered.maybe) == {"9d", "7c"}
    assert next(iter(samples("real", folder, 0, 0))).maybe == ("3d",)


def test_unknown_set_and_missing_photos_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(VisionError):
        list(samples("nothing", tmp_path, 0, 0))
    assert main(["--set", "real", "--photos", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "--photos" in said and said.count("\n") == 1


def test_perfect_marks_need_a_truth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = photos_folder(tmp_path / "photos")
    assert main(["--set", "real", "--photos", str(folder), "--perfect"]) == 2
    with pytest.raises(BurracoError):
        true_marks()(next(iter(samples("real", folder, 0, 0))), np.zeros((1, 1, 3), np.uint8))
    assert "Traceback" not in capsys.readouterr().err


def test_worst_photos_are_drawn_beside_the_truth(tmp_path: Path) -> None:
    truth = table(["7h", "8h"])
    wrong = [IndexMark.of("6h", box(40, 40)), IndexMark.of("8h", box(190, 40))]
    measure("x", [sample(truth)], lambda s, i: (wrong, {}), 0.5, tmp_path / "out")
    drawn = [path.name for path in (tmp_path / "out").iterdir()]
    assert drawn == ["002_table.jpg"]
    picture = cv2.imread(str(tmp_path / "out" / drawn[0]))
    assert picture.shape[1] == 2 * truth.width


def test_frozen_marks_round_trip() -> None:
    marks = [IndexMark.of("7h", box(1.24, 2.5), 0.91, 0.9), IndexMark.of("JK", box(9, 9), 0.5, 0.6)]
    again = load_marks(dump_marks(marks))
    assert [mark.best for mark in again] == ["7h", "JK"]
    for before, after in zip(marks, again, strict=True):
        assert np.allclose(before.probs, after.probs, atol=2e-3) and np.allclose(before.quad, after.quad, atol=0.06)


@pytest.mark.parametrize("text", ["", "3", "[1]", '[{"quad": []}]', '[{"quad": [], "score": 1, "probs": {"zz": 1}}]'])
def test_bad_frozen_marks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not frozen marks|reshape"):
        load_marks(text)


def test_frozen_tables_hold_truth_and_marks() -> None:
    lines: list[str] = []
    read = freezing(true_marks(), lines)
    truth = table(["7h", "8h"])
    measure("x", [sample(truth)], read, 0.5)
    row = json.loads(lines[0])
    assert TableTruth.from_json(json.dumps(row["truth"])) == truth
    assert [mark.best for mark in load_marks(json.dumps(row["marks"]))] == ["7h", "8h"]
