"""Photos in, deal out: the library call, the command with its exit codes, hostile files, the drawing."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import vision.photo as reader
from scorer.cli import main
from scorer.errors import VisionError
from scorer.notation import parse_sheet
from scorer.profile import load_profile
from vision.annotate import LONG_SIDE, annotate, plain, write_picture
from vision.detect import FakeDetector
from vision.photo import MAX_PHOTOS, expand, photo_json, read_photos
from vision.reading_tables import exact_truth, hand_laid, straight
from vision.synth.layouts import Placed
from vision.types import IndexMark

FIBUR = load_profile("fibur")
WIDTH, HEIGHT = 1050, 1400
GROUPS = [
    straight("4h 5h 6h 7h 8h 9h 10h", step=0.3),
    straight("9c 9d 9s", x=1.4, meld=1),
    straight("Jh Jd Jc", y=-4.0, angle=3.14159, side=1, meld=2),
    straight("5s 6s 7s", x=1.4, y=-4.0, angle=3.14159, side=1, meld=3),
]


def marks(groups: list[list[Placed]] | None = None, sure: float = 0.999) -> list[IndexMark]:
    truth = exact_truth(hand_laid(groups or GROUPS, size=(WIDTH, HEIGHT)))
    return [IndexMark.of(i.card, i.quad, 0.95, sure) for i in truth.indices if i.visible >= 0.7]


@pytest.fixture
def picture(tmp_path: Path) -> str:
    from PIL import Image

    name = tmp_path / "table.jpg"
    Image.fromarray(np.full((HEIGHT, WIDTH, 3), 90, np.uint8)).save(name)
    return str(name)


@pytest.fixture
def sees(monkeypatch: pytest.MonkeyPatch) -> list[IndexMark]:
    """The marks that every photo of a test shows; a test may change the list."""
    shown = marks()
    monkeypatch.setattr(reader, "default_detector", lambda: FakeDetector(shown))
    return shown


def test_the_result_has_cards_melds_points_and_boxes(picture: str) -> None:
    found = read_photos([picture], FIBUR, detector=FakeDetector(marks()))
    body = photo_json(found, "en")
    assert body["image"] == {"width": WIDTH, "height": HEIGHT}
    assert len(body["cards"]) == 16 and len(body["melds"]) == 4
    assert [side["best"] for side in body["points"]["sides"]] == [280, 45]
    for card in body["cards"]:
        x, y, w, h = card["box"]
        assert w > 0 and h > 0 and x >= 0 and y >= 0 and x + w <= WIDTH + 1 and y + h <= HEIGHT + 1
    assert {side.name for side in parse_sheet(body["sheet"]).table.sides} == {"Us", "Them"}


def test_the_same_photo_twice_counts_no_card_twice(picture: str) -> None:
    once = read_photos([picture], FIBUR, detector=FakeDetector(marks()))
    twice = read_photos([picture, picture], FIBUR, detector=FakeDetector(marks()))
    assert twice.reading.points == once.reading.points
    assert len(twice.views) == 1
    body = photo_json(twice, "en")
    assert {card["photo"] for card in body["cards"]} <= {0, 1} and len(body["images"]) == 2


def test_photos_of_each_side(picture: str) -> None:
    found = read_photos([picture, picture], FIBUR, sides=["Noi", "Loro"], detector=FakeDetector(marks(GROUPS[:2])))
    assert [len(side.melds) for side in found.reading.table.sides] == [2, 2]
    assert found.reading.names == ("Noi", "Loro")


def test_no_photos_and_too_many(picture: str) -> None:
    with pytest.raises(VisionError):
        read_photos([], FIBUR)
    with pytest.raises(VisionError):
        read_photos([picture] * (MAX_PHOTOS + 1), FIBUR)


def test_a_folder_is_its_photos(picture: str, tmp_path: Path) -> None:
    assert expand([str(tmp_path)]) == [picture]
    (tmp_path / "empty").mkdir()
    with pytest.raises(VisionError):
        expand([str(tmp_path / "empty")])


# --- the command -----------------------------------------------------


@pytest.mark.usefixtures("sees")
def test_the_sheet_goes_to_a_pipe_and_scores(picture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["photo", picture, "--rules", "fibur", "--lang", "it"])
    text = capsys.readouterr().out
    assert code == 0 and "[Noi]" in text and "4C 5C 6C 7C 8C 9C 10C" in text
    sheet = tmp_path / "t.txt"
    sheet.write_text(text, encoding="utf-8")
    assert main(["score", str(sheet)]) == 0


@pytest.mark.usefixtures("sees")
def test_the_report_names_melds_points_and_questions(picture: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["photo", picture, "--report", "--rules", "fibur"]) == 0
    out = capsys.readouterr().out
    assert "4♥ 5♥ 6♥ 7♥ 8♥ 9♥ 10♥" in out and "Us" in out and "Them" in out


def test_doubts_give_exit_one_and_a_question(
    picture: str, sees: list[IndexMark], capsys: pytest.CaptureFixture[str]
) -> None:
    sees[:] = marks([straight("8d JK Jd Qd Kd Ad"), *GROUPS[1:]])
    assert main(["photo", picture, "--report", "--rules", "fibur"]) == 1
    assert "?" in capsys.readouterr().out
    assert main(["photo", picture, "--json", "--rules", "fibur"]) == 1
    body = json.loads(capsys.readouterr().out)
    assert body["doubts"][0]["points_at_stake"] > 0


def test_a_photo_without_cards_is_a_clear_answer(
    picture: str, sees: list[IndexMark], capsys: pytest.CaptureFixture[str]
) -> None:
    sees.clear()
    assert main(["photo", picture, "--report"]) == 1
    assert "no cards were found" in capsys.readouterr().out


@pytest.mark.usefixtures("sees")
def test_sides_may_be_said(picture: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["photo", "--side", "Rossi", picture, "--side", "Neri", picture, "--json"]
    monkeypatch.setattr("sys.argv", ["burraco", *words])
    main(words)
    body = json.loads(capsys.readouterr().out)
    assert {meld["side"] for meld in body["melds"]} == {"Rossi", "Neri"}


@pytest.mark.usefixtures("sees")
def test_the_drawing_is_written(picture: str, tmp_path: Path) -> None:
    from PIL import Image

    out = tmp_path / "drawn.jpg"
    assert main(["photo", picture, "--annotate", str(out)]) == 0
    with Image.open(out) as drawn:
        assert max(drawn.size) <= LONG_SIDE
        assert np.ptp(np.asarray(drawn)) > 50
    assert main(["photo", picture, "--annotate", str(tmp_path / "no" / "such.jpg")]) == 2


@pytest.mark.parametrize("name", ["drawn.jpg", "drawn.JPEG", "drawn.png", "drawn.webp"])
def test_a_drawing_of_any_format_is_written_without_a_word(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from PIL import Image

    write_picture(np.full((40, 60, 3), 90, np.uint8), str(tmp_path / name))
    with Image.open(tmp_path / name) as drawn:
        assert drawn.size == (60, 40)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["nowhere/at/all.jpg", "drawn", "drawn.txt", "dra\0wn.jpg"])
def test_a_drawing_that_cannot_be_written_is_one_error(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(VisionError):
        write_picture(np.full((40, 60, 3), 90, np.uint8), str(tmp_path / name))
    assert capfd.readouterr() == ("", "")


def test_the_drawing_keeps_the_picture_s_shape() -> None:
    found = read_photos([np.full((HEIGHT, WIDTH, 3), 90, np.uint8)], FIBUR, detector=FakeDetector(marks()))
    drawn = annotate(found, 0, "it")
    assert drawn.dtype == np.uint8 and drawn.shape == (HEIGHT, WIDTH, 3)
    assert plain("più") == "piu"


# --- hostile files -----------------------------------------------------


def _png(width: int, height: int) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.zeros((height, width), np.uint8)).save(out, "PNG")
    return out.getvalue()


def _bomb() -> bytes:
    """A header that promises 30,000 x 30,000 pixels."""
    import struct
    import zlib

    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + b"\0" * 64


@pytest.mark.usefixtures("sees")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"GIF89a",
        b"%PDF-1.7",
        _png(1, 1),
        _png(300, 300)[:70],
        _bomb(),
        b"\xff\xd8\xff\xe1\xff\xffExif\0\0" + b"\xff" * 90,
    ],
    ids=["empty", "gif", "pdf", "one pixel", "cut off", "bomb", "absurd exif"],
)
def test_hostile_files_are_one_line_and_exit_two(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = tmp_path / "bad.jpg"
    name.write_bytes(content)
    assert main(["photo", str(name)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.strip().splitlines()) == 1 and "Traceback" not in said.err


@pytest.mark.usefixtures("sees")
def test_wrong_usage_is_exit_two(tmp_path: Path, picture: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["photo"], ["photo", str(tmp_path / "none.jpg")], ["photo", picture, "--rules", "nonsense"]):
        assert main(words) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
