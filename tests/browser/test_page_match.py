"""The match book, the rules and working without a network, in a real Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser import table

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Any]


def begin_match(page: Any, **fields: str) -> None:
    page.goto(page.url.partition("#")[0] + "#/match")
    page.click("[data-action=new-match]")
    for name, value in fields.items():
        page.fill(f"dialog [name='{name.replace('_', '-')}']", value)
    page.click("[data-action=begin]")
    page.wait_for_selector(".score-board")


def add_totals(page: Any, *points: int) -> None:
    page.click("[data-action=totals]")
    for n, value in enumerate(points):
        page.fill(f"dialog [name=total-{n}]", str(value))
    page.click("dialog button[type=submit]")


def match_totals(page: Any, *expected: int) -> None:
    for n, total in enumerate(expected):
        shown = str(total).replace("-", "−")
        page.wait_for_selector(f"[data-match-total='{n}']:text-is('{shown}')")


def test_deal_goes_into_a_match_is_corrected_and_undone(open_page: OpenPage) -> None:
    page = open_page()
    table.choose_rules(page, "fibur")
    tapper = table.Tapper(page)
    tapper.run("h", "4", "10")
    table.wait_totals(page, [250, 0])
    page.click("[data-action=save]")
    page.click("[data-action=begin]")  # no match yet: it begins one
    match_totals(page, 250, 0)
    add_totals(page, 100, 335)
    match_totals(page, 350, 335)
    page.click("[data-deal='1'] .deal-number")
    page.click("dialog .choice:has-text('Open the cards')")
    page.wait_for_selector(".meld [data-code='4h']")
    page.click("[data-code='4h']")
    page.click("role=button[name='Delete the card']")
    table.wait_totals(page, [45, 0])
    page.click("[data-action=save]")
    match_totals(page, 145, 335)
    page.click("[data-action=undo]")
    match_totals(page, 350, 335)
    page.click("[data-deal='2'] .deal-number")
    page.click("dialog .choice.bad")
    match_totals(page, 250, 0)
    assert "withdrawn" in page.inner_text("[data-deal='2']")


def test_end_of_the_match_is_said_and_undone(open_page: OpenPage) -> None:
    page = open_page(lang="it")
    begin_match(page, target="505", players_0="Anna, Bruno", players_1="Carla, Dino")
    assert "Anna" in page.inner_text(".dealer")
    add_totals(page, 300, 100)
    match_totals(page, 300, 100)
    assert "Carla" in page.inner_text(".dealer")
    assert "mancano 205" in page.inner_text(".score-board")
    add_totals(page, 305, 50)
    page.wait_for_selector(".won")
    assert "Ha vinto Noi" in page.inner_text(".won")
    page.click("[data-action=undo]")
    page.wait_for_selector(".won", state="detached")
    match_totals(page, 300, 100)


def test_impossible_total_is_refused_and_not_lost(open_page: OpenPage) -> None:
    page = open_page()
    begin_match(page)
    add_totals(page, 333, 0)
    page.wait_for_selector(".banner.bad[role=alert]")
    page.click("role=button[name='Give it up']")
    page.wait_for_selector(".banner", state="detached")


def test_two_phones_on_one_match(open_page: OpenPage) -> None:
    writer = open_page()
    evil = "<img src=x onerror=alert(1)>"
    begin_match(writer, side_0=evil)
    writer.click("[data-action=share]")
    link = writer.get_attribute("[data-link]", "data-link")
    writer.wait_for_selector(".qr img")
    reader = open_page(link.partition("/")[2].partition("/")[2].partition("/")[2])
    reader.wait_for_selector(".live.on")
    assert reader.inner_text(".score-name >> nth=0") == evil
    assert "/v/" not in reader.url  # the token does not stay in the address
    assert reader.locator("[data-action=totals]").count() == 0
    writer.keyboard.press("Escape")
    add_totals(writer, 100, 40)
    reader.wait_for_selector("[data-match-total='0']:text-is('100')", timeout=20_000)
    assert reader.locator("img[src=x]").count() == 0


def test_draft_survives_reload_and_the_network_going_away(open_page: OpenPage) -> None:
    page = open_page()
    begin_match(page)
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.click("[data-action=add-deal]")
    table.Tapper(page).run("h", "4", "10")
    page.context.set_offline(True)
    page.wait_for_selector(".net")
    page.reload()  # opens from the service worker
    page.wait_for_selector(".meld [data-code='10h']")
    page.click("[data-action=save]")
    page.wait_for_selector(".banner:has-text('waiting for network')")
    page.reload()
    page.wait_for_selector(".banner:has-text('waiting for network')")
    page.context.set_offline(False)
    page.evaluate("() => dispatchEvent(new Event('online'))")
    page.evaluate("() => dispatchEvent(new Event('online'))")
    match_totals(page, 250, 0)
    page.wait_for_selector(".net", state="detached")
    assert page.locator("tr[data-deal]").count() == 1


def test_can_be_installed(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    session = page.context.new_cdp_session(page)
    faults = [e for e in session.send("Page.getInstallabilityErrors")["installabilityErrors"]
              if e["errorId"] != "in-incognito"]  # fmt: skip
    assert faults == []
    manifest = json.loads(session.send("Page.getAppManifest")["data"])
    assert manifest["display"] == "standalone"


def test_house_rules_have_a_code_that_opens_elsewhere(open_page: OpenPage) -> None:
    page = open_page("#/rules/house")
    page.select_option("[name=base]", "fibur")
    page.click(".question:has-text('half-clean') >> role=radio[name='No']")
    page.click(".question:has-text('how many points') >> role=radio[name='1005']")
    page.fill("[name=house-name]", "Nonna <b>Pina</b>")
    page.wait_for_selector(".house-result li >> nth=1")
    code = page.inner_text(".house-code output")
    assert re.fullmatch("[0-9A-Z]{5}", code)
    page.click("[data-action=keep-rules]")
    page.wait_for_selector(".rules-chip-name:text-is('Nonna <b>Pina</b>')")
    other = open_page("#/rules", lang="it")
    other.fill("[name=code]", code.lower())
    other.click(".house-intro button[type=submit]")
    other.wait_for_selector(".house-result li >> nth=1")
    assert other.input_value("[name=base]") == "fibur"
    assert other.get_attribute(".question-list >> role=radio[name='1005']", "aria-checked") == "true"


def test_rule_values_show_their_source_and_two_sets_are_compared(open_page: OpenPage) -> None:
    page = open_page("#/rules/fibur")
    page.fill("input[type=search]", "semi")
    page.click(".value:has-text('Half-clean burraco') summary")
    assert "FIBUR" in page.inner_text(".value[open] .source")
    page.goto(page.url.partition("#")[0] + "#/")
    table.choose_rules(page, "classico")
    table.paste(page, "3s-9s + JK")
    page.wait_for_selector(".meld-name:has-text('burraco')")
    page.click("role=button[name='Under other rules']")
    page.select_option("dialog [name=other]", "fibur")
    page.wait_for_selector("dialog td:has-text('Half-clean burraco')")
