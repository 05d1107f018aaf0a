"""Every screen: no serious fault for axe, targets of 44 pixels, no sideways scrolling; pictures to be looked at.

The pictures are written to the folder that `BURRACO_SHOTS` names, else to the test's own folder.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import table

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Any]
AXE = (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
MELDS = "4h-10h\n3s-9s + JK\nAc 2c 3c 4c JK 6c 7c\n7:hdc\n5d 6d 8c"
OTHER = "8:hdss\n9d-Kd"
#: Nothing stands beyond the right edge. (A phone's innerWidth grows with what overflows; the layout's width does not.)
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
#: What is smaller than 44 pixels but stands in a line of text, where the guideline lets it.
SMALL = ".reason summary, .others summary, .photo-frame *"


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("BURRACO_SHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def look(page: Any, folder: Path, name: str) -> None:
    """Take the picture of a screen and check what can be checked."""
    page.wait_for_timeout(250)
    page.screenshot(path=folder / f"{name}.png")
    assert page.evaluate(FITS), f"{name} scrolls sideways"
    small = page.evaluate(
        """skip => [...document.querySelectorAll('button, a[href], summary, input:not(.unseen), select, textarea')]
        .filter(el => !el.closest(skip) && el.checkVisibility() && el.getClientRects().length)
        .map(el => [el.className || el.tagName, el.textContent.slice(0, 20), el.getBoundingClientRect()])
        .filter(([, , box]) => box.height < 43.5 && !(box.width === 0) || box.width < 43.5)
        .map(([kind, text, box]) => `${kind} "${text}" ${Math.round(box.width)}x${Math.round(box.height)}`)""",
        SMALL,
    )
    assert small == [], f"{name}: {small}"
    serious = axe(page)
    assert serious == [], f"{name}: {serious}"


def axe(page: Any) -> list[str]:
    """Serious and critical violations, by the developer tools' own evaluation: the policy lets no foreign script in."""
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(AXE + "\n;void 0")
    found = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{rule['id']}: {[node['target'] for node in rule['nodes']][:3]}"
        for rule in found["violations"] if rule["impact"] in ("serious", "critical")
    ]  # fmt: skip


def cloth() -> bytes:
    """A table without cards, as JPEG."""
    from PIL import Image

    out = io.BytesIO()
    Image.effect_noise((1200, 900), 18).convert("RGB").point(lambda v: v // 3 + 20).save(out, "JPEG")
    return out.getvalue()


def screens(page: Any, desktop: bool) -> Iterator[str]:
    """Walk through the page; a screen's name each time it stands still."""
    yield "empty"
    table.choose_rules(page, "fibur")
    for side, melds in enumerate((MELDS, OTHER)):
        page.click(f"[data-side-tab='{side}']")
        if desktop:
            page.locator(".paste [role=radio]").nth(1).click()
            page.fill("textarea", melds)
            page.click(".paste button[type=submit]")
            page.wait_for_function("() => !document.querySelector('textarea').value")
        else:
            table.paste(page, melds)
    page.click("[data-side-tab='0']")
    page.wait_for_selector(".meld.illegal")
    table.totals(page)
    yield "deal"
    page.click(".meld.illegal [data-code='8c']")
    yield "picked"
    page.locator(".keys-status-tools button").first.click()
    yield "move"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator(".lines > summary").click()
    page.locator(".lines").scroll_into_view_if_needed()
    yield "lines"
    page.locator(".verdict-actions .button").nth(1).click()
    page.wait_for_selector("dialog .compare")
    yield "compare"
    page.keyboard.press("Escape")
    page.click("[data-action=save]")
    page.fill("dialog [name=players-0]", "Anna, Bruno")
    page.fill("dialog [name=players-1]", "Carla, Dino")
    page.fill("dialog [name=target]", "1505")
    yield "new-match"
    page.click("[data-action=begin]")
    page.wait_for_selector("tr[data-deal='1']")
    for n, points in enumerate(((120, 445), (-85, 210), (360, 75))):
        page.click("[data-action=totals]")
        page.fill("dialog [name=total-0]", str(points[0]))
        page.fill("dialog [name=total-1]", str(points[1]))
        page.click("dialog button[type=submit]")
        page.wait_for_selector(f"tr[data-deal='{n + 2}']")
    page.wait_for_selector(".live.on")
    yield "match"
    page.click("[data-action=share]")
    page.wait_for_selector(".qr img")
    yield "share"
    page.keyboard.press("Escape")
    page.click("[data-action=totals]")
    page.fill("dialog [name=total-0]", "900")
    page.fill("dialog [name=total-1]", "100")
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".won")
    page.evaluate("() => scrollTo(0, 0)")
    yield "won"
    home = page.url.partition("#")[0]
    for name, ready in (("match", ".match-card"), ("rules", ".rule-list a"), ("rules/fibur", ".value"),
                        ("rules/house", ".qr img"), ("settings", ".settings .panel")):  # fmt: skip
        page.goto(f"{home}#/{name}")
        page.wait_for_selector(ready)
        yield {"match": "matches"}.get(name, name.replace("/", "-"))
    page.goto(f"{home}#/")
    page.set_input_files("[data-photo-input]", {"name": "t.jpg", "mimeType": "image/jpeg", "buffer": cloth()})
    page.wait_for_selector("[data-doubt]", timeout=120_000)
    page.evaluate("() => scrollTo(0, 0)")
    yield "photo"


