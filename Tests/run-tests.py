#!/usr/bin/env python3
"""Runs the built tests within a time limit, and repeats the failures at the end.

usage: run-tests.py MINUTES [ARGUMENT OF swift test]... [-- ARGUMENT OF swift test...]...

The arguments after each -- are for an additional process that runs in parallel: tests that wait for
programs occupy the few test threads of a process, but no processor. The output of such a process
follows when all have ended.

The summary is needed because a failure is hidden among thousands of lines, and a test that hangs or
ends the process prints nothing. With --no-parallel the slowest tests are listed."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = ["swift", "test", "--disable-xctest", "--skip-build", "--event-stream-version", "0"]


class Run:
    """One process that runs tests."""

    def __init__(self, arguments: list[str], is_first: bool, files: contextlib.ExitStack):
        self.events = files.enter_context(tempfile.NamedTemporaryFile(suffix=".jsonl"))
        self.output = None if is_first else files.enter_context(tempfile.TemporaryFile())
        # No process builds anything.
        self.process = subprocess.Popen(
            COMMAND + ["--ignore-lock", "--event-stream-output-path", self.events.name] + arguments,
            stdout=self.output, stderr=self.output, start_new_session=True)

    def begin(self, deadline: float) -> None:
        """Waits until the process runs tests or has ended. Before that, it checks the build, and
        two processes that check it at once fail."""
        while self.process.poll() is None and time.monotonic() < deadline:
            if os.path.getsize(self.events.name) > 0:
                return
            time.sleep(0.1)

    def finish(self, deadline: float) -> int:
        """Returns the exit status; at the deadline it kills the process and all its children."""
        try:
            return self.process.wait(max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            end(session=self.process.pid)
            self.process.wait()
            return TIMEOUT

    def print_output(self) -> None:
        if self.output:
            self.output.seek(0)
            shutil.copyfileobj(self.output, sys.stdout.buffer)


TIMEOUT = 124


def end(session: int) -> None:
    """Kills all processes of a session. Killing a process group would miss the tests, which run in
    another one."""
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(status.parent.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue


def read(events: str) -> list[dict]:
    """Returns the recorded events; the last line may be incomplete."""
    records = []
    for line in open(events, errors="replace"):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return [record["payload"] for record in records if record["kind"] == "event"]


def failures(events: list[dict]) -> list[str]:
    """Returns the issues, and the tests that have begun but not ended."""
    issues, begun = [], {}
    for event in events:
        test = event.get("testID", "")
        match event["kind"]:
            case "testStarted" if "/" in test:
                begun[test] = True
            case "testEnded":
                begun.pop(test, None)
            case "issueRecorded" if not event.get("issue", {}).get("isKnown"):
                texts = [message["text"] for message in event["messages"]]
                issues.append("\n  ".join([f"failed: {test}"] + texts))
    return issues + [f"begun and not ended: {test}" for test in begun]


def durations(events: list[dict]) -> list[tuple[float, str]]:
    """Returns the seconds of each test that ended, and its name, the slowest first."""
    begun, ended = {}, []
    for event in events:
        test, instant = event.get("testID", ""), event["instant"]["absolute"]
        match event["kind"]:
            case "testStarted" if "/" in test:
                begun[test] = instant
            case "testEnded" if test in begun:
                ended.append((instant - begun[test], test))
    return sorted(ended, reverse=True)


def groups(arguments: list[str]) -> list[list[str]]:
    """Splits the arguments by run."""
    parts: list[list[str]] = [[]]
    for argument in arguments:
        if argument == "--":
            parts.append([])
        else:
            parts[-1].append(argument)
    return parts


def print_slowest(events: list[dict]) -> None:
    print("The slowest tests, in seconds:")
    for seconds, test in durations(events)[:20]:
        print(f"{seconds:8.1f} {test}")


def main() -> int:
    minutes, parts = float(sys.argv[1]), groups(sys.argv[2:])
    deadline = time.monotonic() + minutes * 60
    with contextlib.ExitStack() as files:
        runs: list[Run] = []
        try:
            for part in parts:
                runs.append(Run(part, not runs, files))
                runs[-1].begin(deadline)
            statuses = [run.finish(deadline) for run in runs]
        finally:
            for run in runs:
                if run.process.poll() is None:
                    end(session=run.process.pid)
        for run, part in zip(runs, parts):
            run.print_output()
            # Parallel tests wait for each other, so their durations say little.
            if "--no-parallel" in part:
                print_slowest(read(run.events.name))
        sys.stdout.flush()
        for run, status in zip(runs, statuses):
            if status == TIMEOUT:
                print(f"error: the tests have not ended after {minutes:g} minutes", file=sys.stderr)
            if status != 0:
                print("\n".join(failures(read(run.events.name))), file=sys.stderr)
    return 1 if any(statuses) else 0


sys.exit(main())
