"""The process that decodes and reads photos: `python -m api.photo_worker MODULE`.

It runs apart from the server, so that a hostile picture or a crash takes nothing with it, scoring stays fast, and a
photo that takes too long can be killed. It talks over its standard input and output in frames:

* request: 4 bytes length, JSON options; 8 bytes length, the file's bytes;
* answer: 4 bytes length, JSON `{"result"}` or `{"error": {...}}`; 8 bytes length, the drawn picture or nothing.

Nothing is written to disk. The process ends when its input ends, which is also when the server dies.
"""

from __future__ import annotations

import importlib
import io
import os
import signal
import struct
import sys
from contextlib import suppress
from typing import Any, BinaryIO

import orjson

HEAD = struct.Struct(">I")
SIZE = struct.Struct(">Q")


def main() -> None:
    """Serve photos until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the server decides when we stop
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    module, threads, megabytes, nice = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BURRACO_VISION_THREADS"):
        os.environ[name] = threads
    os.nice(nice)  # a photo may wait a little longer so that a score need not
    _limit_memory(megabytes)
    # What a library prints must not end up among the frames, nor fail a photo when the log cannot be written.
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout, sys.stderr = _Words(1), _Words(2)
    reader = importlib.import_module(module)
    if hasattr(reader, "warm_up"):
        reader.warm_up()
    _send(stdout, {"ready": os.getpid()}, b"")
    while True:
        asked = _receive(stdin)
        if asked is None:
            return
        options, data = asked
        answer, picture = _read(reader, data, options)
        del data
        _send(stdout, answer, picture)


class _Words(io.TextIOWrapper):
    """A text stream on a file descriptor; what cannot be written (a full disk) is lost."""

    def __init__(self, number: int) -> None:
        super().__init__(io.FileIO(number, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)

    def write(self, text: str) -> int:
        """Write, or lose it."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    size = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    options = orjson.loads(stream.read(HEAD.unpack(head)[0]))
    data = stream.read(SIZE.unpack(stream.read(SIZE.size))[0])
    return options, data


def _send(stream: BinaryIO, answer: dict[str, Any], picture: bytes) -> None:
    head = orjson.dumps(answer)
    stream.write(HEAD.pack(len(head)) + head + SIZE.pack(len(picture)))
    stream.write(picture)
    stream.flush()


def _read(reader: Any, data: bytes, options: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    from scorer.contract import error_json
    from scorer.errors import BurracoError

    lang = str(options.get("lang", "en"))
    images, at = [], 0
    for size in options.pop("sizes"):
        images.append(data[at : at + size])
        at += size
    try:
        result, picture = reader.read_photo(images, **options)
    except BurracoError as error:
        return error_json(error, lang), b""
    except MemoryError:
        return {"failed": "memory"}, b""
    except Exception as error:
        import traceback

        traceback.print_exc()
        return {"failed": type(error).__name__}, b""
    return {"result": result}, picture or b""


if __name__ == "__main__":
    main()
