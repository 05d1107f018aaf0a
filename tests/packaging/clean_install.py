"""What somebody with nothing but Python and pip gets: `python tests/packaging/clean_install.py [PYTHON ...]`.

Builds the sdist, the wheel out of that sdist, and installs the wheel for each interpreter into a new virtual
environment, with an empty home, outside the checkout. There every command that the README and the tutorials show is
run and its output compared with what they show, and the server answers what the README asks of it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "README.it.md", "docs/tutorial.md", "docs/house-rules.md")
CONSOLE = re.compile(r"```console\n\$ (.*?)\n(.*?)```", re.S)
SHELL = re.compile(r"```(?:sh)?\n((?:burraco|curl) .*?)```", re.S)
#: Files without which an installed wheel is not whole, by pattern and least number.
WHOLE = {
    r"scorer/profiles/\w[\w-]*\.toml": 12, r"scorer/messages/\w+_(en|it)\.toml": 8, r"scorer/tables/\w+\.toml": 1,
    r"scorer/conformance/\w+\.jsonl": 2, r"api/web/.*\.(js|css|html)": 12, r"api/migrations/versions/\w+\.py": 1,
    r"api/fonts/.*\.ttf": 2, r"models/.*\.onnx": 2, r"models/.*\.json": 1, r"burraco-.*/licenses/LICENSE": 1,
}  # fmt: skip
#: And what has no place in one.
STRANGERS = re.compile(r"^(tests|bench|docs|samples|build|\.ci)/|\.pt$|/__pycache__/")


class Clean:
    """A folder outside the checkout: an empty home, a virtual environment with the wheel, the samples to try."""

    def __init__(self, folder: Path, python: str, wheel: Path) -> None:
        self.home = folder / "home"
        self.here = folder / "table"
        self.home.mkdir(parents=True)
        shutil.copytree(ROOT / "samples", self.here / "samples")
        shutil.copy(ROOT / "samples" / "photos" / "table_1.jpg", self.here / "table.jpg")
        self.bin = folder / "venv" / "bin"
        self.env = {"HOME": str(self.home), "PATH": f"{self.bin}:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        self.env |= _index()
        subprocess.run([python, "-m", "venv", str(folder / "venv")], env=self.env, check=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[vision,api]"]
        subprocess.run([self.bin / "python", *install], env=self.env, cwd=self.here, check=True)

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """A line of shell, as one types it."""
        return subprocess.run(
            ["sh", "-c", line], env=self.env, cwd=self.here, capture_output=True, text=True, check=False, timeout=600
        )


def _index() -> dict[str, str]:
    """Where pip finds the package index on this machine: it must outlive the empty home."""
    found = {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
    for config in (Path.home() / ".config" / "pip" / "pip.conf", Path.home() / ".pip" / "pip.conf"):
        if config.exists():
            found.setdefault("PIP_CONFIG_FILE", str(config))
    return found


def built(folder: Path) -> tuple[Path, Path]:
    """The sdist of what is committed, and the wheel made out of it."""
    source = folder / "source"
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", str(source)], input=archive, check=True)
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(source)], check=True, capture_output=True
    )
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


def wheel_faults(wheel: Path) -> Iterator[str]:
    """What the wheel lacks, and what it should not have."""
    names = zipfile.ZipFile(wheel).namelist()
    for pattern, least in WHOLE.items():
        count = len([name for name in names if re.fullmatch(pattern, name)])
        if count < least:
            yield f"{wheel.name}: {count} files like {pattern}, expected {least}"
    yield from (f"{wheel.name}: holds {name}" for name in names if STRANGERS.search(name))


def shown_faults(clean: Clean) -> Iterator[tuple[str, str]]:
    """Each command that a page shows, and what is wrong with its output (empty: nothing)."""
    for page in PAGES:
        for line, shown in CONSOLE.findall((ROOT / page).read_text(encoding="utf-8")):
            ran = clean.run(line)
            good = ran.returncode in (0, 1) and ran.stdout.strip() == shown.strip()
            yield f"{page}: {line}", "" if good else f"exit {ran.returncode}\n{ran.stdout}{ran.stderr}"


def shell_faults(clean: Clean) -> Iterator[tuple[str, str]]:
    """The README's lines without output: a photo to a sheet to a score, the server with the README's own request."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = SHELL.findall(text)
    for line in next(block for block in blocks if "burraco photo" in block).splitlines():
        ran = clean.run(line)
        yield f"README.md: {line}", "" if ran.returncode in (0, 1) else f"exit {ran.returncode}\n{ran.stderr}"
    yield "README.md: burraco serve and curl", _served(clean, next(block for block in blocks if "curl" in block))


def _served(clean: Clean, line: str) -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [clean.bin / "burraco", "serve", "--port", str(port)], env=clean.env, cwd=clean.here,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        words = shlex.split(line)
        address = next(word for word in words if word.startswith("http")).replace(":8765/", f":{port}/")
        body = words[words.index("-d") + 1].encode()
        wait_for(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2).status == 200)
        asked = urllib.request.Request(address, body, {"content-type": "application/json"})
        answer = json.load(urllib.request.urlopen(asked, timeout=60))
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).read().decode()
        return "" if (answer["type"], answer["total"]) == ("dirty", 165) and "<title>" in page else str(answer)[:300]
    except OSError as error:
        return str(error)
    finally:
        server.terminate()
        server.wait(60)


def wait_for(ready: Callable[[], bool], seconds: float = 120) -> None:
    """Until `ready` is true; the last error when it never is."""
    end = time.monotonic() + seconds
    while True:
        try:
            if ready():
                return
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(0.2)


def tried(python: str, wheel: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Everything that is tried for one interpreter, each with what is wrong about it."""
    clean = Clean(folder, python, wheel)
    version = clean.run("burraco --version")
    yield "burraco --version", "" if version.returncode == 0 and version.stdout.strip() else version.stderr
    cases = clean.run("burraco conformance && burraco conformance -- burraco conformance --answer")
    yield "burraco conformance, alone and as an engine", "" if cases.returncode == 0 else cases.stdout + cases.stderr
    yield from shown_faults(clean)
    yield from shell_faults(clean)


def main() -> int:
    """0 when everything is as the pages show it."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("python", nargs="*", default=[sys.executable], help="interpreters; default: this one")
    pythons = asked.parse_args().python
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdist, wheel = built(folder / "dist")
        print(f"{sdist.name} {sdist.stat().st_size / 1e6:.1f} MB, {wheel.name} {wheel.stat().st_size / 1e6:.1f} MB")
        faults = [("the wheel is whole", "\n".join(wheel_faults(wheel)))]
        for number, python in enumerate(pythons):
            faults += [(f"{python}: {what}", fault) for what, fault in tried(python, wheel, folder / str(number))]
        for what, fault in faults:
            passed, failed = passed + (not fault), failed + bool(fault)
            print(f"{'FAILED' if fault else 'ok'}  {what}\n{fault}".rstrip())
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
