"""Pictures in: a path, bytes or an array become one upright BGR array, or one clear `VisionError`.

A photo comes from a stranger's telephone, so nothing is decoded before its size is known: at most
`MAX_BYTES` of file and `MAX_PIXELS` of picture, both checked on the header. JPEG, PNG, WebP and HEIC are read
(HEIC needs pillow-heif); animations, documents, archives and drawings are refused by name.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.errors import MissingExtraError, VisionError
from vision.types import Image

if TYPE_CHECKING:
    from PIL.Image import Image as PilImage

MAX_BYTES = 25 * 1024 * 1024
MAX_PIXELS = 60_000_000
MIN_SIDE = 64
"""Pixels; a shorter side cannot hold one readable card."""
WORK_SIDE = 4800
"""Pixels; a longer side is reduced to it, which keeps every index of a one-metre table above 60 px."""

ImageSource = str | Path | bytes | bytearray | memoryview | np.ndarray[Any, Any]

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"GIF8", "GIF"),
    (b"%PDF", "PDF"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"BM", "BMP"),
    (b"II*\x00", "TIFF"),
    (b"MM\x00*", "TIFF"),
)


@dataclass(frozen=True, eq=False)
class Photo:
    """An upright picture: `pixels` is (height, width, 3) BGR uint8; original pixels = array pixels / `scale`."""

    pixels: Image
    scale: float = 1.0

    @property
    def width(self) -> int:
        """Columns of `pixels`."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Rows of `pixels`."""
        return int(self.pixels.shape[0])


def load_image(source: ImageSource) -> Image:
    """Return the pixels of `open_photo(source)`: (height, width, 3) BGR uint8, EXIF orientation applied.

    >>> load_image(np.zeros((80, 100), np.uint8)).shape
    (80, 100, 3)
    """
    return open_photo(source).pixels


def open_photo(source: ImageSource) -> Photo:
    """Read a picture from a path, from the bytes of a file, or from a BGR, BGRA or grey uint8 array.

    Raises VisionError, with a code of its own and one clear line, for anything that is not a still photo of
    sensible size; MissingExtraError when the package's `vision` extra is not installed.
    """
    if isinstance(source, np.ndarray):
        return _shrunk(_checked_array(source))
    data = bytes(source) if isinstance(source, bytes | bytearray | memoryview) else _read_file(Path(source))
    if len(data) > MAX_BYTES:
        raise _too_big(len(data))
    return _shrunk(_decode(data))


def _too_big(size: int) -> VisionError:
    limit = MAX_BYTES // (1024 * 1024)
    megabytes = f"{size / (1024 * 1024):.0f}"
    return VisionError(
        f"The file has {megabytes} MB; at most {limit} MB are read.", code="image_too_big", size=megabytes, limit=limit
    )


def _read_file(path: Path) -> bytes:
    if not path.exists():
        raise VisionError(f"There is no file {path}.", code="image_missing", path=str(path))
    if not path.is_file():
        raise VisionError(f"{path} is not a file.", code="image_not_a_file", path=str(path))
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise _too_big(size)
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or "unknown"
        raise VisionError(f"{path} cannot be read: {reason}.", code="image_unreadable", path=str(path)) from error


def _check_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise VisionError(
            f"The picture is {width} x {height} pixels; at most {MAX_PIXELS // 1_000_000} megapixels are read.",
            code="image_too_many_pixels",
            width=width,
            height=height,
            limit=MAX_PIXELS // 1_000_000,
        )
    if min(width, height) < MIN_SIDE:
        raise VisionError(
            f"The picture is only {width} x {height} pixels: no card can be read in it.",
            code="image_too_small",
            width=width,
            height=height,
        )


def _checked_array(array: np.ndarray[Any, Any]) -> Image:
    channels = 1 if array.ndim == 2 else (array.shape[2] if array.ndim == 3 else 0)
    if array.dtype != np.uint8 or channels not in (1, 3, 4):
        raise VisionError(
            f"A picture array must be uint8 of shape (height, width[, 1, 3 or 4]), not {array.dtype} {array.shape}.",
            code="image_bad_array",
            found=f"{array.dtype} {array.shape}",
        )
    _check_size(int(array.shape[1]), int(array.shape[0]))
    if channels == 1:
        array = np.repeat(array.reshape(*array.shape[:2], 1), 3, axis=2)
    return np.ascontiguousarray(array[..., :3])


def _guess_format(data: bytes) -> str:
    """Return a name people know for what is not one of the four formats, "" when there is none."""
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            return name
    head = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<svg", b"<?xml")):
        return "SVG"
    if head.startswith((b"<!doctype html", b"<html")):
        return "HTML"
    return ""


def _unknown_format(data: bytes) -> VisionError:
    if not data:
        return VisionError("The file is empty.", code="image_empty")
    name = _guess_format(data)
    said = f"This is a {name} file" if name else "This is not a picture"
    return VisionError(f"{said}; JPEG, PNG, WebP and HEIC photos are read.", code="image_unknown_format", format=name)


