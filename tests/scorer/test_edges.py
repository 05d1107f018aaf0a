"""The rare branches: what cannot be, what is nearly never said, what only a terminal sees."""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scorer.cli
from scorer.cards import Card
from scorer.entries import score_entry
from scorer.errors import BurracoError, MatchError, NotationError, RecordError
from scorer.explain import fault_text, spoken_source
from scorer.match_report import chart_lines, sheet_lines
from scorer.melds import Violation, check_meld
from scorer.notation import parse_card, parse_sheet
from scorer.profile import load_profile, read_profile
from scorer.record import MAX_CHARS, option_text, parse_record, read_record, write_record
from scorer.record_lint import lint
from scorer.victory import read_tables

Burraco = Callable[..., Any]
VANIKAR = load_profile("vanikar")


def test_a_card_is_made_once_and_never_changes() -> None:
    seven = Card.of("7h")
    with pytest.raises(TypeError, match="interned"):
        Card()
    with pytest.raises(AttributeError):
        seven.code = 3
    with pytest.raises(AttributeError):
        del seven.code
    assert copy.copy(seven) is copy.deepcopy(seven) is seven


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("x", "no_object"), ({"form": "quick", "sides": ["x", {}]}, "object"),
        ({"form": "quick", "sides": [{"burrachi": []}, {}]}, "counts"),
        ({"form": "quick", "sides": [{"closed": 1}, {}]}, "closing"), ({"form": "sheet", "sheet": 3}, "no_text"),
    ],
)  # fmt: skip
def test_an_entry_of_the_wrong_shape(entry: Any, fault: str) -> None:
    with pytest.raises(MatchError) as caught:
        score_entry(entry, VANIKAR, ["A", "B"])
    assert caught.value.code == "bad_entry" and caught.value.params["fault"] == fault


def test_entries_that_do_not_fit_the_match() -> None:
    with pytest.raises(MatchError) as caught:
        score_entry({"form": "sheet", "sheet": "rules: fibur\n[A]\n[B]\n"}, VANIKAR, ["A", "B"])
    assert caught.value.code == "other_rules"
    with pytest.raises(MatchError) as caught:
        score_entry({"form": "sheet", "sheet": "[A]\n"}, VANIKAR, ["A", "B"])
    assert caught.value.code == "wrong_number_of_sides"
    sides = [{"pozzetto": "not_taken"}, {"pozzetto": "not_taken"}]
    void = score_entry({"form": "quick", "sides": sides}, load_profile("classico"), ["A", "B"])
    assert void.void and void.points == (0, 0) and void.legal


def test_sources_and_places_in_words() -> None:
    house = read_profile('id = "casa"\nextends = "fibur"\nbonus.clean = 210\n')
    assert spoken_source(house.source("bonus.clean"), "it") != house.source("bonus.clean") == "house rule"
    odd = Violation("too_many_copies", (Card.of("7h"),) * 3, "", (("count", 3), ("where", "somewhere")))
    assert "somewhere" in fault_text(odd, "en")


@pytest.mark.parametrize(("text", "code"), [("2s=7h", "bind_in_hand"), ("7h 8h", "one_card"), ("4h-6h", "one_card")])
def test_what_is_not_one_card(text: str, code: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_card(text)
    assert caught.value.code == code


@pytest.mark.parametrize(("word", "value"), [("none", "none"), ("nessuna", "none"), ("primo scarto", "first_discard")])
def test_a_sheet_without_a_trump_says_so(word: str, value: str) -> None:
    assert parse_sheet(f"trump: {word}\n[A]\n").options == {"trump": value}


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (("A", "3"), "A,3"), (None, "none"), (5, "5")]
)
def test_options_of_a_record(value: object, text: str) -> None:
    assert option_text(value) == text


