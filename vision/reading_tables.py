"""End-of-deal tables that obey the rules, as geometry alone: what the layout and the reading are measured on.

`vision.synth` lays any cards anywhere; here every meld is legal under a profile, no card occurs more often than the
deck holds it, and the deal that was laid is kept, hidden cards included, so that points can be compared. A table can
be photographed by `vision.synth.render.shoot` or turned into exact detections without painting a pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scorer.cards import Card
from scorer.melds import readings
from scorer.profile import RuleProfile, load_profile
from scorer.scoring import ScoreSheet, score
from scorer.table import Hand, MeldText, Side, Table
from vision.geometry import Array
from vision.synth.layouts import BACK, Placed, Scene, Shoe, extent, meld, moved
from vision.synth.make import frame
from vision.synth.render import Camera, project
from vision.truth import RANKS, SUITS, CardTruth, IndexTruth, Layout, MeldTruth, Quad, Role, TableTruth
from vision.types import CARDS, CardSeen, CardsSeen, IndexMark

Rng = np.random.Generator
_LENGTHS: Final = (3, 4, 5, 6, 7, 8, 9, 11)
_LENGTH_SHARES: Final = (0.24, 0.2, 0.16, 0.11, 0.14, 0.08, 0.05, 0.02)
_LAYOUTS: Final[tuple[Layout, ...]] = ("column", "row", "stairs", "fan", "pile")
_ROW_WIDTH: Final = 4.8
INDEX: Final = (0.14, 0.2)
"""How far the index of the exact tables reaches from its card's left and upper edge, in card heights."""
_SHOWN, _NUDGE, _MOST_NUDGES = 0.9, 0.02, 20
"""A card can be counted where so much of an index is uncovered; cards are moved by so many card heights, so often."""
_GRID: Final = np.array([(u, v) for v in np.linspace(0.04, 0.96, 8) for u in np.linspace(0.06, 0.94, 6)])
"""Points of a quad, as shares of its sides, that are tried for cover."""


@dataclass(frozen=True)
class SideDeal:
    """What one side laid and holds, in canonical names; melds in table order."""

    melds: tuple[tuple[str, ...], ...]
    hands: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Deal:
    """A finished deal: two sides and the face-up top of the discard pile (or None)."""

    sides: tuple[SideDeal, ...]
    other: str | None = None

    def table(self) -> Table:
        """The deal as the scorer takes it."""
        return Table(tuple(
            Side(
                name,
                melds=tuple(MeldText(tuple(Card.of(c) for c in cards)) for cards in side.melds),
                hands=tuple(Hand(tuple(Card.of(c) for c in cards)) for cards in side.hands),
            )
            for name, side in zip("AB", self.sides, strict=True)
        ))  # fmt: skip

    def score(self, profile: RuleProfile) -> ScoreSheet:
        """The true score sheet."""
        return score(self.table(), profile)


@dataclass(frozen=True)
class LaidTable:
    """A deal, how it lies, and the camera that looks at it."""

    deal: Deal
    scene: Scene
    camera: Camera
    aspect: float
    four_corner: bool


# --- a legal deal ----------------------------------------------------------------------------------------------------


def _wish(rng: Rng, length: int) -> list[str]:
    """Names of the cards of a run or set with at most one wild in its own place, or at the end."""
    wild = ("JK" if rng.random() < 0.6 else "2" + SUITS[int(rng.integers(4))]) if rng.random() < 0.55 else None
    if rng.random() < 0.62:
        suit = SUITS[int(rng.integers(4))]
        start = int(rng.integers(0, 14 - min(length, 13) + 1))
        ring = (*RANKS, "A")
        names = [ring[start + k] + suit for k in range(min(length, 14 - start))]
        if rng.random() < 0.3:
            names.reverse()
    else:
        rank = RANKS[int(rng.choice([0, *range(2, 13)]))]
        names = [rank + SUITS[int(rng.integers(4))] for _ in range(min(length, 8))]
    if wild is not None:
        place = int(rng.integers(len(names))) if rng.random() < 0.75 else len(names) - 1
        names[place] = wild
    return names


