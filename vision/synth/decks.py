"""Deck designs. A design is a seed: its typeface, index size, suits, corners, courts and jokers are drawn from it.

Ids `p000` to `p239` are procedural (from `p120` on, large indices whose suit touches the rank or is tucked under it are
common), `a-NAME` are cut from art sheets (see `vision.synth.art`). Which designs are held out from training is fixed
here by id, so that no training run can see them.
"""

from __future__ import annotations

import functools
import zlib
from dataclasses import dataclass

import numpy as np

from vision.synth.glyphs import SUIT_FONTS, TEXT_FONTS, installed

Colour = tuple[int, int, int]

PROCEDURAL: tuple[str, ...] = tuple(f"p{number:03d}" for number in range(240))
HELD_OUT: tuple[str, ...] = (
    *(f"p{number:03d}" for number in range(0, 120, 10)),
    "a-dondorf",
    "a-anglo_modern",
    "a-anglo_modern_4_color",
    "a-atlasnye",
    "a-younestouati",
)
"""Never in training: twelve procedural designs (those ending in 0; every second has four corners) and five of art."""

LETTERS: tuple[tuple[str, str, str, str], ...] = (
    ("A", "J", "Q", "K"),
    ("1", "J", "Q", "K"),
    ("A", "F", "D", "R"),
    ("1", "V", "D", "R"),
    ("A", "B", "D", "K"),
)
JOKER_MARKS = ("word", "star", "star_word", "hat", "none")


@dataclass(frozen=True)
class DeckSpec:
    """One design. Lengths are shares of the card's height; colours are BGR."""

    id: str
    seed: int
    corners: int
    aspect: float
    font: str
    bold: int
    shear: float
    rank_h: float
    rank_w: float
    suit_h: float
    gap: float
    suit_dx: float
    margin_x: float
    margin_y: float
    inks: tuple[Colour, Colour, Colour, Colour]
    paper: Colour
    letters: tuple[str, str, str, str]
    suit_style: tuple[float, float, float, float]
    suit_font: str
    star_two: bool
    joker_mark: str
    joker_word: str
    joker_style: str
    joker_corners: int
    joker_size: float
    joker_inks: tuple[Colour, Colour]
    frame: int
    pip_h: float
    pip_dx: float
    pip_layout: str
    court: int
    back: int
    border: bool
    corner_r: float

    @property
    def held_out(self) -> bool:
        """True for designs that only measurements may use."""
        return self.id in HELD_OUT


def _inks(rng: np.random.Generator, four: bool) -> tuple[Colour, Colour, Colour, Colour]:
    red = (int(rng.integers(15, 70)), int(rng.integers(10, 60)), int(rng.integers(165, 240)))
    dark = int(rng.integers(5, 60))
    black = (dark + int(rng.integers(0, 15)), dark, dark)
    if not four:
        return red, red, black, black
    blue = (int(rng.integers(140, 230)), int(rng.integers(60, 120)), int(rng.integers(10, 60)))
    green = (int(rng.integers(20, 60)), int(rng.integers(90, 140)), int(rng.integers(10, 50)))
    orange = (int(rng.integers(10, 40)), int(rng.integers(100, 140)), int(rng.integers(210, 245)))
    diamond = blue if rng.random() < 0.7 else orange
    return red, diamond, green, black


def _index_sizes(rng: np.random.Generator, corners: int, tucked: bool) -> dict[str, float]:
    """Rank and suit sizes: four-corner decks are mostly of the Italian kind, two-corner ones go up to jumbo."""
    shares = [0.3, 0.6, 0.1] if corners == 4 else [0.3, 0.35, 0.35]
    kind = rng.choice(["small", "normal", "jumbo"], p=[0.25, 0.4, 0.35] if tucked else shares)
    if kind == "small":
        rank_h, suit = rng.uniform(0.075, 0.1), rng.uniform(0.5, 0.85)
    elif kind == "normal":
        rank_h, suit = rng.uniform(0.095, 0.135), rng.uniform(0.45, 0.8)
    else:
        rank_h, suit = rng.uniform(0.135, 0.21), rng.uniform(0.55, 0.9)
    jumbo = kind == "jumbo"
    gap = rng.uniform(-0.03, 0.03) if jumbo else rng.uniform(0.008, 0.035)
    tucked = tucked and kind != "small"
    if tucked:
        gap = rng.uniform(-0.045, 0.015)
    return {
        "rank_h": float(rank_h),
        "rank_w": float(rng.uniform(0.62, 1.1)),
        "suit_h": float(rank_h * suit),
        "gap": float(gap),
        "suit_dx": float(
            rng.uniform(-0.01, 0.045) if tucked else rng.uniform(-0.03, 0.05) if jumbo and rng.random() < 0.5 else 0.0
        ),
        "margin_x": float(rng.uniform(0.018, 0.05)),
        "margin_y": float(rng.uniform(0.02, 0.055)),
    }


