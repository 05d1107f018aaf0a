"""What cards lie on and among: cloths, wood, clutter; procedural, and pictures where a folder of them is set."""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.glyphs import HAND_FONTS, TEXT_FONTS, Mask, installed, text_mask

Array = NDArray[np.uint8]
Rng = np.random.Generator
SIZE = 768


def _noise(rng: Rng, cell_x: int, cell_y: int) -> NDArray[np.float32]:
    """Smooth noise of about unit spread, SIZE x SIZE."""
    small = rng.normal(0, 1, (max(2, SIZE // cell_y), max(2, SIZE // cell_x))).astype(np.float32)
    return np.asarray(cv2.resize(small, (SIZE, SIZE), interpolation=cv2.INTER_CUBIC), np.float32)


def _hsv(hue: int, sat: int, val: int) -> NDArray[np.float32]:
    pixel = cv2.cvtColor(np.full((1, 1, 3), (hue, sat, val), np.uint8), cv2.COLOR_HSV2BGR)
    return np.asarray(pixel[0, 0], np.float32)


def _colour(rng: Rng) -> NDArray[np.float32]:
    """A cloth's or table's colour, BGR: saturated, pale or dark."""
    kind = rng.random()
    hue, sat, val = rng.integers(180), rng.integers(90, 240), rng.integers(40, 210)
    if kind < 0.25:
        sat, val = rng.integers(0, 60), rng.integers(120, 245)
    elif kind < 0.4:
        sat, val = rng.integers(0, 80), rng.integers(8, 70)
    elif kind < 0.6:
        hue, sat, val = rng.choice([60, 65, 70, 110, 115, 0, 175]), rng.integers(120, 255), rng.integers(50, 170)
    return _hsv(int(hue), int(sat), int(val))


def _cloth(rng: Rng) -> NDArray[np.float32]:
    base = np.ones((SIZE, SIZE, 3), np.float32) * _colour(rng)
    weave = _noise(rng, 2, 2) * rng.uniform(1, 9) + _noise(rng, 90, 90) * rng.uniform(0, 7)
    return base + weave[..., None]


def _wood(rng: Rng) -> NDArray[np.float32]:
    hue, sat, val = rng.integers(6, 20), rng.integers(60, 190), rng.integers(50, 220)
    base = _hsv(int(hue), int(sat), int(val))
    x = np.linspace(0, rng.uniform(20, 90), SIZE, dtype=np.float32)[:, None]
    grain = np.sin(x + 2.5 * _noise(rng, 250, 60)) * 9 + _noise(rng, 140, 3) * rng.uniform(3, 9)
    image = base + grain[..., None] * np.array([0.8, 0.9, 1.0], np.float32)
    if rng.random() < 0.6:
        for y in range(int(rng.integers(60, 160)), SIZE, int(rng.integers(120, 320))):
            image[y : y + 3] *= 0.45
    return np.asarray(image, np.float32)


def _checks(rng: Rng) -> NDArray[np.float32]:
    one, two = _colour(rng), np.array([225, 230, 235], np.float32) if rng.random() < 0.7 else _colour(rng)
    cell = int(rng.integers(14, 90))
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    a, b = (x // cell % 2).astype(np.float32), (y // cell % 2).astype(np.float32)
    share = ((a + b) / 2) if rng.random() < 0.6 else np.abs(a - b)
    if rng.random() < 0.25:
        share = a
    return np.asarray(
        one * share[..., None] + two * (1 - share[..., None]) + _noise(rng, 2, 2)[..., None] * 4, np.float32
    )


def _flowers(rng: Rng) -> NDArray[np.float32]:
    image = np.ones((SIZE, SIZE, 3), np.float32) * _colour(rng)
    colours = [tuple(float(v) for v in _colour(rng)) for _ in range(3)]
    kind = rng.integers(4)
    for _ in range(int(rng.integers(15, 120))):
        x, y, r = int(rng.integers(SIZE)), int(rng.integers(SIZE)), int(rng.integers(6, 34))
        if kind == 0:
            cv2.circle(image, (x, y), r, colours[0], -1, cv2.LINE_AA)
            continue
        if kind == 1:
            a = rng.uniform(0, 180)
            cv2.ellipse(image, (x, y), (r, r // 2 + 1), a, 0, 360, colours[int(rng.integers(3))], -1, cv2.LINE_AA)
            continue
        petals = int(rng.integers(4, 7))
        for k in range(petals):
            t = 2 * math.pi * k / petals
            centre = (int(x + r * math.cos(t)), int(y + r * math.sin(t)))
            cv2.circle(image, centre, int(r * 0.55) + 1, colours[0], -1, cv2.LINE_AA)
        cv2.circle(image, (x, y), r // 2 + 1, colours[1], -1, cv2.LINE_AA)
        if kind == 3:
            cv2.line(image, (x, y + r), (x + int(rng.integers(-40, 40)), y + 2 * r), colours[2], 3, cv2.LINE_AA)
    return np.asarray(image + _noise(rng, 2, 2)[..., None] * 4, np.float32)


def _speckled(rng: Rng) -> NDArray[np.float32]:
    """Cork, stone, marble, concrete."""
    base = _colour(rng) * 0.5 + 80
    image = base + (_noise(rng, 4, 4) * rng.uniform(4, 16) + _noise(rng, 25, 25) * rng.uniform(2, 14))[..., None]
    if rng.random() < 0.3:
        veins = np.abs(_noise(rng, 120, 120) + 0.35 * _noise(rng, 30, 30)) < 0.07
        image[veins] *= rng.uniform(0.6, 1.3)
    return np.asarray(image, np.float32)


@functools.cache
def _pictures() -> tuple[str, ...]:
    place = os.environ.get("BURRACO_BACKGROUNDS", "")
    return tuple(sorted(str(p) for p in Path(place).glob("*.jpg"))) if place and Path(place).is_dir() else ()


def surface(rng: Rng, patterned: bool = False) -> Array:
    """A table top, SIZE x SIZE BGR. Which kind is drawn from the generator; `patterned`: mostly printed cloth."""
    kinds = [_cloth, _wood, _checks, _flowers, _speckled]
    shares = [0.15, 0.15, 0.3, 0.35, 0.05] if patterned else [0.38, 0.22, 0.13, 0.15, 0.12]
    choice = int(rng.choice(5, p=shares))
    pictures = _pictures()
    if pictures and rng.random() < 0.15:
        picture = cv2.imread(pictures[int(rng.integers(len(pictures)))])
        if picture is not None:
            return np.asarray(cv2.resize(picture, (SIZE, SIZE), interpolation=cv2.INTER_AREA), np.uint8)
    image = kinds[choice](rng)
    if rng.random() < 0.5:
        image = image * (1 + 0.07 * _noise(rng, 300, 300)[..., None])
    return np.asarray(np.clip(image, 0, 255), np.uint8)


def _paste(image: Array, mask: Mask, colour: tuple[int, ...], x: int, y: int, w: int, h: int) -> None:
    small = cv2.resize(mask, (max(2, w), max(2, h)), interpolation=cv2.INTER_AREA)
    part = image[y : y + small.shape[0], x : x + small.shape[1]]
    small = small[: part.shape[0], : part.shape[1]]
    a = small[..., None].astype(np.float32) / 255
    part[..., :3] = (part[..., :3] * (1 - a) + np.array(colour, np.float32) * a).astype(np.uint8)


def score_sheet(rng: Rng) -> Array:
    """A sheet of paper with columns of written numbers and names, perhaps suits' letters too."""
    h, w = 400, int(rng.integers(240, 420))
    image = np.full((h, w, 4), 255, np.uint8)
    image[..., :3] = rng.integers(215, 256)
    ink = tuple(int(v) for v in rng.choice([20, 60, 150], 3))
    for y in range(20, h, 24):
        if rng.random() < 0.5:
            cv2.line(image, (0, y), (w, y), (200, 180, 160, 255), 1)
    fonts = installed(HAND_FONTS + TEXT_FONTS) or ("",)
    name = fonts[int(rng.integers(min(3, len(fonts))))] if rng.random() < 0.7 else fonts[int(rng.integers(len(fonts)))]
    size = int(rng.integers(18, 54))
    for x in range(12, w - 60, int(rng.integers(70, 140))):
        cv2.line(image, (x - 6, 0), (x - 6, h), (*ink, 255), 2)
        for y in range(10, h - size, int(size * 1.4)):
            text = (
                str(rng.integers(2, 2500))
                if rng.random() < 0.8
                else str(rng.choice(["NOI", "LORO", "Anna", "A", "B", "10", "K", "Q"]))
            )
            mask = text_mask(text, name)
            _paste(image, mask, ink, x, y, min(w - x - 2, int(size * mask.shape[1] / mask.shape[0])), size)
    return image


def clutter(rng: Rng) -> tuple[Array, float]:
    """A thing on the table: BGRA picture and its height in card heights."""
    kind = int(rng.choice(8, p=[0.26, 0.12, 0.14, 0.08, 0.1, 0.08, 0.12, 0.1]))
    if kind == 0:
        return score_sheet(rng), float(rng.uniform(1.2, 3.2))
    colour = tuple(int(v) for v in _colour(rng))
    image = np.zeros((300, 300, 4), np.uint8)
    if kind == 1:  # phone
        image = np.zeros((300, 150, 4), np.uint8)
        cv2.rectangle(image, (4, 4), (145, 295), (25, 25, 25, 255), -1)
        cv2.rectangle(image, (10, 20), (139, 280), (*colour, 255), -1)
        for y in range(40, 260, 30):
            mask = text_mask(str(rng.integers(0, 9999)), "DejaVuSans.ttf")
            _paste(image, mask, (240, 240, 240), 20, y, int(rng.integers(20, 110)), 16)
        return image, float(rng.uniform(1.5, 1.9))
    if kind in (2, 3):  # glass or cup from above
        glass = kind == 2
        for r in range(140, 40, -int(rng.integers(20, 60))):
            tone = tuple(int(np.clip(v + rng.integers(-50, 60), 0, 255)) for v in colour)
            cv2.circle(image, (150, 150), r, (*tone, 110 if glass else 255), -1, cv2.LINE_AA)
        cv2.circle(image, (150, 150), 138, (230, 230, 230, 200), 3, cv2.LINE_AA)
        return image, float(rng.uniform(0.7, 1.1))
    if kind == 4:  # finger or hand
        skin = (int(rng.integers(90, 180)), int(rng.integers(130, 200)), int(rng.integers(180, 240)), 255)
        for k in range(int(rng.integers(1, 5))):
            end = (int(60 + 60 * k), int(rng.integers(20, 90)))
            cv2.line(image, (150 + 20 * k, 299), end, skin, int(rng.integers(36, 56)), cv2.LINE_AA)
        return image, float(rng.uniform(0.9, 1.6))
    if kind == 5:  # pen
        cv2.line(image, (20, 150), (280, 150), (*colour, 255), 14, cv2.LINE_AA)
        cv2.line(image, (20, 150), (60, 150), (30, 30, 30, 255), 12, cv2.LINE_AA)
        return image, float(rng.uniform(1.3, 1.8))
    if kind == 6:  # coin or token with a number
        cv2.circle(image, (150, 150), 140, (60, 150, 190, 255), -1, cv2.LINE_AA)
        cv2.circle(image, (150, 150), 120, (90, 180, 210, 255), 6, cv2.LINE_AA)
        mask = text_mask(str(rng.choice(["1", "2", "5", "10", "20", "50"])), "DejaVuSans-Bold.ttf")
        _paste(image, mask, (40, 90, 120), 95, 85, 110, 130)
        return image, float(rng.uniform(0.22, 0.45))
    return _printed(rng, colour), float(rng.uniform(0.8, 2.4))


def _printed(rng: Rng, colour: tuple[int, ...]) -> Array:
    """A magazine, box or label with words and figures."""
    image = np.full((320, 260, 4), 255, np.uint8)
    image[..., :3] = colour
    fonts = installed(TEXT_FONTS) or ("",)
    for _ in range(int(rng.integers(3, 9))):
        letters = "".join(rng.choice(list("AKQJ1023456789BDRVEJOKLSTXYmn"), int(rng.integers(1, 8))))
        tone = tuple(int(v) for v in _colour(rng))
        mask = text_mask(letters, fonts[int(rng.integers(len(fonts)))])
        size = int(rng.integers(14, 70))
        x, y = int(rng.integers(0, 200)), int(rng.integers(0, 250))
        _paste(image, mask, tone, x, y, min(255 - x, int(size * mask.shape[1] / mask.shape[0])), size)
    return image
