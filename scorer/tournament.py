"""A club's tournament as an append-only list of events: entries, rounds, results, ranking.

An entry is a pair, or a single player where the tournament is for individuals; then partners change every round.
Rounds are drawn from the movement and stored as drawn, so a later withdrawal never changes the past. Victory Points
come from the table of the tournament; a sit-out earns `bye_vp` (assumption: 12, settable, no code fixes it) and no
Match Points. Ranking: Victory Points, then the difference of Match Points, then Match Points; who is still equal
shares the place, for no source settles it.

>>> info = TournamentInfo("Giovedì", movement="mitchell", rounds=2, vp="deals-3")
>>> names = [("Anna", "Bruno"), ("Carla", "Dino"), ("Eva", "Fabio"), ("Gina", "Ivo")]
>>> events = [Event(i, "entry", {"players": list(n)}) for i, n in enumerate(names, 1)]
>>> state = fold_tournament(info, events)
>>> [(t.table, t.ns, t.ew) for t in draw(state)]
[(1, (1,), (3,)), (2, (2,), (4,))]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from scorer.errors import MatchError
from scorer.events import Event, undone
from scorer.movements import Movement, Pairing, Round, meetings, next_round
from scorer.victory import VictoryTable, vp_table

KINDS: Final = ("entry", "withdraw", "round", "result", "close", "undo")
MAX_ENTRIES: Final = 400


@dataclass(frozen=True, slots=True)
class TournamentInfo:
    """What a tournament is: `rounds` planned, `vp` the table of Victory Points, `individuals` single players."""

    name: str
    movement: Movement = "mitchell"
    rounds: int = 4
    vp: str = "deals-3"
    individuals: bool = False
    rules: str = "fibur"
    options: Mapping[str, Any] = field(default_factory=dict)
    bye_vp: int = 12


class Entrant(NamedTuple):
    """An entry by its number; `late` is the first round it can play in, from 1."""

    number: int
    players: tuple[str, ...]
    withdrawn: bool
    late: int


class TableResult(NamedTuple):
    """A table of a round: who sits north-south and east-west (numbers of entries), and what came out.

    `mp` Match Points, `vp` Victory Points, both None until there is a result; `adjusted`: the director set the VP.
    `ew` empty: north-south sits out.
    """

    table: int
    ns: tuple[int, ...]
    ew: tuple[int, ...]
    mp: tuple[int, int] | None = None
    vp: tuple[int, int] | None = None
    adjusted: bool = False

    @property
    def bye(self) -> bool:
        """Whether this is a sit-out."""
        return not self.ew


class Place(NamedTuple):
    """A line of the ranking; equal entries share `place`."""

    place: int
    number: int
    vp: int
    margin: int
    mp: int
    played: int


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament derived from its events; `version` is the last event's number."""

    info: TournamentInfo
    version: int
    entrants: tuple[Entrant, ...]
    rounds: tuple[tuple[TableResult, ...], ...]
    ranking: tuple[Place, ...]
    closed: bool

    @property
    def open_tables(self) -> tuple[TableResult, ...]:
        """The tables of the last round that have no result yet."""
        return tuple(t for t in self.rounds[-1] if t.vp is None and not t.bye) if self.rounds else ()

    @property
    def finished(self) -> bool:
        """Every planned round has its results, or the director closed it."""
        return self.closed or (len(self.rounds) >= self.info.rounds and not self.open_tables)


