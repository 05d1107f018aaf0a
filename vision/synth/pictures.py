"""The pictures in the middle of jokers: jesters, clowns, caps, sceptres, stars, words, emblems, from a generator."""

from __future__ import annotations

import math
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.glyphs import SUIT_CHARS, Mask, star_mask, text_mask

Array = NDArray[np.uint8]
Colour = tuple[int, int, int]
Rng = np.random.Generator
PAPER = 250


def palette(rng: Rng) -> list[Colour]:
    """Six inks: the bright ones of printed jokers, greys, or one ink in several strengths."""
    inks: list[Colour] = [(30, 30, 200), (170, 70, 30), (40, 195, 240), (40, 130, 50), (40, 40, 40), (150, 40, 120)]
    kind = rng.random()
    if kind < 0.2:
        return [(g, g, g) for g in (30, 80, 120, 160, 60, 200)]
    if kind < 0.35:
        base = np.array([int(v) for v in rng.integers(10, 200, 3)])
        tones = [base + (255 - base) * share for share in (0.0, 0.15, 0.35, 0.55, 0.7, 0.25)]
        return [(int(t[0]), int(t[1]), int(t[2])) for t in tones]
    return [inks[int(k)] for k in rng.permutation(len(inks))]


def _fill(image: Array, points: list[tuple[float, float]], ink: Colour, line: bool = True) -> None:
    shape = np.array(points).astype(np.int32)
    cv2.fillPoly(image, [shape], ink, cv2.LINE_AA)
    if line:
        cv2.polylines(image, [shape], True, (30, 30, 30), 1, cv2.LINE_AA)


def _disc(image: Array, x: float, y: float, r: float, ink: Colour, thick: int = -1) -> None:
    cv2.circle(image, (int(x), int(y)), max(1, int(r)), ink, thick, cv2.LINE_AA)


def _stamp(image: Array, mask: Mask, ink: Colour, x: float, y: float, w: float, h: float) -> None:
    small = cv2.resize(mask, (max(2, int(w)), max(2, int(h))), interpolation=cv2.INTER_AREA)
    left, top = max(0, int(x)), max(0, int(y))
    part = image[top : top + small.shape[0], left : left + small.shape[1]]
    share = small[: part.shape[0], : part.shape[1], None].astype(np.float32) / 255
    part[:] = (part * (1 - share) + np.array(ink, np.float32) * share).astype(np.uint8)


def _face(image: Array, cx: float, cy: float, r: float, rng: Rng) -> None:
    skin = (190, 220, 250) if rng.random() < 0.7 else (248, 248, 248)
    cv2.ellipse(image, (int(cx), int(cy)), (int(r * 0.8), int(r)), 0, 0, 360, skin, -1, cv2.LINE_AA)
    cv2.ellipse(image, (int(cx), int(cy)), (int(r * 0.8), int(r)), 0, 0, 360, (30, 30, 30), 2, cv2.LINE_AA)
    for side in (-1, 1):
        _disc(image, cx + side * r * 0.3, cy - r * 0.2, r * 0.1, (30, 30, 30))
    if rng.random() < 0.5:
        _disc(image, cx, cy + r * 0.12, r * rng.uniform(0.12, 0.25), (40, 40, 200))
    mouth = (int(r * 0.4), int(r * rng.uniform(0.15, 0.35)))
    cv2.ellipse(image, (int(cx), int(cy + r * 0.35)), mouth, 0, 10, 170, (40, 40, 180), 2, cv2.LINE_AA)


def _cap(image: Array, cx: float, cy: float, r: float, inks: list[Colour], rng: Rng) -> None:
    """Horns with bells, seen from the front, round the point (cx, cy)."""
    horns, spread = int(rng.integers(2, 6)), rng.uniform(0.55, 1.0)
    length, droop = rng.uniform(1.8, 2.6), rng.uniform(-0.3, 0.6)
    for k in range(horns):
        a = -math.pi / 2 + (k - (horns - 1) / 2) * spread
        tip = (cx + length * r * math.cos(a), cy + length * r * (math.sin(a) + droop * abs(math.cos(a))) * 0.9)
        sx, sy = -math.sin(a) * r * 0.7, math.cos(a) * r * 0.7
        _fill(image, [tip, (cx + sx, cy + sy), (cx - sx, cy - sy)], inks[k % len(inks)])
        _disc(image, *tip, r * 0.18, inks[-1])


