"""Reasons in words: every violation, notice, score line and error as a sentence, in Italian or English.

No number is computed here: what is shown was decided by `scorer.melds` and `scorer.scoring`, or stands in the profile.

>>> from scorer.cards import Card
>>> from scorer.melds import check_meld
>>> from scorer.profile import load_profile
>>> verdict = check_meld([Card.of(c) for c in "4h 5h 2s 7h".split()], load_profile("vanikar"))
>>> slots_text(verdict.slots), meld_sentence(verdict, "it")
('4♥ 5♥ 2♠=6♥ 7♥', 'scala: 35 punti')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from scorer.cards import RANK_TEXT, Card, copies
from scorer.errors import BurracoError, NotationError, NotationErrors, ProfileError
from scorer.melds import RUN, MeldVerdict, Notice, Reading, Slot, Violation
from scorer.messages import has, text
from scorer.profile import HOUSE_RULE, OPTIONS, SECTIONS, RuleProfile, value_text
from scorer.source_words import ASSUMPTION, source_words

if TYPE_CHECKING:  # the verdict on one meld needs no scoring
    from scorer.scoring import ScoreLine

Fault = Violation | Notice


# --- cards ---------------------------------------------------------------------------------------------------------


def cards_text(cards: Iterable[Card]) -> str:
    """Cards as people see them: `7♥ 10♦ JK`."""
    return " ".join([card.symbol for card in cards])


def slots_text(slots: Sequence[Slot]) -> str:
    """A reading's cards in order; a wild in a run says what it stands for, as it can be typed back: `2♠=7♥`."""
    shown = []
    for slot in slots:
        named = slot.wild and not slot.stands_for.is_unknown
        shown.append(f"{slot.card.symbol}={slot.stands_for.symbol}" if named else slot.card.symbol)
    return " ".join(shown)


def meld_cards_text(verdict: MeldVerdict) -> str:
    """The cards of a meld: as its best reading places them, or as they were stated when it is not legal."""
    return slots_text(verdict.slots) if verdict.reading else cards_text(verdict.cards)


def suit_name(suit_no: int, lang: str) -> str:
    """`cuori` or `hearts` for suit 0..3."""
    return text(f"suit.{'hdcs'[suit_no]}", lang)


# --- violations, notices, lines, errors -----------------------------------------------------------------------------


def fault_text(fault: Fault, lang: str = "en", *, placed: bool = True) -> str:
    """The sentence of a violation or a notice; `placed`: begin with the side and the meld that it is about."""
    params = {key: _shown(key, value, lang) for key, value in fault.params}
    if fault.cards:
        once = tuple(dict.fromkeys(fault.cards))
        params["card"] = once[0].symbol
        params["cards"] = cards_text(once if fault.code in ("rank_twice", "identical_cards") else fault.cards)
        params["ncards"] = len(fault.cards)
        params["deck"] = copies(once[0])
    kind = "violation" if isinstance(fault, Violation) else "notice"
    code = f"{kind}.{fault.code}"
    message = text(code if has(code, lang) else fault.code, lang, **params)
    if not placed:
        return message
    return place_text(message, lang, side=params.get("side"), meld=params.get("meld"))


def place_text(message: str, lang: str, *, side: object = None, meld: object = None) -> str:
    """A message that begins with the side and meld it is about, as far as they are known."""
    if side is not None:
        code = "place.on_sheet" if meld is None else "place.on_meld"
        return text(code, lang, side=side, meld=meld, message=message)
    return message if meld is None else text("place.meld_only", lang, meld=meld, message=message)


def _shown(key: str, value: str | int, lang: str) -> str | int:
    """A parameter as people read it: cards as symbols, codes as words, places in the language."""
    if isinstance(value, int):
        return value
    if key == "stands_for":
        return Card.of(value).symbol
    if key == "type":
        return text(f"type.{value}", lang)
    if key == "where":
        return "; ".join([_place(part, lang) for part in value.split("; ")]) if value else ""
    return value


def _place(where: str, lang: str) -> str:
    """`A/1`, `A/hand x2` or `A/pot` in words."""
    side, slash, rest = where.rpartition("/")
    if not slash:
        return where
    place, _, count = rest.partition(" x")
    words = text("place.meld", lang, meld=place) if place.isdigit() else text(f"place.{place}", lang)
    if count:
        words = text("place.twice", lang, place=words, count=count)
    return text("place.of", lang, side=side, place=words)


def line_text(line: ScoreLine, lang: str = "en") -> str:
    """The label of a score line: what the points are for."""
    return _label(line.code, line.params, lang)