def _take_meld(rng: Rng, shoe: Shoe, profile: RuleProfile, length: int, taken: set[str]) -> tuple[str, ...]:
    """A legal meld out of the shoe; tries until one is found that the shoe still holds."""
    for _ in range(200):
        names = _wish(rng, length)
        cards = [Card.of(name) for name in names]
        found = readings(cards, profile.rules)
        if not found or (found[0].kind == "set" and RANKS[found[0].low - 1] in taken):
            continue
        left = [key if not key.startswith("JK") else "JK" for _, key in shoe.left]
        if any(names.count(name) > left.count(name) for name in set(names)):
            continue
        for name in names:
            shoe.take(name)
        if found[0].kind == "set":
            taken.add(RANKS[found[0].low - 1])
        return tuple(names)
    return ()


def _name(key: str) -> str:
    return "JK" if key.startswith("JK") else key


def make_deal(rng: Rng, profile: RuleProfile, fewest: int = 3, most: int = 6) -> Deal:
    """A deal with `fewest` to `most` melds a side, all legal under `profile`."""
    shoe = Shoe(rng)
    sides = []
    for _ in range(2):
        taken: set[str] = set()
        wanted = int(rng.integers(fewest, most + 1))
        lengths = rng.choice(_LENGTHS, size=wanted, p=_LENGTH_SHARES)
        melds = [_take_meld(rng, shoe, profile, int(length), taken) for length in lengths]
        hand: tuple[str, ...] = ()
        if rng.random() < 0.5:
            hand = tuple(_name(shoe.any()[1]) for _ in range(int(rng.integers(1, 10))))
        sides.append(SideDeal(tuple(m for m in melds if m), (hand,) if hand else ()))
    other = _name(shoe.any()[1]) if rng.random() < 0.6 else None
    return Deal(tuple(sides), other)


# --- how it lies -----------------------------------------------------------------------------------------------------


def _keys(rng: Rng, cards: tuple[str, ...]) -> list[tuple[int, str]]:
    """(deck, picture) of each card: jokers have two pictures."""
    return [(int(rng.integers(2)), f"JK{rng.integers(2)}" if c == "JK" else c) for c in cards]


def _laid(rng: Rng, cards: tuple[str, ...], layout: Layout, aspect: float, step: float) -> list[Placed]:
    placed = meld(rng, _keys(rng, cards), layout, aspect, step)
    if len(cards) < 7 and any(card.crosswise for card in placed):
        return [replace(c, crosswise=False, angle=c.angle - (math.pi / 2 if c.crosswise else 0)) for c in placed]
    return placed


def _spread(laid: list[Placed], aspect: float, index: tuple[float, float]) -> list[Placed]:
    """Move the cards of a meld or hand along until every one below shows an index: so people lay what is to be counted.

    A crosswise card shows beside the others as it lies.
    """
    box = _index_box(aspect, index)
    places = box, (-box[2], -box[3], -box[0], -box[1])
    for n in range(len(laid) - 2, -1, -1):
        step = np.array([laid[n + 1].x - laid[n].x, laid[n + 1].y - laid[n].y])
        step *= _NUDGE / max(float(np.hypot(*step)), 1e-9)
        for _ in range(0 if laid[n].crosswise else _MOST_NUDGES):
            group = Scene(laid)
            if any(_share(group, n, _rectangle(laid[n], *place), aspect) >= _SHOWN for place in places):
                break
            laid = laid[: n + 1] + [replace(card, x=card.x + step[0], y=card.y + step[1]) for card in laid[n + 1 :]]
    return laid


def _reach_across(laid: list[Placed], aspect: float) -> tuple[float, float]:
    """Least and greatest x of the cards' outlines."""
    xs = np.concatenate([_rectangle(card, -aspect / 2, -0.5, aspect / 2, 0.5)[:, 0] for card in laid])
    return float(xs.min()), float(xs.max())


