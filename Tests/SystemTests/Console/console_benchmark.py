"""How long the console makes people wait, in Chromium over the loopback, each figure beside what is
promised. Every round is a browser's first visit, with nothing kept of those before.

Usage: BIN=DIRECTORY console_benchmark.py [ROUNDS], where the directory has chimed; it is
.build/release if none is given.
"""

import gzip
import os
import statistics
import sys
import tempfile
import urllib.request

from playwright.sync_api import sync_playwright

from browser import Browser, ConsoleService
from console_test import LOAD, LOAD_PACKED, PAGES, people

ROOT = os.path.abspath(__file__).rsplit("/", 4)[0]
PAINT, DATA, WHY, HEAP = 300, 800, 150, 15
# When what was loaded is drawn, and when it is said why.
WATCH = """() => {
  const seen = window.seen = {};
  const wanted = {data: '.tiles, .item', why: '.explanation'};
  new MutationObserver(() => {
    for (const [name, selector] of Object.entries(wanted)) {
      if (name in seen || !document.querySelector(selector)) continue;
      seen[name] = 0;
      requestAnimationFrame(() => { seen[name] = performance.now(); });
    }
  }).observe(document, {subtree: true, childList: true});
}"""
ASK = """() => {
  const summary = document.querySelector('.whys summary');
  window.asked = performance.now();
  summary.click();
}"""


def show(what, values, budget, unit="ms"):
    values = sorted(values)
    middle = statistics.median(values)
    verdict = "" if middle <= budget else "  TOO MUCH"
    print("  %-44s p50 %7.1f %s, most %7.1f, promised %s%s" % (
        what, middle, unit, values[-1], budget, verdict))


def visit(browser, service, scope, *, asks):
    """A first visit: milliseconds to the first paint, to the data, and to an answer why."""
    context = browser.browser.new_context()
    page = context.new_page()
    page.add_init_script("(%s)()" % WATCH)
    page.goto(service.address(scope))
    page.wait_for_function("() => window.seen.data")
    paint = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    times = [paint, page.evaluate("() => window.seen.data")]
    if asks:
        page.evaluate(ASK)
        page.wait_for_function("() => window.seen.why")
        times.append(page.evaluate("() => window.seen.why - window.asked"))
    context.close()
    return times


def times(browser, service, rounds):
    for name, scope, asks in (("overview", "admin", False), ("my days", "recipient:layla", True)):
        visit(browser, service, scope, asks=asks)
        found = list(zip(*(visit(browser, service, scope, asks=asks) for _ in range(rounds))))
        show(name + ": first paint", found[0], PAINT)
        show(name + ": data", found[1], DATA)
        if asks:
            show(name + ": why", found[2], WHY)


def heap(browser):
    """What is left of one tab that has been on every page, in megabytes."""
    page = browser.open("admin")
    for scope, place in PAGES.values():
        if not scope.startswith("recipient:"):
            browser.go(page, place)
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    used = tools.send("Runtime.getHeapUsage")["usedSize"]
    show("heap, after every page", [used / 1e6], HEAP, "MB")
    page.context.close()


def sizes(browser):
    found = []
    for name, (scope, place) in PAGES.items():
        page = browser.open(scope, "arabic", place)
        paths = page.evaluate(
            "() => [...new Set(performance.getEntriesByType('resource').map(one => one.name)"
            ".filter(name => name.startsWith(location.origin + '/console/')))]")
        whole = b"".join(urllib.request.urlopen(path).read() for path in paths)
        found.append((len(gzip.compress(whole)), len(whole), name))
        page.context.close()
    packed, _, name = max(found)
    show("heaviest page by gzip, " + name, [packed], LOAD_PACKED, " B")
    _, plain, name = max(found, key=lambda one: one[1])
    show("heaviest page as it is, " + name, [plain], LOAD, " B")


def main(rounds):
    program = os.environ.get("BIN", ROOT + "/.build/release") + "/chimed"
    with tempfile.TemporaryDirectory() as directory:
        service = ConsoleService(program, ROOT + "/config/catalogs", directory)
        try:
            people(service)
            with sync_playwright() as playwright:
                browser = Browser(playwright, service)
                print("the console in Chromium, %d first visits" % rounds)
                times(browser, service, rounds)
                heap(browser)
                sizes(browser)
                browser.browser.close()
        finally:
            service.process.kill()
            service.process.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
