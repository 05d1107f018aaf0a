"""A tournament for a person at a terminal: entries, rounds, ranking. Plain lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scorer.messages import text


def tournament_lines(view: Mapping[str, Any], lang: str) -> Iterator[str]:
    """Title, the last round, the ranking."""
    yield view["name"] or "Burraco"
    yield f"{view['movement']} · {view['vp']} · {len(view['rounds'])}/{view['rounds_planned']}"
    if not view["rounds"]:
        yield ""
        yield text("tournament.entries", lang)
        for entry in view["entries"]:
            gone = f"  ({text('tournament.withdrawn', lang)})" if entry["withdrawn"] else ""
            yield f"{entry['number']:>4}  {' / '.join(entry['players'])}{gone}"
        return
    yield ""
    yield from round_lines(view, len(view["rounds"]), lang)
    yield ""
    yield from ranking_lines(view, lang)


def round_lines(view: Mapping[str, Any], which: int, lang: str) -> Iterator[str]:
    """The tables of a round, with results where there are any."""
    yield text("tournament.round", lang, round=which)
    for table in view["rounds"][which - 1]:
        ns, ew = " / ".join(table["ns_names"]), " / ".join(table["ew_names"])
        if table["bye"]:
            yield f"   -  {ns}  {text('tournament.bye', lang)}"
            continue
        mp = f"{table['mp'][0]}-{table['mp'][1]}" if table["mp"] else ""
        vp = f"VP {table['vp'][0]}-{table['vp'][1]}{'*' if table['adjusted'] else ''}" if table["vp"] else ""
        yield f"{table['table']:>4}  {ns:<28} {ew:<28} {mp:>12}  {vp}".rstrip()


def ranking_lines(view: Mapping[str, Any], lang: str) -> Iterator[str]:
    """The ranking; equal entries share the place."""
    yield text("tournament.standings", lang)
    for row in view["ranking"]:
        names = " / ".join(row["players"])
        yield f"{row['place']:>4}  {names:<28} VP {row['vp']:>4}  +/- {row['margin']:>6}  MP {row['mp']:>6}"
