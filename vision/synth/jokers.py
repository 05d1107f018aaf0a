"""Joker designs: a family wide enough that a reader learns what a joker is, not how one printer draws it.

A design is a seed, independent of the deck it is printed for: what stands in its corners (a word whole or split into
lines, stars, a small picture, a letter, several of these, or nothing), in which corners, in which colours, and the
picture in the middle. `j000` to `j399`, of which every eighth is held out from training, and for training alone `j400`
to `j2399`.
"""

from __future__ import annotations

import functools
import math
import zlib
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth.glyphs import JOKER_FONTS, Mask, installed, polygon_mask, star_mask, text_mask, word_mask

Colour = tuple[int, int, int]
Rng = np.random.Generator
Part = tuple[Mask, Colour, tuple[float, float, float, float]]
"""A mask, its colour (BGR) and its box x, y, w, h in shares of the card's height."""

_SHARED = 400
"""Of the designs before this one every eighth is held out; those from it on serve training alone."""
DESIGNS: tuple[str, ...] = tuple(f"j{number:03d}" for number in range(2400))
MARKS = ("word", "star", "picture", "word_star", "star_word", "word_picture", "stars", "letter", "sign", "none")
_MARK_SHARES = (0.34, 0.27, 0.07, 0.06, 0.06, 0.05, 0.04, 0.04, 0.03, 0.04)
STYLES = ("stacked", "turned", "turned_left", "line", "lines", "slanted")
_STYLE_SHARES = (0.34, 0.15, 0.11, 0.14, 0.19, 0.07)
WORDS = ("JOKER", "JOLLY", "Joker", "Jolly", "joker", "jolly", "JOCKER", "JOK", "JKR", "JK", "MATTA", "JOLLY JOKER")
_WORD_SHARES = (0.38, 0.24, 0.08, 0.07, 0.03, 0.02, 0.03, 0.04, 0.02, 0.03, 0.03, 0.03)
SIGNS = ("*", "\u2217", "\u2731", "\u2736", "\u2739", "\u263a", "\u265b", "\u2663", "\u2605", "\u2606")
SIGN_FONT = "DejaVuSans.ttf"


@dataclass(frozen=True)
class JokerSpec:
    """One design. Lengths are shares of the card's height; the two inks are those of the deck's two jokers."""

    id: str
    seed: int
    mark: str
    word: str
    font: str
    bold: int
    style: str
    corners: tuple[int, ...]
    size: float
    length: float
    margin_x: float
    margin_y: float
    inks: tuple[Colour, Colour]
    second: Colour
    points: int
    inner: float
    outline: bool
    picture: int

    @property
    def held_out(self) -> bool:
        """True for designs that only measurements may use."""
        return self.id in HELD_OUT


HELD_OUT: frozenset[str] = frozenset(DESIGNS[:_SHARED:8])


def training() -> tuple[str, ...]:
    """The designs that training may use."""
    return tuple(name for name in DESIGNS if name not in HELD_OUT)


def _ink(rng: Rng) -> Colour:
    """Black, red, or any strong colour (BGR)."""
    kind = rng.random()
    if kind < 0.42:
        dark = int(rng.integers(5, 60))
        return dark, dark, dark
    if kind < 0.72:
        return int(rng.integers(15, 80)), int(rng.integers(10, 70)), int(rng.integers(150, 240))
    hue = np.full(
        (1, 1, 3), (int(rng.integers(180)), int(rng.integers(120, 256)), int(rng.integers(60, 200))), np.uint8
    )
    b, g, r = (int(v) for v in cv2.cvtColor(hue, cv2.COLOR_HSV2BGR)[0, 0])
    return b, g, r


def _corners(rng: Rng) -> tuple[int, ...]:
    kind = rng.random()
    if kind < 0.5:
        return 0, 2
    if kind < 0.94:
        return 0, 1, 2, 3
    return (0,) if kind < 0.97 else (0, 1)


@functools.cache
def design(joker_id: str) -> JokerSpec:
    """The design behind an id. Raises KeyError for an unknown one.

    >>> design("j001") == design("j001") and design("j008").held_out
    True
    """
    if joker_id not in DESIGNS:
        raise KeyError(joker_id)
    seed = zlib.crc32(joker_id.encode())
    rng = np.random.default_rng(seed)
    fonts = installed(JOKER_FONTS) or ("",)
    first = _ink(rng)
    return JokerSpec(
        id=joker_id,
        seed=seed,
        mark=str(rng.choice(MARKS, p=_MARK_SHARES)),
        word=str(rng.choice(WORDS, p=_WORD_SHARES)),
        font=fonts[int(rng.integers(len(fonts)))],
        bold=int(rng.choice([0, 0, 0, 3, 6])),
        style=str(rng.choice(STYLES, p=_STYLE_SHARES)),
        corners=_corners(rng),
        size=float(rng.uniform(0.045, 0.125)),
        length=float(rng.uniform(0.13, 0.38)),
        margin_x=float(rng.uniform(0.016, 0.05)),
        margin_y=float(rng.uniform(0.016, 0.055)),
        inks=(first, first if rng.random() < 0.3 else _ink(rng)),
        second=_ink(rng),
        points=int(rng.choice([5, 5, 5, 5, 4, 6, 7, 8, 12])),
        inner=float(rng.uniform(0.3, 0.62)),
        outline=bool(rng.random() < 0.3),
        picture=int(rng.integers(1 << 30)),
    )


