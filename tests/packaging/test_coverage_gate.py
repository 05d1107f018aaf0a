"""The gate of `make coverage`: green on whole parts, red on one line missed, on a low share, on nothing measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.coverage_gate import main


def entry(lines: int, missed: list[int], branches: int = 10, taken: int = 10) -> dict[str, Any]:
    return {
        "missing_lines": missed,
        "summary": {
            "num_statements": lines,
            "covered_lines": lines - len(missed),
            "num_branches": branches,
            "covered_branches": taken,
        },
    }


def written(path: Path, **parts: dict[str, Any]) -> str:
    files = {f"{part}/one.py": found for part, found in parts.items()}
    path.write_text(json.dumps({"files": files}))
    return str(path)


def test_whole_parts_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = written(tmp_path / "c", scorer=entry(990, []), api=entry(100, [3]), vision=entry(100, [1, 2]))
    assert main([report]) == 0
    assert "scorer: 990 of 990 lines, 10 of 10 branches, together 100.0 %" in capsys.readouterr().out


def test_training_is_left_out(tmp_path: Path) -> None:
    report = {"scorer/a.py": entry(9, []), "api/a.py": entry(9, []), "vision/a.py": entry(9, [])}
    report["vision/train/a.py"] = entry(900, list(range(900)))
    (tmp_path / "c").write_text(json.dumps({"files": report}))
    assert main([str(tmp_path / "c")]) == 0


def test_one_line_of_the_scorer_is_too_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = written(tmp_path / "c", scorer=entry(9900, [7, 9]), api=entry(100, []), vision=entry(100, []))
    assert main([report]) == 1
    assert "scorer/one.py: no test runs line 7, 9" in capsys.readouterr().out


@pytest.mark.parametrize("part", ["api", "vision"])
def test_a_part_below_its_share_is_named(part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = {"scorer": entry(990, []), "api": entry(100, []), "vision": entry(100, [])}
    report = written(tmp_path / "c", **{**parts, part: entry(100, list(range(1, 13)))})
    assert main([report]) == 1
    assert f"{part}: 89.09 % of lines and branches, at least 90.0 % wanted" in capsys.readouterr().out
    del parts[part]
    assert main([written(tmp_path / "c", **parts)]) == 1
    assert f"{part}: nothing was measured" in capsys.readouterr().out
