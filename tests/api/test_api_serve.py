"""`burraco serve`: settings, warnings, and what is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.settings import Settings
from scorer.cli import main
from scorer.messages import LANGS, has

ROOT = Path(__file__).resolve().parents[2]


def test_settings_are_shown_with_secrets_hidden(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BURRACO_API_KEYS", "very-secret")
    monkeypatch.setenv("BURRACO_DATABASE_URL", "postgresql://me:hunter2@db/x")
    monkeypatch.setenv("BURRACO_RATE_LIMIT", "600")
    assert main(["serve", "--show-settings", "--port", "9000"]) == 0
    out = capsys.readouterr().out
    shown = json.loads(out)
    assert "very-secret" not in out and "hunter2" not in out
    assert (shown["port"], shown["rate_limit"], shown["host"]) == (9000, 600, "127.0.0.1")
    assert set(shown) == set(Settings.model_fields)


@pytest.mark.parametrize(("name", "value"), [("PORT", "abc"), ("WORKERS", "0"), ("PHOTO_SECONDS", "-1")])
def test_a_bad_setting_is_one_line(
    name: str, value: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"BURRACO_{name}", value)
    assert main(["serve"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"BURRACO_{name}" in error


def test_an_open_server_without_keys_warns() -> None:
    assert Settings(host="127.0.0.1").warnings() == ()
    assert Settings(host="0.0.0.0").warnings() == ("serve_open_without_keys", "serve_open_without_rate_limit")
    assert Settings(host="0.0.0.0", api_keys="k", rate_limit=60).warnings() == ()
    assert all(has(code, lang) for lang in LANGS for code in Settings(host="0.0.0.0").warnings())


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)


_WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""


def test_without_vision_photos_say_how_to_install_it() -> None:
    names = ("cv2", "numpy", "onnxruntime", "PIL", "pillow_heif")
    code = (
        _WITHOUT.format(names=names)
        + """
import warnings; warnings.simplefilter("ignore")
from fastapi.testclient import TestClient
from api.app import create_app
from api.settings import Settings
with TestClient(create_app(Settings(access_log=False))) as client:
    answer = client.post("/v1/photos", files={"image": b"x"}, headers={"Accept-Language": "it"})
    assert answer.status_code == 501, answer.text
    assert "pip install 'burraco[vision]'" in answer.json()["detail"], answer.text
    assert client.post("/v1/melds", json={"cards": "4h 5h 6h"}).status_code == 200
"""
    )
    done = _python(code)
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_core_needs_neither_vision_nor_the_api() -> None:
    names = ("cv2", "numpy", "onnxruntime", "PIL", "fastapi", "starlette", "orjson", "uvicorn", "api", "vision")
    code = (
        _WITHOUT.format(names=names)
        + """
from scorer.cli import main
assert main(["meld", "4h 5h 6h", "--json"]) == 0
assert main(["serve"]) == 2
"""
    )
    done = _python(code)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "burraco[api]" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.long
def test_several_workers_add_up_their_figures(start_server: Callable[..., Any]) -> None:
    server = start_server(workers=2, photo_workers=0)
    for _ in range(12):  # each client is a new connection, which either process may take
        with server.client() as client:
            assert client.post("/v1/melds", json={"cards": "4h 5h 6h"}).status_code == 200
    with server.client() as client:
        text = client.get("/metrics").text
    line = next(x for x in text.splitlines() if x.startswith("burraco_requests_total") and '"/v1/melds"' in x)
    assert float(line.split()[-1]) == 12
    assert server.stop() in (0, -15)
