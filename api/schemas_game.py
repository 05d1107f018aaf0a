"""The shapes of moves and games, as documented models (see `api.schemas`)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from api.schemas import CardText, Fault, LangField, Options, RulesId, RulesUsed, ScoreResult, Shape, SlotShape

Pot = Literal["not_taken", "unplayed", "played"]
ActionKind = Literal["draw", "take", "lay", "add", "discard"]


class MoveRequest(Shape):
    """A table as one player sees it, and what he wants to do."""

    action: str = Field(
        description="What to do: `draw`, `take`, `take 3`, `lay 5h 6h JK=7h`, `add N1 + 8h`, `discard Kh`. Melds are "
        "called N1, N2 (yours) and E1, E2 (theirs), in the order given.",
        examples=["add N1 + 10c"], min_length=1, max_length=2000,
    )  # fmt: skip
    hand: str | list[str] = Field(default="", description="Your hand.", examples=["10c 4d 5d"])
    mine: str | list[str] = Field(default=[], description="The melds of your side.", examples=[["6c JK 8c"]])
    others: str | list[str] = Field(default=[], description="The melds of the other side.")
    pile: str | list[str] = Field(default="", description="The discard pile, the top card last.")
    stock: int = Field(default=40, description="Cards in the stock.", ge=0, le=108)
    pot: Pot = Field(default="not_taken", description="Your side's pot.")
    others_pot: Pot = Field(default="not_taken", description="The other side's pot.")
    pots_left: int | None = Field(default=None, description="Pots still on the table.", ge=0, le=4)
    players: int | None = Field(default=None, description="Players at the table.", ge=2, le=4)
    drawn: bool = Field(default=True, description="Whether you have drawn already in this turn.")
    barred: str | None = Field(default=None, description="A card that may not be discarded in this turn.")
    rules: RulesId = None
    options: Options = None
    lang: LangField = "en"


class ActionShape(BaseModel):
    """One action."""

    kind: ActionKind = Field(description="What is done.")
    text: str = Field(description="The action in canonical words; send it back to do it.")
    cards: list[CardText] = Field(description="The cards of the action.")
    meld: str | None = Field(description="The meld that is added to.")
    depth: int = Field(description="Cards taken from the pile; 0 for the whole of it.", ge=0)


class TableMeld(BaseModel):
    """A meld on the table."""

    name: str = Field(description="How it is called: N1, N2, E1...")
    side: str = Field(description="Whose it is.")
    kind: Literal["run", "set"] = Field(description="A run (one suit) or a set (one rank).")
    type: str | None = Field(description="Burraco type it would pay as; null below seven cards.")
    cards: list[CardText] = Field(description="The cards in the order of the reading.")
    slots: list[SlotShape] = Field(description="The slots from low to high.")


class MoveAfter(BaseModel):
    """The table after a legal action."""

    hand: list[CardText] = Field(description="Your hand.")
    melds: list[TableMeld] = Field(description="The melds on the table.")
    pot: Pot | None = Field(description="Your side's pot; null where there are none.")
    turn_over: bool = Field(description="Whether your turn is over.")
    end: str | None = Field(description="How the deal ended, if it did.")


class MoveResult(BaseModel):
    """The verdict on one action."""

    rules: RulesUsed
    action: ActionShape | None = Field(description="The action as it was understood.")
    legal: bool = Field(description="Whether the rules allow it.")
    violations: list[Fault] = Field(description="Every reason against it.")
    notices: list[Fault] = Field(description="What is worth knowing and breaks no rule.")
    after: MoveAfter | None = Field(description="The table after it; null when it is refused.")


class GameRequest(Shape):
    """A new game of one deal."""

    seats: list[str] = Field(
        default=["human", "casuale"], min_length=2, max_length=4,
        description="Who sits where, in playing order: `human` or the name of a bot (see `GET /v1/bots`); at least one "
        "person. With four, partners sit opposite.",
    )  # fmt: skip
    dealer: int = Field(default=0, description="Seat of the dealer, from 0; the next one begins.", ge=0, le=3)
    seed: str | int | None = Field(
        default=None, description="A seed: the same one gives the same deal and the same bots. Absent: by chance."
    )
    rules: RulesId = None
    options: Options = None
    lang: LangField = "en"


class ActRequest(Shape):
    """One action in a game."""

    action: str = Field(description="An action, as `text` of a legal one.", examples=["draw"], min_length=1,
                        max_length=2000)  # fmt: skip
    version: int = Field(description="The version of the game that you saw; a stale one is refused with 409.", ge=0)
    lang: LangField = "en"


class SideShape(BaseModel):
    """One side of a game."""

    name: str = Field(description="Name of the side.")
    seats: list[str] = Field(description="The letters of its seats.")
    pot: Pot | None = Field(description="What became of its pot; null where there are none.")


class ViewShape(BaseModel):
    """What one seat sees: its own hand, the others' as counts."""

    seat: str = Field(description="This seat's letter.")
    hand: list[CardText] = Field(description="Its cards.")
    hand_counts: dict[str, int] = Field(description="Cards in every hand.")
    known: dict[str, list[CardText]] = Field(description="Cards that everybody knows to be in a hand.")
    seats: list[str] = Field(description="The letters of the seats.")
    dealer: str = Field(description="The letter of the dealer.")
    trump: str = Field(description="The trump suit letter, or `none`.")
    phase: Literal["draw", "lay_taken_card", "play", "over"] = Field(description="What the seat on turn must do.")
    turn: str = Field(description="The seat on turn.")
    turns: int = Field(description="Turns played.", ge=0)
    sides: list[SideShape] = Field(description="The sides and their pots.")
    melds: list[TableMeld] = Field(description="The melds on the table.")
    pile: list[CardText] = Field(description="The discard pile, the top card last.")
    stock: int = Field(description="Cards in the stock.", ge=0)
    pots: int = Field(description="Pots on the table.", ge=0)
    must_lay: CardText | None = Field(description="A card taken that must be laid at once.")
    over: bool = Field(description="Whether the deal is over.")
    end: str | None = Field(description="How the deal ended: close, stock, stall, truncated.")
    closer: str | None = Field(description="The seat that went out.")


