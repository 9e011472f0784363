"""A service with three sinks, on SQLite or PostgreSQL, and the receivers of its webhooks."""

import base64
import ctypes
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import subprocess
import threading

from fleet import Fleet, Node, Unavailable, free_port, wait_until

# The channel of each sink.
CHANNELS = {"hook": "push", "other": "email", "lines": "sms"}
# The sinks that may fail; the remaining one never does.
FAILING = ["hook", "other"]
# The timeout in seconds of a request to a webhook.
WEBHOOK_TIMEOUT = 2
CATALOG = """catalog: parts
categories:
  HOOK: {title: Hook, urgency: normal, channels: {push: true}}
  OTHER: {title: Other, urgency: normal, channels: {email: true}}
  LINES: {title: Lines, urgency: normal, channels: {sms: true}}
groups: {}
reminders: {}
"""
KEY = b"0123456789abcdef01234567"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
OTHER_SECRET = "whsec_" + base64.b64encode(bytes(24)).decode()


def sink_of(number):
    """Returns the sink that carries the notification of an event."""
    return list(CHANNELS)[number % len(CHANNELS)]


class Receiver:
    """The receiver of a webhook. It records what it accepts, and fails on request."""

    def __init__(self, record):
        self.record, self.mode, self.port = record, 204, free_port()
        self.release = threading.Event()
        self.server = None
        self.listen()

    def listen(self):
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.answer(self, body)

            def log_message(self, *_):
                pass

        self.server = Listener(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, request, body):
        if self.mode == "hang":
            return self.release.wait(60)
        status = self.mode if is_signed(request.headers, body) else 401
        if status == 204:
            self.record(json.dumps(json.loads(body)["data"]))
        request.send_response(status)
        request.end_headers()

    def fail(self, mode):
        self.release.clear()
        self.mode = mode
        if mode == "refuse":
            self.close()

    def heal(self):
        was_closed, self.mode = self.mode == "refuse", 204
        self.release.set()
        if was_closed:
            wait_until(self.can_listen, 5)

    def can_listen(self):
        try:
            self.listen()
            return True
        except OSError:
            return False

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def is_signed(headers, body):
    """Returns whether a request has a valid signature by Standard Webhooks 1.0."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    return f"v1,{digest}" in headers["webhook-signature"].split()


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    # Closing the listener does not wait for requests that hang.
    block_on_close = False

    def handle_error(self, *_):
        pass  # The service may close a connection at any time.


class Service(Node):
    """The process of the service, its configuration and its store."""

    def __init__(self, store, name):
        super().__init__(store, name)
        self.port, self.starts = free_port(), 0
        self.state = self.directory / "state"
        self.state.mkdir()
        self.catalog = store.directory / "soak.yaml"
        self.membership = store.membership(name)
        for sink in FAILING:
            self.secret(sink).write_text(SECRET + "\n")

    def start(self):
        self.starts += 1
        super().start()

    def secret(self, sink):
        return self.directory / f"{sink}.secret"

    def configure(self, receivers):
        sinks = "".join(f"""
  {name}: {{type: webhook, url: "http://127.0.0.1:{receiver.port}/", allow: 127.0.0.0/8,
    secret: {{file: {self.secret(name)}}}, deadline: {WEBHOOK_TIMEOUT}s}}"""
                        for name, receiver in receivers.items())
        self.configuration.write_text(f"""
state-directory: {self.state}
socket: {self.directory}/socket
listen: 127.0.0.1:{self.port}
{self.membership}
catalogs: [{self.catalog}]
sinks:{sinks}
  lines: {{type: jsonl, file: {self.deliveries}}}
routes: {{push: [hook, lines], email: [other, lines], sms: [lines]}}
""")

    def is_ready(self):
        try:
            return self.ask("GET", "/readyz", timeout=2)[0] == 200
        except Unavailable:
            return False

    def status(self):
        """Returns the status; only {"problem": …} if there is no valid answer."""
        try:
            status, document = self.ask("GET", "/v1/status", timeout=3)
            return document if status == 200 else {"problem": document}
        except Unavailable as error:
            return {"problem": str(error)}

    def lane(self, sink):
        """Returns a sink's lane from the status; None if there is no valid answer."""
        lanes = self.status().get("lanes", [])
        return next((lane for lane in lanes if lane["sink"] == sink), None)

    def unavailable(self):
        """Returns the sinks that could not be created and the reasons, as a text from /readyz."""
        try:
            return " ".join(self.ask("GET", "/readyz", timeout=3)[1].get("unavailable", []))
        except Unavailable:
            return ""

    def reload(self):
        """Reloads the configuration; returns chimectl's exit status and its error."""
        run = subprocess.run(
            [pathlib.Path(self.program).with_name("chimectl"), "reload",
             "--socket", f"{self.directory}/socket"],
            capture_output=True, text=True, timeout=60)
        return run.returncode, run.stderr.strip()

    def token(self, scope):
        status, answer = self.ask("POST", "/v1/tokens", {"name": scope, "scope": scope})
        if status != 201:
            raise SystemExit(f"error: no token of the scope {scope}: {answer}")
        return answer["token"]

    def log_size(self):
        return (self.directory / "log").stat().st_size

    def has_logged(self, text, since):
        with open(self.directory / "log", "rb") as log:
            log.seek(since)
            return text.encode() in log.read()


class FileStore(Fleet):
    """One service on SQLite, without a PostgreSQL server."""

    catalog, node_kind = CATALOG, Service
    disk = "256m"

    def __init__(self, program, receivers):
        super().__init__(program, ["one"])
        self.receivers, self.has_disk = receivers, False

    def membership(self, name):
        return ""

    def begin(self):
        (self.directory / "soak.yaml").write_text(self.catalog)
        service = Service(self, "one")
        self.nodes = {"one": service}
        self.has_disk = mount_disk(service.state, self.disk)
        service.configure(self.receivers)
        service.start()

    def remove(self):
        if self.has_disk:
            subprocess.run(["umount", "--lazy", self.nodes["one"].state], check=True)
        super().remove()


class ServerStore(Fleet):
    """One node on a PostgreSQL server that a test can interrupt."""

    catalog, has_standby, has_disk = CATALOG, False, False

    def __init__(self, program, receivers):
        super().__init__(program, ["one"])
        self.receivers = receivers

    def node_kind(self, store, name):
        service = Service(store, name)
        service.configure(self.receivers)
        return service

    def is_whole(self):
        return self.shard_counts("one") is not None

    def end_idle(self):
        """Ends the idle sessions: those that wait for the next statement."""
        self.server.run(
            "psql", "--host", str(self.server.directory), "--username=chimed", "--command",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE state = 'idle' AND pid <> pg_backend_pid()", "postgres")


# Only this process and its children see mounts of the following functions. The mounts end with
# these processes.

def separate_mounts():
    """Gives this process its own mounts, invisible to others; returns whether that succeeded."""
    if os.geteuid() != 0 or ctypes.CDLL(None).unshare(0x00020000) != 0:
        return False
    command = ["mount", "--make-rprivate", "/"]
    return subprocess.run(command, capture_output=True).returncode == 0


def mount_disk(directory, size):
    if not separate_mounts():
        print("skipped: to fill a disk, run the test as root with the right to mount", flush=True)
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "small", str(directory)]
    return subprocess.run(command, capture_output=True).returncode == 0


def fill_disk(directory):
    with open(directory / "filler", "ab", buffering=0) as filler:
        for size in (1 << 20, 1 << 12):
            try:
                while filler.write(b"\0" * size):
                    pass
            except OSError:
                continue


def free_disk(directory):
    (directory / "filler").unlink(missing_ok=True)