@lru_cache(maxsize=4096)
def _label(code: str, line_params: tuple[tuple[str, str | int], ...], lang: str) -> str:
    """The same few labels stand on every sheet, and to make one costs more than to read a meld."""
    params = {key: _shown(key, value, lang) for key, value in line_params}
    return text(f"line.{code}", lang, **params)


def error_text(error: BurracoError, lang: str = "en", *, placed: bool = False) -> str:
    """One line for an error; `placed`: with the line and column of an unreadable text."""
    message = "".join([c if c.isprintable() else " " for c in _error_sentence(error, lang)])
    if not placed or not isinstance(error, NotationError):
        return message
    return text("report.line", lang, line=error.line, column=error.column, message=message)


def _error_sentence(error: BurracoError, lang: str) -> str:
    if isinstance(error, NotationError):
        from scorer.notation_errors import error_text as notation_text
        from scorer.notation_errors import templates

        if error.code in templates(lang):
            return notation_text(error, lang)
    return text(error.code, lang, **_error_params(error, lang)) if has(error.code, lang) else error.message


def _error_params(error: BurracoError, lang: str) -> dict[str, object]:
    """An error's parameters in the language: what an option may be, JSON types by name."""
    params = dict(error.params)
    if error.code == "bad_option":
        params["allowed"] = _allowed(params, lang)
    if "fault" in params:  # what is wrong, as a sentence of its own
        params["detail"] = text(f"fault.{params['fault']}", lang, **params)
    if isinstance(error, ProfileError) and error.details:
        faults = [(fault.code, {**fault.params, "allowed": _allowed(fault.params, lang)}) for fault in error.details]
        params["faults"] = "; ".join(text(f"rules_fault.{code}", lang, **said) for code, said in faults)
    if error.code == "wrong_type":
        params |= {key: text(f"json.{params[key]}", lang) for key in ("expected", "found")}
        params["path"] = params["path"] or text("json.request", lang)
    return params


def _allowed(params: Mapping[str, object], lang: str) -> object:
    """What the option named by `key` may be, in words."""
    spec = OPTIONS.get(str(params.get("key")))
    if spec is None:
        return params.get("allowed", "")
    choices = ", ".join(spec.choices)
    return text(f"allowed.{spec.kind}", lang, low=spec.low, high=spec.high, choices=choices)


def all_errors(error: BurracoError) -> tuple[BurracoError, ...]:
    """Every error that one error carries: all of a sheet's, or just itself."""
    return error.errors if isinstance(error, NotationErrors) else (error,)


# --- rules and sources ----------------------------------------------------------------------------------------------


def source_of(rule: str, profile: RuleProfile, lang: str = "en") -> str:
    """The words that a rule rests on: of an option key, or of a whole section such as `values`; empty if none."""
    known = rule in OPTIONS or rule in SECTIONS
    return source_words(profile.source(rule), lang) if known else ""


def spoken_source(source: str, lang: str) -> str:
    """A source as people read it: quotation, assumption, a person's option, a house rule."""
    if source == "option":
        return text("explain.option", lang)
    if source == HOUSE_RULE:
        return text("explain.house", lang)
    said = source_words(source, lang)
    if said.startswith(ASSUMPTION):
        return text("explain.assumption", lang, text=said.removeprefix(ASSUMPTION).strip())
    return said


def source_text(rule: str, profile: RuleProfile, lang: str) -> str:
    """The source of a rule in words, said to be one where it is a text."""
    source = source_of(rule, profile)
    said = spoken_source(source, lang)
    if not source or source in ("option", HOUSE_RULE) or source.startswith(ASSUMPTION):
        return said
    return text("explain.source", lang, text=said)


def rule_text(rule: str, profile: RuleProfile, lang: str) -> str:
    """`semi_position = one_side: fonte: …`: the option that decided, its value and what it rests on."""
    source = source_text(rule, profile, lang)
    if rule in OPTIONS:
        return text("explain.rule", lang, rule=rule, value=value_text(profile.get(rule)), source=source)
    return text("explain.section", lang, rule=rule, source=source) if source else ""


# --- explanations ---------------------------------------------------------------------------------------------------


def meld_sentence(verdict: MeldVerdict, lang: str = "en") -> str:
    """A meld in one breath: what it is and what it gives."""
    if verdict.reading is None:
        return text("report.illegal_meld", lang)
    kind = text(f"kind.{verdict.kind}", lang)
    named = text(f"type.{verdict.type}", lang) if verdict.type else ""
    return text("report.meld_total", lang, kind=kind, type=named, points=verdict.total)


