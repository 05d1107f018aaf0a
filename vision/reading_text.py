"""A table reading in words: questions, advice, the quick-text sheet, and the JSON of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from scorer.cards import CARDS, Card
from scorer.contract import fault_json, rules_json, verdict_json
from scorer.explain import cards_text
from scorer.messages import text
from scorer.notation import Sheet, format_sheet
from scorer.profile import DEFAULT_PROFILE, RuleProfile, profile_ids, value_text
from scorer.table import Table
from vision.reading import ReadGroup, TableReading
from vision.reading_ask import AS_READ, Choice, Doubt
from vision.reading_doubts import UNNAMED

Json = dict[str, Any]
_LIKELY: Final = 0.1
"""A place of a question gets a remark of its own in the sheet when it is wrong with this probability or more."""
_NOT_A_CARD: Final = {"-", "yes", "no", "meld", "hand", "other"}


def side_names(lang: str) -> tuple[str, str]:
    """What the two sides are called where the user does not say."""
    return text("photo.side_0", lang), text("photo.side_1", lang)


def _cards(texts: Sequence[str]) -> str:
    return cards_text(Card.of(one) for one in texts)


def meld_numbers(reading: TableReading) -> dict[int, int]:
    """For every group that is a meld its number within its side, from 1, in the order of the sheet."""
    count: dict[int, int] = {}
    out = {}
    for number, group in enumerate(reading.groups):
        if group.chosen.role == "meld":
            count[group.side] = count.get(group.side, 0) + 1
            out[number] = count[group.side]
    return out


def place_text(reading: TableReading, number: int, lang: str) -> str:
    """Where a group is, in words: `Us, meld 2`, or its cards where it is no meld."""
    group = reading.groups[number]
    if group.chosen.role == "meld":
        meld = text("photo.meld", lang, number=meld_numbers(reading)[number])
        return f"{reading.names[group.side]}, {meld}"
    return text("doubt.group", lang, cards=cards_text(group.chosen.faces))


def choice_text(doubt: Doubt, choice: Choice, lang: str) -> str:
    """One answer as people read it: `7♥`, `no card`, `a meld`."""
    if doubt.kind == "hidden" and choice.value == "-":
        return text("doubt.none", lang)
    if choice.value == "-":
        return text("doubt.no_card", lang)
    if choice.value == UNNAMED:
        word = {"role": "pile", "card": "other_card"}.get(doubt.kind, "yes")
        return text(f"doubt.{word}", lang)
    if doubt.kind == "sides":
        return choice.value
    if choice.value in _NOT_A_CARD:
        return text(f"doubt.{choice.value}", lang)
    return _cards(choice.value.split())


def answer_text(reading: TableReading, doubt: Doubt, choice: Choice, lang: str) -> str:
    """One answer to a question as it stands; with several places each answer says which one it is about."""
    if choice.value == AS_READ:
        return text("doubt.nowhere" if doubt.kind == "hidden" else "doubt.as_read", lang)
    if choice.place is None:
        return choice_text(doubt, choice, lang)
    place = doubt.places[choice.place]
    said = choice_text(place, choice, lang)
    if doubt.kind == "hidden":
        where = place_text(reading, place.group, lang)
        code = "some_in" if choice.value == UNNAMED else "none_in" if choice.value == "-" else "card_at"
        return text(f"doubt.{code}", lang, card=said, place=where)
    return text("doubt.instead", lang, card=_cards(place.cards), other=said)


def question_text(reading: TableReading, doubt: Doubt, lang: str) -> str:
    """The doubt as one short question with its answers and its stake."""
    return f"{_asked(reading, doubt, lang)} ({text('doubt.stake', lang, points=doubt.stake)})"


def heading_text(reading: TableReading, doubt: Doubt, lang: str) -> str:
    """The question alone, to stand above its answers: those of several places are not told, nor what is at stake."""
    return text(f"doubt.{doubt.kind}_heading", lang) if doubt.places else _asked(reading, doubt, lang)


def _asked(reading: TableReading, doubt: Doubt, lang: str) -> str:
    shown = doubt.choices[: 6 if doubt.places else 4]
    answers = [answer_text(reading, doubt, choice, lang) for choice in shown]
    joined = ("; " if doubt.places else f" {text('doubt.or', lang)} ").join(answers)
    place = place_text(reading, doubt.group, lang)
    cards = _cards(doubt.cards)
    one_role = doubt.kind == "role" and len(doubt.cards) == 1
    single: str = "card_in" if doubt.kind == "card" else "role_one" if one_role else doubt.kind
    code = f"{doubt.kind}_places" if doubt.places else single
    return text(f"doubt.{code}", lang, choices=joined, place=place, cards=cards, card=cards)


def advice(reading: TableReading, lang: str) -> list[str]:
    """What to change or to mind, in plain words."""
    out = []
    for code in reading.notices:
        params: dict[str, object] = {}
        if code == "cards_small":
            params["px"] = smallest(reading)
        if code == "pile_spread":
            piles = [g for g in reading.groups if g.part.pile]
            params["cards"] = ", ".join(cards_text(g.chosen.faces) for g in piles)
        if code == "hand_spread":
            hands = [g for g in reading.groups if g.chosen.role == "hand"]
            params["cards"] = ", ".join(cards_text(g.chosen.faces) for g in hands)
        out.append(text(f"advice.{code}", lang, **params))
    return out


def smallest(reading: TableReading) -> int:
    """Height in pixels of the median card of the photo whose cards are smallest."""
    medians = []
    for seen in reading.photos:
        heights = sorted(card.height_px for card in seen.cards)
        if heights:
            medians.append(heights[len(heights) // 2])
    return round(min(medians, default=0))


def changes(reading: TableReading, number: int, lang: str) -> list[str]:
    """What the joint reading changed in a group: what was seen and what stands there now."""
    group = reading.groups[number]
    out = []
    for card in group.chosen.cards:
        shown = CARDS[card.code].symbol
        if card.change == "hidden":
            out.append(text("photo.changed_hidden", lang, card=shown))
        elif card.change and card.source is not None:
            seen = Card.of(group.part.piece.seen[card.source].card).symbol
            out.append(text(f"photo.changed_{card.change}", lang, card=shown, seen=seen))
    return out


# --- the sheet -------------------------------------------------------------------------------------------------------


def sheet_text(reading: TableReading, lang: str) -> str:
    """The deal as quick text that `burraco score` reads, with comments (`# ?`) at everything that is not sure."""
    ident = reading.profile.id
    options = {key: value_text(value) for key, value in reading.profile.options}
    shipped = ident in profile_ids() and ident != DEFAULT_PROFILE
    sheet = Sheet(ident if shipped else None, options, lang, _ordered(reading))
    lines = [f"# {text('photo.sheet_head', lang)}"]
    notes = _notes(reading, lang)
    side, meld = -1, 0
    for line in format_sheet(sheet).splitlines():
        if line.startswith("["):
            if side >= 0:
                lines += _reminders(lang)
            side, meld = side + 1, 0
        elif side >= 0 and ":" not in line and line.strip():
            meld += 1
            remarks = notes.get((side, meld), [])
            line += "".join(f"  # {remark}" for remark in remarks)
        lines.append(line)
    lines += _reminders(lang)
    lines += [f"# {remark}" for remark in notes.get((-1, 0), [])]
    lines += [f"# {remark}" for remark in advice(reading, lang)]
    return "\n".join(lines) + "\n"


def _reminders(lang: str) -> list[str]:
    return [f"# {text('photo.sheet_pot', lang)}", f"# {text('photo.sheet_closed', lang)}"]


def _ordered(reading: TableReading) -> Table:
    """The table with its melds' cards in the order of their reading, without bindings."""
    from dataclasses import replace

    sides = []
    for side, scored in zip(reading.table.sides, reading.score.sides, strict=True):
        melds = tuple(
            meld._replace(cards=verdict.cards) for meld, verdict in zip(side.melds, scored.melds, strict=True)
        )
        sides.append(replace(side, melds=melds))
    return Table(tuple(sides))


