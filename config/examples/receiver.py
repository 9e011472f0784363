#!/usr/bin/python3
"""Prints received webhooks. The argument is the port. Signatures are not verified."""
import http.server, json, sys

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["content-length"])))
        print("webhook:", event["data"]["id"], event["data"]["title"], flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
