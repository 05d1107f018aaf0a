"""The document as it is published: the application with every part and default settings, as stable text.

`python -m api.published` writes `docs/openapi.json` anew after a change of the API; a test compares.
"""

from __future__ import annotations

import json
from pathlib import Path

from api.app import create_app
from api.settings import Settings


def published() -> str:
    """The text of `docs/openapi.json`; the same bytes whatever the environment says."""
    app = create_app(Settings.model_construct(photo_workers=0, page=False))
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write `docs/openapi.json` of this checkout."""
    Path("docs/openapi.json").write_text(published(), encoding="utf-8")


if __name__ == "__main__":
    main()