HEAD = 'format = "burraco-record/1"\nrules = "vanikar"\nversion = 1\nplayers = ["A", "B"]\n'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * (MAX_CHARS + 1), "record_too_large"), (HEAD + 'lang = "fr"\n', "bad_field"),
        (HEAD + "options = 3\n", "bad_field"),
        (HEAD + "deal = 3\n", "bad_field"), (HEAD.replace('"A", "B"', '"A"'), "bad_field"),
        (HEAD + '[[deal]]\ndealer = "N"\nodd = 1\nplay = ""\n', "record_field"),
    ],
)  # fmt: skip
def test_a_record_of_the_wrong_form(text: str, code: str) -> None:
    assert code in [fault.code for fault in parse_record(text)[1]]
    with pytest.raises(RecordError):
        read_record(text)


def test_options_of_a_record_may_stand_in_tables() -> None:
    record, _ = parse_record(HEAD + "[options]\nsets = true\n[options.bonus]\nclean = 210\n")
    assert record is not None and dict(record.options) == {"bonus.clean": "210", "sets": "true"}


def test_odd_names_and_an_unknown_deck_survive_the_file() -> None:
    head = HEAD.replace('"A"', '"A \\"q\\" \\u0001"')
    record, faults = parse_record(head + '[[deal]]\ndealer = "N"\ndeck = "?"\nplay = """\n"""\n')
    assert record is not None and faults == [] and record.players[0] == 'A "q" \x01'
    text = write_record(record)
    assert 'deck = "?"' in text and read_record(text) == record
    assert [finding.code for finding in lint(HEAD)] == ["no_deals"]


def test_a_tournament_holds_no_more_than_it_can() -> None:
    from scorer.tournament import Entrant, Tournament, TournamentInfo, draw

    three = tuple(Entrant(number, (f"P{number}",), False, 1) for number in (1, 2, 3))
    with pytest.raises(MatchError) as caught:
        draw(Tournament(TournamentInfo("Sera", individuals=True), 0, three, (), (), False))
    assert (caught.value.code, caught.value.params["least"]) == ("too_few_entries", 4)


def test_a_table_of_victory_points_needs_its_deals() -> None:
    upper = [50, 150, 250, 350, 500, 650, 800, 1000, 1250, 1500]
    with pytest.raises(MatchError) as caught:
        read_tables(f"[odd]\ndeals = 0\nupper = {upper}\n")
    assert caught.value.params["fault"] == "vp_deals"


def match(deals: list[tuple[int, int]], **more: Any) -> dict[str, Any]:
    """A match as `MatchBook` shows it, as far as a report looks at it."""
    running, rows = [0, 0], []
    for number, points in enumerate(deals, 1):
        running = [a + b for a, b in zip(running, points, strict=True)]
        rows.append({"number": number, "points": list(points), "running": list(running), "state": "counted",
                     "void": False, "amended": False, "faults": []})  # fmt: skip
    return {
        "name": "", "rules": {"id": "vanikar"}, "target": 2005, "length": None, "vp": None, "deals": rows,
        "deal_count": len(rows), "sides": [{"name": "Noi"}, {"name": "Loro"}], "totals": running, "finished": False,
        "winners": [], "leaders": [0], "victory": None, "missing": [5, 6], "notes": [{"text": "rain"}],
        "dealer": {"player": "", "side": "Noi", "seat": 1}, **more,
    }  # fmt: skip


def test_a_long_match_is_drawn() -> None:
    chart = list(chart_lines(match([(100, 400), (300, -200), (500, 500)])))
    assert len(chart) == 12 and any("*" in line for line in chart)
    drawn = "\n".join(chart)
    assert "Noi" in drawn and "Loro" in drawn and chart[0].startswith("   2005 │")
    page = match([(100, 400), (300, -200)], deal_count=9)
    shown = list(sheet_lines(page, "en"))
    assert "# rain" in shown and any("9" in line for line in shown[:4])
    ended = match([(2100, 400)], finished=True, winners=[0], victory=[17, 3])
    assert any("17" in line for line in sheet_lines(ended, "it"))


