"""What every network of the reader needs: a photo at the scale that a crop wants, and probabilities from logits."""

from __future__ import annotations

import numpy as np

from vision.types import CLASS_INDEX, NONE, FloatArray, Image

_NONE = CLASS_INDEX[NONE]


class Pyramid:
    """A photo and its halves, made when first asked for: crops are cut where nothing aliases."""

    def __init__(self, image: Image) -> None:
        self._levels = [image]

    def level(self, number: int) -> Image:
        """Return the photo halved `number` times."""
        import cv2

        while len(self._levels) <= number:
            last = self._levels[-1]
            half = (max(1, last.shape[1] // 2), max(1, last.shape[0] // 2))
            self._levels.append(np.asarray(cv2.resize(last, half, interpolation=cv2.INTER_AREA), dtype=np.uint8))
        return self._levels[number]


def softmax(logits: FloatArray, temperature: float = 1.0) -> FloatArray:
    """Return row-wise probabilities of (n, k) logits divided by the calibrated temperature."""
    scaled = np.asarray(logits, dtype=np.float64) / temperature
    scaled -= scaled.max(axis=1, keepdims=True)
    weights = np.exp(scaled)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)


def sure_names(probs: FloatArray) -> FloatArray:
    """Return, of probabilities (n, 54), how far each is believed to be an index whose name is known: (n,) 0..1."""
    best = np.delete(probs, _NONE, axis=1).max(axis=1)
    return np.asarray((1 - probs[:, _NONE]) * (0.5 + 0.5 * best), dtype=np.float32)
