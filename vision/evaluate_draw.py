"""The worst photos, drawn beside the truth: what was read on the left, what is there on the right."""

from __future__ import annotations

from typing import Any

import numpy as np

from vision.evaluate_measure import Score
from vision.evaluate_sets import Sample
from vision.types import CardsSeen, Image

_SIDE = 1400
_GREEN, _RED, _AMBER, _BLUE = (60, 180, 60), (40, 40, 230), (0, 170, 255), (220, 120, 30)


def draw_beside(sample: Sample, image: Image, seen: CardsSeen, score: Score) -> Image:
    """Return one picture: left the cards read (green right, red extra, amber unsure), right the true ones."""
    import cv2

    factor = min(1.0, _SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    left, right = small.copy(), (small * 0.55 + 110).astype(np.uint8)
    spare = score.extra.copy()
    for card in sorted(seen.cards, key=lambda one: one.confidence):
        wrong = spare[card.card] > 0
        spare[card.card] -= wrong
        colour = _RED if wrong else _AMBER if card.confidence < 0.8 else _GREEN
        for mark in card.marks:
            _outline(left, mark.quad * factor, colour, 2)
        if len(card.marks) > 1:
            middles = np.array([mark.quad.mean(axis=0) for mark in card.marks]) * factor
            cv2.polylines(left, [middles.astype(np.int32)], False, _BLUE, 1)
        _outline(left, card.quad * factor, colour, 1)
        corner = card.marks[0].quad.mean(axis=0) * factor
        _text(left, f"{card.card} {card.confidence:.2f}", corner[0] + 8, corner[1], colour)
    if sample.truth is not None:
        for index in sample.truth.indices:
            quad = np.asarray(index.quad) * factor
            _outline(right, quad, _GREEN if index.visible >= 0.7 else _AMBER, 1)
            if index.visible >= 0.7:
                _text(right, index.card, quad[:, 0].mean() + 6, quad[:, 1].mean(), (0, 0, 0))
    lines = [
        sample.name,
        f"right {score.right.total()}  missed {score.missed.total()}  extra {score.extra.total()}",
        "missed: " + " ".join(score.missed.elements()),
        "extra: " + " ".join(score.extra.elements()),
        sample.note[:110],
    ]
    for number, line in enumerate(lines):
        _text(right, line, 10, 24 + 24 * number, (0, 0, 160), 0.6)
    return np.hstack([left, right])


def _outline(canvas: Any, quad: Any, colour: tuple[int, int, int], width: int) -> None:
    import cv2

    points = np.asarray(quad).round().astype(np.int32)
    cv2.polylines(canvas, [points.reshape(-1, 1, 2)], True, colour, width, cv2.LINE_AA)
    cv2.line(canvas, points[0].tolist(), points[1].tolist(), (255, 0, 255), width, cv2.LINE_AA)


def _text(canvas: Any, text: str, x: float, y: float, colour: tuple[int, int, int], size: float = 0.45) -> None:
    import cv2

    place = (int(x), int(y))
    cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, (255, 255, 255), 3, cv2.LINE_AA)
    cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)
