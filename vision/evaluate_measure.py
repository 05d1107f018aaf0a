"""Counting right and wrong: pure functions from what was seen and what is true to tallies. No drawing, no files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from vision.truth import READABLE, IndexTruth, TableTruth
from vision.types import JOKER, CardSeen, CardsSeen, IndexMark

SIZES = (0, 12, 16, 20, 26, 34, 48, 70, 1000)
"""Borders, in pixels of the photo, of the size classes in which index recall is given."""


class Score(NamedTuple):
    """Cards of one photo as multisets: read rightly, missed, and read but not there."""

    right: Counter[str]
    missed: Counter[str]
    extra: Counter[str]

    @property
    def perfect(self) -> bool:
        """True when nothing is missed and nothing is extra."""
        return not self.missed and not self.extra


def score_cards(seen: Iterable[str], true: Iterable[str], maybe: Iterable[str] = ()) -> Score:
    """Compare faces as multisets; `maybe` cards (slivers, hidden ones) count neither when read nor when not.

    >>> score = score_cards(["7h", "7h", "2c", "Ks"], ["7h", "7h", "3d"], maybe=["2c"])
    >>> dict(score.right), dict(score.missed), dict(score.extra)
    ({'7h': 2}, {'3d': 1}, {'Ks': 1})
    """
    got, want = Counter(seen), Counter(true)
    right = got & want
    return Score(right, want - right, got - right - Counter(maybe))


@dataclass
class Tally:
    """Sums over the photos of one set or group."""

    photos: int = 0
    perfect: int = 0
    right: int = 0
    missed: int = 0
    extra: int = 0
    jokers: Score = field(default_factory=lambda: Score(Counter(), Counter(), Counter()))

    def add(self, score: Score) -> None:
        """Count one more photo."""
        self.photos += 1
        self.perfect += score.perfect
        self.right += score.right.total()
        self.missed += score.missed.total()
        self.extra += score.extra.total()
        for part, more in zip(self.jokers, score, strict=True):
            part[JOKER] += more[JOKER]

    @property
    def recall(self) -> float:
        """Cards read rightly over cards that are there (1 when there are none)."""
        return self.right / max(1, self.right + self.missed) if self.right + self.missed else 1.0

    @property
    def precision(self) -> float:
        """Cards read rightly over cards read, `maybe` cards aside (1 when none is read)."""
        return self.right / (self.right + self.extra) if self.right + self.extra else 1.0


class Pairing(NamedTuple):
    """Which mark is which true index: `mark_of[k]` for index k, `index_of[m]` for mark m; -1 where none."""

    mark_of: list[int]
    index_of: list[int]


def pair_marks(marks: list[IndexMark], truth: TableTruth) -> Pairing:
    """Match marks to true indices, nearest first: the middles lie within half the true index's height."""
    mark_of, index_of = [-1] * len(truth.indices), [-1] * len(marks)
    if not marks or not truth.indices:
        return Pairing(mark_of, index_of)
    quads = np.array([index.quad for index in truth.indices], dtype=np.float64)
    centres = np.array([mark.quad.mean(axis=0) for mark in marks], dtype=np.float64)
    tall = np.linalg.norm(quads[:, [3, 2]] - quads[:, [0, 1]], axis=2).mean(axis=1)
    gaps = np.linalg.norm(quads.mean(axis=1)[:, None] - centres[None], axis=2) / np.maximum(tall, 1e-6)[:, None]
    for flat in np.argsort(gaps, axis=None, kind="stable"):
        index, mark = divmod(int(flat), len(marks))
        if gaps[index, mark] > 0.5:
            break
        if mark_of[index] < 0 and index_of[mark] < 0:
            mark_of[index], index_of[mark] = mark, index
    return Pairing(mark_of, index_of)


def index_height(index: IndexTruth) -> float:
    """Height in pixels of a true index."""
    quad = np.asarray(index.quad, dtype=np.float64)
    return float(np.linalg.norm(quad[[3, 2]] - quad[[0, 1]], axis=1).mean())


def size_class(height: float) -> str:
    """Return the size class of an index height in pixels.

    >>> size_class(22.5)
    '020-026'
    """
    for low, high in pairwise(SIZES):
        if low <= height < high:
            return f"{low:03d}-{high:03d}" if high < 1000 else f"{low:03d}-"
    return "?"


