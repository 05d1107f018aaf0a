"""`burraco match` and `burraco tournament` as they are typed."""

import json
from pathlib import Path

import pytest

from scorer.cli import main


@pytest.fixture(autouse=True)
def _own_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BURRACO_DATA_DIR", str(tmp_path / "book"))
    monkeypatch.delenv("BURRACO_DATABASE_URL", raising=False)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


SIDES = ("--side", "Noi: Anna, Bruno", "--side", "Loro: Carla, Dino")


def test_a_match_from_the_first_deal_to_the_export(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(capsys, "match", "show")[0] == 2  # there is none yet
    code, out, _ = run(capsys, "match", "new", *SIDES, "--rules", "fibur", "--lang", "it")
    assert code == 0 and "Dà le carte: Anna" in out
    quick = ("puliti 1, carte 80, mano 15, chiude, pozzetto giocato", "sporchi 1, carte 60, mano 65, pozzetto no")
    code, out, _ = run(capsys, "match", "add", "--quick", quick[0], "--quick", quick[1], "--lang", "it")
    assert code == 0 and "Noi: mancano 1640 al traguardo" in out
    assert run(capsys, "match", "edit", "1", "--total", "355,-5")[0] == 0
    view = json.loads(run(capsys, "match", "show", "--json")[1])
    assert view["totals"] == [355, -5] and view["deals"][0]["amended"]
    assert json.loads(run(capsys, "match", "undo", "--json")[1])["totals"] == [365, -5]
    assert json.loads(run(capsys, "match", "note", "una pizza", "--json")[1])["notes"][0]["text"] == "una pizza"
    assert "pulito" not in run(capsys, "match", "stats")[1]
    for ending, start in ((".json", b"{"), (".csv", b"deal,"), (".pdf", b"%PDF"), (".png", b"\x89PNG")):
        target = tmp_path / f"match{ending}"
        assert run(capsys, "match", "export", str(target))[0] == 0
        assert target.read_bytes().startswith(start)
    assert run(capsys, "match", "import", str(tmp_path / "match.json"))[0] == 2  # it is already here
    copied = json.loads(run(capsys, "match", "import", str(tmp_path / "match.json"), "--copy", "--json")[1])
    assert copied["totals"] == [365, -5]
    assert len(json.loads(run(capsys, "match", "list", "--json")[1])) == 2


def test_a_sheet_becomes_a_deal_and_its_mistakes_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(capsys, "match", "new", *SIDES)
    sheet = tmp_path / "deal.txt"
    sheet.write_text(
        "lang: it\n[Noi]\n4C-10C\n5C 6C 9C\npozzetto: sì\nchiude: sì\n[Loro]\nmano: JK\npozzetto: no\n", "utf-8"
    )
    code, out, err = run(capsys, "match", "add", str(sheet))
    assert code == 0 and "hole" in err and "has mistakes" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("add",), "one way"),
        (("add", "--total", "363,0"), "multiple of 5"),
        (("add", "--total", "5000,0"), "no deal can give"),
        (("add", "--total", "a,b"), "whole number"),
        (("add", "--total", "1"), "each of the 2 sides"),
        (("add", "--total", "1", "--lang", "it"), "ognuna delle 2 parti"),
        (("add", "--quick", "pot eaten", "--quick", ""), "pot eaten"),
        (("add", "--quick", "cards 10, closed, pot not taken", "--quick", ""), "without having taken"),
        (("add", "--quick", "closed", "--quick", "closed"), "cannot be"),
        (("add", "--quick", "flying 3 times", "--quick", ""), "whole number"),
        (("edit", "7", "--void"), "no deal 7"),
        (("undo",), "nothing to undo"),
        (("target", "7"), "target"),
        (("export", "x.doc"), "ending"),
        (("show", "-m", "zzz"), "no such match"),
        (("add", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_what_cannot_be_is_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str) -> None:
    run(capsys, "match", "new", *SIDES)
    code, _, err = run(capsys, "match", *words)
    assert code == 2 and says in err and err.count("\n") == 1, err


def test_a_match_ends_closes_and_opens_again(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "match", "new", *SIDES, "--option", "target=505")
    out = run(capsys, "match", "add", "--total", "505,100", "--lang", "it")[1]
    assert "Vince Noi" in out
    assert run(capsys, "match", "add", "--total", "5,5")[0] == 2
    assert json.loads(run(capsys, "match", "target", "1005", "--json")[1])["finished"] is False
    assert json.loads(run(capsys, "match", "close", "--json")[1])["closed"]
    assert json.loads(run(capsys, "match", "reopen", "--json")[1])["closed"] is False


def test_a_broken_database_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "burraco.db").write_bytes(b"no database" * 100)
    code, _, err = run(capsys, "match", "list")
    assert code == 2 and err.count("\n") == 1 and "Traceback" not in err


