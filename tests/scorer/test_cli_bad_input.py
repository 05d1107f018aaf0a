"""Whatever comes in: one clear line on standard error, exit 2 (1 for the rules), never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scorer.cli
from scorer.cli.common import MAX_INPUT, SHOWN_ERRORS

Burraco = Callable[..., Any]
START = [sys.executable, "-c", "import sys; from scorer.cli import main; sys.exit(main())"]


def refused(ran: Any, *words: str) -> None:
    """Exit 2, nothing on standard output, the first line says what is wrong."""
    assert (ran.code, ran.out) == (2, ""), ran
    first = ran.err.splitlines()[0]
    assert first.startswith("burraco: ") and len(first) < 1000
    for word in words:
        assert word in first, first
    assert ran.err.isascii() or "\x00" not in ran.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["meld"], ["CARDS"]),
        (["meld", ""], ["no card"]),
        (["meld", "4h", "--rules", "fibr"], ["fibr", "did you mean fibur"]),
        (["meld", "4h", "--option", "max_wild=2"], ["did you mean max_wilds", "values.joker"]),
        (["meld", "4h", "--option", "max_wilds=lots"], ["0 to 4"]),
        (["meld", "4h", "--option", "max_wilds"], ["KEY=VALUE"]),
        (["meld", "4h", "--lang", "fr"], ["--lang", "en, it"]),
        (["meld", "4h", "--rules", "fibur", "--rules-file", "x"], ["not both"]),
        (["meld", "4h", "--rules-file", "/no/such/file.toml"], ["no file"]),
        (["meld", "4h", "--colour"], ["--colour"]),
        (["meld", "7C 8P"], ["--lang it"]),
        (["meld", "7C 8h 9P"], ["mixes"]),
        (["meld", "4h\x07 5h"], ["U+0007"]),
        (["meld", "4h " * 3000], ["too long"]),
        (["meld", "4h\udcff"], ["character"]),
        (["score", "/no/such/sheet.txt"], ["no file"]),
        (["score", "/"], ["directory"]),
        (["score", "a\x00b"], ["no file"]),
        (["score", "-", "--compare", "fibur,nope"], ["nope"]),
        (["rules", "show", "fibr"], ["did you mean fibur"]),
        (["rules", "check", "/no/such.toml"], ["no file"]),
        (["rules", "diff", "fibur"], ["Missing"]),
        (["rules", "nothing"], ["nothing"]),
        (["melt"], ["did you mean meld"]),
        (["--nothing"], ["--nothing"]),
    ],
)
def test_wrong_usage_is_one_clear_line(args: list[str], words: list[str], burraco: Burraco) -> None:
    refused(burraco(*args, stdin="[A]\n4h 5h 6h\n"), *words)


SHEETS: list[tuple[bytes, str]] = [
    (b"", "empty"),
    (b"   \n\n\t\n", "empty"),
    (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)), "UTF-8"),
    (b"[A]\n4h \x00 5h\n", "U+0000"),
    (b"[A]\n4h \x1b[31m5h 6h\n", "U+001B"),
    (b"[A]\n" + b"4h " * 1_700_000, "too large"),
    (b"[A]\n" + b"4h " * 30_000, "too long"),
    (b"x" * 5_000_000, "too large"),
    (b"[A]\n7C 8P 9h\n", "mixes"),
    (b"lang: it\n[A]\n7h 8h\n", "lang en"),
    (b"4h 5h 6h\n", "side"),
    (b"[A]\nrulez: fibur\n", "rulez"),
    (b"rules: fibr\n[A]\n", "fibur"),
    (b"option: max_wild=2\n[A]\n", "max_wilds"),
    (b"{", "not JSON"),
    (b"{}", "sides"),
    (b'{"sides": [{"name": "A"}]', "not JSON"),
    (b'[{"sides": []}]', "must be an object"),
    (b'{"sides": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not JSON"),
    (b'{"sides": [{"name": "\\ud800"}]}', "short text"),
    (b'{"sides": [{}], "rule\\ud800s": 1}', "unknown key"),
    (b'{"sides": NaN}', "sides"),
]


@pytest.mark.parametrize(("data", "words"), SHEETS, ids=[str(n) for n in range(len(SHEETS))])
def test_an_unreadable_deal(data: bytes, words: str, burraco: Burraco, tmp_path: Path) -> None:
    refused(burraco("score", "-", stdin=data), words)
    file = tmp_path / "deal"
    file.write_bytes(data)
    refused(burraco("score", str(file), "--json"), words)


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"a = " + b"[" * 20_000, "TOML"), (b"id = 5" * 3, "TOML"), (b"version = " + b"9" * 6000, "TOML"), (b"", "empty"),
     (b"\xff", "UTF-8"), (b"id = 'x'\n", "missing"), (b"extends = 'nope'", "nope"), (b"[a]\n" * 2, "TOML"),
     (b"extends = 'fibur'\nmeld.max_wilds." + b"a." * 3000 + b"b = 1\n", "nested too deeply"),
     (b"extends = 'fibur'\nmeld.max_wilds = 0x" + b"f" * 6000, "TOML")],
)  # fmt: skip
def test_unreadable_house_rules(data: bytes, words: str, burraco: Burraco, tmp_path: Path) -> None:
    file = tmp_path / "casa.toml"
    file.write_bytes(data)
    record = str(Path(__file__).parents[2] / "samples" / "records" / "fibur-4.toml")
    of_file = ["--rules-file", str(file)]
    for args in (["rules", "check", str(file)], ["meld", "4h", *of_file], ["lint", record, *of_file],
                 ["replay", record, *of_file]):  # fmt: skip
        ran = burraco(*args)
        assert (ran.code, ran.out) == (2, "") and words in ran.err and "internal" not in ran.err
        assert len(ran.err.splitlines()) == 1


def test_the_same_refusals_in_italian(burraco: Burraco) -> None:
    refused(burraco("score", "-", "--lang", "it", stdin=b""), "è vuoto")
    refused(burraco("meld", "7h", "--lang=it"), "riga 1, colonna 1", "lang en")
    refused(burraco("meld", "7C", "--lang", "it", "--rules", "fibr"), "regolamento sconosciuto")
    refused(burraco("meld", "7C", "--lang", "it", "--option", "semi_set=9"), "uno fra at_least_8, exactly_8")


def test_every_fault_of_a_sheet_is_told(burraco: Burraco) -> None:
    ran = burraco("score", "-", stdin="[A]\n4h 5x 6h\n7y\nhand: zz\n")
    lines = ran.err.splitlines()
    assert [line.split(": ")[0 if at else 1].strip() for at, line in enumerate(lines)] == [
        "line 2, column 4", "line 3, column 1", "line 4, column 7",
    ]  # fmt: skip
    many = burraco("score", "-", stdin="[A]\n" + "4x\n" * 40)
    assert len(many.err.splitlines()) == SHOWN_ERRORS + 1 and "(30)" in many.err.splitlines()[-1]


def test_a_file_that_may_not_be_read(burraco: Burraco, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "sheet.txt"
    file.write_text("[A]\n4h 5h 6h\n", encoding="utf-8")

    def closed(self: Path, *_args: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", closed)  # the tests may run as root, whom no mode stops
    refused(burraco("score", str(file)), "cannot be read", "Permission denied")


def test_an_endless_file_is_not_read_to_its_end(burraco: Burraco) -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("no /dev/zero here")
    refused(burraco("score", "/dev/zero"), f"at most {MAX_INPUT} bytes")


def test_a_stream_answers_every_line_and_survives_all_of_them(burraco: Burraco) -> None:
    lines = [b"4h 5h 6h", b"", b"\xff\xfe", b"4h\x00", b"4h " * 1_700_000, b"7C 8P", b"5h 6h", b"[A]", b"Kh Ah 2h"]
    ran = burraco("meld", "-", "--json", stdin=b"\r\n".join(lines))
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer.get("legal", answer.get("error", {}).get("code")) for answer in answers] == [
        True, "empty_meld", "not_text", "control_character", "line_too_long", "other_language", False, "not_a_card",
        True,
    ]  # fmt: skip
    for answer in answers:
        if "error" in answer:
            assert {"code", "message", "column", "token"} <= answer["error"].keys()
            assert len(json.dumps(answer)) < 1000
    assert (ran.code, ran.err) == (2, "")


def test_a_stream_for_people_tells_the_line(burraco: Burraco) -> None:
    ran = burraco("meld", "-", stdin="4h 5h 6h\n4h 9x\n5h 6h\n")
    assert ran.code == 2
    assert ran.err == "line 2, column 4: “9x”: no such suit; expected h d c s ♥ ♦ ♣ ♠\n"
    assert ran.out.splitlines()[1] == "5♥ 6♥  not a legal meld: 2 cards are too few: a meld needs at least 3"


@pytest.mark.parametrize(("lines", "code"), [("4h 5h 6h\n", 0), ("4h 5h 6h\n4h 5h\n", 1), ("4h 5h\nx\n", 2), ("", 2)])
def test_the_worst_line_decides_the_exit_code(lines: str, code: int, burraco: Burraco) -> None:
    assert burraco("meld", "-", stdin=lines).code == code


def test_a_fault_of_ours_is_one_line_too(burraco: Burraco, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_params: object) -> object:
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr("scorer.cli.meld.check_meld", broken)
    refused(burraco("meld", "4h 5h 6h"), "internal error", "ZeroDivisionError: first line")


def test_a_missing_extra_says_what_to_install(burraco: Burraco, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_args: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'cv2'", name="cv2")

    monkeypatch.setattr(scorer.cli, "_run", missing)
    refused(burraco("photo", "x.jpg"), "pip install 'burraco[vision]'")


def test_an_interruption_is_one_line(burraco: Burraco, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_args: object, **_params: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("scorer.cli.meld.check_meld", stopped)
    ran = burraco("meld", "4h 5h 6h")
    assert (ran.code, ran.out, ran.err.strip()) == (2, "", "burraco: interrupted")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, EOFError])
def test_an_interruption_while_it_starts_or_at_a_question(
    stop: type[BaseException], burraco: Burraco, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C before the command runs (its imports take a moment), and Ctrl-D where a command asks something."""

    def stopped(*_args: object, **_params: object) -> object:
        raise stop

    where = "scorer.cli.app.command" if stop is KeyboardInterrupt else "scorer.cli.meld.check_meld"
    monkeypatch.setattr(where, stopped)
    ran = burraco("meld", "4C 5C 6C", "--lang", "it")
    assert (ran.code, ran.out, ran.err.strip()) == (2, "", "burraco: interrotto")


