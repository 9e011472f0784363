"""Prints waiting times of the console in Chromium over the loopback, beside their limits.
Every round is a browser's first visit without a cache. At the end a million people are reported in
batches, as by an app, and searched.

Usage: BIN=DIRECTORY console_benchmark.py [ROUNDS [PEOPLE]], where the directory has chimed; its
default is .build/release. PEOPLE is a million by default; 0 leaves out the search.
"""

import gzip
import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request

from playwright.sync_api import sync_playwright

from browser import Browser, ConsoleService, Socket, check
from console_test import LOAD, LOAD_PACKED, PAGES, people

ROOT = os.path.abspath(__file__).rsplit("/", 4)[0]
# The limits: of the first paint, the data and an explanation in milliseconds, of the heap in
# megabytes.
PAINT, DATA, WHY, HEAP = 300, 800, 150, 15
# The limit of each waiting time with a million people, in milliseconds.
SOON = 500
BATCH = 1_000
ZONES = ("Europe/Berlin", "Asia/Riyadh", "America/Vancouver", "Asia/Kathmandu", "UTC")
# Records the times at which the data, an explanation and the forecast are drawn.
WATCH = """() => {
  const seen = window.seen = {};
  const wanted = {
    data: '.tiles, .item', why: '.explanation', forecast: 'main details:not(.whys) > summary',
  };
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
# From the last typed letter until the person is on the page.
SEARCH = """wanted => new Promise(then => {
  const begun = performance.now();
  new MutationObserver((_, watch) => {
    if (!document.querySelector('tbody')?.textContent.startsWith(wanted)) return;
    watch.disconnect();
    requestAnimationFrame(() => then(performance.now() - begun));
  }).observe(document, {subtree: true, childList: true});
  const field = document.getElementById('person');
  field.value = wanted;
  field.dispatchEvent(new Event('input'));
})"""


def show(what, values, budget, unit="ms"):
    values = sorted(values)
    middle = statistics.median(values)
    print("%-44s %10.1f %10.1f %10d %-3s%s" % (
        what, middle, values[-1], budget, unit, "" if middle <= budget else "  TOO MUCH"),
        flush=True)


def visit(browser, service, scope, wanted):
    """A first visit: milliseconds to the first paint, and to all wanted content."""
    context = browser.browser.new_context()
    page = context.new_page()
    page.add_init_script("(%s)()" % WATCH)
    page.goto(service.address(scope))
    seen = {}
    for name in wanted:
        begun = 0
        if name == "why":
            page.evaluate(ASK)
            begun = page.evaluate("() => window.asked")
        page.wait_for_function("name => window.seen[name]", arg=name)
        seen[name] = page.evaluate("name => window.seen[name]", name) - begun
    seen["paint"] = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    return seen


def visits(browser, service, scope, wanted, rounds):
    """The figures of each round by wanted content. The first round is not counted."""
    all = [visit(browser, service, scope, wanted) for _ in range(rounds + 1)][1:]
    return {name: [one[name] for one in all] for name in all[0]}


def times(browser, service, rounds):
    for name, scope, wanted in (("overview", "admin", ("data",)),
                                ("my days", "recipient:layla", ("data", "why"))):
        found = visits(browser, service, scope, wanted, rounds)
        show(name + ": first paint", found["paint"], PAINT)
        show(name + ": data", found["data"], DATA)
        if "why" in found:
            show(name + ": why", found["why"], WHY)


def heap(browser):
    """The memory of one tab that has shown every page, in megabytes."""
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
        page = browser.open(scope, "arabic")
        paths = browser.files(page, place)
        whole = b"".join(urllib.request.urlopen(path).read() for path in paths)
        found.append((len(gzip.compress(whole)), len(whole), name))
        page.context.close()
    packed, _, name = max(found)
    show("heaviest page by gzip, " + name, [packed], LOAD_PACKED, "B")
    _, plain, name = max(found, key=lambda one: one[1])
    show("heaviest page as it is, " + name, [plain], LOAD, "B")


def name_of(number):
    return "burst-%07d" % number


def report(service, count):
    """Reports a first event of each person, and the time zone of a fifth of them."""
    connection = Socket(service.directory + "/socket")
    for first in range(0, count, BATCH):
        events = []
        for number in range(first, min(first + BATCH, count)):
            event = {"specversion": "1.0", "source": "burst", "id": "b%d" % number,
                     "type": "streak.started", "subject": name_of(number), "data": {}}
            events.append(event)
            if number % 5 == 0:
                zone = ZONES[number // 5 % len(ZONES)]
                events.append({**event, "id": "z%d" % number, "type": "recipient.updated",
                               "data": {"timezone": zone}})
        connection.request("POST", "/v1/events", json.dumps(events), {
            "Content-Type": "application/cloudevents-batch+json"})
        answer = connection.getresponse()
        content = answer.read()
        check(answer.status < 300, "a batch is refused: %s" % content[:500])


def among_many(browser, service, rounds, count):
    begun = time.monotonic()
    report(service, count)
    there = service.ask("GET", "/v1/status")["recipients"]
    check(there >= count, "only %d people are there" % there)
    print("%d people, reported in %.1f s" % (there, time.monotonic() - begun))
    found = visits(browser, service, "admin", ("data", "forecast"), rounds)
    show("overview: data", found["data"], SOON)
    show("overview: forecast", found["forecast"], SOON)
    page = browser.open("support", place="#/people")
    wanted = [name_of(count * (one + 1) // (rounds + 2)) for one in range(rounds + 1)]
    searches = [page.evaluate(SEARCH, one) for one in wanted][1:]
    show("search: the person is on the page", searches, SOON)
    page.context.close()


def main(rounds, count):
    program = os.environ.get("BIN", ROOT + "/.build/release") + "/chimed"
    with tempfile.TemporaryDirectory() as directory:
        service = ConsoleService(program, ROOT + "/config/catalogs", directory)
        try:
            people(service)
            with sync_playwright() as playwright:
                browser = Browser(playwright, service)
                print("%-44s %10s %10s %10s" % (
                    "in Chromium, %d first visits" % rounds, "p50", "most", "promised"))
                times(browser, service, rounds)
                heap(browser)
                sizes(browser)
                if count:
                    among_many(browser, service, rounds, count)
                browser.browser.close()
        finally:
            service.process.kill()
            service.process.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20,
         int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
