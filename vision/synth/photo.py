"""What light, lens, sensor and compression do to a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.uint8]
Rng = np.random.Generator


@dataclass(frozen=True)
class Conditions:
    """How a photograph was taken: brightness factor, colour gains (BGR), lamp, blur and noise in px and grey levels."""

    light: str
    gain: float
    gains: tuple[float, float, float]
    lamp: float
    shadow: float
    glare: float
    blur: float
    motion: float
    noise: float
    quality: int
    contrast: float
    saturation: float

    def notes(self) -> dict[str, float | str]:
        """For the truth record."""
        return {"light": self.light, "blur": round(max(self.blur, self.motion), 2), "noise": round(self.noise, 1)}


def conditions(rng: Rng, hard: float = 1.0) -> Conditions:
    """Draw the conditions of a photograph; `hard` (0..1) scales the faults."""
    light = str(rng.choice(["day", "lamp", "dim", "flash"], p=[0.42, 0.3, 0.2, 0.08]))
    warm = rng.normal(0.0, 0.04) if light in ("day", "flash") else rng.uniform(0.02, 0.26)
    gain = {
        "day": rng.uniform(0.75, 1.12),
        "lamp": rng.uniform(0.55, 1.05),
        "dim": rng.uniform(0.28, 0.7),
        "flash": rng.uniform(0.9, 1.2),
    }[light]
    tint = rng.normal(0, 0.025)
    return Conditions(
        light=light,
        gain=float(gain),
        gains=(float(1 - warm), float(1 - warm * 0.35 + tint), float(1 + warm * 0.25)),
        lamp=float(rng.uniform(0, 0.6) if rng.random() < 0.6 else 0.0),
        shadow=float(rng.uniform(0.15, 0.6) if rng.random() < 0.35 * hard else 0.0),
        glare=float(rng.uniform(0.2, 0.9) if rng.random() < 0.18 * hard else 0.0),
        blur=float(abs(rng.normal(0, 0.6)) * hard + 0.25),
        motion=float(rng.uniform(1, 4.5) if rng.random() < 0.15 * hard else 0.0),
        noise=float(rng.uniform(0.3, 4) if rng.random() < 0.75 else rng.uniform(4, 13) * hard),
        quality=int(rng.integers(35, 96)),
        contrast=float(rng.uniform(0.72, 1.2)),
        saturation=float(rng.uniform(0.65, 1.3)),
    )


def evening(rng: Rng, how: Conditions) -> Conditions:
    """The same photograph by a lamp in the evening, more often shaken."""
    warm = rng.uniform(0.04, 0.26)
    return replace(
        how,
        light=str(rng.choice(["lamp", "dim"])),
        gain=float(rng.uniform(0.34, 0.95)),
        gains=(float(1 - warm), float(1 - warm * 0.35 + rng.normal(0, 0.02)), float(1 + warm * 0.25)),
        lamp=float(rng.uniform(0.2, 0.7)),
        motion=float(rng.uniform(1.0, 4.0)) if rng.random() < 0.25 else 0.0,
    )


def _field(rng: Rng, h: int, w: int, strength: float) -> NDArray[np.float32]:
    """A lamp's light: a slope and a wide bright spot, about 1 at its brightest."""
    small = 32
    y, x = np.mgrid[0:small, 0:small].astype(np.float32) / (small - 1)
    a = rng.uniform(0, 2 * math.pi)
    slope = (x - 0.5) * math.cos(a) + (y - 0.5) * math.sin(a)
    cx, cy, r = rng.uniform(-0.2, 1.2), rng.uniform(-0.2, 1.2), rng.uniform(0.4, 1.2)
    spot = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * r * r))
    light = 1 - strength * 0.7 * (1 - spot) + strength * 0.4 * slope
    return np.asarray(cv2.resize(light.astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def _blob(rng: Rng, h: int, w: int, size: float) -> NDArray[np.float32]:
    """A soft-edged irregular patch 0..1: a hand's shadow or a lamp's reflection."""
    mask = np.zeros((64, 64), np.float32)
    cx, cy = rng.uniform(0, 64, 2)
    count = int(rng.integers(1, 5))
    for _ in range(count):
        centre = (int(cx + rng.normal(0, 9)), int(cy + rng.normal(0, 9)))
        axes = (int(rng.uniform(3, 20) * size) + 2, int(rng.uniform(3, 14) * size) + 2)
        cv2.ellipse(mask, centre, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
    k = int(rng.integers(1, 9)) * 2 + 1
    return np.asarray(cv2.resize(cv2.GaussianBlur(mask, (k, k), 0), (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def _motion(image: NDArray[np.float32], length: float, angle: float) -> NDArray[np.float32]:
    size = int(length) * 2 + 3
    kernel = np.zeros((size, size), np.float32)
    c = size // 2
    dx, dy = math.cos(angle) * length / 2, math.sin(angle) * length / 2
    cv2.line(kernel, (round(c - dx), round(c - dy)), (round(c + dx), round(c + dy)), 1.0, 1)
    return np.asarray(cv2.filter2D(image, -1, kernel / max(kernel.sum(), 1)), np.float32)


def develop(rng: Rng, image: Array, how: Conditions, scale: float) -> Array:
    """The finished photograph. `scale` is px per card height: blur grows with it, as a photo is sharp or is not."""
    h, w = image.shape[:2]
    picture = image.astype(np.float32)
    light = np.full((h, w), how.gain, np.float32)
    if how.lamp:
        light *= _field(rng, h, w, how.lamp)
    if how.shadow:
        light *= 1 - how.shadow * _blob(rng, h, w, 1.6)
    picture *= light[..., None] * np.array(how.gains, np.float32)
    if how.glare:
        picture += (how.glare * 190 * _blob(rng, h, w, 0.5))[..., None]
    if how.saturation != 1:
        grey = picture.mean(axis=2, keepdims=True)
        picture = grey + (picture - grey) * how.saturation
    blur = how.blur * float(np.clip(scale / 160, 0.55, 2.2))
    if blur > 0.3:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.float32)
    if how.motion:
        picture = _motion(picture, how.motion * float(np.clip(scale / 160, 0.5, 2.0)), rng.uniform(0, math.pi))
    picture = (picture - 110) * how.contrast + 110 if how.gain > 0.5 else picture
    noise = rng.standard_normal((h, w, 3), np.float32)
    if how.noise > 3:
        noise = noise * 0.7 + np.asarray(cv2.blur(noise, (2, 2)), np.float32)
    picture += noise * how.noise
    out = np.clip(picture, 0, 255).astype(np.uint8)
    if how.quality < 92:
        ok, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, how.quality])
        if ok:
            out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return out