def _lay_side(
    rng: Rng, scene: Scene, deal: SideDeal, side: int, aspect: float, piles: float, index: tuple[float, float] | None
) -> None:
    flip = side == 1 and rng.random() < 0.95
    x, y, bottom = -4.5 + rng.uniform(0, 1.0), 0.0, 0.0
    shares = np.array([0.5, 0.3, 0.1, 0.07, piles])
    usual = _LAYOUTS[int(rng.choice(5, p=shares / shares.sum()))]
    mixed = rng.random() < 0.5
    snug = rng.random() < 0.2
    for cards in deal.melds:
        layout = _LAYOUTS[int(rng.choice(5, p=shares / shares.sum()))] if mixed or usual == "pile" else usual
        turn = (math.pi if flip else 0.0) + rng.normal(0, 0.05)
        laid = _laid(rng, cards, layout, aspect, scene.step)
        if index is not None and layout != "pile":
            laid = _spread(laid, aspect, index)
        laid = moved(laid, 0, 0, turn)
        x0, y0, x1, y1 = extent(laid)
        wide = 1.0 if any(card.crosswise for card in laid) else aspect
        if index is not None:
            left, right = _reach_across(laid, aspect)
            wide, x0, x1 = aspect, left + aspect / 2, right - aspect / 2
        if x + (x1 - x0) > _ROW_WIDTH:
            x, y = -4.5 + rng.uniform(0, 0.8), bottom + 0.25
        laid = moved(laid, x - x0, y - y0 + rng.normal(0, 0.08), 0.0)
        x += (x1 - x0) + wide + (0.03 if snug else rng.uniform(0.1, 0.5))
        bottom = max(bottom, y + (y1 - y0) + 1.1)
        number = len(scene.melds)
        scene.melds.append((number, side, layout))
        offset = 0.85 if side == 0 else -0.85 - (y1 - y0) - 2 * y
        scene.cards += [replace(card, side=side, meld=number) for card in moved(laid, 0, offset, 0.0)]


def _lay_hands(rng: Rng, scene: Scene, deal: Deal, aspect: float, index: tuple[float, float] | None) -> None:
    ys = [card.y for card in scene.cards] or [0.0]
    for side, owned in enumerate(deal.sides):
        for hand in owned.hands:
            layout: Layout = "fan" if rng.random() < 0.65 else "row"
            laid = meld(rng, _keys(rng, hand), layout, aspect, rng.uniform(0.14, 0.3), "hand")
            laid = laid if index is None else _spread(laid, aspect, index)
            y = max(ys) + 1.5 + abs(rng.normal(0, 0.2)) if side == 0 else min(ys) - 1.5 - abs(rng.normal(0, 0.2))
            turn = (0.0 if side == 0 else math.pi) + rng.normal(0, 0.3)
            scene.cards += [replace(card, side=side) for card in moved(laid, rng.uniform(-3, 3), y, turn)]


def lay(rng: Rng, deal: Deal, aspect: float, piles: float = 0.008, index: tuple[float, float] | None = None) -> Scene:
    """Lay a deal on a table: side 0 towards larger y, side 1 beyond the middle, hands outermost.

    With `index` (how far an index reaches from its card's left and upper edge, in card heights) every card shows one,
    those of a squared pile aside, and no meld lies on another. Without it steps are as they fall.
    """
    scene = Scene()
    scene.step = float(np.exp(rng.uniform(math.log(0.2), math.log(0.42))))
    for side, owned in enumerate(deal.sides):
        _lay_side(rng, scene, owned, side, aspect, piles, index)
    _lay_hands(rng, scene, deal, aspect, index)
    if deal.other is not None:
        x = max(card.x for card in scene.cards) + 1.6 + rng.uniform(0, 0.4)
        turn = rng.uniform(0, 2 * math.pi)
        for _ in range(int(rng.integers(0, 3))):
            scene.cards.append(Placed(0, BACK, x, 0.0, turn, "discard"))
        key = _keys(rng, (deal.other,))[0]
        scene.cards.append(Placed(key[0], key[1], x, rng.normal(0, 0.2), turn + rng.normal(0, 0.1), "discard"))
    return scene


def laid_table(
    seed: int,
    profile: RuleProfile | None = None,
    aspect: float | None = None,
    four_corner: bool | None = None,
    tilt: float = 45.0,
    piles: float = 0.008,
    turned: bool = True,
    index: tuple[float, float] | None = None,
) -> LaidTable:
    """A whole legal table under a camera; the same seed gives the same table. `tilt` is the most, in degrees;
    with `turned` one table in three is seen from its side or from behind. `index` is that of `lay`: the same deal, laid
    so that every card can be counted."""
    rng = np.random.default_rng([seed, 5])
    profile = profile or load_profile("fibur")
    deal = make_deal(rng, profile)
    aspect = float(rng.uniform(0.64, 0.7)) if aspect is None else aspect
    scene = lay(rng, deal, aspect, piles, index)
    turn = float(rng.choice([0.0, math.pi / 2, math.pi, -math.pi / 2], p=[0.7, 0.1, 0.1, 0.1]) + rng.normal(0, 0.2))
    turn = turn if turned else math.remainder(turn, math.pi / 2) / 2
    lean = math.radians(min(tilt, abs(rng.normal(0, 20))))
    size = (2100, 2800) if rng.random() < 0.7 else (2800, 2100)
    cam = frame(scene, *size, lean, turn, rng.uniform(0.8, 1.2) * 2800)
    four = bool(rng.random() < 0.5) if four_corner is None else four_corner
    return LaidTable(deal, scene, cam, aspect, four)


