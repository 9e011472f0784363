"""Simulates the push services of Apple and Google, and Google's token server.

    push_peer.py DIRECTORY

DIRECTORY has peer.pem and peer.key for TLS, and account.pub and provider.pub, the public keys of
accepted signatures. Each line of standard input is a command in JSON, which is answered by a line.
The end of standard input ends the program. The command "open" creates a peer, and its answer has
the peer's port. Other commands name a peer by its port.

The peers enforce the rules that the services publish, and answer with the documented errors.
"""

import asyncio
import json
import re
import ssl
import sys
import time
import uuid

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import jwt

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
PRIORITIES = {"10", "5", "1"}


class Service:
    """A peer: the state that all of its connections share."""

    def __init__(self, directory):
        self.directory = directory
        self.port = 0
        self.received = []
        self.connections = set()
        self.opened = 0
        # The next replies to each device, in order; they come first.
        self.scripts = {}
        # The reply by notification id, if the device has no next reply.
        self.by_identifier = {}
        # The reply to all other pushes; None for a success.
        self.usual = None
        # The end of validity by access token.
        self.access = {}
        # The seconds for which an access token is valid.
        self.token_life = 3600
        # The reply to all requests for a token; None for the correct one.
        self.token_answer = None
        # The seconds before a reply to a request for a token.
        self.token_delay = 0
        # Provider tokens that were issued before this time have expired for this peer.
        self.issued_after = 0
        # The maximum number of concurrent streams of a connection.
        self.streams = 100
        # The claims by provider token whose signature is valid.
        self.verified = {}
        self.server = None

    def key(self, name):
        with open(f"{self.directory}/{name}") as file:
            return file.read()

    async def listen(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{self.directory}/peer.pem", f"{self.directory}/peer.key")
        context.set_alpn_protocols(["h2"])
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(
            lambda: Connection(self), "127.0.0.1", self.port, ssl=context)
        self.port = self.server.sockets[0].getsockname()[1]

    def hang_up(self):
        for connection in list(self.connections):
            connection.transport.abort()

    # Commands of the tests

    async def command(self, command):
        match command["do"]:
            case "script":
                self.scripts.setdefault(command["device"], []).extend(command["answers"])
            case "set":
                for name, value in command["values"].items():
                    setattr(self, name, value)
            case "revoke":
                self.access.clear()
            case "close":
                self.server.close()
                self.hang_up()
            case "listen":
                await self.listen()
            case "hang up":
                self.hang_up()
            case "go away":
                for connection in self.connections:
                    connection.go_away(connection.last)
        return {"port": self.port, "received": self.received, "opened": self.opened,
                "open": len(self.connections)}

    # The token server (RFC 7523)

    def token(self, headers, body):
        if self.token_answer:
            return answer(self.token_answer["status"], self.token_answer.get("body"))
        form = dict(pair.split("=", 1) for pair in body.decode().split("&"))
        if form["grant_type"].replace("%3A", ":") != GRANT:
            return answer(400, {"error": "unsupported_grant_type"})
        try:
            claims = jwt.decode(
                form["assertion"], self.key("account.pub"), algorithms=["RS256"],
                audience=f"https://localhost:{self.port}/token",
                options={"verify_iat": False, "require": ["iss", "iat", "exp", "aud"]})
        except jwt.PyJWTError as error:
            return answer(400, {"error": "invalid_grant", "error_description": str(error)})
        if claims["scope"] != SCOPE or claims["exp"] - claims["iat"] > 3600:
            return answer(400, {"error": "invalid_scope"})
        token = f"ya29.{uuid.uuid4().hex}"
        self.access[token] = time.time() + self.token_life
        return answer(
            200, {"access_token": token, "expires_in": self.token_life, "token_type": "Bearer"})

    # Google's push service

    def fcm(self, headers, body):
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if self.access.get(bearer, 0) < time.time():
            return google(401, "UNAUTHENTICATED", "Request had invalid credentials.")
        message = json.loads(body)["message"]
        flaw = fcm_flaw(message)
        if flaw:
            violation = {"@type": "type.googleapis.com/google.rpc.BadRequest",
                         "fieldViolations": [{"field": flaw, "description": flaw}]}
            return google(400, "INVALID_ARGUMENT", "Request contains an invalid argument.",
                          violation)
        return self.scripted(message["token"], message.get("data", {})) or answer(
            200, {"name": f"projects/tests/messages/{uuid.uuid4()}"})

    # Apple's push service

    def apns(self, headers, path, body):
        token = path.removeprefix("/3/device/")
        provider = headers.get("authorization", "").removeprefix("bearer ")
        if provider not in self.verified:
            try:
                self.verified[provider] = jwt.decode(
                    provider, self.key("provider.pub"), algorithms=["ES256"],
                    options={"verify_iat": False, "require": ["iss", "iat"]})
                self.verified[provider]["kid"] = jwt.get_unverified_header(provider)["kid"]
            except jwt.PyJWTError:
                return answer(403, {"reason": "InvalidProviderToken"})
        claims = self.verified[provider]
        if claims["iss"] != "TEAM123456" or claims["kid"] != "KEY1234567":
            return answer(403, {"reason": "InvalidProviderToken"})
        if claims["iat"] < self.issued_after:
            return answer(403, {"reason": "ExpiredProviderToken"})
        reason = apns_flaw(headers, body)
        if reason:
            return answer(413 if reason == "PayloadTooLarge" else 400, {"reason": reason})
        if not re.fullmatch("[0-9a-fA-F]+", token):
            return answer(400, {"reason": "BadDeviceToken"})
        return self.scripted(token, json.loads(body)) or {
            "status": 200, "headers": {"apns-id": headers["apns-id"]}, "body": b""}

    def scripted(self, device, data):
        """Returns the reply that a test has set for a push; None for a success."""
        script = self.scripts.get(device)
        return dict(script.pop(0)) if script else self.by_identifier.get(
            data.get("id"), self.usual)


def answer(status, document):
    return {"status": status, "body": document}


def google(status, word, message, *details):
    return answer(status, {"error": {
        "code": status, "message": message, "status": word, "details": list(details)}})


def fcm_flaw(message):
    """Returns the field of a message that Google rejects; None if the message is valid."""
    data = message.get("data", {})
    if not all(isinstance(value, str) for value in data.values()):
        return "message.data"
    if any(name.startswith(("google", "gcm")) or name == "from" for name in data):
        return "message.data"
    android = message.get("android", {})
    if not re.fullmatch(r"\d+s", android.get("ttl", "0s")) or (
            int(android.get("ttl", "0s")[:-1]) > 2419200):
        return "message.android.ttl"
    if android.get("priority", "HIGH") not in ("HIGH", "NORMAL"):
        return "message.android.priority"
    payload = json.dumps(message.get("notification", {})) + json.dumps(data)
    if len(payload.encode()) > 2 * 4096:
        return "message"
    return None


def apns_flaw(headers, body):
    """Returns the reason for which Apple rejects a push; None if the push is valid."""
    if headers.get("apns-topic") != "com.example.app":
        return "BadTopic"
    if len(body) > 4096:
        return "PayloadTooLarge"
    if len(headers.get("apns-collapse-id", "").encode()) > 64:
        return "BadCollapseId"
    if headers.get("apns-priority") not in PRIORITIES:
        return "BadPriority"
    if headers.get("apns-push-type") not in ("alert", "background"):
        return "InvalidPushType"
    if not headers.get("apns-expiration", "").isdigit():
        return "BadExpirationDate"
    try:
        uuid.UUID(headers.get("apns-id", ""))
        json.loads(body)["aps"]
    except (ValueError, KeyError):
        return "BadMessageId"
    return None


class Connection(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, service):
        self.service = service
        self.http = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.requests = {}
        self.last = 0
        self.flooded = set()
        # The bodies that wait for a larger flow-control window, by stream.
        self.waiting = {}

    def connection_made(self, transport):
        self.transport = transport
        self.service.opened += 1
        self.service.connections.add(self)
        self.number = self.service.opened
        self.http.local_settings = h2.settings.Settings(
            client=False, initial_values={
                h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: self.service.streams})
        self.http.initiate_connection()
        self.flush()

    def connection_lost(self, error):
        self.service.connections.discard(self)

    def flush(self):
        if not self.transport.is_closing():
            self.transport.write(self.http.data_to_send())

    def data_received(self, data):
        try:
            events = self.http.receive_data(data)
        except h2.exceptions.ProtocolError:
            self.flush()
            return self.transport.close()
        for event in events:
            self.handle(event)
        self.flush()

    def handle(self, event):
        match event:
            case h2.events.RequestReceived():
                self.requests[event.stream_id] = (dict(event.headers), bytearray())
            case h2.events.DataReceived():
                self.requests[event.stream_id][1].extend(event.data)
                self.http.acknowledge_received_data(
                    event.flow_controlled_length, event.stream_id)
            case h2.events.StreamEnded():
                self.last = event.stream_id
                self.answer(event.stream_id, *self.requests.pop(event.stream_id))
            case h2.events.StreamReset():
                self.flooded.discard(event.stream_id)
                self.waiting.pop(event.stream_id, None)
            case h2.events.WindowUpdated():
                for stream in list(self.waiting):
                    self.send_body(stream, self.waiting.pop(stream))
                for stream in list(self.flooded):
                    self.flood(stream)

    def answer(self, stream, headers, body):
        service = self.service
        path = headers[":path"]
        record = {"path": path, "headers": headers, "connection": self.number, "stream": stream,
                  "body": body.decode()}
        if path == "/token":
            reply = service.token(headers, body)
            record["body"] = ""
        elif path.startswith("/3/device/"):
            reply = service.apns(headers, path, body)
        elif path == "/v1/projects/tests/messages:send":
            reply = service.fcm(headers, body)
        else:
            reply = google(404, "NOT_FOUND", "Requested entity was not found.")
        record["answer"] = reply.get("status", reply.get("do"))
        service.received.append(record)
        if path == "/token" and service.token_delay:
            loop = asyncio.get_running_loop()
            loop.call_later(service.token_delay, lambda: (self.act(stream, reply), self.flush()))
        else:
            self.act(stream, reply)

    def act(self, stream, reply):
        try:
            self.do(stream, reply)
        except h2.exceptions.ProtocolError:
            pass  # The client has reset the stream.

    def do(self, stream, reply):
        """Sends a reply, or misbehaves as its member "do" says."""
        match reply.get("do"):
            case "stall":
                pass
            case "refuse":
                self.http.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
            case "reset":
                self.http.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
            case "go away":
                self.go_away(stream - 2)
            case "hang up":
                self.transport.abort()
            case "half":
                self.http.send_headers(stream, [(":status", "200")])
                self.http.send_data(stream, b"{")
            case "drip":
                self.http.send_headers(stream, [(":status", "200")])
                self.drip(stream)
            case "late":
                loop = asyncio.get_running_loop()
                loop.call_later(3, lambda: (self.act(stream, {"status": 200}), self.flush()))
            case "flood":
                self.http.send_headers(stream, [(":status", "200")])
                self.flooded.add(stream)
                self.flood(stream)
            case _:
                self.send(stream, reply)

    def send(self, stream, reply):
        body = reply.get("body") or b""
        if not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        headers = [(":status", str(reply["status"]))] + list(reply.get("headers", {}).items())
        self.http.send_headers(stream, headers, end_stream=not body)
        if body:
            self.send_body(stream, body)

    def send_body(self, stream, body):
        if self.http.local_flow_control_window(stream) < len(body):
            self.waiting[stream] = body
        else:
            self.http.send_data(stream, body, end_stream=True)

    def drip(self, stream):
        """Sends one byte per second."""
        try:
            self.http.send_data(stream, b" ")
        except h2.exceptions.ProtocolError:
            return
        self.flush()
        asyncio.get_running_loop().call_later(1, self.drip, stream)

    def flood(self, stream):
        """Sends as many bytes as the flow-control window permits."""
        try:
            while (window := self.http.local_flow_control_window(stream)) > 0:
                self.http.send_data(stream, b"x" * min(window, self.http.max_outbound_frame_size))
        except h2.exceptions.ProtocolError:
            self.flooded.discard(stream)

    def go_away(self, last):
        self.http.close_connection(last_stream_id=max(0, last))
        self.flush()
        # A client closes the connection once it has its answers. The peer gives it 5 s to do so.
        asyncio.get_running_loop().call_later(5, self.transport.abort)


async def main():
    peers = {}
    reader = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command = json.loads(line)
        if command["do"] == "open":
            service = Service(sys.argv[1])
            await service.listen()
            peers[service.port] = service
            command["peer"] = service.port
        print(json.dumps(await peers[command["peer"]].command(command)), flush=True)


asyncio.run(main())
