"""The Dockerfile without Docker: what it says is checked, and its steps are gone through in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


class Step(NamedTuple):
    """An instruction of the Dockerfile with its words, continued lines joined."""

    name: str
    words: str


def steps(text: str) -> list[Step]:
    """The instructions, in order, comments left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", lines)
    return [Step(*line.split(None, 1)) for line in joined.splitlines() if line.strip()]


STEPS = steps((ROOT / "Dockerfile").read_text(encoding="utf-8"))
STAGES = [n for n, step in enumerate(STEPS) if step.name == "FROM"]
BUILD, LAST = STEPS[: STAGES[1]], STEPS[STAGES[1] :]


def named(stage: list[Step], name: str) -> list[str]:
    return [step.words for step in stage if step.name == name]


def variables() -> dict[str, str]:
    return dict(pair.split("=", 1) for words in named(LAST, "ENV") for pair in words.split())


def ignored(path: str) -> bool:
    """Whether .dockerignore leaves a path out."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    return any(fnmatch(path, line) or fnmatch(Path(path).name, line.removeprefix("**/")) for line in lines)


def copied(folder: Path) -> None:
    """The COPY instructions of the build stage, carried out."""
    for words in named(BUILD, "COPY"):
        *sources, target = words.split()
        for source in sources:
            assert (ROOT / source).exists() and not ignored(source), source
            if (ROOT / source).is_dir():
                skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
                shutil.copytree(ROOT / source, folder / target, ignore=skip)
            else:
                shutil.copy(ROOT / source, folder / target)


def test_two_stages_of_a_python_that_the_project_allows() -> None:
    assert len(STAGES) == 2
    for words in named(STEPS, "FROM"):
        version = re.match(r"python:(\d+)\.(\d+)-slim( AS build)?$", words)
        assert version and (int(version[1]), int(version[2])) >= (3, 11), words


def test_what_is_installed_exists() -> None:
    (extras,) = re.findall(r'"\.\[([\w,]+)\]"', " ".join(named(BUILD, "RUN")))
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    assert {"vision", "api", "postgres"} <= set(extras.split(","))
    assert all("--no-cache-dir" in words for words in named(BUILD, "RUN"))


def test_nobody_is_root_and_nothing_secret_is_baked_in() -> None:
    (user,) = named(LAST, "USER")
    assert user not in ("root", "0")
    assert any(
        f"useradd --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin {user}" in w
        for w in named(LAST, "RUN")
    )
    order = [step.name for step in LAST]
    assert order.index("USER") < order.index("CMD") and order.index("USER") > order.index("RUN")
    assert not [words for words in named(STEPS, "ENV") + named(STEPS, "ARG") if re.search("KEY|SECRET|PASSW", words)]
    assert not named(STEPS, "ADD")


def test_the_environment_is_made_of_settings_that_exist() -> None:
    pytest.importorskip("pydantic_settings", reason="needs the api extra")
    from api.settings import Settings

    stated = {key.removeprefix("BURRACO_").lower(): value for key, value in variables().items() if "BURRACO" in key}
    assert set(stated) <= set(Settings.model_fields)
    made = Settings(_env_file=None, **stated)  # type: ignore[arg-type]  # texts, as an environment gives them
    (volume,) = named(LAST, "VOLUME")
    assert (made.host, str(made.port), str(made.data_dir)) == ("0.0.0.0", named(LAST, "EXPOSE")[0], volume)
    (health,) = named(LAST, "HEALTHCHECK")
    assert f"http://127.0.0.1:{made.port}/healthz" in health
    assert json.loads(named(LAST, "CMD")[0])[0] in PROJECT["scripts"]


def test_the_compose_file_keeps_it_closed() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    for line in ("read_only: true", "cap_drop: [ALL]", '"no-new-privileges:true"', "127.0.0.1:8765:8765"):
        assert line in text
    assert not re.search(r"^\s*\w*PASSWORD: *[^$\s]", text, re.M), "a password stands in the file"


@pytest.mark.long
def test_its_steps_give_a_server_that_its_health_check_finds_well(tmp_path: Path) -> None:
    """COPY, then pip on nothing but what was copied (this environment's libraries), then CMD and HEALTHCHECK."""
    pytest.importorskip("uvicorn", reason="needs the api extra")
    source, target, data = tmp_path / "src", tmp_path / "opt", tmp_path / "data"
    source.mkdir()
    data.mkdir()
    copied(source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run([*pip, "--target", str(target), "."], cwd=source, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(source)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    env = {key: value for key, value in os.environ.items() if not key.startswith(("BURRACO_", "PYTHON"))}
    env |= {key: value for key, value in variables().items() if key != "PATH"}
    env |= {"BURRACO_DATA_DIR": str(data), "BURRACO_PORT": port, "BURRACO_PHOTO_WORKERS": "0"}
    env |= {"PYTHONPATH": str(target), "BURRACO_HOST": "127.0.0.1"}
    (command,) = (json.loads(words) for words in named(LAST, "CMD"))
    health = json.loads(named(LAST, "HEALTHCHECK")[0].partition("CMD ")[2])
    code = "import sys; from scorer.cli import main; sys.exit(main())"
    server = subprocess.Popen([sys.executable, "-c", code, *command[1:]], cwd=data, env=env)
    try:
        check = [sys.executable, *health[1:-1], health[-1].replace("8765", port)]
        for _ in range(240):
            if subprocess.run(check, cwd=data, env=env, capture_output=True, check=False).returncode == 0:
                break
            assert server.poll() is None
            time.sleep(0.5)
        else:
            raise AssertionError("the health check never found it well")
        ask = f"import urllib.request as u; print(len(u.urlopen('http://127.0.0.1:{port}/').read()))"
        page = subprocess.run(
            [sys.executable, "-c", ask], env=env, cwd=data, capture_output=True, text=True, check=True
        )
        assert int(page.stdout) > 500, "the page is in the package"
    finally:
        server.terminate()
        assert server.wait(60) in (0, -15), "it stops when it is told to"
    assert {file.name.partition("-")[0] for file in data.iterdir()} <= {"burraco.db"}, "it writes nowhere else"
