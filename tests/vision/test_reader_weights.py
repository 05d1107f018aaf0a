"""The weights that ship, on synthetic tables: floors just under the measured figures. No torch takes part."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from vision.cards import READ_CONFIDENCE, assemble, read_cards
from vision.detect import OnnxDetector
from vision.evaluate_measure import IndexTally, Tally, score_cards
from vision.frozen import load_marks
from vision.synth.make import table
from vision.truth import TableTruth
from vision.types import CardsSeen, IndexMark
from vision.weights import models_folder

FROZEN = Path(__file__).parent / "data" / "frozen_tables.jsonl.gz"
WEIGHTS = pytest.mark.skipif(not (models_folder() / "classes.json").is_file(), reason="no weights in models/")


def frozen() -> Iterator[tuple[TableTruth, list[IndexMark]]]:
    for line in gzip.decompress(FROZEN.read_bytes()).decode().splitlines():
        row = json.loads(line)
        yield TableTruth.from_json(json.dumps(row["truth"])), load_marks(json.dumps(row["marks"]))


def tally(pairs: Iterator[tuple[TableTruth, CardsSeen]]) -> Tally:
    total = Tally()
    for truth, seen in pairs:
        sure = [card.card for card in seen.cards if card.confidence >= READ_CONFIDENCE]
        readable = [card.card for card in truth.cards if truth.readable(card)]
        others = [card.card for card in truth.cards if not truth.readable(card)]
        total.add(score_cards(sure, readable, others))
    return total


def test_frozen_detections_give_the_cards() -> None:
    """The networks' own marks of a dozen held-out tables (d5 and c7), frozen: what joining makes of them."""
    assert len(list(frozen())) == 12
    total = tally((truth, assemble(marks, truth.width, truth.height)) for truth, marks in frozen())
    assert total.right + total.missed > 400
    assert total.jokers.right.total() >= FROZEN_JOKERS * (total.jokers.right + total.jokers.missed).total()
    assert total.recall >= FROZEN_RECALL and total.precision >= FROZEN_PRECISION


def test_frozen_detections_merge_no_two_cards() -> None:
    indices = IndexTally()
    for truth, marks in frozen():
        indices.add(marks, assemble(marks, truth.width, truth.height), truth)
    assert indices.pairs > 200 and indices.twins > 80
    assert indices.merged <= 0.02 * indices.pairs
    assert indices.twins_merged <= FROZEN_TWINS
    assert indices.doubled <= FROZEN_TWICE


FROZEN_RECALL, FROZEN_PRECISION, FROZEN_JOKERS, FROZEN_TWINS, FROZEN_TWICE = 0.955, 0.98, 0.85, 2, 8
"""Measured 0.960, 0.987, three twins of 159 merged and eight cards counted twice (0.964, 0.977, one and 14 before). The
plane joins the two twins more; the second design told by its rows and columns halves what is counted twice.
"""
LIVE_RECALL, LIVE_PRECISION = 0.965, 0.975
"""Of a dozen small tables (1500 x 2000): measured 0.967 and 0.983 (with the joker net before: 0.978 and 0.978)."""
FEW_RECALL, FEW_PRECISION = 0.95, 0.95
"""Of the first three, one of which is shaken and has other court letters: measured 0.963 and 0.963."""


def live(seeds: range) -> Tally:
    detector = OnnxDetector()

    def read() -> Iterator[tuple[TableTruth, CardsSeen]]:
        for seed in seeds:
            photo = table(seed, width=1500, height=2000)
            yield photo.truth, read_cards(photo.image, detector)

    return tally(read())


@WEIGHTS
def test_fresh_tables_are_read() -> None:
    total = live(range(920_000, 920_003))
    assert total.recall >= FEW_RECALL and total.precision >= FEW_PRECISION


@WEIGHTS
@pytest.mark.slow
def test_a_dozen_fresh_tables_are_read() -> None:
    total = live(range(920_000, 920_012))
    assert total.recall >= LIVE_RECALL and total.precision >= LIVE_PRECISION


@WEIGHTS
def test_the_same_photo_gives_the_same_marks() -> None:
    photo = table(920_001, width=900, height=1200)
    detector = OnnxDetector()
    first, second = detector.detect(photo.image), detector.detect(photo.image)
    assert [(m.best, m.quad.tolist()) for m in first] == [(m.best, m.quad.tolist()) for m in second]
