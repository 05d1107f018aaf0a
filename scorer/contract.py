"""The JSON that other programs rely on, both ways: one place for the command and for HTTP.

Requests become library objects (strict: an unknown key, a wrong type or a bad value is a `BurracoError` with a code
and the path of the fault), results become plain dicts. Keys may be added, never changed. The annotations that a file
of cases carries (`id`, `note`, `expect` and the expected figures) are allowed in a request and ignored.

>>> request = meld_request({"cards": "4h 5h 6h 2s 8h 9h 10h", "rules": "vanikar"})
>>> answer = answer_meld({"cards": "4h 5h 6h 2s 8h 9h 10h"})
>>> answer["type"], answer["total"], answer["slots"][3]
('dirty', 165, {'card': '2s', 'stands_for': '7h', 'wild': True})
>>> answer_meld({"cards": "4h", "rulez": "fibur"})
Traceback (most recent call last):
scorer.errors.BurracoError: unknown key 'rulez'; did you mean rules; known keys: cards, rules, options, lang
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scorer.cards import Card
from scorer.errors import BurracoError, NotationError, NotationErrors
from scorer.explain import all_errors, error_text, fault_text, line_text, source_of
from scorer.melds import Binding, MeldVerdict, Notice, Reading, Slot, Violation, check_meld
from scorer.messages import LANGS, text
from scorer.notation_cards import parse_cards, parse_meld
from scorer.profile import DEFAULT_PROFILE, OptionValue, RuleProfile, load_profile
from scorer.table import POZZETTO, Hand, MeldText, Pozzetto, Side, Table

if TYPE_CHECKING:  # one meld needs no scoring, and starts faster without it
    from scorer.scoring import ScoreLine, ScoreSheet, SideScore

MELD_KEYS: Final = ("cards", "rules", "options", "lang")
SCORE_KEYS: Final = ("rules", "options", "lang", "sides")
SIDE_KEYS: Final = ("name", "players", "melds", "hand", "closed", "closed_by", "pozzetto", "pozzetto_cards")
#: What a file of cases says besides the request; ignored.
NOTES: Final = frozenset({"id", "note", "expect", "void", "legal", "type", "doubled", "card_points", "bonus", "total"})
#: Sides on one table, and melds of one side: far above any real table, far below a denial of service.
MAX_SIDES: Final = 8
MAX_MELDS: Final = 60
_KEPT_CHARS: Final = 100
#: Texts of melds that are remembered; and verdicts, what was written of them and words of lines, for each rule set.
_KEPT_MELDS: Final = 8192
_KEPT: Final = 20_000

Json = dict[str, Any]
#: Writes the verdict on a meld, as `verdict_json` does, as anything that a JSON writer takes.
VerdictWriter = Callable[[MeldVerdict, RuleProfile, str], Any]


class MeldRequest(NamedTuple):
    """One meld to judge: its cards, the rules, the language of the answer."""

    meld: MeldText
    profile: RuleProfile
    lang: str


class ScoreRequest(NamedTuple):
    """One deal to score: the table, the rules, the language of the answer."""

    table: Table
    profile: RuleProfile
    lang: str


# --- requests -------------------------------------------------------------------------------------------------------


def refuse(code: str, **params: object) -> BurracoError:
    """A `BurracoError` whose English message is that of its code."""
    return BurracoError(text(code, "en", **params), code=code, **params)


def meld_request(data: object, *, profile: RuleProfile | None = None, lang: str | None = None) -> MeldRequest:
    """A `meld` request; `profile` and `lang`, where given, take the place of what the request says.

    BurracoError (NotationError for the cards) when it cannot be read.
    """
    body = checked_object(data, MELD_KEYS)
    tongue = request_lang(body, lang)
    if "cards" not in body:
        raise refuse("missing_field", path="", key="cards")
    meld = _meld(_cards_text(body["cards"], "cards"), tongue)
    return MeldRequest(meld, profile or _profile(body), tongue)


def score_request(data: object, *, profile: RuleProfile | None = None, lang: str | None = None) -> ScoreRequest:
    """A `score` request, as `meld_request`; every unreadable card text is told at once, each with its `path`."""
    body = checked_object(data, SCORE_KEYS)
    tongue = request_lang(body, lang)
    rules = profile or _profile(body)
    return ScoreRequest(table_of(body, tongue), rules, tongue)


def stated_rules(data: Mapping[str, Any]) -> tuple[str | None, dict[str, object]]:
    """The rule set and options that a request states (None: the default), types checked but not yet looked up."""
    ident = data.get("rules")
    if ident is not None and not isinstance(ident, str):
        raise _wrong("rules", "string", ident)
    return ident, dict(_mapping(data.get("options"), "options"))


def table_of(body: Mapping[str, Any], lang: str) -> Table:
    """The table of a `score` request."""
    if "sides" not in body:
        raise refuse("missing_field", path="", key="sides")
    stated = _list(body["sides"], "sides", 1, MAX_SIDES)
    faults: list[NotationError] = []
    sides = tuple([_side(item, number, lang, faults) for number, item in enumerate(stated)])
    names = [side.name for side in sides]
    for name in names:
        if names.count(name) > 1:
            raise refuse("duplicate_side", token=name)
    if faults:
        raise faults[0] if len(faults) == 1 else _together(faults)
    return Table(sides)


def _together(faults: list[NotationError]) -> NotationErrors:
    made = NotationErrors(faults)
    made.params = faults[0].params
    return made


def _side(item: object, number: int, lang: str, faults: list[NotationError]) -> Side:
    path = f"sides[{number}]"
    body = checked_object(item, SIDE_KEYS, path)
    name = _string(body.get("name", "ABCDEFGH"[number]), f"{path}.name")
    players = tuple(_strings(body.get("players"), f"{path}.players"))
    melds = []
    for place, stated in enumerate(_list(body.get("melds", ()), f"{path}.melds", 0, MAX_MELDS)):
        try:
            words = stated if type(stated) is str else _cards_text(stated, f"{path}.melds[{place}]")
            melds.append(_meld(words, lang))
        except NotationError as error:
            _note(error, f"{path}.melds[{place}]", faults)
            melds.append(MeldText(()))
    pozzetto = _pozzetto(body.get("pozzetto"), f"{path}.pozzetto")
    pot = _cards(body.get("pozzetto_cards"), f"{path}.pozzetto_cards", lang, faults)
    if pot and pozzetto != "unplayed":
        raise refuse("pot_cards_unasked", path=f"{path}.pozzetto_cards")
    closed_by = _player(body.get("closed_by"), players, f"{path}.closed_by")
    closed = _bool(body.get("closed", closed_by is not None), f"{path}.closed")
    if closed_by is not None and not closed:
        raise refuse("bad_value", path=f"{path}.closed_by", value=closed_by, allowed="null")
    hands = _hands(body.get("hand", ""), players, f"{path}.hand", lang, faults)
    return Side(name, players, tuple(melds), hands, pozzetto, pot, closed, closed_by)


def _meld(words: str, lang: str) -> MeldText:
    """A meld read. A table is scored again after every correction, so what its melds say is kept for a while."""
    return _kept_meld(words, lang) if len(words) <= _KEPT_CHARS else parse_meld(words, lang)


@lru_cache(maxsize=_KEPT_MELDS)
def _kept_meld(words: str, lang: str) -> MeldText:
    return parse_meld(words, lang)


def kept_verdict(cards: tuple[Card, ...], profile: RuleProfile, bindings: tuple[Binding, ...] = ()) -> MeldVerdict:
    """`check_meld` for a server: the verdicts of a rule set are kept for a while, as `_meld` keeps readings of text."""
    kept = profile.memory
    found: MeldVerdict | None = kept.get((cards, bindings))
    if found is None:
        found = check_meld(cards, profile, bindings)
        keep(kept, (cards, bindings), found)
    return found


def keep(kept: dict[Any, Any], key: object, value: object) -> None:
    """Remember something of a rule set; all is forgotten when it grows too much."""
    if len(kept) >= _KEPT:
        kept.clear()
    kept[key] = value


def _hands(
    stated: object, players: tuple[str, ...], path: str, lang: str, faults: list[NotationError]
) -> tuple[Hand, ...]:
    """One text for the whole side, or a list with one text for each player."""
    if stated is None or isinstance(stated, str):
        cards = _cards(stated, path, lang, faults)
        owner = players[0] if len(players) == 1 else None
        return (Hand(cards, owner),)
    if not isinstance(stated, list):
        raise _wrong(path, "hands", stated)
    _list(stated, path, 0, MAX_SIDES)
    if players and len(stated) != len(players):
        raise refuse("hand_count", path=path, count=len(stated), players=len(players))
    for place, words in enumerate(stated):
        if words is None:  # of a whole side it means an empty hand; of a player it says nothing
            raise _wrong(f"{path}[{place}]", "cards", words)
    owners: Sequence[str | None] = players or [None] * len(stated)
    return tuple(
        [
            Hand(_cards(words, f"{path}[{place}]", lang, faults), owner)
            for place, (words, owner) in enumerate(zip(stated, owners, strict=True))
        ]
    )


def _cards(stated: object, path: str, lang: str, faults: list[NotationError]) -> tuple[Card, ...]:
    if stated is None or stated == "":
        return ()
    try:
        return parse_cards(_cards_text(stated, path), lang)
    except NotationError as error:
        _note(error, path, faults)
        return ()


def _note(error: NotationError, path: str, faults: list[NotationError]) -> None:
    """Keep the errors of one text, with the path of the text that they are about."""
    for fault in all_errors(error):
        if isinstance(fault, NotationError):
            fault.params = {**fault.params, "path": path}
            faults.append(fault)


def _profile(body: Mapping[str, Any]) -> RuleProfile:
    ident, options = stated_rules(body)
    return load_profile(DEFAULT_PROFILE if ident is None else ident, options or None)


def request_lang(body: Mapping[str, Any], given: str | None = None) -> str:
    """The language of a request's cards: `given`, else what it says, else (absent or null) English."""
    stated = body.get("lang")
    lang = given if given is not None else "en" if stated is None else stated
    if lang not in LANGS:
        raise refuse("bad_value", path="lang", value=str(lang), allowed=", ".join(LANGS))
    return str(lang)


