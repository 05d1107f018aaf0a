"""Where cards lie: melds, hands, piles, scatter. Lengths in card heights, x right, y towards the near side."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from vision.truth import RANKS, SUITS, Layout, Role

Rng = np.random.Generator


BACK = "back"
"""In place of a face: the card lies face down."""


@dataclass(frozen=True)
class Placed:
    """A card on the table: centre, angle (radians, clockwise on screen), which deck and face; drawn in list order."""

    deck: int
    key: str
    x: float
    y: float
    angle: float
    role: Role
    side: int | None = None
    meld: int | None = None
    order: int = 0
    crosswise: bool = False

    @property
    def face_down(self) -> bool:
        """Whether its back is up: such a card is no part of what a photo can tell."""
        return self.key == BACK


@dataclass
class Scene:
    """A table: cards in drawing order, the melds' layouts, and notes about how it was laid."""

    cards: list[Placed] = field(default_factory=list)
    melds: list[tuple[int, int, Layout]] = field(default_factory=list)
    step: float = 0.0


class Shoe:
    """Two decks of 54 with what is still undealt; the same card can be dealt twice, never three times."""

    def __init__(self, rng: Rng, decks: int = 2) -> None:
        self.rng = rng
        self.left = self._shuffled(decks)

    def _shuffled(self, decks: int) -> list[tuple[int, str]]:
        cards = [
            (deck, key)
            for deck in range(decks)
            for key in [rank + suit for suit in SUITS for rank in RANKS] + ["JK0", "JK1"]
        ]
        self.rng.shuffle(cards)
        return cards

    def take(self, card: str) -> tuple[int, str] | None:
        """A copy of the named card (`JK` for any joker), or None when none is left."""
        for position, (_, key) in enumerate(self.left):
            if key == card or (card == "JK" and key.startswith("JK")):
                return self.left.pop(position)
        return None

    def any(self) -> tuple[int, str]:
        """The next card; a used-up shoe starts again with the first deck's cards."""
        if not self.left:
            self.left = self._shuffled(2)
        return self.left.pop()