# --- exact detections ------------------------------------------------------------------------------------------------


def _rectangle(card: Placed, x0: float, y0: float, x1: float, y1: float) -> Array:
    """Corners in the table plane of a rectangle given in the card's own frame (card heights from its middle)."""
    c, s = math.cos(card.angle), math.sin(card.angle)
    points = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    return np.asarray(points @ np.array([[c, s], [-s, c]]) + (card.x, card.y))


def _share(scene: Scene, number: int, quad: Array, aspect: float) -> float:
    """Share of a plane quad of one card that no later card covers."""
    points = quad[0] + _GRID[:, :1] * (quad[1] - quad[0]) + _GRID[:, 1:] * (quad[3] - quad[0])
    later = [c for c in scene.cards[number + 1 :] if abs(c.x - quad[0, 0]) < 2 and abs(c.y - quad[0, 1]) < 2]
    if not later:
        return 1.0
    places = np.array([(c.x, c.y) for c in later])
    angles = np.array([c.angle for c in later])
    offset = points[None] - places[:, None]
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    across = np.abs(offset[..., 0] * c + offset[..., 1] * s) < aspect / 2
    along = np.abs(offset[..., 1] * c - offset[..., 0] * s) < 0.5
    return float((~(across & along).any(axis=0)).mean())


def _index_box(aspect: float, index: tuple[float, float]) -> tuple[float, float, float, float]:
    """The upper left index in the card's frame; 0.03 of a card height is the margin to either edge."""
    return -aspect / 2 + 0.03, -0.5 + 0.03, -aspect / 2 + index[0], -0.5 + index[1]


def _boxes(aspect: float, four_corner: bool) -> list[tuple[int, tuple[float, float, float, float], bool]]:
    """(corner, box in the card's frame, upside down) of every index."""
    x0, y0, x1, y1 = _index_box(aspect, INDEX)
    out = [(0, (x0, y0, x1, y1), False), (2, (-x1, -y1, -x0, -y0), True)]
    if four_corner:
        out.append((1, (-x1, y0, -x0, y1), False))
        out.append((3, (x0, -y1, x1, -y0), True))
    return out


def _quad(points: Array) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return a, b, c, d


def exact_truth(laid: LaidTable, seed: int = 0) -> TableTruth:
    """The truth of a laid table without painting it: outlines, indices and what share of each is uncovered."""
    cards, indices = [], []
    members: dict[int, list[int]] = {}
    matrix = laid.camera.matrix
    for number, card in enumerate(laid.scene.cards):
        if card.face_down:
            continue
        outline = _rectangle(card, -laid.aspect / 2, -0.5, laid.aspect / 2, 0.5)
        shown = _share(laid.scene, number, outline, laid.aspect)
        name = _name(card.key)
        quad = _quad(project(matrix, outline))
        cards.append(CardTruth(number, name, quad, shown, card.role, card.side, card.meld, card.order, card.crosswise))
        if card.meld is not None:
            members.setdefault(card.meld, []).append(number)
        for corner, box, turned in _boxes(laid.aspect, laid.four_corner):
            place = _rectangle(card, *box)
            seen = _share(laid.scene, number, place, laid.aspect)
            points = project(matrix, np.roll(place, 2, axis=0) if turned else place)
            inside = (points > 0).all() and (points < (laid.camera.width, laid.camera.height)).all()
            if seen > 0.05 and inside:
                indices.append(IndexTruth(number, corner, name, _quad(points), seen))
    melds = tuple(MeldTruth(n, s, tuple(members.get(n, ())), layout) for n, s, layout in laid.scene.melds)
    return TableTruth(
        laid.camera.width, laid.camera.height, seed, ("exact", "exact"), {"step": laid.scene.step}, tuple(cards),
        tuple(indices), melds,
    )  # fmt: skip


