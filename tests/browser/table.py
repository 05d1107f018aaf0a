"""What the browser tests do again and again: taps on the card keyboard, and what the command says of the same deal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

#: A typical deal: six melds a side, three hands with cards, one side went out.
DEAL = """rules: fibur
[Us: Anna, Bruno]
4h-10h
3s-9s
Jc Qc Kc
7:hdc
5d 6d 7d
Ac 2c 3c 4c JK 6c 7c
hand Anna: -
hand Bruno: 5s 9d
pot: yes
closed: Anna

[Them]
6c-Qc
8:hds
10d Jd Qd
As 2s 3s 4s
5h 6h 7h
K:hds
hand: 4d 8c Jh
pot: yes
"""


class Tapper:
    """Taps on the page, counted."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.taps = 0
        self.suit: str | None = None

    def tap(self, selector: str) -> None:
        self.taps += 1
        self.page.locator(selector).first.click()

    def suit_key(self, suit: str, *, always: bool = False) -> None:
        """The suit stays chosen, so that it is tapped only when it changes."""
        if always or suit != self.suit:
            self.tap(f"[data-suit={suit}]")
        if not always:
            self.suit = suit

    def rank_key(self, rank: str) -> None:
        self.tap(f'[data-rank="{rank}"]')

    def mode(self, name: str) -> None:
        self.tap(f".keys-modes [role=radio]:has-text('{name}')")

    def run(self, suit: str, low: str, high: str) -> None:
        self.suit_key(suit)
        self.rank_key(low)
        self.rank_key(high)

    def set(self, rank: str, suits: str) -> None:
        self.rank_key(rank)
        for suit in suits:
            self.suit_key(suit, always=True)

    def cards(self, text: str) -> None:
        for card in text.split():
            if card == "JK":
                self.tap("[data-card=JK]")
            else:
                self.suit_key(card[-1])
                self.rank_key(card[:-1])

    def side(self, number: int) -> None:
        self.tap(f"[data-side-tab='{number}']")

    def hand(self, side: int, number: int) -> None:
        self.tap(f"[data-place='hand-{side}-{number}']")


def totals(page: Any, count: int = 2) -> list[int]:
    """The totals that the page shows, once they are those of the cards on the table."""
    page.wait_for_function("() => !document.querySelector('.side-tab-total.stale')")
    return [number(page.locator(f"[data-total='{n}']").inner_text()) for n in range(count)]


def number(text: str) -> int:
    return int(text.replace("−", "-").replace("+", "").strip())


def wait_totals(page: Any, expected: list[int]) -> None:
    """Wait until the page shows these totals, and say what it shows otherwise."""
    for n, total in enumerate(expected):
        shown = str(total).replace("-", "−")
        try:
            page.wait_for_function(
                "([n, text]) => { const el = document.querySelector(`[data-total='${n}']`);"
                " return el.textContent === text && !el.classList.contains('stale'); }",
                arg=[n, shown], timeout=45_000,
            )  # fmt: skip
        except Exception:
            raise AssertionError(f"expected {expected}, the page shows {totals(page, len(expected))}") from None


def command_totals(sheet: str, folder: Path) -> list[int]:
    """The totals of `burraco score FILE --json`."""
    file = folder / "deal.txt"
    file.write_text(sheet, encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from scorer.cli import main; sys.exit(main())", "score", str(file)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, env=env, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [side["score"]["total"] for side in json.loads(done.stdout)["sides"]]


def choose_rules(page: Any, rules: str) -> None:
    page.click(".rules-chip")
    page.click(f"[data-rules={rules}]")
    page.wait_for_selector("dialog", state="detached")


def paste(page: Any, text: str, lang: str = "en") -> None:
    """Paste text on a phone: through the dialog."""
    page.locator(".deal-bar .button").nth(1).click()
    page.locator("dialog [role=radio]").nth(0 if lang == "it" else 1).click()
    page.fill("dialog textarea", text)
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog", state="detached")
