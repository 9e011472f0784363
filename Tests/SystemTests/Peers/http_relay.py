"""Prints its port and relays all HTTP requests to a service, except the first one.

usage: http_relay.py PORT MODE

PORT is the service's port. MODE decides what happens to the first request: "lost" forwards it, and
ends the connection without an answer; "silent" never answers it; "redirect" answers with a redirect
to the service; "basic" answers that a password is required.
"""

import socket
import sys
import threading

PORT, MODE = int(sys.argv[1]), sys.argv[2]
ANSWERS = {
    "redirect": "307 Temporary Redirect\r\nLocation: http://127.0.0.1:%d/v1/status" % PORT,
    "basic": "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"proxy\"",
}


def relay(source, target):
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def lose(client, server):
    """Forwards a client's request, and closes the connection when the server begins to answer."""
    threading.Thread(target=relay, args=(client, server), daemon=True).start()
    server.recv(1)
    client.shutdown(socket.SHUT_RDWR)


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    first, _ = listener.accept()
    if MODE == "lost":
        lose(first, socket.create_connection(("127.0.0.1", PORT)))
    elif MODE in ANSWERS:
        first.recv(1 << 16)
        first.sendall(("HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n" % ANSWERS[MODE]).encode())
        first.close()
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", PORT))
        for ends in ((client, server), (server, client)):
            threading.Thread(target=relay, args=ends, daemon=True).start()


main()
