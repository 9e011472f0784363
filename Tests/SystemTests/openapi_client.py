"""A client of chimed that follows the service's description, /openapi.json.

It starts the service, reports events, and reads and changes data. It follows a recipient's stream
while the service is killed and stopped, and checks that every notification arrives exactly once.
All requests and answers are validated against the description.

Usage: openapi_client.py CHIMED CATALOGS DIRECTORY
"""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

EVENTS = 240
# The timeout of each request and of each wait, in seconds.
TIMEOUT = 40


class Fault(Exception):
    """A failed check."""


def check(condition, fault):
    """Raises a Fault with the text `fault` unless the condition is met."""
    if not condition:
        raise Fault(fault)


# The service


class Service:
    """The process of chimed, which may be killed and started again at the same address."""

    def __init__(self, program, catalogs, directory, options=(), sink="jsonl", catalog="rooms"):
        self.directory = directory
        self.command = [
            program, "serve", "--state-directory", directory + "/state",
            "--socket", directory + "/socket", "--catalog", catalog, *options,
        ]
        if sink:
            self.command += ["--sink", sink + ":" + directory + "/deliveries"]
        self.environment = {
            "CHIMED_CATALOGS": catalogs, "PATH": "/usr/bin:/bin",
            "CREDENTIALS_DIRECTORY": directory + "/credentials"}
        # The first start chooses a free port, and later starts use it again.
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command + ["--listen", "127.0.0.1:%d" % self.port],
            env=self.environment, stderr=subprocess.PIPE, text=True)
        log = ""
        for line in self.process.stderr:
            log += line
            match = re.search(r"serving on .*127\.0\.0\.1:(\d+)", line)
            if match:
                self.port = int(match.group(1))
                # Reads all further output, so that the service never blocks on the pipe.
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return
        raise Fault("the service did not start: " + log)

    def end(self, signal_number):
        """Ends the process by a signal; returns its exit status."""
        self.process.send_signal(signal_number)
        return self.process.wait(TIMEOUT)

    def token(self, scope):
        """Creates and returns a token, which is possible only over the Unix socket."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.directory + "/socket")
        body = json.dumps({"name": "test", "scope": scope})
        connection.request("POST", "/v1/tokens", body, {"Content-Type": "application/json"})
        return json.load(connection.getresponse())["token"]


# The description


class Description:
    """The content of /openapi.json."""

    def __init__(self, document):
        self.document = document
        self.operations = {}
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                self.operations[operation["operationId"]] = (method.upper(), path, operation)

    def resolved(self, schema):
        """Returns a schema itself; for a reference, the schema to which it leads."""
        while "$ref" in schema:
            target = self.document
            for name in schema["$ref"].split("/")[1:]:
                target = target[name]
            schema = target
        return schema

    def faults(self, value, schema, path="$"):
        """Returns a text for each part of a value that violates the schema."""
        schema = self.resolved(schema)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                matching = [s for s in schema[keyword] if not self.faults(value, s, path)]
                if len(matching) == 0 or (keyword == "oneOf" and len(matching) > 1):
                    return ["%s matches %d schemas of %s" % (path, len(matching), keyword)]
        if "const" in schema and value != schema["const"]:
            return ["%s is not %r" % (path, schema["const"])]
        if "enum" in schema and value not in schema["enum"]:
            return ["%s is %r, which is not in the enum" % (path, value)]
        kinds = {
            "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
            "integer": int, "number": (int, float),
        }
        kind = schema.get("type")
        if kind and not isinstance(value, kinds[kind]):
            return ["%s is not of the type %s" % (path, kind)]
        if isinstance(value, dict):
            return self.member_faults(value, schema, path)
        if isinstance(value, list):
            items = schema.get("items", {})
            return [f for i, item in enumerate(value)
                    for f in self.faults(item, items, "%s[%d]" % (path, i))]
        if isinstance(value, str):
            matches = re.search(schema.get("pattern", ""), value)
            if schema.get("format") == "date-time":
                matches = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value)
            return [] if matches else ["%s has the invalid format %r" % (path, value)]
        return []

    def member_faults(self, value, schema, path):
        properties = schema.get("properties", {})
        faults = ["%s.%s is missing" % (path, name)
                  for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in properties:
                faults += self.faults(member, properties[name], "%s.%s" % (path, name))
            elif schema.get("additionalProperties") is False:
                faults.append("%s.%s is not described" % (path, name))
            elif "additionalProperties" in schema:
                faults += self.faults(
                    member, schema["additionalProperties"], "%s.%s" % (path, name))
        return faults


class Client:
    """Calls operations by their names in the description."""

    def __init__(self, service, token, description=None):
        self.service = service
        self.token = token
        self.description = description

    def open(self, name, path=None, query=None, headers=None, body=None, kind=None):
        """Checks that all parts of a request are described, sends it, and returns the response."""
        method, template, operation = self.description.operations[name]
        parameters = {(p["in"], p["name"]) for p in operation.get("parameters", [])}
        for location, values in (("path", path), ("query", query), ("header", headers)):
            for parameter in values or {}:
                check((location, parameter) in parameters,
                      "%s: the %s parameter %s is not described" % (name, location, parameter))
        if kind:
            check(kind in operation["requestBody"]["content"],
                  "%s: a body of the type %s is not described" % (name, kind))
        address = template
        for parameter, value in (path or {}).items():
            quoted = urllib.parse.quote(value, safe="")
            address = address.replace("{%s}" % parameter, quoted)
        check("{" not in address, "%s: %s lacks a value" % (name, address))
        if query:
            address += "?" + urllib.parse.urlencode(query)
        fields = dict(headers or {})
        if self.token:
            fields["Authorization"] = "Bearer " + self.token
        if kind:
            fields["Content-Type"] = kind
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=TIMEOUT)
        connection.request(method, address, body, fields)
        return connection.getresponse()

    def call(self, name, status, path=None, query=None, headers=None, body=None,
             kind="application/json"):
        """Calls an operation and returns the value and the headers of the answer. Its status must
        be `status`, or one of the tuple `status`."""
        if body is None:
            kind = None
        elif not isinstance(body, str):
            body = json.dumps(body)
        with self.open(name, path, query, headers, body, kind) as response:
            text = response.read()
            statuses = status if isinstance(status, tuple) else (status,)
            check(response.status in statuses,
                  "%s answered %d: %s" % (name, response.status, text.decode()))
            return self.value(name, response, text), response.headers

    def value(self, name, response, text):
        """Validates and returns an answer: a JSON value, or a text for other types."""
        operation = self.description.operations[name][2]
        answer = operation["responses"].get(str(response.status))
        check(answer, "%s: the status %d is not described" % (name, response.status))
        kind = response.headers["Content-Type"]
        content = answer.get("content", {}).get(kind)
        check(content, "%s: %s is not described" % (name, kind))
        if not kind.endswith("json") or kind.endswith("ndjson"):
            return text.decode()
        value = json.loads(text)
        faults = self.description.faults(value, content["schema"])
        check(not faults, "%s: %s" % (name, faults))
        return value


# The stream


class Follower(threading.Thread):
    """Follows a recipient's stream of deliveries. When the stream ends, the thread reconnects after
    the service's retry time, and continues after the last event."""

    def __init__(self, client, recipient):
        super().__init__(daemon=True)
        self.client = client
        self.path = {"recipient": recipient}
        self.last_event_id = None
        self.retry = 0.1
        self.events = []
        # The reasons of the events named "end".
        self.end_reasons = []
        self.connections = 0
        self.fault = None
        self.changed = threading.Condition()
        self.should_end = False

    def run(self):
        while not self.should_end:
            try:
                self.connect()
            except (OSError, http.client.HTTPException):
                pass
            except Fault as fault:
                self.fault = fault
                return
            time.sleep(self.retry)

    def connect(self):
        headers = {"Last-Event-ID": self.last_event_id} if self.last_event_id else None
        with self.client.open("stream", self.path, headers=headers) as response:
            if response.status != 200:
                text = response.read()
                raise Fault("the stream answered %d: %s" % (response.status, text.decode()))
            kind = response.headers["Content-Type"]
            check(kind == "text/event-stream", "the stream has the type %s" % kind)
            with self.changed:
                self.connections += 1
            block = []
            for line in response:
                text = line.decode().rstrip("\n")
                if text:
                    block.append(text)
                    continue
                self.handle_event(block)
                block = []

    def handle_event(self, block):
        fields = {}
        for line in block:
            name, _, value = line.partition(":")
            fields[name] = value[1:] if value.startswith(" ") else value
        with self.changed:
            if "retry" in fields:
                self.retry = int(fields["retry"]) / 1000
            if "id" in fields:
                self.last_event_id = fields["id"]
            if "data" in fields:
                data = json.loads(fields["data"])
                if fields.get("event") == "notification":
                    schema = {"$ref": "#/components/schemas/Delivery"}
                    faults = self.client.description.faults(data, schema)
                    check(not faults, "a delivery violates its schema: %s" % faults)
                    self.events.append((fields["id"], data))
                elif fields.get("event") == "end":
                    self.end_reasons.append(data["reason"])
            self.changed.notify_all()

    def wait(self, condition):
        """Waits until the condition is met for this object."""
        with self.changed:
            is_met = self.changed.wait_for(lambda: self.fault or condition(self), TIMEOUT)
        if self.fault:
            raise self.fault
        check(is_met, "the stream has sent only %d events" % len(self.events))


