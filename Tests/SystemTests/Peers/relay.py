"""Relays between clients and a server over Unix sockets. While it is stopped, it acts like a
network that drops everything without ending a connection.

usage: relay.py SOCKET SERVER
"""

import socket
import sys
import threading


def listening(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    return listener


def hand_on(source, target):
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
    listener = listening(sys.argv[1])
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        server = socket.socket(socket.AF_UNIX)
        server.connect(sys.argv[2])
        for ends in ((client, server), (server, client)):
            threading.Thread(target=hand_on, args=ends, daemon=True).start()


main()
