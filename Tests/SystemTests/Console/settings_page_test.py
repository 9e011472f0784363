"""Tests of the example settings-page in a browser. The page has a token of its person.

Usage: settings_page_test.py CHIMED CATALOGS DIRECTORY EXAMPLE
"""

import functools
import http.server
import json
import signal
import sys
import threading
import urllib.request

from playwright.sync_api import sync_playwright

from browser import Axe, CHROMIUM, TIMEOUT, Service, check

CONFIGURATION = """
default-zone: Europe/Berlin
sinks: {log: {type: jsonl, file: %s/deliveries}}
routes: {push: [log], sms: [log], inapp: [log]}
origins: %s
"""


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(directory):
    """Starts a server of the directory's files; returns its origin."""
    handler = functools.partial(Files, directory=directory)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://localhost:%d" % server.server_port


class Person:
    """A client with a recipient's token."""

    def __init__(self, service, name):
        self.service, self.name = service, name
        self.token = service.token("recipient:" + name)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            "http://127.0.0.1:%d%s" % (self.service.port, path), method=method,
            data=body and json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=40) as answer:
            return json.load(answer)

    def preferences(self):
        return self.ask("GET", "/v1/recipients/%s/preferences" % self.name)


def the_schema_is_drawn(page):
    titles = page.locator("form > fieldset > legend").all_text_contents()
    check(titles[0] == "Allgemein" and "Ruhezeit" in titles, "the sections are %s" % titles)
    locked = page.get_by_label("Immer an")
    check(locked.count() == 1 and locked.is_disabled(), "a locked switch can be changed")
    missing = page.get_by_label("Bietet dieser Dienst nicht an")
    check(missing.count() > 1, "channels without a sink are not marked")
    check(all(switch.is_disabled() for switch in missing.all()),
          "a channel without a sink can be switched on")


def quiet_hours(page):
    return page.locator("form > fieldset", has=page.get_by_text("Ruhezeit", exact=True))


def a_change_is_shown_then_saved(page, person):
    quiet = quiet_hours(page)
    quiet.get_by_label("Ruhezeit", exact=True).check()
    save = page.get_by_role("button", name="Save")
    save.wait_for()
    check(not person.preferences()["quietHours"]["enabled"], "a dry run has changed something")
    quiet.get_by_label("Von").fill("20:30")
    quiet.get_by_label("Von").dispatch_event("change")
    quiet.get_by_label("So", exact=True).uncheck()
    page.get_by_label("Höchstens pro Tag").fill("3")
    page.get_by_label("Höchstens pro Tag").dispatch_event("change")
    page.get_by_label("Vorschau").select_option("never")
    save.click()
    save.wait_for(state="detached")
    stored = person.preferences()
    hours = stored["quietHours"]
    check(hours["enabled"] and hours["start"] == "20:30", "quiet hours are %s" % hours)
    check(hours["days"] == ["mon", "tue", "wed", "thu", "fri", "sat"],
          "the days of the quiet hours are %s" % hours["days"])
    check(stored["caps"]["perDay"] == 3, "the cap is %s" % stored["caps"])
    check(stored["hints"]["preview"] == "never", "the preview is %s" % stored["hints"])
    check(quiet.get_by_label("Von").input_value() == "20:30", "the page shows an old value")


def a_refusal_is_shown(page, person):
    end = quiet_hours(page).get_by_label("Bis")
    end.fill("20:30")
    end.dispatch_event("change")
    alert = page.get_by_role("alert")
    alert.wait_for()
    check("cannot be the same" in alert.text_content(), "the alert is " + alert.text_content())
    page.get_by_role("button", name="Discard").click()
    alert.wait_for(state="detached")
    check(person.preferences()["quietHours"]["end"] == "08:00", "a refused change is stored")


def main(program, catalogs, directory, example):
    app = serve(example)
    file = directory + "/chimed.yaml"
    with open(file, "w") as configuration:
        configuration.write(CONFIGURATION % (directory, app))
    options = ["--config", file, "--catalog", "imanpath"]
    service = Service(program, catalogs, directory, options, sink=None, catalog="urbannest")
    try:
        person = Person(service, "layla")
        person.ask("POST", "/v1/events", {
            "specversion": "1.0", "id": "1", "source": "test", "type": "recipient.updated",
            "subject": "layla", "data": {"locale": "de"}})
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(locale="de")
            page.set_default_timeout(TIMEOUT)
            faults = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.goto("%s/index.html#url=http://127.0.0.1:%d&recipient=layla&token=%s"
                      % (app, service.port, person.token))
            page.locator("form legend").first.wait_for()
            the_schema_is_drawn(page)
            violations = Axe().run(page).response["violations"]
            faults += [violation["id"] for violation in violations]
            a_change_is_shown_then_saved(page, person)
            a_refusal_is_shown(page, person)
            check(not faults, "the page has faults: %s" % faults)
            browser.close()
    finally:
        service.end(signal.SIGTERM)
    print("the settings page shows, tries and saves settings")


main(*sys.argv[1:])
