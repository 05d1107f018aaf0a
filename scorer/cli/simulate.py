"""`burraco simulate`: many deals or matches between bots, counted; stopped and continued at will."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer

from scorer.cli import EXIT_INPUT
from scorer.cli.common import (
    JsonFlag,
    LangCode,
    OptionList,
    RulesFile,
    RulesId,
    bounded,
    choice,
    say,
    say_json,
    shown_name,
    tell,
    write_text,
)
from scorer.contract import refuse
from scorer.game.many import run
from scorer.game.simulate import DealSummary, MatchSummary, Plan, Unit
from scorer.messages import text


def simulate(
    deals: Annotated[int | None, typer.Option("--deals", metavar="N", help="How many deals (default 100).")] = None,
    matches: Annotated[int | None, typer.Option("--matches", metavar="N", help="Whole matches instead.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The seed of every chance.")] = 0,
    bots: Annotated[
        str, typer.Option("--bots", metavar="A,B,...", help="One for all, one for each side, or one for each seat.")
    ] = "casuale",
    players: Annotated[int | None, typer.Option("--players", metavar="N", help="2, 3 or 4.")] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="W", help="Processes of this machine.")] = 1,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ADDRESS", help="A Dask scheduler: tcp://host:8786.")
    ] = None,
    timing: Annotated[bool, typer.Option("--timing/--no-timing", help="With seconds and moves a second.")] = True,
    state: Annotated[
        str | None, typer.Option("--state", metavar="FILE", help="Keep what is done here, and go on from it.")
    ] = None,
    record: Annotated[str | None, typer.Option("--record", metavar="FILE", help="Write the deals as a record.")] = None,
    csv: Annotated[str | None, typer.Option("--csv", metavar="FILE", help="One row a deal; - prints it.")] = None,
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Charts as FILE.png or FILE.svg.")] = None,
    as_json: JsonFlag = False,
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    lang: LangCode = None,
) -> int:
    """Play many deals or matches between bots, and count.

    The same seed gives the same bytes (with --no-timing), whatever the number of workers. Ctrl-C reports what is done.
    """
    chosen = choice(rules, option, rules_file, lang)
    profile, tongue = chosen.profile(), chosen.lang or "en"
    names = tuple(name.strip() for name in bots.split(",") if name.strip())
    plan = Plan(profile, players or max(profile.table.players), names or ("casuale",), seed)
    count = _count(deals, matches)
    _checked(plan, workers, plot)
    started = time.perf_counter()
    job = Run(plan, count, matches is not None, workers, cluster, state, tongue)
    units = job.units()
    seconds = time.perf_counter() - started
    played = _deals(units)
    if record is not None:
        write_text(record, _recorded(plan, units))
    report = simulation_shape(plan, units, matches=matches is not None)
    if job.stopped:
        report["interrupted"] = True
    if timing:
        report |= {"seconds": round(seconds, 3), "moves_per_second": round(job.moves / max(seconds, 1e-9))}
    _written(plan, played, csv, plot, tongue)
    if as_json:
        say_json(report)
    elif csv != "-":
        from scorer.cli.simulation_table import show

        show(report, job.moves, seconds, tongue)
    return EXIT_INPUT if job.stopped else 0


def _count(deals: int | None, matches: int | None) -> int:
    if deals is not None and matches is not None:
        raise refuse("simulate.one_of")
    name, value = ("--matches", matches) if matches is not None else ("--deals", 100 if deals is None else deals)
    return bounded(name, value, 1, 10_000_000)


def _checked(plan: Plan, workers: int, plot: str | None) -> None:
    """Everything that can be refused is refused before the first deal."""
    from scorer.game.bots import make_bot

    bounded("--workers", workers, 1, 256)
    for bot in plan.seat_bots():
        make_bot(bot)
    if plot is not None:
        from scorer.game.plot import check_plot

        check_plot(plot)


def _deals(units: Sequence[Unit]) -> list[DealSummary]:
    from scorer.game.statistics import deals_of

    return deals_of(units)


def _written(plan: Plan, played: Sequence[DealSummary], csv: str | None, plot: str | None, lang: str) -> None:
    if csv is not None:
        from scorer.game.statistics import csv_text

        words = csv_text(plan, played)
        if csv == "-":
            say(words.rstrip("\n"))
        else:
            write_text(csv, words)
    if plot is not None:
        from scorer.game.plot import plot as draw

        draw(plan, played, plot, lang)


class Run:
    """One run of the command: what it plays, what it has, whether it was stopped."""

    def __init__(
        self, plan: Plan, count: int, matches: bool, workers: int, cluster: str | None, state: str | None, lang: str
    ) -> None:
        self.plan, self.count, self.matches, self.workers, self.cluster = plan, count, matches, workers, cluster
        self.lang = lang
        self.state: Any = None
        if state is not None:
            from scorer.game.statefile import StateFile

            self.state = StateFile(state, plan, matches=matches)
        self.stopped = False
        self.moves = 0

    def units(self) -> list[Unit]:
        """Play what is missing; everything that is done, in order."""
        kept: dict[int, Unit] = dict(self.state.done) if self.state is not None else {}
        done = {number: unit for number, unit in kept.items() if number < self.count}
        if done:
            tell(text("simulate.resumed", self.lang, done=len(done), count=self.count))
        missing = [number for number in range(self.count) if number not in done]
        with _progress(self.count, len(done), "matches" if self.matches else "deals", self.lang) as step:
            try:
                with _terminable():
                    self._play(missing, done, step)
            except KeyboardInterrupt:
                self.stopped = True
        if self.stopped:
            tell("", text("simulate.interrupted", self.lang, done=len(done), count=self.count))
            if self.state is not None:
                tell(text("simulate.go_on", self.lang, name=shown_name(str(self.state.path))))
        return [done[number] for number in sorted(done)]

    def _play(self, missing: Sequence[int], done: dict[int, Unit], step: Any) -> None:
        lots = run(self.plan, missing, matches=self.matches, workers=self.workers, cluster=self.cluster)
        for lot in lots:
            done |= {unit.number: unit for unit in lot}
            self.moves += sum(deal.moves for deal in _deals(lot))
            if self.state is not None:
                self.state.keep(lot)
            step(len(lot))


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM stops a run as Ctrl-C does. (A thread that is not the main one cannot hear signals: nothing changes.)"""

    def stop(_number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _progress(count: int, done: int, what: str, lang: str) -> Iterator[Any]:
    """A bar with the rate and the time left, on a terminal only; gives what is called with how many more are done."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]}/s")
    bar = Progress(
        TextColumn(text(f"simulate.{what}", lang)), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn(),
        console=Console(file=sys.stderr), transient=True,
    )  # fmt: skip
    started, played = time.monotonic(), 0
    with bar:
        task = bar.add_task("", total=count, completed=done, rate="-")

        def step(more: int) -> None:
            nonlocal played
            played += more
            bar.update(task, advance=more, rate=f"{played / max(time.monotonic() - started, 1e-6):.1f}")

        yield step


def _recorded(plan: Plan, units: Sequence[Unit]) -> str:
    from scorer.game.simulate import play_out, shuffled
    from scorer.game.state import SEAT_LETTERS
    from scorer.record import write_record
    from scorer.record_play import deal_record, record_of

    made = []
    for unit in units:
        of_match = isinstance(unit, MatchSummary)
        for deal in unit.deals if isinstance(unit, MatchSummary) else (unit,):
            number = unit.number * 1_000 + deal.number if of_match else deal.number
            three = deal.three_pots
            _, actions = play_out(plan, number, dealer=deal.dealer, three_pots=three)
            deck = shuffled(plan, number)
            made.append(deal_record(
                deck, plan.profile, actions, players=plan.players, dealer=deal.dealer, three_pots=three
            ))  # fmt: skip
    names = [f"{bot} {letter}" for bot, letter in zip(plan.seat_bots(), SEAT_LETTERS[plan.players], strict=True)]
    return write_record(record_of(plan.profile, tuple(names), tuple(made)))


def simulation_shape(plan: Plan, units: Sequence[Unit], *, matches: bool = False) -> dict[str, Any]:
    """A simulation as JSON-ready data without any timing: the same bytes for the same seed."""
    from scorer.contract import rules_json
    from scorer.game.state import SEAT_LETTERS
    from scorer.game.statistics import ENDS, match_shape, statistics

    letters = SEAT_LETTERS[plan.players]
    done = _deals(units)
    counted = [one for one in done if one.end != "truncated"]
    mean = {
        letters[seat]: round(sum(one.points[seat] for one in counted) / len(counted), 2) if counted else None
        for seat in range(plan.players)
    }
    played = [unit for unit in units if isinstance(unit, MatchSummary)]
    return {
        "rules": rules_json(plan.profile), "players": plan.players, "bots": list(plan.seat_bots()), "seed": plan.seed,
        "deals": len(done), "moves": sum(one.moves for one in done),
        "ends": {end: sum(one.end == end for one in done) for end in ENDS},
        "void": sum(one.void for one in done), "mean_points": mean,
        "closed": {letters[seat]: sum(one.closer == seat for one in done) for seat in range(plan.players)},
        "statistics": statistics(plan, units), "matches": match_shape(plan, played) if matches else None,
        "results": [_result_shape(one, letters) for one in done],
    }  # fmt: skip


def _result_shape(one: DealSummary, letters: str) -> dict[str, Any]:
    names = ["".join(letters[seat] for seat in seats) for seats in one.sides]
    return {
        "match": one.match if one.match >= 0 else None, "deal": one.number, "dealer": letters[one.dealer],
        "end": one.end, "closer": letters[one.closer] if one.closer >= 0 else None, "turns": one.turns,
        "moves": one.moves, "void": one.void, "points": dict(zip(letters, one.points, strict=True)),
        "burrachi": {name: dict(made) for name, made in zip(names, one.burrachi, strict=True)},
        "pots_missed": [name for name, had in zip(names, one.pots, strict=False) if not had],
    }  # fmt: skip
