"""A relay to PostgreSQL over Unix sockets that makes the server unsuitable for chimed.

usage: odd_server.py SOCKET SERVER KIND

KIND is "pooler", which alternates transactions between two sessions; "bouncer", which accepts no
settings at the start of a session; or "old", which reports PostgreSQL 14.
"""

import socket
import struct
import sys
import threading


def receive(source, count):
    """Reads exactly that many bytes, or raises at the end."""
    data = b""
    while len(data) < count:
        piece = source.recv(count - len(data))
        if not piece:
            raise ConnectionError
        data += piece
    return data


def first(source):
    """Reads the first message of a session, which has no type byte."""
    length = receive(source, 4)
    return length + receive(source, struct.unpack("!I", length)[0] - 4)


def answer(server):
    """Reads all messages until the server waits for the next transaction."""
    said = b""
    while True:
        head = receive(server, 5)
        said += head + receive(server, struct.unpack("!I", head[1:])[0] - 4)
        if head[:1] == b"Z":
            return said


def begun(place, beginning):
    """Begins a session; returns it with the first messages of the server."""
    server = socket.socket(socket.AF_UNIX)
    server.connect(place)
    server.sendall(beginning)
    return server, answer(server)


def hand_on(client, servers):
    """Relays the messages of a client, alternating between the servers."""
    try:
        while piece := client.recv(1 << 16):
            servers[0].sendall(piece)
    except OSError:
        pass
    for server in servers:
        server.close()


def refuse(client, reason):
    fields = f"SFATAL\0VFATAL\0C08P01\0M{reason}\0\0".encode()
    client.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)
    client.close()


def serve(client, place, kind):
    beginning = first(client)
    if kind == "bouncer":
        return refuse(client, "unsupported startup parameter: options")
    sessions = [begun(place, beginning), begun(place, beginning)]
    said = sessions[0][1]
    if kind == "old":
        said = said.replace(b"server_version\x0015.", b"server_version\x0014.")
    client.sendall(said)
    servers = [session[0] for session in sessions]
    if kind == "pooler":
        servers.reverse()
    threading.Thread(target=hand_on, args=(client, servers), daemon=True).start()
    try:
        while True:
            client.sendall(answer(servers[0]))
            if kind == "pooler":
                servers.reverse()
    except OSError:
        pass


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    print("ready", flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(
            target=serve, args=(client, sys.argv[2], sys.argv[3]), daemon=True).start()


main()
