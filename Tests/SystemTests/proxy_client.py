"""Uses chimed through nginx with the configuration of the example nginx.conf. Sends requests with a
token and from a page of another site, reads a stream, and follows the link of an e-mail.

Usage: proxy_client.py NGINX EXAMPLE CHIMED CATALOGS DIRECTORY
"""

import http.client
import json
import queue
import re
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

import openapi_client
from openapi_client import TIMEOUT, Fault, check

NAME = "notify.example.org"
CONFIGURATION = """
public-url: https://%s/
sinks:
  mail:
    type: smtp
    url: smtp://127.0.0.1:%d
    tls: none
    from: "Reminders <no-reply@example.org>"
  lines: {type: jsonl, file: "%s"}
routes: {email: mail, push: lines, inapp: lines}
"""

mails = queue.Queue()


class MailServer(socketserver.StreamRequestHandler):
    """A minimal mail server, which puts each mail into `mails`."""

    def handle(self):
        self.reply("220 mail")
        while line := self.rfile.readline().decode().strip():
            if line.upper().startswith("DATA"):
                self.reply("354 go on")
                text = b""
                while (text_line := self.rfile.readline()) != b".\r\n":
                    text += text_line
                mails.put(text.decode())
            elif line.upper() == "QUIT":
                return self.reply("221 bye")
            self.reply("250 ok")

    def reply(self, text):
        self.wfile.write(text.encode() + b"\r\n")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Proxy:
    """nginx with the example configuration, but without TLS and on other ports."""

    def __init__(self, program, example, service, directory):
        self.port = free_port()
        text = open(example).read()
        text = re.sub(r"(?m)^ *ssl_.*\n", "", text)
        for old, new in (("listen 443 ssl", "listen 127.0.0.1:%d" % self.port),
                         ("server 127.0.0.1:7411", "server 127.0.0.1:%d" % service.port)):
            check(text.count(old) == 1, "the example does not have exactly one %s" % old)
            text = text.replace(old, new)
        paths = "".join("%s_temp_path %s/%s;" % (name, directory, name) for name in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(directory + "/nginx.conf", "w") as file:
            file.write("daemon off; pid %s/pid; error_log stderr; events {}\n" % directory
                       + "http { access_log off; %s\n%s\n}\n" % (paths, text))
        self.process = subprocess.Popen([program, "-e", "stderr", "-p", directory,
                                         "-c", directory + "/nginx.conf"])
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                check(self.process.poll() is None, "nginx did not start")
                check(time.monotonic() < deadline, "nginx does not listen")
                time.sleep(0.02)

    def ask(self, method, path, body=None, **headers):
        """Sends a request; returns the status and the body of the answer. An underscore in the name
        of a header means a hyphen."""
        response = self.open(method, path, body, **headers)
        return response.status, response.read()

    def open(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {"Host": NAME, **fields})
        return connection.getresponse()


def event(number, kind, data):
    return {"specversion": "1.0", "id": "e%d" % number, "source": "app", "type": kind,
            "subject": "ana", "data": data}


def notification_request(number):
    return event(number, "notification.requested", {
        "category": "LESSON", "title": "n%d" % number, "body": "Said",
        "channels": ["push"]})


def check_access(proxy, token):
    status, body = proxy.ask("GET", "/v1/status")
    check(status == 401, "a request without a token is answered %d: %s" % (status, body))
    status, _ = proxy.ask("GET", "/v1/status", Authorization="Bearer " + token)
    check(status == 200, "a request with a token is answered %d" % status)
    status, _ = proxy.ask("GET", "/v1/status", Authorization="Bearer " + token,
                          Origin="https://elsewhere.example")
    check(status == 403, "a request by a page of another site is answered %d" % status)
    status, _ = proxy.ask("GET", "/metrics", Authorization="Bearer " + token)
    check(status == 404, "a request for the metrics is answered %d" % status)


def check_stream(proxy, token):
    """Checks that the proxy passes a delivery on at once, not when a buffer is full."""
    with proxy.open("GET", "/v1/recipients/ana/stream?channels=push",
                    Authorization="Bearer " + token) as stream:
        check(stream.status == 200, "the stream answers %d" % stream.status)
        number = 100
        for line in stream:
            if line.startswith(b"id:") and number == 100:
                send(proxy, token, [notification_request(number)])
                number += 1
            if line.startswith(b"data:"):
                check(json.loads(line[5:])["title"] == "n100", "the delivery is %s" % line)
                return
    raise Fault("the stream has ended")


def send(proxy, token, events, filler=""):
    """Sends events in a batch, whose body ends with the filler."""
    status, body = proxy.ask(
        "POST", "/v1/events", json.dumps(events) + filler, Authorization="Bearer " + token,
        Content_Type="application/cloudevents-batch+json")
    check(status == 200 and json.loads(body)["accepted"] == len(events),
          "the batch was answered %d: %s" % (status, body))


def unsubscribe(proxy, token):
    """Opens the link in the received mail, and unsubscribes by it."""
    mail = mails.get(timeout=TIMEOUT)
    unfolded = re.sub(r"\r\n[ \t]", "", mail)
    link = re.search(r"(?mi)^List-Unsubscribe: <(.*)>", unfolded)
    check(link, "there is no link: %s" % mail)
    url = urllib.parse.urlsplit(link[1])
    check((url.scheme, url.netloc) == ("https", NAME), "the link is %s" % link[1])
    status, page = proxy.ask("GET", url.path)
    check(status == 200 and b"<form" in page, "the link is answered %d: %s" % (status, page))
    status, page = proxy.ask("POST", url.path, "List-Unsubscribe=One-Click",
                             Content_Type="application/x-www-form-urlencoded",
                             Origin="https://" + NAME)
    check(status == 200, "unsubscribing is answered %d: %s" % (status, page))
    status, body = proxy.ask("GET", "/v1/recipients/ana/preferences",
                             Authorization="Bearer " + token)
    check(json.loads(body)["categories"]["BOOKING_CONFIRMATIONS"]["email"] is False,
          "the category is still on: %s" % body)


def main(nginx, example, program, catalogs, directory):
    mail = socketserver.ThreadingTCPServer(("127.0.0.1", 0), MailServer)
    mail.daemon_threads = True
    threading.Thread(target=mail.serve_forever, daemon=True).start()
    with open(directory + "/chimed.yaml", "w") as file:
        file.write(CONFIGURATION % (NAME, mail.server_address[1], directory + "/lines"))
    service = openapi_client.Service(
        program, catalogs, directory,
        ["--catalog", "urbannest", "--config", directory + "/chimed.yaml"],
        sink=None, catalog="imanpath")
    proxy = None
    try:
        proxy = Proxy(nginx, example, service, directory)
        token = service.token("admin")
        check_access(proxy, token)
        send(proxy, token, [event(1, "recipient.updated", {"email": "ana@example.org"})],
             filler=" " * (3 << 20))
        check_stream(proxy, token)
        send(proxy, token, [event(2, "notification.requested", {
            "category": "BOOKING_CONFIRMATIONS", "title": "Booked", "body": "It is.",
            "channels": ["email"]})])
        unsubscribe(proxy, token)
        print("token, stream, batch and link work through nginx")
    finally:
        service.process.kill()
        if proxy:
            proxy.process.terminate()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit("fault: %s" % fault)
