"""A relay to PostgreSQL over Unix sockets, which makes the server unsuitable for chimed.

usage: odd_server.py SOCKET SERVER KIND

SOCKET is the relay's path, SERVER the server's. KIND is "pooler", which alternates transactions
between two sessions; "bouncer", which refuses sessions that begin with settings; or "old", which
reports PostgreSQL 14.
"""

import socket
import struct
import sys
import threading


def receive(source, count):
    """Reads exactly `count` bytes; raises ConnectionError if the connection ends first."""
    content = b""
    while len(content) < count:
        piece = source.recv(count - len(content))
        if not piece:
            raise ConnectionError
        content += piece
    return content


def startup_message(source):
    """Reads the first message of a session, which has no type byte."""
    length = receive(source, 4)
    return length + receive(source, struct.unpack("!I", length)[0] - 4)


def messages_until_ready(server):
    """Reads messages until the server waits for the next statement."""
    messages = b""
    while True:
        head = receive(server, 5)
        messages += head + receive(server, struct.unpack("!I", head[1:])[0] - 4)
        if head[:1] == b"Z":
            return messages


def open_session(path, startup):
    """Begins a session by a startup message; returns its socket and the server's first messages."""
    server = socket.socket(socket.AF_UNIX)
    server.connect(path)
    server.sendall(startup)
    return server, messages_until_ready(server)


def forward(client, servers):
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


def serve(client, path, kind):
    startup = startup_message(client)
    if kind == "bouncer":
        return refuse(client, "unsupported startup parameter: options")
    sessions = [open_session(path, startup), open_session(path, startup)]
    messages = sessions[0][1]
    if kind == "old":
        messages = messages.replace(b"server_version\x0015.", b"server_version\x0014.")
    client.sendall(messages)
    servers = [session[0] for session in sessions]
    if kind == "pooler":
        servers.reverse()
    threading.Thread(target=forward, args=(client, servers), daemon=True).start()
    try:
        while True:
            client.sendall(messages_until_ready(servers[0]))
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
