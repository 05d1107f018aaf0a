"""Perft: how many action sequences of a length there are from a position, and the files that pin these numbers.

A perft file is a game record whose last deal stops at the position; its `_perft` field holds the counts by depth and
`_legal` the legal actions in their order. `python -m tests.game.perft` writes the files anew (look at the diff!).
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

from scorer.cards import DECK
from scorer.game import GameState, advance, deal, format_action, legal_actions
from scorer.profile import RuleProfile, load_profile, profile_ids
from scorer.record import read_record, record_of, write_record
from scorer.record_play import deal_record, opening, replay

FOLDER = Path(__file__).resolve().parents[1] / "perft"
#: A depth is pinned when it has at most this many leaves.
MOST = 12_000


def perft(state: GameState, depth: int) -> int:
    """The number of sequences of `depth` actions."""
    actions = legal_actions(state)
    if depth == 1 or not actions:
        return len(actions)
    return sum(perft(advance(state, action), depth - 1) for action in actions)


def divide(state: GameState, depth: int) -> list[str]:
    """The count below each action, for the eye when a number differs."""
    out = []
    for action in legal_actions(state):
        below = perft(advance(state, action), depth - 1) if depth > 1 else 1
        out.append(f"{format_action(state, action)}: {below}")
    return out


def position_of(text: str) -> GameState:
    """The position at which a record stops."""
    record = read_record(text)
    steps = list(replay(record, 0))
    return steps[-1].after if steps else opening(record, 0)


def pinned(text: str) -> dict[str, Any]:
    """The pinned numbers of a file."""
    data = tomllib.loads(text)
    return {"perft": data["_perft"], "legal": data["_legal"]}


def _counts(state: GameState) -> list[int]:
    counts: list[int] = []
    for depth in (1, 2, 3, 4):
        if counts and counts[-1] * max(counts[0], 4) > MOST * 3:
            break
        count = perft(state, depth)
        if count > MOST:
            break
        counts.append(count)
    return counts


def _file(profile: RuleProfile, players: int, seed: int, plies: int) -> str:
    rng = random.Random(f"perft {profile.id} {players} {seed}")
    deck = [card.code for card in DECK]
    rng.shuffle(deck)
    state, actions = deal(deck, profile, players=players), []
    while not state.over and (len(actions) < plies or len(legal_actions(state)) < 6):
        actions.append(rng.choice(legal_actions(state)))
        state = advance(state, actions[-1])
    if state.over:
        return _file(profile, players, seed + 100, plies)
    names = tuple("ABCD"[:players])
    text = write_record(record_of(profile, names, (deal_record(deck, profile, actions, players=players),)))
    shown = ",\n".join(f'  "{format_action(state, action)}"' for action in legal_actions(state))
    head, _, rest = text.partition("\n[[deal]]")
    marked = head.rstrip("\n")
    extra = f"_perft = {_counts(state)}\n_legal = [\n{shown},\n]\n"
    options = marked.find("\n[options]")
    marked = marked[:options] + "\n" + extra + marked[options:] if options >= 0 else marked + "\n" + extra
    return marked + "\n[[deal]]" + rest


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    for rules in profile_ids():
        profile = load_profile(rules)
        for players in profile.table.players:
            for number, plies in enumerate((30, 110)):
                name = f"{rules}-{players}-{number}.toml"
                (FOLDER / name).write_text(_file(profile, players, number, plies), encoding="utf-8")
    locked = load_profile("fibur", {"wild_move": "locked"})
    (FOLDER / "fibur-locked-4-2.toml").write_text(_file(locked, 4, 2, 90), encoding="utf-8")


if __name__ == "__main__":
    main()
