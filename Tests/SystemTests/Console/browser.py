"""Chromium, a service, and the checks of the console's tests."""

import http.client
import http.server
import json
import os
import socket
import sys
import threading

from axe_playwright_python.sync_playwright import Axe

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from openapi_client import Fault, Service, check  # noqa: E402

CHROMIUM = "/usr/bin/chromium"
# The timeout of each action of the browser, in milliseconds.
PATIENCE = 30_000
CONFIGURATION = """
default-zone: Europe/Berlin
sinks:
  log: {type: jsonl, file: %s/deliveries}
  broken: {type: exec, command: [/bin/sh, -c, "grep -q nora && exit 75; exit 65"]}
routes: {push: [log], email: [broken], sms: [log], inapp: [log]}
console: {images: pictures.example}
origins: %s
"""

# The browser's settings by profile.
PROFILES = {
    "light": {"viewport": {"width": 1240, "height": 900}},
    "dark": {"viewport": {"width": 1240, "height": 900}, "color_scheme": "dark"},
    "arabic": {"viewport": {"width": 1240, "height": 900}, "locale": "ar"},
    "phone": {"viewport": {"width": 320, "height": 640}, "locale": "de"},
}


class Socket(http.client.HTTPConnection):
    """The service's Unix socket, where the peer is trusted."""

    def __init__(self, path):
        super().__init__("localhost")
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)


class EmptyPage(http.server.BaseHTTPRequestHandler):
    """Answers every request with a page without content."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>App</title>")

    def log_message(self, *_):
        pass


def serve_page():
    """Returns the origin of a server of empty pages."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://localhost:%d" % server.server_port


class ConsoleService(Service):
    """chimed with recipients that have varied days and histories."""

    def __init__(self, program, catalogs, directory):
        # The origin of an app's pages.
        self.app = serve_page()
        file = directory + "/chimed.yaml"
        with open(file, "w") as configuration:
            configuration.write(CONFIGURATION % (directory, self.app))
        more = ["--config", file]
        for catalog in ("imanpath", "urbannest", "wellness"):
            more += ["--catalog", catalog]
        self.events = 0
        super().__init__(program, catalogs, directory, more, sink=None)

    @property
    def origin(self):
        return "http://127.0.0.1:%d" % self.port

    def ask(self, method, path, body=None):
        connection = Socket(self.directory + "/socket")
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        check(answer.status < 300, "%s %s: %s" % (method, path, content[:500]))
        return json.loads(content) if content else None

    def tell(self, person, kind, data):
        self.events += 1
        self.ask("POST", "/v1/events", {
            "specversion": "1.0", "id": "e%d" % self.events, "source": "test", "type": kind,
            "subject": person, "data": data})

    def address(self, scope):
        return self.origin + self.ask("POST", "/v1/console/tickets", {"scope": scope})["path"]


class Browser:
    """Pages without policy violations, errors, requests to other hosts and accessibility faults."""

    def __init__(self, playwright, service):
        self.service = service
        # As root, Chromium has no sandbox.
        self.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"])
        self.axe = Axe()

    def open(self, scope, profile="light", place=None):
        """Opens a page that is signed in, in a browser in another time zone."""
        context = self.browser.new_context(
            timezone_id="America/Vancouver", **PROFILES[profile])
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda message: page.faults.append(message.text)
                if "Security" in message.text or "Trusted" in message.text else None)
        page.on("request", lambda request: page.faults.append(request.url) if not
                request.url.startswith((self.service.origin, "data:", "blob:")) else None)
        page.goto(self.service.address(scope))
        page.wait_for_selector("#top nav a", state="attached")
        if place:
            self.go(page, place)
        return page

    def go(self, page, place):
        # Until the page handles its new address, the old content looks ready.
        page.evaluate(
            "place => { if (location.hash !== place) { location.hash = place;"
            " document.querySelector('main > *')?.setAttribute('data-left', ''); } }", place)
        self.wait(page, place)

    def wait(self, page, place):
        page.wait_for_function(
            "place => location.hash === place && document.querySelector('main h1')"
            " && !document.querySelector('main > [data-left]')"
            " && !document.querySelector('main [aria-busy]')", arg=place)

    def files(self, page, place):
        """Returns the console's files that a browser loads for a page."""
        self.go(page, place)
        page.reload()
        self.wait(page, place)
        return page.evaluate(
            "() => [...new Set(performance.getEntriesByType('resource').map(one => one.name)"
            ".filter(name => name.startsWith(location.origin + '/console/')))]")

    def look(self, page, name, directory):
        """Takes a screenshot, and checks the page's accessibility, its faults and its width."""
        page.screenshot(path="%s/%s.png" % (directory, name), full_page=True)
        found = self.axe.run(page, options={"resultTypes": ["violations"]})
        check(found.violations_count == 0, "%s: %s" % (name, found.generate_report()))
        check(page.faults == [], "%s: %s" % (name, page.faults))
        sizes = page.evaluate(
            "() => [document.documentElement.scrollWidth, innerWidth]")
        check(sizes[0] <= sizes[1], "%s is %d wide, the window %d" % (name, *sizes))

    def close(self, page):
        check(page.faults == [], "faults: %s" % page.faults)
        page.context.close()


def show_all_settings(page):
    """Opens the form with all settings. The form of the person's app is shown first."""
    page.click("text=All settings")
    page.wait_for_selector("text=Channels by category")


def follow(page, address, sign):
    """Opens an address as if typed, and waits for an element of its page."""
    page.evaluate("address => { location.hash = address }", address)
    page.wait_for_selector(sign)


__all__ = [
    "Browser", "ConsoleService", "Fault", "PATIENCE", "PROFILES", "check", "follow",
    "show_all_settings"]
