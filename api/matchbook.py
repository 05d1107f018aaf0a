"""The match book as a service: what the command and the HTTP routes do, on one store.

Reads give the JSON of a match; writes take the version that the caller saw (the newest when it does not say) and an
optional idempotency key, and give the match after the write with its last `SHOWN` deals. A page and a new deal need
only the snapshot (`api.snapshots`); what looks back (amend, withdraw, undo, target) adds every deal up again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from api.snapshots import Derived, Look, RowJson, grown, span, whole
from api.store import Created, Snapshot, Store, StoredBook
from scorer.book import (
    EVENT_KINDS,
    FORWARD_KINDS,
    MAX_NAME,
    Book,
    Head,
    MatchInfo,
    SideInfo,
    check_event,
    deal_event,
    fold,
    follow,
    statistics,
)
from scorer.contract import refuse, rules_json
from scorer.entries import bad_entry, score_entry
from scorer.errors import MatchError
from scorer.events import Event, last_undoable
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile, read_profile
from scorer.victory import vp_table

KIND: Final = "match"
#: The deals that a write answers, the last ones.
SHOWN: Final = 200
_INFO_KEYS: Final = ("name", "rules", "options", "rules_text", "sides", "first_dealer", "length", "vp")


def match_info(data: Mapping[str, Any]) -> MatchInfo:
    """A `MatchInfo` from a request or an export; BurracoError with one line when it cannot be."""
    unknown = sorted(str(key) for key in data if key not in (*_INFO_KEYS, "rules_version"))
    if unknown:
        raise refuse("unknown_field", path="", key=unknown[0][:40], suggestion="", known=", ".join(_INFO_KEYS))
    sides = _sides(data.get("sides", ["Noi", "Loro"]))
    length, vp = data.get("length"), data.get("vp")
    if length is not None and (not isinstance(length, int) or isinstance(length, bool) or not 1 <= length <= 1000):
        raise bad_entry("length")
    if vp is not None:
        table = vp_table(str(vp))
        length = length or table.deals
    rules_text, options = data.get("rules_text") or "", data.get("options") or {}
    if not isinstance(rules_text, str) or not isinstance(options, Mapping):
        raise bad_entry("rules")
    profile = _profile(str(data.get("rules") or DEFAULT_PROFILE), options, rules_text)
    info = MatchInfo(
        profile.id, sides, dict(options), data.get("rules_version") or profile.version, rules_text,
        clean_name(data.get("name") or "", "name", empty=True), _dealer(data.get("first_dealer", 0)), length, vp,
    )  # fmt: skip
    if info.first_dealer >= info.seats:
        raise refuse("bad_seat", most=info.seats - 1)
    return info


def _dealer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 5:
        raise bad_entry("dealer")
    return value


def clean_name(value: object, path: str, *, empty: bool = False) -> str:
    """A name as typed, white space folded; BurracoError `bad_name` for one that is none."""
    text = " ".join(str(value).split()) if isinstance(value, str) else ""
    if (not text and not empty) or len(text) > MAX_NAME or any(ord(c) < 32 for c in text):
        raise refuse("bad_name", path=path, most=MAX_NAME)
    return text


def _sides(value: object) -> tuple[SideInfo, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not 2 <= len(value) <= 4:
        raise bad_entry("sides")
    made = []
    for i, item in enumerate(value):
        stated: Mapping[str, Any] = {"name": item} if isinstance(item, str) else item
        if not isinstance(stated, Mapping) or set(stated) - {"name", "players"}:
            raise bad_entry("side", path=f"sides[{i}]")
        players = stated.get("players") or []
        if not isinstance(players, Sequence) or isinstance(players, str) or len(players) > 3:
            raise bad_entry("players", path=f"sides[{i}].players")
        names = tuple(clean_name(p, f"sides[{i}].players") for p in players)
        made.append(SideInfo(clean_name(stated.get("name"), f"sides[{i}].name"), names))
    folded = [side.name.casefold() for side in made]
    if len(set(folded)) != len(folded):
        raise refuse("same_side_names")
    return tuple(made)


def _profile(rules: str, options: Mapping[str, Any], rules_text: str) -> RuleProfile:
    return read_profile(rules_text, options) if rules_text else load_profile(rules, options)


def info_json(info: MatchInfo) -> dict[str, Any]:
    """A `MatchInfo` as data; `match_info` reads it back."""
    return {
        "name": info.name, "rules": info.rules, "options": dict(info.options), "rules_text": info.rules_text,
        "rules_version": info.rules_version, "first_dealer": info.first_dealer, "length": info.length, "vp": info.vp,
        "sides": [{"name": side.name, "players": list(side.players)} for side in info.sides],
    }  # fmt: skip


class _Known(NamedTuple):
    """A stored match with its rules."""

    stored: StoredBook
    info: MatchInfo
    profile: RuleProfile


class MatchBook:
    """Matches on a store. Keeps nothing itself, so any number of them may share one. Safe between threads."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def create(self, data: Mapping[str, Any]) -> Created:
        """A new match; the answer holds its id and tokens."""
        return self.store.create(KIND, info_json(match_info(data)))

    def book(self, ident: str) -> Book:
        """The derived book of a match, with every row; MatchError `unknown_book`."""
        return self._whole(ident)[1]

    def profile(self, ident: str) -> RuleProfile:
        """The rules that a match is played under."""
        return _known(self.store.book(ident)).profile

    def check(self, ident: str) -> None:
        """MatchError `unknown_book` when there is no match of this id."""
        _known(self.store.book(ident))

    def _whole(self, ident: str) -> tuple[_Known, Book, list[Event]]:
        """The match from its events alone."""
        known = _known(self.store.book(ident))
        events = self.store.events(ident)[: known.stored.head]
        return known, fold(known.info, known.profile, events), events

    def _derived(self, ident: str, first: int | None, most: int | None) -> tuple[_Known, Derived]:
        """The match from its snapshot, which is made again when it does not fit; rows from `first` on, or the last."""
        known = _known(self.store.book(ident))
        look = Look(known.profile, first, most)
        stored, found = self.store.snapshot(ident, look.wanted)
        derived = look.derived(stored.head, found)
        if derived is not None:
            return known._replace(stored=stored), derived
        known, book, _ = self._whole(ident)
        derived, snapshot = whole(book, known.profile)
        self.store.keep(ident, snapshot)
        return known, derived

    def view(
        self, ident: str, *, entries: bool = False, first: int | None = 1, most: int | None = None
    ) -> dict[str, Any]:
        """The match as JSON; with `entries` each deal's own data too.

        A page: `most` deals from number `first` on, or with `first` None the last `most`.
        """
        known, derived = self._derived(ident, first, most)
        low, high = span(derived.head.deals, first, most)
        rows = derived.rows[low - derived.first : max(0, high + 1 - derived.first)]
        told = self.store.payloads(ident, [row["seq"] for row in rows]) if entries else None
        return match_json(known, derived.head, [_shown(row, told) for row in rows])

    def add(self, ident: str, entry: object, *, seen: int | None = None, key: str | None = None,
            lang: str = "en") -> dict[str, Any]:  # fmt: skip
        """Add a deal; BurracoError when the deal is impossible or the match has ended."""
        return self._write(ident, "deal", {}, entry, seen, key, lang)

    def amend(self, ident: str, number: int, entry: object, *, seen: int | None = None, key: str | None = None,
              lang: str = "en") -> dict[str, Any]:  # fmt: skip
        """Put another entry in the place of deal `number`."""
        return self._write(ident, "amend", {"number": number}, entry, seen, key, lang)

    def withdraw(self, ident: str, number: int, *, seen: int | None = None, key: str | None = None) -> dict[str, Any]:
        """Take deal `number` out; its number stays."""
        return self._write(ident, "withdraw", {"number": number}, None, seen, key, "en")

    def undo(self, ident: str, *, event: int | None = None, seen: int | None = None,
             key: str | None = None) -> dict[str, Any]:  # fmt: skip
        """Take back the last event (or a given one)."""
        return self._write(ident, "undo", {} if event is None else {"event": event}, None, seen, key, "en")

    def write(self, ident: str, kind: str, payload: Mapping[str, Any], *, seen: int | None = None,
              key: str | None = None) -> dict[str, Any]:  # fmt: skip
        """A note, another target, closing or reopening by hand."""
        return self._write(ident, kind, payload, None, seen, key, "en")

    def _write(
        self, ident: str, kind: str, given: Mapping[str, Any], entry: object, seen: int | None, key: str | None,
        lang: str,
    ) -> dict[str, Any]:  # fmt: skip
        if key is not None and not 1 <= len(key) <= 80:
            raise MatchError("an idempotency key has 1 to 80 characters", code="bad_key", most=80)
        if key is not None and self.store.by_key(ident, key) is not None:
            return self._last(ident)  # a double tap: what it wrote the first time is there
        forward = kind in FORWARD_KINDS
        at, payload, snapshot = (self._forward if forward else self._backward)(ident, kind, dict(given), entry, lang)
        self.store.append(ident, kind, payload, seen=at if seen is None else seen, key=key, snapshot=snapshot)
        return self._last(ident)

    def _last(self, ident: str) -> dict[str, Any]:
        return self.view(ident, first=None, most=SHOWN)

    def _forward(
        self, ident: str, kind: str, payload: dict[str, Any], entry: object, lang: str
    ) -> tuple[int, dict[str, Any], Snapshot]:
        """The version, the payload and the snapshot after an event that only adds: the last rows are enough."""
        (_, info, profile), before = self._derived(ident, None, 1)
        check_event(before.head, (), kind, payload)
        if kind == "deal":
            payload.update(_scored(entry, profile, info, lang))
        head, row = follow(before.head, info, profile, Event(before.head.version + 1, kind, payload))
        return before.head.version, payload, grown(before, head, row, profile)

    def _backward(
        self, ident: str, kind: str, payload: dict[str, Any], entry: object, lang: str
    ) -> tuple[int, dict[str, Any], Snapshot]:
        """The same for an event that changes what was there."""
        stored, info, profile = _known(self.store.book(ident))
        events = self.store.events(ident)[: stored.head]
        if "number" in payload:
            payload["deal"] = deal_event(events, int(payload.pop("number")))
        if kind == "undo" and "event" not in payload:
            payload["event"] = last_undoable(events)
        if kind == "target":
            payload = {"target": profile.with_options({"target": payload.get("target")}).match.target}
        check_event(fold(info, profile, []), events, kind, payload)
        if kind == "amend":
            payload.update(_scored(entry, profile, info, lang))
        after = fold(info, profile, [*events, Event(stored.head + 1, kind, payload)])
        there = Look(profile, 1, 0)
        self.store.snapshot(ident, there.wanted)
        return stored.head, payload, whole(after, profile, there.digests)[1]

    def stats(self, ident: str) -> list[dict[str, Any]]:
        """Statistics of each side, over the deals that count."""
        book = self.book(ident)
        return [
            {"side": side.name, **numbers._asdict()}
            for side, numbers in zip(book.info.sides, statistics(book), strict=True)
        ]

    def export(self, ident: str) -> dict[str, Any]:
        """Everything that makes this match, for `restore`: its info and its events."""
        known, book, rows = self._whole(ident)
        return {
            "format": "burraco-match/1", "id": known.stored.id, "info": info_json(book.info),
            "events": [{"seq": e.seq, "kind": e.kind, "payload": dict(e.payload), "at": e.at} for e in rows],
        }  # fmt: skip

    def restore(self, data: object, *, new_id: bool = False) -> Created:
        """The same match from its export; every event is checked again. MatchError `bad_export` otherwise."""
        info, rows = _read_export(data)
        profile = _profile(info.rules, info.options, info.rules_text)
        done = [_checked(row, info, profile, rows) for row in rows]
        snapshot = whole(fold(info, profile, done), profile)[1]
        ident = str(data["id"]) if isinstance(data, Mapping) and not new_id else None
        return self.store.restore(KIND, info_json(info), done, ident, snapshot)