# The client


def event(identifier, kind, recipient, data):
    return {"specversion": "1.0", "id": identifier, "source": "client", "type": kind,
            "subject": recipient, "data": data}


def notification_request(number, recipient):
    return event("notification-%d" % number, "notification.requested", recipient, {
        "category": "ROOM_LIKE", "title": "n%d" % number, "body": "Number %d" % number,
        "channels": ["inapp", "push"]})


def report(backend, number, recipient):
    """Sends an event repeatedly until it is acknowledged. A repetition has no effect if an earlier
    attempt was accepted."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            backend.call("sendEvents", (200, 202), body=notification_request(number, recipient))
            return
        except (OSError, http.client.HTTPException):
            check(time.monotonic() < deadline, "the service does not answer after its restart")
            time.sleep(0.02)


def report_people(backend):
    people = [event("known-" + name, "recipient.updated", name, {"locale": "en"})
              for name in ("ana", "ben", "a/b c")]
    answer, _ = backend.call("sendEvents", 200, body=people)
    check(answer["accepted"] == 3, "not all events were accepted: %s" % answer)
    lines = "\n".join(json.dumps(person) for person in people) + "\nnonsense\n"
    answers, _ = backend.call("sendEvents", 200, body=lines, kind="application/x-ndjson")
    statuses = [json.loads(line)["status"] for line in answers.splitlines()]
    check(statuses == ["duplicate"] * 3 + ["refused"], "the lines were answered %s" % statuses)


def change_preferences(phone):
    ana = {"recipient": "ana"}
    document, headers = phone.call("preferences", 200, ana)
    switch = {"master": not document["master"]}
    tag = {"If-Match": headers["ETag"]}
    planned, _ = phone.call("changePreferences", 200, ana, {"dryRun": "true"}, tag, switch)
    check(planned["dryRun"] is True, "the answer is not that of a dry run")
    changed, headers = phone.call("changePreferences", 200, ana, None, tag, switch)
    problem, _ = phone.call("changePreferences", 412, ana, None, tag, {"master": True})
    check(problem["status"] == 412, "the problem is %s" % problem)
    tag = {"If-Match": headers["ETag"]}
    phone.call("changePreferences", 200, ana, None, tag, {"master": document["master"]})
    phone.call("changePreferences", 422, ana, None, None, {"mastr": True})


def all_notifications(phone):
    """Reads all notifications of ana page by page."""
    entries, after = [], None
    while True:
        query = {"part": "all", "limit": "50"}
        if after:
            query["after"] = after
        page, _ = phone.call("notifications", 200, {"recipient": "ana"}, query)
        entries += page["notifications"]
        after = page["next"]
        if after is None:
            return entries


def follow_over_restarts(service, backend, phone):
    """Reports events while the service is killed and stopped. Returns the follower of the stream,
    and the title and channel of each expected delivery."""
    follower = Follower(phone, "ana")
    follower.start()
    follower.wait(lambda f: f.last_event_id)
    for number in range(EVENTS):
        if number == EVENTS // 4:
            # The kill happens during the following requests.
            threading.Timer(0.01, lambda: restart(service, signal.SIGKILL)).start()
        if number == EVENTS // 2:
            follower.wait(lambda f: f.connections > 1)
            check(restart(service, signal.SIGTERM) == 0, "the service was stopped with an error")
        report(backend, number, "ana")
    expected = {("n%d" % n, channel) for n in range(EVENTS) for channel in ("inapp", "push")}
    follower.wait(lambda f: len(f.events) >= len(expected))
    follower.should_end = True
    return follower, expected


def restart(service, signal_number):
    """Ends the service by a signal and starts it again; returns its exit status."""
    status = service.end(signal_number)
    service.start()
    return status


def check_deliveries(follower, expected, phone):
    deliveries = [(data["title"], data["channel"]) for _, data in follower.events]
    check(len(deliveries) == len(set(deliveries)), "a delivery has arrived twice")
    missing = expected - set(deliveries)
    check(set(deliveries) == expected, "deliveries are missing: %s" % sorted(missing)[:5])
    check(follower.end_reasons == ["stopping"],
          "the reasons of the stream's ends are %s" % follower.end_reasons)
    check(follower.connections == 3, "there were %d connections" % follower.connections)
    titles = sorted(entry["title"] for entry in all_notifications(phone))
    check(titles == sorted({title for title, _ in expected}), "/notifications has other titles")
    document, _ = phone.call("export", 200, {"recipient": "ana"})
    ids = {notification["id"] for notification in document["notifications"]}
    check(ids == {data["id"] for _, data in follower.events}, "the export has other ids")


def check_repetition(follower, phone):
    """Checks that a stream from an earlier event on repeats all later events unchanged."""
    index = len(follower.events) // 3
    second = Follower(phone, "ana")
    second.last_event_id = follower.events[index][0]
    second.start()
    expected = follower.events[index + 1:]
    second.wait(lambda f: len(f.events) >= len(expected))
    check(second.events == expected, "the repeated events differ")


def check_refusals(service, description, phone):
    ana = {"recipient": "ana"}
    problem, _ = phone.call("stream", 410, ana, None, {"Last-Event-ID": "nonsense"})
    check(problem["type"].endswith("lost-cursor"), "the problem is %s" % problem)
    phone.call("stream", 400, ana, {"channels": "fax"})
    phone.call("stream", 403, {"recipient": "ben"})
    phone.call("export", 403, {"recipient": "a/b c"})
    Client(service, None, description).call("preferences", 401, ana)
    Client(service, "chimed_x", description).call("preferences", 401, ana)


def main(program, catalogs, directory):
    service = Service(program, catalogs, directory)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=TIMEOUT)
        connection.request("GET", "/openapi.json")
        description = Description(json.load(connection.getresponse()))
        backend = Client(service, service.token("admin"), description)
        phone = Client(service, service.token("recipient:ana"), description)
        report_people(backend)
        change_preferences(phone)
        follower, expected = follow_over_restarts(service, backend, phone)
        check_deliveries(follower, expected, phone)
        check_repetition(follower, phone)
        check_refusals(service, description, phone)
        check(service.end(signal.SIGTERM) == 0, "the service was stopped with an error")
        print("%d deliveries over %d connections; each arrived once"
              % (len(follower.events), follower.connections))
    finally:
        service.process.kill()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit("fault: %s" % fault)
