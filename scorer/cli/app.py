"""The command tree: a group whose commands are loaded when they are run, not when they are listed."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from scorer.cli.registry import BY_NAME, COMMANDS, Entry, load, present


class _Lazy(TyperCommand):
    """What help and completion see of a command; the command itself is imported when it is to run."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(name=entry.name, help=entry.help, callback=None)
        self._entry = entry

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        real = real_command(self._entry)
        gc.enable()
        return real.make_context(info_name, args, parent=parent, **extra)


class _Group(TyperGroup):
    """The commands of the registry, in its order."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [entry.name for entry in COMMANDS if present(entry)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        entry = BY_NAME.get(cmd_name)
        return _Lazy(entry) if entry else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in BY_NAME:
            import difflib

            near = difflib.get_close_matches(args[0], BY_NAME, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; the commands are: {', '.join(self.list_commands(ctx))}"
            ctx.fail(f"no such command '{args[0][:40]}'{hint}")
        return super().resolve_command(ctx, args)


def real_command(entry: Entry) -> Any:
    """The command of a registry entry, imported now."""
    found = load(entry)
    if isinstance(found, typer.Typer):
        found.info.help = found.info.help or entry.help
        made: Any = typer.main.get_command(found)
    else:
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command(entry.name, help=getattr(found, "__doc__", None) or entry.help)(found)  # type: ignore[type-var]  # loaded
        made = typer.main.get_command(single)
    made.name = entry.name
    return made


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"burraco {version('burraco')}")
        except PackageNotFoundError:
            typer.echo("burraco (not installed)")
        raise typer.Exit


def command(extra_args: Sequence[str] = ()) -> Any:
    """The whole command, ready to run."""
    app = typer.Typer(
        cls=_Group, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Score, check and play burraco. `burraco COMMAND --help` says more.",
    )  # fmt: skip

    @app.callback()
    def _root(
        version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
    ) -> None:
        """Score, check and play burraco. `burraco COMMAND --help` says more."""

    return typer.main.get_command(app)
