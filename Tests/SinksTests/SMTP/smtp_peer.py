"""A mail server for the tests. It prints its port, and writes a line of JSON for each accepted mail
to the file RECEIVED.

The local part of the recipient's address, such as "rejected", "deferred" or "stalled", decides how
a mail is answered; `handle_RCPT` and `handle_DATA` have all of them. RECEIVED.waited has a line for
each mail with a delayed or missing answer: the number of mails that were accepted before the wait
ended. RECEIVED.logins has the mechanism of each login. In every mode except "normal", the server
misbehaves.
"""

import argparse
import asyncio
import base64
import email
import email.policy
import json
import signal
import ssl

from aiosmtpd.smtp import SMTP, AuthResult


POLICY = email.policy.default


def readable(value):
    return str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def content(message, kind):
    return message.get_body((kind,)).get_content().replace("\r\n", "\n")


class Handler:
    def __init__(self, arguments):
        self.arguments = arguments
        self.connections = []
        self.accepted_count = 0
        self.open_count = 0

    def write_mail(self, session, envelope):
        if session.peer not in self.connections:
            self.connections.append(session.peer)
        message = email.message_from_bytes(envelope.original_content, policy=POLICY)
        line = {
            "headers": [[name, readable(value)] for name, value in message.items()],
            "text": content(message, "plain"),
            "html": content(message, "html"),
            "defects": [str(defect) for part in message.walk() for defect in part.defects],
            "connection": self.connections.index(session.peer),
            "tls": session.ssl is not None,
            "user": session.auth_data.decode() if session.auth_data else None,
            "hello": session.host_name,
            "sender": envelope.mail_from,
            "options": envelope.mail_options,
            "recipients": envelope.rcpt_tos,
            "content": base64.b64encode(envelope.original_content).decode(),
        }
        with open(self.arguments.received, "a") as file:
            file.write(json.dumps(line) + "\n")
        self.accepted_count += 1

    def write_login(self, mechanism):
        with open(self.arguments.received + ".logins", "a") as file:
            file.write(f"{mechanism}\n")

    async def wait(self, writer, manner):
        """Delays the answer to a mail. Only in the manner "late" the client gets a complete answer.
        """
        try:
            if manner == "late":
                return await asyncio.sleep(2.5)
            pause = {"stalled": 3600, "dripping": 1, "endless": 0}[manner]
            while True:
                await asyncio.sleep(pause)
                writer.write(b"2" if manner == "dripping" else b"250-and so on\r\n" * 100)
                await writer.drain()
        finally:
            with open(self.arguments.received + ".waited", "a") as file:
                file.write(f"{self.accepted_count}\n")

    async def handle_MAIL(self, server, session, envelope, address, options):
        if self.arguments.refuse_sender:
            return self.arguments.refuse_sender
        session.mails = getattr(session, "mails", 0) + 1
        if self.arguments.mails and session.mails > self.arguments.mails:
            asyncio.get_running_loop().call_soon(server.transport.close)
            return "421 4.7.0 too many mails in this connection"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 fine"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("rejected@"):
            return f"550 5.1.1 <{address}> is unknown here {self.arguments.echo}".rstrip()
        if address.startswith("unauthorized@"):
            return "530 5.7.0 authenticate first"
        if address.startswith("unqualified@"):
            return f"504 5.5.2 <{address}>: Recipient address rejected: need a full address"
        if address.startswith("protected@"):
            return f"530 5.7.1 {address.upper()} accepts mail from users only"
        if address.startswith("unnamed@"):
            return "504 5.5.2 <here>: Helo command rejected: need fully-qualified hostname"
        if address.startswith("closing@"):
            return "421 4.7.0 come back later"
        if address.startswith("deferred@"):
            return "451 4.7.1 greylisted, come back"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 fine"

    async def handle_DATA(self, server, session, envelope):
        recipient = envelope.rcpt_tos[0]
        if recipient.startswith("content-rejected@"):
            return "554 5.7.1 looks like spam"
        manner = recipient.partition("@")[0]
        if manner in ("stalled", "dripping", "endless", "late"):
            await self.wait(server._writer, manner)
        if recipient.startswith("dropped@"):
            server.transport.abort()
            return "250 discarded"
        self.write_mail(session, envelope)
        return "250 2.0.0 kept"


class Server(SMTP):
    """The server's side of a connection. The handler counts the open connections."""

    def __init__(self, handler, **settings):
        super().__init__(handler, **settings)
        handler.open_count += 1

    async def push(self, status):
        """Sends a reply, in which the arguments can change or omit the names of extensions."""
        arguments = self.event_handler.arguments
        if arguments.no_auth and isinstance(status, str) and status.startswith("250-AUTH"):
            return
        is_extension = isinstance(status, str) and status.startswith(("250-", "250 HELP"))
        if arguments.lower and is_extension:
            status = status.lower()
        await super().push(status)

    async def auth_PLAIN(self, _, arguments):
        if self.event_handler.arguments.refuse_plain:
            await self.push(self.event_handler.arguments.refuse_plain)
            return AuthResult(success=False, handled=True)
        return await super().auth_PLAIN(_, arguments)

    async def auth_CRAM__MD5(self, _, arguments):
        """Challenges the client, and refuses its response."""
        self.event_handler.write_login("CRAM-MD5")
        await self.challenge_auth("<1@peer.test>")
        return AuthResult(success=False, handled=False)

    async def auth_GSSAPI(self, _, arguments):
        await self.push("535 5.7.8 no ticket")
        return AuthResult(success=False, handled=True)

    def connection_lost(self, error):
        self.event_handler.open_count -= 1
        super().connection_lost(error)


