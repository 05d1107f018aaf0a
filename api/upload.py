"""Reading a photo upload: multipart/form-data straight into bounded memory, never onto a disk.

A full disk cannot fail an upload and nothing of a photo stays behind. What exceeds a limit is refused while it is
still arriving.
"""

from __future__ import annotations

import asyncio
from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

from api.problems import Problem
from scorer.errors import VisionError

MAX_IMAGES: Final = 4
_PARTS: Final = 16
_FIELD_BYTES: Final = 20_000
_OVERHEAD: Final = 64 * 1024
_DRAIN_SECONDS: Final = 5.0


class Upload:
    """A form as it arrives: the bytes of its `image` parts, whose melds each shows, and the small text fields.

    A field `side` holds for the images after it, as `--side` does on the command line.
    """

    def __init__(self, boundary: bytes, limit: int) -> None:
        self.limit = limit
        self.images: list[bytearray] = []
        self.sides: list[str | None] = []
        self.size = 0
        self.fields: dict[str, str] = {}
        self.finished = False
        self._parts = 0
        self._name = ""
        self._value = bytearray()
        self._header = bytearray()
        self._header_value = bytearray()
        self._headers: dict[bytes, bytes] = {}
        callbacks = {
            "on_part_begin": self._begin,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_header_field": self._on_field,
            "on_header_value": self._on_value,
            "on_header_end": self._on_header_end,
            "on_headers_finished": self._on_headers,
            "on_end": self._done,
        }
        self.parser = MultipartParser(boundary, callbacks)  # type: ignore[arg-type]  # its callbacks are a total TypedDict, ours are some

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the body."""
        try:
            self.parser.write(chunk)
        except FormParserError as error:
            raise Problem(422, "bad_multipart", reason=str(error)) from None

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > _PARTS:
            raise Problem(413, "too_many_parts", limit=_PARTS)
        self._name, self._value, self._headers = "", bytearray(), {}

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _on_header_end(self) -> None:
        self._headers[bytes(self._header).lower()] = bytes(self._header_value)
        self._header, self._header_value = bytearray(), bytearray()

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        if self._name == "image":
            if len(self.images) == MAX_IMAGES:
                raise Problem(413, "too_many_images", limit=MAX_IMAGES)
            self.images.append(bytearray())
            self.sides.append(self.fields.get("side") or None)

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._name == "image":
            self.size += end - start
            if self.size > self.limit:
                raise _too_big(self.limit)
            self.images[-1] += data[start:end]
            return
        if len(self._value) + end - start > _FIELD_BYTES:
            raise Problem(413, "field_too_large", name=self._name[:40])
        self._value += data[start:end]

    def _end(self) -> None:
        if self._name != "image":
            self.fields[self._name[:40]] = self._value.decode("utf-8", "replace")

    def _done(self) -> None:
        self.finished = True


async def read_upload(request: Request, limit: int, seconds: float) -> Upload:
    """Read the form of a request whose images have at most `limit` bytes together and arrive within `seconds`."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not boundary:
        await drain(request.receive, limit)
        raise Problem(415, "not_multipart")
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length[:15]) > limit + _OVERHEAD:
        await drain(request.receive, limit)
        raise _too_big(limit)
    upload = Upload(boundary, limit)
    more = True
    try:
        async with asyncio.timeout(seconds):
            while more:
                message = await request.receive()
                if message["type"] != "http.request":
                    raise ClientDisconnect
                more = message.get("more_body", False)
                upload.feed(message.get("body", b""))
    except TimeoutError:
        raise Problem(408, "body_too_slow", seconds=f"{seconds:g}") from None
    except (Problem, VisionError):
        if more:
            await drain(request.receive, limit)
        raise
    if not upload.finished:
        raise Problem(422, "bad_multipart", reason="the body ends early")
    if not upload.images:
        raise Problem(422, "no_image_part")
    return upload


def _too_big(limit: int) -> VisionError:
    megabytes = limit // (1024 * 1024)
    return VisionError(
        f"The file is larger than {megabytes} MB.", code="image_too_big", size=f"> {megabytes}", limit=megabytes
    )


async def drain(receive: Receive, limit: int) -> None:
    """Let a refused body arrive and forget it, up to `limit` bytes and a few seconds.

    A server that answers and hangs up while the client still sends makes most clients report a broken connection
    instead of the answer.
    """
    left = limit
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return