def _notes(reading: TableReading, lang: str) -> dict[tuple[int, int], list[str]]:
    """Remarks by (side, meld number); (-1, 0) for those that belong to no meld."""
    numbers = meld_numbers(reading)
    out: dict[tuple[int, int], list[str]] = {}
    for number, group in enumerate(reading.groups):
        key = (group.side, numbers[number]) if number in numbers else (-1, 0)
        remarks = changes(reading, number, lang)
        if group.chosen.role == "other" and group.chosen.faces:
            remarks.append(text("photo.sheet_other", lang, cards=cards_text(group.chosen.faces)))
        out.setdefault(key, []).extend(remarks)
    for doubt in (one for asked in reading.doubts for one in _remarked(asked)):
        number = doubt.group
        at_meld = number in numbers and doubt.kind != "sides" and not doubt.places
        key = (reading.groups[number].side, numbers[number]) if at_meld else (-1, 0)
        out.setdefault(key, []).append("? " + question_text(reading, doubt, lang))
    return out


def _remarked(asked: Doubt) -> Iterator[Doubt]:
    """What the sheet says of a question: a remark at each likely place, and the question itself once for the others."""
    likely = [place for place in asked.places if place.slip >= _LIKELY]
    yield from likely
    if len(likely) < len(asked.each):
        yield asked


# --- JSON ------------------------------------------------------------------------------------------------------------


def _box(reading: TableReading, group: ReadGroup, position: int) -> list[float]:
    card = reading.photos[group.part.photo].cards[group.part.cards[position]]
    return [round(float(v), 1) for v in card.box]


