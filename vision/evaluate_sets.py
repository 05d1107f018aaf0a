"""The sets that are measured: real photographs and rendered tables (read where they lie), and synthetic tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import VisionError
from vision.images import load_image
from vision.truth import TableTruth
from vision.types import Image

DEFAULT_PHOTOS = Path("../shared/photos")
SETS = ("real", "bridge", "letters", "tables", "synthetic", "training")
"""`real`: photographs with letters A K Q J, without the bridge fans; `bridge`: those fans; `letters`: other court
letters; `tables`: rendered burraco tables; `synthetic`: our own tables with deck designs held out from training;
`training`: our own tables with the designs that training used."""


@dataclass(frozen=True, eq=False)
class Sample:
    """One picture to measure: its name, how to load it, the faces that are there, and those that count neither way."""

    name: str
    load: Callable[[], Image]
    cards: tuple[str, ...]
    maybe: tuple[str, ...] = ()
    truth: TableTruth | None = None
    note: str = ""


def samples(name: str, photos: Path, count: int, seed: int) -> Iterator[Sample]:
    """Yield the samples of one of SETS; `count` and `seed` (first seed) bound the synthetic ones."""
    if name in ("real", "bridge", "letters"):
        yield from _real(photos, name)
    elif name == "tables":
        yield from _tables(photos / "tables")
    elif name in ("synthetic", "training"):
        yield from _synthetic(count, seed, held_out=name == "synthetic")
    else:
        raise VisionError(f"There is no set {name!r}; known are {', '.join(SETS)}.", code="unknown_set")


def _lines(folder: Path) -> list[dict[str, object]]:
    path = folder / "truth.jsonl"
    if not path.is_file():
        raise VisionError(f"There is no {path}; say where the photographs are with --photos.", code="image_missing")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _loader(path: Path) -> Callable[[], Image]:
    return lambda: load_image(path)


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _real(folder: Path, group: str) -> Iterator[Sample]:
    for row in _lines(folder):
        file = str(row["file"])
        kind = "bridge" if file.startswith("bidly-bridge") else "letters" if row.get("letters") else "real"
        if kind == group:
            path, note = folder / file, str(row.get("note", ""))
            yield Sample(file, _loader(path), _names(row["cards"]), _names(row.get("maybe")), None, note)


def _tables(folder: Path) -> Iterator[Sample]:
    for row in _lines(folder):
        file = str(row["file"])
        maybe = _names(row.get("hidden")) + _names(row.get("other"))
        yield Sample(file, _loader(folder / file), _names(row["cards"]), maybe, None, str(row.get("note", "")))


def _synthetic(count: int, seed: int, held_out: bool) -> Iterator[Sample]:
    from vision.synth.make import table

    for number in range(seed, seed + count):
        photo = table(number, split="held_out" if held_out else "train")
        image, truth = photo.image, photo.truth
        readable = [card for card in truth.cards if truth.readable(card)]
        others = [card for card in truth.cards if not truth.readable(card)]
        note = ", ".join(f"{key} {value}" for key, value in truth.conditions.items())
        yield Sample(
            f"{'held_out' if held_out else 'training'}_{number}",
            _constant(image),
            tuple(card.card for card in readable),
            tuple(card.card for card in others),
            truth,
            note,
        )


def _constant(image: Image) -> Callable[[], Image]:
    return lambda: image
