"""The page of nodes, and the nodes on the overview. The responses of a fleet are simulated, because
the service of these tests has a store on SQLite and therefore no fleet."""

import json
import re

from browser import PROFILES, check

STATES = ("serving", "draining", "silent", "gone", "fenced")


def fleet_document():
    """Returns a fleet with a node in each state. The first two nodes own shards, and one shard has
    no owner."""
    nodes = [{
        "node": "%x" % (0xa0 + number), "name": "node-%d" % number, "version": "0.1.0",
        "address": "" if number == 4 else "https://10.0.0.%d:7412" % number,
        "standing": state, "heartbeat": None if number == 4 else "2026-03-02T02:00:00.000Z",
        "age": None if number == 4 else 0.2 + 3 * number, "connected": number < 3,
        "draining": number == 1, "fenced": number == 4, "shards": (20, 11, 0, 0, 0)[number],
    } for number, state in enumerate(STATES)]
    owners = ["a0"] * 20 + ["a1"] * 11 + [None]
    return {
        "now": "2026-03-02T02:00:00.000Z", "node": "a0", "lease": 5, "skew": 0.003,
        "skewed": True, "trusted": True, "nodes": nodes, "free": [31],
        "differences": ["zones", "catalogs"],
        "shards": [{"shard": number, "node": owner, "epoch": 2}
                   for number, owner in enumerate(owners)],
    }


def simulate_fleet(page, fleet):
    page.route("**/v1/fleet", lambda route: route.fulfill(json=fleet))


def the_nodes_of_a_fleet_can_be_seen(browser, pictures):
    for profile in PROFILES:
        page = browser.open("admin", profile, "#/fleet")
        check(page.locator("[role=alert]").count() == 1, "a service on SQLite has a fleet")
        browser.check_page(page, "nofleet-" + profile, pictures)
        simulate_fleet(page, fleet_document())
        page.locator("[role=alert] button").click()
        page.wait_for_selector("main table")
        browser.check_page(page, "fleet-" + profile, pictures)
        browser.close(page)


def a_node_is_drained_by_keyboard(browser, service):
    fleet = fleet_document()
    requests = []

    def change(route):
        verb = route.request.url.split("/")[-1]
        requests.append(route.request.url.split("/v1/")[-1])
        fleet["nodes"][0]["draining"] = verb == "drain"
        fleet["nodes"][0]["standing"] = "draining" if verb == "drain" else "serving"
        route.fulfill(json={"node": "a0", "name": "node-0", "draining": verb == "drain"})

    page = browser.open("admin")
    simulate_fleet(page, fleet)
    page.route("**/v1/fleet/nodes/**", change)
    confirmations = []
    page.on("dialog", lambda dialog: (confirmations.append(dialog.message), dialog.accept()))
    browser.go(page, "#/fleet")
    text = page.inner_text("main")
    for words in ("node-0 (a0)", "0–19", "20–30", "9 seconds ago", "Shards without an owner: 31"):
        check(words in text, "%r is not in %s" % (words, text))
    drain = page.get_by_role("button", name="Drain: node-0")
    drain.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#toast >> text=node-0 is draining")
    page.get_by_role("button", name="Undo drain: node-0").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#toast >> text=node-0 accepts shards again")
    check(requests == ["fleet/nodes/a0/drain", "fleet/nodes/a0/undrain"],
          "the requests are %s" % requests)
    check(len(confirmations) == 1 and "node-0" in confirmations[0],
          "the confirmations are %s" % confirmations)
    check(page.locator("tbody tr", has_text="node-4").get_by_role("button").count() == 0,
          "an evicted node can be drained")
    browser.close(page)
    page = browser.open("observer")
    simulate_fleet(page, fleet)
    browser.go(page, "#/fleet")
    check(page.locator("main button").count() == 0, "an observer can drain nodes")
    browser.close(page)


def the_overview_shows_the_state_of_the_fleet(browser, service):
    status = service.ask("GET", "/v1/status")
    check(status["fleet"] is None, "a service on SQLite has a fleet")
    page = browser.open("observer")
    page.wait_for_selector(".tiles")
    check(page.get_by_role("heading", name="Nodes").count() == 0, "nodes are shown without a fleet")
    status["fleet"] = {
        "node": "a0", "nodes": 3, "silent": 1, "gone": 0, "draining": 0, "shards": 32, "own": 20,
        "free": 1, "takers": 2, "skew": 0.003, "skewed": False, "trusted": True,
        "differences": ["zones", "default-zone"], "differingLeases": [], "skewedNodes": [],
        "sharedNames": [],
    }
    status["setAside"] = ["chimed.sqlite.before-1"]
    page.route("**/v1/status", lambda route: route.fulfill(body=json.dumps(status)))
    page.route(re.compile("/v1/.*/stream"), lambda route: route.abort())
    page.reload()
    page.wait_for_selector("text=This node owns 20 of 32 shards")
    text = page.inner_text("main")
    for words in ("1 of 32 shards has no owner", "1 of 3 nodes is down",
                  "Nodes differ in tz database, default zone", "chimed.sqlite.before-1"):
        check(words in text, "%r is not in %s" % (words, text))
    page.click("text=3 nodes in total")
    page.wait_for_selector("h1 >> text=Nodes")
    page.context.close()


__all__ = [
    "a_node_is_drained_by_keyboard", "the_nodes_of_a_fleet_can_be_seen",
    "the_overview_shows_the_state_of_the_fleet"]
