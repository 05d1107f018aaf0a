"""How many examples a property test tries: `quick` in `make test`, `full` in `make full`; the tests are the same."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("quick", max_examples=40, deadline=None)
settings.register_profile("full", max_examples=300, deadline=None)
settings.load_profile("quick")