# --- types ----------------------------------------------------------------------------------------------------------


#: Codes of the JSON types, for people in `messages` under `json.`.
_NAMES: Final = {
    dict: "object", list: "list", str: "string", bool: "bool", int: "number", float: "number", type(None): "null",
}  # fmt: skip


def _wrong(path: str, expected: str, found: object) -> BurracoError:
    """A value of the wrong type; `expected` and `found` are codes under `json.`."""
    kind = _NAMES.get(type(found), "other")
    error = BurracoError("", code="wrong_type", path=path, expected=expected, found=kind)
    error.args = (error_text(error),)
    error.message = error_text(error)
    return error


def checked_object(data: object, known: tuple[str, ...], path: str = "") -> Mapping[str, Any]:
    """A JSON object with no other keys than the known ones and the annotations; BurracoError otherwise."""
    body = _mapping(data, path, required=True)
    for key in body:
        if key not in known and key not in NOTES:
            import difflib

            near = difflib.get_close_matches(str(key), known, n=1)
            shown = str(key)[:40]
            suggestion = near[0] if near else ""
            raise refuse("unknown_field", path=path, key=shown, suggestion=suggestion, known=", ".join(known))
    return body


def _mapping(data: object, path: str, *, required: bool = False) -> Mapping[str, Any]:
    if data is None and not required:
        return {}
    if not isinstance(data, Mapping):
        raise _wrong(path, "object", data)
    return data


