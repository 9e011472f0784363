"""Sends events by the official CloudEvents SDK for Python in every mode of the HTTP binding, and
checks that the trace of each event reaches the webhook of its notification.

Usage: cloudevents_client.py CHIMED CATALOGS DIRECTORY
"""

import datetime
import http.client
import http.server
import json
import os
import queue
import sys
import threading

from cloudevents.core.bindings import http as binding
from cloudevents.core.v1.event import CloudEvent

import openapi_client
from openapi_client import PATIENCE, Fault, check

CONFIGURATION = """
sinks:
  hook:
    type: webhook
    url: http://127.0.0.1:%d/hook
    secret: {credential: hook}
    allow: [127.0.0.0/8]
  lines: {type: jsonl, file: "%s"}
routes: {push: hook, inapp: lines}
"""

arrived = queue.Queue()
now = datetime.datetime.now(datetime.timezone.utc)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        message = binding.HTTPMessage(headers=dict(self.headers.items()), body=body)
        arrived.put((message, dict(self.headers.items())))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def event(number, **more):
    """Returns a request for an immediate notification, with its own trace."""
    attributes = {
        "id": "event-%d" % number, "source": "/sdk/ünï", "type": "notification.requested",
        "subject": "ana", "traceparent": trace(number), "tracestate": "vendor=%d" % number,
        "partitionkey": "ana", "time": now, **more}
    return CloudEvent(attributes, {
        "category": "LESSON", "title": "number %d" % number, "body": "Said",
        "channels": ["push"]})


def trace(number):
    return "00-4bf92f3577b34da6a3ce929d0e0e%04x-00f067aa0ba902b7-01" % number


def send(service, token, message):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
    headers = {**message.headers, "Authorization": "Bearer " + token}
    connection.request("POST", "/v1/events", message.body, headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def use_every_mode(service, token):
    def sent(message, status, what):
        got, answer = send(service, token, message)
        check(got == status, "%s was answered %d: %s" % (what, got, answer))
        return answer

    sent(binding.to_binary_event(event(1)), 202, "binary mode")
    sent(binding.to_structured_event(event(2)), 202, "structured mode")
    check(sent(binding.to_structured_event(event(1)), 200, "the same")["status"] == "duplicate",
          "an event sent in both modes is not a duplicate")
    # A repeated event is a duplicate even if its trace differs.
    again = event(2, traceparent=trace(99))
    check(sent(binding.to_binary_event(again), 200, "another trace")["status"] == "duplicate",
          "another trace makes a new event")
    batch = [json.loads(binding.to_structured_event(event(n)).body) for n in (3, 4)]
    message = binding.HTTPMessage(
        headers={"content-type": "application/cloudevents-batch+json"},
        body=json.dumps(batch).encode())
    check(sent(message, 200, "a batch")["accepted"] == 2, "the batch was not accepted")
    # An invalid trace is no reason to refuse an event.
    sent(binding.to_binary_event(event(5, traceparent="nonsense")), 202, "a broken trace")
    be_refused(sent)


def be_refused(sent):
    for attribute, path in (("subjct", "subjct"), ("tiem", "tiem")):
        message = binding.to_binary_event(event(9, **{attribute: "x"}))
        problem = sent(message, 422, "the attribute " + attribute)
        check(problem["path"] == path, "the problem is %s" % problem)
    message = binding.to_binary_event(event(9))
    message.headers.pop("ce-id")
    check(sent(message, 422, "an event without an id")["path"] == "id", "the problem is another")
    message = binding.to_binary_event(event(9))
    message.headers["content-type"] = "text/plain"
    sent(message, 415, "data of another type")
    message = binding.to_binary_event(event(9))
    sent(binding.HTTPMessage(headers=message.headers, body=b"{"), 400, "half of an object")


def account():
    """Checks that the SDK reads each notification as an event with the original trace."""
    for _ in range(5):
        message, headers = arrived.get(timeout=PATIENCE)
        notification = binding.from_http_event(message)
        number = int(notification.get_data()["title"].split()[1])
        wanted = None if number == 5 else trace(number)
        state = None if number == 5 else "vendor=%d" % number
        fields = {name.lower(): value for name, value in headers.items()}
        said = notification.get_extension("traceparent"), notification.get_extension("tracestate")
        check(said == (wanted, state), "%d is part of %s" % (number, said))
        check(fields.get("traceparent") == wanted, "the header of %d is %s" % (number, fields))
        check(fields.get("tracestate") == state, "the header of %d is %s" % (number, fields))
    print("5 traces reached the webhook")


def main(program, catalogs, directory):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.makedirs(directory + "/credentials")
    with open(directory + "/credentials/hook", "w") as file:
        file.write("whsec_" + "A" * 43 + "=")
    with open(directory + "/chimed.yaml", "w") as file:
        file.write(CONFIGURATION % (server.server_port, directory + "/lines"))
    service = openapi_client.Service(
        program, catalogs, directory, ["--config", directory + "/chimed.yaml"], sink=None,
        catalog="imanpath")
    try:
        use_every_mode(service, service.token("admin"))
        account()
    finally:
        service.process.kill()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit("fault: %s" % fault)
