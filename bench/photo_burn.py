"""A stand-in for the photo reader where no weights are: decodes the photo, then computes for about a second."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from vision.images import open_photo


def read_photo(images: list[bytes], **_options: Any) -> tuple[dict[str, Any], None]:
    """Decode and keep one processor busy, as the networks do."""
    photo = open_photo(images[0])
    until = time.process_time() + 1.0
    block = np.asarray(photo.pixels[:512, :512, 0], np.float32)
    while time.process_time() < until:
        block = np.tanh(block @ block.T / 1e6)
    return {"image": {"width": photo.width, "height": photo.height}, "cards": [], "melds": [], "hands": [], "other": [],
            "sheet": "", "doubts": [], "points": {"low": 0, "best": 0, "high": 0}, "notices": []}, None  # fmt: skip
