#!/usr/bin/env python3
"""Runs the built tests in several processes, and repeats the failures at the end.

usage: run-tests.py MINUTES WORKERS [--skip REGEX]... [-- COMMAND ARGUMENT...]

Each process runs a batch of suites of one module, one test after another. WORKERS processes run at
the same time, because many tests wait for programs and use no processor. The longest batches begin
first. The suites of ALONE run at the end, one after another. COMMAND is a program that checks
something else, which runs beside the tests.

A process fails if for MINUTES none of its tests starts or ends; the program then names the test
that was running. At the end it lists the slowest tests with the seconds that they took.

The events of all processes remain in .build/debug/test-events.jsonl. The next run estimates by
test-seconds.json how long each suite takes. Failures are repeated because each is hidden among
thousands of lines, and because a test that hangs or ends the process prints nothing."""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ARGUMENTS = ["--disable-xctest", "--testing-library", "swift-testing"]
# The number of slowest tests that are listed.
SLOWEST_COUNT = 20
# The seconds of tests in a batch. A process takes a third of a second to start.
BATCH_SECONDS = 20
# The estimated seconds of a suite until a run has measured it.
ESTIMATE = 2
LONG_ESTIMATES = {
    "APITests.GeneratedClientTests": 30,
    "ChimectlTests.CommandTreeTests": 30,
    "EngineTests.SimulationPropertyTests": 100,
    "EngineTests.StatusTests": 30,
    "SinksTests.SinkConformanceTests": 60,
    "StoreTests.DamageTests": 20,
    "StoreTests.ErasureTests": 30,
    "SystemTests.ConsoleBrowserTests": 200,
    "SystemTests.FastClockTests": 60,
    "SystemTests.FleetOutageTests": 40,
    "SystemTests.FleetProcessTests": 50,
    "SystemTests.ForwardingProcessTests": 40,
    "SystemTests.FullDiskTests": 20,
    "SystemTests.ImageTests": 50,
    "SystemTests.KillTests": 30,
    "SystemTests.SoakTests": 40,
    "SystemTests.SwiftClientTests": 60,
    "SystemTests.SystemdServiceTests": 150,
    "SystemTests.ToolTests": 45,
}
# Suites that compare real time with a limit that leaves no room for other processes.
ALONE = {"SystemTests.HangTests"}


class Progress:
    """The results of a process, as far as its events show them."""

    def __init__(self):
        self.tests: set[str] = set()
        self.started_at: dict[str, float] = {}
        self.seconds: dict[str, float] = {}
        self.issues: list[str] = []

    def add(self, record: dict) -> bool:
        """Adds an event or a test's description. Returns whether a test, or a case of a test, has
        started or ended."""
        event = record["payload"]
        if record["kind"] == "test":
            if event["kind"] == "function":
                self.tests.add(event["id"])
            return False
        test, instant = event.get("testID", ""), event["instant"]["absolute"]
        match event["kind"]:
            case "testStarted" if test in self.tests:
                self.started_at[test] = instant
            case "testEnded" if test in self.started_at:
                self.seconds[test] = instant - self.started_at.pop(test)
            case "issueRecorded" if not event.get("issue", {}).get("isKnown"):
                texts = [message["text"] for message in event["messages"]]
                self.issues.append("\n  ".join([f"failed: {test}"] + texts))
        return event["kind"] in ("testStarted", "testEnded", "testCaseStarted", "testCaseEnded")

    @property
    def failures(self) -> list[str]:
        return self.issues + [f"begun and not ended: {test}" for test in self.started_at]


class Run:
    """A process that runs tests, or the other command. `follow` or `kill` records its end."""

    def __init__(self, name: str, command: list[str], has_events: bool):
        self.name = name
        self.progress = Progress()
        self.status: int | None = None
        self.is_hung = False
        self.processor_seconds = 0.0
        self.last_progress = time.monotonic()
        self.output = tempfile.TemporaryFile()
        self.events = tempfile.NamedTemporaryFile(suffix=".jsonl")
        self.output_size = 0
        self.partial_line = b""
        if has_events:
            command += ["--event-stream-version", "0"]
            command += ["--event-stream-output-path", self.events.name]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            start_new_session=True)

    def follow(self, limit: float) -> None:
        """Reads new events, and records whether the process has ended. Kills a process without
        progress for `limit` seconds."""
        # The status is read first, so that all events of a process that has ended are read then.
        identifier, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if self.has_progressed():
            self.last_progress = time.monotonic()
        if identifier:
            self.end(status, usage)
        elif time.monotonic() - self.last_progress > limit:
            self.is_hung = True
            self.kill()

    def has_progressed(self) -> bool:
        """Reads new events, and returns whether the process has progressed. A process without tests
        progresses while it prints."""
        old_size, self.output_size = self.output_size, os.fstat(self.output.fileno()).st_size
        lines = (self.partial_line + self.events.read()).split(b"\n")
        self.partial_line = lines.pop()
        records = [json.loads(line.decode(errors="replace")) for line in lines]
        steps = [self.progress.add(record) for record in records]
        return any(steps) if self.progress.tests else self.output_size > old_size

    def end(self, status: int, usage) -> None:
        self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.processor_seconds = usage.ru_utime + usage.ru_stime

    def kill(self) -> None:
        """Kills the process and all its children."""
        end_session(self.process.pid)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.end(status, usage)

    def print_output(self) -> None:
        self.output.seek(0)
        sys.stdout.buffer.write(self.output.read())
        sys.stdout.flush()

    def failures(self, minutes: float) -> list[str]:
        if self.status == 0:
            return []
        reason = f"error: {self.name} ended with status {self.status}"
        if self.is_hung:
            reason = f"error: in {self.name} no test started or ended for {minutes:g} minutes"
        return [reason] + self.progress.failures


