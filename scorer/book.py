"""The match book: a match as an append-only list of events; everything else is derived from them.

An event is never changed or removed: a deal is amended or withdrawn by a later event, and `undo` takes back one
event (or an earlier undo). Rows keep the number they were given, whatever is withdrawn before them.

>>> from scorer.profile import load_profile
>>> info = MatchInfo("vanikar", sides=(SideInfo("Noi"), SideInfo("Loro")))
>>> add = Event(1, "deal", {"points": [365, -5], "void": False, "entry": {"form": "total", "points": [365, -5]}})
>>> book = fold(info, load_profile("vanikar"), [add, Event(2, "undo", {"event": 1})])
>>> book.standing.totals, [row.state for row in book.rows]
((0, 0), ['undone'])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scorer.errors import MatchError
from scorer.events import Event, undone
from scorer.match import Deal, Standing, Tally, standing
from scorer.profile import RuleProfile
from scorer.victory import VictoryTable, vp_table

EVENT_KINDS: Final = ("deal", "amend", "withdraw", "note", "target", "close", "reopen", "undo")
#: Events after which a book is known from its head alone; the others look back, and need every event.
FORWARD_KINDS: Final = ("deal", "note", "close", "reopen")
#: Longest note or name, in characters; most deals in one match.
MAX_TEXT: Final = 500
MAX_NAME: Final = 60
MAX_DEALS: Final = 20_000


@dataclass(frozen=True, slots=True)
class SideInfo:
    """A side's name and its players, in seating order."""

    name: str
    players: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """What a match is played under. `length`: a match by number of deals; `vp`: its Victory Points table."""

    rules: str
    sides: tuple[SideInfo, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    rules_version: int = 1
    rules_text: str = ""
    name: str = ""
    first_dealer: int = 0
    length: int | None = None
    vp: str | None = None

    @property
    def seats(self) -> int:
        """Players at the table: as named, else two a side (one a side when there are more than two sides)."""
        named = sum(len(side.players) for side in self.sides)
        return named or (4 if len(self.sides) == 2 else len(self.sides))


class Row(NamedTuple):
    """A deal as it stands now; `event` added it, `seq` last wrote it.

    `state`: counted, after_end (kept, but the match had ended before it), withdrawn or undone.
    """

    number: int
    event: int
    seq: int
    entry: Mapping[str, Any]
    points: tuple[int, ...]
    void: bool
    amended: bool
    state: str
    running: tuple[int, ...]
    faults: tuple[str, ...]
    details: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Book:
    """A match derived from its events; `version` is the last event's number, which a write must name."""

    info: MatchInfo
    version: int
    rows: tuple[Row, ...]
    standing: Standing
    notes: tuple[tuple[int, str], ...]
    target: int
    closed: bool

    @property
    def finished(self) -> bool:
        """Ended by the rules or closed by hand."""
        return self.closed or self.standing.finished

    @property
    def deals(self) -> int:
        """How many deals there are, whatever their state."""
        return len(self.rows)

    @property
    def head(self) -> Head:
        """Where this book stands, without its rows."""
        now = self.standing
        tally = Tally(now.totals, now.counted, now.played, now.finished)
        return Head(self.version, self.deals, tally, self.notes, self.target, self.closed)


class Head(NamedTuple):
    """Where a book stands, without its rows: enough to show it, and to add a deal to a match of ten thousand."""

    version: int
    deals: int
    tally: Tally
    notes: tuple[tuple[int, str], ...]
    target: int
    closed: bool

    @property
    def finished(self) -> bool:
        """Ended by the rules or closed by hand."""
        return self.closed or self.tally.finished

    def standing(self, info: MatchInfo) -> Standing:
        """Where the match stands, without the running totals."""
        return self.tally.standing((), self.target, info.seats, info.first_dealer, _table(info))


class _Draft:
    """A row while the events are being read."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.seq = 0
        self.payload: Mapping[str, Any] = {}
        self.writes = 0
        self.added = False
        self.withdrawn = False


def fold(info: MatchInfo, profile: RuleProfile, events: Sequence[Event]) -> Book:
    """Derive the book from its events."""
    back = undone(events)
    drafts: dict[int, _Draft] = {}
    notes: list[tuple[int, str]] = []
    target, closed = profile.match.target, False
    for event in events:
        if event.kind == "deal":
            drafts[event.seq] = _Draft(len(drafts) + 1)
        if event.seq in back:
            continue
        if event.kind in ("deal", "amend"):
            draft = drafts[event.seq if event.kind == "deal" else int(event.payload["deal"])]
            draft.payload, draft.seq = event.payload, event.seq
            draft.writes += 1
            draft.added = draft.added or event.kind == "deal"
        elif event.kind == "withdraw":
            drafts[int(event.payload["deal"])].withdrawn = True
        elif event.kind == "note":
            notes.append((event.seq, str(event.payload["text"])))
        elif event.kind == "target":
            target = int(event.payload["target"])
        elif event.kind in ("close", "reopen"):
            closed = event.kind == "close"
    rows, now = _rows(info, profile.with_options({"target": target}), drafts)
    return Book(info, events[-1].seq if events else 0, rows, now, tuple(notes), target, closed)


def _rows(info: MatchInfo, profile: RuleProfile, drafts: Mapping[int, _Draft]) -> tuple[tuple[Row, ...], Standing]:
    alive = [d for d in drafts.values() if d.added and not d.withdrawn]
    deals = [Deal(tuple(d.payload["points"]), bool(d.payload["void"])) for d in alive]
    now = standing(
        deals, profile, sides=len(info.sides), seats=info.seats, first_dealer=info.first_dealer,
        length=info.length, table=_table(info),
    )  # fmt: skip
    place = {draft.number: i for i, draft in enumerate(alive)}
    rows = []
    for seq, draft in drafts.items():
        at = place.get(draft.number)
        state = "undone" if not draft.added else "withdrawn" if at is None else "counted"
        if at is not None and at >= now.counted:
            state = "after_end"
        rows.append(_row(draft, seq, state, now.running[at] if at is not None and at < now.counted else ()))
    return tuple(rows), now


def _row(draft: _Draft, event: int, state: str, running: tuple[int, ...]) -> Row:
    deal = draft.payload
    return Row(
        draft.number, event, draft.seq or event, deal.get("entry", {}), tuple(deal.get("points", ())),
        bool(deal.get("void")), draft.writes > 1, state, running, tuple(deal.get("faults", ())),
        tuple(deal.get("details", ())),
    )  # fmt: skip


def follow(head: Head, info: MatchInfo, profile: RuleProfile, event: Event) -> tuple[Head, Row | None]:
    """The head after one more event of the `FORWARD_KINDS`, and the row that it adds; what `fold` would derive.

    ValueError for an event of another kind.
    """
    head = head._replace(version=event.seq)
    if event.kind == "note":
        return head._replace(notes=(*head.notes, (event.seq, str(event.payload["text"])))), None
    if event.kind in ("close", "reopen"):
        return head._replace(closed=event.kind == "close"), None
    if event.kind != "deal":
        raise ValueError(f"an event of kind {event.kind} needs the whole book")
    deal = Deal(tuple(event.payload["points"]), bool(event.payload["void"]))
    late = head.tally.finished
    tally = head.tally.after(deal, head.target, profile.match.tie, info.length)
    draft = _Draft(head.deals + 1)
    draft.payload, draft.seq, draft.writes = event.payload, event.seq, 1
    row = _row(draft, event.seq, "after_end" if late else "counted", () if late else tally.totals)
    return head._replace(deals=head.deals + 1, tally=tally), row


def _table(info: MatchInfo) -> VictoryTable | None:
    return vp_table(info.vp) if info.vp else None


def check_event(book: Book | Head, events: Sequence[Event], kind: str, payload: Mapping[str, Any]) -> None:
    """Refuse an event that the book cannot take, with one MatchError; entries are scored and checked elsewhere.

    For the `FORWARD_KINDS` no events are needed; for the others no more of the book than its head.
    """
    if kind not in EVENT_KINDS:
        raise MatchError(f"unknown event {kind!r}", code="unknown_event", kind=kind, known=", ".join(EVENT_KINDS))
    if kind in ("amend", "withdraw"):
        _check_row(events, payload)
    if kind == "deal":
        if book.finished:
            raise MatchError("the match has ended: undo, reopen it or raise the target", code="match_ended")
        if book.deals >= MAX_DEALS:
            raise MatchError(f"a match holds at most {MAX_DEALS} deals", code="match_full", most=MAX_DEALS)
    if kind == "note" and not 0 < len(str(payload.get("text", "")).strip()) <= MAX_TEXT:
        raise MatchError(f"a note has 1 to {MAX_TEXT} characters", code="bad_note", most=MAX_TEXT)
    if kind == "undo" and payload.get("event") not in {e.seq for e in events} - undone(events):
        raise MatchError("that event cannot be undone", code="nothing_to_undo")


def _check_row(events: Sequence[Event], payload: Mapping[str, Any]) -> None:
    back = undone(events)
    gone = {int(e.payload["deal"]) for e in events if e.kind == "withdraw" and e.seq not in back}
    deals = {e.seq for e in events if e.kind == "deal"}
    if payload.get("deal") not in deals - back - gone:
        raise MatchError("there is no such deal in this match", code="unknown_deal")


def deal_event(events: Sequence[Event], number: int) -> int:
    """The event that added row `number` (from 1); MatchError when there is none."""
    deals = [event.seq for event in events if event.kind == "deal"]
    if not 1 <= number <= len(deals):
        raise MatchError(
            f"there is no deal {number}: the match has {len(deals)}",
            code="no_deal", deal=number, deals=len(deals),
        )  # fmt: skip
    return deals[number - 1]


class SideStatistics(NamedTuple):
    """What the deals that count say of a side; points a deal, counts. `burrachi` by type, where the deals tell."""

    deals: int
    won: int
    best: int
    worst: int
    average: float
    burrachi: Mapping[str, int]
    closings: int
    pots_missed: int


def statistics(book: Book) -> tuple[SideStatistics, ...]:
    """Statistics of each side over the deals that count (void ones left out)."""
    rows = [row for row in book.rows if row.state == "counted" and not row.void]
    return tuple(_side_statistics(rows, i) for i in range(len(book.info.sides)))


def _side_statistics(rows: Sequence[Row], side: int) -> SideStatistics:
    points = [row.points[side] for row in rows]
    told = [row.details[side] for row in rows if row.details]
    burrachi: dict[str, int] = {}
    for detail in told:
        for kind, count in detail["burrachi"].items():
            burrachi[kind] = burrachi.get(kind, 0) + count
    won = sum(row.points[side] == max(row.points) and row.points.count(max(row.points)) == 1 for row in rows)
    return SideStatistics(
        len(rows), won, max(points, default=0), min(points, default=0),
        round(sum(points) / len(points), 1) if points else 0.0, burrachi,
        sum(bool(detail["closed"]) for detail in told),
        sum(detail["pozzetto"] in ("not_taken", "unplayed") for detail in told),
    )  # fmt: skip
