"""What a photo process calls: photos in, the contract's photo result and the drawn picture out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from scorer.profile import DEFAULT_PROFILE, load_profile
from vision import images as image_limits
from vision.photo import photo_json, read_photos
from vision.types import Detector

THREADS = "BURRACO_VISION_THREADS"
_QUALITY = 88
_detector: Detector | None = None


def warm_up() -> None:
    """Make the detector, so that the first photo does not wait for it."""
    global _detector
    from vision.detect import OnnxDetector

    _detector = OnnxDetector(threads=int(os.environ.get(THREADS, "1")))


def read_photo(
    images: Sequence[bytes],
    *,
    rules: str | None,
    options: dict[str, object],
    lang: str,
    sides: Sequence[str | None] | None,
    annotate: bool,
    max_megapixels: int,
) -> tuple[dict[str, Any], bytes | None]:
    """Read the deal that the photos show; `annotate` also draws the first one (JPEG bytes)."""
    image_limits.MAX_PIXELS = max_megapixels * 1_000_000
    profile = load_profile(rules or DEFAULT_PROFILE, options or None)
    found = read_photos(images, profile, sides=sides, lang=lang, detector=_detector)
    result = photo_json(found, lang)
    return result, _drawn(found, lang) if annotate else None


def _drawn(found: Any, lang: str) -> bytes:
    import cv2

    from vision.annotate import annotate

    _, data = cv2.imencode(".jpg", annotate(found, 0, lang), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return data.tobytes()
