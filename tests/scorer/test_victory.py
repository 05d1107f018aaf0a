"""Victory Points: the boundaries of rules.md 4.1, and tables that people bring."""

import pytest

from scorer.errors import MatchError
from scorer.victory import read_tables, vp_table

THREE = {
    0: 10, 50: 10, 55: 11, 150: 11, 155: 12, 350: 13, 355: 14, 500: 14, 505: 15, 800: 16, 805: 17, 820: 17,
    825: 17, 1000: 17, 1250: 18, 1255: 19, 1500: 19, 1505: 20, 102: 11, 153: 12,
}  # fmt: skip
FOUR = {0: 10, 100: 10, 105: 11, 300: 11, 305: 12, 435: 12, 2000: 19, 2005: 20, 102: 11, 153: 11}


@pytest.mark.parametrize(("table", "cases"), [("deals-3", THREE), ("deals-4", FOUR)])
def test_boundaries(table: str, cases: dict[int, int]) -> None:
    for margin, winner in cases.items():
        assert vp_table(table).points(1000 + margin, 1000) == (winner, 20 - winner), margin
        assert vp_table(table).points(1000, 1000 + margin) == ((20 - winner, winner) if margin else (10, 10)), margin


def test_negative_totals_differ_like_others() -> None:
    assert vp_table("deals-3").points(-300, -20) == (7, 13)


def test_unknown_table_lists_the_known_ones() -> None:
    with pytest.raises(MatchError, match="deals-3, deals-4"):
        vp_table("deals-2")


@pytest.mark.parametrize(
    "text",
    ["x", "[a]\ndeals = 2\nupper = [1, 2]", "[a]\ndeals = 2\nupper = [10,9,8,7,6,5,4,3,2,1]", "[a]\nfoo = 1", "a = 3"],
)
def test_a_bad_table_is_one_line(text: str) -> None:
    with pytest.raises(MatchError) as caught:
        read_tables(text)
    assert caught.value.code == "bad_vp_table" and "\n" not in str(caught.value)


def test_a_table_of_ones_own() -> None:
    own = read_tables("[club]\ndeals = 2\nupper = [30, 90, 150, 210, 300, 400, 500, 600, 750, 900]")["club"]
    assert own.points(100, 0) == (12, 8)
