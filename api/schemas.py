"""The shapes of design 3.3 as documented models: they describe requests and answers in the OpenAPI document.

`scorer.contract` reads the requests and builds the answers; the tests hold these models to what it does.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Lang = Literal["en", "it"]
BurracoType = Literal["clean", "semi", "dirty", "full_clean", "full_dirty", "ace_to_ace", "super_clean", "super_dirty"]
OptionScalar = bool | int | str | None
CardText = Annotated[
    str,
    Field(description="One card in canonical notation: `7h`, `10d`, `As`, `JK`; `?`, `9?`, `?h` where doubtful.",
          examples=["7h"]),
]  # fmt: skip
Points = Annotated[int, Field(description="Points.")]


class Shape(BaseModel):
    """Base of the request models: an unknown key is refused."""

    model_config = ConfigDict(extra="forbid")


RulesId = Annotated[
    str | None,
    Field(description="Rule set id, see `GET /v1/rules`; null or absent: the default one.", examples=["vanikar"]),
]
Options = Annotated[
    dict[str, OptionScalar | list[str] | list[int]] | None,
    Field(description="Options that change the rule set, by key; see the keys of `GET /v1/rules/{id}`.",
          examples=[{"semi_position": "end_only"}]),
]  # fmt: skip
LangField = Annotated[
    Lang | None,
    Field(description="Language of the notation (suit letters, words), and of the sentences in the answer unless "
          "`Accept-Language` names one."),
]  # fmt: skip


class MeldRequest(Shape):
    """One meld to judge."""

    cards: str | list[str] = Field(
        description="The cards, separated by spaces or commas, in any order; shorthands `4h-10h`, `7:hdsc`; a wild "
        "may be bound: `2s=7h`. At most 14 cards make a meld.",
        examples=["4h 5h 6h 2s 8h 9h 10h"],
    )
    rules: RulesId = None
    options: Options = None
    lang: LangField = "en"


class SideRequest(Shape):
    """One side of the table at the end of a deal."""

    name: str = Field(default="A", description="Unique on the table; A, B, C... when absent.", min_length=1,
                      max_length=80)  # fmt: skip
    players: list[Annotated[str, Field(min_length=1, max_length=80)]] | None = Field(
        default=None, description="Names of the players of this side.", max_length=8
    )
    melds: list[str | list[str]] | None = Field(
        default=None, description="The melds on the table, each as in `MeldRequest.cards`.", max_length=60
    )
    hand: str | list[str] | None = Field(
        default="", description="Cards left in hand: one text for the side, or one for each player, in order.",
        examples=["5c 9d"],
    )  # fmt: skip
    closed: bool = Field(default=False, description="Whether this side went out.")
    closed_by: str | None = Field(default=None, description="The player who went out.", max_length=80)
    pozzetto: Literal["played", "unplayed", "not_taken"] | None = Field(
        default=None,
        description="The pot: taken and played from, taken and never played from, not taken; null: not stated.",
    )
    pozzetto_cards: str | list[str] | None = Field(
        default=None, description="The cards of a pot that is `unplayed`; only then."
    )


class ScoreRequest(Shape):
    """A whole table to score."""

    sides: list[SideRequest] = Field(description="The sides, in seating order.", min_length=1, max_length=8)
    rules: RulesId = None
    options: Options = None
    lang: LangField = "en"


class RuleChoice(Shape):
    """One rule set of a comparison."""

    rules: RulesId = None
    options: Options = None


class CompareRequest(Shape):
    """One table to score under several rule sets."""

    sides: list[SideRequest] = Field(description="The sides, in seating order.", min_length=1, max_length=8)
    under: list[str | RuleChoice] | None = Field(
        default=None, max_length=24,
        description="The rule sets to compare: ids, or `{rules, options}`; null or absent: every shipped one.",
    )  # fmt: skip
    lang: LangField = "en"


class HouseRulesRequest(Shape):
    """House rules to check: a TOML file, or a rule set with options."""

    toml: str | None = Field(default=None, description="The text of a rules file.", max_length=100_000)
    rules: RulesId = None
    options: dict[str, Any] | None = Field(
        default=None, description="Options by key; one that is unknown or ill-typed is told as `error`."
    )
    lang: LangField = "en"


# --- answers ---------------------------------------------------------------------------------------------------------


class RulesUsed(BaseModel):
    """Which rules decided."""

    id: str = Field(description="Rule set id.")
    version: int = Field(description="Version of the rule set; it rises when a value changes.", ge=1)
    options: dict[str, Any] = Field(description="The options that were set, by key.")


class SlotShape(BaseModel):
    """One card of a reading."""

    card: CardText
    stands_for: str = Field(description="The card it stands for; in a set a wild stands for the partial card `7?`.")
    wild: bool = Field(description="Whether it stands for another card.")


class ReadingShape(BaseModel):
    """Another legal reading of the same cards."""

    kind: Literal["run", "set"] = Field(description="A run (one suit, ranks in order) or a set (one rank).")
    type: BurracoType | None = Field(description="Burraco type; null below seven cards.")
    doubled: bool = Field(description="Whether trump multiplies the bonus.")
    bonus: int = Field(description="Burraco bonus, in points.", ge=0)
    cards: list[CardText] = Field(description="The cards in the order of the reading.")
    slots: list[SlotShape] = Field(description="The slots from low to high.")


class Fault(BaseModel):
    """A violation of the rules, or a notice of something that breaks none."""

    code: str = Field(description="Stable code.", examples=["too_many_wilds"])
    message: str = Field(description="A sentence in the language asked for.")
    cards: list[CardText] = Field(description="The cards it is about.")
    rule: str = Field(description="Key of the option that decided; empty where none did.")
    source: str = Field(description="The words the rule rests on; begins with `assumption:` where no text settles it.")
    params: dict[str, Any] = Field(description="The facts in the sentence, by name.")


class MeldVerdictShape(BaseModel):
    """The verdict about one meld."""

    cards: list[CardText] = Field(description="The cards in the order of the best reading; as given when illegal.")
    legal: bool = Field(description="Whether the rules allow this meld.")
    kind: Literal["run", "set"] | None = Field(description="Run or set; null when illegal.")
    type: BurracoType | None = Field(description="Burraco type; null below seven cards.")
    doubled: bool = Field(description="Whether trump multiplied the bonus.")
    card_points: int = Field(description="Sum of the cards' own values, in points.", ge=0)
    bonus: int = Field(description="Burraco bonus, in points; 0 when illegal.", ge=0)
    total: int = Field(description="`card_points` + `bonus`, in points.", ge=0)
    slots: list[SlotShape] = Field(description="The best reading, low to high; empty when illegal.")
    readings: list[ReadingShape] = Field(description="The other legal readings, best first.")
    violations: list[Fault] = Field(description="Every breach of the rules; empty when legal.")
    notices: list[Fault] = Field(description="What is worth knowing and breaks no rule, such as a disputed point.")


class MeldResult(MeldVerdictShape):
    """The answer about one meld."""

    rules: RulesUsed


class ScoreShape(BaseModel):
    """A side's points by kind; the five sum to `total`."""

    card_points: int = Field(description="Cards on the table, in points.", ge=0)
    burraco_bonus: int = Field(description="Burraco bonuses, in points.", ge=0)
    closing: int = Field(description="For going out, in points.", ge=0)
    hand: int = Field(description="Cards left in hand, in points, zero or negative.", le=0)
    pozzetto: int = Field(description="For a pot not taken or not played, in points, zero or negative.", le=0)
    total: int = Field(description="The sum, in points; may be negative.")


