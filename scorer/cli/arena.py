"""`burraco arena`: bots against each other on the same decks, with intervals and ratings."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Any

import typer

from scorer.cli.common import JsonFlag, LangCode, OptionList, RulesFile, RulesId, choice, say, say_json
from scorer.contract import refuse, rules_json
from scorer.game.arena import Duel, DuelResult, Estimate, fight, rate, round_robin
from scorer.game.bots import make_bot
from scorer.game.state import game_of
from scorer.messages import text


def arena(
    bots: Annotated[list[str], typer.Argument(metavar="BOT BOT...", help="Two or more: facile normale forte:500ms.")],
    matches: Annotated[int, typer.Option("--matches", metavar="N", help="Most matches of each duel (even).")] = 40,
    players: Annotated[int | None, typer.Option("--players", metavar="N", help="2 or 4.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The seed of every chance.")] = 0,
    workers: Annotated[int, typer.Option("--workers", metavar="W", help="Processes.")] = 1,
    early: Annotated[bool, typer.Option("--early/--no-early", help="Stop when the question is decided.")] = True,
    as_json: JsonFlag = False,
    rules: RulesId = None,
    option: OptionList = None,
    rules_file: RulesFile = None,
    lang: LangCode = None,
) -> int:
    """Let bots play matches on the same decks with the seats swapped, and say who is stronger, with an interval."""
    chosen = choice(rules, option, rules_file, lang)
    profile, tongue = chosen.profile(), chosen.lang or "en"
    count = players or max(n for n in profile.table.players if n != 3)
    for name, value, low, high in (("--matches", matches, 2, 100_000), ("--workers", workers, 1, 256)):
        if not low <= value <= high:
            raise refuse("bad_number", what=name, low=low, high=high, given=value)
    if len(bots) < 2:
        raise refuse("two_bots")
    for bot in bots:
        make_bot(bot)
    if count not in profile.table.players or max(game_of(profile, count).first_sides) != 1:
        raise refuse("arena.two_sides")
    results = []
    started = time.perf_counter()
    for first, second in round_robin(bots):
        duel = Duel(profile, count, first, second, seed)
        result = fight(duel, matches // 2, workers=workers, early=early, told=_progress(first, second, matches // 2))
        results.append(result)
        if not as_json:
            say(*_lines(result, tongue))
    if as_json:
        say_json(arena_json(results, profile, count, seed, time.perf_counter() - started))
    elif len(bots) > 2:
        say("", *_ratings(results, tongue))
    return 0


def _ratings(results: list[DuelResult], lang: str) -> list[str]:
    return [
        text("arena.rating", lang, bot=f"{r.bot:<12}", rating=f"{r.rating:>5}", won=f"{r.won:g}", matches=r.matches)
        for r in rate(results)
    ]


def _progress(first: str, second: str, pairs: int) -> Any:
    """A line that counts, on a terminal only."""
    if not sys.stderr.isatty():
        return None

    def told(done: int) -> None:
        sys.stderr.write(f"\r{first} - {second}: {2 * done}/{2 * pairs} " + ("\n" if done == pairs else ""))
        sys.stderr.flush()

    return told


def _lines(result: DuelResult, lang: str) -> list[str]:
    def share(value: float) -> str:
        return f"{100 * value:.1f}"

    rate_, points = result.win_rate, result.points_a_deal
    lines = [
        text(
            "arena.duel", lang, first=result.first, second=result.second, matches=result.matches,
            rate=share(rate_.mean), low=share(rate_.low), high=share(rate_.high), points=round(points.mean),
            plow=round(points.low), phigh=round(points.high),
        )
    ]  # fmt: skip
    return [*lines, "  " + text("arena.early", lang)] if result.stopped_early else lines


def arena_json(results: list[DuelResult], profile: Any, players: int, seed: int, seconds: float) -> dict[str, Any]:
    """The duels and ratings as data."""

    def estimate(e: Estimate) -> dict[str, float]:
        return {"mean": round(e.mean, 4), "low": round(e.low, 4), "high": round(e.high, 4)}

    return {
        "rules": rules_json(profile), "players": players, "seed": seed, "seconds": round(seconds, 1),
        "duels": [
            {**r._asdict(), "win_rate": estimate(r.win_rate), "points_a_deal": estimate(r.points_a_deal)}
            for r in results
        ],
        "ratings": [r._asdict() for r in rate(results)],
    }  # fmt: skip