@pytest.mark.parametrize("desktop", [False, True], ids=["phone", "desktop"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["it", "en"])
def test_every_screen(open_page: OpenPage, shots: Path, lang: str, theme: str, desktop: bool) -> None:
    page = open_page(lang=lang, desktop=desktop, color_scheme=theme, bypass_csp=True, reduced_motion="reduce")
    faults = []
    for name in screens(page, desktop):
        try:
            look(page, shots, f"{'desktop' if desktop else 'phone'}-{lang}-{theme}-{name}")
        except AssertionError as fault:
            faults.append(str(fault))
    assert not faults, "\n".join(faults)


def test_large_type_four_colours_and_no_sideways_scrolling(open_page: OpenPage, shots: Path) -> None:
    page = open_page("#/settings", lang="it")
    page.click("role=radio[name='Enormi']")
    page.screenshot(path=shots / "phone-it-huge-settings.png")
    assert page.evaluate(FITS)
    page.click("role=radio[name='Quattro colori']")
    page.click(".brand")
    table.paste(page, "4C-10C\n5Q 6Q 7Q\n3F-9F", "it")
    page.wait_for_selector(".meld-name")
    page.screenshot(path=shots / "phone-it-huge.png")
    assert page.evaluate(FITS)
    home = page.url.partition("#")[0]
    for name, ready in (("rules", ".rule-list a"), ("rules/fibur", ".value"), ("rules/house", ".qr img")):
        page.goto(f"{home}#/{name}")
        page.wait_for_selector(ready)
        assert page.evaluate(FITS), f"{name} scrolls sideways"
    page.goto(f"{home}#/")
    page.wait_for_selector(".meld-name")
    colours = page.evaluate(
        "() => ['h', 'd', 'c', 's'].map(s => document.querySelector(`.key-suit[data-suit=${s}]`))"
        ".map(key => getComputedStyle(key).color)"
    )
    assert len(set(colours)) == 4


def test_keyboard_alone_scores_a_run(open_page: OpenPage) -> None:
    """Without a pointer: Tab reaches the keys, the score is announced, cards have spoken names."""
    page = open_page(desktop=True)
    page.focus("[data-suit=h]")
    page.keyboard.press("Enter")
    page.focus("[data-rank='4']")
    page.keyboard.press("Enter")
    page.focus("[data-rank='6']")
    page.keyboard.press("Space")
    page.wait_for_selector("role=button[name='four of hearts']")
    page.wait_for_function("() => document.querySelector('.deal > [role=status]').textContent.includes('Us 15')")
