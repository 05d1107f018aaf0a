"""How a pair of networks does on synthetic tiles: `python -m vision.train.measure MODELS TILES [TILES_TO_USE]`.

An index counts as found when a detection's centre is within a third of its height and its up direction within 45
degrees. Indices less than half visible count neither way. Figures by index height, decks' corners and jokers.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cutting import softmax
from vision.detect import Pass, decode, letterbox
from vision.geometry import suppress
from vision.naming import cut_crops
from vision.truth import CLASSES, IndexTruth, TableTruth
from vision.weights import load_networks

BINS = (9, 13, 18, 26, 40, 70, 200)
NONE_CLASS = CLASSES.index("none")


@dataclass
class Tally:
    """Counts over a set of tiles."""

    found: Counter[str] = field(default_factory=Counter)
    there: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    false: int = 0
    false_kept: int = 0
    detections: int = 0
    errors: list[float] = field(default_factory=list)
    confusions: Counter[str] = field(default_factory=Counter)
    sure: list[tuple[float, bool]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The figures as text."""
        out = [f"detections {self.detections}, false {self.false}, false after the classifier {self.false_kept}"]
        for name in sorted(self.there):
            n, found = self.there[name], self.found[name]
            named = self.named[name] / max(1, found)
            out.append(f"{name:>16}: {n:6d} there, recall {found / n:.3f}, named {named:.3f}")
        middle, high = np.quantile(self.errors or [0], [0.5, 0.95])
        out.append(f"key point error: median {middle:.3f} of the height, 95 % {high:.3f}")
        out.append("confusions: " + ", ".join(f"{pair} {n}" for pair, n in self.confusions.most_common(14)))
        out.append("reliability: " + self._reliability())
        return out

    def _reliability(self) -> str:
        parts = []
        for low, high in ((0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 1.01)):
            rows = [(p, ok) for p, ok in self.sure if low <= p < high]
            if rows:
                parts.append(
                    f"{np.mean([p for p, _ in rows]):.3f}->{np.mean([ok for _, ok in rows]):.3f} ({len(rows)})"
                )
        return ", ".join(parts)


def _kinds(index: IndexTruth, truth: TableTruth, tall: float) -> list[str]:
    place = next(k for k in range(len(BINS) - 1) if tall < BINS[k + 1] or k == len(BINS) - 2)
    kinds = ["all", f"px {BINS[place]:03d}-{BINS[place + 1]:03d}", "joker" if index.card == "JK" else "card"]
    if index.visible >= 0.95:
        kinds.append("whole")
    return kinds


def match(tally: Tally, truth: TableTruth, quads: NDArray[np.float32], probs: NDArray[np.float32]) -> None:
    """Add one picture's detections to the tally."""
    best, sure = (
        probs.argmax(axis=1) if len(probs) else np.zeros(0, int),
        probs.max(axis=1) if len(probs) else np.zeros(0),
    )
    centres = quads.mean(axis=1) if len(quads) else np.zeros((0, 2))
    ups = quads[:, 0] + quads[:, 1] - quads[:, 2] - quads[:, 3] if len(quads) else np.zeros((0, 2))
    used = np.zeros(len(quads), bool)
    tally.detections += len(quads)
    for index in sorted(truth.indices, key=lambda one: -one.visible):
        quad = np.array(index.quad)
        tall = float(np.linalg.norm(quad[3] - quad[0]))
        up = quad[0] + quad[1] - quad[2] - quad[3]
        near = np.linalg.norm(centres - quad.mean(axis=0), axis=1) < 0.35 * max(tall, 8)
        if index.card != "JK":  # a star or a picture has no sure direction
            lengths = np.linalg.norm(ups, axis=1) * np.linalg.norm(up) + 1e-9
            near &= (ups @ up) / lengths > 0.7
        hits = np.nonzero(near & ~used)[0]
        counted = index.visible >= 0.5 and tall >= BINS[0]
        if counted:
            kinds = _kinds(index, truth, tall)
            tally.there.update(kinds)
        if len(hits) == 0:
            continue
        hit = hits[np.argmin(np.linalg.norm(centres[hits] - quad.mean(axis=0), axis=1))]
        used[hit] = True
        if not counted:
            continue
        tally.found.update(kinds)
        tally.errors.append(float(np.linalg.norm(quads[hit] - quad, axis=1).mean() / tall))
        right = CLASSES[best[hit]] == index.card
        tally.sure.append((float(sure[hit]), right))
        if right:
            tally.named.update(kinds)
        else:
            tally.confusions[f"{index.card}>{CLASSES[best[hit]]}"] += 1
    tally.false += int((~used).sum())
    tally.false_kept += int((~used & (best != NONE_CLASS)).sum())


def measure(models: Path, folder: Path, limit: int, threshold: float | None = None) -> Tally:
    """Run both networks over the tiles of a folder at their own scale."""
    networks = load_networks(models, 1)
    tally = Tally()
    paths = sorted((folder / "images").glob("*.jpg"))
    truths = [TableTruth.from_json(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    stride = max(1, len(paths) // limit)
    for path, truth in list(zip(paths, truths, strict=True))[::stride]:
        image = np.asarray(cv2.imread(str(path)), np.uint8)
        raw = networks.detector(letterbox(image, Pass((0, 0, image.shape[1], image.shape[0]), 1.0)))[0]
        found = decode(raw, networks.threshold if threshold is None else threshold)
        keep = suppress(found.quads.astype(np.float64), found.scores.astype(np.float64))
        quads = found.quads[keep]
        probs = np.zeros((0, len(CLASSES)), np.float32)
        if len(quads):
            both = np.concatenate([quads, np.roll(quads, 2, axis=1)])
            outputs = networks.classifier(cut_crops(image, both, networks.spec))
            named = softmax(np.asarray(outputs[0], np.float32), networks.spec.temperature)
            count = len(quads)
            rows = np.arange(count) + np.where(named[count:, NONE_CLASS] < named[:count, NONE_CLASS], count, 0)
            quads, probs = both[rows], named[rows]
        match(tally, truth, quads, probs)
    return tally


if __name__ == "__main__":
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else None
    sys.stdout.write("\n".join(measure(Path(sys.argv[1]), Path(sys.argv[2]), count, limit).lines()) + "\n")
