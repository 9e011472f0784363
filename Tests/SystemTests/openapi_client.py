"""A client of chimed that is driven by its description, /openapi.json.

It starts the given service, reports events, reads and changes data, and follows the stream over a
kill and a stop, with exactly one delivery of every notification. Each operation must be described,
and each answer is validated against its description.

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
PATIENCE = 40


class Fault(Exception):
    """A failed check."""


def check(holds, what):
    if not holds:
        raise Fault(what)


# The service, as a process.


class Service:
    """chimed, which may be killed and started again at the same address."""

    def __init__(self, program, catalogs, directory, more=(), sink="jsonl", catalog="rooms"):
        self.directory = directory
        self.command = [
            program, "serve", "--state-directory", directory + "/state",
            "--socket", directory + "/socket", "--catalog", catalog, *more,
        ]
        if sink:
            self.command += ["--sink", sink + ":" + directory + "/deliveries"]
        self.environment = {
            "CHIMED_CATALOGS": catalogs, "PATH": "/usr/bin:/bin",
            "CREDENTIALS_DIRECTORY": directory + "/credentials"}
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command + ["--listen", "127.0.0.1:%d" % self.port],
            env=self.environment, stderr=subprocess.PIPE, text=True)
        log = ""
        for line in self.process.stderr:
            log += line
            found = re.search(r"serving on .*127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                # Reads all further output, so that the service never blocks on the pipe.
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return
        raise Fault("the service did not start: " + log)

    def end(self, how):
        self.process.send_signal(how)
        return self.process.wait(PATIENCE)

    def token(self, scope):
        """Makes a token, which is possible only over the Unix socket."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.directory + "/socket")
        body = json.dumps({"name": "test", "scope": scope})
        connection.request("POST", "/v1/tokens", body, {"Content-Type": "application/json"})
        return json.load(connection.getresponse())["token"]


# The description.


class Description:
    """The content of /openapi.json."""

    def __init__(self, document):
        self.document = document
        self.operations = {}
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                self.operations[operation["operationId"]] = (method.upper(), path, operation)

    def resolved(self, schema):
        while "$ref" in schema:
            part = self.document
            for name in schema["$ref"].split("/")[1:]:
                part = part[name]
            schema = part
        return schema

    def faults(self, value, schema, path="$"):
        """Returns the mismatches of a value and a schema."""
        schema = self.resolved(schema)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                fitting = [s for s in schema[keyword] if not self.faults(value, s, path)]
                if len(fitting) == 0 or (keyword == "oneOf" and len(fitting) > 1):
                    return ["%s fits %d of %s" % (path, len(fitting), keyword)]
        if "const" in schema and value != schema["const"]:
            return ["%s is not %r" % (path, schema["const"])]
        if "enum" in schema and value not in schema["enum"]:
            return ["%s is %r, which is not known" % (path, value)]
        kinds = {
            "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
            "integer": int, "number": (int, float),
        }
        kind = schema.get("type")
        if kind and not isinstance(value, kinds[kind]):
            return ["%s is no %s" % (path, kind)]
        if isinstance(value, dict):
            return self.faults_of_members(value, schema, path)
        if isinstance(value, list):
            items = schema.get("items", {})
            return [f for i, item in enumerate(value)
                    for f in self.faults(item, items, "%s[%d]" % (path, i))]
        if isinstance(value, str):
            fits = re.search(schema.get("pattern", ""), value)
            if schema.get("format") == "date-time":
                fits = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value)
            return [] if fits else ["%s is %r" % (path, value)]
        return []

    def faults_of_members(self, value, schema, path):
        known = schema.get("properties", {})
        faults = ["%s.%s is missing" % (path, name)
                  for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in known:
                faults += self.faults(member, known[name], "%s.%s" % (path, name))
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
        """Sends a request after checking that all of it is described."""
        method, template, operation = self.description.operations[name]
        described = {(p["in"], p["name"]) for p in operation.get("parameters", [])}
        for place, given in (("path", path), ("query", query), ("header", headers)):
            for parameter in given or {}:
                known = (place, parameter) in described
                check(known, "%s: the %s parameter %s is not described" % (name, place, parameter))
        if kind:
            check(kind in operation["requestBody"]["content"], "%s takes no %s" % (name, kind))
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
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=PATIENCE)
        connection.request(method, address, body, fields)
        return connection.getresponse()

    def call(self, name, status, path=None, query=None, headers=None, body=None,
             kind="application/json"):
        """Calls an operation, whose status must be the given one or one of several."""
        if body is None:
            kind = None
        elif not isinstance(body, str):
            body = json.dumps(body)
        with self.open(name, path, query, headers, body, kind) as response:
            text = response.read()
            wanted = status if isinstance(status, tuple) else (status,)
            check(response.status in wanted,
                  "%s answered %d: %s" % (name, response.status, text.decode()))
            return self.value(name, response, text), response.headers

    def value(self, name, response, text):
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


# The stream.


