"""A sample photo through the real reader: read, questions answered, a wrong card mended, scored and put in a match."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import conftest as serving
from tests.browser import table

pytest.importorskip("onnxruntime", reason="needs the vision extra")

pytestmark = [pytest.mark.browser, pytest.mark.long]
PHOTO = table.ROOT / "samples" / "photos" / "table_2.jpg"


@pytest.fixture(scope="module")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the photo reader that ships."""
    folder = tmp_path_factory.mktemp("real")
    process, base = serving.start(folder, photo_module="api.photo_reader", photo_seconds=600)
    yield base
    process.send_signal(signal.SIGTERM)
    process.wait(60)


def laid() -> Counter[str]:
    """The cards that lie on the table of the photo, by its text."""
    from scorer.notation import parse_sheet

    sheet = parse_sheet(PHOTO.with_suffix(".txt").read_text(encoding="utf-8"))
    return Counter(card.text for side in sheet.table.sides for _, cards in side.places() for card in cards)


def melds_of(page: Any, side: int) -> list[list[str]]:
    """The cards of each meld of a side, as the page shows them."""
    found: list[list[str]] = page.evaluate(
        "n => [...document.querySelectorAll('.side')[n].querySelectorAll('.meld')]"
        ".map(meld => [...meld.querySelectorAll('.chip')].map(chip => chip.dataset.code))",
        side,
    )
    return found


def hands_of(page: Any, side: int) -> list[str]:
    found: list[str] = page.evaluate(
        "n => [...document.querySelectorAll('.side')[n].querySelectorAll('.card-place .chip')]"
        ".map(chip => chip.dataset.code)",
        side,
    )
    return found


def change(page: Any, card: int, to: str) -> None:
    """Two taps: the card, then what it is."""
    page.click(f".side [data-card-id='{card}']")
    if to == "JK":
        page.click("[data-card=JK]")
    else:
        page.click(f"[data-suit={to[-1]}]")
        page.click(f'[data-rank="{to[:-1]}"]')
    page.wait_for_selector(f".side [data-card-id='{card}'][data-code='{to}']")
    page.keyboard.press("Escape")


def test_a_sample_photo_is_read_mended_scored_and_saved(browser: Any, real_server: str, tmp_path: Path) -> None:
    context = browser.new_context(**serving.DESKTOP, locale="en-GB", base_url=real_server)
    page = context.new_page()
    page.set_default_timeout(60_000)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto("/")
    page.wait_for_selector("main")
    table.choose_rules(page, "fibur")
    page.set_input_files("[data-photo-input]", PHOTO)
    page.wait_for_selector(".photo-frame svg .mark", timeout=600_000)
    table.totals(page)

    read = Counter(card for side in (0, 1) for meld in melds_of(page, side) for card in meld)
    assert sum((read & laid()).values()) >= 0.8 * sum(read.values()) > 0, "most of what it read lies there"
    while page.locator("[data-doubt]").count():
        before = page.inner_text("[data-doubt]")
        page.locator("[data-doubt] .row > *").last.click()  # it is right
        page.wait_for_function("t => document.querySelector('[data-doubt]')?.innerText !== t", arg=before)

    first = page.locator(".side .meld .chip").first
    ident, code = int(first.get_attribute("data-card-id")), first.get_attribute("data-code")
    right = table.totals(page)
    change(page, ident, "Ks" if code != "Ks" else "3d")  # as if it had been read wrong
    assert melds_of(page, 0)[0] != []
    change(page, ident, code)
    table.wait_totals(page, right)

    lines = ["rules: fibur"]
    for side, name in enumerate(("Us", "Them")):
        lines += [f"[{name}]", *[" ".join(meld) for meld in melds_of(page, side)]]
        hand = hands_of(page, side)
        lines += [f"hand: {' '.join(hand)}"] if hand else []
        lines += ["pot: yes"]
    assert table.command_totals("\n".join(lines) + "\n", tmp_path) == right

    page.click("[data-action=save]")
    page.click("[data-action=begin]")
    page.wait_for_selector("tr[data-deal='1']")
    for n, total in enumerate(right):
        shown = str(total).replace("-", "−")
        page.wait_for_selector(f"[data-match-total='{n}']:text-is('{shown}')")
    page.screenshot(path=tmp_path / "match-from-a-photo.png")
    context.close()
    assert faults == []
