"""A PostgreSQL server that a test starts, and the nodes of one fleet on it. A test can kill and
restart both."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM_DIRECTORIES = [
    "/usr/lib/postgresql/15/bin",
    f"{PROJECT}/.build/tools/postgresql/usr/lib/postgresql/15/bin",
]
CATALOG = """
catalog: soak
categories:
  WORK: {title: Work, urgency: normal, channels: {push: true}}
groups: {}
reminders: {}
"""
CERTIFICATES = """
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
  -subj '/CN=chimed fleet' -keyout authority.key -out authority.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=node \
  -addext 'subjectAltName=IP:127.0.0.1' -addext 'extendedKeyUsage=serverAuth,clientAuth' \
  -keyout node.key -out node.csr
openssl x509 -req -in node.csr -copy_extensions copy -days 30 -CA authority.pem \
  -CAkey authority.key -out node.pem
"""


class Unavailable(Exception):
    """The error that a request got no valid answer. The request may have been executed."""


class UnixConnection(http.client.HTTPConnection):
    """A connection over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Server:
    """PostgreSQL, with or without a synchronous standby that can be promoted.

    It listens on Unix sockets, whose names contain the ports. PostgreSQL refuses to run as root, so
    root runs it as the user nobody.
    """

    ports = {"one": 5432, "two": 5433}

    def __init__(self, directory):
        self.directory = directory / "server"
        self.directory.mkdir(mode=0o700)
        programs = next((directory for directory in PROGRAM_DIRECTORIES
                         if os.access(f"{directory}/pg_ctl", os.X_OK)), None)
        if programs is None:
            raise SystemExit("error: there is no PostgreSQL 15: install postgresql-15")
        self.account = []
        if os.geteuid() == 0:
            shutil.chown(self.directory, "nobody")
            self.account = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            if subprocess.run(self.account + ["test", "-x", f"{programs}/initdb"]).returncode:
                # The user nobody cannot execute the programs here, so it gets a copy.
                source = pathlib.Path(programs).parents[3]
                shutil.copytree(source, directory / "usr", symlinks=True)
                programs = f"{directory}/usr/lib/postgresql/15/bin"
        self.programs = programs
        self.primary, self.standby = "one", "two"
        host = f"host={self.directory},{self.directory} port=5432,5433"
        self.location = f"{host} user=chimed dbname=postgres target_session_attrs=read-write"

    def begin(self, has_standby):
        self.run("initdb", "--auth=trust", "--username=chimed", "--encoding=UTF8",
                 "--locale=C.UTF-8", "--pgdata", self.primary)
        self.control(self.primary, "start")
        if has_standby:
            self.start_standby()

    def run(self, program, *arguments):
        with open(self.directory / "messages", "ab") as messages:
            subprocess.run(
                self.account + [f"{self.programs}/{program}", *arguments], cwd=self.directory,
                stdin=subprocess.DEVNULL, stdout=messages, stderr=messages, check=True)

    def control(self, name, *words):
        options = f"-k '{self.directory}' -p {self.ports[name]} -c listen_addresses="
        self.run("pg_ctl", "--pgdata", name, "--wait", f"--log=log-{name}", "--options", options,
                 *words)

    def start_standby(self):
        """Starts a synchronous standby: each commit waits for its confirmation."""
        self.run("pg_basebackup", "--host", str(self.directory), "--username=chimed",
                 "--port", str(self.ports[self.primary]), "--pgdata", self.standby,
                 "--write-recovery-conf", "--checkpoint=fast")
        self.control(self.standby, "start")
        with open(self.directory / self.primary / "postgresql.auto.conf", "a") as settings:
            settings.write("synchronous_standby_names = '*'\n")
        self.control(self.primary, "reload")

    def promote(self):
        """Stops the primary at once, removes its disk, and promotes the standby."""
        self.control(self.primary, "--mode=immediate", "stop")
        shutil.rmtree(self.directory / self.primary)
        with open(self.directory / self.standby / "postgresql.auto.conf", "a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self.control(self.standby, "promote")
        self.primary, self.standby = self.standby, self.primary

    def crash(self):
        self.control(self.primary, "--mode=immediate", "restart")

    def end_sessions(self):
        """Ends the process of every session by SIGTERM."""
        for process in self.sessions():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)

    def sessions(self):
        """Yields the process ids of chimed's sessions."""
        postmaster = (self.directory / self.primary / "postmaster.pid").read_text().split()[0]
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = status.read_text().rpartition(")")[2].split()[1]
                title = (status.parent / "cmdline").read_text()
                if parent == postmaster and title.startswith("postgres: chimed postgres"):
                    yield int(status.parent.name)
            except OSError:
                continue

    def size(self):
        """Returns the size in bytes of tables and indices, without the write-ahead log."""
        files = (self.directory / self.primary / "base").rglob("*")
        return sum(file.stat().st_size for file in files if file.is_file())

    def stop(self):
        for name in (self.standby, self.primary):
            if (self.directory / name / "postmaster.pid").exists():
                self.control(name, "--mode=immediate", "stop")