def cards_json(reading: TableReading) -> list[Json]:
    """Every card seen: what it is taken for, how surely, where, and in which meld (a number from 0 into `melds`)."""
    melds = {number: at for at, number in enumerate(_meld_order(reading))}
    out = []
    for number, group in enumerate(reading.groups):
        for card in group.chosen.cards:
            if card.source is None or card.change == "extra":
                continue
            seen = group.part.piece.seen[card.source]
            odds = dict([(seen.card, seen.confidence), *seen.alternatives])
            name = CARDS[card.code].text
            out.append({
                "card": name, "confidence": round(float(odds.get(name, 0.0)), 4),
                "box": _box(reading, group, card.source), "meld": melds.get(number), "seen": seen.card,
                "changed": card.change or None, "photo": group.part.photo,
                "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in seen.quad],
            })  # fmt: skip
    return out


def _meld_order(reading: TableReading) -> list[int]:
    """Numbers of the groups that are melds, side by side in the order of the sheet."""
    return [
        number
        for side in range(len(reading.names))
        for number, group in enumerate(reading.groups)
        if group.side == side and group.chosen.role == "meld"
    ]


def melds_json(reading: TableReading, lang: str) -> list[Json]:
    """The melds as `meld` results, with side, confidence and what was changed."""
    verdicts = [verdict for side in reading.score.sides for verdict in side.melds]
    out = []
    for number, verdict in zip(_meld_order(reading), verdicts, strict=True):
        group = reading.groups[number]
        out.append({
            **verdict_json(verdict, reading.profile, lang), "side": reading.names[group.side],
            "confidence": round(group.confidence, 4), "layout": group.part.group.kind, "photo": group.part.photo,
            "changes": changes(reading, number, lang),
        })  # fmt: skip
    return out


def doubts_json(reading: TableReading, lang: str) -> list[Json]:
    """The doubts with their choices, most important first."""
    order = {number: at for at, number in enumerate(_meld_order(reading))}
    return [
        {
            "question": question_text(reading, doubt, lang), "heading": heading_text(reading, doubt, lang),
            "cards": list(doubt.cards),
            "points_at_stake": doubt.stake, "kind": doubt.kind, "meld": order.get(doubt.group),
            "boxes": [box for one in doubt.each for box in _boxes(reading, one)],
            "photo": reading.groups[doubt.group].part.photo,
            "choices": [_choice_json(reading, doubt, choice, order, lang) for choice in doubt.choices],
        }
        for doubt in reading.doubts
    ]  # fmt: skip


def _choice_json(reading: TableReading, doubt: Doubt, choice: Choice, order: dict[int, int], lang: str) -> Json:
    """One answer; to a question with several places also which place it is about, and where that lies."""
    out: Json = {
        "value": choice.value, "text": answer_text(reading, doubt, choice, lang),
        "probability": round(choice.probability, 4), "points": choice.points,
    }  # fmt: skip
    if choice.place is None:
        return out
    one = doubt.places[choice.place]
    return {**out, "place": choice.place, "meld": order.get(one.group), "boxes": _boxes(reading, one)}


def _boxes(reading: TableReading, doubt: Doubt) -> list[list[float]]:
    return [_box(reading, reading.groups[doubt.group], n) for n in _positions(reading, doubt)]


def _positions(reading: TableReading, doubt: Doubt) -> Sequence[int]:
    if doubt.position is not None:
        return (doubt.position,)
    return range(len(reading.groups[doubt.group].part.cards))


def points_json(reading: TableReading) -> Json:
    """Low, best and high: of both sides together, and of each."""
    points = reading.points
    sides = [
        {"name": name, "low": low, "best": best, "high": high}
        for name, low, best, high in zip(reading.names, points.low, points.best, points.high, strict=True)
    ]
    return {"low": sum(points.low), "best": sum(points.best), "high": sum(points.high), "sides": sides}


def _loose(reading: TableReading, role: str) -> Iterator[ReadGroup]:
    return (group for group in reading.groups if group.chosen.role == role and group.chosen.faces)


def reading_json(reading: TableReading, lang: str) -> Json:
    """The photo result of the contract, but for the images themselves."""
    profile: RuleProfile = reading.profile
    return {
        "rules": rules_json(profile),
        "cards": cards_json(reading),
        "melds": melds_json(reading, lang),
        "hands": [
            {"side": reading.names[g.side], "cards": [c.text for c in g.chosen.faces]} for g in _loose(reading, "hand")
        ],
        "other": [card.text for group in _loose(reading, "other") for card in group.chosen.faces],
        "sheet": sheet_text(reading, lang),
        "doubts": doubts_json(reading, lang),
        "points": points_json(reading),
        "legal": reading.score.legal,
        "violations": [fault_json(fault, profile, lang) for fault in reading.score.violations],
        "notices": [
            *({"code": c, "message": m} for c, m in zip(reading.notices, advice(reading, lang), strict=True)),
            *(fault_json(n, profile, lang) for n in reading.score.notices if n.code != "pot_not_stated"),
        ],
    }  # fmt: skip