def _list(data: object, path: str, least: int, most: int) -> list[Any]:
    if data is None and not least:
        return []
    if not isinstance(data, list | tuple):
        raise _wrong(path, "list", data)
    if not least <= len(data) <= most:
        raise refuse("list_length", path=path, count=len(data), least=least, most=most)
    return list(data)


def _string(data: object, path: str) -> str:
    if not isinstance(data, str) or not data.strip() or len(data) > 80 or not data.isprintable():
        raise _wrong(path, "short", data)
    return data.strip()


def _strings(data: object, path: str) -> list[str]:
    return [_string(item, f"{path}[{place}]") for place, item in enumerate(_list(data, path, 0, MAX_SIDES))]


def _bool(data: object, path: str) -> bool:
    if not isinstance(data, bool):
        raise _wrong(path, "bool", data)
    return data


def _cards_text(data: object, path: str) -> str:
    """Cards as one text, or as a list of texts (the shape in which a result gives them)."""
    if isinstance(data, list) and all([isinstance(item, str) for item in data]):
        return " ".join(data)
    if not isinstance(data, str):
        raise _wrong(path, "cards", data)
    return data


def _pozzetto(data: object, path: str) -> Pozzetto | None:
    if data is None:
        return None
    for known in POZZETTO:
        if data == known:
            return known
    raise refuse("bad_value", path=path, value=str(data)[:40], allowed=", ".join([*POZZETTO, "null"]))