def seen_exactly(
    truth: TableTruth, rng: Rng | None = None, lose: float = 0.0, confuse: float = 0.0, sure: float = 0.99
) -> CardsSeen:
    """The readable cards of a truth as the reader would report them, with a share lost or misread at random.

    A misread card says another face of the same rank or suit, with the true one among its alternatives half the time.
    """
    rng = rng or np.random.default_rng(truth.seed)
    marks: dict[int, list[IndexTruth]] = {}
    for index in truth.indices:
        if index.visible >= 0.7:
            marks.setdefault(index.card_id, []).append(index)
    cards = []
    for card in truth.cards:
        if card.id not in marks or rng.random() < lose:
            continue
        cards.append(_seen(card, marks[card.id], rng, rng.random() < confuse, sure))
    return CardsSeen(tuple(cards), truth.width, truth.height)


def _seen(card: CardTruth, marks: list[IndexTruth], rng: Rng, wrong: bool, sure: float) -> CardSeen:
    name, trust = card.card, sure
    others: tuple[tuple[str, float], ...] = ((_kin(rng, card.card), (1 - sure) / 2),)
    if wrong:
        name = _kin(rng, card.card)
        listed = rng.random() < 0.7
        trust = float(rng.uniform(0.55, 0.97)) if listed else float(rng.uniform(0.9, 0.99))
        others = ((card.card, (1 - trust) * 0.8),) if listed else ()
    quad = np.asarray(card.quad, dtype=np.float32)
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    length = float(np.linalg.norm(up))
    low, high = quad.min(axis=0), quad.max(axis=0)
    return CardSeen(
        name, trust, others, tuple(_mark(name, index, trust) for index in marks), quad,
        (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])), up / max(length, 1e-9),
        length,
    )  # fmt: skip


def _mark(name: str, index: IndexTruth, trust: float) -> IndexMark:
    return replace(IndexMark.of(name, index.quad, 0.95, trust), right=1.0 if index.corner in (1, 3) else 0.0)


def _kin(rng: Rng, card: str) -> str:
    """Another face of the same rank or suit: what a reader confuses."""
    if card == "JK":
        return "2" + SUITS[int(rng.integers(4))]
    kin = [c for c in CARDS if c not in (card, "JK") and (c[:-1] == card[:-1] or c[-1] == card[-1])]
    return kin[int(rng.integers(len(kin)))]


# --- tables laid by hand ---------------------------------------------------------------------------------------------


def straight(
    cards: str, layout: Layout = "column", x: float = 0.0, y: float = 0.0, angle: float = 0.0, step: float = 0.28,
    crosswise: int = 0, side: int = 0, meld: int | None = 0,
) -> list[Placed]:  # fmt: skip
    """Cards laid exactly: first card at (x, y), turned by `angle` radians as a whole, the last `crosswise` ones across.

    `meld` None makes them a hand. A fan opens by 9 degrees a card.
    """
    names = cards.split()
    role: Role = "hand" if meld is None else "meld"
    out = []
    for order, name in enumerate(names):
        cross = order >= len(names) - crosswise
        dx, dy, turn = 0.0, 0.0, 0.0
        if layout == "column":
            dy = order * step
        elif layout == "row":
            dx = order * step
        elif layout == "stairs":
            dx, dy = order * step * 0.7, order * step * 0.7
        elif layout == "fan":
            turn = math.radians(9) * (order - (len(names) - 1) / 2)
            dx, dy = 1.8 * math.sin(turn), 1.8 * (1 - math.cos(turn))
        if cross:
            dy += 0.1
        key = f"JK{order % 2}" if name == "JK" else name
        across = math.pi / 2 if cross else 0.0
        out.append(Placed(0, key, dx, dy, turn + across, role, side, meld, order, cross))
    return moved(out, x, y, angle)


def hand_laid(
    groups: list[list[Placed]], four_corner: bool = False, tilt: float = 20.0, turn: float = 0.0,
    size: tuple[int, int] = (2100, 2800), aspect: float = 0.68,
) -> LaidTable:  # fmt: skip
    """A table of groups made with `straight`, seen by a camera tilted and turned by so many degrees."""
    scene = Scene(step=0.28)
    for group in groups:
        scene.cards += group
        number = group[0].meld
        if number is not None:
            scene.melds.append((number, group[0].side or 0, "column"))
    cam = frame(scene, *size, math.radians(tilt), math.radians(turn), 1.0 * max(size))
    empty = SideDeal((), ())
    return LaidTable(Deal((empty, empty)), scene, cam, aspect, four_corner)
