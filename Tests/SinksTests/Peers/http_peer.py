"""A web server that answers correctly or misbehaves, depending on the path of each request.

usage: http_peer.py LOG PORT [CERTIFICATE KEY]

Prints its port, and writes a line of JSON to LOG for each request that it has read. It ends with
its standard input. Files beside LOG control the answers to the path `ordered`. While `stall`
exists, there are no answers. The file `manner-ID` contains another path; the delivery with that ID
is answered as a request to that path."""

import gzip
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

CHUNK = b"x" * 65_536
log = open(sys.argv[1], "a", buffering=1)
# The name that the client of this thread's connection has sent by SNI.
server_name = threading.local()


def read_request(stream):
    """Returns the path, the fields and the body of the next request; None at the end."""
    line = stream.readline()
    if not line:
        return None
    _, path, _ = line.decode("latin-1").split(" ", 2)
    fields = {}
    while (line := stream.readline().strip()):
        name, value = line.decode("latin-1").split(":", 1)
        fields[name.lower()] = value.strip()
    return path, fields, stream.read(int(fields.get("content-length", 0)))


def answer(connection, status=200, body=b"ok", *fields):
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", *fields, "", ""]
    connection.sendall("\r\n".join(lines).encode() + body)


def file_content(name):
    """Returns the content of a file beside the log; None if it does not exist."""
    try:
        with open(os.path.join(os.path.dirname(sys.argv[1]), name)) as file:
            return file.read()
    except FileNotFoundError:
        return None


def delivery_id(fields, body):
    """Returns the id of the delivery in a webhook or an ntfy message."""
    if "webhook-id" in fields:
        identifier, _, channel = fields["webhook-id"].rpartition("-")
        # An analytics event has no channel.
        return identifier if channel.isalpha() else fields["webhook-id"]
    return json.loads(body).get("sequence_id", "")


def reset(connection):
    """Closes a connection with a TCP reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ConnectionAbortedError


def behave(connection, path, fields, body, number):
    """Answers the `number`-th request of a connection according to its path."""
    # A proxy receives a whole URL.
    if path.startswith("http://"):
        path = "/" + path.split("/", 3)[3]
    words = path.partition("?")[0].strip("/").split("/")
    match words[0]:
        case "ok":
            answer(connection)
        case "said":
            answer(connection, 200, json.loads(body)["blocks"][0]["text"]["text"].encode())
        case "gzip":
            answer(connection, 200, gzip.compress(b"all is fine"), "Content-Encoding: gzip")
        case "status":
            answer(connection, words[1], b"{}", *[word.replace("_", " ") for word in words[2:]])
        case "unauthorized":
            answer(connection, 401)
        case "nowhere":
            last = urllib.parse.unquote(path.rpartition("/")[2])
            answer(connection, 404, f"Cannot POST {path}, as {last} is not there".encode())
        case "ordered":
            if file_content("stall") is not None:
                stop.wait()
            manner = file_content("manner-" + delivery_id(fields, body)) or "ok"
            behave(connection, manner, fields, body, number)
        case "echo":
            answer(connection, 400, body)
        case "stall":
            stop.wait()
        case "drip":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while not stop.wait(1):
                connection.sendall(b"x")
        case "dripping-head":
            while not stop.wait(1):
                connection.sendall(b"H")
        case "huge":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
            for _ in range(10_000_000_000 // len(CHUNK)):
                connection.sendall(CHUNK)
        case "huge-chunked":
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while True:
                connection.sendall(b"10000\r\n" + CHUNK + b"\r\n")
        case "reset":
            reset(connection)
        case "reset-in-head":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")
            reset(connection)
        case "reset-in-body":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            time.sleep(0.05)
            reset(connection)
        case "cut-at-4-kB":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 4096)
            raise ConnectionAbortedError
        case "long":
            answer(connection, 200, b"x" * 5000)
        case "late":
            stop.wait(float(words[1]))
            answer(connection)
        case "redirect":
            answer(connection, 307, b"", "Location: http://169.254.169.254/latest/meta-data/")
        case "garbage":
            connection.sendall(b"220 mail.example ESMTP ready\r\n" * 10)
            stop.wait()
        case "giant-field":
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Giant: ")
            while True:
                connection.sendall(CHUNK)
        case "giant-head":
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                connection.sendall(b"X-Field: value\r\n" * 1_000)
        case "continue":
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 3)
            answer(connection)
        case "continue-forever":
            while True:
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)
        case "close-next":
            if number > 1:
                raise ConnectionAbortedError
            answer(connection)
        case "close":
            answer(connection)
            raise ConnectionAbortedError


def serve(connection):
    server_name.value = None
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        stream = connection.makefile("rb")
        number = 0
        while (request := read_request(stream)):
            number += 1
            path, fields, body = request
            log.write(json.dumps({
                "path": path, "fields": fields, "body": body.decode(),
                "name": server_name.value,
                "number": number,
            }) + "\n")
            behave(connection, path, fields, body, number)
    except OSError:
        pass
    finally:
        connection.close()


def store_server_name(_, name, __):
    server_name.value = name


context = None
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    context.sni_callback = store_server_name


def accept():
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


stop = threading.Event()
listener = socket.create_server(("127.0.0.1", int(sys.argv[2])), backlog=1_024)
threading.Thread(target=accept, daemon=True).start()
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
