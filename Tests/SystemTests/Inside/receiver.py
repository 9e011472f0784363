"""A receiver of webhooks on port 8500 of the loopback: receiver.py KEY FILE.

Checks the signature of each delivery (Standard Webhooks 1.0) with the secret in the file KEY, and
appends its recipient to FILE if the signature is valid. It never answers a request that arrives
while FILE.silent exists. While FILE.held exists, requests wait, and FILE.holding is created."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import threading

key_path, path = sys.argv[1:]
key = base64.b64decode(open(key_path).read().strip().removeprefix("whsec_"))


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if os.path.exists(path + ".silent"):
            return threading.Event().wait(60)
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode()
        while os.path.exists(path + ".held"):
            open(path + ".holding", "w").close()
            threading.Event().wait(0.05)
        signature = base64.b64encode(hmac.new(key, signed + body, hashlib.sha256).digest())
        is_valid = f"v1,{signature.decode()}" in self.headers["webhook-signature"].split()
        if is_valid:
            with open(path, "a") as file:
                file.write(json.loads(body)["subject"] + "\n")
        self.send_response(204 if is_valid else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", 8500), Receiver).serve_forever()