def fold_tournament(info: TournamentInfo, events: Sequence[Event], table: VictoryTable | None = None) -> Tournament:
    """Derive a tournament; `table` takes the place of the shipped Victory Points table of that name."""
    back = undone(events)
    points = table or vp_table(info.vp)
    entrants: dict[int, Entrant] = {}
    rounds: list[dict[int, TableResult]] = []
    byes: list[list[TableResult]] = []
    closed = False
    for event in events:
        number = len(entrants) + 1
        if event.kind == "entry":
            gone = event.seq in back
            entrants[number] = Entrant(number, tuple(event.payload["players"]), gone, len(rounds) + 1)
        if event.seq in back:
            continue
        if event.kind == "withdraw":
            number = int(event.payload["entry"])
            entrants[number] = entrants[number]._replace(withdrawn=True)
        elif event.kind == "round":
            tables = [TableResult(t["table"], tuple(t["ns"]), tuple(t["ew"])) for t in event.payload["tables"]]
            rounds.append({t.table: t for t in tables if not t.bye})
            byes.append([t for t in tables if t.bye])
        elif event.kind == "result":
            _take_result(rounds, event.payload, points)
        elif event.kind == "close":
            closed = True
    played = tuple((*seats.values(), *rest) for seats, rest in zip(rounds, byes, strict=True))
    people = tuple(entrants.values())
    return Tournament(info, events[-1].seq if events else 0, people, played, _ranking(info, people, played), closed)


def _take_result(rounds: list[dict[int, TableResult]], payload: Mapping[str, Any], points: VictoryTable) -> None:
    which, table = int(payload["round"]) - 1, int(payload["table"])
    if not 0 <= which < len(rounds) or table not in rounds[which]:
        return  # its round was undone
    mp = tuple(payload["mp"]) if payload.get("mp") is not None else None
    if payload.get("vp") is not None:
        vp, adjusted = tuple(payload["vp"]), True
    else:
        vp, adjusted = points.points(*(mp or (0, 0))), False
    rounds[which][table] = rounds[which][table]._replace(mp=mp, vp=vp, adjusted=adjusted)


def _ranking(
    info: TournamentInfo, entrants: Sequence[Entrant], rounds: Sequence[Sequence[TableResult]]
) -> tuple[Place, ...]:
    sums = {e.number: [0, 0, 0, 0] for e in entrants}  # vp, margin, mp, tables played
    for tables in rounds:
        for table in tables:
            if table.bye:
                for number in table.ns:
                    sums[number][0] += info.bye_vp
            elif table.vp is not None:
                mp = table.mp or (0, 0)
                for line, (a, b) in ((table.ns, (0, 1)), (table.ew, (1, 0))):
                    for number in line:
                        row = sums[number]
                        row[0] += table.vp[a]
                        row[1] += mp[a] - mp[b]
                        row[2] += mp[a]
                        row[3] += 1
    present = {e.number for e in entrants if not e.withdrawn or sums[e.number][3]}
    order = sorted(present, key=lambda n: (-sums[n][0], -sums[n][1], -sums[n][2], n))
    places: list[Place] = []
    for at, number in enumerate(order, 1):
        vp, margin, points, count = sums[number]
        same = places and (places[-1].vp, places[-1].margin, places[-1].mp) == (vp, margin, points)
        places.append(Place(places[-1].place if same else at, number, vp, margin, points, count))
    return tuple(places)


# --- drawing a round -------------------------------------------------------------------------------------------------


def draw(state: Tournament) -> tuple[TableResult, ...]:
    """The tables of the next round; MatchError when a table is unfinished, the movement ends, or nobody is there."""
    if state.finished:
        raise MatchError("the tournament has ended", code="tournament_ended")
    if state.open_tables:
        tables = ", ".join(str(t.table) for t in state.open_tables)
        raise MatchError(f"tables without a result: {tables}", code="tables_open", tables=tables)
    present = [e.number for e in state.entrants if not e.withdrawn]
    if state.info.individuals:
        return _individuals(present, state)
    played = [_as_round(tables) for tables in state.rounds]
    ranking = [place.number for place in state.ranking]
    pairs = next_round(state.info.movement, present, played, ranking)
    return tuple(TableResult(p.table, (p.ns,), () if p.ew is None else (p.ew,)) for p in pairs)


def _as_round(tables: Sequence[TableResult]) -> Round:
    return tuple(Pairing(t.table, t.ns[0], t.ew[0] if t.ew else None) for t in tables)


