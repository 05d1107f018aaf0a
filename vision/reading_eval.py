"""Honest figures of the reading: `python -m vision.reading_eval --mode perfect|noisy|marks|real|tables`.

Synthetic end-of-deal tables, legal under the rules, 30 to 70 cards, laid so that each shows an index (those of squared
piles aside), as people lay what is to be counted; `--laid chance` takes steps as they fall and melds on each other,
where one table in two hides a card. `perfect` sees every readable card, `noisy` loses
or confuses a share of them, `marks` joins perfect indices into cards with `vision.cards`, `real` renders each table
and reads it with the shipped networks. Points are compared with those of the deal that was really laid, hidden cards
included. A truthful person then answers the first questions. `tables` reads the rendered tables of another origin where
they lie (`--photos`), a line each: their truth has no geometry, so nobody answers.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from scorer.cards import CARDS
from scorer.errors import VisionError
from scorer.profile import RuleProfile, load_profile
from vision.cards import assemble
from vision.geometry import inside_quad
from vision.layout_clean import prepare
from vision.reading import NOTICE_EARLY, Doubt, ReadGroup, TableReading, answer, read_table
from vision.reading_tables import INDEX, Deal, exact_truth, laid_table, seen_exactly
from vision.truth import TableTruth
from vision.types import JOKER, CardsSeen, Detector, IndexMark


@dataclass
class Figures:
    """Counts over the tables measured."""

    tables: int = 0
    exact: int = 0
    exact_sure: int = 0
    after_one: int = 0
    after_two: int = 0
    silent: int = 0
    sure: int = 0
    cards_right: int = 0
    cards_missed: int = 0
    cards_extra: int = 0
    melds: int = 0
    melds_exact: int = 0
    photos_exact: int = 0
    all_readable: int = 0
    early: int = 0
    doubts: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """The figures as plain data, shares rounded to a thousandth."""
        n = max(1, self.tables)

        def share(count: int) -> float:
            return round(count / n, 3)

        return {
            "tables": self.tables,
            "tables_with_every_card_readable": self.all_readable,
            "cards": {"right": self.cards_right, "missed": self.cards_missed, "extra": self.cards_extra},
            "melds_exact": round(self.melds_exact / max(1, self.melds), 4),
            "melds": self.melds,
            "photos_exact": share(self.photos_exact),
            "exact_points": share(self.exact),
            "exact_points_without_any_doubt": share(self.exact_sure),
            "exact_after_one_answer": share(self.after_one),
            "exact_after_two_answers": share(self.after_two),
            "silent_errors": share(self.silent),
            "without_doubts": share(self.sure),
            "doubts_median": statistics.median(self.doubts) if self.doubts else 0,
            "stopped_early": self.early,
            "seconds_median": round(statistics.median(self.seconds), 4) if self.seconds else 0,
            "seconds_most": round(max(self.seconds), 4) if self.seconds else 0,
            "wrong": self.wrong,
        }


@dataclass(frozen=True, eq=False)
class Case:
    """One table: what was laid, where cards are, what was seen, and which true card each seen card is (-1: no one)."""

    name: str
    deal: Deal
    truth: TableTruth
    seen: CardsSeen
    who: tuple[int, ...]


def pair(seen: CardsSeen, truth: TableTruth) -> tuple[int, ...]:
    """For every seen card the id of the true card that most of its marks lie on (-1 if none)."""
    places = np.array([np.mean(i.quad, axis=0) for i in truth.indices]).reshape(-1, 2)
    out = []
    for card in seen.cards:
        votes = Counter(who for mark in card.marks if (who := _bearer(mark, truth, places)) is not None)
        out.append(votes.most_common(1)[0][0] if votes else -1)
    return tuple(out)


def _bearer(mark: IndexMark, truth: TableTruth, places: np.ndarray[Any, Any]) -> int | None:
    """The true card that a mark lies on: the one whose index has its middle there, or else holds the mark's.

    A joker's index may be a star and a word, of which the mark is one; and what says joker amid a joker's face, a
    word along its edge, is that joker.
    """
    middle = mark.quad.mean(axis=0)
    if len(places):
        gaps = np.linalg.norm(places - middle, axis=1)
        near = int(gaps.argmin())
        if float(gaps[near]) < 0.6 * mark.height:
            return truth.indices[near].card_id
    for index in truth.indices:
        if inside_quad(middle, index.quad):
            return index.card_id
    if mark.best == JOKER:
        return next((card.id for card in truth.cards if card.card == JOKER and inside_quad(middle, card.quad)), None)
    return None


# --- a truthful person -----------------------------------------------------------------------------------------------


def _true_role(truth: TableTruth, ids: Sequence[int]) -> tuple[str, int | None, int | None]:
    """(role, meld, side) that most of these true cards have."""
    by_id = {card.id: card for card in truth.cards}
    roles = Counter((by_id[i].role, by_id[i].meld, by_id[i].side) for i in ids if i in by_id)
    if not roles:
        return "other", None, None
    role, meld, side = roles.most_common(1)[0][0]
    return {"meld": "meld", "hand": "hand"}.get(role, "other"), meld, side


def _statement(case: Case, ids: Sequence[int]) -> str:
    """All that lies where most of these cards lie: the whole meld or hand, hidden cards included."""
    role, meld, side = _true_role(case.truth, ids)
    if role == "meld" and meld is not None:
        cards = _melds(case)[meld]
    elif role == "hand" and side is not None:
        cards = tuple(card for hand in case.deal.sides[side].hands for card in hand)
    else:
        names = {card.id: card.card for card in case.truth.cards}
        cards = tuple(names[i] for i in dict.fromkeys(ids) if i in names)
    return f"{role}: {' '.join(cards)}"


def _melds(case: Case) -> list[tuple[str, ...]]:
    return [cards for side in case.deal.sides for cards in side.melds]


def truthful(case: Case, reading: TableReading, doubt: Doubt) -> TableReading:
    """The reading after a person who sees the table has answered.

    Of several places he names the first one that is not as it was read, and leaves the others; when there is none he
    says so. Asked what a group is or what it hides, he says all that lies there, as he would mend its line of the
    sheet; asked about one card he names that card only.
    """
    if doubt.kind == "sides":
        return _answer_sides(case, reading, doubt)
    number = reading.doubts.index(doubt)
    for at, place in enumerate(doubt.each):
        said, right = _said(case, reading, place)
        if doubt.places and right:
            continue
        for choice, offered in enumerate(doubt.choices):
            if offered.value == said and offered.place == (at if doubt.places else None):
                return answer(reading, number, choice)
        try:
            return answer(reading, number, said, at)
        except VisionError:
            return reading
    return answer(reading, number, next(n for n, choice in enumerate(doubt.choices) if choice.place is None))


def _said(case: Case, reading: TableReading, doubt: Doubt) -> tuple[str, bool]:
    """What a person who sees the table says about one place, and whether it was read so."""
    group: ReadGroup = reading.groups[doubt.group]
    ids = [case.who[c] for c in group.part.cards]
    if doubt.kind in ("role", "hidden"):
        said = _statement(case, ids)
        role, _, cards = said.partition(": ")
        read = Counter(card.text for card in group.chosen.faces)
        return said, role == group.chosen.role and Counter(cards.split()) == read
    here = ids[doubt.position or 0]
    now = next(card for card in group.chosen.cards if card.source == doubt.position)
    if doubt.kind == "extra":
        said = "no" if here < 0 or here in ids[: doubt.position] else "yes"
        return said, said == ("no" if now.change == "extra" else "yes")
    said = {card.id: card.card for card in case.truth.cards}.get(here, "-")
    return said, said == ("-" if now.change == "extra" else CARDS[now.code].text)


def _answer_sides(case: Case, reading: TableReading, doubt: Doubt) -> TableReading:
    true = [_true_role(case.truth, [case.who[c] for c in g.part.cards])[2] for g in reading.groups]
    best, at = -1, 0
    for number, choice in enumerate(doubt.choices):
        sides = reading.partings[choice.members[0]][1]
        pairs = [(a, b) for a, b in zip(sides, true, strict=True) if b is not None]
        same = sum(a == b for a, b in pairs)
        same = max(same, len(pairs) - same)
        if same > best:
            best, at = same, number
    return answer(reading, reading.doubts.index(doubt), at)


# --- measuring -------------------------------------------------------------------------------------------------------


def _totals(sheet: Any) -> tuple[int, ...]:
    return tuple(side.score.total for side in sheet.sides)


def _exact(reading: TableReading, want: tuple[int, ...]) -> bool:
    """Equal points; which side is called the first depends on how the photo was turned."""
    got = _totals(reading.score)
    return got in (want, want[::-1])


def measure_case(case: Case, profile: RuleProfile, figures: Figures) -> None:
    """Read one table, ask the truthful person, count."""
    begun = time.thread_time()
    reading = read_table([case.seen], profile)
    figures.seconds.append(time.thread_time() - begun)
    figures.early += NOTICE_EARLY in reading.notices
    want = _totals(case.deal.score(profile))
    figures.tables += 1
    exact = _exact(reading, want)
    figures.exact += exact
    figures.sure += reading.settled
    figures.exact_sure += exact and reading.settled
    figures.silent += not exact and reading.settled
    figures.doubts.append(len(reading.doubts))
    _count_cards(case, reading, figures)
    if not exact:
        first = reading.doubts[0] if reading.doubts else None
        ask = f"{first.kind} {' '.join(first.cards[:9])}" if first else "notice" if not reading.settled else "SILENT"
        figures.wrong.append(f"{case.name}: {_totals(reading.score)} for {want}; first question: {ask}")
    later = reading
    results = []
    for _ in range(2):
        if later.doubts:
            later = truthful(case, later, later.doubts[0])
        results.append(_exact(later, want))
    figures.after_one += results[0]
    figures.after_two += results[1]


def _count_cards(case: Case, reading: TableReading, figures: Figures) -> None:
    readable = {index.card_id for index in case.truth.indices if index.visible >= 0.7}
    true = Counter(card.card for card in case.truth.cards)
    laid = sum(len(m) for side in case.deal.sides for m in (*side.melds, *side.hands)) + (case.deal.other is not None)
    figures.all_readable += len(readable) >= laid
    got: Counter[str] = Counter()
    for group in reading.groups:
        got.update(card.text for card in group.chosen.faces)
    right = (true & got).total()
    figures.cards_right += right
    figures.cards_missed += laid - right
    figures.cards_extra += got.total() - right
    figures.photos_exact += right == laid and got.total() == right
    want = [Counter(m) for side in case.deal.sides for m in side.melds]
    figures.melds += len(want)
    for side in reading.table.sides:
        for meld in side.melds:
            cards = Counter(card.text for card in meld.cards)
            if cards in want:
                want.remove(cards)
                figures.melds_exact += 1


def cases(
    mode: str, numbers: Iterable[int], countable: bool, lose: float, confuse: float, detector: Detector | None
) -> Iterator[Case]:
    """The tables of a mode, one after the other."""
    for number in numbers:
        if mode == "real":
            yield _rendered(number, countable, detector)
            continue
        laid = laid_table(number, index=INDEX if countable else None)
        truth = exact_truth(laid, number)
        if mode == "marks":
            marks = [IndexMark.of(i.card, i.quad, 0.9, 0.99) for i in truth.indices if i.visible >= 0.7]
            seen = assemble(marks, truth.width, truth.height)
        else:
            shares = (lose, confuse) if mode == "noisy" else (0.0, 0.0)
            seen = seen_exactly(truth, None, *shares)
        seen = prepare(seen)[0]
        yield Case(str(number), laid.deal, truth, seen, pair(seen, truth))


def _rendered(seed: int, countable: bool, detector: Detector | None) -> Case:
    from vision.cards import read_cards
    from vision.detect import OnnxDetector
    from vision.reading_render import countable_table, photograph

    laid = countable_table(seed) if countable else laid_table(seed)
    photo = photograph(laid, seed)
    seen = read_cards(photo.image, detector or OnnxDetector())
    seen = prepare(seen)[0]
    return Case(str(seed), laid.deal, photo.truth, seen, pair(seen, photo.truth))


def table_line(row: dict[str, Any], reading: TableReading) -> str:
    """Melds and points of one rendered table against its truth, a line of `truth.jsonl`, and what is asked first."""
    want = [Counter(meld["cards"]) for meld in row["melds"]]
    right = 0
    for side in reading.table.sides:
        for meld in side.melds:
            cards = Counter(card.text for card in meld.cards)
            if cards in want:
                want.remove(cards)
                right += 1
    true = tuple(sum(side.values()) for side in row["points"].values())
    got = _totals(reading.score)
    exact = got in (true, true[::-1])
    first = reading.doubts[0] if reading.doubts else None
    nothing = "settled" if reading.settled else "warned"
    asked = f"asks first: {first.kind} {' '.join(first.cards[:9])}" if first else nothing
    verdict = "exact" if exact else "SILENT" if reading.settled else "asked"
    return f"{row['file']}: melds {right} of {len(row['melds'])}, points {got} for {true}, {verdict}; {asked}"


def shared_tables(folder: Path, profile: RuleProfile, detector: Detector) -> Iterator[str]:
    """Read the tables of a folder with `truth.jsonl` and yield a line for each."""
    from vision.cards import read_cards
    from vision.images import load_image

    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        seen = prepare(read_cards(load_image(folder / row["file"]), detector))[0]
        yield table_line(row, read_table([seen], profile))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when measured."""
    parser = argparse.ArgumentParser(prog="python -m vision.reading_eval", description=__doc__)
    parser.add_argument("--mode", choices=["perfect", "noisy", "marks", "real", "tables"], default="perfect")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lose", type=float, default=0.02)
    parser.add_argument("--confuse", type=float, default=0.02)
    parser.add_argument("--laid", choices=["countable", "chance"], default="countable")
    parser.add_argument("--rules", default="fibur")
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--photos", type=Path, default=Path("../shared/photos/tables"))
    parser.add_argument("--json", type=Path, default=None)
    asked = parser.parse_args(arguments)
    profile = load_profile(asked.rules)
    detector: Detector | None = None
    if asked.mode in ("real", "tables"):
        from vision.detect import OnnxDetector

        detector = OnnxDetector(asked.models)
        if asked.mode == "tables":
            sys.stdout.writelines(line + "\n" for line in shared_tables(asked.photos, profile, detector))
            return 0
    figures = Figures()
    numbers = range(asked.seed, asked.seed + asked.count)
    for case in cases(asked.mode, numbers, asked.laid == "countable", asked.lose, asked.confuse, detector):
        measure_case(case, profile, figures)
    data = figures.as_data()
    wrong = data.pop("wrong")
    sys.stdout.write(json.dumps(data, indent=1) + "\n" + "\n".join(wrong) + "\n")
    if asked.json is not None:
        asked.json.write_text(json.dumps({**data, "wrong": wrong}, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
