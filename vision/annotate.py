"""The photo with what was read drawn on it: outlines by confidence, melds grouped, points written, at phone size."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any, Final

import numpy as np

from scorer.cards import CARDS
from scorer.messages import text
from vision.photo import PhotoReading
from vision.reading import ReadGroup
from vision.reading_text import meld_numbers
from vision.types import Image

LONG_SIDE: Final = 1600
"""Pixels of the drawn picture's longer side."""
_GOOD: Final = (60, 190, 40)
_FAIR: Final = (0, 190, 240)
_POOR: Final = (40, 40, 235)
_SIDES: Final = ((235, 140, 40), (200, 60, 200), (160, 160, 60), (90, 120, 200))
_GREY: Final = (150, 150, 150)
_SURE: Final = 0.95
_FAIRLY: Final = 0.75
#: Left, top, right and bottom in pixels.
Box = tuple[int, int, int, int]


def annotate(found: PhotoReading, picture: int = 0, lang: str = "en") -> Image:
    """Return picture number `picture` (BGR uint8), at most `LONG_SIDE` px long, with the reading drawn on it."""
    import cv2

    source = found.images[picture]
    scale = min(1.0, LONG_SIDE / max(source.shape[:2]))
    size = (max(1, round(source.shape[1] * scale)), max(1, round(source.shape[0] * scale)))
    shrunk = cv2.resize(source, size, interpolation=cv2.INTER_AREA)
    canvas: Image = np.ascontiguousarray(shrunk, dtype=np.uint8)
    numbers = meld_numbers(found.reading)
    doubted = {doubt.group for doubt in found.reading.doubts}
    worth = _points(found)
    labels: list[tuple[str, tuple[float, float], tuple[int, int, int]]] = []
    for number, group in enumerate(found.reading.groups):
        quads = _quads(found, group, picture, scale)
        if not quads:
            continue
        _draw_cards(cv2, canvas, quads)
        hull = cv2.convexHull(np.concatenate([quad for quad, _, _ in quads]).astype(np.float32)).astype(np.int32)
        colour = _SIDES[group.side % len(_SIDES)] if group.chosen.role != "other" else _GREY
        cv2.polylines(canvas, [hull], True, colour, 4, cv2.LINE_AA)
        if not group.chosen.faces:
            continue
        title = _title(found, group, numbers.get(number), worth.get(number), number in doubted, lang)
        top = hull.reshape(-1, 2)[hull.reshape(-1, 2)[:, 1].argmin()]
        labels.append((title, (float(top[0]), float(top[1]) - 12), colour))
    _labels(cv2, canvas, labels)
    _totals(cv2, canvas, found, lang)
    return canvas


def _points(found: PhotoReading) -> dict[int, tuple[int, str | None]]:
    """(points, burraco type) of every group that is a meld."""
    out = {}
    for side, scored in enumerate(found.reading.score.sides):
        mine = [n for n, g in enumerate(found.reading.groups) if g.side == side and g.chosen.role == "meld"]
        for number, verdict in zip(mine, scored.melds, strict=True):
            out[number] = verdict.total, verdict.type if verdict.legal else "!"
    return out


def _quads(found: PhotoReading, group: ReadGroup, picture: int, scale: float) -> list[tuple[Any, float, str]]:
    """(outline, confidence, name) of the group's cards that lie in this picture."""
    out = []
    for card in group.chosen.cards:
        if card.source is None:
            continue
        where, number = found.origin(group.part.photo, group.part.cards[card.source])
        if where != picture:
            continue
        seen = found.seen[picture].cards[number]
        name = CARDS[card.code].text if card.change != "extra" else "?"
        trust = seen.confidence if card.change == "" else 0.5
        out.append((seen.quad.astype(np.float64) * scale, trust, name + ("*" if card.change else "")))
    return out


def _draw_cards(cv2: Any, canvas: Image, quads: list[tuple[Any, float, str]]) -> None:
    for quad, trust, name in quads:
        colour = _GOOD if trust >= _SURE else _FAIR if trust >= _FAIRLY else _POOR
        cv2.polylines(canvas, [np.round(quad).astype(np.int32)], True, colour, 2, cv2.LINE_AA)
        if trust < _SURE:
            _text(cv2, canvas, name, quad.mean(axis=0), 0.6, colour)


def _title(
    found: PhotoReading,
    group: ReadGroup,
    number: int | None,
    worth: tuple[int, str | None] | None,
    doubted: bool,
    lang: str,
) -> str:
    mark = " ?" if doubted else ""
    if number is None or worth is None:
        return text(f"photo.{'hand' if group.chosen.role == 'hand' else 'other'}", lang) + mark
    kind = " !" if worth[1] == "!" else f" {text(f'type.{worth[1]}', lang)}" if worth[1] else ""
    return f"{found.reading.names[group.side]} {number}:{kind} {worth[0]}{mark}"