def _checked(row: Event, info: MatchInfo, profile: RuleProfile, rows: Sequence[Event]) -> Event:
    """An imported event with its deal scored again (its points are never trusted) and its references looked at."""
    earlier = {"amend": ("deal", "deal"), "withdraw": ("deal", "deal"), "undo": ("event", "")}
    if row.kind in earlier:
        key, kind = earlier[row.kind]
        target = row.payload.get(key)
        if not isinstance(target, int) or not 1 <= target < row.seq or (kind and rows[target - 1].kind != kind):
            raise MatchError("this is no export of a match", code="bad_export")
    if row.kind == "target":
        profile.with_options({"target": row.payload.get("target")})
    if row.kind == "note" or row.kind not in EVENT_KINDS:
        check_event(fold(info, profile, []), [], row.kind, row.payload)
    if row.kind in ("deal", "amend"):
        return row._replace(payload={**row.payload, **_scored(row.payload.get("entry"), profile, info, "en")})
    return row


def _scored(entry: object, profile: RuleProfile, info: MatchInfo, lang: str) -> dict[str, Any]:
    names = [side.name for side in info.sides]
    scored = score_entry(entry, profile, names, lang)
    return {
        "entry": entry, "points": list(scored.points), "void": scored.void,
        "faults": [fault.code for fault in scored.faults],
        "details": [detail._asdict() for detail in scored.details],
    }  # fmt: skip


