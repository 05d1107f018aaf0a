"""Scoring a deal on the page in a real Chromium: by taps, by paste, from a photo; and mending it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser import table

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Any]


def test_typical_deal_by_taps_alone(open_page: OpenPage, tmp_path: Path) -> None:
    """Six melds a side and three hands in at most 80 taps, with the totals of the command."""
    page = open_page()
    table.choose_rules(page, "fibur")
    tapper = table.Tapper(page)
    tapper.run("h", "4", "10")
    tapper.run("s", "3", "9")
    tapper.run("d", "5", "7")
    tapper.run("c", "J", "K")
    tapper.run("c", "A", "7")
    tapper.tap(".meld:last-child [data-code='5c']")  # the joker lies in the place of the five
    tapper.tap("[data-card=JK]")
    tapper.mode("Set")
    tapper.set("7", "hdc")
    tapper.tap(".side >> role=radio[name='Went out']")
    tapper.hand(0, 1)
    tapper.suit = None
    tapper.cards("5s 9d")
    tapper.side(1)
    tapper.mode("Run")
    tapper.suit = "d"
    tapper.run("d", "10", "Q")
    tapper.run("c", "6", "Q")
    tapper.run("s", "A", "4")
    tapper.run("h", "5", "7")
    tapper.mode("Set")
    tapper.set("8", "hds")
    tapper.set("K", "hds")
    tapper.hand(1, 0)
    tapper.suit = None
    tapper.cards("4d 8c")
    tapper.hand(1, 1)
    tapper.cards("Jh")
    expected = table.command_totals(table.DEAL, tmp_path)
    table.wait_totals(page, expected)
    print("taps:", tapper.taps)
    assert tapper.taps <= 80


def test_closing_and_pozzetto_count(open_page: OpenPage, tmp_path: Path) -> None:
    sheet = "rules: fibur\n[Us]\n4h-10h\npot: yes\nclosed: yes\n[Them]\n5c 6c 7c\nhand: Ks\npot: no\n"
    page = open_page()
    table.choose_rules(page, "fibur")
    tapper = table.Tapper(page)
    tapper.run("h", "4", "10")
    page.click(".side >> role=radio[name='Went out']")
    tapper.side(1)
    tapper.suit = "h"
    tapper.run("c", "5", "7")
    tapper.hand(1, 0)
    tapper.cards("Ks")
    page.click(".side >> role=radio[name='Not taken']")
    table.wait_totals(page, table.command_totals(sheet, tmp_path))


@pytest.mark.parametrize("name", ["fibur_it", "canasta_en", "internazionale_it", "brasile_it"])
def test_pasted_sheet_scores_as_the_command(open_page: OpenPage, tmp_path: Path, name: str) -> None:
    sheet = (table.ROOT / "samples" / f"{name}.txt").read_text(encoding="utf-8")
    page = open_page(desktop=True)
    page.fill("textarea", sheet)
    page.click(".paste button[type=submit]")
    expected = table.command_totals(sheet, tmp_path)
    page.wait_for_function("n => document.querySelectorAll('.side-tab').length === n", arg=len(expected))
    table.wait_totals(page, expected)


def test_pasted_line_with_a_fault_says_where(open_page: OpenPage) -> None:
    page = open_page(desktop=True, lang="it")
    page.fill("textarea", "4C-10C\n5X 6C 7C")
    page.click(".paste button[type=submit]")
    page.wait_for_selector("#paste-fault:not(:empty)")
    assert "5X" in page.inner_text("#paste-fault")
    assert page.locator(".meld").count() == 0
    assert page.input_value("textarea").startswith("4C-10C")  # what was typed is still there


def test_wrong_card_is_changed_by_two_taps_and_undone(open_page: OpenPage) -> None:
    page = open_page()
    tapper = table.Tapper(page)
    tapper.run("h", "4", "6")
    tapper.mode("Cards")
    tapper.tap(".meld-title")
    tapper.cards("9h")
    page.wait_for_selector(".meld.illegal")
    assert "missing" in page.inner_text(".reasons")
    page.click("[data-code='9h']")
    page.click("[data-rank='7']")
    page.wait_for_selector(".meld:not(.illegal) [data-code='7h']")
    page.click("role=button[name='Undo']")
    page.wait_for_selector(".meld.illegal [data-code='9h']")


def test_split_join_move_delete_without_dragging(open_page: OpenPage) -> None:
    page = open_page()
    tapper = table.Tapper(page)
    tapper.run("h", "4", "9")
    page.wait_for_selector(".meld-name:text('Run')")
    page.click("[data-code='7h']")
    page.click("role=button[name='Split the meld here']")
    page.wait_for_function("() => document.querySelectorAll('.meld').length === 2")
    page.click(".meld >> nth=1 >> role=button[name=/More about/]")
    page.click("dialog .choices:has-text('Join') .choice")
    page.wait_for_function("() => document.querySelectorAll('.meld').length === 1")
    assert page.locator(".meld .chip").count() == 6
    page.click("[data-code='9h']")
    page.click("role=button[name='Move the card']")
    page.click("dialog .choices:has-text('Them') .choice:has-text('Hand 1')")
    page.click("[data-code='8h']")
    page.click("role=button[name='Delete the card']")
    assert page.locator(".meld .chip").count() == 4
    tapper.side(1)
    assert page.locator(".card-place [data-code='9h']").count() == 1


def test_card_dragged_to_another_meld(open_page: OpenPage) -> None:
    page = open_page(desktop=True)
    page.fill("textarea", "4h 5h 6h 9c\n7c 8c 10c")
    page.click(".paste button[type=submit]")
    page.wait_for_selector("[data-code='9c']")
    start = page.locator("[data-code='9c']").bounding_box()
    end = page.locator(".meld").nth(1).bounding_box()
    page.mouse.move(start["x"] + 20, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + 60, end["y"] + 60, steps=6)
    page.mouse.up()
    page.wait_for_function("() => document.querySelectorAll('.meld')[1].querySelectorAll('.chip').length === 4")
    page.wait_for_function("() => !document.querySelector('.meld.illegal')")


def photo_bytes() -> bytes:
    """A sideways JPEG whose EXIF turns it upright (1,200 x 900)."""
    from PIL import Image

    image = Image.new("RGB", (900, 1200), (30, 90, 70))
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    image.save(out, "JPEG", exif=exif)
    return out.getvalue()


def test_photo_asks_the_dearest_question_first_and_is_mended(open_page: OpenPage) -> None:
    page = open_page()
    page.set_input_files("[data-photo-input]", {"name": "t.jpg", "mimeType": "image/jpeg", "buffer": photo_bytes()})
    page.wait_for_selector("[data-doubt]", timeout=120_000)
    assert page.get_attribute(".photo-frame svg", "viewBox") == "0 0 1200 900"  # upright
    assert "245" in page.inner_text("[data-doubt]")
    assert page.locator(".mark").count() == 25
    table.wait_totals(page, [280, 100])
    page.click("[data-answer='7s']")
    table.wait_totals(page, [280, 295])
    assert "Q♥ or Q♦?" in page.inner_text("[data-doubt]")
    page.reload()
    page.wait_for_selector(".photo-frame image")  # the picture is still there
    page.locator(".mark[aria-label*='king of diamonds']").click()
    page.click("[data-suit=h]")
    page.click("[data-rank='K']")
    page.wait_for_selector(".meld [data-code='Kh']")


def test_names_are_never_markup(open_page: OpenPage) -> None:
    page = open_page()
    evil = "<img src=x onerror=alert(1)>"
    page.click("role=button[name='Change the names']")
    page.locator("dialog input").first.fill(evil)
    page.locator("dialog input").nth(1).fill("<b>Anna</b>, <script>x</script>")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.inner_text(".side-tab-name >> nth=0") == evil
    assert page.locator("img[src=x], .side b").count() == 0