def chunks(word: str, rng: Rng) -> list[str]:
    """A word split into lines of one to three letters.

    >>> "".join(chunks("JOKER", np.random.default_rng(0)))
    'JOKER'
    """
    if " " in word:
        return word.split(" ")
    out: list[str] = []
    while word:
        take = int(rng.integers(1, 4))
        out.append(word[:take])
        word = word[take:]
    return out


def _under(masks: list[Mask], gap: int, middle: bool) -> Mask:
    """Masks one under the other, middles or left edges in a line."""
    width = max(mask.shape[1] for mask in masks)
    rows: list[NDArray[np.uint8]] = []
    for mask in masks:
        left = (width - mask.shape[1]) // 2 if middle else 0
        rows.append(np.pad(mask, ((0, gap), (left, width - mask.shape[1] - left))))
    return np.vstack(rows)[: -gap or None]


def _turned(mask: Mask, degrees: float) -> Mask:
    """A mask turned clockwise by any angle, cut to its ink."""
    h, w = mask.shape
    side = math.ceil(math.hypot(h, w)) + 4
    matrix = np.asarray(cv2.getRotationMatrix2D((w / 2, h / 2), -degrees, 1.0), np.float64)
    matrix[:, 2] += (side - w) / 2, (side - h) / 2
    out = np.asarray(cv2.warpAffine(mask, matrix, (side, side)), np.uint8)
    ys, xs = np.nonzero(out > 40)
    return out[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


@functools.lru_cache(maxsize=1024)
def _word(joker_id: str) -> Mask:
    """The word as the design writes it."""
    spec = design(joker_id)
    rng = np.random.default_rng([spec.seed, 1])
    if spec.style in ("stacked", "turned", "turned_left"):
        return word_mask(spec.word.replace(" ", ""), spec.font, spec.bold, spec.style)
    if spec.style == "lines":
        lines = [text_mask(part, spec.font, spec.bold) for part in chunks(spec.word, rng)]
        return _under(lines, int(rng.integers(6, 40)), rng.random() < 0.7)
    line = text_mask(spec.word, spec.font, spec.bold)
    return line if spec.style == "line" else _turned(line, float(rng.choice([-1, 1]) * rng.uniform(20, 60)))


def _star(spec: JokerSpec) -> Mask:
    whole = star_mask(spec.points, round(spec.inner, 2))
    if not spec.outline:
        return whole
    h, w = whole.shape
    inner = cv2.erode(np.pad(whole, 2), np.ones((5, 5), np.uint8), iterations=int(3 + spec.seed % 5))[2:-2, 2:-2]
    return np.asarray(whole - np.minimum(inner, whole), np.uint8)[:h, :w]


def _polygon(points: list[tuple[float, float]]) -> NDArray[np.float64]:
    return np.array(points, np.float64)


def _round(x: float, y: float, r: float) -> NDArray[np.float64]:
    t = np.linspace(0, 2 * math.pi, 28, endpoint=False)
    return np.stack([x + r * np.cos(t), y + r * np.sin(t)], 1)


@functools.lru_cache(maxsize=512)
def small_picture(kind: int, wobble: int) -> Mask:
    """A corner's small picture: cap with bells, jester's head, sceptre, hat, crown, mask or a face."""
    rng = np.random.default_rng([kind, wobble])
    a, b = rng.uniform(0.0, 0.12), rng.uniform(0.0, 0.12)
    bells = [_round(0.08, 0.34 + b, 0.08), _round(0.92, 0.34 + a, 0.08), _round(0.5, 0.08, 0.08)]
    cap = _polygon([(0.2, 0.8), (0.06, 0.36 + b), (0.36, 0.5), (0.5, 0.1), (0.64, 0.5), (0.94, 0.36 + a), (0.8, 0.8)])
    if kind == 0:
        return polygon_mask([cap, *bells])
    if kind == 1:
        head = [cap * (1, 0.62), *(bell * (1, 0.62) for bell in bells), _round(0.5, 0.68, 0.2 + a)]
        collar = [(0.15, 1.0), (0.3, 0.84), (0.4, 0.97), (0.5, 0.84), (0.6, 0.97), (0.7, 0.84), (0.85, 1.0)]
        return polygon_mask([*head, _polygon(collar)])
    if kind == 2:
        stick = _polygon([(0.46, 0.35), (0.54, 0.35), (0.56, 1.0), (0.44, 1.0)])
        return polygon_mask([cap * (0.8, 0.5) + (0.1, 0), _round(0.5, 0.33, 0.14 + a / 2), stick])
    if kind == 3:
        return polygon_mask(
            [_polygon([(0.25, 0.1), (0.75, 0.1 + a), (0.7, 0.7), (0.98, 0.85), (0.02, 0.85), (0.3, 0.7)])]
        )
    if kind == 4:
        points = [(0.05, 0.9), (0.0, 0.3), (0.25, 0.6), (0.5, 0.15), (0.75, 0.6), (1.0, 0.3), (0.95, 0.9)]
        return polygon_mask(
            [_polygon(points), *(_round(x, y, 0.06) for x, y in ((0.06, 0.28), (0.5, 0.12), (0.94, 0.28)))]
        )
    whole = polygon_mask([_round(0.5, 0.5, 0.48)])
    h, w = whole.shape
    for x, y, r in ((0.33, 0.4, 0.08), (0.67, 0.4, 0.08)):
        cv2.circle(whole, (int(w * x), int(h * y)), int(w * r), 0, -1)
    cv2.ellipse(whole, (w // 2, int(h * 0.6)), (int(w * 0.25), int(h * (0.1 + a))), 0, 0, 180, 0, int(w * 0.06))
    return whole


def _place(mask: Mask, ink: Colour, x: float, y: float, high: float, most_wide: float = 0.2) -> Part:
    """A part of the given height, narrowed in proportion when it would be too wide."""
    wide = high * mask.shape[1] / mask.shape[0]
    if wide > most_wide:
        high, wide = high * most_wide / wide, most_wide
    return mask, ink, (x, y, wide, high)


def _word_part(spec: JokerSpec, ink: Colour, y: float, length: float) -> Part:
    mask = _word(spec.id)
    if spec.style in ("line", "slanted"):
        return _place(mask, ink, spec.margin_x, y, length, 0.11 + 0.5 * length)
    if spec.style == "lines":
        return _place(mask, ink, spec.margin_x, y, 0.08 + 0.45 * length, 0.17)
    part = _place(mask, ink, spec.margin_x, y, length, 0.13)
    x, top, wide, high = part[2]
    return mask, ink, (x, top, max(wide, 0.03), high)


def _below(part: Part, gap: float) -> float:
    return part[2][1] + part[2][3] + gap


def _centred(part: Part, over: Part) -> Part:
    """The part moved so that its middle is over the other's, but not off the card's edge."""
    x = max(0.008, over[2][0] + (over[2][2] - part[2][2]) / 2)
    return part[0], part[1], (x, *part[2][1:])


def corner_parts(spec: JokerSpec, which: int) -> list[Part]:
    """What stands in the top left corner, first the parts that count as the mark; none for some designs."""
    ink, x, y = spec.inks[which % 2], spec.margin_x, spec.margin_y
    star = _place(_star(spec), ink, x, y, spec.size)
    small = _place(small_picture(spec.seed % 6, spec.seed % 5), ink, x, y, 0.03 + spec.size * 1.1)
    gap = 0.012 + 0.012 * (spec.seed % 3)
    if spec.mark in ("word", "word_star", "word_picture"):
        word = _word_part(spec, ink, y, spec.length if spec.mark == "word" else 0.1 + spec.length / 3)
        if spec.mark == "word":
            return [word]
        tail = star if spec.mark == "word_star" else small
        tint = spec.second if spec.seed % 2 else ink
        return [word, _centred((tail[0], tint, (x, _below(word, gap), *tail[2][2:])), word)]
    if spec.mark == "star_word":
        return [star, _centred(_word_part(spec, ink, _below(star, gap), 0.1 + spec.length / 3), star)]
    if spec.mark == "star":
        return [star]
    if spec.mark == "stars":
        size = spec.size * 0.8
        count = 2 + spec.seed % 2
        row = [(star[0], ink, (x, y + k * (size + gap), size, size)) for k in range(count)]
        return [row[0], row[-1], *row[1:-1]]
    if spec.mark == "picture":
        return [small]
    if spec.mark == "letter":
        letter = _place(text_mask("J", spec.font, spec.bold), ink, x, y, 0.06 + spec.size * 0.6, 0.1)
        if spec.seed % 3 == 0:
            return [letter]
        under = star if spec.seed % 3 == 1 else small
        return [letter, _centred((under[0], ink, (x, _below(letter, gap), *under[2][2:])), letter)]
    if spec.mark == "sign":
        return [_place(text_mask(SIGNS[spec.seed % len(SIGNS)], SIGN_FONT, spec.bold), ink, x, y, spec.size)]
    return []