def tilt_class(tilt: float) -> str:
    """Return the class of a camera tilt in degrees.

    >>> tilt_class(31.0)
    'tilt 30-40'
    """
    low = int(tilt // 10) * 10
    return f"tilt {low:02d}-{low + 10:02d}"


@dataclass
class IndexTally:
    """Index recall and naming, in all and by size, deck and condition: counts are [found, named rightly, all]."""

    by: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    false_marks: int = 0
    merged: int = 0
    doubled: int = 0
    pairs: int = 0
    twins: int = 0
    twins_merged: int = 0

    def add(self, marks: list[IndexMark], seen: CardsSeen, truth: TableTruth) -> None:
        """Count the readable indices of one synthetic table, and cards joined wrongly or seen twice."""
        pairing = pair_marks(marks, truth)
        for number, index in enumerate(truth.indices):
            if index.visible < READABLE:
                continue
            mark = pairing.mark_of[number]
            found = mark >= 0
            named = found and marks[mark].best == index.card
            if found and not named:
                self.wrong[index.card, marks[mark].best] += 1
            for name in self._groups(index, truth):
                counts = self.by[name]
                counts[0] += found
                counts[1] += named
                counts[2] += 1
        self.false_marks += sum(
            1 for number, mark in enumerate(marks) if pairing.index_of[number] < 0 and mark.best != "none"
        )
        self._count_joins(marks, seen, truth, pairing)

    def _groups(self, index: IndexTruth, truth: TableTruth) -> list[str]:
        names = ["all", "size " + size_class(index_height(index)), "joker" if index.card == JOKER else "no joker"]
        names.extend(f"deck {deck}" for deck in truth.deck_ids[:1])
        for key, value in truth.conditions.items():
            if isinstance(value, str):
                names.append(f"{key} {value}")
        tilt = truth.conditions.get("tilt_deg")
        if isinstance(tilt, float | int):
            names.append(tilt_class(float(tilt)))
        return names

    def _count_joins(self, marks: list[IndexMark], seen: CardsSeen, truth: TableTruth, pairing: Pairing) -> None:
        number_of = {id(mark): number for number, mark in enumerate(marks)}
        seen_ids: Counter[int] = Counter()
        faces = {card.id: card.card for card in truth.cards}
        for card in seen.cards:
            numbers = [pairing.index_of[number_of[id(mark)]] for mark in card.marks]
            ids = {truth.indices[k].card_id for k in numbers if k >= 0}
            self.merged += len(ids) > 1
            self.pairs += len(card.marks) > 1
            self.twins_merged += len(ids) - len({faces[number] for number in ids})
            seen_ids.update(ids)
        copies = Counter(faces[number] for number in seen_ids)
        self.twins += sum(count * (count - 1) // 2 for count in copies.values())
        self.doubled += sum(count - 1 for count in seen_ids.values() if count > 1)


def truth_of_card(card: CardSeen, marks: list[IndexMark], truth: TableTruth, pairing: Pairing) -> str | None:
    """Return the true face of the card that most of the marks of `card` belong to; None when it is no card at all."""
    number_of = {id(mark): number for number, mark in enumerate(marks)}
    numbers = [pairing.index_of[number_of[id(mark)]] for mark in card.marks]
    faces = Counter(truth.indices[k].card for k in numbers if k >= 0)
    return faces.most_common(1)[0][0] if faces else None


def reliability(
    pairs: list[tuple[float, bool]], borders: tuple[float, ...] = ()
) -> list[tuple[str, int, float, float]]:
    """Return rows (bin, cards, mean confidence, share right) of (confidence, right) pairs: the reliability curve.

    >>> reliability([(0.95, True), (0.92, True), (0.4, False)])
    [('0.00-0.50', 1, 0.4, 0.0), ('0.90-0.95', 1, 0.92, 1.0), ('0.95-0.98', 1, 0.95, 1.0)]
    """
    borders = borders or (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0001)
    rows = []
    for low, high in pairwise(borders):
        inside = [(value, right) for value, right in pairs if low <= value < high]
        if inside:
            mean = sum(value for value, _ in inside) / len(inside)
            share = sum(right for _, right in inside) / len(inside)
            rows.append((f"{low:.2f}-{min(high, 1.0):.2f}", len(inside), round(mean, 4), round(share, 4)))
    return rows


def calibration_error(pairs: list[tuple[float, bool]]) -> float:
    """Return the expected calibration error: the mean gap, weighted by cards, between confidence and share right."""
    rows = reliability(pairs)
    total = sum(row[1] for row in rows)
    return sum(row[1] * abs(row[2] - row[3]) for row in rows) / max(1, total)