class Follower(threading.Thread):
    """Follows a stream, and reconnects as described."""

    def __init__(self, client, recipient):
        super().__init__(daemon=True)
        self.client = client
        self.path = {"recipient": recipient}
        self.last_event_id = None
        self.retry = 0.1
        self.events = []
        self.ends = []
        self.connections = 0
        self.fault = None
        self.changed = threading.Condition()
        self.is_to_end = False

    def run(self):
        while not self.is_to_end:
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
            check(response.headers["Content-Type"] == "text/event-stream", "this is no stream")
            with self.changed:
                self.connections += 1
            block = []
            for line in response:
                text = line.decode().rstrip("\n")
                if text:
                    block.append(text)
                    continue
                self.take(block)
                block = []

    def take(self, block):
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
                    check(not faults, "a delivery does not fit: %s" % faults)
                    self.events.append((fields["id"], data))
                elif fields.get("event") == "end":
                    self.ends.append(data["reason"])
            self.changed.notify_all()

    def wait(self, until):
        with self.changed:
            came = self.changed.wait_for(lambda: self.fault or until(self), PATIENCE)
        if self.fault:
            raise self.fault
        check(came, "the stream has brought %d events and no more" % len(self.events))


# The client.


def event(identifier, kind, recipient, data):
    return {"specversion": "1.0", "id": identifier, "source": "client", "type": kind,
            "subject": recipient, "data": data}


def said(number, recipient):
    return event("said-%d" % number, "notification.requested", recipient, {
        "category": "ROOM_LIKE", "title": "n%d" % number, "body": "Number %d" % number,
        "channels": ["inapp", "push"]})


def report(backend, number, recipient):
    """Repeats an event until it is acknowledged; repetitions change nothing."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            backend.call("sendEvents", (200, 202), body=said(number, recipient))
            return
        except (OSError, http.client.HTTPException):
            check(time.monotonic() < deadline, "the service does not come back")
            time.sleep(0.02)


def become_known(backend):
    people = [event("known-" + name, "recipient.updated", name, {"locale": "en"})
              for name in ("ana", "ben", "a/b c")]
    answer, _ = backend.call("sendEvents", 200, body=people)
    check(answer["accepted"] == 3, "not all were accepted: %s" % answer)
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
    check(problem["status"] == 412, "the problem says %s" % problem)
    tag = {"If-Match": headers["ETag"]}
    phone.call("changePreferences", 200, ana, None, tag, {"master": document["master"]})
    phone.call("changePreferences", 422, ana, None, None, {"mastr": True})


def read_all(phone):
    """Returns all notifications, read page by page."""
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
    follower = Follower(phone, "ana")
    follower.start()
    follower.wait(lambda f: f.last_event_id)
    for number in range(EVENTS):
        if number == EVENTS // 4:
            # In the middle of a request.
            threading.Timer(0.01, lambda: restart(service, signal.SIGKILL)).start()
        if number == EVENTS // 2:
            follower.wait(lambda f: f.connections > 1)
            check(restart(service, signal.SIGTERM) == 0, "the service did not stop by itself")
        report(backend, number, "ana")
    wanted = {("n%d" % n, channel) for n in range(EVENTS) for channel in ("inapp", "push")}
    follower.wait(lambda f: len(f.events) >= len(wanted))
    follower.is_to_end = True
    return follower, wanted


def restart(service, how):
    status = service.end(how)
    service.start()
    return status


def account(follower, wanted, phone):
    got = [(data["title"], data["channel"]) for _, data in follower.events]
    check(len(got) == len(set(got)), "something came twice")
    check(set(got) == wanted, "something is missing: %s" % sorted(wanted - set(got))[:5])
    check(follower.ends == ["stopping"], "the stream ended for %s" % follower.ends)
    check(follower.connections == 3, "there were %d connections" % follower.connections)
    titles = sorted(entry["title"] for entry in read_all(phone))
    check(titles == sorted({title for title, _ in wanted}), "/notifications has others")
    document, _ = phone.call("export", 200, {"recipient": "ana"})
    ids = {notification["id"] for notification in document["notifications"]}
    check(ids == {data["id"] for _, data in follower.events}, "the export has others")


def begin_again(follower, phone):
    """Checks that a stream from a middle event repeats the rest unchanged."""
    middle = len(follower.events) // 3
    again = Follower(phone, "ana")
    again.last_event_id = follower.events[middle][0]
    again.start()
    rest = follower.events[middle + 1:]
    again.wait(lambda f: len(f.events) >= len(rest))
    check(again.events == rest, "the rest differs")


def be_refused(service, description, phone):
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
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
        connection.request("GET", "/openapi.json")
        description = Description(json.load(connection.getresponse()))
        backend = Client(service, service.token("admin"), description)
        phone = Client(service, service.token("recipient:ana"), description)
        become_known(backend)
        change_preferences(phone)
        follower, wanted = follow_over_restarts(service, backend, phone)
        account(follower, wanted, phone)
        begin_again(follower, phone)
        be_refused(service, description, phone)
        check(service.end(signal.SIGTERM) == 0, "the service did not stop by itself")
        print("%d deliveries over %d connections, each of them once"
              % (len(follower.events), follower.connections))
    finally:
        service.process.kill()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit("fault: %s" % fault)
