"""Relays between clients and a server over Unix sockets. While its process is suspended, it acts
like a network that loses everything and ends no connection.

usage: relay.py SOCKET SERVER

SOCKET is the relay's path, SERVER the server's.
"""

import socket
import sys
import threading


def listen(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    return listener


def forward(source, target):
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


def main():
    listener = listen(sys.argv[1])
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        server = socket.socket(socket.AF_UNIX)
        server.connect(sys.argv[2])
        for ends in ((client, server), (server, client)):
            threading.Thread(target=forward, args=ends, daemon=True).start()


main()