def _player(data: object, players: tuple[str, ...], path: str) -> str | None:
    if data is None:
        return None
    name = _string(data, path)
    if players and name not in players:
        raise refuse("unknown_player", token=name, expected=", ".join(players))
    return name


# --- results --------------------------------------------------------------------------------------------------------


def rules_json(profile: RuleProfile) -> Json:
    """Which rules decided: `{"id", "version", "options"}`, options with the values that were set."""
    return {"id": profile.id, "version": profile.version, "options": {k: _plain(v) for k, v in profile.options}}


def _plain(value: OptionValue) -> object:
    return list(value) if isinstance(value, tuple) else value


def _texts(cards: Iterable[Card]) -> list[str]:
    return [card.text for card in cards]


def _slots_json(slots: Iterable[Slot]) -> list[Json]:
    return [{"card": card.text, "stands_for": stands.text, "wild": wild} for card, stands, wild in slots]


def _reading_json(reading: Reading) -> Json:
    return {
        "kind": reading.kind, "type": reading.type, "doubled": reading.doubled, "bonus": reading.bonus,
        "cards": _texts(slot.card for slot in reading.slots), "slots": _slots_json(reading.slots),
    }  # fmt: skip


def fault_json(fault: Violation | Notice, profile: RuleProfile, lang: str) -> Json:
    """A violation or a notice: code, sentence, cards, the option that decided, its source, and the raw parameters."""
    return {
        "code": fault.code, "message": fault_text(fault, lang), "cards": _texts(fault.cards), "rule": fault.rule,
        "source": source_of(fault.rule, profile, lang), "params": dict(fault.params),
    }  # fmt: skip


def verdict_json(verdict: MeldVerdict, profile: RuleProfile, lang: str) -> Json:
    """A meld result without its `rules` (as it stands inside a score result)."""
    cards, card_points, best, readings, violations, notices = verdict
    kind, type_, bonus, doubled, slots = (
        (best.kind, best.type, best.bonus, best.doubled, best.slots) if best else (None, None, 0, False, ())
    )
    return {
        "cards": [card.text for card in cards], "legal": not violations, "kind": kind, "type": type_,
        "doubled": doubled, "card_points": card_points, "bonus": bonus, "total": card_points + bonus,
        "slots": _slots_json(slots),
        "readings": [_reading_json(r) for r in readings[1:]] if len(readings) > 1 else [],
        "violations": [fault_json(fault, profile, lang) for fault in violations] if violations else [],
        "notices": [fault_json(notice, profile, lang) for notice in notices] if notices else [],
    }  # fmt: skip


def meld_json(verdict: MeldVerdict, profile: RuleProfile, lang: str = "en") -> Json:
    """The result of a `meld` request."""
    return {"rules": rules_json(profile), **verdict_json(verdict, profile, lang)}