def test_a_bad_table_of_rules_never_reaches_the_scorer(burraco: Burraco, tmp_path: Path) -> None:
    deep = tmp_path / "deep.toml"
    deep.write_text("a = " + "{b=" * 3000 + "1" + "}" * 3000, encoding="utf-8")
    ran = burraco("rules", "check", str(deep))
    assert ran.code == 2 and len(ran.err.splitlines()) == 1


def test_many_wrong_cases_are_counted(burraco: Burraco) -> None:
    ran = burraco("conformance", "--", sys.executable, "-c", "import sys\nfor line in sys.stdin: print('{}')")
    assert ran.code == 1 and "more" in ran.out and "0 of" in ran.out
    lame = burraco("conformance", "--answer", stdin='{"kind": "meld", "cards": "4x"}\n3\n')
    assert lame.code == 2 and len(lame.out.splitlines()) == 2


def test_a_traceback_only_when_asked(burraco: Burraco, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BURRACO_DEBUG", "1")
    monkeypatch.setattr("scorer.cli.meld.check_meld", lambda *_args: 1 / 0)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    assert scorer.cli.main(["meld", "4h 5h 6h"]) == 2
    assert "ZeroDivisionError" in shown.getvalue() and "Traceback" in shown.getvalue()


def test_a_command_that_exits_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, code in ((3, 3), ("words", 2), (None, 2)):

        def leave(_args: list[str], value: object = value) -> int:
            raise SystemExit(value)

        monkeypatch.setattr(scorer.cli, "_run", leave)
        assert scorer.cli.main(["meld"]) == code


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


SHEET = "[A]\n4h-10h\npot: yes\nclosed: yes\n[B]\nhand: 5c\npot: no\n"


def on_screen(monkeypatch: pytest.MonkeyPatch, *args: str) -> str:
    """What the command shows on a terminal of its own."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    shown = Screen()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SHEET.encode())))
    assert scorer.cli.main(list(args)) in (0, 1)
    return shown.getvalue()


def test_a_deal_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "350" in on_screen(monkeypatch, "score", "-")
    compared = on_screen(monkeypatch, "score", "-", "--compare", "fibur,stekius", "--rules", "vanikar")
    assert all(ident in compared for ident in ("fibur", "stekius", "vanikar"))
    nobody = "rules: classico\n[A]\n4h 5h 6h\npot: no\n[B]\npot: no\n"
    monkeypatch.setattr(sys.modules[__name__], "SHEET", nobody)
    assert "void" in on_screen(monkeypatch, "score", "-")


def test_a_meld_with_a_reason_on_a_terminal(burraco: Burraco) -> None:
    ran = burraco("meld", "3h 4h 5h 6h 7h 8h 9h JK Jh", "--rules", "fibur", "--explain")
    assert ran.code == 0 and "semi_position" in ran.out


def test_the_memory_of_a_server_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    import scorer.contract as contract

    monkeypatch.setattr(contract, "_KEPT_MELDS", 2)
    profile = load_profile("stbl", {"target": 1005})
    bags = [tuple(Card.of(c) for c in text.split()) for text in ("4h 5h 6h", "5h 6h 7h", "6h 7h 8h", "7h 8h 9h")]
    for bag in bags * 2:
        assert contract.kept_verdict(bag, profile) == check_meld(bag, profile)


def test_a_profile_travels_without_what_others_remember() -> None:
    profile = load_profile("fibur", {"target": 1005})
    profile.memory["a key"] = lambda: None  # cannot be pickled
    for twin in (pickle.loads(pickle.dumps(profile)), copy.deepcopy(profile)):
        assert twin == profile and twin.memory == {} and twin.rules == profile.rules


def test_a_refusal_is_one_line_of_json(burraco: Burraco) -> None:
    ran = burraco("score", "-", "--json", stdin=json.dumps({"sides": [{"name": "A", "melds": ["4h x9"]}]}))
    assert ran.code == 2 and isinstance(ran.err, str)
    with pytest.raises(BurracoError):
        load_profile("nope")