def explain_meld(verdict: MeldVerdict, profile: RuleProfile, lang: str = "en") -> list[str]:
    """Why a meld is what it is: its reading, its cards, its bonus, each with the option that decided."""
    out = [text("explain.card_points", lang, parts=_card_parts(verdict.cards, profile), points=verdict.card_points)]
    best = verdict.reading
    if best is None:
        out.append(text("explain.illegal", lang, points=verdict.card_points))
        return out
    out.insert(0, _reading_sentence(best, profile, lang))
    out += _bonus_sentences(verdict, best, profile, lang)
    for other in verdict.readings[1:]:
        named = text(f"type.{other.type}", lang) if other.type else ""
        shown = slots_text(other.slots)
        out.append(text("explain.other_reading", lang, cards=shown, type=named, bonus=other.bonus))
    return out


def _card_parts(cards: Iterable[Card], profile: RuleProfile) -> str:
    return " + ".join([str(profile.rules.points[card.code]) for card in cards]) or "0"


def _reading_sentence(best: Reading, profile: RuleProfile, lang: str) -> str:
    count = len(best.slots)
    if best.kind == RUN:
        low, high = best.slots[0].stands_for, best.slots[-1].stands_for
        suit = suit_name(best.suit_no, lang)
        head = text(
            "explain.run", lang, suit=suit, low=_end("from", low, lang), high=_end("to", high, lang), count=count
        )
    else:
        rank = RANK_TEXT[best.low - 1]
        named = text(f"ranks.{rank}", lang) if has(f"ranks.{rank}", lang) else rank
        head = text("explain.set", lang, rank=named, count=count)
    return "; ".join([head, *_slot_sentences(best, lang)])


def _end(which: str, card: Card, lang: str) -> str:
    """An end of a run with its preposition: `dal 4`, `alla donna`."""
    rank = RANK_TEXT[card.rank_no - 1]
    code = f"{which}.{rank}"
    return text(code, lang) if has(code, lang) else text(f"{which}.rank", lang, rank=rank)


def _slot_sentences(best: Reading, lang: str) -> Iterator[str]:
    if not best.wilds:
        yield text("explain.no_wild", lang)
    for slot in best.slots:
        if slot.wild and slot.stands_for.is_unknown:
            yield text("explain.wild_in_set", lang, card=slot.card.symbol)
        elif slot.wild:
            yield text("explain.wild_for", lang, card=slot.card.symbol, stands_for=slot.stands_for.symbol)
        elif slot.card.rank_no == 2 and best.kind == RUN:
            yield text("explain.natural_two", lang, card=slot.card.symbol)


def _bonus_sentences(verdict: MeldVerdict, best: Reading, profile: RuleProfile, lang: str) -> Iterator[str]:
    if best.type is None:
        yield text("explain.no_bonus", lang, least=profile.meld.burraco_cards)
        return
    named = text(f"type.{best.type}", lang)
    if verdict.doubled:
        suit = suit_name(best.suit_no, lang)
        factor = profile.bonus.trump_factor
        yield text("explain.bonus_trump", lang, bonus=best.bonus, type=named, factor=factor, suit=suit)
        yield rule_text("bonus.trump_factor", profile, lang)
    else:
        yield text("explain.bonus", lang, bonus=best.bonus, type=named)
    yield rule_text(bonus_rule(verdict, profile), profile, lang)
    if best.wilds == 1 and len(best.slots) > profile.meld.burraco_cards and profile.bonus.semi is not None:
        yield rule_text("semi_position" if best.kind == RUN else "semi_set", profile, lang)


def bonus_rule(verdict: MeldVerdict, profile: RuleProfile) -> str:
    """The option key that sets the bonus of a burraco: a set may have one of its own."""
    own = f"bonus.set_{verdict.type}"
    if verdict.kind != RUN and own in OPTIONS and profile.get(own) is not None:
        return own
    return f"bonus.{verdict.type}"


def explain_line(line: ScoreLine, profile: RuleProfile, lang: str = "en") -> list[str]:
    """Why a score line that is not about one meld gives its points."""
    code = f"explain.{line.code}"
    parts = _card_parts(line.cards, profile)
    out = [text(code, lang, parts=parts)] if has(code, lang) else []
    if line.code != "hand":
        out.append(rule_text(line.rule, profile, lang))
    return [part for part in out if part]


def explain_fault(fault: Fault, profile: RuleProfile, lang: str = "en") -> str:
    """The option that decided a violation or a notice, with its source; empty when no option did."""
    return rule_text(fault.rule, profile, lang) if fault.rule else ""
