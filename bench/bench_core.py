"""How fast the core is: melds and deals a second on one processor, and the cold start of `burraco meld`.

`python bench/bench_core.py [--melds N] [--rounds N] [--seed S]`: distinct seven-card melds (a quarter each of clean
runs, runs with a wild, sets, and bags that are no meld) judged once each, the best of some rounds, in processor time;
distinct deals (the samples under every relabelling of the suits); and the whole command against the smallest program
that Typer allows, in turn, as whole processes. No result is kept between melds, so no cache can help.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from statistics import median

from scorer.cards import CARDS, DECK, JOKER, Card, face
from scorer.melds import check_meld
from scorer.notation import format_cards, parse_meld, parse_sheet
from scorer.profile import RuleProfile, load_profile
from scorer.scoring import score
from scorer.table import Hand, MeldText, Side, Table

ROOT = Path(__file__).resolve().parents[1]
TINY = """
import typer
app = typer.Typer(add_completion=False)
@app.command()
def meld(cards: str) -> None:
    print(cards)
app()
"""
COMMAND = "import sys; from scorer.cli import main; sys.exit(main())"
MELD = "4h 5h 6h 2s 8h 9h 10h"


def one_meld(rng: Random) -> tuple[Card, ...]:
    """Seven cards: a clean run, a run with a wild in or at it, a set, or any seven of the deck; in any order."""
    kind = rng.randrange(4)
    if kind == 3:
        return tuple(rng.sample(DECK, 7))
    if kind == 2:
        rank = rng.choice([1, *range(3, 14)])
        cards = rng.sample([face(rank, suit) for suit in range(4)] * 2, 7)
    else:
        suit, low = rng.randrange(4), rng.randrange(1, 9)
        cards = [face(low + step, suit) for step in range(7)]
        if kind == 1:
            cards[rng.randrange(7)] = rng.choice([JOKER, *[face(2, s) for s in range(4) if s != suit]])
    rng.shuffle(cards)
    return tuple(cards)


def distinct_melds(count: int, rng: Random) -> list[tuple[Card, ...]]:
    """Melds of which no two are the same sequence of cards."""
    found: dict[tuple[Card, ...], None] = {}
    while len(found) < count:
        found[one_meld(rng)] = None
    return list(found)


def relabelled(table: Table, order: Sequence[int]) -> Table:
    """The same deal with other suits."""
    moved = [CARDS[order[c.suit_no] * 13 + c.rank_no - 1] if c.code < 52 else c for c in CARDS]

    def of(cards: Sequence[Card]) -> tuple[Card, ...]:
        return tuple([moved[card.code] for card in cards])

    sides = []
    for side in table.sides:
        melds = tuple([MeldText(of(meld.cards)) for meld in side.melds])
        hands = tuple([Hand(of(hand.cards), hand.player) for hand in side.hands])
        pot = of(side.pozzetto_cards)
        sides.append(Side(side.name, side.players, melds, hands, side.pozzetto, pot, side.closed, side.closed_by))
    return Table(tuple(sides))


def distinct_deals() -> Iterator[tuple[Table, RuleProfile]]:
    """Every two-sided sample, under each of the 24 relabellings of the suits."""
    for file in sorted((ROOT / "samples").glob("*_??.txt")):
        if file.stem in ("unreadable_it", "photo_doubts_en", "vanikar_words_it"):
            continue
        sheet = parse_sheet(file.read_text(encoding="utf-8"))
        if len(sheet.table.sides) == 2:
            profile = load_profile(sheet.rules or "vanikar", sheet.options)
            for order in permutations(range(4)):
                yield relabelled(sheet.table, order), profile


def best(work: Callable[[], object], rounds: int) -> float:
    """The least processor time of some rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def cold(command: Sequence[str]) -> tuple[float, float]:
    """One run of a whole process: processor seconds and elapsed seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start


def cold_start(rounds: int) -> None:
    """The command and the smallest Typer program in turn, so that a busy machine slows both alike."""
    with tempfile.TemporaryDirectory() as folder:
        tiny = Path(folder) / "tiny.py"
        tiny.write_text(TINY, encoding="utf-8")
        pairs = []
        for _ in range(rounds + 1):  # the first pair fills the file cache and is left out
            pairs.append((cold([sys.executable, "-c", COMMAND, "meld", MELD]), cold([sys.executable, str(tiny), MELD])))
    ours, theirs = zip(*pairs[1:], strict=True)
    for at, name in enumerate(("processor", "elapsed")):
        ratio = median(a[at] / b[at] for a, b in zip(ours, theirs, strict=True))
        mine, least = median(a[at] for a in ours), median(b[at] for b in theirs)
        print(
            f"cold start, {name}: {mine * 1000:.0f} ms, smallest Typer program {least * 1000:.0f} ms, ratio {ratio:.2f}"
        )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--melds", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    profile = load_profile("fibur")
    melds = distinct_melds(given.melds, Random(given.seed))
    legal = sum(check_meld(meld, profile).legal for meld in melds)
    spent = best(lambda: [check_meld(meld, profile) for meld in melds], given.rounds)
    print(f"{len(melds)} distinct seven-card melds ({legal} legal): {len(melds) / spent:,.0f} melds a second")
    texts = [format_cards(meld) for meld in melds]
    spent = best(lambda: [check_meld(parse_meld(words).cards, profile) for words in texts], given.rounds)
    print(f"the same, read from text first: {len(texts) / spent:,.0f} melds a second")
    deals = list(distinct_deals())
    spent = best(lambda: [score(table, rules) for table, rules in deals], given.rounds)
    print(f"{len(deals)} distinct two-sided deals: {spent / len(deals) * 1000:.3f} ms a deal")
    cold_start(max(given.rounds * 3, 9))


if __name__ == "__main__":
    main()
