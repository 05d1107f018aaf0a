"""From a table to a score sheet: the only place that adds points.

Every point is a `ScoreLine` that names the option that decided it, and a side's total is the sum of its lines.
What is wrong with the table (an illegal meld, a third copy of a card, a closing without its burraco) is a violation;
the sums are then what the table would give if the rest were right: an illegal meld keeps its card points and has no
bonus, an irregular closing earns nothing.

>>> from scorer.cards import Card
>>> from scorer.profile import load_profile
>>> from scorer.table import MeldText, Side, Table
>>> run = MeldText(tuple(Card.of(c) for c in "4h 5h 6h 7h 8h 9h 10h".split()))
>>> a, b = Side("A", melds=(run,), pozzetto="played", closed=True), Side("B", pozzetto="not_taken")
>>> sheet = score(Table((a, b)), load_profile("vanikar"))
>>> [side.score.total for side in sheet.sides]
[350, -100]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from scorer.cards import CARDS, JOKER_CODE, RANK_TEXT, Card, copies
from scorer.melds import CLEAN_TYPES, SET, Binding, MeldVerdict, Notice, Params, Reading, Violation, check_meld
from scorer.profile import RuleProfile
from scorer.table import Side, Table

Check = Callable[[tuple[Card, ...], RuleProfile, tuple[Binding, ...]], MeldVerdict]


class ScoreLine(NamedTuple):
    """One line of a side's sheet, in points; `rule` is an option key or a section of the profile."""

    code: str
    points: int
    cards: tuple[Card, ...]
    rule: str
    params: Params = ()


class Score(NamedTuple):
    """A side's points by kind; `hand` and `pozzetto` are zero or negative; the five sum to `total`."""

    card_points: int
    burraco_bonus: int
    closing: int
    hand: int
    pozzetto: int
    total: int


class SideScore(NamedTuple):
    """One side's verdicts, sums and lines."""

    name: str
    melds: tuple[MeldVerdict, ...]
    score: Score
    lines: tuple[ScoreLine, ...]


class ScoreSheet(NamedTuple):
    """The score of a deal. `void`: the deal counts for nobody and is played again."""

    void: bool
    sides: tuple[SideScore, ...]
    violations: tuple[Violation, ...]
    notices: tuple[Notice, ...]

    @property
    def legal(self) -> bool:
        """True when nothing on the table breaks the rules."""
        return not self.violations


def score(table: Table, profile: RuleProfile, check: Check = check_meld) -> ScoreSheet:
    """Score a deal. Never fails on a readable table: what is wrong becomes violations (all of them).

    `check` may be a form of `check_meld` that remembers its verdicts.
    """
    verdicts = tuple(
        [tuple([check(meld.cards, profile, meld.bindings) for meld in side.melds]) for side in table.sides]
    )
    violations: list[Violation] = []
    notices: list[Notice] = []
    for side, melds in zip(table.sides, verdicts, strict=True):
        violations += _meld_violations(side, melds, profile)
        notices += _meld_notices(side, melds)
    closing_faults = _closing_faults(table, verdicts, profile)
    for faults in closing_faults:
        # two sides that closed share one fault: it is told once
        violations += [fault for fault in faults if fault not in violations]
    violations += conservation(table)
    notices += _table_notices(table, verdicts, profile)
    void = _void(table, profile)
    nobody = _nobody_took(table)
    sides = tuple(
        [
            _void_side(side, melds) if void else _side(side, melds, profile, not faults, nobody)
            for side, melds, faults in zip(table.sides, verdicts, closing_faults, strict=True)
        ]
    )
    return ScoreSheet(void, sides, tuple(violations), tuple(notices))


# --- points ----------------------------------------------------------------------------------------------------------


def _side(
    side: Side, melds: tuple[MeldVerdict, ...], profile: RuleProfile, closing_good: bool, nobody: bool
) -> SideScore:
    lines: list[ScoreLine] = []
    cards = bonus = 0
    for number, verdict in enumerate(melds, 1):
        points, reading = verdict.card_points, verdict.reading
        cards += points
        lines.append(ScoreLine("meld_cards", points, verdict.cards, "values", (("meld", number),)))
        if reading is not None and reading.type is not None:
            bonus += reading.bonus
            lines.append(_bonus_line(reading, profile, number))
    closing = 0
    if side.closed:
        closing = profile.bonus.closing if closing_good else 0
        lines.append(ScoreLine("closing" if closing_good else "closing_refused", closing, (), "bonus.closing"))
    hand = _hand_lines(side, profile, lines)
    pot = _pot_lines(side, profile, nobody, lines)
    total = cards + bonus + closing + hand + pot
    return SideScore(side.name, melds, Score(cards, bonus, closing, hand, pot, total), tuple(lines))


