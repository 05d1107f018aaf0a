"""The phone page, measured: how much it weighs, how soon it answers a tap, how fast a correction is scored.

    python bench/bench_page.py [--json]

The throttled phone is that of Lighthouse: 150 ms round trip, 1.6 Mbit/s down, 0.75 Mbit/s up, processor 4 times slower.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
CHANGES = 30


def helpers() -> Any:
    spec = importlib.util.spec_from_file_location("browser_conftest", ROOT / "tests" / "browser" / "conftest.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def first_view(browser: Any, base: str, phone: dict[str, Any], slow: bool) -> dict[str, float]:
    """Bytes over the wire until the page is ready, and milliseconds until a tap is answered."""
    context = browser.new_context(**phone, locale="it-IT", service_workers="block")
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    if slow:
        session.send("Network.emulateNetworkConditions", SLOW)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(base + "/")
    page.wait_for_selector("html[data-ready]", state="attached")
    ready = page.evaluate("() => performance.getEntriesByName('burraco-ready')[0].startTime")
    paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
    page.wait_for_timeout(500)
    context.close()
    return {"bytes": sum(sizes), "requests": len(sizes), "ready_ms": ready, "paint_ms": paint}


def apart(browser: Any, base: str, phone: dict[str, Any]) -> tuple[float, float]:
    """What a busy machine hardly changes: when the last file of the first view has come over the slow network (the
    processor as it is), and the processor time of the page's main thread until it is ready; milliseconds."""
    page = browser.new_context(**phone, locale="it-IT", service_workers="block").new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(base + "/")
    page.wait_for_selector("html[data-ready]", state="attached")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    there: float = page.evaluate(
        """() => Math.max(...performance.getEntriesByType('resource')
        .filter(one => /\\.(js|css)$/.test(one.name)).map(one => one.responseEnd))"""
    )
    page.context.close()
    return there, metrics["TaskDuration"] * 1e3


def correction(browser: Any, base: str, phone: dict[str, Any]) -> list[float]:
    """Milliseconds from a tap that changes a card to the new points on the screen."""
    page = browser.new_context(**phone, locale="en-GB").new_page()
    page.goto(base + "/")
    page.wait_for_selector("html[data-ready]", state="attached")
    for key in ("[data-suit=h]", "[data-rank='4']", "[data-rank='9']"):
        page.click(key)
    page.wait_for_selector("[data-total='0']:text-is('40')")
    card = page.locator(".meld [data-code='9h']").get_attribute("data-card-id")
    times = []
    for number in range(CHANGES):
        page.click(f".meld [data-card-id='{card}']")  # the card keeps its id wherever it lies
        rank, total = ("K", "40") if number % 2 else ("3", "35")
        times.append(page.evaluate(
            """([rank, total]) => new Promise(resolve => {
                const shown = document.querySelector("[data-total='0']");
                const start = performance.now();
                const look = () => {
                    const code = document.querySelector('.meld [data-code="' + rank + 'h"]');
                    const done = code && shown.textContent === total && !shown.classList.contains('stale');
                    if (done) resolve(performance.now() - start); else requestAnimationFrame(look);
                };
                document.querySelector(`[data-rank="${rank}"]`).click();
                requestAnimationFrame(look);
            })""", [rank, total]))  # fmt: skip
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if shutil.which("chromium") is None or importlib.util.find_spec("playwright") is None:
        print("bench_page: needs chromium and playwright; left out")
        return
    from playwright.sync_api import sync_playwright

    known = helpers()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        process, base = known.start(Path(folder))
        try:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=known.FLAGS)
            first_view(browser, base, known.PHONE, slow=False)  # warms the server up
            views = [first_view(browser, base, known.PHONE, slow=True) for _ in range(3)]
            parts = [apart(browser, base, known.PHONE) for _ in range(3)]
            times = correction(browser, base, known.PHONE)
            browser.close()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    best = min(views, key=lambda view: view["ready_ms"])
    figures = {
        "first_view_kB": round(best["bytes"] / 1000, 1), "first_view_requests": int(best["requests"]),
        "interactive_ms_throttled": [round(view["ready_ms"]) for view in views],
        "first_paint_ms_throttled": [view["paint_ms"] and round(view["paint_ms"]) for view in views],
        "files_there_ms_slow_network": round(min(there for there, _ in parts)),
        "main_thread_processor_ms": round(min(used for _, used in parts)),
        "correction_ms_median": round(statistics.median(times), 1),
        "correction_ms_95": round(sorted(times)[int(len(times) * 0.95)], 1), "corrections": len(times),
        "measured": time.strftime("%Y-%m-%d"),
    }  # fmt: skip
    print(json.dumps(figures) if args.json else "\n".join(f"{key:28} {value}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