def _individuals(present: Sequence[int], state: Tournament) -> tuple[TableResult, ...]:
    """Partners by the circle method, so that nobody has the same partner twice; neighbours then meet.

    One, two or three players who are left over sit out: whoever has rested least, from the bottom of the ranking.
    """
    if len(present) < 4:
        raise MatchError("a round needs at least four players", code="too_few_entries", least=4)
    partners = [
        tuple(Pairing(0, line[0], line[1]) for t in tables for line in (t.ns, t.ew) if len(line) == 2)
        for tables in state.rounds
    ]
    rests = [number for tables in state.rounds for t in tables if t.bye for number in t.ns]
    order = [p.number for p in state.ranking if p.number in present]
    order += [number for number in present if number not in order]
    resting: list[int] = []
    while len(order) % 4:
        fewest = min(rests.count(number) for number in order)
        out = next(number for number in reversed(order) if rests.count(number) == fewest)
        order.remove(out)
        resting.append(out)
    seated = [number for number in present if number in order]
    couples = [(p.ns, p.ew or 0) for p in _new_partners(seated, partners)]
    tables = [TableResult(i // 2 + 1, couples[i], couples[i + 1]) for i in range(0, len(couples), 2)]
    return (*tables, *(TableResult(0, (number,), ()) for number in resting))


def _new_partners(seated: Sequence[int], partners: Sequence[Round]) -> Round:
    """Couples of players who have not been partners, as long as there are any."""
    met = meetings(partners)
    base = len(partners)
    for turn in range(len(seated) - 1):
        blank: list[Round] = [()] * ((base + turn) % (len(seated) - 1))
        couples = next_round("round_robin", seated, blank)
        if not any(frozenset((p.ns, p.ew)) in met for p in couples):
            return couples
    return next_round("round_robin", seated, [()] * (base % (len(seated) - 1)))


def check_tournament_event(state: Tournament, kind: str, payload: Mapping[str, Any]) -> None:
    """Refuse an event that the tournament cannot take, with one MatchError."""
    if kind not in KINDS:
        raise MatchError(f"unknown event {kind!r}", code="unknown_event", kind=kind, known=", ".join(KINDS))
    if kind == "entry":
        size = 1 if state.info.individuals else 2
        if len(payload.get("players", ())) != size:
            raise MatchError(f"an entry has {size} names", code="entry_size", size=size)
        if len(state.entrants) >= MAX_ENTRIES:
            raise MatchError(
                f"a tournament holds at most {MAX_ENTRIES} entries", code="tournament_full", most=MAX_ENTRIES
            )
        taken = {name.casefold() for e in state.entrants if not e.withdrawn for name in e.players}
        twice = [name for name in payload["players"] if name.casefold() in taken]
        if twice or len({name.casefold() for name in payload["players"]}) < size:
            name = (twice or list(payload["players"]))[0]
            raise MatchError(f"{name} is entered already", code="entered_already", name=name)
    elif kind == "withdraw":
        if payload.get("entry") not in {e.number for e in state.entrants if not e.withdrawn}:
            raise MatchError("there is no such entry", code="unknown_entry", entry=str(payload.get("entry")))
    elif kind == "result":
        _check_result(state, payload)


def _check_result(state: Tournament, payload: Mapping[str, Any]) -> None:
    which, table = payload.get("round"), payload.get("table")
    known = isinstance(which, int) and 1 <= which <= len(state.rounds)
    if not known or table not in {t.table for t in state.rounds[int(which or 1) - 1] if not t.bye}:
        raise MatchError(
            f"round {which} has no table {table}", code="unknown_table", round=str(which), table=str(table)
        )
    mp, vp = payload.get("mp"), payload.get("vp")
    if mp is None and vp is None:
        raise MatchError("a result needs Match Points or Victory Points", code="no_result")
    for pair in (mp, vp):
        if pair is not None and (len(pair) != 2 or not all(type(n) is int and abs(n) <= 50_000 for n in pair)):
            raise MatchError("a result is two whole numbers", code="bad_result")
    if vp is not None and not all(0 <= n <= 20 for n in vp):
        raise MatchError("Victory Points go from 0 to 20", code="bad_vp")
