"""Simulates a push service and one browser, which decrypts the pushes (RFC 8030, 8291 and 8292).

usage: webpush_peer.py LOG PORT CERTIFICATE KEY

Prints its port. Writes the keys of the browser's subscription to LOG, and then a line of JSON for
each push: its headers, the claims of its VAPID token, and its text. The body of an answer is the
request's path and its header Authorization. Files beside LOG control the answers. While `stall`
exists, there are no answers. `status-ID` contains the status and headers of the answer to the push
with that ID, and `status` those for all other pushes."""

import base64
import json
import os
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

log = open(sys.argv[1], "a", buffering=1)
lock = threading.Lock()
key = ec.generate_private_key(ec.SECP256R1())
secret = os.urandom(16)
stop = threading.Event()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(public):
    return public.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def file_content(name):
    """Returns the content of a file beside the log; None if it does not exist."""
    try:
        with open(os.path.join(os.path.dirname(sys.argv[1]), name)) as file:
            return file.read()
    except FileNotFoundError:
        return None


def write_record(value):
    with lock:
        log.write(json.dumps(value) + "\n")


def claims(authorization, audience):
    """Returns the claims of a VAPID token. Raises an error if its signature or its audience is
    invalid."""
    scheme, _, rest = authorization.partition(" ")
    assert scheme == "vapid", authorization
    parameters = dict(word.strip().split("=", 1) for word in rest.split(","))
    public = ec.EllipticCurvePublicKey.from_encoded_point(
        ec.SECP256R1(), from_base64url(parameters["k"]))
    return jwt.decode(
        parameters["t"], public, algorithms=["ES256"], audience=audience,
        options={"verify_exp": False})


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        fields = {name.lower(): value for name, value in self.headers.items()}
        audience = "https://localhost:%d" % server.server_port
        text = json.loads(http_ece.decrypt(
            body, private_key=key, auth_secret=secret, version="aes128gcm"))
        write_record({
            "path": self.path, "fields": fields, "text": text, "length": len(body),
            "claims": claims(fields["authorization"], audience)})
        if file_content("stall") is not None:
            stop.wait()
        reply = file_content("status-" + text["id"]) or file_content("status") or "201"
        status, *fields_to_send = reply.split()
        self.send_response(int(status))
        for field in fields_to_send:
            self.send_header(*field.split(":"))
        answer = f"{self.path} {fields['authorization']}".encode()
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


write_record({"p256dh": base64url(point(key.public_key())), "auth": base64url(secret)})
server = Server(("127.0.0.1", int(sys.argv[2])), Service)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[3], sys.argv[4])
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
