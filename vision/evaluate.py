"""Honest measurement: `python -m vision.evaluate --set real|bridge|letters|tables|synthetic|training`.

One command reproduces each published figure. Photographs are read where they lie (`--photos`) and never copied;
pictures of the worst are written only where `--out` says.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from scorer.errors import BurracoError
from vision.cards import READ_CONFIDENCE, assemble
from vision.detect import OnnxDetector
from vision.evaluate_measure import (
    IndexTally,
    Score,
    Tally,
    calibration_error,
    pair_marks,
    reliability,
    score_cards,
    truth_of_card,
)
from vision.evaluate_sets import DEFAULT_PHOTOS, SETS, Sample, samples
from vision.frozen import dump_marks
from vision.truth import READABLE
from vision.types import CARDS, CardsSeen, Image, IndexMark

Read = Callable[[Sample, Image], tuple[list[IndexMark], dict[str, float]]]


@dataclass
class Report:
    """Everything measured on one set."""

    name: str
    tally: Tally = field(default_factory=Tally)
    indices: IndexTally = field(default_factory=IndexTally)
    missed: Counter[str] = field(default_factory=Counter)
    extra: Counter[str] = field(default_factory=Counter)
    swaps: Counter[str] = field(default_factory=Counter)
    trust: list[tuple[float, bool]] = field(default_factory=list)
    mark_trust: list[tuple[float, bool]] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    photos: list[tuple[str, Score]] = field(default_factory=list)


def true_marks(noise: float = 0.0, lose: float = 0.0, confuse: float = 0.0) -> Read:
    """Return a reader of the true readable indices, in place of a network: what the later steps do on their own.

    `noise` is the standard deviation of each corner in pixels; shares `lose` and `confuse` of the marks vanish or get
    a random other face. The damage of a table depends on its seed only.
    """

    def read(sample: Sample, image: Image) -> tuple[list[IndexMark], dict[str, float]]:
        truth = sample.truth
        if truth is None:
            raise BurracoError("True marks exist for synthetic tables only.", code="no_truth")
        rng = np.random.default_rng([truth.seed, 77])
        marks = []
        for one in truth.indices:
            dice = rng.random(2)
            quad = np.asarray(one.quad) + rng.normal(0, 1, (4, 2)) * noise
            if one.visible < READABLE or dice[0] < lose:
                continue
            face = CARDS[int(rng.integers(len(CARDS)))] if dice[1] < confuse else one.card
            marks.append(IndexMark.of(face, quad, 0.9, 0.99))
        return marks, {}

    return read


def with_network(detector: OnnxDetector) -> Read:
    """Return the reading function of a detector."""

    def read(sample: Sample, image: Image) -> tuple[list[IndexMark], dict[str, float]]:
        return detector.detect_timed(image)

    return read


def freezing(read: Read, lines: list[str]) -> Read:
    """Return a reader that also appends each synthetic table's truth and marks to `lines`, one JSON object a table."""

    def frozen(sample: Sample, image: Image) -> tuple[list[IndexMark], dict[str, float]]:
        marks, times = read(sample, image)
        if sample.truth is not None:
            lines.append(f'{{"truth":{sample.truth.to_json()},"marks":{dump_marks(marks)}}}\n')
        return marks, times

    return frozen


def measure(name: str, rows: Sequence[Sample] | Any, read: Read, least: float, out: Path | None = None) -> Report:
    """Read every sample and count; cards below the confidence `least` are not counted as read."""
    report = Report(name)
    for sample in rows:
        begun = time.perf_counter()
        image = sample.load()
        loaded = time.perf_counter()
        marks, times = read(sample, image)
        read_at = time.perf_counter()
        seen = assemble(marks, image.shape[1], image.shape[0])
        done = time.perf_counter()
        times = {**times, "image": loaded - begun, "cards": done - read_at, "whole": done - loaded}
        if times.get("network"):
            times["whole_over_network"] = times["whole"] / times["network"]
        for step, value in times.items():
            report.seconds[step].append(value)
        sure = CardsSeen(tuple(c for c in seen.cards if c.confidence >= least), seen.width, seen.height)
        score = score_cards((card.card for card in sure.cards), sample.cards, sample.maybe)
        _count(report, sample, marks, sure, seen, score)
        if out is not None and not score.perfect:
            _save(out, sample, image, sure, score)
    return report


