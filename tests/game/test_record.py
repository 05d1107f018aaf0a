"""The record: reading, writing, replaying, and what the linter finds, with line and column."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from scorer.cards import DECK
from scorer.errors import BurracoError, RecordError
from scorer.game import apply, deal, result_of
from scorer.game.state import DISCARD, DRAW_CARD, STALL_ROUNDS, TAKE, TURN_CAP, Action
from scorer.profile import load_profile, profile_ids
from scorer.record import UNKNOWN_DECK, parse_record, read_record, record_of, rules_digest, write_record
from scorer.record_lint import lint
from scorer.record_play import deal_record, opening, replay

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "records"
GOOD = sorted(SAMPLES.glob("*.toml"))


def text_of(name: str) -> str:
    return (SAMPLES / f"{name}.toml").read_text(encoding="utf-8")


def codes(text: str) -> list[tuple[int, int, str]]:
    return [(f.line, f.column, f.code) for f in lint(text) if f.level == "error"]


def test_one_sample_for_each_rule_set_and_number_of_players() -> None:
    wanted = {f"{rules}-{n}" for rules in profile_ids() for n in load_profile(rules).table.players}
    assert wanted <= {file.stem for file in GOOD}


@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.stem)
def test_samples_are_canonical_and_right(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    record = read_record(text)
    assert write_record(record) == text
    assert lint(text) == []
    for index, item in enumerate(record.deals):
        last = list(replay(record, index))[-1].after
        assert last.over and last.end == item.end
        assert result_of(last).sheet is not None


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("wrong-turn", [(21, 3, "not_your_turn")]),
        ("not-drawn", [(19, 3, "draw_first"), (19, 3, "not_in_hand")]),
        ("not-held", [(19, 9, "not_in_hand"), (19, 9, "only_wilds")]),
        ("unreadable-card", [(22, 17, "unknown_rank")]),
        ("wrong-points", [(59, 1, "wrong_points")]),
        ("unknown-field", [(5, 1, "record_field")]),
        ("other-version", [(1, 1, "rules_version_changed")]),
        ("changed-value", [(1, 1, "rules_values_changed")]),
        ("short-deck", [(10, 1, "bad_deck")]),
        ("no-toml", [(2, 9, "record_not_toml")]),
        ("wrong-mark", [(56, 144, "wrong_mark")]),
    ],
)
def test_broken_samples(name: str, found: list[tuple[int, int, str]]) -> None:
    assert codes(text_of(f"broken/{name}")) == found


def test_every_broken_sample_has_its_test() -> None:
    assert len(list((SAMPLES / "broken").glob("*.toml"))) == 11


def test_the_reader_is_lenient() -> None:
    text = text_of("vanikar-2")
    record = read_record(text)
    loose = text.replace("draw;", "DRAW ;  ").replace("\nN ", "\n\n  n ").replace("discard", "Discard")
    loose = loose.replace('play = """', 'play = """\n# the first turn').replace("players =", "_note = 3\nplayers =")
    assert read_record(loose) == record and write_record(read_record(loose)) == text
    assert read_record(text.replace("\n", "\r\n")) == record


def test_italian_words_and_cards() -> None:
    head = "\n".join(text_of("vanikar-2").split("\n")[:6])
    italian = (
        head
        + '\nlang = "it"\n[[deal]]\ndealer = "n"\nplay = """\nS pesca; cala S1 = RC RQ RP; scarta 7F; pozzetto\n"""\n'
    )
    english = head + '\n[[deal]]\ndealer = "N"\nplay = """\nS draw; lay S1 = Kh Kd Ks; discard 7c; pot\n"""\n'
    assert read_record(italian) == read_record(english)


def test_fields_with_an_underscore_are_ignored_everywhere() -> None:
    text = text_of("fibur-4").replace('dealer = "', '_table = { a = 1 }\ndealer = "', 1)
    assert lint(text) == [] and write_record(read_record(text)) == text_of("fibur-4")


def test_claims_are_never_trusted() -> None:
    record = read_record(text_of("broken/wrong-points"))
    last = list(replay(record))[-1].after
    sheet = result_of(last).sheet
    assert sheet is not None and record.deals[0].points is not None
    assert record.deals[0].points[0][1] != sheet.sides[0].score.total


def test_a_changed_value_fails_loudly() -> None:
    text = text_of("fibur-4")
    with pytest.raises(RecordError) as caught:
        list(replay(read_record(text.replace("version = 1", "version = 3"))))
    assert caught.value.code == "rules_version_changed"
    changed = load_profile("fibur", {"bonus.clean": 250})
    with pytest.raises(RecordError) as caught:
        list(replay(read_record(text.replace(rules_digest(load_profile("fibur")), rules_digest(changed)))))
    assert caught.value.code == "rules_values_changed"


def test_a_refused_move_says_where() -> None:
    with pytest.raises(RecordError) as caught:
        list(replay(read_record(text_of("broken/wrong-turn"))))
    assert (caught.value.line, caught.value.params["column"], caught.value.params["reason"]) == (21, 3, "not_your_turn")


PARTIAL = """
format = "burraco-record/1"
rules = "fibur"
version = 1
players = ["Anna", "Carla", "Bruno", "Dino"]
[[deal]]
dealer = "N"
play = '''
E draw; lay E1 = 7h 7d 7s; discard Kh
S take; discard Kh
W draw; add E1 + 7c; add E1 + 8c; discard 4d
N draw; lay N1 = 3c 4c 5c; lay N2 = 3d 3h 3s; discard 7h; close
'''
"""


def test_a_partial_record_is_followed_as_far_as_it_goes() -> None:
    record = read_record(PARTIAL)
    assert record.deals[0].deck == UNKNOWN_DECK
    found = lint(PARTIAL)
    # two cards lie in the pile when S takes it (one of them unknown), so Kh may go back; 8c is no seven
    assert [(f.line, f.column, f.code) for f in found] == [(11, 22, "mixed_ranks"), (11, 22, "rest_not_read")]
    mended = lint(PARTIAL.replace("add E1 + 8c; ", ""))
    assert [(f.line, f.code, f.level) for f in mended] == [
        (6, "unfinished", "note"), (12, "wrong_mark", "error")]  # fmt: skip


def test_a_third_copy_is_found_without_a_deck() -> None:
    text = PARTIAL.replace("add E1 + 7c; add E1 + 8c", "lay E2 = 7h 7d 7h").replace("; close", "")
    assert "equal_set" in [f.code for f in lint(text)]
    assert ("deck_copies", "7h") in [(f.code, dict(f.params).get("card")) for f in lint(text)]


def test_an_end_that_did_not_come_is_a_wrong_claim() -> None:
    followed = PARTIAL.replace("add E1 + 8c; ", "").replace("; close", "")
    assert [f.code for f in lint(followed)] == ["unfinished"]
    (wrong,) = [f for f in lint(followed + 'end = "close"\n') if f.level == "error"]
    assert (wrong.line, wrong.code, wrong.params) == (14, "wrong_end", (("claimed", "close"), ("found", "")))
    closed = text_of("vanikar-2")
    (wrong,) = lint(closed.replace('end = "close"', 'end = "stock"'))
    assert (wrong.code, wrong.params) == ("wrong_end", (("claimed", "stock"), ("found", "close")))


def test_a_mark_that_is_left_out_is_only_a_note() -> None:
    text = text_of("vanikar-2")
    for mark in ("pot", "close"):
        left_out = text.replace(f"; {mark}\n", "\n")
        found = lint(left_out)
        assert left_out != text and {(f.level, f.code, f.params) for f in found} == {
            ("note", "missing_mark", (("mark", mark),))
        }
        assert [f.line for f in found] == [
            n for n, line in enumerate(text.splitlines(), 1) if line.endswith(f"; {mark}")
        ]


def test_a_move_to_a_meld_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(RecordError) as caught:
        list(replay(read_record(PARTIAL.replace("add E1 + 7c", "add E9 + 7c"))))
    error = caught.value
    assert (error.line, error.params["column"], error.params["reason"]) == (11, 9, "no_meld_of_that_name")
    assert error.params["move"] == "add E9 + 7c"


def test_a_deal_that_never_ends_is_cut_off_and_claims_no_points() -> None:
    """Everybody takes the pile and lays nothing, and draws just before that counts as a stall."""
    profile, codes = load_profile("fibur"), [card.code for card in DECK]
    state, actions = deal(codes, profile, players=4), []
    while not state.over:
        takes = state.idle + 1 < STALL_ROUNDS * 4
        for action in (Action(TAKE if takes else DRAW_CARD), Action(DISCARD, state.hand[:1])):
            actions.append(action)
            state = apply(state, action)
    made = deal_record(codes, profile, actions, players=4)
    assert (made.end, made.points, len(made.turns)) == ("truncated", None, TURN_CAP)
    text = write_record(record_of(profile, ("Anna", "Bea", "Carla", "Dino"), (made,)))
    assert lint(text) == [] and "points" not in text
    claimed = lint(text + '[deal.points]\n"NS" = 5\n"EW" = 0\n')
    assert {f.code for f in claimed} == {"wrong_points"}


@pytest.mark.parametrize(
    "text",
    ["", "x", "[[deal]]", 'format = "burraco-record/1"', "deal = 3", "players = [1]", "[deal]\nplay = 3",
     "a = [" * 2000,
     'format = "burraco-record/1"\nrules = "nobody"\nversion = 1\nplayers = ["a", "b"]\n[[deal]]\ndealer = "Q"\n',
     'players = ["a", "b"]\n[[deal]]\ndeck = 4\nplay = [1]\ncut = "x"\nthree_pots = 1\nend = 7\npoints = 3\n'],
)  # fmt: skip
def test_whatever_is_read_gives_findings_and_no_crash(text: str) -> None:
    found = lint(text)
    assert found and all(f.line >= 1 and f.column >= 1 and f.code for f in found)
    record, faults = parse_record(text)
    assert faults or record is not None


def test_mutations_of_a_good_record_never_crash() -> None:
    text = text_of("fibur-locked-4")
    rng = random.Random(6)
    for _ in range(60):
        at = rng.randrange(len(text))
        mutated = text[:at] + rng.choice(("", "x", '"', "\n", ";", "7h ", "♥", "9")) + text[at + rng.randrange(3) :]
        lint(mutated)


def test_opening_refuses_an_impossible_deck() -> None:
    text = text_of("vanikar-2")
    record = read_record(text)
    bad = (*record.deals[0].deck[:-1], record.deals[0].deck[0])
    wrong = dataclasses.replace(record, deals=(dataclasses.replace(record.deals[0], deck=bad),))
    with pytest.raises(BurracoError):
        opening(wrong, 0)
    assert len(DECK) == len(bad)
