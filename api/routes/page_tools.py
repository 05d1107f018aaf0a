"""What the phone page needs besides the public API: pasted text read into cards, and QR codes.

Not part of the published document: these serve the page of the same version and may change with it.
"""

from __future__ import annotations

import io
from typing import Any, Final

import segno
from starlette.requests import Request
from starlette.responses import Response

from api.answers import answer
from api.bodies import json_body
from api.direct import direct_router
from scorer.cards import Card
from scorer.contract import checked_object, refuse, request_lang
from scorer.notation import parse_meld, parse_sheet
from scorer.notation_sheet import MAX_SHEET
from scorer.table import MeldText, Side

router = direct_router("page")
#: The longest text that a QR code on a phone's screen still shows well.
MAX_QR: Final = 600


@router.post("/page/read", include_in_schema=False)
async def read_pasted(request: Request) -> Response:
    """Cards from typed or pasted text: a whole sheet when it has a `[side]` line, else one meld a line."""
    body = checked_object(await json_body(request), ("text", "lang"))
    text, lang = _text(body, "text", MAX_SHEET), request_lang(body)
    if any(line.lstrip().startswith("[") for line in text.splitlines()):
        sheet = parse_sheet(text, lang)
        sides = [_side_json(side) for side in sheet.table.sides]
        return answer({"kind": "sheet", "rules": sheet.rules, "options": sheet.options, "sides": sides})
    melds = [_meld_json(parse_meld(line, lang)) for line in text.splitlines() if line.strip()]
    return answer({"kind": "melds", "melds": melds})


@router.post("/page/qr", include_in_schema=False)
async def draw_qr(request: Request) -> Response:
    """A text as a QR code, as an SVG picture. It comes in the body, so that no token stands in an address."""
    body = checked_object(await json_body(request), ("text",))
    out = io.BytesIO()
    code = segno.make(_text(body, "text", MAX_QR), error="m", micro=False)
    code.save(out, kind="svg", scale=8, border=3, dark="#10211b", light="#ffffff", xmldecl=False)
    return Response(out.getvalue(), media_type="image/svg+xml")


def _text(body: Any, key: str, most: int) -> str:
    text = body.get(key)
    if not isinstance(text, str) or not text.strip() or len(text) > most:
        raise refuse("bad_field", field=key, expected=f"1..{most}")
    return text


def _meld_json(meld: MeldText) -> list[dict[str, str]]:
    """The cards of a meld, each with the card that it was bound to (`as`), if any."""
    bound = list(meld.bindings)
    made = []
    for card in meld.cards:
        item = {"card": card.text}
        for binding in bound:
            if binding.card == card:
                item["as"] = binding.stands_for.text
                bound.remove(binding)
                break
        made.append(item)
    return made


def _side_json(side: Side) -> dict[str, Any]:
    return {
        "name": side.name, "players": list(side.players), "melds": [_meld_json(meld) for meld in side.melds],
        "hands": [{"player": hand.player, "cards": _texts(hand.cards)} for hand in side.hands],
        "pozzetto": side.pozzetto, "pozzetto_cards": _texts(side.pozzetto_cards),
        "closed": side.closed, "closed_by": side.closed_by,
    }  # fmt: skip


def _texts(cards: tuple[Card, ...]) -> list[str]:
    return [card.text for card in cards]
