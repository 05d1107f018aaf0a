"""The files of the page, without a browser: the offline list is whole, the libraries are npm's, the policy can hold."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.page_bundle import bundled, overlay

WEB = Path(__file__).resolve().parents[2] / "api" / "web"
#: SHA-256 of the files as npm has them (preact 10.29.8, htm 3.1.1).
NPM = {
    "vendor/preact/preact.module.js": "c30e721ebfdc6e2ad4c18c14d2dfb82667829c8aec27de1207774e3fc16858a8",
    "vendor/preact/hooks.module.js": "a6ee626f2d01570592dd569a792e3f050154aa02890eead8c223fa3ed5aa3d5a",
    "vendor/htm/htm.module.js": "ab33dd3f38059b9be4d5f5350128eefb2356639c4e0bbe9d9e8b3ba75847e9e4",
}


def scripts() -> list[Path]:
    return [WEB / "app.js", *sorted((WEB / "js").glob("*.js"))]


def test_every_module_opens_offline() -> None:
    listed = (WEB / "sw.js").read_text(encoding="utf-8")
    names = set(re.findall(r"'(\w+)'", listed))
    assert {path.stem for path in (WEB / "js").glob("*.js")} <= names
    for path in re.findall(r"'(/[\w./-]+\.\w+)'", listed):
        if "${" not in path:
            assert (WEB / path[1:]).is_file() or path == "/sw.js", path


@pytest.mark.parametrize("name", NPM)
def test_libraries_are_as_npm_has_them(name: str) -> None:
    text = (WEB / name).read_bytes().replace(b'from"./preact.module.js"', b'from"preact"')
    assert hashlib.sha256(text).hexdigest() == NPM[name]


def test_nothing_needs_what_the_policy_forbids() -> None:
    page = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    for path in scripts():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), path
        assert not re.search(r"https?://", text), path
        assert len(text.splitlines()) < 500, path


def test_the_first_view_is_one_module_and_there_is_one_of_each() -> None:
    made = {name: data.decode() for name, data in overlay().items()}
    text, order = bundled()
    assert made["js/page.js"] == text and order[-1] == "app.js" and len(order) > 8
    assert set(re.findall(r"^import .* from '([^']+)'", text, re.M)) == {f"/{name}" for name in NPM}
    exported = {name.strip() for name in re.findall(r"^export \{([^}]*)\};$", text, re.M)[-1].split(",")}
    for name, words in made.items():
        for names, path in re.findall(r"^import\s+\{([^}]*)\}\s+from\s+'([^']+)';", words, re.M):
            if path == "/js/page.js":
                assert {one.strip() for one in names.split(",") if one.strip()} <= exported, name
            else:
                assert (WEB / path[1:]).is_file(), (name, path)
                assert path[1:] not in order, f"{name} would get a second {path}"
    assert 'src="/js/page.js"' in made["index.html"] and made["index.html"].count("modulepreload") == 4
    assert "'/js/page.js'" in made["sw.js"] and "'/app.js'" not in made["sw.js"] and "'draft'" not in made["sw.js"]
    assert "'match'" in made["sw.js"]


def test_two_modules_with_one_name_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "js").mkdir()
    (tmp_path / "app.js").write_text("import { a } from './js/a.js';\nconst b = a;\n")
    (tmp_path / "js" / "a.js").write_text("export const a = 1;\nfunction b() { return a; }\n")
    with pytest.raises(ValueError, match="both say b"):
        bundled(tmp_path)
    (tmp_path / "app.js").write_text("import { a as c } from './js/a.js';\nconst d = c;\n")
    with pytest.raises(ValueError, match="renames"):
        bundled(tmp_path)


def test_every_word_of_the_page_is_there_in_both_languages() -> None:
    words = (WEB / "js" / "words.js").read_text(encoding="utf-8")
    known = set(re.findall(r"(?:^|[ {,])'?([\w.]+)'?: \['", words, re.M))
    used = {key for path in scripts() for key in re.findall(r"\bt\('([\w.]+)'", path.read_text(encoding="utf-8"))}
    assert used - known == set()
    assert len(used) > 150


def test_pasted_text_becomes_cards(client_with: Callable[..., Any]) -> None:
    with client_with(page=True) as client:
        sheet = client.post("/v1/page/read", json={"text": "[A]\n2s=7h 4h-6h\n[B]\n", "lang": "en"}).json()
        assert sheet["kind"] == "sheet"
        assert {"card": "2s", "as": "7h"} in sheet["sides"][0]["melds"][0]
        melds = client.post("/v1/page/read", json={"text": "4C-6C\n\nR:CQF", "lang": "it"}).json()["melds"]
        assert [[one["card"] for one in meld] for meld in melds] == [["4h", "5h", "6h"], ["Kh", "Kd", "Kc"]]
        fault = client.post("/v1/page/read", json={"text": "4C-6C\nxx"}, headers={"Accept-Language": "it"})
        assert fault.status_code == 422
        assert client.post("/v1/page/read", json={"text": ""}).status_code == 422


def test_qr_code_is_a_picture_and_bounded(client_with: Callable[..., Any]) -> None:
    with client_with(page=True) as client:
        answer = client.post("/v1/page/qr", json={"text": "https://example.org/#/match/x/v/y"})
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert answer.content.startswith(b"<svg")
        assert client.post("/v1/page/qr", json={"text": "x" * 601}).status_code == 422


def test_page_answers_with_a_strict_policy(client_with: Callable[..., Any]) -> None:
    with client_with(page=True) as client:
        answer = client.get("/")
        policy = answer.headers["content-security-policy"]
        assert answer.status_code == 200
        assert "unsafe" not in policy and "script-src 'self'" in policy


def test_a_deal_of_a_match_may_name_its_trump(client_with: Callable[..., Any], tmp_path: Path) -> None:
    sides = [{"name": "Noi", "melds": ["4h 5h 6h 7h 8h 9h 10h"], "pozzetto": "played"}, {"name": "Loro"}]
    with client_with(page=True, data_dir=tmp_path) as client:
        made = client.post("/v1/matches", json={"rules": "fibur", "options": {"bonus.trump_factor": 2}}).json()
        totals = []
        for options in ({}, {"trump": "h"}, {"trump": "s"}):
            view = client.post(
                f"/v1/matches/{made['id']}/deals",
                json={"entry": {"form": "table", "sides": sides, "lang": "en", "options": options}},
                headers={"X-Match-Token": made["edit_token"]},
            ).json()
            totals.append(view["deals"][-1]["points"][0])
        assert totals == [250, 450, 250]
