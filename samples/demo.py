"""`make demo`: score a real sheet, then a photo of a table. What it prints is what the commands print."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BURRACO = str(Path(sys.executable).with_name("burraco"))


def show(*args: str) -> int:
    """Run a command of the product and show it as typed; its exit code."""
    sys.stdout.write("\n$ burraco " + " ".join(arg if " " not in arg else f"'{arg}'" for arg in args) + "\n\n")
    sys.stdout.flush()
    return subprocess.run([BURRACO, *args], cwd=HERE.parent, check=False).returncode


def main() -> int:
    """0 when every command did its work (a photo with doubts exits 1 and has done its work)."""
    bad = show("meld", "4h 5h 6h 2s 8h 9h 10h") != 0
    bad |= show("score", "samples/fibur_it.txt", "--lang", "it") != 0
    for photo in sorted((HERE / "photos").glob("*.jpg"))[:1]:
        bad |= show("photo", str(photo.relative_to(HERE.parent)), "--rules", "fibur") == 2
    return int(bad)


if __name__ == "__main__":
    raise SystemExit(main())
