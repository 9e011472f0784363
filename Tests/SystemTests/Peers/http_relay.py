"""Relays HTTP requests to a service, except the first one, and prints its port.

usage: http_relay.py PORT MODE

The first request is answered according to MODE: "lost" sends it on and ends the connection without
an answer, "silent" never answers, "redirect" names the address of the service, "basic" asks for a
password.
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
    """Sends one request on, and waits for the beginning of its answer."""
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
