"""The verdict on one meld as lines that people read, each with a tone; apart, so that `burraco meld` starts fast.

>>> from scorer.cards import Card
>>> from scorer.melds import check_meld
>>> from scorer.profile import load_profile
>>> meld_line(check_meld([Card.of(c) for c in "7h 7d 7s".split()], load_profile("fibur")), "it")
'7♥ 7♦ 7♠  combinazione: 15 punti'
"""

from __future__ import annotations

from scorer.explain import explain_fault, explain_meld, fault_text, meld_cards_text, meld_sentence, slots_text
from scorer.melds import MeldVerdict
from scorer.messages import text
from scorer.profile import RuleProfile, value_text


def head_lines(profile: RuleProfile, lang: str) -> tuple[str, ...]:
    """Which rules decided, and which of them were changed."""
    name = profile.name_it if lang == "it" else profile.name_en
    lines = [text("report.rules", lang, name=name, id=profile.id)]
    if profile.options:
        stated = ", ".join([f"{key}={value_text(value)}" for key, value in profile.options])
        lines.append(text("report.options", lang, options=stated))
    return tuple(lines)


def meld_line(verdict: MeldVerdict, lang: str = "en") -> str:
    """A meld and its verdict on one line."""
    return f"{meld_cards_text(verdict)}  {meld_sentence(verdict, lang)}"


def meld_block(
    verdict: MeldVerdict, profile: RuleProfile, lang: str = "en", *, explain: bool = False
) -> list[tuple[str, str]]:
    """A meld's verdict as lines, each with its tone (`good`, `bad`, `note`, `faint` or empty)."""
    out = [(meld_cards_text(verdict), "strong")]
    if verdict.legal:
        sentence = meld_sentence(verdict, lang)
        if verdict.type:
            named = text(f"kind.{verdict.kind}", lang) + ", " + text(f"type.{verdict.type}", lang)
            parts = {"cards": verdict.card_points, "bonus": verdict.bonus, "points": verdict.total}
            sentence = named + ": " + text("report.meld_sum", lang, **parts)
        out.append((sentence, "good"))
    else:
        points = text("report.card_points", lang, points=verdict.card_points)
        out.append((f"{text('report.illegal', lang)} ({points})", "bad"))
    for fault in verdict.violations:
        out.append((f"- {fault_text(fault, lang)}", "bad"))
        if explain and (why := explain_fault(fault, profile, lang)):
            out.append((f"  {why}", "faint"))
    for notice in verdict.notices:
        out.append((f"- {fault_text(notice, lang)}", "note"))
        if explain and (why := explain_fault(notice, profile, lang)):
            out.append((f"  {why}", "faint"))
    if explain:
        out += [(f"  {reason}", "faint") for reason in explain_meld(verdict, profile, lang)]
        out += [(line, "faint") for line in head_lines(profile, lang)]
    elif len(verdict.readings) > 1:
        out.append((_others(verdict, lang), "faint"))
    return out


def _others(verdict: MeldVerdict, lang: str) -> str:
    shown = []
    for reading in verdict.readings[1:]:
        named = text(f"type.{reading.type}", lang) if reading.type else ""
        shown.append(text("report.reading", lang, cards=slots_text(reading.slots), type=named))
    return text("report.other_readings", lang, readings="; ".join(shown))