def end_session(session: int) -> None:
    """Kills all processes of a session. Tests start programs in process groups of their own, which
    killing one group would miss."""
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(status.parent.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue


def listed_tests(program: str, skipped: list[str]) -> set[str]:
    """Returns the tests of all suites, such as `TidyTests.RuleTests/one()`."""
    tests = subprocess.check_output([program, *ARGUMENTS, "--list-tests"], text=True).splitlines()
    return {test for test in tests if not any(re.search(each, test) for each in skipped)}


def batches(suites: list[str], known_seconds: dict[str, float]) -> list[list[str]]:
    """Divides the suites into batches of one module each, the longest batch first."""
    result: list[tuple[float, list[str]]] = []
    for suite in suites:
        seconds = known_seconds.get(suite, LONG_ESTIMATES.get(suite, ESTIMATE))
        is_same_module = result and result[-1][1][0].split(".")[0] == suite.split(".")[0]
        if is_same_module and result[-1][0] + seconds <= BATCH_SECONDS:
            result[-1] = (result[-1][0] + seconds, result[-1][1] + [suite])
        else:
            result.append((seconds, [suite]))
    return [batch for _, batch in sorted(result, key=lambda each: -each[0])]


def test_run(program: str, batch: list[str]) -> Run:
    pattern = "^(" + "|".join(re.escape(suite) for suite in batch) + ")/"
    command = [program, *ARGUMENTS, "--no-parallel", "--filter", pattern]
    name = batch[0] if len(batch) == 1 else f"{batch[0]} to {batch[-1].split('.')[1]}"
    return Run(name, command, has_events=True)


def run_all(starters: list, workers: int, limit: float) -> list[Run]:
    """Runs all processes, at most `workers` at a time. Each starter is a function that starts one.
    """
    running: list[Run] = []
    ended: list[Run] = []
    try:
        while starters or running:
            while starters and len(running) < workers:
                running.append(starters.pop(0)())
            time.sleep(0.1)
            for run in list(running):
                run.follow(limit)
                if run.status is not None:
                    run.print_output()
                    running.remove(run)
                    ended.append(run)
    finally:
        for run in running:
            run.kill()
    return ended


def print_slowest(runs: list[Run], seconds: float) -> None:
    durations = {test: each for run in runs for test, each in run.progress.seconds.items()}
    processors = sum(run.processor_seconds for run in runs)
    print(f"{len(durations)} tests took {seconds:.0f} s, with {processors:.0f} s of processors.")
    modules = collections.Counter()
    for test, each in durations.items():
        modules[test.split(".")[0]] += each
    totals = [f"{module} {each:.0f}" for module, each in modules.most_common()]
    print("The seconds of each module's tests: " + ", ".join(totals))
    print("The slowest tests, in seconds:")
    for test in sorted(durations, key=durations.get, reverse=True)[:SLOWEST_COUNT]:
        print(f"{durations[test]:8.1f} {test}")
    sys.stdout.flush()


def write_events(runs: list[Run], path: pathlib.Path) -> None:
    with path.open("wb") as file:
        for run in runs:
            run.events.seek(0)
            # The last line of a process that was killed may be incomplete.
            file.writelines(line for line in run.events if line.endswith(b"\n"))


def write_seconds(runs: list[Run], known_seconds: dict[str, float], path: pathlib.Path) -> None:
    """Writes the seconds of each suite: as measured if it ran, else the known ones."""
    measured = collections.Counter()
    for run in runs:
        for test, seconds in run.progress.seconds.items():
            measured[test.split("/")[0]] += round(seconds, 1)
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps({**known_seconds, **measured}))
    temporary.replace(path)


def main() -> int:
    # A cancelled run ends its processes, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments = sys.argv[1:]
    command: list[str] = []
    if "--" in arguments:
        command = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    minutes, workers, skipped = float(arguments[0]), int(arguments[1]), arguments[3::2]
    directory = subprocess.check_output(["swift", "build", "--show-bin-path"], text=True).strip()
    program = directory + "/chimedPackageTests.xctest"
    events = pathlib.Path(directory, "test-events.jsonl")
    seconds = pathlib.Path(directory, "test-seconds.json")
    known_seconds = json.loads(seconds.read_text()) if seconds.exists() else {}
    starters = [lambda: Run(command[0], command, has_events=False)] if command else []
    tests = listed_tests(program, skipped)
    suites = sorted({test.split("/")[0] for test in tests})
    for batch in batches([suite for suite in suites if suite not in ALONE], known_seconds):
        starters.append(lambda batch=batch: test_run(program, batch))
    solo_starters = [lambda suite=suite: test_run(program, [suite])
                     for suite in suites if suite in ALONE]
    begin = time.monotonic()
    limit = minutes * 60
    runs = run_all(starters, workers, limit) + run_all(solo_starters, 1, limit)
    write_events(runs, events)
    write_seconds(runs, known_seconds, seconds)
    print_slowest(runs, time.monotonic() - begin)
    failures = [line for run in runs for line in run.failures(minutes)]
    # Events identify each test with its file and line; the list does so only for some tests.
    selected = {test for run in runs for test in run.progress.tests}
    selected |= {test.rpartition("/")[0] for test in selected}
    failures += [f"error: was in no process: {test}" for test in sorted(tests - selected)]
    for line in failures:
        print(line, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
