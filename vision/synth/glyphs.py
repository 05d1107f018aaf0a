"""Marks of a card face as alpha masks (uint8, 0..255): rank letters in many typefaces, suits, stars, words."""

from __future__ import annotations

import functools
import math
import os
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Mask = NDArray[np.uint8]

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts")
"""Where typefaces are installed. `BURRACO_FONTS` names one more folder: training may see more of them than the machine
has, while the sets that are measured stay as they were."""
TEXT_FONTS: tuple[str, ...] = (
    "C059-Bold.otf",
    "C059-Roman.otf",
    "NimbusRoman-Bold.otf",
    "NimbusRoman-Regular.otf",
    "P052-Bold.otf",
    "P052-Roman.otf",
    "URWBookman-Demi.otf",
    "URWBookman-Light.otf",
    "URWGothic-Demi.otf",
    "URWGothic-Book.otf",
    "NimbusSans-Bold.otf",
    "NimbusSans-Regular.otf",
    "NimbusSansNarrow-Bold.otf",
    "NimbusSansNarrow-Regular.otf",
    "NimbusMonoPS-Bold.otf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSans.ttf",
    "DejaVuSansCondensed-Bold.ttf",
    "DejaVuSerif-Bold.ttf",
    "DejaVuSerif.ttf",
    "DejaVuSerifCondensed-Bold.ttf",
    "FreeSerifBold.ttf",
    "FreeSerif.ttf",
    "FreeSansBold.ttf",
    "FreeMonoBold.ttf",
    "LiberationSansNarrow-Bold.ttf",
    "LiberationSerif-Bold.ttf",
    "LiberationMono-Bold.ttf",
    "BebasNeue-Bold.otf",
    "BebasNeue-Regular.otf",
    "BebasNeue-Book.otf",
    "Cabin-Bold.otf",
    "Cabin-Medium.otf",
    "Caladea-Bold.ttf",
    "Caladea-Regular.ttf",
    "Lato-Bold.ttf",
    "Lato-Black.ttf",
    "Lato-Medium.ttf",
    "LinLibertine_RB.otf",
    "LinLibertine_R.otf",
    "LinBiolinum_RB.otf",
    "OldStandard-Bold.ttf",
    "OldStandard-Regular.ttf",
    "Quattrocento-Regular.ttf",
    "RobotoSlab-Bold.otf",
    "RobotoSlab-Regular.otf",
    "GenBasB.ttf",
    "GenBkBasB.ttf",
    "LeagueSpartan-Bold.otf",
    "Comfortaa-Bold.ttf",
)
SUIT_FONTS: tuple[str, ...] = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "FreeSerif.ttf",
    "FreeSans.ttf",
    "FreeMono.ttf",
    "Symbola_hint.ttf",
    "DejaVuSansMono.ttf",
    "LinLibertine_R.otf",
)
SUIT_CHARS = {"h": "\u2665", "d": "\u2666", "c": "\u2663", "s": "\u2660"}
JOKER_FONTS: tuple[str, ...] = (
    *TEXT_FONTS,
    "C059-BdIta.otf",
    "C059-Italic.otf",
    "NimbusRoman-BoldItalic.otf",
    "NimbusSans-BoldItalic.otf",
    "URWBookman-DemiItalic.otf",
    "URWGothic-DemiOblique.otf",
    "P052-BoldItalic.otf",
    "Cabin-BoldItalic.otf",
    "FreeSerifBoldItalic.ttf",
    "Lato-HeavyItalic.ttf",
    "Lato-Light.ttf",
    "LinLibertine_RBI.otf",
    "OldStandard-Italic.ttf",
    "LeagueSpartan-Black.otf",
    "Comfortaa-Regular.ttf",
    "GenBkBasBI.ttf",
    "Z003-MediumItalic.otf",
    "Z003-MediumItalic.otf",
    "Z003-MediumItalic.otf",
)
"""Typefaces of jokers' words: those of the ranks, slanted ones and a script."""
HAND_FONTS: tuple[str, ...] = ("Z003-MediumItalic.otf", "GenBasBI.ttf", "DejaVuSans-Oblique.ttf")


@functools.cache
def _font_files() -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in (*FONT_FOLDERS, *filter(None, (os.environ.get("BURRACO_FONTS"),))):
        for root, _, names in os.walk(folder):
            for name in names:
                found.setdefault(name, str(Path(root) / name))
    return found


