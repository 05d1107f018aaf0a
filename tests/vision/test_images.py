"""Pictures in: every format and mode that is read, and every hostile file that is refused with one line."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pil

from scorer.errors import VisionError
from scorer.messages import text
from vision import images
from vision.images import load_image, open_photo


def encoded(picture: Pil.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def half_red(width: int = 120, height: int = 80) -> Pil.Image:
    """Red on the left, blue on the right: shows both channel order and orientation."""
    picture = Pil.new("RGB", (width, height), (0, 0, 255))
    picture.paste((255, 0, 0), (0, 0, width // 2, height))
    return picture


def png_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_bomb(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\x00" * 100_000)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", body) + png_chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_formats_read_as_bgr(kind: str, tmp_path: Path) -> None:
    data = encoded(half_red(), kind)
    path = tmp_path / "photo.bin"  # the name says nothing: the content decides
    path.write_bytes(data)
    for source in (data, bytearray(data), path, str(path)):
        pixels = load_image(source)
        assert pixels.shape == (80, 120, 3) and pixels.dtype == np.uint8
        assert pixels[40, 10, 2] > 200 > 60 > pixels[40, 10, 0], "left half is red, last channel"
        assert pixels[40, 110, 0] > 200 > 60 > pixels[40, 110, 2], "right half is blue, first channel"


def test_heic_is_read() -> None:
    heif = pytest.importorskip("pillow_heif")
    heif.register_heif_opener()
    try:
        data = encoded(half_red(), "HEIF")
    except Exception:  # a build without an encoder can still decode; nothing to read then
        pytest.skip("this pillow-heif cannot write")
    pixels = load_image(data)
    assert pixels.shape == (80, 120, 3)
    assert pixels[40, 10, 2] > 180 > 80 > pixels[40, 10, 0]


@pytest.mark.parametrize(
    ("orientation", "red_at"),
    [(1, (40, 10)), (3, (40, 110)), (6, (10, 40)), (8, (110, 40))],
)
def test_exif_orientation_is_applied(orientation: int, red_at: tuple[int, int]) -> None:
    exif = Pil.Exif()
    exif[0x0112] = orientation
    pixels = load_image(encoded(half_red(), "JPEG", exif=exif.tobytes()))
    assert pixels.shape[:2] == ((80, 120) if orientation < 5 else (120, 80))
    assert pixels[red_at][2] > 200 > 60 > pixels[red_at][0]


@pytest.mark.parametrize("exif", [b"Exif\x00\x00garbage", b"Exif\x00\x00II*\x00\xff\xff\xff\x7f", b""])
def test_absurd_exif_is_ignored(exif: bytes) -> None:
    assert load_image(encoded(half_red(), "JPEG", exif=exif)).shape == (80, 120, 3)


def test_orientation_out_of_range_is_ignored() -> None:
    exif = Pil.Exif()
    exif[0x0112] = 77
    assert load_image(encoded(half_red(), "JPEG", exif=exif.tobytes())).shape == (80, 120, 3)


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "LA", "1", "CMYK", "I;16"])
def test_every_mode_becomes_three_channels(mode: str) -> None:
    if mode == "I;16":
        picture = Pil.fromarray(np.full((80, 120), 65535, np.uint16))
    else:
        picture = Pil.new("RGB", (120, 80), "white").convert(mode)
    data = encoded(picture, "JPEG" if mode == "CMYK" else "PNG")
    pixels = load_image(data)
    assert pixels.shape == (80, 120, 3)
    assert pixels.min() > 250, "white stays white"


def test_transparency_becomes_white_paper() -> None:
    pixels = load_image(encoded(Pil.new("RGBA", (100, 100), (0, 0, 0, 0)), "PNG"))
    assert pixels.min() == 255


def svg() -> bytes:
    return b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"/>'


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.txt", "x" * 1000)
    return out.getvalue()


def animation(kind: str) -> bytes:
    frames = [Pil.new("RGB", (100, 100), colour) for colour in ("red", "green", "blue")]
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:])


HOSTILE = {
    "empty": (b"", "image_empty"),
    "text": (b"hello, this is no picture", "image_unknown_format"),
    "svg": (svg(), "image_unknown_format"),
    "zip": (zipped(), "image_unknown_format"),
    "pdf": (b"%PDF-1.7\n%...", "image_unknown_format"),
    "html": (b"<!DOCTYPE html><html></html>", "image_unknown_format"),
    "gif": (animation("GIF"), "image_unknown_format"),
    "animated webp": (animation("WEBP"), "image_animated"),
    "animated png": (animation("PNG"), "image_animated"),
    "one pixel": (encoded(Pil.new("RGB", (1, 1)), "PNG"), "image_too_small"),
    "one line": (encoded(Pil.new("RGB", (3000, 2)), "PNG"), "image_too_small"),
    "truncated jpeg": (encoded(half_red(), "JPEG")[:-200], "image_damaged"),
    "truncated png": (encoded(Pil.effect_noise((200, 200), 90), "PNG")[:-5000], "image_damaged"),
    "jpeg head only": (b"\xff\xd8\xff\xe0", "image_damaged"),
    "png head only": (b"\x89PNG\r\n\x1a\n", "image_damaged"),
    "riff no webp": (b"RIFF\x00\x00\x00\x00WEBP", "image_damaged"),
    "heic head only": (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "image_damaged"),
    "bomb of 100 MP": (png_bomb(10_000, 10_000), "image_too_many_pixels"),
    "bomb of 4 GP": (png_bomb(65_000, 65_000), "image_too_many_pixels"),
    "short of pixels": (png_bomb(4_000, 4_000), "image_damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_gives_one_clear_error(name: str) -> None:
    data, code = HOSTILE[name]
    with pytest.raises(VisionError) as caught:
        load_image(data)
    assert caught.value.code == code
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_bomb_is_refused_before_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_decode(*_: object, **__: object) -> None:
        raise AssertionError("decoded a bomb")

    monkeypatch.setattr(Pil.Image, "load", no_decode)
    with pytest.raises(VisionError):
        load_image(png_bomb(10_000, 10_000))


def test_file_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_BYTES", 1000)
    path = tmp_path / "big.jpg"
    path.write_bytes(encoded(Pil.effect_noise((200, 200), 90), "PNG"))
    for source in (path, path.read_bytes()):
        with pytest.raises(VisionError) as caught:
            load_image(source)
        assert caught.value.code == "image_too_big"


@pytest.mark.parametrize(("name", "code"), [("none.jpg", "image_missing"), (".", "image_not_a_file")])
def test_bad_paths(name: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(VisionError) as caught:
        load_image(tmp_path / name)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "array",
    [np.zeros((100, 100, 3), np.float32), np.zeros((100, 100, 2), np.uint8), np.zeros(100, np.uint8)],
)
def test_bad_arrays(array: np.ndarray) -> None:
    with pytest.raises(VisionError) as caught:
        load_image(array)
    assert caught.value.code == "image_bad_array"


def test_arrays_pass_through() -> None:
    bgr = np.random.default_rng(3).integers(0, 255, (90, 70, 3), dtype=np.uint8)
    assert np.array_equal(load_image(bgr), bgr)
    bgra = np.dstack([bgr, np.full((90, 70), 9, np.uint8)])
    assert np.array_equal(load_image(bgra), bgr)


def test_very_large_photo_is_reduced_and_says_by_how_much() -> None:
    photo = open_photo(encoded(half_red(6400, 1600), "JPEG"))
    assert max(photo.width, photo.height) == images.WORK_SIDE
    assert photo.pixels.shape[2] == 3


def test_cold_import_is_light() -> None:
    code = "import sys, vision; print(any(m in sys.modules for m in ('onnxruntime', 'cv2', 'torch', 'PIL')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", HOSTILE)
def test_refusals_read_in_both_languages(name: str) -> None:
    with pytest.raises(VisionError) as caught:
        load_image(HOSTILE[name][0])
    sentences = [text(caught.value.code, lang, **caught.value.params) for lang in ("en", "it")]
    assert sentences[0] != sentences[1]
    assert all("…" not in sentence and sentence != caught.value.code for sentence in sentences)
