"""No value of any rule set is dead and none is hard-coded: changing any leaf changes what the code does.

Every leaf has a probe (`leaf_probes`, `leaf_probes_game`); for every rule set and every other value that the leaf may
take, the probe must answer differently. What the values *are* is pinned in `test_profiles` and the conformance cases.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scorer.errors import ProfileError
from scorer.profile import OPTIONS, OptionValue, load_profile, profile_ids
from scorer.rule_leaves import ALL_RANKS
from tests.scorer.leaf_probes import ENABLE, SCORER_PROBES, Options, Probe
from tests.scorer.leaf_probes_game import GAME_ENABLE, GAME_PROBES, IN_THE_GAME

PROBES: dict[str, Probe] = {**SCORER_PROBES, **GAME_PROBES}


def alternatives(key: str, value: OptionValue) -> Iterator[OptionValue]:
    """Other values for a leaf: the other bool, every other choice, the numbers beside it, one rank more or less."""
    spec = OPTIONS[key]
    if spec.kind == "bool":
        yield not value
    elif spec.kind == "choice":
        yield from (choice for choice in spec.choices if choice != value)
    elif isinstance(value, int) or value is None:
        step = 1 if spec.high <= 26 else 5
        near = (77,) if value is None else (value - step, value + step)
        yield from (number for number in near if spec.low <= number <= spec.high)
        if spec.kind == "points" and value is not None:
            yield None
    elif spec.kind == "ranks":
        yield from (tuple(r for r in value if r != rank) for rank in value if len(value) > 1)
        yield from ((*value, rank) for rank in ALL_RANKS if rank not in value)
    else:
        yield from (players for players in ((2,), (3,), (4,), (2, 3), (2, 4), (3, 4), (2, 3, 4)) if players != value)


def assert_every_change_shows(ident: str, key: str, probe: Probe, enable: Options) -> None:
    """Switch on what the leaf needs to matter at all, then change the leaf in every way."""
    profile = load_profile(ident).with_options(enable)
    before = probe(profile)
    tried = 0
    for value in alternatives(key, profile.get(key)):
        try:
            changed = profile.with_options({key: value})
        except ProfileError as error:
            assert error.code == "contradiction"
            continue
        tried += 1
        assert probe(changed) != before, f"{ident}: {key} = {value!r} does the same as {profile.get(key)!r}"
    assert tried, f"{ident}: no other value of {key} could be tried"


@pytest.mark.parametrize("key", OPTIONS)
def test_changing_a_leaf_shows_in_every_rule_set(key: str) -> None:
    assert key in PROBES, f"nothing shows what {key} does"
    enable = GAME_ENABLE if key in GAME_PROBES else ENABLE
    for ident in profile_ids():
        assert_every_change_shows(ident, key, PROBES[key], enable.get(key, {}))


@pytest.mark.parametrize("key", IN_THE_GAME)
def test_the_game_obeys_what_the_scorer_decides(key: str) -> None:
    for ident in profile_ids():
        assert_every_change_shows(ident, key, IN_THE_GAME[key], GAME_ENABLE.get(key, {}))


def test_a_probe_for_every_leaf_and_no_other() -> None:
    assert set(PROBES) == set(OPTIONS)
    assert set(ENABLE) | set(GAME_ENABLE) <= set(OPTIONS)
    assert not set(SCORER_PROBES) & set(GAME_PROBES)
