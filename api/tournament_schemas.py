"""The shapes of tournaments, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict

from api.match_schemas import Whole

Pair = list[int]


class TournamentCreate(BaseModel):
    """What a tournament is."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(default="", description="What to call it.", max_length=60)
    movement: Literal["mitchell", "danese", "danese_modified", "round_robin"] = Field(
        default="mitchell", description="Who meets whom."
    )
    rounds: Whole = Field(default=4, ge=1, le=60, description="Rounds to play.")
    vp: str = Field(default="deals-3", description="The Victory Points table.", max_length=40)
    vp_text: str = Field(default="", description="A table of your own, as TOML.", max_length=20_000)
    individuals: Annotated[bool, Strict()] = Field(
        default=False, description="Single players, with new partners each round."
    )
    rules: str = Field(default="fibur", description="The rule set played.", max_length=40)
    options: dict[str, Any] = Field(default={}, description="Options of the rule set.")
    bye_vp: Whole = Field(default=12, ge=0, le=20, description="Victory Points for sitting out.")
    entries_csv: str = Field(default="", description="Entries, one a row, names in columns.", max_length=100_000)


class TournamentWrite(BaseModel):
    """An event; which fields it needs depends on `kind`."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["entry", "withdraw", "round", "result", "close", "undo"] = Field(description="What it is.")
    players: list[str] | None = Field(default=None, description="`entry`: the names.", max_length=2)
    entry: Whole | None = Field(default=None, ge=1, description="`withdraw`: the number of the entry.")
    round: Whole | None = Field(default=None, ge=1, description="`result`: the round, from 1.")
    table: Whole | None = Field(default=None, ge=1, description="`result`: the table.")
    mp: Pair | None = Field(default=None, description="`result`: Match Points of both lines.", max_length=2)
    vp: Pair | None = Field(default=None, description="`result`: Victory Points set by hand.", max_length=2)
    event: Whole | None = Field(default=None, ge=1, description="`undo`: the event; absent: the last one in force.")
    version: Whole | None = Field(default=None, ge=0, description="The version that the caller saw.")

    def payload(self) -> dict[str, Any]:
        """As data for the desk."""
        keys = {"entry": ("players",), "withdraw": ("entry",), "result": ("round", "table", "mp", "vp"),
                "undo": ("event",)}.get(self.kind, ())  # fmt: skip
        found = {key: getattr(self, key) for key in keys}
        return {key: value for key, value in found.items() if value is not None}


class TournamentTable(BaseModel):
    """A table of a round."""

    table: int = Field(description="Its number; 0 for who sits out.")
    ns: list[int] = Field(description="Entries north-south.")
    ew: list[int] = Field(description="Entries east-west; empty: north-south sits out.")
    ns_names: list[str] = Field(description="Their names.")
    ew_names: list[str] = Field(description="Their names.")
    mp: Pair | None = Field(description="Match Points.")
    vp: Pair | None = Field(description="Victory Points.")
    adjusted: bool = Field(description="Whether the director set the Victory Points.")
    bye: bool = Field(description="Whether this is a sit-out.")


class TournamentPlace(BaseModel):
    """A line of the ranking."""

    place: int = Field(description="Equal entries share it.")
    number: int = Field(description="The entry.")
    vp: int = Field(description="Victory Points.")
    margin: int = Field(description="Match Points won less lost.")
    mp: int = Field(description="Match Points won.")
    played: int = Field(description="Tables played.")
    players: list[str] = Field(description="Names.")


class TournamentView(BaseModel):
    """A tournament; every ranking is derived from its events."""

    id: str = Field(description="The id.")
    name: str = Field(description="Its name.")
    version: int = Field(description="Its version: name it when you write.")
    movement: str = Field(description="Who meets whom.")
    rounds_planned: int = Field(description="Rounds to play.")
    vp: str = Field(description="The Victory Points table.")
    bye_vp: int = Field(description="Victory Points for sitting out.")
    individuals: bool = Field(description="Whether single players are ranked.")
    rules: str = Field(description="The rule set.")
    finished: bool = Field(description="Whether it is over.")
    closed: bool = Field(description="Whether the director closed it.")
    entries: list[dict[str, Any]] = Field(description="`number`, `players`, `withdrawn`, `from_round`.")
    rounds: list[list[TournamentTable]] = Field(description="The rounds as drawn, with results.")
    ranking: list[TournamentPlace] = Field(description="Best first.")
    updated_at: str = Field(description="UTC, ISO 8601.")


class CreatedTournament(BaseModel):
    """A new tournament with its tokens."""

    id: str = Field(description="The id; it cannot be guessed.")
    view_token: str = Field(description="Lets one follow.")
    edit_token: str = Field(description="Lets one write; shown only now.")
    tournament: TournamentView = Field(description="The tournament.")
