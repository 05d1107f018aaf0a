"""House rules that the tests of profiles and of the rule book read."""

from __future__ import annotations

HOUSE = """
id = "casa"
version = 1
name = "Casa nostra"
extends = "fitab"

[bonus]
semi = 160

[run]
ace_high = false

[sources]
"run.ace_high" = "la nonna non vuole"
"""
