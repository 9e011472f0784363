"""The parts that fail and are healed, and how the service's status names each of them.

`fail` and `heal` change a part. `is_named` and `is_well` read the service's status.
"""

import contextlib
import datetime
import re
import sqlite3
import subprocess
import time

from fleet import Unavailable, wait_until
from service import OTHER_SECRET, SECRET, fill_disk, free_disk

# The seconds until a delivery that a sink answered with an error is attempted again (rule D2),
# with their spread.
RETRY = 6


class Part:
    """A part that fails. By default nothing depends on it."""

    # Whether the store accepts nothing until the part is well.
    blocks_store = False
    # Whether `fail` restarts the service, which does not answer during the restart.
    has_restart = False
    # The seconds after healing that a rule allows until the part is well.
    allowance = 0
    # The seconds after healing that a rule allows until a delivery in flight is attempted again.
    delay = 0

    def __init__(self, service, target, variant):
        self.service, self.target, self.variant = service, target, variant
        self.faults = []

    @property
    def sink(self):
        """The sink whose deliveries wait; None if there is none."""

    def violate(self, text):
        self.faults.append(text)

    def expect_reload(self):
        code, text = reload(self.service)
        if code != 0:
            self.violate(f"the reload was refused: {text}")


class Secret(Part):
    """A damaged secret file. Its sink continues to work with the previous secret (rule S9)."""

    def fail(self):
        self.content = self.service.secret(self.target).read_text()
        damage_secret(self.service.secret(self.target), self.variant)
        self.expect_reload()

    def heal(self):
        self.service.secret(self.target).write_text(self.content)
        self.expect_reload()

    def is_named(self):
        return any("secret" in text for text in self.remarks())

    def is_well(self):
        return "outdatedSinks" in self.service.status() and not self.remarks()

    def remarks(self):
        """Returns the status's remarks that the sink still has its previous settings."""
        texts = self.service.status().get("outdatedSinks", [])
        return [text for text in texts if text.startswith(f"the sink {self.target} ")]


class Catalog(Part):
    """A catalog with an error, which a reload refuses (rule S1)."""

    # The invalid last line by variant; "urgency" changes a line instead.
    broken_lines = {"flow": "categories: [", "key": "nonsense: 1", "indent": "  - x: : y"}

    @property
    def file(self):
        return self.service.catalog

    def damage(self):
        if self.variant == "urgency":
            self.file.write_text(self.content.replace("urgency: normal", "urgency: shrill", 1))
        else:
            self.file.write_text(self.content + self.broken_lines[self.variant] + "\n")

    def fail(self):
        self.content = self.file.read_text()
        self.damage()
        code, text = reload(self.service)
        if code == 0:
            self.violate("the reload accepted the broken catalog")
        elif not self.names_fault(text):
            self.violate(f"the reload's error does not name file, line and column: {text}")

    def heal(self):
        self.file.write_text(self.content)
        self.expect_reload()

    def is_named(self):
        return self.names_fault(self.service.status().get("reloadFailure") or "")

    def is_well(self):
        return self.service.status().get("reloadFailure", "absent") is None

    def names_fault(self, text):
        """Returns whether the text names the file, the line and the column."""
        return re.search(re.escape(str(self.file)) + r":\d+:\d+:", text) is not None


def damage_secret(file, variant):
    if variant == "removed":
        file.unlink()
    else:
        file.write_text("" if variant == "emptied" else "not a webhook's secret\n")


class SinkPart(Part):
    """A sink that delivers nothing during the failure."""

    @property
    def sink(self):
        return self.target

    def is_well(self):
        lane = self.service.lane(self.target)
        return lane is not None and lane["failure"] is None and lane["breaker"] == "closed" \
            and not lane["retrying"]


class Refusal(SinkPart):
    """A receiver that refuses connections, does not answer, or answers with an error."""

    def __init__(self, receivers, service, target, variant):
        super().__init__(service, target, variant)
        self.receiver = receivers[target]

    def fail(self):
        self.receiver.fail(self.variant)

    def heal(self):
        self.allowance = self.delay = max(RETRY, self.outage_pause())
        self.receiver.heal()
        if self.variant == 410:
            self.resume()

    def resume(self):
        """Enables the sink, which the answer 410 has disabled. Repeats the request while the
        service is unavailable."""
        for _ in range(60):
            with contextlib.suppress(Unavailable):
                status, answer = self.service.ask("POST", f"/v1/sinks/{self.target}/resume")
                if status in (200, 204):
                    return
                if status not in (503, 507):
                    return self.violate(f"the sink cannot be resumed: {answer}")
            time.sleep(0.5)

    def outage_pause(self):
        """Returns the seconds until an outage's next attempt. This pause doubles with each attempt
        up to a minute (rule D3)."""
        lane = self.service.lane(self.target)
        if lane is None or lane["nextAttempt"] is None:
            return 0
        next_attempt = datetime.datetime.fromisoformat(lane["nextAttempt"])
        return max(0, next_attempt.timestamp() - time.time())

    def is_named(self):
        lane = self.service.lane(self.target)
        return lane is not None and (lane["failure"] is not None or self.is_retried(lane))

    def is_retried(self, lane):
        return lane["retrying"] > 0 and lane["lastFailure"] is not None