def jester(image: Array, rng: Rng) -> None:
    """A jester's cap, face and collar, with or without a body."""
    h, w = image.shape[:2]
    inks = palette(rng)
    cx, cy, r = w * rng.uniform(0.42, 0.58), h * rng.uniform(0.32, 0.5), w * rng.uniform(0.13, 0.24)
    if rng.random() < 0.6:
        left, right = rng.uniform(0.4, 1.8, 2) * r
        _fill(
            image, [(cx - r / 2, cy + r), (cx + r / 2, cy + r), (cx + right, h * 0.98), (cx - left, h * 0.98)], inks[1]
        )
        if rng.random() < 0.6:
            _fill(image, [(cx, cy + r), (cx + r / 2, cy + r), (cx + right, h * 0.98), (cx, h * 0.98)], inks[2])
    for k in range(int(rng.integers(5, 10))):
        a = math.pi * (0.1 + 0.8 * k / 8)
        far = [(cx + 1.9 * r * math.cos(a + d), cy + r + 1.3 * r * math.sin(a)) for d in (-0.15, 0.2)]
        _fill(image, [(cx, cy + r * 0.5), *far], inks[k % 3], False)
    _cap(image, cx, cy - r * 0.35, r, inks, rng)
    _face(image, cx, cy, r, rng)


def clown(image: Array, rng: Rng) -> None:
    """A clown's face with curls, a little hat and a ruff."""
    h, w = image.shape[:2]
    inks = palette(rng)
    cx, cy, r = w / 2, h * rng.uniform(0.4, 0.55), w * rng.uniform(0.2, 0.3)
    for _ in range(int(rng.integers(8, 24))):
        side = rng.choice([-1, 1])
        _disc(image, cx + side * r * rng.uniform(0.7, 1.3), cy - r * rng.uniform(-0.4, 0.9), r * 0.25, inks[0])
    for k in range(9):
        a = math.pi * k / 8
        _disc(image, cx + 1.3 * r * math.cos(a), cy + r * (0.8 + 0.5 * math.sin(a)), r * 0.3, inks[k % 2 + 1])
    _face(image, cx, cy, r, rng)
    _fill(image, [(cx - r * 0.5, cy - r * 0.9), (cx + r * 0.5, cy - r * 0.9), (cx + r * 0.2, cy - 2 * r)], inks[3])


def sceptre(image: Array, rng: Rng) -> None:
    """A jester's stick: a small head with a cap on it, ribbons and bells."""
    h, w = image.shape[:2]
    inks = palette(rng)
    lean = rng.uniform(-0.25, 0.25)
    top, foot = (w * (0.5 + lean), h * 0.3), (w * (0.5 - lean), h * 0.96)
    cv2.line(image, (int(top[0]), int(top[1])), (int(foot[0]), int(foot[1])), inks[4], int(w * 0.06), cv2.LINE_AA)
    for k in range(int(rng.integers(2, 5))):
        end = (top[0] + w * rng.uniform(-0.4, 0.4), top[1] + h * rng.uniform(0.15, 0.45))
        cv2.line(image, (int(top[0]), int(top[1])), (int(end[0]), int(end[1])), inks[k], 4, cv2.LINE_AA)
        _disc(image, *end, w * 0.04, inks[2])
    r = w * rng.uniform(0.13, 0.2)
    _cap(image, top[0], top[1] - r * 0.3, r, inks, rng)
    _face(image, *top, r, rng)


