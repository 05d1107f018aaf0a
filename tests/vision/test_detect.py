"""Passes, decoding, crops and loading of the detector, on networks that are plain functions; no weights take part."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from scorer.errors import VisionError
from vision.cutting import softmax
from vision.detect import (
    BASE_SIDE,
    TILE_PIXELS,
    OnnxDetector,
    base_pass,
    decode,
    further_passes,
    letterbox,
)
from vision.naming import ClassifierSpec, Found, cut_crops
from vision.types import CLASS_INDEX, CLASSES

SPEC = ClassifierSpec(48, 96, 0.2, 0.15)


def upright(x: float, y: float, height: float) -> list[list[float]]:
    half = height / 4
    return [
        [x - half, y - height / 2],
        [x + half, y - height / 2],
        [x + half, y + height / 2],
        [x - half, y + height / 2],
    ]


def found(heights: list[float], spacing: float = 200.0) -> Found:
    quads = [upright(300 + spacing * (i % 10), 300 + spacing * (i // 10), h) for i, h in enumerate(heights)]
    return Found(np.array(quads, np.float32).reshape(-1, 4, 2), np.full(len(heights), 0.9, np.float32))


def test_base_pass_shrinks_large_and_enlarges_small_photos() -> None:
    assert base_pass(4032, 3024).scale == pytest.approx(BASE_SIDE / 4032)
    assert base_pass(960, 720).scale == pytest.approx(BASE_SIDE / 960)
    assert base_pass(100, 80).scale == 2.5


def test_cards_of_good_size_need_no_second_pass() -> None:
    base = base_pass(2800, 2100)
    assert further_passes(2800, 2100, found([40 / base.scale] * 20), base) == []


def test_small_cards_ask_for_tiles_that_cover_and_overlap() -> None:
    base = base_pass(4000, 3000)
    seen = found([15 / base.scale] * 60, spacing=300.0)
    passes = further_passes(4000, 3000, seen, base)
    assert len(passes) > 1
    scale = passes[0].scale
    assert base.scale * 1.2 < scale <= 1.0
    covered = np.zeros((3000, 4000), np.uint8)
    for one in passes:
        left, top, right, bottom = one.window
        assert 0 <= left < right <= 4000 and 0 <= top < bottom <= 3000
        covered[top:bottom, left:right] += 1
    middle = seen.quads.mean(axis=1).astype(int)
    assert (covered[middle[:, 1].clip(0, 2999), middle[:, 0].clip(0, 3999)] > 0).all()
    assert (covered > 1).any(), "tiles share a border zone"
    assert sum((r - x) * (b - t) * scale**2 for (x, t, r, b), _ in passes) < 1.7 * TILE_PIXELS


def test_huge_cards_ask_for_one_smaller_pass() -> None:
    base = base_pass(2000, 2000)
    passes = further_passes(2000, 2000, found([200 / base.scale] * 3), base)
    assert len(passes) == 1 and passes[0].scale < base.scale / 2


def test_nothing_found_tries_both_ways() -> None:
    passes = further_passes(4000, 3000, found([]), base_pass(4000, 3000))
    scales = [one.scale for one in passes]
    assert min(scales) < BASE_SIDE / 4000 < max(scales)


def test_letterbox_scales_pads_and_turns_to_rgb() -> None:
    image = np.zeros((100, 200, 3), np.uint8)
    image[..., 0] = 255  # blue
    batch = letterbox(image, base_pass(200, 100))
    assert batch.shape == (1, 3, 256, 512) and batch.dtype == np.float32
    assert batch[0, :, 10, 10] == pytest.approx([0, 0, 1])
    assert batch[0, :, 252, 10] == pytest.approx([114 / 255] * 3)


@pytest.mark.parametrize("per_point", [2, 3])
def test_decode_raw_head(per_point: int) -> None:
    table = np.zeros((5 + 4 * per_point, 7), np.float32)
    table[4] = [0.1, 0.9, 0.2, 0.5, 0, 0, 0]
    for point in range(4):
        table[5 + point * per_point] = np.arange(7) + 10 * point
        table[6 + point * per_point] = 100 + point
    got = decode(table[None], 0.3)
    assert got.scores.tolist() == pytest.approx([0.9, 0.5])
    assert got.quads[0].tolist() == [[1, 100], [11, 101], [21, 102], [31, 103]]


def test_decode_end_to_end_head() -> None:
    table = np.zeros((5, 18), np.float32)
    table[:, 4] = [0.9, 0.2, 0.6, 0, 0]
    table[0, 6:] = np.arange(12)
    got = decode(table[None], 0.3)
    assert len(got.quads) == 2 and got.quads[0].tolist() == [[0, 1], [3, 4], [6, 7], [9, 10]]


def test_decode_refuses_a_foreign_head() -> None:
    with pytest.raises(VisionError) as caught:
        decode(np.zeros((1, 84, 8400), np.float32), 0.3)
    assert caught.value.code == "bad_weights"


@pytest.mark.parametrize("height", [30.0, 66.0, 300.0])
@pytest.mark.parametrize("turn", [0.0, 40.0, 180.0, 275.0])
def test_crops_are_upright_and_full_resolution(height: float, turn: float) -> None:
    """A glyph that is red above and blue below comes out so at any turn and size."""
    image = np.full((800, 800, 3), 255, np.uint8)
    quad = np.array(upright(400, 400, height))
    spin = cv2.getRotationMatrix2D((400, 400), -turn, 1.0)
    quad = quad @ spin[:, :2].T + spin[:, 2]
    middle = (quad[[0, 1]] + quad[[3, 2]]) / 2
    top = np.array([quad[0], quad[1], middle[1], middle[0]])
    low = np.array([middle[0], middle[1], quad[2], quad[3]])
    cv2.fillPoly(image, [top.round().astype(np.int32)], (0, 0, 255))
    cv2.fillPoly(image, [low.round().astype(np.int32)], (255, 0, 0))
    crop = cut_crops(image, quad[None].astype(np.float32), SPEC)[0]
    assert crop.shape == (3, 96, 48)
    assert crop[:, 30, 24] == pytest.approx([1, 0, 0], abs=0.1)
    assert crop[:, 66, 24] == pytest.approx([0, 0, 1], abs=0.1)
    assert crop[:, 4, 24] == pytest.approx([1, 1, 1], abs=0.1), "the margin shows the paper"


def test_softmax_obeys_temperature() -> None:
    cold, hot = softmax(np.array([[2.0, 0.0]])), softmax(np.array([[2.0, 0.0]]), 2.0)
    assert cold.sum() == pytest.approx(1) and cold[0, 0] > hot[0, 0] > 0.5
    assert softmax(np.array([[1e4, 0.0]]))[0, 0] == 1.0


def squares_network(colour: tuple[float, float, float], jitter: float = 0.0):
    """A 'detector' that finds rectangles of one RGB colour, wherever and however large they are."""

    def run(batch: np.ndarray) -> list[np.ndarray]:
        plain = np.abs(batch[0] - np.array(colour, np.float32)[:, None, None]).max(axis=0) < 0.2
        outlines, _ = cv2.findContours(plain.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        rows = []
        for outline in outlines:
            x, y, w, h = cv2.boundingRect(outline)
            points = [x, y, 1, x + w, y, 1, x + w, y + h, 1, x, y + h, 1]
            rows.append([x + w / 2, y + h / 2, w, h, 0.9, *points])
        table = np.array(rows, np.float32).reshape(-1, 17).T
        return [np.concatenate([table, np.zeros((17, 20), np.float32)], axis=1)[None]]

    return run


def sevens(batch: np.ndarray) -> list[np.ndarray]:
    logits = np.zeros((len(batch), len(CLASSES)), np.float32)
    logits[:, CLASS_INDEX["7h"]] = 9
    return [logits, np.full((len(batch), 1), -4.0, np.float32)]


@pytest.mark.parametrize(("size", "height"), [((1500, 2000), 60), ((3000, 4000), 48), ((700, 900), 400)])
def test_whole_detector_finds_each_index_once(size: tuple[int, int], height: int) -> None:
    """Through one, several or smaller passes: each rectangle once, where it is, to a pixel or so."""
    image = np.full((*size, 3), 230, np.uint8)
    places = [(x, y) for x in range(height, size[1] - height, size[1] // 4) for y in (size[0] // 3, 2 * size[0] // 3)]
    places = places if height < 300 else [(400, 350)]
    for x, y in places:
        image[y - height // 2 : y + height // 2, x - height // 4 : x + height // 4] = (0, 0, 255)
    detector = OnnxDetector.of_networks(squares_network((1, 0, 0)), sevens, SPEC)
    marks, times = detector.detect_timed(image)
    assert len(marks) == len(places)
    assert {mark.best for mark in marks} == {"7h"}
    got = sorted(tuple(mark.centre.round().tolist()) for mark in marks)
    for (x, y), (gx, gy) in zip(sorted(places), got, strict=True):
        assert abs(x - gx) <= 4 and abs(y - gy) <= 4
    assert all(abs(mark.height - height) < 0.12 * height for mark in marks)
    assert all(mark.right is not None and mark.right < 0.05 for mark in marks)
    assert set(times) == {"load", "detect", "network", "ink", "classify", "passes", "candidates"}


def test_empty_photo_has_no_marks() -> None:
    detector = OnnxDetector.of_networks(squares_network((1, 0, 0)), sevens, SPEC)
    assert detector.detect(np.full((300, 400, 3), 128, np.uint8)) == []


def weights_folder(tmp_path: Path, **changes: object) -> Path:
    (tmp_path / "d.onnx").write_bytes(b"not a network")
    digest = hashlib.sha256(b"not a network").hexdigest()
    entry = {"file": "d.onnx", "sha256": digest, "width": 48, "height": 96, "margin_x": 0.2, "margin_y": 0.15}
    card = {"classes": list(CLASSES), "detector": dict(entry), "classifier": dict(entry)}
    card.update(changes)
    (tmp_path / "classes.json").write_text(json.dumps(card))
    return tmp_path


IMAGE = np.zeros((100, 100, 3), np.uint8)


def test_changed_weights_are_refused(tmp_path: Path) -> None:
    folder = weights_folder(tmp_path)
    (folder / "d.onnx").write_bytes(b"something else")
    with pytest.raises(VisionError, match="sha256") as caught:
        OnnxDetector(folder).detect(IMAGE)
    assert caught.value.code == "bad_weights"


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(VisionError) as caught:
        OnnxDetector(tmp_path).detect(IMAGE)
    assert caught.value.code == "weights_missing" and "classes.json" in str(caught.value)


@pytest.mark.parametrize("changes", [{"classes": ["7h"]}, {"classifier": {}}, {"detector": 3}])
def test_foreign_card_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(VisionError) as caught:
        OnnxDetector(weights_folder(tmp_path, **changes)).detect(IMAGE)
    assert caught.value.code == "bad_weights"


def test_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(VisionError) as caught:
        OnnxDetector(weights_folder(tmp_path)).detect(IMAGE)
    assert caught.value.code == "bad_weights"


def test_importing_the_reader_is_light() -> None:
    code = (
        "import sys, vision.detect, vision.cards; "
        "print([m for m in ('onnxruntime', 'cv2', 'torch', 'PIL', 'ultralytics') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
