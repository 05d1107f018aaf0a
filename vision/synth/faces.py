"""Painting card faces: one BGRA picture of 480 px height per card, with the index boxes it carries."""

from __future__ import annotations

import functools
import zlib
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.synth import art, jokers
from vision.synth.decks import PROCEDURAL, Colour, DeckSpec, procedural
from vision.synth.glyphs import HAND_FONTS, Mask, rank_mask, star_mask, suit_mask, text_mask, word_mask
from vision.synth.pictures import joker_picture
from vision.truth import RANKS

Array = NDArray[np.uint8]
HEIGHT = 480
Box = tuple[float, float, float, float]


_CORNERS: dict[int, tuple[int, ...]] = {2: (0, 2), 4: (0, 1, 2, 3)}


class Face(NamedTuple):
    """A painted face: BGRA pixels and (corner, box x y w h in px); bottom corners (2, 3) are upside down."""

    image: Array
    boxes: tuple[tuple[int, Box], ...]


PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0.5),),
    2: ((0, 0.0), (0, 1.0)),
    3: ((0, 0.0), (0, 0.5), (0, 1.0)),
    4: ((-1, 0.0), (1, 0.0), (-1, 1.0), (1, 1.0)),
    5: ((-1, 0.0), (1, 0.0), (0, 0.5), (-1, 1.0), (1, 1.0)),
    6: ((-1, 0.0), (1, 0.0), (-1, 0.5), (1, 0.5), (-1, 1.0), (1, 1.0)),
    7: ((-1, 0.0), (1, 0.0), (0, 0.25), (-1, 0.5), (1, 0.5), (-1, 1.0), (1, 1.0)),
    8: ((-1, 0.0), (1, 0.0), (0, 0.25), (-1, 0.5), (1, 0.5), (0, 0.75), (-1, 1.0), (1, 1.0)),
    9: ((-1, 0), (1, 0), (-1, 1 / 3), (1, 1 / 3), (0, 0.5), (-1, 2 / 3), (1, 2 / 3), (-1, 1), (1, 1)),
    10: ((-1, 0), (1, 0), (0, 1 / 6), (-1, 1 / 3), (1, 1 / 3), (-1, 2 / 3), (1, 2 / 3), (0, 5 / 6), (-1, 1), (1, 1)),
}


def blit(
    canvas: Array, mask: Mask, colour: Colour, x: float, y: float, w: float, h: float, turned: bool = False
) -> Box:
    """Paint a mask in one colour into the box; what falls outside is cut. Returns the box really painted."""
    x0, y0, wi, hi = round(x), round(y), max(2, round(w)), max(2, round(h))
    alpha = cv2.resize(mask, (wi, hi), interpolation=cv2.INTER_AREA)
    if turned:
        alpha = alpha[::-1, ::-1]
    H, W = canvas.shape[:2]
    cx0, cy0, cx1, cy1 = max(0, x0), max(0, y0), min(W, x0 + wi), min(H, y0 + hi)
    if cx1 > cx0 and cy1 > cy0:
        part = canvas[cy0:cy1, cx0:cx1, :3]
        a = alpha[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0, None].astype(np.float32) / 255
        part[:] = (part * (1 - a) + np.array(colour, np.float32) * a + 0.5).astype(np.uint8)
    return float(x0), float(y0), float(wi), float(hi)


def rounded(height: int, width: int, radius: float) -> Mask:
    """The alpha of a card with rounded corners."""
    mask = np.zeros((height, width), np.uint8)
    r = int(radius)
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x, y in ((r, r), (width - 1 - r, r), (r, height - 1 - r), (width - 1 - r, height - 1 - r)):
        cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    return mask


def _letter(spec: DeckSpec, rank: str) -> str:
    table = dict(zip(("A", "J", "Q", "K"), spec.letters, strict=True))
    return table.get(rank, rank)


