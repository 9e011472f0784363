"""The page of nodes, with simulated responses of a fleet. The service of these tests has a store in
a file, and responds that there is no fleet."""

import json
import re

from browser import PROFILES, check

STANDINGS = ("serving", "draining", "silent", "gone", "fenced")


def a_fleet():
    """Nodes of every standing. The first two own shards, and one shard is free."""
    nodes = [{
        "node": "%x" % (0xa0 + number), "name": "node-%d" % number, "version": "0.1.0",
        "address": "" if number == 4 else "https://10.0.0.%d:7412" % number,
        "standing": standing, "heartbeat": None if number == 4 else "2026-03-02T02:00:00.000Z",
        "age": None if number == 4 else 0.2 + 3 * number, "connected": number < 3,
        "draining": number == 1, "fenced": number == 4, "shards": (20, 11, 0, 0, 0)[number],
    } for number, standing in enumerate(STANDINGS)]
    owners = ["a0"] * 20 + ["a1"] * 11 + [None]
    return {
        "now": "2026-03-02T02:00:00.000Z", "node": "a0", "lease": 5, "skew": 0.003,
        "skewed": True, "trusted": True, "nodes": nodes, "free": [31],
        "differences": ["zones", "catalogs"],
        "shards": [{"shard": number, "node": owner, "epoch": 2}
                   for number, owner in enumerate(owners)],
    }


def answering(page, fleet):
    page.route("**/v1/fleet", lambda route: route.fulfill(json=fleet))


def the_nodes_of_a_fleet_can_be_seen(browser, pictures):
    for profile in PROFILES:
        page = browser.open("admin", profile, "#/fleet")
        check(page.locator("[role=alert]").count() == 1, "a service by itself has a fleet")
        browser.look(page, "nofleet-" + profile, pictures)
        answering(page, a_fleet())
        page.locator("[role=alert] button").click()
        page.wait_for_selector("main table")
        browser.look(page, "fleet-" + profile, pictures)
        browser.close(page)


def a_node_is_drained_by_keys(browser, service):
    fleet = a_fleet()
    done = []

    def write(route):
        verb = route.request.url.split("/")[-1]
        done.append(route.request.url.split("/v1/")[-1])
        fleet["nodes"][0]["draining"] = verb == "drain"
        fleet["nodes"][0]["standing"] = "draining" if verb == "drain" else "serving"
        route.fulfill(json={"node": "a0", "name": "node-0", "draining": verb == "drain"})

    page = browser.open("admin")
    answering(page, fleet)
    page.route("**/v1/fleet/nodes/**", write)
    said = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.accept()))
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
    check(done == ["fleet/nodes/a0/drain", "fleet/nodes/a0/undrain"], "asked is %s" % done)
    check(len(said) == 1 and "node-0" in said[0], "no confirmation: %s" % said)
    check(page.locator("tbody tr", has_text="node-4").get_by_role("button").count() == 0,
          "an evicted node can be drained")
    browser.close(page)
    page = browser.open("observer")
    answering(page, fleet)
    browser.go(page, "#/fleet")
    check(page.locator("main button").count() == 0, "observers may drain")
    browser.close(page)


def the_overview_shows_the_state_of_the_fleet(browser, service):
    status = service.ask("GET", "/v1/status")
    check(status["fleet"] is None, "a service by itself has a fleet")
    page = browser.open("observer")
    page.wait_for_selector(".tiles")
    check(page.get_by_role("heading", name="Nodes").count() == 0, "a single node is listed")
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
    "a_node_is_drained_by_keys", "the_nodes_of_a_fleet_can_be_seen",
    "the_overview_shows_the_state_of_the_fleet"]
