"""A photo reader whose answer is made by hand, of the shape of the contract: five melds, a hand, two doubts."""

from __future__ import annotations

from typing import Any

MELDS: list[tuple[str, str]] = [
    ("A", "4h 5h 6h 7h 8h 9h 10h"),
    ("A", "Kc Kd Ks"),
    ("B", "3s 4s 5s 6s 9s 8s 9s"),
    ("B", "Qh Qd Qs"),
    ("B", "Jc Qc Kc"),
]
HAND = ("B", "5d 6d")
#: Cards that the reader is not sure of: number in the list to confidence.
UNSURE = {14: 0.41, 18: 0.62}


def read_photo(images: list[bytes], **options: Any) -> tuple[dict[str, Any], bytes | None]:
    from scorer.contract import meld_json
    from scorer.melds import check_meld
    from scorer.notation import parse_cards
    from scorer.profile import DEFAULT_PROFILE, load_profile
    from vision.images import open_photo

    photo = open_photo(images[0])
    profile = load_profile(options.get("rules") or DEFAULT_PROFILE, options.get("options") or None)
    unit = photo.width / 24
    cards, melds = [], []
    for number, (side, text) in enumerate(MELDS):
        x, y = unit + (number % 2) * unit * 11, unit * (1 + 5 * (number // 2))
        for place, card in enumerate(text.split()):
            sure = UNSURE.get(len(cards), 0.99)
            box = [x + place * unit * 1.45, y, unit * 1.3, unit * 1.9]
            cards.append({"card": card, "confidence": sure, "box": box, "meld": number})
        verdict = meld_json(check_meld(parse_cards(text), profile), profile)
        melds.append({**verdict, "side": side, "confidence": 0.9})
    for place, card in enumerate(HAND[1].split()):
        box = [unit * (12 + place * 1.5), unit * 15, unit * 1.3, unit * 1.9]
        cards.append({"card": card, "confidence": 0.97, "box": box, "meld": None})
    between = "o" if options.get("lang") == "it" else "or"
    doubts = [  # in the reader's order, which the page keeps: what decides most comes first
        {
            "question": f"7♠ {between} 9♠?",
            "cards": ["9s"],
            "points_at_stake": 245,
            "kind": "card",
            "meld": 2,
            "boxes": [cards[14]["box"]],
            "choices": [
                {"value": "9s", "text": "9♠"},
                {"value": "7s", "text": "7♠"},
                {"value": "no", "text": "a card in a group with a long name (7♦ 3♥ 2♠ K♦ 8♣ 9♣ 10♣ J♣)"},
            ],
        },
        {"question": f"Q♥ {between} Q♦?", "cards": ["Qh", "Qd"], "points_at_stake": 5},
    ]
    return {
        "image": {"width": photo.width, "height": photo.height}, "cards": cards, "melds": melds,
        "hands": [{"side": HAND[0], "cards": HAND[1].split()}], "other": [], "sheet": "", "doubts": doubts,
        "points": {"low": 300, "best": 400, "high": 645, "sides": [{"name": "A"}, {"name": "B"}]}, "notices": [],
    }, None  # fmt: skip