def meld_cards(rng: Rng, shoe: Shoe, length: int) -> list[tuple[int, str]]:
    """Cards of a run or a set with at most one wild card, as far as the shoe has them."""
    wanted: list[str] = []
    wild = int(rng.integers(length)) if rng.random() < 0.62 else -1
    if rng.random() < 0.6:
        suit = SUITS[int(rng.integers(4))]
        start = int(rng.integers(0, 14 - min(length, 13) + 1))
        ring = (*RANKS, "A")
        wanted = [ring[min(start + k, 13)] + suit for k in range(length)]
        if rng.random() < 0.35:
            wanted.reverse()
    else:
        rank = RANKS[int(rng.choice([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))]
        wanted = [rank + SUITS[int(rng.integers(4))] for _ in range(length)]
    out: list[tuple[int, str]] = []
    for k, card in enumerate(wanted):
        name = ("JK" if rng.random() < 0.65 else "2" + SUITS[int(rng.integers(4))]) if k == wild else card
        got = shoe.take(name)
        if got is not None:
            out.append(got)
    return out


def _turn(x: float, y: float, angle: float) -> tuple[float, float]:
    c, s = math.cos(angle), math.sin(angle)
    return c * x - s * y, s * x + c * y


def meld(
    rng: Rng, cards: list[tuple[int, str]], layout: Layout, aspect: float, step: float, role: Role = "meld"
) -> list[Placed]:
    """Lay cards round the origin in one layout, upright, first card first; drawing order is the list's order."""
    jitter, twist = (0.012, 0.012) if rng.random() < 0.5 else (0.03, 0.035)
    out: list[Placed] = []
    x = y = angle = 0.0
    along = rng.choice([-1.0, 1.0], p=[0.3, 0.7])
    fan = rng.uniform(0.06, 0.2)
    radius = rng.uniform(1.3, 2.4)
    crosses = _crosses(rng, len(cards)) if role == "meld" and layout != "fan" else set()
    for order, (deck, key) in enumerate(cards):
        dx, dy = rng.normal(0, jitter, 2)
        if layout == "fan":
            a = (order - len(cards) / 2) * fan
            fx, fy = _turn(0, -radius, a)
            placed = Placed(deck, key, fx + dx, fy + radius + dy, a, role, order=order)
        else:
            cross = order in crosses
            shift = 0.12 if cross else 0.0
            placed = Placed(
                deck,
                key,
                x + dx,
                y + dy + shift,
                angle + rng.normal(0, twist) + (math.pi / 2 if cross else 0.0),
                role,
                order=order,
                crosswise=cross,
            )
        out.append(placed)
        wobble = rng.uniform(0.85, 1.15)
        if layout == "column":
            y += step * wobble
        elif layout == "row":
            x += along * max(step, 0.14) * wobble * (1.0 if aspect > 0.6 else 0.9)
        elif layout == "stairs":
            x += along * step * wobble * 0.8
            y += step * wobble * rng.uniform(0.5, 0.9)
        elif layout == "pile":
            x, y = rng.normal(0, 0.01, 2)
    return out


def _crosses(rng: Rng, count: int) -> set[int]:
    if count < 5:
        return set()
    kind = rng.random()
    if kind < 0.3:
        return {count - 1}
    if kind < 0.4:
        return {count - 1, count - 2}
    return {count - 2} if kind < 0.5 else set()


def moved(cards: list[Placed], x: float, y: float, angle: float) -> list[Placed]:
    """The same cards turned about the origin and shifted."""
    out = []
    for card in cards:
        cx, cy = _turn(card.x, card.y, angle)
        out.append(replace(card, x=cx + x, y=cy + y, angle=card.angle + angle))
    return out


def extent(cards: list[Placed]) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1 of the card centres."""
    xs, ys = [c.x for c in cards], [c.y for c in cards]
    return min(xs), min(ys), max(xs), max(ys)


def _pick_layout(rng: Rng) -> Layout:
    names: list[Layout] = ["column", "row", "stairs", "fan", "pile"]
    return names[int(rng.choice(5, p=[0.5, 0.27, 0.1, 0.06, 0.07]))]


def _side(rng: Rng, scene: Scene, shoe: Shoe, side: int, aspect: float, melds: int, step: float) -> None:
    """A side's melds one beside the other in one or two rows."""
    sign = 1.0 if side == 0 else -1.0
    tilt = rng.normal(0, 0.08)
    flip = rng.random() < (0.6 if side == 1 else 0.05)
    x, y = -4.5 + rng.uniform(0, 1.0), 0.0
    row_bottom = 0.0
    mixed = rng.random() < 0.4
    usual = _pick_layout(rng)
    for _ in range(melds):
        layout = _pick_layout(rng) if mixed else usual
        length = int(rng.choice([3, 4, 5, 6, 7, 8, 9, 11], p=[0.24, 0.2, 0.16, 0.11, 0.14, 0.08, 0.05, 0.02]))
        cards = meld_cards(rng, shoe, length)
        if len(cards) < 2:
            continue
        laid = moved(meld(rng, cards, layout, aspect, step), 0, 0, (math.pi if flip else 0.0) + rng.normal(0, 0.05))
        x0, y0, x1, y1 = extent(laid)
        if x + (x1 - x0) > 4.8:
            x, y = -4.5 + rng.uniform(0, 0.8), row_bottom + 0.25
        gap = aspect + rng.uniform(0.1, 0.5)
        laid = moved(laid, x - x0, y - y0 + rng.normal(0, 0.1), 0.0)
        x += (x1 - x0) + gap
        row_bottom = max(row_bottom, y + (y1 - y0) + 1.05)
        number = len(scene.melds)
        scene.melds.append((number, side, layout))
        offset = 0.65 if side == 0 else -0.65 - (y1 - y0) - 2 * y
        placed = [replace(c, side=side, meld=number) for c in moved(laid, 0, offset, 0.0)]
        scene.cards += moved(placed, 0, 0, tilt * sign * 0.5)


def _piles(rng: Rng, scene: Scene, shoe: Shoe, aspect: float) -> None:
    """Stock, pozzetti (face down) and the discard pile, in the middle or at an edge."""
    x0, _, x1, _ = extent(scene.cards)
    x, y = (x1 + rng.uniform(1.0, 1.6) if rng.random() < 0.7 else x0 - rng.uniform(1.0, 1.6)), rng.uniform(-1.5, 1.5)
    for _ in range(int(rng.integers(0, 4))):
        px, py, a = x + rng.normal(0, 0.6), y + rng.normal(0, 1.5), rng.choice([0, math.pi / 2]) + rng.normal(0, 0.1)
        for _ in range(int(rng.integers(1, 4))):
            deck = int(rng.integers(2))
            scene.cards.append(
                Placed(
                    deck,
                    BACK,
                    px + rng.normal(0, 0.02),
                    py + rng.normal(0, 0.02),
                    a + rng.normal(0, 0.03),
                    "loose",
                )
            )
    if rng.random() < 0.7:
        spread = rng.choice([0.0, 0.0, 0.15])
        count, a = int(rng.integers(1, 6)), rng.uniform(0, 2 * math.pi)
        for k in range(count):
            deck, key = shoe.any()
            dx, dy = _turn(spread * k, 0, a)
            scene.cards.append(
                Placed(
                    deck,
                    key,
                    x - 0.9 * aspect + dx + rng.normal(0, 0.03),
                    y + dy,
                    a + rng.normal(0, 0.08),
                    "discard",
                    order=k,
                )
            )


def _hands(rng: Rng, scene: Scene, shoe: Shoe, aspect: float) -> None:
    for side in (0, 1):
        if rng.random() < 0.5:
            continue
        cards = [shoe.any() for _ in range(int(rng.integers(1, 10)))]
        layout: Layout = "fan" if rng.random() < 0.65 else "row"
        laid = meld(rng, cards, layout, aspect, rng.uniform(0.12, 0.3), "hand")
        x0, y0, x1, y1 = extent([c for c in scene.cards if c.meld is not None] or laid)
        y = (y1 + 1.25 if side == 0 else y0 - 1.25) + rng.normal(0, 0.15)
        turn = (0.0 if rng.random() < 0.5 else math.pi) + rng.normal(0, 0.5)
        scene.cards += [replace(c, side=side) for c in moved(laid, rng.uniform(x0, x1), y, turn)]


def burraco_table(
    rng: Rng, aspect: float, melds: int | None = None, steps: tuple[float, float] = (0.12, 0.45)
) -> Scene:
    """A whole table at the end of a deal: two sides' melds, piles, hands left over; `steps` in card heights."""
    scene = Scene()
    shoe = Shoe(rng)
    scene.step = float(np.exp(rng.uniform(math.log(steps[0]), math.log(steps[1]))))
    for side in (0, 1):
        _side(rng, scene, shoe, side, aspect, melds or int(rng.integers(2, 8)), scene.step)
    if scene.cards and rng.random() < 0.8:
        _piles(rng, scene, shoe, aspect)
    _hands(rng, scene, shoe, aspect)
    return scene


def scatter(rng: Rng, aspect: float) -> Scene:
    """Loose cards: spread out, touching or heaped, or in a grid."""
    scene = Scene(step=1.0)
    shoe = Shoe(rng)
    count = int(rng.integers(3, 22))
    if rng.random() < 0.35:
        columns = int(rng.integers(2, 6))
        for k in range(count):
            deck, key = shoe.any()
            x, y = (k % columns) * (aspect + rng.uniform(0.02, 0.15)), (k // columns) * rng.uniform(1.02, 1.15)
            scene.cards.append(Placed(deck, key, x, y, rng.normal(0, 0.03), "loose", order=k))
        return scene
    room = rng.uniform(0.45, 1.0) * math.sqrt(count)
    for k in range(count):
        deck, key = shoe.any()
        x, y = rng.uniform(-room, room) * 0.8, rng.uniform(-room, room) * 0.8
        scene.cards.append(Placed(deck, key, x, y, rng.uniform(0, 2 * math.pi), "loose", order=k))
    return scene


def fans(rng: Rng, aspect: float) -> Scene:
    """Bridge hands: four tight fans or rows round the table."""
    scene = Scene(step=0.1)
    shoe = Shoe(rng, 1)
    for k in range(4):
        cards = [shoe.any() for _ in range(int(rng.integers(7, 14)))]
        layout: Layout = "fan" if rng.random() < 0.75 else "row"
        laid = meld(rng, cards, layout, aspect, rng.uniform(0.12, 0.25), "hand")
        a = k * math.pi / 2 + rng.normal(0, 0.25)
        dx, dy = _turn(0, rng.uniform(1.3, 2.0), a)
        scene.cards += moved(laid, dx, dy, a if rng.random() < 0.5 else a + math.pi)
    return scene