class LineShape(BaseModel):
    """One line of a side's sheet."""

    code: str = Field(description="Stable code.", examples=["burraco"])
    label: str = Field(description="What the points are for, in the language asked for.")
    points: Points
    cards: list[CardText] = Field(description="The cards that were counted.")
    rule: str = Field(description="Key of the option, or the section of the rule set, that decided.")
    source: str = Field(description="The words the rule rests on.")
    meld: int = Field(default=0, description="Number of the meld, from 1; absent where it is about none.", ge=0)


class SideResult(BaseModel):
    """One side's verdicts, sums and lines."""

    name: str = Field(description="Name of the side.")
    melds: list[MeldVerdictShape] = Field(description="A verdict for each meld, in the order given.")
    score: ScoreShape
    lines: list[LineShape] = Field(description="Where each point comes from; the lines sum to `score.total`.")


class ScoreResult(BaseModel):
    """The score of a deal."""

    rules: RulesUsed
    void: bool = Field(description="The deal counts for nobody and is played again; all sums are 0.")
    legal: bool = Field(description="Whether nothing on the table breaks the rules.")
    sides: list[SideResult] = Field(description="The sides, in the order given.")
    violations: list[Fault] = Field(description="Every breach of the rules.")
    notices: list[Fault] = Field(description="What is worth knowing and breaks no rule.")


class ErrorBody(BaseModel):
    """What could not be read, and where."""

    code: str = Field(description="Stable code, the same as the command's.", examples=["unknown_suit"])
    message: str = Field(description="One sentence in the language asked for.")
    column: int | None = Field(description="Column of `token` in its text, from 1; null where there is no text.")
    token: str | None = Field(description="The piece of text that could not be read.")
    line: int | None = Field(default=None, description="Line of `token`, from 1.")
    expected: str | None = Field(default=None, description="What could stand there.")
    suggestion: str | None = Field(default=None, description="What was probably meant.")
    path: str | None = Field(default=None, description="Where in the request the text stands: `sides[0].melds[2]`.")
    errors: list[dict[str, Any]] | None = Field(default=None, description="All errors, when there are several.")