class Refusal(asyncio.Protocol):
    """A connection beyond the maximum, which is refused and closed."""
    def connection_made(self, transport):
        transport.write(b"421 4.7.0 too many connections\r\n")
        transport.close()


def authenticate(server, session, envelope, mechanism, data):
    arguments = server.event_handler.arguments
    expected = arguments.password
    server.event_handler.write_login(mechanism)
    if expected and data.login + b":" + data.password == expected.encode():
        return AuthResult(success=True, auth_data=data.login)
    return AuthResult(success=False, handled=False, message=arguments.refuse_password)


def excluded_mechanisms(arguments):
    excluded = [] if arguments.gssapi else ["GSSAPI"]
    if not arguments.cram:
        excluded.append("CRAM-MD5")
    if arguments.no_login or arguments.no_mechanism:
        excluded.append("LOGIN")
    return excluded + (["PLAIN"] if arguments.no_mechanism else [])


def certificate(arguments):
    if not arguments.certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(arguments.certificate, arguments.key)
    return context


async def misbehave(mode, reader, writer):
    greeting = {
        "garbage": b"\x00\xff\xfe hello, what is this? \x1b[31m\r\n" * 3,
        "long-line": b"220 " + b"x" * 1_000_000 + b"\r\n",
        "bare-line-feed": b"220 here\n",
        "number": b"999 an unknown code\r\n",
        "refusal": b"554 5.7.1 not for you\r\n",
        "busy": b"421 4.3.2 later\r\n",
    }.get(mode, b"")
    try:
        if mode == "drop":
            writer.transport.abort()
            return
        if mode == "endless":
            while True:
                writer.write(b"220-and so on\r\n" * 100)
                await writer.drain()
        writer.write(greeting)
        await writer.drain()
        while line := await reader.readline():
            if mode == "bare-line-feed":
                await answer_with_line_feeds(line, reader, writer)
    except (ConnectionError, ValueError):
        pass


async def answer_with_line_feeds(line, reader, writer):
    if line.startswith(b"EHLO"):
        writer.write(b"250-here\n250 SIZE 1000000\n")
    elif line.startswith(b"DATA"):
        writer.write(b"354 go on\n")
        while await reader.readline() != b".\r\n":
            pass
        writer.write(b"250 2.0.0 kept\n")
    else:
        writer.write(b"250 fine\n")
    await writer.drain()


async def start(arguments):
    loop = asyncio.get_running_loop()
    context = certificate(arguments)
    if arguments.mode != "normal":
        return await asyncio.start_server(
            lambda reader, writer: misbehave(arguments.mode, reader, writer),
            "127.0.0.1", arguments.port)
    handler = Handler(arguments)

    def make_protocol():
        if arguments.connections and handler.open_count >= arguments.connections:
            return Refusal()
        return Server(
            handler, hostname="peer.test", enable_SMTPUTF8=arguments.utf8, loop=loop,
            tls_context=None if arguments.smtps else context,
            require_starttls=bool(context) and not arguments.smtps,
            auth_required=bool(arguments.password), auth_require_tls=True,
            auth_exclude_mechanism=excluded_mechanisms(arguments),
            authenticator=authenticate)

    return await loop.create_server(
        make_protocol, "127.0.0.1", arguments.port, ssl=context if arguments.smtps else None)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--received", required=True)
    parser.add_argument("--mode", default="normal")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--smtps", action="store_true")
    parser.add_argument("--utf8", action="store_true")
    parser.add_argument("--password", help="USER:PASSWORD")
    parser.add_argument("--refuse-sender")
    parser.add_argument("--connections", type=int, help="maximum number of connections")
    parser.add_argument("--mails", type=int, help="maximum number of messages of a connection")
    parser.add_argument("--lower", action="store_true", help="name extensions in lower case")
    parser.add_argument("--no-auth", action="store_true")
    parser.add_argument("--no-mechanism", action="store_true", help="offer AUTH without mechanisms")
    parser.add_argument("--no-login", action="store_true", help="do not offer LOGIN")
    parser.add_argument("--gssapi", action="store_true", help="offer GSSAPI too, and refuse it")
    parser.add_argument("--cram", action="store_true", help="offer CRAM-MD5 too, and refuse it")
    parser.add_argument("--refuse-plain", help="the reply to AUTH PLAIN")
    parser.add_argument("--refuse-password", help="the reply to a wrong password")
    parser.add_argument("--echo", default="", help="text to append to refusals")
    # Test threads block signals, and child processes inherit the blocked signals.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    server = await start(parser.parse_args())
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