def test_an_evening_at_the_club(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    entries = Path(__file__).parents[2] / "samples" / "tournament.csv"
    code, out, _ = run(capsys, "tournament", "new", "--name", "Giovedì", "--entries", str(entries), "--rounds", "2")
    assert code == 0 and "Lucia / Marco" in out
    assert "Elena / Fabio  sits out" in run(capsys, "tournament", "round")[1]
    assert "VP 17-3" in run(capsys, "tournament", "result", "1", "820:0")[1]
    assert run(capsys, "tournament", "round")[0] == 2  # table 2 is still playing
    assert run(capsys, "tournament", "result", "2", "300:100", "--vp", "10:8")[0] == 0
    assert run(capsys, "tournament", "enter", "Nina", "Otto")[0] == 0
    assert "Nina" in run(capsys, "tournament", "round")[1]
    ranking = json.loads(run(capsys, "tournament", "standings", "--json")[1])
    assert [row["vp"] for row in ranking][:3] == [17, 12, 10]
    for words in (("a.pdf",), ("b.csv",), ("c.pdf", "--round", "1")):
        assert run(capsys, "tournament", "export", str(tmp_path / words[0]), *words[1:])[0] == 0
    assert run(capsys, "tournament", "undo")[0] == 0
    assert run(capsys, "tournament", "withdraw", "99")[0] == 2
    assert json.loads(run(capsys, "tournament", "close", "--json")[1])["finished"]


@pytest.mark.parametrize(("kind", "flag"), [("match", "-m"), ("tournament", "-t")])
def test_a_book_goes_by_the_start_of_its_id(capsys: pytest.CaptureFixture[str], kind: str, flag: str) -> None:
    assert run(capsys, kind, "show")[0] == 2  # there is none yet
    first, _ = [json.loads(run(capsys, kind, "new", "--json")[1])["id"] for _ in range(2)]
    assert json.loads(run(capsys, kind, "show", flag, first[:10], "--json")[1])["id"] == first
    code, _, err = run(capsys, kind, "show", flag, "")
    assert code == 2 and "2 matches begin with" in err
    code, _, err = run(capsys, kind, "show", flag, "?")
    assert code == 2 and "no such match" in err


@pytest.mark.parametrize("kind", ["match", "tournament"])
def test_an_export_that_cannot_be_written_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str
) -> None:
    run(capsys, kind, "new")
    code, _, err = run(capsys, kind, "export", str(tmp_path / "nowhere" / "a.csv"))
    assert code == 2 and "a.csv" in err and err.count("\n") == 1, err


def test_a_photo_is_added_when_nothing_is_in_doubt(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(capsys, "match", "new", *SIDES, "--rules", "fibur")
    read: list[str] = []

    def sure(file: str, profile: object, lang: str) -> str | None:
        read.append(getattr(profile, "id", ""))
        return "[Noi]\n4h-10h\n[Loro]\n7h 7d 7s\n" if file.endswith("sure.jpg") else None

    monkeypatch.setattr("vision.cli.sheet_without_doubts", sure)
    assert json.loads(run(capsys, "match", "add", "sure.jpg", "--json")[1])["totals"] == [250, 15]
    code, _, err = run(capsys, "match", "add", "doubt.jpg")
    assert code == 2 and "leaves doubts" in err and read == ["fibur", "fibur"]
