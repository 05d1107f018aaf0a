"""Fit the weights of `scorer.game.bots.value` to deals that `normale` plays against itself.

`python bench/fit_value.py [--deals N]` plays N deals each under `fibur` (four players) and `vanikar` (two), counts the
signs of both sides before every draw, and prints the least-squares weights of the margin at the end of the deal, with
the share of its variance that they explain on deals left out of the fit: for `PAIRS` from the first table alone, for
`ALONE` from both. Needs NumPy.
"""

from __future__ import annotations

import argparse
import random

import numpy as np

from scorer.game.apply import advance
from scorer.game.bots.normale import Normale
from scorer.game.bots.value import Signs, Value
from scorer.game.final import result_of
from scorer.game.legal import legal_actions
from scorer.game.simulate import Plan, shuffled
from scorer.game.state import DRAW, deal
from scorer.game.view import view_of
from scorer.profile import load_profile

TABLES = (("fibur", 4), ("vanikar", 2))
#: Ridge: keeps weights of signs that hardly vary from running away.
RIDGE = 100.0


def rows_of(rules: str, players: int, number: int) -> list[tuple[list[float], float]]:
    """One deal: the signs of the side on turn less those of the other before each draw, and the margin that came."""
    profile = load_profile(rules)
    plan = Plan(profile, players, seed=5)
    state = deal(shuffled(plan, number), profile, players=players, dealer=number % players)
    bot, chance, value = Normale(), random.Random(0), Value(state.game)
    seen = []
    while not state.over:
        if state.phase == DRAW:
            side = state.sides[state.turn]
            mine, other = (value.signs(state, one) for one in (side, 1 - side))
            seen.append((side, [float(a) - float(b) for a, b in zip(mine, other, strict=True)]))
        state = advance(state, bot.choose(view_of(state, state.turn), legal_actions(state), chance))
    points = result_of(state).points
    return [(signs, float(points[side] - points[1 - side])) for side, signs in seen]


def fit(signs: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Ridge regression through the origin, each sign in units of its own spread."""
    spread = signs.std(axis=0) + 1e-9
    unit = signs / spread
    found = np.linalg.solve(unit.T @ unit + RIDGE * np.eye(unit.shape[1]), unit.T @ margins)
    return np.asarray(found / spread)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=1_000)
    deals = parser.parse_args().deals
    signs, margins, out = [], [], []
    for (rules, players), name in zip(TABLES, ("PAIRS", "ALONE"), strict=True):
        for number in range(deals):
            for row, margin in rows_of(rules, players, number):
                signs.append(row)
                margins.append(margin)
                out.append(number % 4 == 0)
        report(name, np.array(signs), np.array(margins), np.array(out))


def report(name: str, x: np.ndarray, y: np.ndarray, left_out: np.ndarray) -> None:
    """Print what a fit explains on the deals left out, and the weights from all deals."""
    guess = x[left_out] @ fit(x[~left_out], y[~left_out])
    share = 1 - ((y[left_out] - guess) ** 2).sum() / (y[left_out] ** 2).sum()
    print(f"{name}: {len(y)} positions; explained on the deals left out: {100 * share:.0f} %")
    for sign, weight in zip(Signs._fields, fit(x, y), strict=True):
        print(f"  {sign:<14}{weight:8.1f}")


if __name__ == "__main__":
    main()
