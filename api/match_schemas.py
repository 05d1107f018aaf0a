"""The shapes of the match book, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from scorer.book import MAX_TEXT

NAME = "1 to 60 characters."


#: A whole number in a request: no truth value, no text.
Whole = Annotated[int, Strict()]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class MatchSide(_Shape):
    """One side of the match."""

    name: str = Field(description=NAME, min_length=1, max_length=60, examples=["Noi"])
    players: list[str] = Field(default=[], description="Names, in seating order.", max_length=3, examples=[["Anna"]])


class MatchCreate(_Shape):
    """What a match is played under."""

    name: str = Field(default="", description="What to call the match; may be empty.", max_length=60)
    rules: str = Field(default="vanikar", description="A rule set's id.", max_length=40)
    options: dict[str, Any] = Field(default={}, description="Options of the rule set.", examples=[{"target": 1005}])
    rules_text: str = Field(default="", description="House rules as TOML, in place of `rules`.", max_length=100_000)
    sides: list[MatchSide] = Field(
        default=[MatchSide(name="Noi"), MatchSide(name="Loro")], description="Two to four sides.", min_length=2,
        max_length=4,
    )  # fmt: skip
    first_dealer: Whole = Field(default=0, ge=0, le=5, description="The seat that deals first, from 0.")
    length: Whole | None = Field(default=None, ge=1, le=1000, description="A match by number of deals.")
    vp: str | None = Field(default=None, description="A Victory Points table: `deals-3`, `deals-4`.", max_length=40)

    def stated(self) -> dict[str, Any]:
        """As data for the match book."""
        return self.model_dump()


class DealWrite(_Shape):
    """A deal: a table, a sheet, a quick form, totals, or void."""

    entry: dict[str, Any] = Field(
        description="`{form: total, points: [..]}`, `{form: quick, sides: [..]}`, `{form: table, sides: [..]}` (sides "
        "of `/v1/scores`), `{form: sheet, sheet: ..}` (quick text) or `{form: void}`.",
        examples=[{"form": "total", "points": [365, -5]}],
    )
    version: Whole | None = Field(default=None, ge=0, description="The version that the caller saw.")


class UndoWrite(_Shape):
    """What to take back."""

    event: Whole | None = Field(default=None, ge=1, description="The event's number; absent: the last one in force.")
    version: Whole | None = Field(default=None, ge=0, description="The version that the caller saw.")


class EventWrite(_Shape):
    """A change that is no deal."""

    kind: Literal["note", "target", "close", "reopen"] = Field(description="What it is.")
    text: str | None = Field(default=None, description="The note.", max_length=MAX_TEXT)
    target: Whole | None = Field(default=None, ge=5, le=100_000, description="The new target, in points.")
    version: Whole | None = Field(default=None, ge=0, description="The version that the caller saw.")

    def payload(self) -> dict[str, Any]:
        """As data for the match book."""
        if self.kind == "note":
            return {"text": self.text or ""}
        return {"target": self.target} if self.kind == "target" else {}


class MatchDeal(BaseModel):
    """A deal of the match as it stands now."""

    number: int = Field(description="Its number, from 1; never changes.")
    event: int = Field(description="The event that added it.")
    state: Literal["counted", "after_end", "withdrawn", "undone"] = Field(description="Whether it counts.")
    amended: bool = Field(description="Whether it was corrected.")
    void: bool = Field(description="Whether it counts for nobody.")
    points: list[int] = Field(description="Points of each side.")
    running: list[int] = Field(description="Totals of each side after it; empty when it does not count.")
    form: str | None = Field(description="The form of its entry.")
    faults: list[str] = Field(description="Codes of what was wrong on its table.")
    entry: dict[str, Any] | None = Field(default=None, description="Its own data, where asked for.")


class MatchView(BaseModel):
    """A match: everything but its rules and names is derived from its deals."""

    id: str = Field(description="The id.")
    name: str = Field(description="Its name, as typed.")
    version: int = Field(description="Its version: name it when you write.")
    rules: dict[str, Any] = Field(description="`id`, `version`, `options`.")
    rules_changed: bool = Field(description="Whether the rule set has a newer version than the match began with.")
    sides: list[MatchSide] = Field(description="The sides.")
    target: int | None = Field(description="The target in points; null in a match by number of deals.")
    length: int | None = Field(description="The number of deals, if that ends the match.")
    vp: str | None = Field(description="The Victory Points table, if any.")
    totals: list[int] = Field(description="Points of each side.")
    leaders: list[int] = Field(description="Who leads: numbers of sides, from 0.")
    missing: list[int] = Field(description="Points to the target, for each side.")
    finished: bool = Field(description="Whether the match is over.")
    closed: bool = Field(description="Whether it was closed by hand.")
    winners: list[int] = Field(description="Who won by the rules: numbers of sides, from 0.")
    victory: list[int] | None = Field(description="Victory Points of both sides, when it is over.")
    dealer: dict[str, Any] = Field(description="Who deals next: `seat` from 0, `side`, `player` if named.")
    deal_count: int = Field(description="How many deals there are, on all pages.")
    played: int = Field(description="Deals that count and are not void: those that `length` is about.")
    deals: list[MatchDeal] = Field(
        description="The deals of this page, in order; what a write or the stream answers holds the last 200."
    )
    notes: list[dict[str, Any]] = Field(description="Notes: `event`, `text`.")
    created_at: str = Field(description="UTC, ISO 8601.")
    updated_at: str = Field(description="UTC, ISO 8601.")


class CreatedMatch(BaseModel):
    """A new match with its tokens."""

    id: str = Field(description="The id; it cannot be guessed.")
    view_token: str = Field(description="Lets one follow the match.")
    edit_token: str = Field(description="Lets one write; shown only now.")
    match: MatchView = Field(description="The match.")


class SideStats(BaseModel):
    """Statistics of a side, over the deals that count."""

    side: str = Field(description="Its name.")
    deals: int = Field(description="Deals that count.")
    won: int = Field(description="Deals with the most points.")
    best: int = Field(description="Its best deal, in points.")
    worst: int = Field(description="Its worst deal, in points.")
    average: float = Field(description="Points a deal.")
    burrachi: dict[str, int] = Field(description="Burrachi by type, where the deals tell.")
    closings: int = Field(description="Deals that it closed.")
    pots_missed: int = Field(description="Pots not taken or never played.")