def _bonus_line(reading: Reading, profile: RuleProfile, number: int) -> ScoreLine:
    kind = reading.type
    rule = f"bonus.{kind}"
    if reading.kind == SET and kind in ("clean", "dirty") and profile.get(f"bonus.set_{kind}") is not None:
        rule = f"bonus.set_{kind}"
    code = "burraco_trump" if reading.doubled else "burraco"
    params: Params = (("meld", number), ("type", str(kind)), ("factor", profile.bonus.trump_factor))
    return ScoreLine(code, reading.bonus, (), rule, params)


def _hand_lines(side: Side, profile: RuleProfile, lines: list[ScoreLine]) -> int:
    """Cards left in hand, and a pot taken but never played where its cards count as in hand; returns the sum."""
    table = profile.rules.points
    hand = 0
    for held in side.hands:
        if held.cards:
            points = -sum([table[card.code] for card in held.cards])
            hand += points
            lines.append(ScoreLine("hand", points, held.cards, "values", (("player", held.player or ""),)))
    if side.pozzetto == "unplayed" and profile.pot.pots and profile.pot.pot_unplayed == "hand":
        points = -sum([table[card.code] for card in side.pozzetto_cards])
        hand += points
        lines.append(ScoreLine("pot_unplayed_hand", points, side.pozzetto_cards, "pot_unplayed"))
    return hand


def _pot_lines(side: Side, profile: RuleProfile, nobody: bool, lines: list[ScoreLine]) -> int:
    rules = profile.pot
    if not rules.pots:
        return 0
    if side.pozzetto == "unplayed" and rules.pot_unplayed == "penalty":
        lines.append(ScoreLine("pot_unplayed_penalty", -rules.pot_penalty, side.pozzetto_cards, "pot_unplayed"))
        return -rules.pot_penalty
    if side.pozzetto != "not_taken":
        return 0
    if nobody and rules.pot_nobody == "none":
        lines.append(ScoreLine("pot_forgiven", 0, (), "pot_nobody"))
        return 0
    lines.append(ScoreLine("pot_not_taken", -rules.pot_penalty, (), "pot_penalty"))
    return -rules.pot_penalty


def _void_side(side: Side, melds: tuple[MeldVerdict, ...]) -> SideScore:
    line = ScoreLine("void", 0, (), "pot_nobody")
    return SideScore(side.name, melds, Score(0, 0, 0, 0, 0, 0), (line,))


def _nobody_took(table: Table) -> bool:
    return all([side.pozzetto == "not_taken" for side in table.sides])


def _void(table: Table, profile: RuleProfile) -> bool:
    if not profile.pot.pots or profile.pot.pot_nobody != "void":
        return False
    return _nobody_took(table) and not any([side.closed for side in table.sides])


# --- what is wrong ---------------------------------------------------------------------------------------------------


def _meld_violations(side: Side, melds: tuple[MeldVerdict, ...], profile: RuleProfile) -> Iterator[Violation]:
    for number, verdict in enumerate(melds, 1):
        for fault in verdict.violations:
            yield fault._replace(params=(("side", side.name), ("meld", number), *fault.params))
    if profile.set.dup_sets:
        return
    first: dict[int, int] = {}
    for number, verdict in enumerate(melds, 1):
        reading = verdict.reading
        if reading is None or reading.kind != SET:
            continue
        rank = reading.low
        if rank in first:
            params: Params = (
                ("side", side.name), ("meld", number), ("other", first[rank]), ("rank", RANK_TEXT[rank - 1]),
            )  # fmt: skip
            yield Violation("two_equal_sets", verdict.cards, "dup_sets", params)
        first.setdefault(rank, number)


def _meld_notices(side: Side, melds: tuple[MeldVerdict, ...]) -> Iterator[Notice]:
    for number, verdict in enumerate(melds, 1):
        for notice in verdict.notices:
            yield notice._replace(params=(("side", side.name), ("meld", number), *notice.params))


