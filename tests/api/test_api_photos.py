"""Photos over HTTP: what is refused and how, with the real decoder behind the real multipart reader."""

from __future__ import annotations

import io
import random
import struct
import subprocess
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pil = pytest.importorskip("PIL.Image", reason="needs the vision extra")
pytest.importorskip("cv2", reason="needs the vision extra")

LIMIT = 25 * 1024 * 1024


def picture(kind: str = "JPEG", size: tuple[int, int] = (320, 240), **options: Any) -> bytes:
    out = io.BytesIO()
    pil.new("RGB", size, (200, 30, 30)).save(out, kind, **options)
    return out.getvalue()


def animated(kind: str) -> bytes:
    frames = [pil.new("RGB", (200, 150), (shade, 0, 0)) for shade in (10, 200)]
    out = io.BytesIO()
    frames[0].save(out, kind, save_all=True, append_images=frames[1:], duration=100)
    return out.getvalue()


def turned() -> bytes:
    exif = pil.Exif()
    exif[0x0112] = 6
    return picture(size=(320, 240), exif=exif)


def heic() -> bytes:
    heif = pytest.importorskip("pillow_heif")
    out = io.BytesIO()
    heif.from_pillow(pil.new("RGB", (320, 240), (9, 99, 9))).save(out)
    return out.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header promises more pixels than it could ever hold."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("photo.jpg", picture())
    return out.getvalue()


SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'
FILES: dict[str, tuple[Callable[[], bytes], int, str | None]] = {
    "jpeg": (picture, 200, None),
    "png": (lambda: picture("PNG"), 200, None),
    "webp": (lambda: picture("WEBP"), 200, None),
    "heic": (heic, 200, None),
    "mislabelled": (lambda: picture("PNG"), 200, None),
    "turned": (turned, 200, None),
    "truncated": (lambda: picture(size=(1200, 900))[:3000], 422, "image_damaged"),
    "head only": (lambda: picture()[:30], 422, "image_damaged"),
    "empty": (lambda: b"", 422, "image_empty"),
    "noise": (lambda: random.Random(1).randbytes(5000), 415, "image_unknown_format"),
    "text": (lambda: b"hello " * 50, 415, "image_unknown_format"),
    "svg": (lambda: SVG, 415, "image_unknown_format"),
    "gif": (lambda: animated("GIF"), 415, "image_unknown_format"),
    "zip": (zipped, 415, "image_unknown_format"),
    "animated webp": (lambda: animated("WEBP"), 415, "image_animated"),
    "animated png": (lambda: animated("PNG"), 415, "image_animated"),
    "bomb": (lambda: bomb(50_000, 50_000), 413, "image_too_many_pixels"),
    "wide": (lambda: bomb(100_000, 700), 413, "image_too_many_pixels"),
    "61 megapixels": (lambda: bomb(10_000, 6_100), 413, "image_too_many_pixels"),
    "tiny": (lambda: picture("PNG", (8, 8)), 422, "image_too_small"),
    "zero wide": (lambda: bomb(0, 100), 422, None),
    "too many bytes": (lambda: picture() + b"\0" * LIMIT, 413, "image_too_big"),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, live_server: Any) -> None:
    make, status, code = FILES[name]
    label = {"mislabelled": ("photo.jpg", "image/jpeg"), "zip": ("photo.jpg", "image/jpeg")}.get(name, ("x", "x/y"))
    with live_server.client() as client:
        answer = client.post("/v1/photos", files={"image": (label[0], make(), label[1])})
    assert answer.status_code == status, answer.text
    if status == 200:
        shown = answer.json()["image"]
        assert (shown["width"], shown["height"]) == ((240, 320) if name == "turned" else (320, 240))
        return
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert code is None or problem["code"] == code
    assert problem["detail"] and problem["detail"].count("\n") == 0


def test_refusals_are_in_the_language_asked_for(live_server: Any) -> None:
    with live_server.client() as client:
        answer = client.post("/v1/photos", files={"image": SVG}, headers={"Accept-Language": "it"})
    assert "SVG" in answer.json()["detail"] and "file" in answer.json()["detail"]
    assert answer.json()["detail"] != FILES["svg"][2]