def test_a_closed_pipe_is_silent() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen([*START, "meld", "-", "--json"], stdin=subprocess.PIPE, stdout=writer,
                               stderr=subprocess.PIPE)  # fmt: skip
    os.close(writer)
    _, err = process.communicate(b"4h 5h 6h\n" * 50, timeout=60)
    assert (process.returncode, err) == (2, b"")


@pytest.mark.parametrize("args", [("meld", "-"), ("conformance", "--answer")])
def test_no_standard_input_at_all(args: tuple[str, ...]) -> None:
    ran = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *START, *args], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2 and "empty" in ran.stderr and "Traceback" not in ran.stderr


def test_an_output_that_cannot_show_symbols() -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run([*START, "meld", "4h 5h 6h"], capture_output=True, text=True, timeout=60, env=env)
    assert ran.returncode == 0 and "\\u2665" in ran.stdout


def test_a_stream_answers_before_the_next_line_comes_and_stops_at_ctrl_c() -> None:
    # a shell's background job ignores Ctrl-C, and its children with it
    start = START[2].replace("; sys.exit", "; signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit")
    command = [*START[:2], "import signal; " + start, "meld", "-", "--json"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"4h 5h 6h\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["legal"] is True  # its input is still open
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (2, b"", b"burraco: interrupted")