def plain(words: str) -> str:
    """Words as the drawing font can write them: no accents, no symbols.

    >>> plain("però 7♥")
    'pero 7?'
    """
    bare = unicodedata.normalize("NFKD", words)
    return "".join(c for c in bare if not unicodedata.combining(c)).encode("ascii", "replace").decode()


def apart(boxes: list[Box], height: int) -> list[Box]:
    """Boxes (left, top, right, bottom) moved up, or down where the picture ends, until none covers an earlier one.

    >>> apart([(0, 50, 40, 70), (10, 50, 60, 70), (80, 50, 90, 70)], 200)
    [(0, 50, 40, 70), (10, 28, 60, 48), (80, 50, 90, 70)]
    """
    placed: list[Box] = []
    for left, top, right, bottom in boxes:
        step = bottom - top + 2
        free = [
            (left, top + shift, right, bottom + shift)
            for shift in sorted(range(-8 * step, 9 * step, step), key=lambda shift: (abs(shift), shift))
            if top + shift >= 0 and bottom + shift <= height
        ]
        clear = (box for box in free if not any(_meet(box, other) for other in placed))
        placed.append(next(clear, (left, top, right, bottom)))
    return placed


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _labels(cv2: Any, canvas: Image, labels: list[tuple[str, tuple[float, float], tuple[int, int, int]]]) -> None:
    """Write what each group is above it; labels of neighbours are moved apart."""
    size = max(0.7, max(canvas.shape[:2]) / 1700)
    plates = [_plate(cv2, canvas, words, middle, size) for words, middle, _ in labels]
    placed = apart([box for box, _ in plates], canvas.shape[0])
    for (words, _, colour), (box, baseline), (_, top, _, _) in zip(labels, plates, placed, strict=True):
        _write(cv2, canvas, words, (box[0], top, box[2], top + box[3] - box[1]), baseline + top - box[1], size, colour)


def _plate(cv2: Any, canvas: Image, words: str, middle: Any, size: float) -> tuple[Box, int]:
    """The dark plate of some words around a point, kept inside the picture, and the line that they stand on."""
    (width, height), below = cv2.getTextSize(plain(words), cv2.FONT_HERSHEY_SIMPLEX, size, 2)
    x = int(min(max(4, middle[0] - width / 2), max(4, canvas.shape[1] - width - 4)))
    y = int(min(max(height + 4, middle[1]), canvas.shape[0] - below - 4))
    return (x - 4, y - height - 4, x + width + 4, y + below + 2), y


def _write(
    cv2: Any, canvas: Image, words: str, box: Box, baseline: int, size: float, colour: tuple[int, int, int]
) -> None:
    cv2.rectangle(canvas, box[:2], box[2:], (25, 25, 25), -1)
    cv2.putText(canvas, plain(words), (box[0] + 4, baseline), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 2, cv2.LINE_AA)


def _text(cv2: Any, canvas: Image, words: str, middle: Any, size: float, colour: tuple[int, int, int]) -> None:
    """Write words on a dark plate, kept inside the picture."""
    box, baseline = _plate(cv2, canvas, words, middle, size)
    _write(cv2, canvas, words, box, baseline, size, colour)


def _totals(cv2: Any, canvas: Image, found: PhotoReading, lang: str) -> None:
    """The sides' points along the bottom."""
    size = max(0.8, max(canvas.shape[:2]) / 1500)
    points = found.reading.points
    words = []
    for name, low, best, high in zip(found.reading.names, points.low, points.best, points.high, strict=True):
        words.append(f"{name} {best}" + (f" ({low}..{high})" if low != high else ""))
    _text(cv2, canvas, "   ".join(words), (canvas.shape[1] / 2, canvas.shape[0] - 16), size, (255, 255, 255))


def write_picture(image: Image, name: str) -> None:
    """Write a picture as JPEG, PNG or WebP by its suffix. VisionError in one line when that cannot be done."""
    import cv2

    from scorer.errors import VisionError

    suffix = Path(name).suffix.lower()
    quality = {".png": [], ".webp": [cv2.IMWRITE_WEBP_QUALITY, 88]}.get(suffix, [cv2.IMWRITE_JPEG_QUALITY, 88])
    try:
        done, data = cv2.imencode(suffix, image, quality)
        Path(name).write_bytes(data.tobytes())
    except (cv2.error, OSError, ValueError):  # no such format; no such folder; a name that no file can have
        done = False
    if not done:
        raise VisionError(f"{name} cannot be written; give a name ending in .jpg.", code="cannot_draw", name=name)