def _read_export(data: object) -> tuple[MatchInfo, list[Event]]:
    bad = MatchError("this is no export of a match", code="bad_export")
    if not isinstance(data, Mapping) or data.get("format") != "burraco-match/1":
        raise bad
    stated, ident = data.get("events"), data.get("id")
    if not isinstance(stated, list) or not isinstance(data.get("info"), Mapping) or not isinstance(ident, str):
        raise bad
    if not 1 <= len(ident) <= 64 or not ident.replace("-", "").replace("_", "").isalnum():
        raise bad
    rows = []
    for seq, item in enumerate(stated, 1):
        if not isinstance(item, Mapping) or item.get("seq") != seq or not isinstance(item.get("payload"), Mapping):
            raise bad
        rows.append(Event(seq, str(item.get("kind")), dict(item["payload"]), str(item.get("at", ""))[:32]))
    return match_info(data["info"]), rows


# --- JSON ------------------------------------------------------------------------------------------------------------


def match_json(known: _Known, head: Head, deals: list[RowJson]) -> dict[str, Any]:
    """A match for people and programs; every total is derived."""
    (stored, info, profile), now = known, head.standing(known.info)
    return {
        "id": stored.id, "name": info.name, "version": head.version, "rules": rules_json(profile),
        "rules_changed": profile.version != info.rules_version,
        "sides": [{"name": side.name, "players": list(side.players)} for side in info.sides],
        "target": None if info.length else head.target, "length": info.length, "vp": info.vp,
        "totals": list(now.totals), "leaders": list(now.leaders), "missing": list(now.missing),
        "finished": head.finished, "closed": head.closed, "winners": list(now.winners),
        "victory": list(now.victory) if now.victory else None, "dealer": _dealer_json(info, now.dealer),
        "deal_count": head.deals, "played": now.played, "deals": deals,
        "notes": [{"event": seq, "text": text} for seq, text in head.notes],
        "created_at": stored.created_at, "updated_at": stored.updated_at,
    }  # fmt: skip


def _shown(row: RowJson, payloads: Mapping[int, Mapping[str, Any]] | None) -> RowJson:
    """A row as it is answered, with its entry where payloads are given."""
    shown = {key: value for key, value in row.items() if key != "seq"}
    if payloads is not None:
        # a deal that was taken back has no entry in force
        shown["entry"] = payloads[row["seq"]].get("entry", {}) if row["form"] is not None else {}
    return shown


def _known(stored: StoredBook) -> _Known:
    """A match with its rules; MatchError `unknown_book` for a book of another kind."""
    if stored.kind != KIND:
        raise MatchError("there is no such match", code="unknown_book", id=stored.id[:40])
    info = match_info(stored.info)
    return _Known(stored, info, _profile(info.rules, info.options, info.rules_text))


def _dealer_json(info: MatchInfo, seat: int) -> dict[str, Any]:
    """The seat that deals next; partners sit opposite, so seats go round the sides."""
    side = info.sides[seat % len(info.sides)]
    place = seat // len(info.sides)
    return {"seat": seat, "side": side.name, "player": side.players[place] if place < len(side.players) else None}