def _corner_marks(
    canvas: Array, parts: list[tuple[Mask, Colour, Box]], corners: tuple[int, ...]
) -> tuple[tuple[int, Box], ...]:
    """Paint the parts of an index in the given corners; the first two parts count for the box."""
    H, W = canvas.shape[:2]
    boxes: list[tuple[int, Box]] = []
    core = [box for _, _, box in parts[:2]]
    left, right = min(b[0] for b in core), max(b[0] + b[2] for b in core)
    for corner in corners:
        turned = corner in (2, 3)
        shift = W - left - right if corner in (1, 3) else 0.0
        out: list[Box] = []
        for mask, colour, (x, y, w, h) in parts:
            px, py = x + shift, y
            if turned:
                px, py = W - x - w - shift, H - y - h
            out.append(blit(canvas, mask, colour, px, py, w, h, turned))
        core = out[:2]
        x0, y0 = min(b[0] for b in core), min(b[1] for b in core)
        x1, y1 = max(b[0] + b[2] for b in core), max(b[1] + b[3] for b in core)
        # the mirrored shift turns corner 3 to the left side and keeps 2 on the right
        boxes.append((corner, (x0, y0, x1 - x0, y1 - y0)))
    return tuple(boxes)


def _index_parts(spec: DeckSpec, rank: str, suit: str) -> list[tuple[Mask, Colour, Box]]:
    ink = spec.inks["hdcs".index(suit)]
    glyph = rank_mask(_letter(spec, rank), spec.font, spec.bold, spec.shear)
    shape = suit_mask(suit, spec.suit_style, spec.suit_font)
    rh = spec.rank_h * HEIGHT
    rw = min(rh * spec.rank_w * glyph.shape[1] / glyph.shape[0], rh * (1.05 if rank == "10" else 0.95))
    sh = spec.suit_h * HEIGHT
    sw = sh * shape.shape[1] / shape.shape[0]
    mx, my = spec.margin_x * HEIGHT, spec.margin_y * HEIGHT
    middle = mx + max(sw, rh * 0.62) / 2
    x = max(mx * 0.5, middle - rw / 2)
    sx = middle - sw / 2 + spec.suit_dx * HEIGHT
    sy = my + rh + spec.gap * HEIGHT
    parts: list[tuple[Mask, Colour, Box]] = [(glyph, ink, (x, my, rw, rh)), (shape, ink, (max(2.0, sx), sy, sw, sh))]
    if rank == "2" and spec.star_two:
        size = sh * 0.75
        below = spec.seed % 3 != 0
        sxy = (sx + (sw - size) / 2, sy + sh + 0.012 * HEIGHT) if below else (middle + rh * 0.5, my + rh * 0.3)
        parts.append((star_mask(), ink, (sxy[0], sxy[1], size, size)))
    return parts


def _paint_pips(canvas: Array, spec: DeckSpec, number: int, suit: str) -> None:
    H, W = canvas.shape[:2]
    ink = spec.inks["hdcs".index(suit)]
    shape = suit_mask(suit, spec.suit_style, spec.suit_font)
    size = spec.pip_h * HEIGHT
    if number == 1:
        size *= 1.2 + (spec.seed % 7) * 0.25
    if spec.pip_layout == "big":
        big = min(0.42 * H, 0.5 * W)
        blit(canvas, shape, ink, W * 0.52 - big / 2, H * 0.58 - big / 2, big, big)
        return
    top, bottom = 0.07 * H + size / 2, 0.93 * H - size / 2
    ratio = min(1.1, shape.shape[1] / shape.shape[0])
    edge = (spec.margin_x + max(spec.suit_h, spec.rank_h * 0.85)) * HEIGHT + 3
    if number > 3:  # pips never touch the index on a real card: they shrink and move inwards
        size = min(size, (W / 2 - edge) / (0.5 + 0.6) / ratio)
    pip_w = size * ratio
    reach = min(spec.pip_dx * W * 1.05, W / 2 - edge - pip_w / 2)
    for dx, dy in PIPS[number]:
        x = W / 2 + dx * reach
        y = top + (bottom - top) * dy
        blit(canvas, shape, ink, x - pip_w / 2, y - size / 2, pip_w, size, dy > 0.5)


