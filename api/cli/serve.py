"""`burraco serve`: the HTTP API and the web page, from settings in the environment and on the command line."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from api.settings import Settings
from scorer.errors import BurracoError
from scorer.messages import LANGS, text


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; 0.0.0.0 opens the server to others.")] = None,
    port: Annotated[int | None, typer.Option(help="TCP port; 0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(help="Server processes.")] = None,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print every setting as JSON, secrets hidden, and stop.")
    ] = False,
    lang: Annotated[str, typer.Option(help="Language of the warnings: it or en.")] = "en",
) -> None:
    """Serve the HTTP API and the web page.

    Settings come from BURRACO_* environment variables; the options here go before them. Bound to this machine unless
    told otherwise.
    """
    if lang not in LANGS:
        raise BurracoError(
            text("bad_value", "en", path="--lang", value=lang, allowed="it, en"), code="bad_value",
            path="--lang", value=lang, allowed="it, en",
        )  # fmt: skip
    settings = read_settings(host=host, port=port, workers=workers)
    if show_settings:
        typer.echo(json.dumps(settings.shown(), indent=2, ensure_ascii=False))
        return
    for code in settings.warnings():
        typer.echo(text("warning", lang, message=text(code, lang)), err=True)
    typer.echo(text("serving", lang, host=settings.host, port=settings.port), err=True)
    from api.server import run  # only a server that starts needs all of it

    run(settings)


def read_settings(**stated: Any) -> Settings:
    """The settings, the stated ones first; BurracoError in one line for a value that cannot be."""
    try:
        return Settings(**{key: value for key, value in stated.items() if value is not None})
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        name = "BURRACO_" + ".".join(str(step) for step in fault["loc"]).upper()
        raise BurracoError(
            text("bad_setting", "en", name=name, reason=fault["msg"]), code="bad_setting",
            name=name, reason=str(fault["msg"]),
        ) from None  # fmt: skip
