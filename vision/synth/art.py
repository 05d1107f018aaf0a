"""Art from free packages, cut into pictures and decks when training data is made; never needed, never in git.

`python -m vision.synth.art SHEETS OUT` reads `gnome-NAME.png` sheets (13 x 5, made by
`rsvg-convert -h 2400 NAME.svgz`) and folders of single cards, and writes for each deck `a-NAME.npz`. Set
`BURRACO_ART=OUT` for the generator to use them.
"""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.uint8]
HEIGHT = 480
SHEET_SUITS = "cdhs"
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
# share of the card searched for the index: width, height
INDEX_REGION = (0.2, 0.34)
FOUR_MARKS = ("a-berlin", "a-younestouati")
"""Two-corner decks whose jokers have a star in all four corners, too near the picture for components."""
UNUSABLE = ("gnome-ornamental", "gnome-slavic_costumes")
"""An index that cannot be found by components; Cyrillic letters."""


@dataclass(frozen=True)
class ArtDeck:
    """Card faces (BGRA, 480 px tall) by name, jokers `JK0` `JK1`, and the index boxes x, y, w, h in px per corner."""

    id: str
    coded: dict[str, Array]
    boxes: dict[str, tuple[tuple[int, tuple[float, float, float, float]], ...]]

    def face(self, key: str) -> Array:
        """One face by card name, or the `back`. Raises KeyError when the deck has none."""
        image = cv2.imdecode(self.coded[key], cv2.IMREAD_UNCHANGED)
        if image is None:
            raise KeyError(key)
        return np.asarray(image, np.uint8)


def folder() -> Path | None:
    """Where the cut art lies (`BURRACO_ART`), or None."""
    name = os.environ.get("BURRACO_ART", "")
    return Path(name) if name and Path(name).is_dir() else None


@functools.cache
def available() -> tuple[str, ...]:
    """Ids of the art decks found, sorted."""
    place = folder()
    return tuple(sorted(path.stem for path in place.glob("a-*.npz"))) if place else ()


@functools.lru_cache(maxsize=64)
def load(deck_id: str) -> ArtDeck:
    """Read one art deck. Raises KeyError when it is not there."""
    place = folder()
    if place is None or not (place / f"{deck_id}.npz").exists():
        raise KeyError(deck_id)
    with np.load(place / f"{deck_id}.npz", allow_pickle=False) as data:
        names = [key for key in data.files if not key.startswith(("box_", "back"))]
        coded = {name: np.asarray(data[name], np.uint8) for name in data.files if not name.startswith("box_")}
        boxes = {
            name: tuple((int(r[0]), (float(r[1]), float(r[2]), float(r[3]), float(r[4]))) for r in data["box_" + name])
            for name in names
        }
    return ArtDeck(deck_id, coded, boxes)


@functools.cache
def court_pictures() -> tuple[tuple[str, str], ...]:
    """(deck id, card) of court pictures that procedural decks may borrow: never from a held-out deck."""
    from vision.synth.decks import HELD_OUT

    decks = [name for name in available() if name not in HELD_OUT and name.startswith("a-")]
    return tuple((name, rank) for name in decks for rank in "JQK")


def _ink(card: Array) -> NDArray[np.bool_]:
    alpha = card[..., 3].astype(np.float32) / 255
    flat = card[..., :3].astype(np.float32) * alpha[..., None] + 255 * (1 - alpha[..., None])
    paper = np.median(flat.reshape(-1, 3), axis=0)
    return np.asarray(np.abs(flat - paper).max(axis=2) > 60)