def line_json(line: ScoreLine, profile: RuleProfile, lang: str) -> Json:
    """One line of a side's sheet; `meld` is the number of the meld it is about, where it is about one."""
    code, points, cards, rule, _params = line
    label, source, meld = _line_words(line, profile, lang)
    made: Json = {
        "code": code, "label": label, "points": points, "cards": [card.text for card in cards] if cards else [],
        "rule": rule, "source": source,
    }  # fmt: skip
    if meld is not None:
        made["meld"] = meld
    return made


def _line_words(line: ScoreLine, profile: RuleProfile, lang: str) -> tuple[str, str, str | int | None]:
    """Label, source and number of the meld of a line: they recur on every sheet under the same rules."""
    key = (line.code, line.params, line.rule, lang)
    kept = profile.memory
    found: tuple[str, str, str | int | None] | None = kept.get(key)
    if found is None:
        meld = next((value for name, value in line.params if name == "meld"), None)
        found = line_text(line, lang), source_of(line.rule, profile, lang), meld
        keep(kept, key, found)
    return found


def _side_json(side: SideScore, profile: RuleProfile, lang: str, meld: VerdictWriter) -> Json:
    return {
        "name": side.name,
        "melds": [meld(verdict, profile, lang) for verdict in side.melds],
        "score": side.score._asdict(),
        "lines": [line_json(line, profile, lang) for line in side.lines],
    }


def score_json(sheet: ScoreSheet, profile: RuleProfile, lang: str = "en", meld: VerdictWriter = verdict_json) -> Json:
    """The result of a `score` request; `meld` may be a form of `verdict_json` that remembers what it wrote."""
    return {
        "rules": rules_json(profile), "void": sheet.void, "legal": sheet.legal,
        "sides": [_side_json(side, profile, lang, meld) for side in sheet.sides],
        "violations": [fault_json(fault, profile, lang) for fault in sheet.violations],
        "notices": [fault_json(notice, profile, lang) for notice in sheet.notices],
    }  # fmt: skip


def error_body(error: BurracoError, lang: str = "en") -> Json:
    """An error as data: `code`, `message`, `column` and `token` always; the rest where it is known."""
    body: Json = {"code": error.code, "message": error_text(error, lang), "column": None, "token": None}
    if isinstance(error, NotationError):
        body.update(line=error.line, column=error.column, token=error.token, expected=error.expected)
        body["suggestion"] = error.suggestion
    if "path" in error.params:
        body["path"] = error.params["path"]
    return body


def error_json(error: BurracoError, lang: str = "en") -> Json:
    """`{"error": …}`; when a text has several errors, the first one, and all of them in `errors`."""
    made: Json = {"error": error_body(error, lang)}
    every = all_errors(error)
    if len(every) > 1:
        made["error"]["errors"] = [error_body(one, lang) for one in every]
    return made


# --- whole answers --------------------------------------------------------------------------------------------------


def answer_meld(data: object) -> Json:
    """Request in, result out; BurracoError when the request cannot be read."""
    meld, profile, lang = meld_request(data)
    return meld_json(check_meld(meld.cards, profile, meld.bindings), profile, lang)


def answer_score(data: object) -> Json:
    """Request in, result out; BurracoError when the request cannot be read."""
    from scorer.scoring import score

    table, profile, lang = score_request(data)
    return score_json(score(table, profile), profile, lang)


def answer_batch(items: Iterable[object], answer: Callable[[object], Json], lang: str = "en") -> list[Json]:
    """The answers to a list of requests, in order; an unreadable one answers `{"error": …}` in its place.

    >>> [("error" in x) for x in answer_batch([{"cards": "4h 5h 6h"}, {"cards": "4x"}], answer_meld)]
    [False, True]
    """
    out = []
    for item in items:
        try:
            out.append(answer(item))
        except BurracoError as error:
            own = item.get("lang") if isinstance(item, Mapping) else None
            out.append(error_json(error, own if own in LANGS else lang))
    return out
