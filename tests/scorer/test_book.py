"""The match book: undo, amend, withdraw, ends that move; totals equal a naive recount."""

import random

import pytest

from scorer.book import (
    MAX_DEALS,
    Book,
    MatchInfo,
    SideInfo,
    SideStatistics,
    check_event,
    deal_event,
    fold,
    follow,
    statistics,
)
from scorer.errors import MatchError
from scorer.events import Event, last_undoable
from scorer.profile import load_profile

INFO = MatchInfo("vanikar", (SideInfo("Noi", ("Anna", "Bruno")), SideInfo("Loro", ("Carla", "Dino"))))
PROFILE = load_profile("vanikar", {"target": 505})


class Writer:
    """Appends events and keeps the derived book."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    @property
    def book(self) -> Book:
        return fold(INFO, PROFILE, self.events)

    def add(self, kind: str, **payload: object) -> int:
        check_event(self.book, self.events, kind, payload)
        self.events.append(Event(len(self.events) + 1, kind, payload))
        return len(self.events)

    def deal(self, a: int, b: int) -> int:
        return self.add("deal", points=(a, b), void=False, entry={})


def test_undo_of_the_deal_that_ended_the_match_reopens_it() -> None:
    w = Writer()
    w.deal(300, 100)
    w.deal(250, 0)
    assert w.book.finished and w.book.standing.winners == (0,)
    with pytest.raises(MatchError, match="has ended"):
        w.deal(5, 5)
    w.add("undo", event=last_undoable(w.events))
    assert not w.book.finished and w.book.standing.totals == (300, 100)
    w.add("undo", event=3)  # redo
    assert w.book.finished


def test_an_edit_of_deal_one_moves_the_end_and_keeps_what_came_after() -> None:
    w = Writer()
    first = w.deal(100, 50)
    w.deal(200, 100)
    w.deal(250, 0)
    w.add("amend", deal=first, points=(400, 50), void=False, entry={})
    states = [row.state for row in w.book.rows]
    assert states == ["counted", "counted", "after_end"]
    assert w.book.standing.totals == (600, 150) and w.book.rows[0].amended


def test_a_withdrawn_deal_keeps_its_number() -> None:
    w = Writer()
    w.deal(100, 50)
    w.deal(5, 5)
    w.add("withdraw", deal=deal_event(w.events, 1))
    assert [(r.number, r.state) for r in w.book.rows] == [(1, "withdrawn"), (2, "counted")]
    assert w.book.standing.totals == (5, 5) and w.book.standing.dealer == 1
    with pytest.raises(MatchError, match="no such deal"):
        w.add("amend", deal=1, points=(1, 1), void=False, entry={})


def test_undoing_an_amended_deal_removes_it_whole() -> None:
    w = Writer()
    first = w.deal(100, 50)
    w.add("amend", deal=first, points=(200, 50), void=False, entry={})
    w.add("undo", event=first)
    assert w.book.standing.totals == (0, 0) and w.book.rows[0].state == "undone"


def test_target_close_and_notes() -> None:
    w = Writer()
    w.deal(510, 0)
    w.add("target", target=1005)
    assert not w.book.finished and w.book.standing.missing == (495, 1005)
    w.add("note", text="Bruno deve una pizza")
    w.add("close")
    assert w.book.finished and not w.book.standing.finished and w.book.notes[0][1].endswith("pizza")
    w.add("reopen")
    assert not w.book.finished


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("dance", {}),
        ("note", {"text": " "}),
        ("note", {"text": "x" * 501}),
        ("undo", {"event": 9}),
        ("withdraw", {"deal": 7}),
    ],
)
def test_events_that_cannot_be(kind: str, payload: dict[str, object]) -> None:
    with pytest.raises(MatchError):
        Writer().add(kind, **payload)


def test_nothing_to_undo() -> None:
    with pytest.raises(MatchError, match="nothing to undo"):
        last_undoable([])


@pytest.mark.parametrize("seed", range(20))
def test_random_books_equal_a_naive_recount(seed: int) -> None:
    rng = random.Random(seed)
    w = Writer()
    naive: dict[int, tuple[int, int]] = {}  # what stands, by the event that added it
    history: list[dict[int, tuple[int, int]]] = []
    for _ in range(40):
        move = rng.choice(("deal", "deal", "amend", "withdraw", "undo"))
        points = (rng.randrange(-20, 12), rng.randrange(-20, 12))
        if move == "undo" and history:
            w.add("undo", event=last_undoable(w.events))
            naive = history.pop()
            continue
        if move in ("amend", "withdraw") and not naive:
            continue
        before = dict(naive)
        if move == "deal":
            naive[w.deal(*points)] = points
        elif move == "amend":
            which = rng.choice(sorted(naive))
            w.add("amend", deal=which, points=points, void=False, entry={})
            naive[which] = points
        elif move == "withdraw":
            which = rng.choice(sorted(naive))
            w.add("withdraw", deal=which)
            del naive[which]
        else:
            continue
        history.append(before)
        assert w.book.standing.totals == (sum(a for a, _ in naive.values()), sum(b for _, b in naive.values()))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("length", [None, 3])
def test_following_event_by_event_gives_what_folding_gives(seed: int, length: int | None) -> None:
    """Deals, void ones, notes, closing and what was entered after the end, one at a time from the head alone."""
    rng = random.Random(seed)
    info = MatchInfo("vanikar", INFO.sides, length=length, vp="deals-3" if length else None)
    events: list[Event] = []
    head, rows = fold(info, PROFILE, []).head, []
    for seq in range(1, 40):
        kind = rng.choice(["deal", "deal", "deal", "note", "close", "reopen"])
        points = (5 * rng.randint(-10, 40), 5 * rng.randint(-10, 40))
        deal = {"points": points, "void": rng.random() < 0.3, "entry": {"form": "total"}}
        events.append(Event(seq, kind, deal if kind == "deal" else {"text": f"note {seq}"}))
        head, row = follow(head, info, PROFILE, events[-1])
        rows += [row] if row else []
        book = fold(info, PROFILE, events)
        assert (head, tuple(rows)) == (book.head, book.rows)
        assert head.standing(info) == book.standing._replace(running=())
        assert head.finished == book.finished


def test_what_looks_back_cannot_be_followed() -> None:
    with pytest.raises(ValueError, match="whole book"):
        follow(fold(INFO, PROFILE, []).head, INFO, PROFILE, Event(1, "undo", {"event": 1}))


def test_a_match_holds_no_more_deals_than_it_can() -> None:
    deal: dict[str, object] = {"points": (5, 0), "void": False}
    check_event(fold(INFO, PROFILE, []).head._replace(deals=MAX_DEALS - 1), [], "deal", deal)
    with pytest.raises(MatchError) as caught:
        check_event(fold(INFO, PROFILE, []).head._replace(deals=MAX_DEALS), [], "deal", deal)
    assert caught.value.code == "match_full" and caught.value.params["most"] == MAX_DEALS


@pytest.mark.parametrize("number", [0, 2])
def test_a_deal_is_named_by_its_number(number: int) -> None:
    w = Writer()
    w.add("note", text="rain")
    assert deal_event([*w.events, Event(2, "deal", {})], 1) == 2
    with pytest.raises(MatchError) as caught:
        deal_event([*w.events, Event(2, "deal", {})], number)
    assert caught.value.code == "no_deal" and caught.value.params == {"deal": number, "deals": 1}


def test_statistics_are_of_the_deals_that_count() -> None:
    w = Writer()
    assert statistics(w.book) == (SideStatistics(0, 0, 0, 0, 0.0, {}, 0, 0),) * 2
    told = (
        {"burrachi": {"clean": 2}, "closed": True, "pozzetto": "played"},
        {"burrachi": {}, "closed": False, "pozzetto": "unplayed"},
    )
    w.add("deal", points=(300, -20), void=False, entry={}, details=told)
    w.add("deal", points=(0, 0), void=True, entry={}, details=told)
    w.deal(45, 45)
    w.add("deal", points=(-50, 150), void=False, entry={}, details=told[::-1])
    ours, theirs = statistics(w.book)
    assert ours == SideStatistics(3, 1, 300, -50, 98.3, {"clean": 2}, 1, 1)
    assert theirs == SideStatistics(3, 1, 150, -20, 58.3, {"clean": 2}, 1, 1)


def test_players_who_are_not_named_are_two_a_side_or_one_of_three() -> None:
    a, b, c = SideInfo("A"), SideInfo("B"), SideInfo("C")
    assert [MatchInfo("brasile", sides).seats for sides in ((a, b), (a, b, c))] == [4, 3]
    assert MatchInfo("vanikar", (SideInfo("A", ("Anna",)), SideInfo("B", ("Bruno",)))).seats == 2
