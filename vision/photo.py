"""Photos in, the deal out: the one call behind `burraco photo` and the HTTP endpoint.

>>> import numpy as np
>>> from vision.detect import FakeDetector
>>> found = read_photos([np.full((300, 400, 3), 90, np.uint8)], detector=FakeDetector([]))
>>> found.reading.notices, found.reading.sure
(('no_cards',), False)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from scorer.errors import VisionError
from scorer.profile import RuleProfile
from vision.cards import read_cards
from vision.images import ImageSource, open_photo
from vision.layout_clean import prepare
from vision.layout_merge import Merged, merge_photos
from vision.reading import TableReading, answer, read_table
from vision.reading_text import reading_json, side_names
from vision.types import CardsSeen, Detector, Image

MAX_PHOTOS: Final = 12
PHOTO_SUFFIXES: Final = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif")
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class PhotoReading:
    """What a set of photos gave: the reading, the upright pictures (BGR), their names, and how photos were merged.

    The reading's photo numbers count the merged views; `views[n].origins` leads back to the pictures.
    """

    reading: TableReading
    images: tuple[Image, ...]
    names: tuple[str, ...]
    views: tuple[Merged, ...]
    seen: tuple[CardsSeen, ...]

    def answered(self, doubt: int, choice: int | str) -> PhotoReading:
        """The same photos once a doubt is settled (see `vision.reading.answer`)."""
        return replace(self, reading=answer(self.reading, doubt, choice))

    def origin(self, view: int, card: int) -> tuple[int, int]:
        """(picture, card number in it) of a card of a merged view."""
        return self.views[view].origins[card]


@lru_cache(maxsize=1)
def default_detector() -> Detector:
    """The shipped networks, loaded once."""
    from vision.detect import OnnxDetector

    return OnnxDetector()


def read_photos(
    sources: Sequence[ImageSource],
    profile: RuleProfile | None = None,
    *,
    sides: Sequence[str | None] | None = None,
    names: Sequence[str] | None = None,
    lang: str = "en",
    detector: Detector | None = None,
    progress: Progress | None = None,
) -> PhotoReading:
    """Read the deal that the photos show together.

    `sides` names for every photo whose melds it shows (None: both sides, parted by position); `names` are the sides'
    names in order (default: those in `sides`, else two in `lang`). Photos of one side that overlap are merged.
    VisionError when a picture cannot be read or there are none or too many; a picture without cards is no error.
    """
    if not sources:
        raise VisionError("Give at least one photo.", code="no_photos")
    if len(sources) > MAX_PHOTOS:
        raise VisionError(f"At most {MAX_PHOTOS} photos are read at once.", code="too_many_photos", limit=MAX_PHOTOS)
    owners = list(sides) if sides is not None else [None] * len(sources)
    if len(owners) != len(sources):
        raise VisionError("Give one side for every photo.", code="sides_mismatch")
    called = _names(owners, names, lang)
    finder = detector or default_detector()
    images, seen = [], []
    for number, source in enumerate(sources):
        if progress is not None:
            progress(number, len(sources), _shown(source, number))
        image = open_photo(source).pixels
        images.append(image)
        seen.append(prepare(read_cards(image, finder))[0])
    views, belongs = _views(seen, owners, called)
    reading = read_table([view.seen for view in views], profile, called, belongs)
    shown = tuple(_shown(source, number) for number, source in enumerate(sources))
    return PhotoReading(reading, tuple(images), shown, tuple(views), tuple(seen))


def _names(owners: Sequence[str | None], names: Sequence[str] | None, lang: str) -> tuple[str, ...]:
    stated = list(dict.fromkeys([*(names or ()), *(owner for owner in owners if owner is not None)]))
    for default in side_names(lang):
        if len(stated) < 2 and default not in stated:
            stated.append(default)
    return tuple(stated)


def _views(
    seen: Sequence[CardsSeen], owners: Sequence[str | None], names: Sequence[str]
) -> tuple[list[Merged], list[int | None]]:
    """Merge the photos of each side among themselves; photos of different sides never show the same card."""
    views: list[Merged] = []
    belongs: list[int | None] = []
    for owner in dict.fromkeys(owners):
        mine = [n for n, one in enumerate(owners) if one == owner]
        for view in merge_photos([seen[n] for n in mine]):
            origins = tuple((mine[photo], card) for photo, card in view.origins)
            views.append(Merged(view.seen, origins, tuple(mine[n] for n in view.photos)))
            belongs.append(None if owner is None else names.index(owner))
    return views, belongs


def _shown(source: ImageSource, number: int) -> str:
    return Path(source).name if isinstance(source, str | Path) else f"photo {number + 1}"


def expand(paths: Sequence[str]) -> list[str]:
    """File names with each folder replaced by the photos in it, sorted. VisionError for a folder without photos."""
    out: list[str] = []
    for path in paths:
        if not Path(path).is_dir():
            out.append(path)
            continue
        inside = sorted(str(p) for p in Path(path).iterdir() if p.suffix.lower() in PHOTO_SUFFIXES and p.is_file())
        if not inside:
            raise VisionError(f"There are no photos in {path}.", code="no_photos_in_folder", name=path)
        out += inside
    return out


def photo_json(found: PhotoReading, lang: str = "en") -> dict[str, Any]:
    """The photo result of the contract; with several pictures `image` is the first one and `images` has them all."""
    body = reading_json(found.reading, lang)
    images = [
        {"name": name, "width": int(image.shape[1]), "height": int(image.shape[0]), "cards": len(seen.cards)}
        for name, image, seen in zip(found.names, found.images, found.seen, strict=True)
    ]
    _own_boxes(found, body)
    first = {key: images[0][key] for key in ("width", "height")}
    return {"image": first, "images": images, **body}


def _own_boxes(found: PhotoReading, body: dict[str, Any]) -> None:
    """Where photos were merged, give every card the box that it has in its own picture."""
    if all(len(view.photos) == 1 for view in found.views) and [v.photos[0] for v in found.views] == list(
        range(len(found.images))
    ):
        return
    rows = iter(body["cards"])
    for group in found.reading.groups:
        for card in group.chosen.cards:
            if card.source is None or card.change == "extra":
                continue
            row = next(rows)
            picture, number = found.origin(group.part.photo, group.part.cards[card.source])
            own = found.seen[picture].cards[number]
            row["photo"] = picture
            row["box"] = [round(float(v), 1) for v in own.box]
            row["quad"] = np.round(own.quad.astype(float), 1).tolist()
    for doubt in body["doubts"]:
        view = doubt["photo"]
        doubt["photo"] = found.views[view].photos[0]