def installed(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the named font files that this machine has, in the given order."""
    files = _font_files()
    return tuple(name for name in names if name in files)


@functools.lru_cache(maxsize=256)
def font(name: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A typeface by file name; Pillow's own one when it is not installed."""
    path = _font_files().get(name)
    if path is None:
        return ImageFont.load_default(size)
    return ImageFont.truetype(path, size)


def _tight(mask: Mask) -> Mask:
    ys, xs = np.nonzero(mask > 40)
    if len(ys) == 0:
        return np.full((8, 8), 255, np.uint8)
    return mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


@functools.lru_cache(maxsize=4096)
def text_mask(text: str, name: str, bold: int = 0) -> Mask:
    """A line of text cut to its ink, letters about 120 px tall; `bold` thickens the strokes (px, may be 0)."""
    face = font(name, 150)
    width = 160 * max(1, len(text)) + 80
    image = Image.new("L", (width, 300), 0)
    ImageDraw.Draw(image).text((40, 50), text, font=face, fill=255, stroke_width=max(0, bold))
    return _tight(np.asarray(image))


@functools.lru_cache(maxsize=2048)
def rank_mask(text: str, name: str, bold: int, shear: float) -> Mask:
    """A rank's glyphs, tight; the two digits of a ten are set closely, as on cards."""
    if len(text) == 2:
        left, right = text_mask(text[0], name, bold), text_mask(text[1], name, bold)
        height = max(left.shape[0], right.shape[0])
        gap = np.zeros((height, 10), np.uint8)
        mask = np.hstack([_pad_to(left, height), gap, _pad_to(right, height)])
    else:
        mask = text_mask(text, name, bold)
    if shear:
        h, w = mask.shape
        extra = int(abs(shear) * h) + 1
        matrix = np.array([[1, -shear, extra if shear > 0 else 0], [0, 1, 0]], np.float64)
        mask = _tight(cv2.warpAffine(mask, matrix, (w + 2 * extra, h)).astype(np.uint8))
    return mask


def _pad_to(mask: Mask, height: int) -> Mask:
    top = (height - mask.shape[0]) // 2
    return np.pad(mask, ((top, height - mask.shape[0] - top), (0, 0)))


def polygon_mask(polygons: list[NDArray[np.float64]], size: int = 160) -> Mask:
    """Filled polygons in the unit square, drawn with antialiasing and cut to their ink."""
    mask = np.zeros((size, size), np.uint8)
    for polygon in polygons:
        points = np.round(polygon * (size - 1) * 16).astype(np.int32)
        cv2.fillPoly(mask, [points.reshape(-1, 1, 2)], 255, cv2.LINE_AA, 4)
    return _tight(mask)


def _heart(fat: float, point: float) -> NDArray[np.float64]:
    t = np.linspace(0, 2 * math.pi, 80, endpoint=False)
    x = 16 * np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    x, y = x / 34 * fat, y / 34
    low = y > 0
    x = np.where(low, x * (1 - point * y * 1.2), x)
    return np.stack([0.5 + x, 0.47 + y], 1)


def _stem(width: float, top: float, bottom: float, curve: float) -> NDArray[np.float64]:
    t = np.linspace(0, 1, 12)
    half = 0.02 + width * t ** (1 + curve)
    y = top + (bottom - top) * t
    return np.concatenate([np.stack([0.5 - half, y], 1), np.stack([0.5 + half, y], 1)[::-1]])


def _circle(x: float, y: float, r: float) -> NDArray[np.float64]:
    t = np.linspace(0, 2 * math.pi, 40, endpoint=False)
    return np.stack([x + r * np.cos(t), y + r * np.sin(t)], 1)


def suit_mask(suit: str, style: tuple[float, float, float, float], name: str = "") -> Mask:
    """A suit's shape; with a font name it is that font's glyph, else it is built from `style` (four shares 0..1)."""
    if name:
        return text_mask(SUIT_CHARS[suit], name)
    a, b, c, d = style
    if suit == "h":
        return polygon_mask([_heart(0.86 + 0.16 * a, 0.25 * b)])
    if suit == "s":
        body = _heart(0.86 + 0.14 * a, 0.25 * b)
        body[:, 1] = 0.9 - body[:, 1] * 0.92
        return polygon_mask([body, _stem(0.1 + 0.1 * c, 0.5, 0.97, 1 + d)])
    if suit == "d":
        n = 0.75 + 0.35 * c
        t = np.linspace(0, 2 * math.pi, 80, endpoint=False)
        x = np.sign(np.cos(t)) * np.abs(np.cos(t)) ** (2 / n)
        y = np.sign(np.sin(t)) * np.abs(np.sin(t)) ** (2 / n)
        return polygon_mask([np.stack([0.5 + (0.32 + 0.14 * a) * x, 0.5 + 0.48 * y], 1)])
    r = 0.205 + 0.04 * a
    spread = 0.225 + 0.02 * b
    leaves = [_circle(0.5, 0.26, r), _circle(0.5 - spread, 0.58, r), _circle(0.5 + spread, 0.58, r)]
    middle = _circle(0.5, 0.47, 0.1)
    return polygon_mask([*leaves, middle, _stem(0.09 + 0.1 * c, 0.45, 0.97, 1 + d)])


@functools.lru_cache(maxsize=64)
def star_mask(points: int = 5, inner: float = 0.42) -> Mask:
    """A star with one point upwards."""
    t = -math.pi / 2 + np.arange(2 * points) * math.pi / points
    r = np.where(np.arange(2 * points) % 2 == 0, 0.49, 0.49 * inner)
    return polygon_mask([np.stack([0.5 + r * np.cos(t), 0.5 + r * np.sin(t)], 1)])


@functools.lru_cache(maxsize=256)
def word_mask(word: str, name: str, bold: int, style: str) -> Mask:
    """A word along the edge: `stacked` letters read downwards, `turned` is the line of text turned by 90 degrees."""
    if style == "turned":
        return np.ascontiguousarray(np.rot90(text_mask(word, name, bold), -1))
    if style == "turned_left":
        return np.ascontiguousarray(np.rot90(text_mask(word, name, bold), 1))
    letters = [text_mask(letter, name, bold) for letter in word]
    width = max(letter.shape[1] for letter in letters)
    rows: list[Mask] = []
    for letter in letters:
        left = (width - letter.shape[1]) // 2
        rows.append(np.pad(letter, ((0, 16), (left, width - letter.shape[1] - left))))
    return _tight(np.vstack(rows))
