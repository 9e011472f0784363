import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from standardwebhooks import Webhook, WebhookVerificationError  # pip install standardwebhooks

class Receiver(BaseHTTPRequestHandler):
    seen = set()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        try:
            event = Webhook(os.environ["WEBHOOK_SECRET"]).verify(body, dict(self.headers))
        except WebhookVerificationError:
            return self.send_error(401)
        if event["id"] not in self.seen:  # the same id again is the same notification again
            print(event["subject"], event["data"]["title"], sep=": ", flush=True)
            self.seen.add(event["id"])
        self.send_response(204)
        self.end_headers()

server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print("listening on port", server.server_port, flush=True)
server.serve_forever()
