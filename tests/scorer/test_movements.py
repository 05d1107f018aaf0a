"""Movements: nobody plays itself, everybody sits once a round, no pair meets twice in a Mitchell; 4 to 60 entries."""

import random

import pytest

from scorer.errors import MatchError
from scorer.movements import MOVEMENTS, Movement, Pairing, Round, meetings, next_round

#: Entries of a tournament: the small numbers and the largest in `make test`, all from 4 to 60 in `make full`.
COUNTS = [n if n < 12 or n in (21, 40, 59, 60) else pytest.param(n, marks=pytest.mark.long) for n in range(4, 61)]


def seats(round_: Round) -> list[int]:
    return sorted(e for p in round_ for e in (p.ns, p.ew) if e is not None)


def play(movement: Movement, entries: list[int], rounds: int, rng: random.Random) -> list[Round]:
    played: list[Round] = []
    for _ in range(rounds):
        ranking = entries.copy()
        rng.shuffle(ranking)
        try:
            played.append(next_round(movement, entries, played, ranking))
        except MatchError:
            break
    return played


@pytest.mark.parametrize("movement", MOVEMENTS)
@pytest.mark.parametrize("count", COUNTS)
def test_everybody_sits_once_a_round_and_nobody_plays_itself(movement: Movement, count: int) -> None:
    entries = list(range(1, count + 1))
    played = play(movement, entries, 6, random.Random(count))
    assert played
    for round_ in played:
        assert seats(round_) == entries
        assert all(p.ns != p.ew for p in round_)
        assert sum(p.ew is None for p in round_) == count % 2
        tables = [p.table for p in round_ if p.ew is not None]
        if movement == "mitchell":
            assert len(set(tables)) == count // 2 and max(tables) <= (count + 1) // 2
        else:
            assert tables == list(range(1, count // 2 + 1))


def test_north_south_stays_at_its_table_even_when_a_pair_rests() -> None:
    played = play("mitchell", [1, 2, 3, 4, 5], 3, random.Random(0))
    assert all(p.table == p.ns for round_ in played for p in round_ if p.ew is not None)


@pytest.mark.parametrize("count", COUNTS)
def test_mitchell_never_repeats_a_meeting_and_lasts_as_many_rounds_as_tables(count: int) -> None:
    entries = list(range(1, count + 1))
    tables = (count + 1) // 2
    played = play("mitchell", entries, tables + 3, random.Random(0))
    assert len(played) == tables
    assert len(meetings(played)) == sum(p.ew is not None for r in played for p in r)
    rests = [p.ns for r in played for p in r if p.ew is None]
    assert len(rests) == len(set(rests))


@pytest.mark.parametrize("count", range(4, 25))
def test_round_robin_meets_everybody_once(count: int) -> None:
    entries = list(range(1, count + 1))
    played = play("round_robin", entries, 2 * count, random.Random(0))
    assert len(played) == (count - 1 if count % 2 == 0 else count)
    assert len(meetings(played)) == count * (count - 1) // 2


def test_danese_pairs_neighbours_of_the_ranking() -> None:
    assert next_round("danese", [1, 2, 3, 4], [], [3, 1, 4, 2]) == (Pairing(1, 3, 1), Pairing(2, 4, 2))


@pytest.mark.parametrize("count", COUNTS)
def test_danese_modified_has_no_rematch_of_the_round_before(count: int) -> None:
    entries = list(range(1, count + 1))
    ranking = entries.copy()
    played: list[Round] = []
    for _ in range(6):  # the ranking never changes: the pure Danese would repeat every table
        played.append(next_round("danese_modified", entries, played, ranking))
        if len(played) > 1:
            assert not meetings(played[-1:]) & meetings(played[-2:-1])


def test_danese_rests_the_lowest_who_has_rested_least() -> None:
    played: list[Round] = []
    for _ in range(5):
        played.append(next_round("danese", [1, 2, 3, 4, 5], played, [1, 2, 3, 4, 5]))
    assert [p.ns for r in played for p in r if p.ew is None] == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("count", [4, 5, 8, 9, 14, 15])
def test_a_late_mitchell_pair_meets_nobody_twice(count: int) -> None:
    entries = list(range(1, count + 1))
    played = [next_round("mitchell", entries, [])]
    entries.append(count + 1)
    while True:
        try:
            played.append(next_round("mitchell", entries, played))
        except MatchError as error:
            assert error.code == "movement_finished"
            break
        assert seats(played[-1]) == entries
    assert len(played) >= 2
    assert len(meetings(played)) == sum(p.ew is not None for r in played for p in r)


def test_one_entry_is_no_round() -> None:
    with pytest.raises(MatchError, match="two entries"):
        next_round("danese", [1], [])


def test_a_late_entry_of_a_round_robin_still_meets_everybody() -> None:
    """Five more rounds, in which everybody sits out once, though the other four have all met before."""
    entries = [1, 2, 3, 4]
    played = play("round_robin", entries, 9, random.Random(0))
    assert len(played) == 3
    entries.append(5)
    more: list[Round] = []
    while True:
        try:
            more.append(next_round("round_robin", entries, [*played, *more]))
        except MatchError as error:
            assert error.code == "movement_finished"
            break
    assert all(seats(round_) == entries for round_ in more)
    met = {frozenset((p.ns, p.ew)) for round_ in more for p in round_ if 5 in (p.ns, p.ew) and p.ew is not None}
    assert met == {frozenset((5, other)) for other in (1, 2, 3, 4)} and len(more) == 5
    assert sorted(p.ns for round_ in more for p in round_ if p.ew is None) == entries