class ItemError(BaseModel):
    """The answer to an item of a batch that could not be read."""

    error: ErrorBody


class Problem(BaseModel):
    """RFC 9457 problem document. Members that do not apply are absent."""

    type: str = Field(description="`urn:burraco:problem:` and the code.")
    title: str = Field(description="The status in words.")
    status: int = Field(description="HTTP status.", ge=400, le=599)
    detail: str = Field(description="One sentence, in Italian or English by `Accept-Language`.")
    code: str = Field(description="Stable code, the same as the command's.")
    column: int | None = Field(default=None, description="Column of `token` in its text, from 1.")
    token: str | None = Field(default=None, description="The piece of text that could not be read.")
    line: int | None = Field(default=None, description="Line of `token`, from 1.")
    expected: str | None = Field(default=None, description="What could stand there.")
    suggestion: str | None = Field(default=None, description="What was probably meant.")
    path: str | None = Field(default=None, description="Where in the request the fault is: `sides[0].melds[2]`.")
    errors: list[dict[str, Any]] | None = Field(default=None, description="All faults, when there are several.")


class Differs(BaseModel):
    """One figure that comes out differently."""

    side: str | None = Field(description="Name of the side; null for the whole deal.")
    meld: int | None = Field(description="Number of the meld, from 1; null for a figure of the side or the deal.")
    what: str = Field(description="The figure: `type`, `card_points`, `bonus`, `total`, `legal`, ...")
    values: list[str] = Field(description="Its value under each rule set, in order.")


class CompareResult(BaseModel):
    """One table under several rule sets."""

    compare: list[str] = Field(description="The rule sets, in the order asked for.")
    results: list[ScoreResult] = Field(description="One score for each rule set.")
    differences: list[Differs] = Field(description="What does not come out the same under all of them.")


class ImageSize(BaseModel):
    """The upright picture (EXIF applied)."""

    width: int = Field(description="Pixels.", ge=1)
    height: int = Field(description="Pixels.", ge=1)


class PhotoImage(ImageSize):
    """One of the pictures that were sent."""

    name: str = Field(description="What it is called in messages.")
    cards: int = Field(description="Cards found on it.", ge=0)


Box = Annotated[
    list[float],
    Field(description="x, y, width, height in pixels of the upright picture.", min_length=4, max_length=4),
]


class PhotoCard(BaseModel):
    """One card found on a photo."""

    card: CardText
    confidence: float = Field(description="Probability that it is this card.", ge=0, le=1)
    box: Box
    quad: list[list[float]] = Field(description="Its outline: four corners, x and y in pixels of the upright picture.")
    meld: int | None = Field(description="Index into `melds`, from 0; null where it lies in none.")
    seen: str = Field(description="What it looks most like by itself.")
    changed: str | None = Field(description="Why `card` is not what was seen; null where it is.")
    photo: int = Field(description="Index of the picture it is on, from 0.", ge=0)


class PhotoMeld(MeldVerdictShape):
    """A meld found on a photo, with its verdict."""

    side: str = Field(description="Name of the side it belongs to.")
    confidence: float = Field(description="Probability that all its cards are read right.", ge=0, le=1)
    layout: str = Field(description="How it lies: column, row, stairs, fan, pile.")
    photo: int = Field(description="Index of the picture it is on, from 0.", ge=0)
    changes: list[str] = Field(description="What was changed from what was seen, in words.")


class PhotoHand(BaseModel):
    """Cards left in a hand."""

    side: str = Field(description="Name of the side it belongs to.")
    cards: list[CardText] = Field(description="The cards.")


class DoubtChoice(BaseModel):
    """One answer to a doubt."""

    value: str = Field(description="The answer as data.")
    text: str = Field(description="The answer in words.")
    probability: float = Field(description="How probable it is.", ge=0, le=1)
    points: int = Field(description="What the table is worth with it, in points.")
    meld: int | None = Field(default=None, description="Index into `melds` of the place it is about; null: no meld.")
    place: int | None = Field(default=None, description="Which place of a question with several, from 0; null: all.")
    boxes: list[Box] = Field(default=[], description="Where to look for that place.")


class Doubt(BaseModel):
    """A question that a person should answer; the one that matters most comes first."""

    question: str = Field(description="The question with its answers and its stake, in the language asked for.")
    heading: str = Field(default="", description="The question alone, to stand above buttons with the answers.")
    cards: list[str] = Field(description="The cards it is about, or could be.")
    points_at_stake: int = Field(description="Points between the answers.", ge=0)
    kind: str = Field(description="What is in doubt: a card, a hidden card, the role of a group, the sides.")
    meld: int | None = Field(description="Index into `melds`, from 0; null where it is about none.")
    boxes: list[Box] = Field(description="Where to look.")
    photo: int = Field(description="Index of the picture, from 0.", ge=0)
    choices: list[DoubtChoice] = Field(description="The answers, most probable first.")


