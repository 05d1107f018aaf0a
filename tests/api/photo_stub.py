"""A photo reader for the tests of the server: the real decoder and limits, but no model.

The first bytes of a file may tell it how to misbehave: `SLEEP n`, `DIE`, `RAISE`, `MEMORY`.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

PRINTED = "a library that prints must not break the frames"


def read_photo(images: list[bytes], **options: Any) -> tuple[dict[str, Any], bytes | None]:
    data = images[0]
    print(PRINTED)
    print(PRINTED, file=sys.stderr)
    word, _, rest = data[:40].partition(b" ")
    if word == b"SLEEP":
        time.sleep(float(rest.split()[0]))
        return answer(100, 80), None
    if data.startswith(b"DIE"):
        os._exit(9)
    if data.startswith(b"RAISE"):
        raise ZeroDivisionError("a bug in the reader")
    if data.startswith(b"MEMORY"):
        raise MemoryError
    from vision.images import open_photo  # here, so that a process that only sleeps starts fast

    photo = open_photo(data)
    made = answer(photo.width, photo.height)
    made["notices"] = [{"code": "stub", "message": f"{len(images)} {options['sides']} {options['lang']}"}]
    return made, (b"\xff\xd8drawn" if options["annotate"] else None)


def answer(width: int, height: int) -> dict[str, Any]:
    return {
        "image": {"width": width, "height": height},
        "cards": [],
        "melds": [],
        "hands": [],
        "other": [],
        "sheet": "",
        "doubts": [],
        "points": {"low": 0, "best": 0, "high": 0},
        "notices": [],
    }