class DealResultShape(BaseModel):
    """How a deal ended."""

    end: str = Field(description="How it ended: close, stock, stall, truncated.")
    closer: str | None = Field(description="The seat that went out; null when nobody did.")
    turns: int = Field(description="Turns played.")
    void: bool = Field(description="Whether the deal counts for nobody.")
    points: dict[str, int] = Field(description="Points by seat.")
    score: ScoreResult | None = Field(description="The score sheet; null for a deal that was cut off.")


class GameMove(BaseModel):
    """One move that was made."""

    number: int = Field(description="From 1.", ge=1)
    seat: str = Field(description="The letter of the seat.")
    text: str = Field(description="The move in words; the card drawn is not told.")


class GameState(BaseModel):
    """A game as one seat sees it."""

    id: str = Field(description="Unguessable id.")
    version: int = Field(description="Rises with every change; name it when you act.", ge=0)
    rules: RulesUsed
    players: dict[str, str] = Field(description="Who sits where, by letter: `human` or a bot.")
    your_turn: bool = Field(description="Whether this seat is on turn.")
    view: ViewShape
    moves: list[GameMove] = Field(description="The moves since the number asked for.")
    result: DealResultShape | None = Field(description="Null until the deal is over.")


class GameCreated(BaseModel):
    """A new game."""

    tokens: dict[str, str] = Field(description="The secret token of each person's seat, by letter; shown only here.")
    game: GameState = Field(description="The game as the first person sees it.")


class ActResult(BaseModel):
    """What became of an action."""

    legal: bool = Field(description="False: the rules refuse it and nothing has changed.")
    violations: list[Fault] = Field(description="Every reason against it.")
    game: GameState = Field(description="The game after it and after the bots that follow.")


class LegalActions(BaseModel):
    """What a seat may do now."""

    version: int = Field(description="The version of the game.", ge=0)
    actions: list[ActionShape] = Field(
        description="The shortest lays, single additions and discards; empty when not on turn. Longer lays and "
        "additions are legal too where the rules allow."
    )


class Hint(BaseModel):
    """What a bot would do."""

    bot: str = Field(description="The bot that was asked.")
    action: ActionShape | None = Field(description="Null when the seat is not on turn.")


class Bots(BaseModel):
    """The bots."""

    bots: list[str] = Field(description="Names, weakest first.")