def _count(
    report: Report, sample: Sample, marks: list[IndexMark], sure: CardsSeen, seen: CardsSeen, score: Score
) -> None:
    report.tally.add(score)
    report.photos.append((sample.name, score))
    report.missed.update(score.missed)
    report.extra.update(score.extra)
    _pair_swaps(report, score)
    if sample.truth is None:
        return
    report.indices.add(marks, sure, sample.truth)
    pairing = pair_marks(marks, sample.truth)
    for card in seen.cards:
        report.trust.append((card.confidence, truth_of_card(card, marks, sample.truth, pairing) == card.card))
    for number, mark in enumerate(marks):
        index = pairing.index_of[number]
        if mark.best != "none":
            right = index >= 0 and sample.truth.indices[index].card == mark.best
            report.mark_trust.append((float(mark.probs.max()), right))


def _pair_swaps(report: Report, score: Score) -> None:
    """Name likely confusions: a missed and an extra card of one photo that share rank or suit."""
    extra = list(score.extra.elements())
    for true in score.missed.elements():
        for share in (slice(None, -1), slice(-1, None)):
            twin = next((card for card in extra if card[share] == true[share] and card != true), None)
            if twin is not None:
                extra.remove(twin)
                report.swaps[f"{true}>{twin}"] += 1
                break


def _save(out: Path, sample: Sample, image: Image, seen: CardsSeen, score: Score) -> None:
    import cv2

    from vision.evaluate_draw import draw_beside

    out.mkdir(parents=True, exist_ok=True)
    wrong = score.missed.total() + score.extra.total()
    name = f"{wrong:03d}_{Path(sample.name).stem}.jpg"
    cv2.imwrite(str(out / name), draw_beside(sample, image, seen, score), [cv2.IMWRITE_JPEG_QUALITY, 82])


