"""A server that accepts and refuses messages like ntfy.

usage: ntfy_peer.py LOG PORT [TOKEN]

Prints its port, and writes a line of JSON to LOG for each accepted message. It ends with its
standard input. Messages of the topics in REFUSALS are always refused. Files beside LOG cause more
failures. While `stall` exists, there are no answers. While `refuse-ID` exists, the message with
that sequence ID is refused as too large.
"""

import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

log = open(sys.argv[1], "a", buffering=1)
TOKEN = sys.argv[3] if len(sys.argv) > 3 else None
REFUSALS = {
    "limited": (429, 42901, "limit reached: too many requests"),
    "quota": (429, 42908, "limit reached: daily message quota reached"),
    "full": (507, 50701, "cannot publish to UnifiedPush topic without active subscriber"),
    "large": (413, 41301, "attachment too large, or bandwidth limit reached"),
    "closed": (403, 40301, "forbidden"),
    "broken": (500, 50001, "internal server error"),
}


def has_file(name):
    """Returns whether a file exists beside the log."""
    return os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), name))


class Ntfy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def reply(self, status, document):
        body = json.dumps(document).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code, reason):
        self.reply(status, {"code": code, "http": status, "error": reason})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        authorization = self.headers["Authorization"]
        if authorization is not None and authorization != f"Bearer {TOKEN}":
            return self.refuse(401, 40101, f"unauthorized: {authorization}")
        if TOKEN and authorization is None:
            return self.refuse(403, 40301, "forbidden")
        if len(body) > 8_192:
            return self.refuse(413, 41303, "JSON body too large")
        try:
            message = json.loads(body)
        except ValueError:
            return self.refuse(400, 40024, "invalid request: request body must be message JSON")
        if not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", message.get("topic", "")):
            return self.refuse(400, 40009, "invalid request: topic invalid")
        if message.get("priority", 3) not in range(1, 6):
            return self.refuse(400, 40007, "invalid request: priority invalid")
        sequence = message.get("sequence_id", "none")
        if not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", sequence):
            return self.refuse(400, 40049, "invalid request: sequence ID invalid")
        if has_file("stall"):
            return threading.Event().wait()
        if message["topic"] in REFUSALS:
            return self.refuse(*REFUSALS[message["topic"]])
        if has_file("refuse-" + sequence):
            return self.refuse(*REFUSALS["large"])
        log.write(json.dumps(message) + "\n")
        self.reply(200, {"id": "xE73Iyuabi", "event": "message", **message})

    def do_DELETE(self):
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self.refuse(403, 40301, "forbidden")
        found = re.fullmatch(r"/([-_A-Za-z0-9]{1,64})/([-_A-Za-z0-9]{1,64})", self.path)
        if not found:
            return self.refuse(404, 40401, "page not found")
        event = {"topic": found[1], "sequence_id": found[2], "event": "message_delete"}
        log.write(json.dumps(event) + "\n")
        self.reply(200, {"id": "xE73Iyuabj", **event})


class Server(ThreadingHTTPServer):
    request_queue_size = 1024


server = Server(("127.0.0.1", int(sys.argv[2])), Ntfy)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