def index_box(card: Array, region: tuple[float, float] = INDEX_REGION) -> tuple[float, float, float, float] | None:
    """The box of the ink components that lie wholly inside the top-left corner, without the card's own border."""
    ink = _ink(card).astype(np.uint8)
    inside = np.pad((card[..., 3] > 128).astype(np.uint8), 1)
    reach = 2 * int(card.shape[0] * 0.015) + 1
    ink *= np.asarray(cv2.erode(inside, np.ones((reach, reach), np.uint8)), np.uint8)[1:-1, 1:-1]
    h, w = ink.shape
    rh, rw = int(h * region[1]), int(w * region[0])
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink[: int(h * 0.6), : int(w * 0.6)])
    kept = [s for s in stats[1:] if s[0] + s[2] <= rw and s[1] + s[3] <= rh and s[4] > 20]
    kept = [s for s in kept if s[2] < 0.9 * rw or s[3] < 0.9 * rh]
    if not kept:
        return None
    x0, y0 = min(s[0] for s in kept), min(s[1] for s in kept)
    x1, y1 = max(s[0] + s[2] for s in kept), max(s[1] + s[3] for s in kept)
    return float(x0), float(y0), float(x1 - x0), float(y1 - y0)


def _boxes(card: Array, corners: int, region: tuple[float, float]) -> list[tuple[float, ...]]:
    """Index boxes of the corners, each found by turning the card."""
    h, w = card.shape[:2]
    out: list[tuple[float, ...]] = []
    found = index_box(card, region)
    if found:
        out.append((0, *found))
    turned = index_box(np.ascontiguousarray(card[::-1, ::-1]), region)
    if turned:
        x, y, bw, bh = turned
        out.append((2, w - x - bw, h - y - bh, bw, bh))
    if corners == 4:
        mirror = index_box(np.ascontiguousarray(card[:, ::-1]), region)
        if mirror:
            out.append((1, w - mirror[0] - mirror[2], *mirror[1:]))
        below = index_box(np.ascontiguousarray(card[::-1]), region)
        if below:
            out.append((3, below[0], h - below[1] - below[3], *below[2:]))
    return out


def _regular(deck: dict[str, Array], corners: int) -> dict[str, list[tuple[float, ...]]]:
    """Boxes of every card; a court whose index cannot be told from its picture takes the deck's usual box."""
    boxes = {name: _boxes(face, corners, INDEX_REGION) for name, face in deck.items() if name[:2] != "JK"}
    usual: dict[int, NDArray[np.float64]] = {}
    for corner in range(4):
        rows = [row[1:] for cards in boxes.values() for row in cards if row[0] == corner]
        if len(rows) > 20:
            usual[corner] = np.median(np.array(rows), axis=0)
    for name, rows in boxes.items():
        good = [r for r in rows if r[0] in usual and abs(r[4] - usual[int(r[0])][3]) < 0.2 * usual[int(r[0])][3]]
        have = {int(r[0]) for r in good}
        boxes[name] = good + [(c, *box) for c, box in usual.items() if c not in have]
    for name in ("JK0", "JK1"):
        if name in deck:
            two = _even(_boxes(deck[name], 2, (0.3, 0.42)), deck[name].shape)
            four = [row for row in _boxes(deck[name], 4, (0.3, 0.42)) if row[0] in (1, 3)]
            same = [r for r in four if two and abs(r[3] / two[0][3] - 1) < 0.15 and abs(r[4] / two[0][4] - 1) < 0.15]
            boxes[name] = (two + (same if len(same) == 2 else [])) or [_picture_box(deck[name])]
    return boxes


def _even(rows: list[tuple[float, ...]], shape: tuple[int, ...]) -> list[tuple[float, ...]]:
    """A joker's two marks are the same turned round: where one box has caught the picture the smaller one holds."""
    if len(rows) != 2:
        return rows
    h, w = shape[:2]
    small = min(rows, key=lambda row: row[3] * row[4])
    other = 2.0 if small[0] == 0 else 0.0
    return [small, (other, w - small[1] - small[3], h - small[2] - small[4], small[3], small[4])]


def _picture_box(card: Array) -> tuple[float, ...]:
    """The picture of a joker without a mark stands for its index."""
    ys, xs = np.nonzero(_ink(card)[30:-30, 20:-20])
    x0, y0, x1, y1 = xs.min() + 20, ys.min() + 30, xs.max() + 21, ys.max() + 31
    return 0.0, float(x0), float(y0), float(x1 - x0), float(y1 - y0)


