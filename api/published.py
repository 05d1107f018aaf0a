"""The document as it is published: the application with every part and default settings, as stable text."""

from __future__ import annotations

import json

from api.app import create_app
from api.settings import Settings


def published() -> str:
    """The text of `docs/openapi.json`; the same bytes whatever the environment says."""
    app = create_app(Settings.model_construct(photo_workers=0, page=False))
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"
