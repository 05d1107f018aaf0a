"""Which command lives where. Nothing is imported until a command is run, so a small command starts fast.

`target` is `module:attribute`: a function with Typer annotations, or a `typer.Typer` of subcommands. A command whose
module needs packages of an extra names that extra, and says so in one line where they are missing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Final, NamedTuple

from scorer.errors import BurracoError, MissingExtraError
from scorer.messages import text


class Entry(NamedTuple):
    """A command: its name, where it is, one line of help, the extra that it needs (empty: none)."""

    name: str
    target: str
    help: str
    extra: str = ""


COMMANDS: Final = (
    Entry("meld", "scorer.cli.meld:meld", "Judge one meld, or a stream of melds."),
    Entry("score", "scorer.cli.score:score", "Score a deal from a sheet, from JSON, or step by step."),
    Entry("rules", "scorer.cli.rules:app", "List, show, compare and check rule sets."),
    Entry("photo", "vision.cli:photo", "Read a photo of the table.", "vision"),
    Entry("match", "api.cli.match:app", "Keep the running score of a match.", "api"),
    Entry("tournament", "api.cli.tournament:app", "Run a tournament: entries, rounds, ranking.", "api"),
    Entry("play", "scorer.cli.play:play", "Play a match against bots."),
    Entry("arena", "scorer.cli.arena:arena", "Let bots play against each other and rank them."),
    Entry("simulate", "scorer.cli.simulate:simulate", "Play many deals or matches between bots, and count."),
    Entry("replay", "scorer.cli.game:replay", "Replay a recorded deal."),
    Entry("lint", "scorer.cli.game:lint", "Check a record of a deal, move by move."),
    Entry("move", "scorer.cli.game:move", "Judge one change to melds on the table."),
    Entry("serve", "api.cli.serve:serve", "Serve the HTTP API and the web page.", "api"),
    Entry("conformance", "scorer.cli.conformance:conformance", "Run files of cases through the scorer."),
)
BY_NAME: Final = {entry.name: entry for entry in COMMANDS}


def present(entry: Entry) -> bool:
    """Whether the module of a command is part of this installation (it is not imported)."""
    return find_spec(entry.target.partition(":")[0]) is not None


def missing_extra(entry: Entry) -> MissingExtraError:
    """The error that says what to install for a command."""
    params = {"feature": entry.name, "extra": entry.extra}
    return MissingExtraError(text("missing_extra", "en", **params), **params)


def load(entry: Entry) -> object:
    """The function or Typer application of a command; MissingExtraError or BurracoError in one line if it is not here.

    >>> load(BY_NAME["meld"]).__name__
    'meld'
    """
    module, _, attribute = entry.target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if entry.extra and error.name != module:
            raise missing_extra(entry) from None
        if error.name != module:
            raise
    except AttributeError:
        pass
    raise BurracoError(text("not_available", "en", feature=entry.name), code="not_available", feature=entry.name)
