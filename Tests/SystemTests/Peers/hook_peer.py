"""A receiver of webhooks that checks every signature and acts once on each id.

usage: hook_peer.py SECRET

Prints its port, and then a line of JSON for each request. A line of standard input sets the status
of all further answers, and is printed, too; after 0, requests are never answered. The end of
standard input ends the program.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(sys.argv[1])
acted_on = set()
lock = threading.Lock()
status = 204


def print_json(value):
    os.write(1, json.dumps(value).encode() + b"\n")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:  # The service was killed.
            self.close_connection = True
            return
        answer = status
        try:
            event = webhook.verify(body.decode(), dict(self.headers))
            self.act(event, answer)
        except WebhookVerificationError:
            print_json({"unverified": body.decode()})
            answer = 401
        if answer == 0:
            threading.Event().wait()
        self.send_response(answer)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def act(self, event, answer):
        with lock:
            is_new = 200 <= answer < 300 and event["id"] not in acted_on
            if is_new:
                acted_on.add(event["id"])
            print_json({"event": event, "acted": is_new, "answer": answer})


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, *_):
        pass  # The service was killed.


server = Server(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print_json(server.server_port)
for line in sys.stdin:
    status = int(line)
    print_json(status)
