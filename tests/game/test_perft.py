"""The pinned counts and the pinned order of legal actions, position by position."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorer.game import format_action, legal_actions
from tests.game.perft import FOLDER, divide, perft, pinned, position_of

FILES = sorted(FOLDER.glob("*.toml"))


def test_every_rule_set_has_its_files() -> None:
    from scorer.profile import profile_ids

    assert {name for name in profile_ids() if not any(file.name.startswith(f"{name}-") for file in FILES)} == set()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_perft(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    state, known = position_of(text), pinned(text)
    assert [format_action(state, action) for action in legal_actions(state)] == known["legal"]
    for depth, count in enumerate(known["perft"], 1):
        assert perft(state, depth) == count, "\n".join([f"depth {depth}", *divide(state, depth)])