def harlequin(image: Array, rng: Rng) -> None:
    """A dancing figure in lozenges, with arms, legs and a thing in its hand."""
    h, w = image.shape[:2]
    inks = palette(rng)
    cx, shoulder, hip, r = w * rng.uniform(0.4, 0.6), h * 0.32, h * 0.58, w * 0.09
    for side in (-1, 1):
        knee = (cx + side * w * rng.uniform(0.05, 0.3), h * 0.76)
        foot = (knee[0] + w * rng.uniform(-0.2, 0.2), h * 0.95)
        hand = (cx + side * w * rng.uniform(0.25, 0.42), shoulder + h * rng.uniform(-0.25, 0.2))
        ink = inks[0 if side < 0 else 1]
        for one, two in (((cx, hip), knee), (knee, foot), ((cx, shoulder), hand)):
            start, end = (int(one[0]), int(one[1])), (int(two[0]), int(two[1]))
            cv2.line(image, start, end, ink, int(w * 0.08), cv2.LINE_AA)
        if rng.random() < 0.6:
            _stamp(image, star_mask(), inks[2], hand[0] - r, hand[1] - r, 2 * r, 2 * r)
    _fill(
        image,
        [(cx - w * 0.13, shoulder), (cx + w * 0.13, shoulder), (cx + w * 0.09, hip), (cx - w * 0.09, hip)],
        inks[2],
    )
    for k in range(4):
        y = shoulder + (hip - shoulder) * (k + 0.5) / 4
        d = w * 0.05
        _fill(image, [(cx, y - d), (cx + d, y), (cx, y + d), (cx - d, y)], inks[3], False)
    _cap(image, cx, shoulder - r * 1.6, r, inks, rng)
    _face(image, cx, shoulder - r * 1.2, r, rng)


def big_star(image: Array, rng: Rng) -> None:
    """One star over the card, perhaps a smaller one in it, perhaps a ring of stars."""
    h, w = image.shape[:2]
    inks = palette(rng)
    points, side = int(rng.choice([5, 5, 5, 6, 8])), w * rng.uniform(0.6, 0.95)
    for k, share in enumerate((1.0, 0.7, 0.4)[: int(rng.integers(1, 4))]):
        s = side * share
        _stamp(image, star_mask(points, 0.45), inks[k], (w - s) / 2, (h - s) / 2, s, s)
    if rng.random() < 0.4:
        for k in range(8):
            a, s = math.pi * k / 4, w * 0.14
            _stamp(
                image,
                star_mask(),
                inks[3],
                w / 2 + w * 0.4 * math.cos(a) - s / 2,
                h / 2 + h * 0.4 * math.sin(a) - s / 2,
                s,
                s,
            )


def big_word(image: Array, rng: Rng) -> None:
    """The word across the card, straight or diagonal, or one great letter."""
    h, w = image.shape[:2]
    inks = palette(rng)
    word = str(rng.choice(["JOKER", "JOLLY", "Joker", "Jolly", "J", "J", "?"]))
    name = str(rng.choice(["DejaVuSerif-Bold.ttf", "Lato-Black.ttf", "Z003-MediumItalic.otf", "C059-BdIta.otf"]))
    mask = text_mask(word, name)
    if len(word) == 1:
        _stamp(image, mask, inks[0], w * 0.22, h * 0.2, w * 0.56, h * 0.6)
        return
    layer = np.full_like(image, PAPER)
    wide = max(h, w) * 0.8
    _stamp(layer, mask, inks[0], (w - wide) / 2, h / 2 - wide * 0.14, min(w, wide), wide * 0.28)
    turn = cv2.getRotationMatrix2D((w / 2, h / 2), float(rng.choice([0.0, 60.0, -60.0, 90.0])), 0.9)
    image[:] = cv2.warpAffine(layer, turn, (w, h), borderValue=(PAPER, PAPER, PAPER))
    if rng.random() < 0.5:
        _cap(image, w / 2, h * 0.22, w * 0.1, inks, rng)