def as_data(report: Report) -> dict[str, Any]:
    """Return the report as plain data for JSON."""
    tally, joker = report.tally, report.tally.jokers
    data: dict[str, Any] = {
        "set": report.name,
        "photos": tally.photos,
        "photos_wholly_right": tally.perfect,
        "right": tally.right,
        "missed": tally.missed,
        "extra": tally.extra,
        "recall": round(tally.recall, 4),
        "precision": round(tally.precision, 4),
        "jokers": {
            "right": joker.right.total(),
            "missed": joker.missed.total(),
            "extra": joker.extra.total(),
        },
        "likely_swaps": dict(report.swaps.most_common(20)),
        "seconds_median": {step: round(sorted(v)[len(v) // 2], 3) for step, v in report.seconds.items() if v},
        "imperfect": [
            {"photo": name, "missed": list(s.missed.elements()), "extra": list(s.extra.elements())}
            for name, s in sorted(report.photos, key=lambda one: -(one[1].missed.total() + one[1].extra.total()))
            if not s.perfect
        ],
    }
    if report.indices.by:
        data["indices"] = {
            name: {"found": round(c[0] / c[2], 4), "named": round(c[1] / max(1, c[0]), 4), "count": c[2]}
            for name, c in sorted(report.indices.by.items())
        }
        data["false_marks"] = report.indices.false_marks
        data["joins"] = {
            "cards_of_several_marks": report.indices.pairs,
            "wrongly_merged": report.indices.merged,
            "seen_twice": report.indices.doubled,
            "pairs_of_twins": report.indices.twins,
            "twins_merged": report.indices.twins_merged,
        }
        data["index_confusions"] = {f"{a}>{b}": n for (a, b), n in report.indices.wrong.most_common(30)}
        data["reliability"] = reliability(report.trust)
        data["calibration_error"] = round(calibration_error(report.trust), 4)
        data["mark_reliability"] = reliability(report.mark_trust)
    return data


def write_text(data: dict[str, Any], to: TextIO) -> None:
    """Write the report for people: the figures first, then by group, then the imperfect photos."""
    joker = data["jokers"]
    to.write(
        f"{data['set']}: {data['photos']} photos, {data['photos_wholly_right']} wholly right; "
        f"cards right {data['right']}, missed {data['missed']}, extra {data['extra']}; recall {data['recall']:.4f}, "
        f"precision {data['precision']:.4f}; jokers right {joker['right']}, missed {joker['missed']}, "
        f"extra {joker['extra']}\n"
    )
    to.write(f"  seconds (median): {data['seconds_median']}\n")
    for name, row in data.get("indices", {}).items():
        to.write(f"  index {name:28s} found {row['found']:.4f}  named {row['named']:.4f}  of {row['count']}\n")
    for key in ("false_marks", "joins", "index_confusions", "calibration_error", "likely_swaps"):
        if data.get(key):
            to.write(f"  {key}: {data[key]}\n")
    for key in ("reliability", "mark_reliability"):
        for row in data.get(key, []):
            to.write(f"  {key} {row[0]}: {row[1]} cards, said {row[2]:.4f}, right {row[3]:.4f}\n")
    for photo in data["imperfect"][:60]:
        to.write(f"  {photo['photo']}: missed {' '.join(photo['missed'])} | extra {' '.join(photo['extra'])}\n")


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vision.evaluate", description=__doc__)
    parser.add_argument("--set", action="append", choices=[*SETS, "all"], dest="sets", help="which set (repeatable)")
    parser.add_argument("--photos", type=Path, default=DEFAULT_PHOTOS, help="folder of the photographs")
    parser.add_argument("--count", type=int, default=40, help="synthetic tables to make")
    parser.add_argument("--seed", type=int, default=900_000, help="first seed of the synthetic tables")
    parser.add_argument("--models", type=Path, help="folder with classes.json and the weights")
    parser.add_argument("--confidence", type=float, default=READ_CONFIDENCE, help="cards below it are not counted")
    parser.add_argument("--perfect", action="store_true", help="true indices in place of the networks")
    parser.add_argument("--noise", type=float, default=0.0, help="with --perfect: pixels by which corners stray")
    parser.add_argument("--lose", type=float, default=0.0, help="with --perfect: share of the marks lost")
    parser.add_argument("--confuse", type=float, default=0.0, help="with --perfect: share of the marks misread")
    parser.add_argument("--out", type=Path, help="write the imperfect photos, drawn beside the truth, here")
    parser.add_argument("--freeze", type=Path, help="write the synthetic tables' truth and marks here (.jsonl.gz)")
    parser.add_argument("--json", type=Path, help="write the figures here as JSON")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when measured, 2 when a set or the weights cannot be read."""
    asked = _arguments(arguments)
    names = asked.sets or ["real", "tables"]
    if "all" in names:
        names = list(SETS)
    damaged = true_marks(asked.noise, asked.lose, asked.confuse)
    read = damaged if asked.perfect else with_network(OnnxDetector(asked.models))
    results: list[dict[str, Any]] = []
    frozen: list[str] = []
    if asked.freeze:
        read = freezing(read, frozen)
    try:
        for name in names:
            out = asked.out / name if asked.out else None
            rows = samples(name, asked.photos, asked.count, asked.seed)
            data = as_data(measure(name, rows, read, asked.confidence, out))
            results.append(data)
            write_text(data, sys.stdout)
        if asked.freeze:
            asked.freeze.write_bytes(gzip.compress("".join(frozen).encode(), mtime=0))
        if asked.json:
            asked.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    except BurracoError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
