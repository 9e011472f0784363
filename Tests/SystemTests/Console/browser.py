"""The browser, the service and the common checks of the console's tests."""

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
TIMEOUT = 30_000
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
    """A connection to the service's Unix socket, over which this process is an administrator."""

    def __init__(self, path):
        super().__init__("localhost")
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)


class EmptyPage(http.server.BaseHTTPRequestHandler):
    """Answers every GET request with an empty page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>App</title>")

    def log_message(self, *_):
        pass


def serve_page():
    """Starts a server of empty pages; returns its origin."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://localhost:%d" % server.server_port


class ConsoleService(Service):
    """chimed as the console's tests need it: several catalogs, a working and a broken sink."""

    def __init__(self, program, catalogs, directory):
        # The origin of an app, which the configuration permits.
        self.app_origin = serve_page()
        file = directory + "/chimed.yaml"
        with open(file, "w") as configuration:
            configuration.write(CONFIGURATION % (directory, self.app_origin))
        options = ["--config", file]
        for catalog in ("imanpath", "urbannest", "wellness"):
            options += ["--catalog", catalog]
        self.event_count = 0
        super().__init__(program, catalogs, directory, options, sink=None)

    @property
    def origin(self):
        return "http://127.0.0.1:%d" % self.port

    def ask(self, method, path, body=None):
        """Sends a request, which must succeed; returns the JSON of the answer, if any."""
        connection = Socket(self.directory + "/socket")
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        check(answer.status < 300, "%s %s: %s" % (method, path, content[:500]))
        return json.loads(content) if content else None

    def report(self, person, kind, data):
        self.event_count += 1
        self.ask("POST", "/v1/events", {
            "specversion": "1.0", "id": "e%d" % self.event_count, "source": "test", "type": kind,
            "subject": person, "data": data})

    def sign_in_address(self, scope):
        """Returns an address that signs in once, by a new ticket."""
        return self.origin + self.ask("POST", "/v1/console/tickets", {"scope": scope})["path"]


class Browser:
    """Opens the console's pages. Records exceptions, violations of the content security policy, and
    requests to other hosts as faults of a page."""

    def __init__(self, playwright, service):
        self.service = service
        # Chromium refuses to run as root with its sandbox.
        self.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"])
        self.axe = Axe()

    def open(self, scope, profile="light", address=None):
        """Returns a page that is signed in with a scope. Its browser is in another time zone than
        the service and the people."""
        context = self.browser.new_context(
            timezone_id="America/Vancouver", **PROFILES[profile])
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda message: page.faults.append(message.text)
                if "Security" in message.text or "Trusted" in message.text else None)
        page.on("request", lambda request: page.faults.append(request.url) if not
                request.url.startswith((self.service.origin, "data:", "blob:")) else None)
        page.goto(self.service.sign_in_address(scope))
        page.wait_for_selector("#top nav a", state="attached")
        if address:
            self.go(page, address)
        return page

    def go(self, page, address):
        """Opens an address, and waits until its page is complete."""
        # The old content looks complete until the page handles its new address, so it is marked.
        page.evaluate(
            "address => { if (location.hash !== address) { location.hash = address;"
            " document.querySelector('main > *')?.setAttribute('data-left', ''); } }", address)
        self.wait(page, address)

    def wait(self, page, address):
        page.wait_for_function(
            "address => location.hash === address && document.querySelector('main h1')"
            " && !document.querySelector('main > [data-left]')"
            " && !document.querySelector('main [aria-busy]')", arg=address)

    def files(self, page, address):
        """Returns the URLs of the console's files that a browser loads for a page."""
        self.go(page, address)
        page.reload()
        self.wait(page, address)
        return page.evaluate(
            "() => [...new Set(performance.getEntriesByType('resource').map(file => file.name)"
            ".filter(name => name.startsWith(location.origin + '/console/')))]")

    def check_page(self, page, name, directory):
        """Takes a screenshot, and checks the page's accessibility, its faults and its width."""
        page.screenshot(path="%s/%s.png" % (directory, name), full_page=True)
        result = self.axe.run(page, options={"resultTypes": ["violations"]})
        check(result.violations_count == 0, "%s: %s" % (name, result.generate_report()))
        check(page.faults == [], "%s: %s" % (name, page.faults))
        sizes = page.evaluate(
            "() => [document.documentElement.scrollWidth, innerWidth]")
        check(sizes[0] <= sizes[1], "%s is %d px wide, the window %d px" % (name, *sizes))

    def close(self, page):
        check(page.faults == [], "faults: %s" % page.faults)
        page.context.close()


def show_all_settings(page):
    """Opens the form with all settings. A page first shows the form of the person's app."""
    page.click("text=All settings")
    page.wait_for_selector("text=Channels by category")


def follow(page, address, selector):
    """Opens an address as if a user had typed it, and waits for an element of its page."""
    page.evaluate("address => { location.hash = address }", address)
    page.wait_for_selector(selector)


__all__ = [
    "Browser", "ConsoleService", "Fault", "TIMEOUT", "PROFILES", "check", "follow",
    "show_all_settings"]