def emblem(image: Array, rng: Rng) -> None:
    """The four suits, rings, rays or dice round a middle."""
    h, w = image.shape[:2]
    inks = palette(rng)
    rays = int(rng.integers(0, 20))
    for k in range(rays):
        a = 2 * math.pi * k / max(1, rays)
        end = (int(w / 2 + w * 0.48 * math.cos(a)), int(h / 2 + w * 0.48 * math.sin(a)))
        cv2.line(image, (w // 2, h // 2), end, inks[1], 3, cv2.LINE_AA)
    _disc(image, w / 2, h / 2, w * rng.uniform(0.2, 0.4), inks[2], int(rng.choice([-1, 3, 6])))
    for k, suit in enumerate("hscd"):
        size, x, y = w * rng.uniform(0.18, 0.3), (0.5, 0.14, 0.5, 0.86)[k], (0.2, 0.5, 0.8, 0.5)[k]
        mask = text_mask(SUIT_CHARS[suit], "DejaVuSans.ttf")
        _stamp(image, mask, inks[0] if k % 2 else inks[4], w * x - size / 2, h * y - size / 2, size, size)
    if rng.random() < 0.6:
        _face(image, w / 2, h / 2, w * 0.13, rng)


def hat(image: Array, rng: Rng) -> None:
    """A hat or a cap with bells alone."""
    h, w = image.shape[:2]
    inks = palette(rng)
    if rng.random() < 0.6:
        _cap(image, w / 2, h * rng.uniform(0.45, 0.6), w * rng.uniform(0.16, 0.24), inks, rng)
        _fill(image, [(w * 0.25, h * 0.55), (w * 0.75, h * 0.55), (w * 0.7, h * 0.65), (w * 0.3, h * 0.65)], inks[3])
        return
    _fill(image, [(w * 0.3, h * 0.25), (w * 0.7, h * 0.25), (w * 0.66, h * 0.6), (w * 0.34, h * 0.6)], inks[0])
    _fill(image, [(w * 0.33, h * 0.5), (w * 0.67, h * 0.5), (w * 0.66, h * 0.6), (w * 0.34, h * 0.6)], inks[1])
    cv2.ellipse(image, (w // 2, int(h * 0.61)), (int(w * 0.4), int(h * 0.06)), 0, 0, 360, inks[0], -1, cv2.LINE_AA)


def strokes(image: Array, rng: Rng) -> None:
    """Printed ornament without any figure."""
    h, w = image.shape[:2]
    inks = palette(rng)
    for _ in range(int(rng.integers(6, 30))):
        centre = (int(rng.integers(w)), int(rng.integers(h)))
        axes = (int(rng.integers(4, w // 3)), int(rng.integers(4, h // 4)))
        thick = int(rng.choice([-1, 2, 4]))
        ink = inks[int(rng.integers(6))]
        cv2.ellipse(
            image, centre, axes, float(rng.uniform(0, 180)), 0, float(rng.uniform(90, 360)), ink, thick, cv2.LINE_AA
        )


PAINTERS: tuple[tuple[Callable[[Array, Rng], None], float], ...] = (
    (jester, 0.3),
    (clown, 0.09),
    (sceptre, 0.1),
    (harlequin, 0.16),
    (big_star, 0.09),
    (big_word, 0.06),
    (emblem, 0.07),
    (hat, 0.08),
    (strokes, 0.05),
)


def joker_picture(rng: Rng, w: int, h: int) -> Array:
    """A joker's picture, h x w BGR on pale paper; some are printed twice, head up and head down, as courts are."""
    shares = np.array([share for _, share in PAINTERS])
    painter = PAINTERS[int(rng.choice(len(PAINTERS), p=shares / shares.sum()))][0]
    if rng.random() < 0.18:
        half = np.full((h // 2, w, 3), PAPER, np.uint8)
        painter(half, rng)
        out = np.vstack([half, np.full((h - 2 * (h // 2), w, 3), PAPER, np.uint8), half[::-1, ::-1]])
        return np.ascontiguousarray(out)
    image = np.full((h, w, 3), PAPER, np.uint8)
    painter(image, rng)
    return np.ascontiguousarray(image[::-1, ::-1]) if rng.random() < 0.08 else image
