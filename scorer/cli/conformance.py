"""`burraco conformance`: the project's cases, put to this library or to any other engine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from scorer.cli.common import JsonFlag, LangCode, choice, say, say_json, tone
from scorer.conformance import FORMAT, Case, cases, faults, own_answer
from scorer.contract import error_json, refuse
from scorer.errors import BurracoError
from scorer.messages import text

#: Wrong cases that are named one by one; `--json` names them all.
SHOWN = 30


def conformance(
    engine: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND...]", help="An engine: a request a line in, a JSON answer a line out."),
    ] = None,
    rules: Annotated[str | None, typer.Option("--rules", metavar="ID", help="Only the cases of one rule set.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="CASE", help="Only this case; may be repeated.")
    ] = None,
    requests: Annotated[bool, typer.Option("--requests", help="Print the requests and stop.")] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Be the engine: answer requests from stdin.")] = False,
    timeout: Annotated[int, typer.Option("--timeout", metavar="S", help="Seconds for the whole run.")] = 120,
    as_json: JsonFlag = False,
    lang: LangCode = None,
) -> int:
    """Compare an engine with the project's cases: exit 0 when it agrees with all of them, 1 when not."""
    tongue = choice(None, None, None, lang).lang or "en"
    if answer:
        return _answer()
    if not 1 <= timeout <= 86_400:
        raise refuse("bad_number", what="--timeout", low=1, high=86_400, given=timeout)
    chosen = _chosen(rules, only or [])
    if requests:
        say(*[case.line for case in chosen])
        return 0
    answers = _asked(engine, chosen, timeout) if engine else _own(chosen)
    wrong = {case.ident: found for case, given in zip(chosen, answers, strict=True) if (found := _faults(case, given))}
    if as_json:
        say_json({
            "format": FORMAT, "engine": list(engine or []), "cases": len(chosen), "right": len(chosen) - len(wrong),
            "wrong": [{"id": c.ident, "about": c.about, "faults": wrong[c.ident]} for c in chosen if c.ident in wrong],
        })  # fmt: skip
    else:
        _show(chosen, wrong, tongue)
    return 1 if wrong else 0


def _chosen(rules: str | None, only: Sequence[str]) -> list[Case]:
    found = [case for case in cases() if rules is None or case.request["rules"] == rules]
    known = {case.ident for case in found}
    for ident in only:
        if ident not in known:
            raise refuse("conformance.no_case", case=ident[:40])
    if not found:
        raise refuse("conformance.no_case", case=(rules or "")[:40])
    return [case for case in found if not only or case.ident in only]


def _own(chosen: Sequence[Case]) -> Iterator[Any]:
    for case in chosen:
        try:
            yield own_answer(case.request)
        except BurracoError as error:
            yield error_json(error)


def _asked(engine: Sequence[str], chosen: Sequence[Case], timeout: int) -> list[Any]:
    """The answers of another engine; its standard error is left alone. An answer that is missing is an empty line."""
    words = "".join(case.line + "\n" for case in chosen)
    try:
        done = subprocess.run(engine, input=words.encode(), stdout=subprocess.PIPE, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise refuse("conformance.too_slow", seconds=timeout) from None
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise refuse("conformance.no_engine", command=engine[0][:80], detail=detail) from None
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    if len(lines) > len(chosen):
        raise refuse("conformance.many_answers", answers=len(lines), cases=len(chosen))
    return lines + [""] * (len(chosen) - len(lines))


def _faults(case: Case, given: Any) -> list[str]:
    if not isinstance(given, str):
        return faults(case, given)
    if not given.strip():
        return ["no answer"]
    try:
        data = json.loads(given)
    except (ValueError, RecursionError):
        return ["the answer is no JSON"]
    if isinstance(data, dict) and data.get("id", case.ident) != case.ident:
        return [f"the answer is to another case ({str(data['id'])[:40]})"]
    return faults(case, data)


def _show(chosen: Sequence[Case], wrong: dict[str, list[str]], lang: str) -> None:
    for case in [case for case in chosen if case.ident in wrong][:SHOWN]:
        say(tone(f"{case.ident}", "bad") + f"  {case.request['rules']}: {case.about}")
        say(*[f"    {fault}" for fault in wrong[case.ident]])
    if len(wrong) > SHOWN:
        say(text("conformance.more", lang, count=len(wrong) - SHOWN))
    say(tone(
        text("conformance.summary", lang, right=len(chosen) - len(wrong), count=len(chosen), format=FORMAT),
        "bad" if wrong else "good",
    ))  # fmt: skip


def _answer() -> int:
    """Answer each request of the standard input as it comes; 2 when one could not be read."""
    if sys.stdin is None:
        raise refuse("empty_input", name="stdin")
    worst = 0
    for line in sys.stdin.buffer:
        try:
            data = json.loads(line)
            if not isinstance(data, dict):
                raise refuse("bad_json", detail="not an object")
            made = own_answer(data)
            say_json({"id": data["id"], **made} if "id" in data else made)
        except BurracoError as error:
            worst = 2
            say_json(error_json(error))
        except (ValueError, RecursionError) as error:
            worst = 2
            say_json(error_json(refuse("bad_json", detail=str(error)[:80])))
    return worst
