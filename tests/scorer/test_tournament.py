"""Tournaments: rounds, results, sit-outs, late and missing pairs, ties, individuals."""

import random
from dataclasses import replace
from itertools import count

import pytest

from scorer.errors import MatchError
from scorer.events import Event
from scorer.tournament import (
    MAX_ENTRIES,
    Tournament,
    TournamentInfo,
    check_tournament_event,
    draw,
    fold_tournament,
)


class Desk:
    """The director's desk: appends checked events."""

    def __init__(self, info: TournamentInfo, entries: int) -> None:
        self.info, self.events = info, list[Event]()
        self.names = count(1)
        for _ in range(entries):
            self.enter()

    @property
    def state(self) -> Tournament:
        return fold_tournament(self.info, self.events)

    def add(self, kind: str, **payload: object) -> int:
        check_tournament_event(self.state, kind, payload)
        self.events.append(Event(len(self.events) + 1, kind, payload))
        return len(self.events)

    def enter(self) -> None:
        size = 1 if self.info.individuals else 2
        self.add("entry", players=[f"P{next(self.names)}" for _ in range(size)])

    def round(self) -> int:
        tables = draw(self.state)
        self.add("round", tables=[{"table": t.table, "ns": list(t.ns), "ew": list(t.ew)} for t in tables])
        return len(self.state.rounds)

    def result(self, table: int, mp: tuple[int, int]) -> int:
        return self.add("result", round=len(self.state.rounds), table=table, mp=list(mp))


PAIRS = TournamentInfo("club", "mitchell", rounds=3, vp="deals-3")


def test_a_round_needs_every_result_of_the_one_before() -> None:
    desk = Desk(PAIRS, 6)
    desk.round()
    desk.result(1, (820, 0))
    with pytest.raises(MatchError, match="tables without a result: 2, 3"):
        desk.round()
    desk.result(2, (100, 100))
    desk.result(3, (0, 153))
    assert [p.vp for p in desk.state.ranking] == [17, 12, 10, 10, 8, 3]
    desk.round()
    assert len(desk.state.rounds) == 2


def test_equal_entries_share_the_place() -> None:
    desk = Desk(PAIRS, 4)
    desk.round()
    desk.result(1, (200, 200))
    desk.result(2, (200, 200))
    assert [p.place for p in desk.state.ranking] == [1, 1, 1, 1]
    desk.add("result", round=1, table=2, mp=[300, 200])
    assert [p.place for p in desk.state.ranking] == [1, 2, 2, 4]


def test_an_odd_pair_sits_out_and_gets_the_points_of_the_house() -> None:
    desk = Desk(PAIRS, 5)
    desk.round()
    byes = [t for t in desk.state.rounds[0] if t.bye]
    assert [t.ns for t in byes] == [(3,)]
    assert next(p.vp for p in desk.state.ranking if p.number == 3) == PAIRS.bye_vp


def test_a_late_pair_plays_from_the_next_round() -> None:
    desk = Desk(PAIRS, 4)
    desk.round()
    desk.enter()
    assert desk.state.entrants[-1].late == 2
    for table in (1, 2):
        desk.result(table, (100, 0))
    desk.round()
    assert sorted(n for t in desk.state.rounds[1] for n in (*t.ns, *t.ew)) == [1, 2, 3, 4, 5]


def test_an_unfinished_table_is_settled_by_the_director() -> None:
    desk = Desk(PAIRS, 4)
    desk.round()
    desk.add("result", round=1, table=1, mp=[300, 100], vp=[10, 8])
    table = desk.state.rounds[0][0]
    assert table.vp == (10, 8) and table.adjusted
    with pytest.raises(MatchError, match="0 to 20"):
        desk.add("result", round=1, table=2, vp=[25, 0])