@functools.cache
def procedural(deck_id: str) -> DeckSpec:
    """The design behind a procedural id. Raises KeyError for an unknown id.

    >>> procedural("p001") == procedural("p001") and procedural("p000").held_out
    True
    """
    if deck_id not in PROCEDURAL:
        raise KeyError(deck_id)
    number = int(deck_id[1:])
    rng = np.random.default_rng(zlib.crc32(deck_id.encode()))
    # every second design has four corners; in the held-out tens too
    corners = 4 if (number // 10 + number) % 2 == 0 else 2
    fonts = installed(TEXT_FONTS) or ("",)
    suit_fonts = installed(SUIT_FONTS)
    sizes = _index_sizes(rng, corners, number >= 120)
    red, black = _inks(rng, False)[0], _inks(rng, False)[2]
    mark = str(rng.choice(JOKER_MARKS, p=[0.3, 0.4, 0.1, 0.1, 0.1] if corners == 2 else [0.2, 0.6, 0.1, 0.05, 0.05]))
    return DeckSpec(
        id=deck_id,
        seed=zlib.crc32(deck_id.encode()),
        corners=corners,
        aspect=float(rng.choice([57 / 88, 58 / 88, 63 / 88, 62 / 87, 59 / 91, 56 / 87, 60 / 100])),
        font=fonts[int(rng.integers(len(fonts)))],
        bold=int(rng.choice([0, 0, 0, 3, 6])),
        shear=float(rng.choice([0.0, 0.0, 0.0, 0.0, 0.12])),
        inks=_inks(rng, rng.random() < 0.13),
        paper=_paper(rng),
        letters=LETTERS[int(rng.choice(5, p=[0.74, 0.05, 0.07, 0.06, 0.08]))],
        suit_style=(float(rng.random()), float(rng.random()), float(rng.random()), float(rng.random())),
        suit_font=suit_fonts[int(rng.integers(len(suit_fonts)))] if suit_fonts and rng.random() < 0.45 else "",
        star_two=bool(rng.random() < (0.6 if corners == 4 else 0.15)),
        joker_mark=mark,
        joker_word=str(rng.choice(["JOKER", "JOLLY"], p=[0.75, 0.25])),
        joker_style=str(rng.choice(["stacked", "turned", "turned_left"], p=[0.6, 0.3, 0.1])),
        joker_corners=int(rng.choice([2, 4], p=[0.15, 0.85] if corners == 4 else [0.85, 0.15])),
        joker_size=float(rng.uniform(0.055, 0.13)),
        joker_inks=(black, red) if rng.random() < 0.8 else (red, red),
        frame=int(rng.integers(3)),
        pip_h=float(rng.uniform(0.1, 0.17)),
        pip_dx=float(rng.uniform(0.17, 0.22) if sizes["rank_h"] < 0.14 else rng.uniform(0.12, 0.18)),
        pip_layout=str(rng.choice(["standard", "big"], p=[0.85, 0.15] if sizes["rank_h"] > 0.13 else [1.0, 0.0])),
        court=int(rng.integers(1 << 30)),
        back=int(rng.integers(1 << 30)),
        border=bool(rng.random() < 0.15),
        corner_r=float(rng.uniform(0.03, 0.055)),
        **sizes,
    )


def _paper(rng: np.random.Generator) -> Colour:
    white = int(rng.integers(236, 256))
    warm = int(rng.integers(0, 8)) if rng.random() < 0.85 else int(rng.integers(10, 40))
    return white - warm * 2 if white > warm * 2 else 0, white - warm, white


def training(art: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The ids that training may use: all procedural and the given art decks, less the held-out ones."""
    return tuple(name for name in (*PROCEDURAL, *art) if name not in HELD_OUT)


def held_out(art: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The ids kept for measuring; art decks count only where they are installed."""
    return tuple(name for name in HELD_OUT if name.startswith("p") or name in art)
