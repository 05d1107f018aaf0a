"""The three-liners of docs/api-quickstart.md (and of the README, where it has them) run as they stand."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [(ROOT / name).read_text(encoding="utf-8") for name in ("docs/api-quickstart.md", "README.md")]
FOUND = [block for text in TEXTS for block in re.findall(r"```(sh|python|js)\n(.*?)```", text, re.S)]
BLOCKS = [(kind, code) for kind, code in FOUND if "127.0.0.1:8765/v1/" in code]
RUNNERS = {"sh": ["bash", "-c"], "python": [sys.executable, "-c"], "js": ["node", "--input-type=module", "-e"]}
EXPECTED = {"/v1/melds": 165, "/v1/scores": [365, -5]}


@pytest.mark.parametrize(("kind", "code"), BLOCKS, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(BLOCKS)])
def test_block(kind: str, code: str, live_server: Any, tmp_path: Path) -> None:
    command = RUNNERS[kind]
    program = "curl" if kind == "sh" else command[0]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if "@table.jpg" in code:
        pytest.importorskip("PIL.Image").new("RGB", (320, 240)).save(tmp_path / "table.jpg")
    code = code.replace("http://127.0.0.1:8765", live_server.base)
    done = subprocess.run([*command, code], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    if "/v1/photos" in code:
        assert answer["image"]["width"] > 0
    elif "/v1/scores" in code:
        assert [side["score"]["total"] for side in answer["sides"]] == EXPECTED["/v1/scores"]
    else:
        assert (answer["total"] if kind == "sh" else answer) == EXPECTED["/v1/melds"]


def test_there_is_a_block_of_each_kind() -> None:
    assert {kind for kind, _ in BLOCKS} == set(RUNNERS)