def test_a_withdrawn_pair_keeps_its_past_and_undo_brings_it_back() -> None:
    desk = Desk(PAIRS, 4)
    desk.round()
    desk.result(1, (100, 0))
    desk.result(2, (100, 0))
    gone = desk.add("withdraw", entry=4)
    assert 4 not in [n for t in draw(desk.state) for n in (*t.ns, *t.ew)]
    assert 4 in [p.number for p in desk.state.ranking]
    desk.add("undo", event=gone)
    assert 4 in [n for t in draw(desk.state) for n in (*t.ns, *t.ew)]


def test_undoing_a_round_drops_its_results() -> None:
    desk = Desk(PAIRS, 4)
    desk.round()
    drawn = len(desk.events)
    desk.result(1, (100, 0))
    desk.add("undo", event=drawn)
    assert desk.state.rounds == () and all(p.vp == 0 for p in desk.state.ranking)


def test_a_tournament_ends_after_its_rounds() -> None:
    desk = Desk(TournamentInfo("club", "danese", rounds=2), 4)
    for _ in range(2):
        desk.round()
        desk.result(1, (500, 0))
        desk.result(2, (0, 500))
    assert desk.state.finished
    with pytest.raises(MatchError, match="has ended"):
        desk.round()


@pytest.mark.parametrize("players", [8, 9, 10, 11, 12, 16])
def test_individuals_never_have_the_same_partner_twice(players: int) -> None:
    desk = Desk(TournamentInfo("singoli", rounds=5, individuals=True), players)
    rng = random.Random(players)
    partners: list[frozenset[int]] = []
    for _ in range(5):
        desk.round()
        tables = desk.state.rounds[-1]
        assert sorted(n for t in tables for n in (*t.ns, *t.ew)) == list(range(1, players + 1))
        for t in tables:
            if not t.bye:
                partners += [frozenset(t.ns), frozenset(t.ew)]
                desk.result(t.table, (5 * rng.randrange(200), 5 * rng.randrange(200)))
    if players % 4 == 0:
        assert len(partners) == len(set(partners))


@pytest.mark.parametrize(
    ("kind", "payload", "code"),
    [
        ("entry", {"players": ["P1", "Z"]}, "entered_already"),
        ("entry", {"players": ["Z", "z"]}, "entered_already"),
        ("entry", {"players": ["Z"]}, "entry_size"),
        ("withdraw", {"entry": 99}, "unknown_entry"),
        ("result", {"round": 1, "table": 1, "mp": [1, 2]}, "unknown_table"),
        ("sing", {}, "unknown_event"),
    ],
)
def test_events_that_cannot_be(kind: str, payload: dict[str, object], code: str) -> None:
    with pytest.raises(MatchError) as caught:
        Desk(PAIRS, 4).add(kind, **payload)
    assert caught.value.code == code


def test_bad_results() -> None:
    desk = Desk(PAIRS, 4)
    desk.round()
    for payload, code in (({}, "no_result"), ({"mp": [1]}, "bad_result"), ({"mp": [1, "2"]}, "bad_result")):
        with pytest.raises(MatchError) as caught:
            desk.add("result", round=1, table=1, **payload)
        assert caught.value.code == code


def test_the_director_may_close_a_tournament_early() -> None:
    desk = Desk(PAIRS, 4)
    closed = desk.add("close")
    assert desk.state.closed and desk.state.finished
    with pytest.raises(MatchError, match="has ended"):
        desk.round()
    desk.add("undo", event=closed)
    assert not desk.state.finished and desk.round() == 1


def test_a_tournament_takes_no_more_entries_than_it_can_hold() -> None:
    state = Desk(PAIRS, 4).state
    pair = {"players": ["Nina", "Otto"]}
    check_tournament_event(replace(state, entrants=state.entrants[:1] * (MAX_ENTRIES - 1)), "entry", pair)
    with pytest.raises(MatchError) as caught:
        check_tournament_event(replace(state, entrants=state.entrants[:1] * MAX_ENTRIES), "entry", pair)
    assert caught.value.code == "tournament_full" and caught.value.params == {"most": MAX_ENTRIES}
