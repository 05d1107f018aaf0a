"""Write the sample records anew: one finished deal for each rule set and number of players, from fixed seeds.

`python samples/records/make_records.py` (from the repository's root). The players here are no bots of the product:
they lay what they can and discard by chance, until a deal comes in which somebody closes.
"""

from __future__ import annotations

import random
from pathlib import Path

from scorer.cards import DECK
from scorer.game import Action, GameState, advance, deal, legal_actions
from scorer.game.state import ADD, LAY, TAKE
from scorer.profile import RuleProfile, load_profile, profile_ids
from scorer.record import DealRecord, record_of, write_record
from scorer.record_play import deal_record

HERE = Path(__file__).resolve().parent
NAMES = ("Anna", "Carla", "Bruno", "Dino")


def choose(state: GameState, rng: random.Random) -> Action:
    """Lay when something can be laid, take the pile now and then, otherwise by chance."""
    legal = legal_actions(state)
    laying = [action for action in legal if action.kind in (ADD, LAY)]
    if laying:
        return rng.choice(laying)
    taking = [action for action in legal if action.kind == TAKE]
    if taking and rng.random() < 0.3:
        return taking[-1]
    return rng.choice([action for action in legal if action.kind != TAKE] or legal)


def played(profile: RuleProfile, players: int, three_pots: bool = False) -> DealRecord:
    """The first deal, by seed, in which somebody closes (or the last one tried)."""
    for seed in range(300):
        rng = random.Random(f"sample {profile.id} {players} {three_pots} {seed}")
        deck = [card.code for card in DECK]
        rng.shuffle(deck)
        cut = rng.randrange(20, 80) if not profile.pot.pots else 0
        dealer = seed % players
        state = deal(deck, profile, players=players, dealer=dealer, cut=cut, three_pots=three_pots)
        actions: list[Action] = []
        while not state.over:
            actions.append(choose(state, rng))
            state = advance(state, actions[-1])
        if state.end == "close" and state.turns >= 20:
            break
    return deal_record(deck, profile, actions, players=players, dealer=dealer, cut=cut, three_pots=three_pots)


def broken(good: str) -> dict[str, str]:
    """Records with one thing wrong each, made from a good one; the linter names every one of them."""
    lines = good.split("\n")
    start = lines.index('play = """')
    first, third, fourth = start + 1, start + 3, start + 4
    points = next(i for i, line in enumerate(lines) if line == "[deal.points]") + 1

    def with_line(at: int, text: str) -> str:
        return "\n".join([*lines[:at], text, *lines[at + 1 :]])

    other = "S" if lines[third].startswith("N") else "N"
    side, _, claimed = lines[points].partition(" = ")
    return {
        "wrong-turn": with_line(third, other + lines[third][1:]),
        "not-drawn": with_line(first, lines[first][0] + " discard 7h"),
        "not-held": with_line(first, lines[first][0] + " draw; lay N1 = JK JK JK; discard 7h"),
        "unreadable-card": with_line(fourth, lines[fourth].rsplit(" ", 1)[0] + " 11h"),
        "wrong-points": with_line(points, f"{side} = {int(claimed) + 5}"),
        "unknown-field": good.replace("players = ", 'colour = "green"\nplayers = ', 1),
        "other-version": good.replace("version = 1", "version = 2", 1),
        "changed-value": good.replace('digest = "', 'digest = "0', 1),
        "short-deck": with_line(lines.index('deck = """') + 1, "7h 8h"),
        "no-toml": good.replace('rules = "', "rules = ", 1),
        "wrong-mark": good.replace("; close", "; pot", 1),
    }


def main() -> None:
    """Write every sample."""
    for rules in profile_ids():
        profile = load_profile(rules)
        for players in profile.table.players:
            record = record_of(profile, NAMES[:players], (played(profile, players),))
            (HERE / f"{rules}-{players}.toml").write_text(write_record(record), encoding="utf-8")
    for rules, options, players, name in (
        ("fibur", {"wild_move": "locked"}, 4, "fibur-locked-4"),
        ("stekius", {"pickup": "top_melded", "close_burraco": "clean", "trump": "first_discard"}, 4, "stekius-table-4"),
    ):
        profile = load_profile(rules, options)
        record = record_of(profile, NAMES[:players], (played(profile, players),))
        (HERE / f"{name}.toml").write_text(write_record(record), encoding="utf-8")
    for name, text in broken((HERE / "vanikar-2.toml").read_text(encoding="utf-8")).items():
        (HERE / "broken" / f"{name}.toml").write_text(text, encoding="utf-8")
    fibur = load_profile("fibur")
    record = record_of(fibur, NAMES[:3], (played(fibur, 3), played(fibur, 3, three_pots=True)))
    (HERE / "fibur-3-match.toml").write_text(write_record(record), encoding="utf-8")


if __name__ == "__main__":
    main()