class SidePoints(BaseModel):
    """What one side's melds are worth, by the doubts, in points."""

    name: str = Field(description="Name of the side.")
    low: int = Field(description="Least, in points.")
    best: int = Field(description="As read, in points.")
    high: int = Field(description="Most, in points.")


class PointsRange(BaseModel):
    """What the table is worth, by the doubts, in points."""

    low: int = Field(description="Least, in points.")
    best: int = Field(description="As read, in points.")
    high: int = Field(description="Most, in points.")
    sides: list[SidePoints] = Field(default=[], description="The same for each side.")


class PhotoNotice(BaseModel):
    """What the reader could not do well, or what is worth knowing of the table."""

    code: str = Field(description="Stable code.")
    message: str = Field(description="A sentence in the language asked for: what to change or to mind.")


class Drawn(BaseModel):
    """The picture with what was read drawn on it."""

    media_type: str = Field(description="`image/jpeg`.")
    base64: str = Field(description="The picture.")


class PhotoResult(BaseModel):
    """What the photos show."""

    image: ImageSize
    images: list[PhotoImage] = Field(default=[], description="All the pictures, in the order sent.")
    rules: RulesUsed | None = Field(default=None, description="Which rules decided.")
    cards: list[PhotoCard] = Field(description="Every card found.")
    melds: list[PhotoMeld] = Field(description="The melds, with their verdicts.")
    hands: list[PhotoHand] = Field(description="Hands left face up.")
    other: list[CardText] = Field(description="Face-up cards that are neither, such as the discard pile.")
    sheet: str = Field(description="The table as quick text, ready for `burraco score`.")
    doubts: list[Doubt] = Field(description="What should be asked, what an answer puts right most first.")
    points: PointsRange
    legal: bool = Field(default=True, description="Whether nothing that was read breaks the rules.")
    violations: list[Fault] = Field(default=[], description="Every breach of the rules.")
    notices: list[PhotoNotice] = Field(description="What to change or to mind.")
    annotated: Drawn | None = Field(default=None, description="Only with `annotate=true`.")


class RuleValue(BaseModel):
    """One value of a rule set."""

    key: str = Field(description="Option key.")
    section: str = Field(description="Section of the rule set.")
    value: Any = Field(description="The effective value: a number (points or cards), a word, true or false, a list, "
                       "or null for a type that does not exist.")  # fmt: skip
    source: str = Field(description="The words it rests on.")
    origin: Literal["own", "inherited", "option", "house"] = Field(description="Where the value comes from.")
    assumption: bool = Field(description="Whether no text settles it.")


class RuleSummary(BaseModel):
    """One rule set of the list."""

    id: str = Field(description="Rule set id.")
    name: dict[Lang, str] = Field(description="Its name in Italian and English.")
    version: int = Field(description="Rises when a value changes.", ge=1)
    extends: str = Field(description="The rule set it builds on; empty for none.")
    default: bool = Field(description="Whether it is the one taken when none is named.")
    values: int = Field(description="How many values it has.", ge=1)
    assumptions: int = Field(description="How many of them no text settles.", ge=0)


class RuleSet(RuleSummary):
    """A whole rule set with effective values and sources."""

    options: dict[str, Any] = Field(description="The options that were set.")
    rules: list[RuleValue] = Field(description="Every value, in the order of the sections.")


class OptionShape(BaseModel):
    """An option key and what it may be."""

    key: str = Field(description="Option key.")
    section: str = Field(description="Section of the rule set.")
    kind: Literal["bool", "int", "points", "choice", "ranks", "players"] = Field(description="Kind of value.")
    choices: list[str] = Field(description="The words allowed, for a choice.")
    low: int = Field(description="Least number, for a number.")
    high: int = Field(description="Greatest number, for a number.")
    allowed: str = Field(description="The allowed values in words.")


class RulesList(BaseModel):
    """The rule sets and the options they all understand."""

    rules: list[RuleSummary] = Field(description="The rule sets, the default one first.")
    options: list[OptionShape] = Field(description="The options that every rule set understands.")


class RuleChange(BaseModel):
    """One value on which two rule sets differ."""

    key: str = Field(description="Option key.")
    left: RuleValue
    right: RuleValue


class HouseRulesResult(BaseModel):
    """What became of house rules."""

    good: bool = Field(description="Whether they can be used.")
    error: ErrorBody | None = Field(description="Why not.")
    rules: RuleSet | None = Field(description="The effective rule set.")
    changes: list[RuleChange] = Field(description="What differs from the rule set they build on.")
    without_source: list[str] = Field(description="Keys of values that name no source.")
