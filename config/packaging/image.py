"""Writes an OCI image of chimed: image.py PROGRAM VERSION OUTPUT.

The image has two layers: the files of Debian that PROGRAM needs, and chimed. Equal inputs and an
equal $SOURCE_DATE_EPOCH give an equal digest. Run this in the directory of the project."""

import glob
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

USER = 65532
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH") or 0)
TYPE = "application/vnd.oci.image."


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit("image.py: this command failed: " + " ".join(command))
    return result.stdout


def read(path):
    return pathlib.Path(path).read_bytes()


class Layer:
    """A tree of files. Its archive depends only on these files and on $SOURCE_DATE_EPOCH."""

    def __init__(self):
        self.entries = {}

    def add(self, path, data=b"", kind=tarfile.REGTYPE, mode=0o644, owner=0, target=""):
        parent = os.path.dirname(path)
        if parent != "/" and parent not in self.entries:
            self.directory(parent)
        entry = tarfile.TarInfo(path.lstrip("/"))
        entry.type, entry.mode, entry.linkname, entry.size = kind, mode, target, len(data)
        entry.uid, entry.gid, entry.mtime = owner, owner, EPOCH
        self.entries[path] = entry, data

    def directory(self, path, mode=0o755, owner=0):
        self.add(path, kind=tarfile.DIRTYPE, mode=mode, owner=owner)

    def link(self, path, target):
        self.add(path, kind=tarfile.SYMTYPE, mode=0o777, target=target)

    def copy(self, path):
        """Adds a file of this machine at its own path. A symbolic link is added with its target."""
        location = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if os.path.islink(location):
            self.link(location, os.readlink(location))
        real = os.path.realpath(location)
        if os.path.isfile(real):
            self.add(real, read(real), mode=0o755 if os.access(real, os.X_OK) else 0o644)

    def archive(self):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for _, (entry, data) in sorted(self.entries.items()):
                archive.addfile(entry, io.BytesIO(data))
        return buffer.getvalue()


def packages_of(paths):
    """Returns the packages of files. dpkg's lists may have paths without /usr, from before the
    directories were merged, so both forms are searched."""
    names = [name for path in paths for name in (path, path.removeprefix("/usr"))]
    lines = subprocess.run(["dpkg-query", "--search", *names], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
    return {line.split(":")[0] for line in lines if not line.startswith("diversion")}


def base_layer(program):
    """Returns the layer with the files of Debian that a program needs."""
    layer = Layer()
    for name in ("dev", "etc/credstore", "proc", "run", "sys", "usr/lib", "usr/lib64"):
        layer.directory("/" + name)
    layer.directory("/tmp", mode=0o1777)
    for name in ("lib", "lib64"):
        layer.link("/" + name, "usr/" + name)
    libraries = [word for word in run("ldd", program).split() if word.startswith("/")]
    zones = [path for path in run("dpkg-query", "--listfiles", "tzdata").splitlines()
             if path.startswith("/usr/share/zoneinfo/") and not os.path.isdir(path)]
    for path in libraries + zones + ["/etc/os-release"]:
        layer.copy(path)
    # The image trusts the authorities of the package, and not those that this machine adds.
    authorities = sorted(glob.glob("/usr/share/ca-certificates/mozilla/*.crt"))
    layer.add("/etc/ssl/certs/ca-certificates.crt", b"".join(map(read, authorities)))
    layer.link("/usr/lib/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt")
    layer.add("/etc/nsswitch.conf", b"hosts: files dns\n")
    line = f"chimed:x:{USER}:"
    layer.add("/etc/passwd", f"root:x:0:0::/:\n{line}{USER}::/var/lib/chimed:\n".encode())
    layer.add("/etc/group", f"root:x:0:\n{line}\n".encode())
    # Vulnerability scanners read the status, and the licenses require the copyright files.
    for name in packages_of(map(os.path.realpath, libraries)) | {"ca-certificates", "tzdata"}:
        layer.add(f"/var/lib/dpkg/status.d/{name}", run("dpkg-query", "--status", name).encode())
        layer.add(f"/usr/share/doc/{name}/copyright", read(f"/usr/share/doc/{name}/copyright"))
    return layer


def chimed_layer(program):
    layer = Layer()
    with tempfile.NamedTemporaryFile() as file:
        run("strip", "--strip-all", "--remove-section=.comment", "-o", file.name, program)
        layer.add("/usr/bin/chimed", read(file.name), mode=0o755)
    layer.link("/usr/bin/chimectl", "chimed")
    for path in glob.glob("config/catalogs/*.yaml") + glob.glob("config/holidays/*.ics"):
        layer.add(path.replace("config", "/usr/share/chimed"), read(path))
    layer.add("/usr/share/doc/chimed/copyright", read("config/packaging/copyright"))
    layer.add("/etc/chimed/chimed.yaml", read("config/chimed.yaml"))
    layer.directory("/var/lib/chimed", mode=0o700, owner=USER)
    return layer


def main(program, version, output):
    blobs = {}

    def blob(data, kind):
        """Adds a blob to the image, and returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        blobs["blobs/sha256/" + digest] = data
        return {"mediaType": TYPE + kind, "digest": "sha256:" + digest, "size": len(data)}

    archives = [base_layer(program).archive(), chimed_layer(program).archive()]
    layers = [blob(gzip.compress(data, 6, mtime=0), "layer.v1.tar+gzip") for data in archives]
    created = time.strftime("%FT%TZ", time.gmtime(EPOCH))
    settings = json.loads(read("config/packaging/image.json"))
    settings["Labels"] = {"org.opencontainers.image." + key: value for key, value in (
        ("title", "chimed"), ("version", version), ("licenses", "Apache-2.0"))}
    config = {
        "created": created, "architecture": run("dpkg", "--print-architecture").strip(),
        "os": "linux", "config": settings, "rootfs": {"type": "layers", "diff_ids": [
            "sha256:" + hashlib.sha256(data).hexdigest() for data in archives]}}
    manifest = blob(json.dumps({
        "schemaVersion": 2, "mediaType": TYPE + "manifest.v1+json", "layers": layers,
        "config": blob(json.dumps(config).encode(), "config.v1+json")}).encode(),
        "manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version,
                               "io.containerd.image.name": "docker.io/library/chimed:" + version}
    blobs["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [manifest]}).encode()
    blobs["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    image = Layer()
    for path, data in blobs.items():
        image.add("/" + path, data)
    pathlib.Path(output).write_bytes(image.archive())
    print(output, manifest["digest"])


main(*sys.argv[1:])
