"""The programs that make and judge data, with the smallest task each: what they write is looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import pytest

from scorer.notation import parse_sheet
from scorer.profile import load_profile
from scorer.scoring import score
from scorer.table import Table
from vision import reading_eval, reading_render
from vision.reading_tables import laid_table
from vision.synth import __main__ as synth
from vision.truth import TableTruth


def _measured(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    out = tmp_path / "figures.json"
    assert reading_eval.main([*options, "--json", str(out)]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert f'"tables": {found["tables"]}' in capsys.readouterr().out
    return found


def test_the_judge_of_readings_counts_perfect_detections(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _measured(tmp_path, capsys, "--mode", "perfect", "--count", "4", "--seed", "2")
    assert found["tables"] == 4 and found["silent_errors"] == 0
    cards = found["cards"]
    assert cards["right"] > 25 * cards["missed"] and cards["extra"] <= 2
    exact = [found[key] for key in ("exact_points", "exact_after_one_answer", "exact_after_two_answers")]
    assert exact == sorted(exact) and exact[-1] == 1.0


def test_damaged_detections_make_it_worse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--count", "3", "--seed", "2")
    harmed = _measured(tmp_path, capsys, "--mode", "noisy", "--lose", "0.2", "--confuse", "0.1", *options)
    joined = _measured(tmp_path, capsys, "--mode", "marks", *options)
    assert harmed["cards"]["right"] < joined["cards"]["right"]
    assert harmed["melds_exact"] < joined["melds_exact"]


def _totals(table: Table) -> list[int]:
    return [side.score.total for side in score(table, load_profile("fibur")).sides]


def test_a_rendered_table_comes_with_the_sheet_of_what_was_laid(tmp_path: Path) -> None:
    assert reading_render.main(["3", str(tmp_path / "t"), "--side", "500"]) == 0
    image = cv2.imread(str(tmp_path / "t.jpg"))
    assert image is not None and max(image.shape) == 500
    sheet = parse_sheet((tmp_path / "t.txt").read_text(encoding="utf-8"))
    laid = laid_table(3, tilt=22.0, piles=0.0, turned=False).deal.table()
    assert _totals(sheet.table) == _totals(laid)


def test_synthetic_tables_and_tiles_come_with_their_truth(tmp_path: Path) -> None:
    assert synth.main(["tables", "--out", str(tmp_path / "a"), "--seed", "7", "--count", "1"]) == 0
    truth = TableTruth.from_json((tmp_path / "a" / "truth.jsonl").read_text().strip())
    image = cv2.imread(str(tmp_path / "a" / "0000007.jpg"))
    assert image is not None and image.shape[:2] == (truth.height, truth.width) and len(truth.cards) > 10
    tiles = ["tiles", "--seed", "5", "--count", "1", "--cameras", "2", "--processes", "1"]
    assert synth.main([*tiles, "--out", str(tmp_path / "b")]) == synth.main([*tiles, "--out", str(tmp_path / "c")]) == 0
    written = sorted(path.relative_to(tmp_path / "b") for path in (tmp_path / "b").rglob("*.*"))
    assert len(written) >= 5  # two pictures, two labels, the truth
    for name in written:
        assert (tmp_path / "b" / name).read_bytes() == (tmp_path / "c" / name).read_bytes()


@pytest.mark.long
def test_the_contact_sheet_shows_twelve_tiles_and_three_tables(tmp_path: Path) -> None:
    out = tmp_path / "sheet.png"
    assert synth.main(["preview", "--out", str(out), "--seed", "1"]) == 0
    image = cv2.imread(str(out))
    assert image is not None and image.shape == (3 * 416 + 554, 1664, 3)
    rows = [image[y : y + 400] for y in (0, 416, 832, 1260)]
    assert all(row.std() > 20 for row in rows)  # none is blank
    labels = (image == (0, 255, 0)).all(axis=2).sum()
    assert labels > 500  # the outlines of the indices


def test_the_bench_says_a_rate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    bench = synth.bench
    monkeypatch.setattr(synth, "bench", lambda seconds: bench(min(seconds, 0.01)))
    assert synth.main(["bench"]) == 0
    rate = float(capsys.readouterr().out.split()[0])
    assert rate > 0