def _is_heif(data: bytes) -> bool:
    brands = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
    return data[4:8] == b"ftyp" and data[8:12] in brands


def _open(data: bytes) -> PilImage:
    """Open the header only; no pixel is decoded here."""
    try:
        from PIL import Image as PilModule
        from PIL import JpegImagePlugin, PngImagePlugin, WebPImagePlugin  # noqa: F401  (they register themselves)
    except ImportError as error:  # pragma: no cover - needs an install without the extra
        raise MissingExtraError("Reading photos needs the `vision` extra: pip install 'burraco[vision]'.") from error
    formats = ["JPEG", "PNG", "WEBP"]
    if _is_heif(data):
        try:
            import pillow_heif
        except ImportError as error:  # pragma: no cover - needs an install without the extra
            raise MissingExtraError("HEIC photos need pillow-heif: pip install 'burraco[vision]'.") from error
        pillow_heif.register_heif_opener()
        formats = ["HEIF"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return PilModule.open(io.BytesIO(data), formats=formats)
    except PilModule.DecompressionBombError as error:
        raise VisionError(
            f"The picture is too large; at most {MAX_PIXELS // 1_000_000} megapixels are read.",
            code="image_too_many_pixels",
            limit=MAX_PIXELS // 1_000_000,
        ) from error
    except Exception as error:
        # Pillow's parsers raise many kinds of error on hostile headers; all mean the same to the reader.
        if data.startswith((b"\xff\xd8\xff", b"\x89PNG", b"RIFF")) or _is_heif(data):
            raise _damaged() from error
        raise _unknown_format(data) from error


def _damaged() -> VisionError:
    return VisionError("The picture is damaged or cut off.", code="image_damaged")


def _decode(data: bytes) -> Image:
    picture = _open(data)
    width, height = picture.size
    _check_size(width, height)
    if getattr(picture, "is_animated", False) and picture.format not in ("MPO", "HEIF"):
        raise VisionError("This is an animation; send one still photo.", code="image_animated")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Telephones' 50-megapixel JPEGs are decoded at half size: four times less memory and time.
            if picture.format in ("JPEG", "MPO") and max(width, height) > WORK_SIDE:
                scale = WORK_SIDE / max(width, height)
                picture.draft("RGB", (max(1, int(width * scale)), max(1, int(height * scale))))
            picture.load()
            return _to_bgr(_upright(picture))
    except VisionError:
        raise
    except MemoryError:
        raise
    except Exception as error:
        raise _damaged() from error


def _upright(picture: PilImage) -> PilImage:
    """Apply the EXIF orientation; an unreadable EXIF block is ignored."""
    from PIL import ImageOps

    try:
        return ImageOps.exif_transpose(picture)
    except Exception:
        return picture


def _to_bgr(picture: PilImage) -> Image:
    """Return BGR pixels of any mode; what is transparent becomes white paper."""
    if picture.mode in ("I", "I;16", "I;16B", "I;16L", "F"):
        values = np.asarray(picture, dtype=np.float32)
        top = 65535.0 if values.max(initial=0.0) > 255.0 else 255.0
        grey = np.clip(values * (255.0 / top), 0, 255).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)
    if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        from PIL import Image as PilModule

        layered = picture.convert("RGBA")
        paper = PilModule.new("RGBA", layered.size, (255, 255, 255, 255))
        picture = PilModule.alpha_composite(paper, layered)
    rgb = np.asarray(picture.convert("RGB"), dtype=np.uint8)
    return np.ascontiguousarray(rgb[..., ::-1])


def _shrunk(pixels: Image) -> Photo:
    longest = max(pixels.shape[:2])
    if longest <= WORK_SIDE:
        return Photo(pixels)
    import cv2

    scale = WORK_SIDE / longest
    height, width = pixels.shape[:2]
    size = (max(MIN_SIDE, round(width * scale)), max(MIN_SIDE, round(height * scale)))
    return Photo(np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), scale)


def resized(image: Image, width: int, height: int, *, fast: bool = False) -> Image:
    """Return the picture at another size; large pictures are halved first, which is cheap and aliases nothing.

    `fast` interpolates in the last step where it would average: six times as quick, a little rougher.

    >>> resized(np.zeros((100, 80, 3), np.uint8), 16, 20).shape
    (20, 16, 3)
    """
    import cv2

    part = image
    while part.shape[1] >= 2 * width and part.shape[0] >= 2 * height:
        half = (part.shape[1] // 2, part.shape[0] // 2)
        part = np.asarray(cv2.resize(part, half, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if (width, height) == (part.shape[1], part.shape[0]):
        return part
    method = cv2.INTER_AREA if width < part.shape[1] and not fast else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (width, height), interpolation=method), dtype=np.uint8)