class WrongSecret(SinkPart):
    """A well-formed secret that differs from the receiver's. The receiver answers 401."""

    allowance = delay = RETRY

    def fail(self):
        self.service.secret(self.target).write_text(OTHER_SECRET + "\n")
        self.expect_reload()

    def heal(self):
        self.service.secret(self.target).write_text(SECRET + "\n")
        self.expect_reload()

    def is_named(self):
        lane = self.service.lane(self.target)
        return lane is not None and lane["retrying"] > 0 \
            and "401" in (lane["lastFailure"] or {}).get("reason", "")


class MissingSecret(SinkPart):
    """A damaged secret file during a restart, which cannot create the sink (rule S9)."""

    has_restart = True

    def fail(self):
        self.content = self.service.secret(self.target).read_text()
        damage_secret(self.service.secret(self.target), self.variant)
        restart(self)
        if not wait_until(self.service.is_ready, 20):
            self.violate("the service is not ready 20 s after a restart")

    def heal(self):
        self.service.secret(self.target).write_text(self.content)
        self.expect_reload()

    def is_named(self):
        lane = self.service.lane(self.target)
        return lane is not None and "secret" in (lane["failure"] or "") \
            and self.target in self.service.unavailable()

    def is_well(self):
        return super().is_well() and self.target not in self.service.unavailable()


class StorePart(Part):
    """A failure of the store. The status names it by a text that contains `word`."""

    blocks_store = True

    def is_named(self):
        return self.word in (self.service.status().get("storageFailure") or "")

    def is_well(self):
        status = self.service.status()
        return "lanes" in status and status["storageFailure"] is None


class Lock(StorePart):
    """Another program that holds the store's lock (rule E11)."""

    word = "has locked"

    def fail(self):
        [database] = [file for file in self.service.state.iterdir() if is_database(file)]
        self.connection = sqlite3.connect(database, isolation_level=None, timeout=10,
                                          check_same_thread=False)
        self.connection.execute("BEGIN EXCLUSIVE")

    def heal(self):
        self.connection.execute("ROLLBACK")
        self.connection.close()


class RestartedLock(Lock):
    """A lock that is held before, during and after a restart; the start waits for its release."""

    has_restart = True

    def fail(self):
        super().fail()
        time.sleep(2)
        self.log = self.service.log_size()
        restart(self)

    def is_named(self):
        return self.service.has_logged("until the store is free", self.log)


def is_database(file):
    if not file.is_file():
        return False
    with open(file, "rb") as content:
        return content.read(15) == b"SQLite format 3"


class FullDisk(StorePart):
    """A full disk."""

    word = "disk is full"

    def fail(self):
        fill_disk(self.service.state)

    def heal(self):
        free_disk(self.service.state)

    def is_named(self):
        """A disk use of nearly 100 % suffices: the disk may be full before a write fails."""
        return super().is_named() or (self.service.status().get("diskUse") or 0) > 0.99


class Interruption(StorePart):
    """A PostgreSQL server that crashes, ends all its sessions, or ends the idle ones.

    The service reconnects by itself, perhaps before the status is read. So the status need not name
    this part."""

    # The seconds that a delivery waits if it was in flight at two interruptions (rule D9).
    delay = 5

    def __init__(self, store, service, target, variant):
        super().__init__(service, target, variant)
        self.store = store

    def fail(self):
        interrupt = {"all": self.store.server.end_sessions, "idle": self.store.end_idle,
                     "crash": self.store.server.crash}
        interrupt[self.variant]()

    def heal(self):
        pass

    def is_named(self):
        return True

    def is_well(self):
        return super().is_well() and self.store.is_whole()


class Attack(Part):
    """An attack by hostile callers. The status need not name it."""

    def __init__(self, hostile, service, target, variant):
        super().__init__(service, target, variant)
        self.hostile = hostile

    def fail(self):
        self.hostile.begin(self.variant)

    def heal(self):
        error = self.hostile.end()
        if error:
            self.violate(error)

    def is_named(self):
        return True

    def is_well(self):
        return "lanes" in self.service.status()


def reload(service):
    """Reloads the configuration; repeats that while the service is unavailable. Returns chimectl's
    exit status and its error."""
    for _ in range(60):
        code, text = service.reload()
        if code not in (69, 75) and "try again" not in text:
            break
        time.sleep(0.5)
    return code, text


def restart(part):
    """Stops the service and starts it again. The stop has to succeed within 20 seconds."""
    status = None
    with contextlib.suppress(subprocess.TimeoutExpired):
        status = part.service.stop(20)
    if status != 0:
        part.violate(f"the stopped service ended with {status}; None means not within 20 s")
        part.service.kill()
    part.service.start()
