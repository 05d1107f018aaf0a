"""Marks as JSON: detections frozen once are replayed later, so that no network is needed to test what follows it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from vision.types import CLASS_INDEX, CLASSES, IndexMark

_TOP = 5


def dump_marks(marks: list[IndexMark]) -> str:
    """Return one line of JSON: quads to a tenth of a pixel and the five most probable classes of each mark.

    >>> mark = IndexMark.of("7h", [(0, 0), (10, 0), (10, 20), (0, 20)], sure=0.9)
    >>> [(m.best, round(float(m.probs.sum()), 3)) for m in load_marks(dump_marks([mark]))]
    [('7h', 1.0)]
    """
    rows = []
    for mark in marks:
        order = np.argsort(-mark.probs, kind="stable")[:_TOP]
        probs = {CLASSES[i]: round(float(mark.probs[i]), 4) for i in order if mark.probs[i] >= 0.0005}
        row: dict[str, Any] = {
            "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in mark.quad],
            "score": round(mark.score, 3),
            "probs": probs,
        }
        if mark.right is not None:
            row["right"] = round(mark.right, 3)
        if mark.late:
            row["late"] = True
        rows.append(row)
    return json.dumps(rows, separators=(",", ":"))


def load_marks(text: str) -> list[IndexMark]:
    """The inverse of `dump_marks`; what the five classes leave is spread over the others. ValueError when malformed."""
    marks = []
    try:
        for row in json.loads(text):
            probs = np.zeros(len(CLASSES), dtype=np.float32)
            for name, value in row["probs"].items():
                probs[CLASS_INDEX[name]] = value
            rest = max(0.0, 1.0 - float(probs.sum()))
            empty = probs == 0
            probs[empty] = rest / max(1, int(empty.sum()))
            quad = np.asarray(row["quad"], dtype=np.float32).reshape(4, 2)
            late = bool(row.get("late", False))
            marks.append(IndexMark(quad, float(row["score"]), probs / probs.sum(), row.get("right"), late))
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"not frozen marks: {error}") from error
    return marks
