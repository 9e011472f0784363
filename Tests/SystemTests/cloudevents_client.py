"""Sends events with the CloudEvents SDK for Python, in every mode of the HTTP binding. Checks that
a webhook receives each notification with the trace of its event.

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
from openapi_client import TIMEOUT, Fault, check

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

# The received webhooks: each as the SDK's message, with its headers.
received = queue.Queue()
now = datetime.datetime.now(datetime.timezone.utc)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        message = binding.HTTPMessage(headers=dict(self.headers.items()), body=body)
        received.put((message, dict(self.headers.items())))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def event(number, **attributes):
    """Returns an event that requests a notification at once, with a trace of its own. `attributes`
    replace the default attributes."""
    defaults = {
        "id": "event-%d" % number, "source": "/sdk/ünï", "type": "notification.requested",
        "subject": "ana", "traceparent": trace(number), "tracestate": "vendor=%d" % number,
        "partitionkey": "ana", "time": now}
    return CloudEvent({**defaults, **attributes}, {
        "category": "LESSON", "title": "number %d" % number, "body": "Said",
        "channels": ["push"]})


def trace(number):
    return "00-4bf92f3577b34da6a3ce929d0e0e%04x-00f067aa0ba902b7-01" % number


def send(service, token, message):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=TIMEOUT)
    headers = {**message.headers, "Authorization": "Bearer " + token}
    connection.request("POST", "/v1/events", message.body, headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def use_every_mode(service, token):
    def expect(status, message, name):
        """Sends a message, checks the status of the answer, and returns the answer."""
        answer_status, answer = send(service, token, message)
        check(answer_status == status, "%s was answered %d: %s" % (name, answer_status, answer))
        return answer

    expect(202, binding.to_binary_event(event(1)), "an event in binary mode")
    expect(202, binding.to_structured_event(event(2)), "an event in structured mode")
    answer = expect(200, binding.to_structured_event(event(1)), "a repeated event")
    check(answer["status"] == "duplicate", "an event sent in both modes is not a duplicate")
    # A repeated event is a duplicate even if its trace differs.
    message = binding.to_binary_event(event(2, traceparent=trace(99)))
    answer = expect(200, message, "a repeated event with another trace")
    check(answer["status"] == "duplicate", "a repeated event with another trace counts as new")
    batch = [json.loads(binding.to_structured_event(event(n)).body) for n in (3, 4)]
    message = binding.HTTPMessage(
        headers={"content-type": "application/cloudevents-batch+json"},
        body=json.dumps(batch).encode())
    check(expect(200, message, "a batch")["accepted"] == 2, "the batch was not accepted")
    # An event with an invalid trace is accepted without the trace.
    message = binding.to_binary_event(event(5, traceparent="nonsense"))
    expect(202, message, "an event with an invalid trace")
    check_refusals(expect)


def check_refusals(expect):
    for attribute in ("subjct", "tiem"):
        message = binding.to_binary_event(event(9, **{attribute: "x"}))
        problem = expect(422, message, "an event with the attribute " + attribute)
        check(problem["path"] == attribute, "the problem is %s" % problem)
    message = binding.to_binary_event(event(9))
    message.headers.pop("ce-id")
    problem = expect(422, message, "an event without an id")
    check(problem["path"] == "id", "the problem is %s" % problem)
    message = binding.to_binary_event(event(9))
    message.headers["content-type"] = "text/plain"
    expect(415, message, "an event with plain text as its data")
    message = binding.to_binary_event(event(9))
    expect(400, binding.HTTPMessage(headers=message.headers, body=b"{"), "incomplete JSON")


def check_traces():
    """Checks that the SDK reads each notification as an event with the original trace. Event 5 had
    no valid trace."""
    for _ in range(5):
        message, headers = received.get(timeout=TIMEOUT)
        notification = binding.from_http_event(message)
        number = int(notification.get_data()["title"].split()[1])
        parent = None if number == 5 else trace(number)
        state = None if number == 5 else "vendor=%d" % number
        fields = {name.lower(): value for name, value in headers.items()}
        extensions = (
            notification.get_extension("traceparent"), notification.get_extension("tracestate"))
        check(extensions == (parent, state), "the trace of %d is %s" % (number, extensions))
        check(fields.get("traceparent") == parent, "the headers of %d are %s" % (number, fields))
        check(fields.get("tracestate") == state, "the headers of %d are %s" % (number, fields))
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
        check_traces()
    finally:
        service.process.kill()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit("fault: %s" % fault)