class Node:
    """A node: its files, and its process, which may have ended or be suspended."""

    def __init__(self, fleet, name):
        self.name, self.program = name, fleet.program
        self.directory = fleet.directory / name
        self.directory.mkdir()
        self.configuration = self.directory / "chimed.yaml"
        self.deliveries = self.directory / "deliveries"
        self.process = None
        self.configuration.write_text(f"""
state-directory: {self.directory}
socket: {self.directory}/socket
{fleet.membership(name)}
catalogs: [{fleet.directory}/soak.yaml]
sinks: {{out: {{type: jsonl, file: {self.deliveries}}}}}
""")

    def start(self):
        with open(self.directory / "log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", "--config", self.configuration], stderr=log,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()

    def stop(self, timeout=60):
        """Stops the process; returns its exit status."""
        self.send(signal.SIGTERM)
        return self.process.wait(timeout)

    def ask(self, method, path, body=None, timeout=20):
        """Sends a request; returns the status and the JSON value of the answer."""
        connection = UnixConnection(f"{self.directory}/socket", timeout)
        kind = "application/cloudevents-batch+json"
        try:
            connection.request(method, path, body and json.dumps(body), {"Content-Type": kind})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unavailable(f"{self.name}: {error!r}") from error
        finally:
            connection.close()

    def memory(self):
        """Returns the resident memory in bytes."""
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


class Fleet:
    """A PostgreSQL server and its nodes, in a temporary directory that `remove` deletes."""

    lease = 3
    shards = 16
    has_standby = True
    catalog = CATALOG
    node_kind, server_kind = Node, Server

    def __init__(self, program, names):
        self.program = program
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="chimed-soak-"))
        self.directory.chmod(0o755)
        self.names, self.nodes, self.server = names, {}, None

    def membership(self, name):
        """Returns the fleet section of a node's configuration."""
        directory = self.directory
        return f"""
store: {{postgresql: {{url: "{self.server.location}"}}}}
fleet:
  name: {name}
  lease: {self.lease}s
  listen: 127.0.0.1:{free_port()}
  certificate: {directory}/node.pem
  key: {directory}/node.key
  authority: {directory}/authority.pem
"""

    def begin(self):
        self.server = self.server_kind(self.directory)
        self.server.begin(self.has_standby)
        (self.directory / "soak.yaml").write_text(self.catalog)
        subprocess.run(["sh", "-ec", CERTIFICATES], cwd=self.directory, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.nodes = {name: self.node_kind(self, name) for name in self.names}
        first = self.nodes[self.names[0]]
        subprocess.run(
            [self.program, "fleet", "init", "--config", first.configuration,
             "--shards", str(self.shards)], check=True, stdout=subprocess.DEVNULL)
        for node in self.nodes.values():
            node.start()

    def shard_counts(self, observer):
        """Returns how many shards each node owns, by the node's name, according to the node
        `observer`. Returns None if `observer` gives no answer, or if a shard has no owner."""
        try:
            status, fleet = self.nodes[observer].ask("GET", "/v1/fleet", timeout=5)
        except Unavailable:
            return None
        if status != 200 or fleet["free"]:
            return None
        return {node["name"]: node["shards"] for node in fleet["nodes"] if node["shards"]}

    def is_whole(self):
        """Returns whether every node has shards, according to every node."""
        return all(set(self.shard_counts(name) or {}) == set(self.nodes) for name in self.nodes)

    def end(self):
        for node in self.nodes.values():
            if node.process and node.process.poll() is None:
                node.kill()
        if self.server:
            self.server.stop()

    def remove(self):
        shutil.rmtree(self.directory)


def wait_until(condition, timeout, pause=0.05):
    """Waits for the condition; returns whether it was met within the timeout in seconds."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(pause)
    return False


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
