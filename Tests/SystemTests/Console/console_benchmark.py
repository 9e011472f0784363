"""Measures the console's waiting times in Chromium over the loopback, and prints them with their
limits. In each round, a browser without a cache visits a page. At the end, the script reports
events of a million people in batches, and searches for people.

Usage: BIN=DIRECTORY console_benchmark.py [ROUNDS [PEOPLE]]

BIN is the directory of chimed, by default .build/release. ROUNDS is 20 by default. PEOPLE is a
million by default; with 0, the script measures nothing with many people.
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
from console_test import LOAD_MAX, PACKED_LOAD_MAX, PAGES, report_sample_people

ROOT = os.path.abspath(__file__).rsplit("/", 4)[0]
# The limits in milliseconds until the first paint, until the data, and until an explanation.
PAINT_MAX, DATA_MAX, EXPLANATION_MAX = 300, 800, 150
# The limit of the heap in megabytes.
HEAP_MAX = 15
# The limit in milliseconds of each waiting time with many people.
WAIT_MAX = 500
BATCH_SIZE = 1_000
ZONES = ("Europe/Berlin", "Asia/Riyadh", "America/Vancouver", "Asia/Kathmandu", "UTC")
# Records the times at which data, an explanation and the forecast are drawn, in `drawnAt` by name.
WATCH = """() => {
  const drawnAt = window.drawnAt = {};
  const selectors = {
    data: '.tiles, .item', why: '.explanation', forecast: 'main details:not(.whys) > summary',
  };
  new MutationObserver(() => {
    for (const [name, selector] of Object.entries(selectors)) {
      if (name in drawnAt || !document.querySelector(selector)) continue;
      drawnAt[name] = 0;
      requestAnimationFrame(() => { drawnAt[name] = performance.now(); });
    }
  }).observe(document, {subtree: true, childList: true});
}"""
# Opens the first explanation.
EXPLAIN = """() => {
  const summary = document.querySelector('.whys summary');
  window.startedAt = performance.now();
  summary.click();
}"""
# Enters a person's id and returns the milliseconds until the page shows the person.
SEARCH = """id => new Promise(resolve => {
  const start = performance.now();
  new MutationObserver((_, observer) => {
    if (!document.querySelector('tbody')?.textContent.startsWith(id)) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - start));
  }).observe(document, {subtree: true, childList: true});
  const field = document.getElementById('person');
  field.value = id;
  field.dispatchEvent(new Event('input'));
})"""


def show(name, values, limit, unit="ms"):
    """Prints a line with the median, the maximum and the limit of the values."""
    median = statistics.median(values)
    print("%-44s %10.1f %10.1f %10d %-3s%s" % (
        name, median, max(values), limit, unit, "" if median <= limit else "  TOO MUCH"),
        flush=True)


def visit(browser, service, scope, contents):
    """Visits the first page of a scope with a new browser. Returns the milliseconds until its first
    paint, as "paint", and until each of the contents, by the names in WATCH."""
    context = browser.browser.new_context()
    page = context.new_page()
    page.add_init_script("(%s)()" % WATCH)
    page.goto(service.sign_in_address(scope))
    times = {}
    for name in contents:
        start = 0
        if name == "why":
            page.evaluate(EXPLAIN)
            start = page.evaluate("() => window.startedAt")
        page.wait_for_function("name => window.drawnAt[name]", arg=name)
        times[name] = page.evaluate("name => window.drawnAt[name]", name) - start
    times["paint"] = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    return times


def visits(browser, service, scope, contents, rounds):
    """Returns the times of several visits, by content. An additional first visit is not counted."""
    results = [visit(browser, service, scope, contents) for _ in range(rounds + 1)][1:]
    return {name: [result[name] for result in results] for name in results[0]}


def measure_times(browser, service, rounds):
    for name, scope, contents in (("overview", "admin", ("data",)),
                                  ("my days", "recipient:layla", ("data", "why"))):
        times = visits(browser, service, scope, contents, rounds)
        show(name + ": first paint", times["paint"], PAINT_MAX)
        show(name + ": data", times["data"], DATA_MAX)
        if "why" in times:
            show(name + ": explanation", times["why"], EXPLANATION_MAX)


def measure_heap(browser):
    """Measures the heap of a tab that has shown every page of an administrator."""
    page = browser.open("admin")
    for scope, address in PAGES.values():
        if not scope.startswith("recipient:"):
            browser.go(page, address)
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    used = tools.send("Runtime.getHeapUsage")["usedSize"]
    show("heap, after every page", [used / 1e6], HEAP_MAX, "MB")
    page.context.close()


def measure_sizes(browser):
    """Measures the bytes that a browser loads for the heaviest page."""
    sizes = []
    for name, (scope, address) in PAGES.items():
        page = browser.open(scope, "arabic")
        paths = browser.files(page, address)
        content = b"".join(urllib.request.urlopen(path).read() for path in paths)
        sizes.append((len(gzip.compress(content)), len(content), name))
        page.context.close()
    packed_size, _, name = max(sizes)
    show("heaviest page compressed by gzip, " + name, [packed_size], PACKED_LOAD_MAX, "B")
    _, size, name = max(sizes, key=lambda triple: triple[1])
    show("heaviest page uncompressed, " + name, [size], LOAD_MAX, "B")


def name_of(number):
    return "burst-%07d" % number


def report(service, count):
    """Reports an event of each person, and the time zone of every fifth one."""
    connection = Socket(service.directory + "/socket")
    for first in range(0, count, BATCH_SIZE):
        events = []
        for number in range(first, min(first + BATCH_SIZE, count)):
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


def measure_with_many(browser, service, rounds, count):
    """Measures the overview and the search after events of `count` people were reported."""
    start = time.monotonic()
    report(service, count)
    stored_count = service.ask("GET", "/v1/status")["recipients"]
    check(stored_count >= count, "only %d people are in the store" % stored_count)
    print("%d people, reported in %.1f s" % (stored_count, time.monotonic() - start))
    times = visits(browser, service, "admin", ("data", "forecast"), rounds)
    show("overview: data", times["data"], WAIT_MAX)
    show("overview: forecast", times["forecast"], WAIT_MAX)
    page = browser.open("support", address="#/people")
    names = [name_of(count * (number + 1) // (rounds + 2)) for number in range(rounds + 1)]
    searches = [page.evaluate(SEARCH, name) for name in names][1:]
    show("search: the person is on the page", searches, WAIT_MAX)
    page.context.close()


def main(rounds, count):
    program = os.environ.get("BIN", ROOT + "/.build/release") + "/chimed"
    with tempfile.TemporaryDirectory() as directory:
        service = ConsoleService(program, ROOT + "/config/catalogs", directory)
        try:
            report_sample_people(service)
            with sync_playwright() as playwright:
                browser = Browser(playwright, service)
                print("%-44s %10s %10s %10s" % (
                    "in Chromium, %d first visits" % rounds, "p50", "maximum", "limit"))
                measure_times(browser, service, rounds)
                measure_heap(browser)
                measure_sizes(browser)
                if count:
                    measure_with_many(browser, service, rounds, count)
                browser.browser.close()
        finally:
            service.process.kill()
            service.process.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20,
         int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