BODIES = {
    "not multipart": ({"content": b"{}", "headers": {"content-type": "application/json"}}, 415),
    "no boundary": ({"content": b"x", "headers": {"content-type": "multipart/form-data"}}, 415),
    "no type": ({"content": b"x"}, 415),
    "no image": ({"files": {"photo": b"x"}}, 422),
    "many images": ({"files": [("image", b"a")] * 5}, 413),
    "many parts": ({"files": [(f"f{n}", b"a") for n in range(20)]}, 413),
    "large field": ({"files": {"image": b"x"}, "data": {"rules": "x" * 30_000}}, 413),
    "unknown field": ({"files": {"image": b"x"}, "data": {"surprise": "x"}}, 422),
    "unknown rules": ({"files": {"image": b"x"}, "data": {"rules": "x"}}, 422),
    "bad options": ({"files": {"image": b"x"}, "data": {"options": "{"}}, 422),
    "options no object": ({"files": {"image": b"x"}, "data": {"options": "[1]"}}, 422),
    "bad language": ({"files": {"image": b"x"}, "data": {"lang": "fr"}}, 422),
    "ends early": (
        {"content": b'--b\r\nContent-Disposition: form-data; name="image"\r\n\r\nabc',
         "headers": {"content-type": "multipart/form-data; boundary=b"}},
        422,
    ),
    "no boundary in body": (
        {"content": b"x" * 1000, "headers": {"content-type": "multipart/form-data; boundary=b"}},
        422,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str, live_server: Any) -> None:
    request, status = BODIES[name]
    with live_server.client() as client:
        answer = client.post("/v1/photos", **request)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    assert answer.json()["code"] and answer.json()["detail"]


def test_random_bodies_never_break_it(live_server: Any) -> None:
    """Valid forms with random bytes changed, cut or doubled: always one clear answer, never a 5xx."""
    rng = random.Random(20)
    head = b'--b\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
    whole = head + picture() + b"\r\n--b--\r\n"
    with live_server.client() as client:
        for _ in range(60):
            body = bytearray(whole)
            for _ in range(rng.choice((1, 3, 30))):
                at = rng.randrange(len(body))
                step = rng.choice(("set", "cut", "add"))
                if step == "set":
                    body[at] = rng.randrange(256)
                elif step == "cut":
                    del body[at : at + rng.randrange(1, 200)]
                else:
                    body[at:at] = rng.randbytes(20)
            answer = client.post(
                "/v1/photos", content=bytes(body), headers={"content-type": "multipart/form-data; boundary=b"}
            )
            assert answer.status_code in (200, 413, 415, 422), answer.text
            assert answer.status_code == 200 or answer.json()["detail"]


def _memory(pid: int) -> int:
    """The most memory a process has had resident, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024


@pytest.mark.long
def test_memory_stays_bounded(start_server: Callable[..., Any]) -> None:
    """The largest photo that is allowed, and many that are not, in servers' and workers' memory."""
    server = start_server(photo_queue=2)
    large = io.BytesIO()
    pil.new("RGB", (9000, 6600), (9, 90, 9)).save(large, "JPEG")
    assert len(large.getvalue()) < LIMIT
    with server.client() as client:
        before = _memory(server.process.pid)
        for data in [large.getvalue(), bomb(50_000, 50_000), picture() + b"\0" * LIMIT]:
            assert client.post("/v1/photos", files={"image": data}).status_code in (200, 413)
    (worker,) = server.children()
    grown, used = _memory(server.process.pid) - before, _memory(worker)
    print(f"server grew by {grown} MB, photo process had at most {used} MB")
    assert grown < 150 and used < 1300


def test_several_photos_and_whose_melds_they_show(live_server: Any) -> None:
    parts = [("side", (None, "Us")), ("image", picture()), ("image", picture()), ("side", (None, "Them"))]
    with live_server.client() as client:
        answer = client.post("/v1/photos", files=[*parts, ("image", picture()), ("lang", (None, "it"))])
        alone = client.post("/v1/photos", files={"image": picture()}, headers={"Accept-Language": "it"})
    assert answer.json()["notices"][0]["message"] == "3 ['Us', 'Us', 'Them'] it"
    assert alone.json()["notices"][0]["message"] == "1 None it"


def test_annotated_picture_as_json_or_as_itself(live_server: Any) -> None:
    with live_server.client() as client:
        as_json = client.post("/v1/photos?annotate=true", files={"image": picture()})
        assert as_json.json()["annotated"]["media_type"] == "image/jpeg"
        drawn = client.post("/v1/photos?annotate=true", files={"image": picture()}, headers={"Accept": "image/jpeg"})
    assert drawn.headers["content-type"] == "image/jpeg" and drawn.content.startswith(b"\xff\xd8")


def test_nothing_of_a_photo_is_kept(live_server: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No file is open for writing or left anywhere by an upload (`lsof`-like look at the two processes)."""
    with live_server.client() as client:
        client.post("/v1/photos", files={"image": picture(size=(3000, 2000), quality=95)})
    folder = live_server.log.parent
    kept = [file.name for file in folder.rglob("*") if file.is_file()]
    assert [name for name in kept if not name.startswith(("server-", "burraco.db"))] == []
    for pid in (live_server.process.pid, *live_server.children()):
        opened = subprocess.run(["ls", "-l", f"/proc/{pid}/fd"], capture_output=True, text=True, check=False).stdout
        assert "(deleted)" not in opened
