"""`/v1/rules`: the rule sets, their values with sources, and a check of house rules."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from api.answers import answer, lang_of
from api.bodies import json_body
from api.openapi import body_of
from api.problems import Problem, problems
from api.schemas import HouseRulesRequest, HouseRulesResult, RuleSet, RulesList
from scorer.contract import error_body, refuse, stated_rules
from scorer.errors import BurracoError, ProfileError
from scorer.profile import DEFAULT_PROFILE, RuleProfile, load_profile, profile_ids
from scorer.rulebook import check_file, differences, option_data, profile_data, summaries

TAG = {"name": "rules", "description": "The rule sets: every value, with the words it rests on."}
router = APIRouter(prefix="/v1", tags=["rules"])
_MAX_TOML = 100_000


@router.get("/rules", response_model=RulesList, responses=problems())
async def list_rules(request: Request) -> Response:
    """The rule sets, and the options that they all understand."""
    return answer({"rules": [line.data() for line in summaries()], "options": option_data()})


@router.get("/rules/{rules_id}", response_model=RuleSet, responses=problems(404))
async def show_rules(
    request: Request, rules_id: str = Path(description="Rule set id.", examples=["fibur"], max_length=80)
) -> Response:
    """One rule set: every effective value with its source."""
    if rules_id not in profile_ids():
        raise Problem(404, "unknown_rules", rules=rules_id[:80], suggestion="", known=", ".join(profile_ids()))
    return answer(profile_data(load_profile(rules_id), lang=lang_of(request)))


@router.post(
    "/rules:check", response_model=HouseRulesResult, responses=problems(415, 422),
    openapi_extra=body_of(HouseRulesRequest),
)  # fmt: skip
async def check_house_rules(request: Request) -> Response:
    """Check house rules: can they be used, what do they change, what has no source.

    Rules that cannot be used are a 200 with `good: false` and the reason.
    """
    data = await json_body(request)
    lang = lang_of(request, "it" if isinstance(data, dict) and data.get("lang") == "it" else "en")
    return answer(_checked(_house(data), lang))


def _house(data: Any) -> dict[str, Any]:
    known = ("toml", "rules", "options", "lang")
    if not isinstance(data, dict):
        raise refuse("wrong_type", path="the request", expected="an object", found="that")
    for key in data:
        if key not in known:
            raise refuse("unknown_field", path="", key=str(key)[:40], suggestion="", known=", ".join(known))
    if data.get("lang", "en") not in ("en", "it"):
        raise refuse("bad_value", path="lang", value=str(data["lang"])[:40], allowed="en, it")
    toml = data.get("toml")
    if toml is not None and (not isinstance(toml, str) or len(toml) > _MAX_TOML):
        raise refuse("wrong_type", path="toml", expected=f"a text of at most {_MAX_TOML} characters", found="that")
    return data


def _checked(data: dict[str, Any], lang: str) -> dict[str, Any]:
    without: tuple[str, ...] = ()
    try:
        ident, options = stated_rules(data)  # what is stated must be well-formed beside a file too
        if data.get("toml") is not None:
            check = check_file(data["toml"])
            if check.profile is None:
                return _verdict(None, check.fault, (), lang)
            house, without = check.profile, check.without_source
            changes = check.changes
        else:
            base = load_profile(ident or DEFAULT_PROFILE)
            house = base.with_options(options)
            changes = differences(base, house)
    except ProfileError as fault:
        return _verdict(None, fault, (), lang)
    return {**_verdict(house, None, without, lang), "changes": [change.data(lang) for change in changes]}


def _verdict(
    profile: RuleProfile | None, fault: BurracoError | None, without: tuple[str, ...], lang: str
) -> dict[str, Any]:
    return {
        "good": profile is not None,
        "error": error_body(fault, lang) if fault else None,
        "rules": profile_data(profile, lang=lang) if profile else None,
        "changes": [],
        "without_source": list(without),
    }