def _mirrored(rows: list[tuple[float, ...]], width: int) -> list[tuple[float, ...]]:
    """Four marks from the two that were found."""
    other = {0.0: 1.0, 2.0: 3.0}
    return rows + [(other[row[0]], width - row[1] - row[3], *row[2:]) for row in rows if row[0] in other]


def save(deck_id: str, faces: dict[str, Array], back: Array | None, corners: int, out: Path) -> int:
    """Write one deck; returns how many index boxes it has."""
    boxes = _regular(faces, corners)
    if deck_id in FOUR_MARKS:
        for name in ("JK0", "JK1"):
            boxes[name] = _mirrored([row for row in boxes[name] if row[0] in (0, 2)], faces[name].shape[1])
    data: dict[str, Any] = {}
    for name, face in faces.items():
        data[name] = cv2.imencode(".png", face)[1]
        data["box_" + name] = np.array(boxes[name], np.float64).reshape(-1, 5)
    if back is not None:
        data["back"] = cv2.imencode(".png", back)[1]
    np.savez(out / f"{deck_id}.npz", **data)
    return sum(len(rows) for rows in boxes.values())


def cut_sheet(path: Path) -> tuple[dict[str, Array], Array]:
    """The 54 faces and the back of a 13 x 5 sheet."""
    sheet = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if sheet is None or sheet.shape[2] != 4:
        raise ValueError(f"{path.name}: not a sheet with transparency")
    h, w = sheet.shape[0] / 5, sheet.shape[1] / 13

    def cell(row: int, column: int) -> Array:
        part = sheet[round(row * h) : round((row + 1) * h), round(column * w) : round((column + 1) * w)]
        width = round(HEIGHT * part.shape[1] / part.shape[0])
        return np.asarray(cv2.resize(part, (width, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)

    faces = {RANKS[c] + SHEET_SUITS[r]: cell(r, c) for r in range(4) for c in range(13)}
    faces |= {"JK0": cell(4, 0), "JK1": cell(4, 1)}
    return faces, cell(4, 2)


def cut_folder(folder: Path) -> tuple[dict[str, Array], Array | None]:
    """The faces of a folder of single cards `7h.png`, `JK0.png`, and its `back.png` if there is one.

    Raises ValueError where one of the 54 is missing: a deck without jokers would fail in the middle of a table.
    """
    pictures: dict[str, Array] = {}
    for path in sorted(folder.glob("*.png")):
        image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        if image is None or image.ndim != 3:
            raise ValueError(f"{folder.name}/{path.name}: not a picture in colours")
        if image.shape[2] == 3:
            image = cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)
        pictures[path.stem] = np.asarray(image, np.uint8)
    needed = [rank + suit for rank in RANKS for suit in SHEET_SUITS] + ["JK0", "JK1"]
    missing = [name for name in needed if name not in pictures]
    if missing:
        raise ValueError(f"{folder.name}: no {missing[0]}.png")
    back = pictures.pop("back", None)
    return pictures, back


def main(sheets: Path, out: Path) -> None:
    """Cut every sheet in a folder."""
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(sheets.glob("gnome-*.png")):
        if path.stem in UNUSABLE:
            continue
        deck_id = "a-" + path.stem.removeprefix("gnome-")
        faces, back = cut_sheet(path)
        count = save(deck_id, faces, back, 4 if deck_id == "a-dondorf" else 2, out)
        sys.stdout.write(f"{deck_id}: {count} index boxes\n")
    for folder in sorted(sheets.glob("cards-*")):
        deck_id = "a-" + folder.name.removeprefix("cards-")
        faces, own_back = cut_folder(folder)
        sys.stdout.write(f"{deck_id}: {save(deck_id, faces, own_back, 2, out)} index boxes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
