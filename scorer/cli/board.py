"""The table drawn with rich: melds with their type, pile, stock, pots, hands. Used by replay and by play."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from scorer.cards import CARDS
from scorer.game.final import side_list, side_name
from scorer.game.state import Game, GameState, Meld, meld_name, side_seats
from scorer.game.view import View
from scorer.messages import text
from scorer.moves import Codes

_POT_CODES = ("pot_not_taken", "pot_unplayed", "pot_played")


def console(*, colour: bool) -> Console:
    """A console on the standard output."""
    return Console(file=sys.stdout, no_color=not colour, highlight=False)


def cards_text(codes: Codes | Sequence[int]) -> Text:
    """Cards with their symbols, the red suits red."""
    out = Text()
    for at, code in enumerate(codes):
        card = CARDS[code]
        style = "red" if card.suit_no in (0, 1) else ""
        out.append((" " if at else "") + card.symbol, style)
    return out


def meld_line(game: Game, meld: Meld, lang: str) -> Text:
    """A meld: its name, cards in order with the wild in brackets, its type if it is a burraco."""
    reading = game.book.reading(meld.codes, meld.reading)
    out = Text(f"{meld_name(game, meld):>3}  ", style="dim")
    for at, slot in enumerate(reading.slots):
        style = "red" if slot.card.suit_no in (0, 1) else ""
        shown = f"[{slot.card.symbol}]" if slot.wild else slot.card.symbol
        out.append((" " if at else "") + shown, style)
    best = game.book.readings(meld.codes)[0]
    if best.type:
        out.append(f"  {text(f'type.{best.type}', lang)}", "bold")
    return out


def draw(state: GameState | View, names: Sequence[str], lang: str, *, colour: bool, out: Console | None = None) -> None:
    """Draw the table; of a `View` only what its seat sees."""
    screen = out or console(colour=colour)
    game = state.game
    if isinstance(state, View):
        hands = {state.seat: state.hand}
        counts = state.hand_counts
    else:
        hands = dict(enumerate(state.hands))
        counts = tuple(len(hand) for hand in state.hands)
    for side in side_list(state.sides):
        melds = [meld for meld in state.melds if state.sides[meld.home] == side]
        lines: list[Text] = [meld_line(game, meld, lang) for meld in melds]
        grid = Grid.grid(padding=(0, 1))
        for seat in side_seats(state.sides, side):
            mark = "▶" if seat == state.turn and not state.over else " "
            shown = cards_text(hands[seat]) if seat in hands else Text("▮" * counts[seat])
            grid.add_row(
                Text(f"{mark} {game.letters[seat]}", "bold"), Text(names[seat]), Text(f"({counts[seat]})"), shown
            )
        title = side_name(game, state.sides, side)
        if game.flags.pots:
            title += f" · {text('game.' + _POT_CODES[state.pot[side]], lang)}"
        screen.print(Panel(Group(*lines, grid), title=title, title_align="left"))
    foot = Text(f"{text('game.stock', lang)}: {state.stock_count}   ")
    if game.flags.pots:
        foot.append(f"{text('game.pots', lang)}: {state.pot_count}   ")
    foot.append(f"{text('game.pile', lang)}: ")
    foot.append_text(cards_text(state.pile) if state.pile else Text("-"))
    screen.print(foot)