def _closing_faults(
    table: Table, verdicts: tuple[tuple[MeldVerdict, ...], ...], profile: RuleProfile
) -> list[list[Violation]]:
    """For each side, why its closing is irregular; an empty list when it did not close or closed well."""
    closers = [side.name for side in table.sides if side.closed]
    out: list[list[Violation]] = []
    for side, melds in zip(table.sides, verdicts, strict=True):
        faults: list[Violation] = []
        if side.closed:
            who: Params = (("side", side.name),)
            if len(closers) > 1:
                faults.append(Violation("two_closed", (), "", (("sides", ", ".join(closers)),)))
            if profile.pot.pots and side.pozzetto in ("not_taken", "unplayed"):
                faults.append(Violation("close_without_pot", (), "pots", who))
            faults += _burraco_fault(side, melds, profile)
            held = _closer_cards(side, len(table.sides) > 2 or profile.table.sides == "each")
            if held:
                faults.append(Violation("closer_holds_cards", held, "", (*who, ("player", side.closed_by or ""))))
        out.append(faults)
    return out


def _burraco_fault(side: Side, melds: tuple[MeldVerdict, ...], profile: RuleProfile) -> Iterator[Violation]:
    need = profile.close.close_burraco
    types = {verdict.type for verdict in melds if verdict.type is not None}
    if need == "any" and not types:
        yield Violation("close_without_burraco", (), "close_burraco", (("side", side.name),))
    elif need == "clean" and not types & CLEAN_TYPES:
        yield Violation("close_without_clean", (), "close_burraco", (("side", side.name),))


def _closer_cards(side: Side, each: bool) -> tuple[Card, ...]:
    """Cards that the player who closed still holds, as far as the sheet tells whose cards are whose.

    `each`: every side is one player (rules for single players, or more than two sides at the table).
    """
    if side.closed_by is not None:
        return tuple([card for hand in side.hands if hand.player == side.closed_by for card in hand.cards])
    players = max(len(side.players), len(side.hands))
    alone = len(side.players) == 1 or (each and players < 2)
    everyone = players > 1 and len(side.hands) >= players and all([hand.cards for hand in side.hands])
    if alone or everyone:
        return tuple([card for hand in side.hands for card in hand.cards])
    return ()


def conservation(table: Table) -> list[Violation]:
    """What the deck cannot hold: a third 7♥, a fifth joker, more than 108 cards; with the places of the copies."""
    # counted by code: a number hashes in C, a card in Python
    codes: list[int] = []
    for side in table.sides:
        for meld in side.melds:
            codes += [card.code for card in meld.cards]
        for hand in side.hands:
            codes += [card.code for card in hand.cards]
        codes += [card.code for card in side.pozzetto_cards]
    counts = Counter(codes)
    out: list[Violation] = []
    for code in sorted([code for code, n in counts.items() if n > 2]):
        card, count = CARDS[code], counts[code]
        if count > copies(card):
            params: Params = (("count", count), ("where", _where(table, card)))
            out.append(Violation("too_many_copies", (card,) * count, "", params))
    if len(codes) > 108:
        out.append(Violation("too_many_cards", (), "", (("count", len(codes)),)))
    if codes and max(counts) > JOKER_CODE:
        held = tuple([c for side in table.sides for place, cards in side.places() for c in cards
                      if c.is_unknown and place in ("hand", "pot")])  # fmt: skip
        if held:
            out.append(Violation("unknown_card", held))
    return out


def _where(table: Table, card: Card) -> str:
    """The places of a card as `side/place` joined by `; ` (place: a meld number, hand or pot; `x2` when twice)."""
    found = []
    for side in table.sides:
        for place, cards in side.places():
            count = cards.count(card)
            if count:
                found.append(f"{side.name}/{place}" + (f" x{count}" if count > 1 else ""))
    return "; ".join(found)


def _table_notices(
    table: Table, verdicts: tuple[tuple[MeldVerdict, ...], ...], profile: RuleProfile
) -> Iterator[Notice]:
    if len(table.sides) < 2:
        yield Notice("one_side")
    for side, melds in zip(table.sides, verdicts, strict=True):
        who: Params = (("side", side.name),)
        if profile.pot.pots and side.pozzetto is None:
            yield Notice("pot_not_stated", (), "pot_penalty", who)
        if not profile.pot.pots and side.pozzetto is not None:
            yield Notice("no_pots", (), "pots", who)
        if side.pozzetto == "unplayed" and len(side.pozzetto_cards) != profile.pot.pot_size:
            size: Params = (("count", len(side.pozzetto_cards)), ("size", profile.pot.pot_size))
            yield Notice("pot_size", side.pozzetto_cards, "pot_size", (*who, *size))
        if side.closed and profile.close.close_burraco == "none" and all([v.type is None for v in melds]):
            yield Notice("closed_without_burraco", (), "close_burraco", who)
    if _void(table, profile):
        yield Notice("void", (), "pot_nobody")