def _figure(rng: np.random.Generator, w: int, h: int, inks: list[Colour]) -> Array:
    """Half a court figure from coloured shapes: robe, face, hair, crown, ornaments; the other half is it turned."""
    half = np.full((h // 2, w, 3), 250, np.uint8)
    cx, fy, fr = w // 2, int(h * 0.17), int(w * rng.uniform(0.13, 0.18))
    for k in range(int(rng.integers(3, 7))):
        ink = inks[int(rng.integers(len(inks)))]
        top, spread = h * (0.2 + 0.05 * k), w * rng.uniform(0.2, 0.55)
        points = np.array(
            [[cx - fr * 0.7, top], [cx + fr * 0.7, top], [cx + spread, h * 0.52], [cx - spread, h * 0.52]]
        )
        cv2.fillPoly(half, [points.astype(np.int32)], ink, cv2.LINE_AA)
        cv2.polylines(half, [points.astype(np.int32)], True, (20, 20, 20), 1, cv2.LINE_AA)
    cv2.ellipse(
        half, (cx, fy), (int(fr * 1.35), int(fr * 1.5)), 0, 0, 360, inks[int(rng.integers(len(inks)))], -1, cv2.LINE_AA
    )
    cv2.ellipse(half, (cx, fy), (fr, int(fr * 1.25)), 0, 0, 360, (200, 225, 250), -1, cv2.LINE_AA)
    cv2.ellipse(half, (cx, fy), (fr, int(fr * 1.25)), 0, 0, 360, (30, 30, 30), 1, cv2.LINE_AA)
    for side in (-1, 1):
        cv2.circle(half, (cx + side * fr // 3, fy - fr // 4), max(1, fr // 9), (30, 30, 30), -1, cv2.LINE_AA)
    cv2.line(half, (cx - fr // 4, fy + fr // 2), (cx + fr // 4, fy + fr // 2), (40, 40, 160), 2, cv2.LINE_AA)
    crown = np.array([[-1.1, -0.9], [-1.2, -1.9], [-0.5, -1.3], [0, -2.1], [0.5, -1.3], [1.2, -1.9], [1.1, -0.9]]) * fr
    cv2.fillPoly(half, [(crown + np.array((cx, fy))).astype(np.int32)], (40, 190, 235), cv2.LINE_AA)
    for _ in range(int(rng.integers(6, 22))):
        x, y = int(rng.integers(w)), int(rng.integers(int(h * 0.3), h // 2 + 1))
        cv2.circle(
            half,
            (x, y),
            int(rng.integers(2, 8)),
            inks[int(rng.integers(len(inks)))],
            int(rng.choice([-1, 2])),
            cv2.LINE_AA,
        )
    if rng.random() < 0.6:
        x = int(w * rng.choice([0.12, 0.85]))
        cv2.line(half, (x, int(h * 0.08)), (x, h // 2), inks[0], int(rng.integers(3, 9)), cv2.LINE_AA)
    return np.vstack([half, half[::-1, ::-1]])


def _picture(spec: DeckSpec, key: str, rank: str, w: int, h: int) -> Array:
    """A court's picture: borrowed from free art where that is there, else drawn."""
    rng = np.random.default_rng([spec.court, zlib.crc32(key.encode())])
    pool = art.court_pictures()
    if pool and spec.court % 4 != 0 and not spec.held_out:
        deck_id = pool[spec.court % len(pool)][0]
        face = art.load(deck_id).face(rank + (key[-1] if key[-1] in "hdcs" else "h"))
        fh, fw = face.shape[:2]
        part = face[int(fh * 0.09) : int(fh * 0.91), int(fw * 0.185) : int(fw * 0.815)]
        flat = part[..., :3].astype(np.float32)
        alpha = part[..., 3:].astype(np.float32) / 255
        return cv2.resize(
            (flat * alpha + 250 * (1 - alpha)).astype(np.uint8), (w, h), interpolation=cv2.INTER_AREA
        ).astype(np.uint8)
    palette = np.random.default_rng(spec.court)
    inks: list[Colour] = [(30, 30, 190), (150, 60, 30), (40, 190, 230), (30, 30, 30)]
    if palette.random() < 0.4:
        inks.append((60, 120, 40))
    return _figure(rng, w, h // 2 * 2, inks)


def _paint_court(canvas: Array, spec: DeckSpec, rank: str, suit: str) -> None:
    H, W = canvas.shape[:2]
    index_w = (spec.margin_x + spec.rank_h * 0.75) * HEIGHT
    x0 = int(min(max(index_w, 0.14 * W), 0.24 * W)) if spec.frame else int(0.12 * W)
    y0 = int(0.08 * H)
    w, h = W - 2 * x0, H - 2 * y0
    picture = _picture(spec, rank + suit, rank, w, h)
    canvas[y0 : y0 + picture.shape[0], x0 : x0 + w, :3] = np.minimum(
        picture.astype(np.float32) * np.array(spec.paper, np.float32) / 250, 255
    ).astype(np.uint8)
    if spec.frame:
        cv2.rectangle(canvas, (x0, y0), (x0 + w, y0 + h), (40, 40, 40, 255), 1 + spec.frame // 2, cv2.LINE_AA)
    shape, ink, size = suit_mask(suit, spec.suit_style, spec.suit_font), spec.inks["hdcs".index(suit)], 0.1 * H
    if spec.court % 3:
        blit(canvas, shape, ink, x0 + 6, y0 + 6, size, size)
        blit(canvas, shape, ink, W - x0 - 6 - size, H - y0 - 6 - size, size, size, True)


def _joker_parts(spec: DeckSpec, ink: Colour) -> list[tuple[Mask, Colour, Box]]:
    mx, my = spec.margin_x * HEIGHT, spec.margin_y * HEIGHT
    size = spec.joker_size * HEIGHT
    parts: list[tuple[Mask, Colour, Box]] = []
    if spec.joker_mark in ("star", "star_word", "hat"):
        mask = star_mask() if spec.joker_mark != "hat" else _cap()
        parts.append((mask, ink, (mx + 2, my, size * (1 if spec.joker_mark != "hat" else 1.3), size)))
        if spec.joker_mark == "star_word":
            word = word_mask(spec.joker_word, spec.font, spec.bold, spec.joker_style)
            h = 0.24 * HEIGHT
            parts.append((word, ink, (mx + 2, my + size + 8, min(h * word.shape[1] / word.shape[0], size * 1.3), h)))
    elif spec.joker_mark == "word":
        word = word_mask(spec.joker_word, spec.font, spec.bold, spec.joker_style)
        h = (0.2 + 0.16 * (spec.seed % 5) / 4 + max(0.0, spec.rank_h - 0.13)) * HEIGHT
        w = min(max(h * word.shape[1] / word.shape[0], 0.045 * HEIGHT), 0.14 * HEIGHT)
        parts.append((word, ink, (mx, my, w, h)))
    return parts


@functools.cache
def _cap() -> Mask:
    """A jester's cap as a corner mark."""
    cap = np.array([[0.1, 0.95], [0.02, 0.35], [0.3, 0.6], [0.5, 0.08], [0.7, 0.6], [0.98, 0.35], [0.9, 0.95]])
    from vision.synth.glyphs import polygon_mask

    return polygon_mask([cap])


def _paint_joker(canvas: Array, spec: DeckSpec, which: int) -> tuple[tuple[int, Box], ...]:
    H, W = canvas.shape[:2]
    rng = np.random.default_rng([spec.court, 77 + (which if spec.seed % 2 else 0)])
    w, h = int(W * rng.uniform(0.5, 0.66)), int(H * rng.uniform(0.5, 0.72))
    x0, y0 = (W - w) // 2, (H - h) // 2
    picture = _joker_picture(spec.held_out, rng, w, h)
    canvas[y0 : y0 + h, x0 : x0 + w, :3] = np.minimum(
        picture.astype(np.float32) * np.array(spec.paper) / 250, 255
    ).astype(np.uint8)
    if spec.frame == 2:
        cv2.rectangle(canvas, (x0 - 4, y0 - 4), (x0 + w + 4, y0 + h + 4), (40, 40, 40, 255), 2, cv2.LINE_AA)
    if rng.random() < 0.2:
        word = text_mask(spec.joker_word, spec.font, spec.bold)
        blit(canvas, word, spec.joker_inks[which], W * 0.25, H * 0.86, W * 0.5, H * 0.06)
    parts = _joker_parts(spec, spec.joker_inks[which])
    if not parts:
        return ((0, (float(x0), float(y0), float(w), float(h))),)
    return _corner_marks(canvas, parts, _CORNERS[spec.joker_corners])


def _paint_design(canvas: Array, design: jokers.JokerSpec, which: int, deck: DeckSpec) -> tuple[tuple[int, Box], ...]:
    """A joker of the family in `vision.synth.jokers` on the paper of a deck."""
    H, W = canvas.shape[:2]
    rng = np.random.default_rng([design.picture, which if design.seed % 2 else 0])
    parts = [
        (mask, ink, (x * H, y * H, max(2.0, w * H), max(2.0, h * H)))
        for mask, ink, (x, y, w, h) in jokers.corner_parts(design, which)
    ]
    inner = max([0.1 * W, *(box[0] + box[2] for _, _, box in parts[:2])]) if rng.random() < 0.7 else 0.12 * W
    w, h = int(np.clip(W - 2 * inner - 4, 0.36 * W, 0.8 * W)), int(H * rng.uniform(0.45, 0.86))
    x0, y0 = (W - w) // 2, (H - h) // 2
    picture = _joker_picture(design.held_out, rng, w, h)
    canvas[y0 : y0 + h, x0 : x0 + w, :3] = np.minimum(
        picture.astype(np.float32) * np.array(deck.paper) / 250, 255
    ).astype(np.uint8)
    if rng.random() < 0.2:
        cv2.rectangle(canvas, (x0 - 3, y0 - 3), (x0 + w + 3, y0 + h + 3), (40, 40, 40, 255), 2, cv2.LINE_AA)
    if rng.random() < 0.15:
        word = text_mask(design.word, design.font, design.bold)
        blit(canvas, word, design.inks[which], W * 0.25, H * 0.87, W * 0.5, H * 0.06)
    if parts:
        return _corner_marks(canvas, parts, design.corners)
    ys, xs = np.nonzero(np.abs(picture.astype(np.int16) - picture[0, 0]).max(axis=2) > 40)
    if len(ys) < 50:
        return ()
    left, top = float(xs.min()), float(ys.min())
    return ((0, (x0 + left, y0 + top, float(xs.max()) - left + 1, float(ys.max()) - top + 1)),)


def _joker_picture(held_out: bool, rng: np.random.Generator, w: int, h: int) -> Array:
    pool = sorted({deck for deck, _ in art.court_pictures()})
    if pool and not held_out and rng.random() < 0.3:
        face = art.load(pool[int(rng.integers(len(pool)))]).face(str(rng.choice(["JK0", "JK1"])))
        fh, fw = face.shape[:2]
        part = face[int(fh * 0.17) : int(fh * 0.83), int(fw * 0.2) : int(fw * 0.8)].astype(np.float32)
        alpha = part[..., 3:] / 255
        return cv2.resize(
            (part[..., :3] * alpha + 250 * (1 - alpha)).astype(np.uint8), (w, h), interpolation=cv2.INTER_AREA
        ).astype(np.uint8)
    return joker_picture(rng, w, h)


def blank(spec: DeckSpec, wide: int = 0) -> Array:
    """An empty card (`wide` px, or as the design is): paper, rounded alpha, perhaps a thin line round it."""
    width = wide or round(HEIGHT * spec.aspect)
    canvas = np.empty((HEIGHT, width, 4), np.uint8)
    canvas[..., :3] = spec.paper
    if spec.border:
        cv2.rectangle(canvas, (5, 5), (width - 6, HEIGHT - 6), (*spec.inks[3], 255), 1, cv2.LINE_AA)
    canvas[..., 3] = rounded(HEIGHT, width, spec.corner_r * HEIGHT)
    return canvas


@functools.lru_cache(maxsize=500)
def face(deck_id: str, key: str) -> Face:
    """Paint a card (`7h`, `10d`, ..., `JK0`, `JK1`, or `JK0:j037` for a joker of the family) of any design.

    Raises KeyError for unknown art, decks and jokers.
    """
    if ":" in key:
        return _foreign_joker(deck_id, int(key[2]), key[4:])
    if deck_id.startswith("a-"):
        deck = art.load(deck_id)
        return Face(deck.face(key), deck.boxes[key])
    spec = procedural(deck_id)
    canvas = blank(spec)
    if key.startswith("JK"):
        return Face(canvas, _paint_joker(canvas, spec, int(key[2:])))
    rank, suit = key[:-1], key[-1]
    if rank in ("J", "Q", "K"):
        _paint_court(canvas, spec, rank, suit)
    else:
        _paint_pips(canvas, spec, RANKS.index(rank) + 1, suit)
    return Face(canvas, _corner_marks(canvas, _index_parts(spec, rank, suit), _CORNERS[spec.corners]))


def _foreign_joker(deck_id: str, which: int, joker_id: str) -> Face:
    """A joker of the family with the paper and the shape of the deck's other cards."""
    design = jokers.design(joker_id)
    if deck_id.startswith("a-"):
        deck = procedural(f"p{zlib.crc32(deck_id.encode()) % len(PROCEDURAL):03d}")
        other = art.load(deck_id).face("5h")
        canvas = blank(deck, other.shape[1])
    else:
        deck = procedural(deck_id)
        canvas = blank(deck)
    return Face(canvas, _paint_design(canvas, design, which, deck))


@functools.lru_cache(maxsize=64)
def back(deck_id: str, which: int = 0) -> Array:
    """A card back of the design (BGRA); `which` is its colour, as decks come in pairs."""
    if deck_id.startswith("a-"):
        deck = art.load(deck_id)
        if "back" in deck.coded:
            return deck.face("back")
        deck_id = "p001"
    spec = procedural(deck_id)
    rng = np.random.default_rng([spec.back, which])
    canvas = blank(spec)
    H, W = canvas.shape[:2]
    ink = tuple(int(v) for v in (rng.integers(20, 180, 3) if rng.random() < 0.4 else rng.permutation([30, 40, 170])))
    edge = int(rng.uniform(0.0, 0.06) * H)
    part = np.full((H - 2 * edge, W - 2 * edge, 3), ink, np.uint8)
    _pattern(part, rng, spec.paper)
    canvas[edge : H - edge, edge : W - edge, :3] = part
    return canvas


def _pattern(part: Array, rng: np.random.Generator, paper: Colour) -> None:
    """Ornaments of a back: lattice, nested frames, dots, with or without a medallion or a brand's name."""
    H, W = part.shape[:2]
    kind, step = int(rng.integers(4)), int(rng.integers(10, 30))
    if kind == 0:
        for k in range(-H, W + H, step):
            cv2.line(part, (k, 0), (k + H, H), paper, 2, cv2.LINE_AA)
            cv2.line(part, (k, H), (k + H, 0), paper, 2, cv2.LINE_AA)
    elif kind == 1:
        for k in range(4, W // 2, step):
            cv2.rectangle(part, (k, k), (W - k, H - k), paper, 2)
    elif kind == 2:
        for y in range(step // 2, H, step):
            for x in range(step // 2, W, step):
                cv2.circle(part, (x, y), step // 4, paper, -1, cv2.LINE_AA)
    else:
        for k in range(0, H, step):
            cv2.ellipse(part, (W // 2, H // 2), (k, int(k * 1.4)), 0, 0, 360, paper, 2, cv2.LINE_AA)
    if rng.random() < 0.6:
        r = int(W * rng.uniform(0.12, 0.25))
        cv2.circle(part, (W // 2, H // 2), r, paper, -1, cv2.LINE_AA)
        mask = star_mask(int(rng.integers(5, 12)), 0.6) if rng.random() < 0.6 else text_mask("B", HAND_FONTS[0])
        ink: Colour = (60, 60, 160)
        blit(part, mask, ink, W / 2 - r * 0.7, H / 2 - r * 0.7, r * 1.4, r * 1.4)
