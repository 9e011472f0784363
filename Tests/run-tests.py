#!/usr/bin/env python3
"""Runs the built tests, for so many minutes at most, and says once more at the end what is wrong.

usage: run-tests.py MINUTES [ARGUMENT OF swift test]...

What failed stands somewhere among thousands of lines; a test that hangs, or that ends the process,
says nothing at all."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

COMMAND = ["swift", "test", "--disable-xctest", "--skip-build", "--event-stream-version", "0"]


def run(arguments: list[str], events: str, seconds: float) -> int:
    """Its exit status; it is ended with all that it has started when its time is over."""
    command = COMMAND + ["--event-stream-output-path", events] + arguments
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            print(f"error: the tests are not over after {seconds / 60:g} minutes", file=sys.stderr)
            return 1
        finally:
            if process.poll() is None:
                end(session=process.pid)


def end(session: int) -> None:
    """Ends all processes of a session: the tests run in a group of their own."""
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(status.parent.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue


def read(events: str) -> list[dict]:
    """What has happened; the last line may be cut off."""
    records = []
    for line in open(events, errors="replace"):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return [record["payload"] for record in records if record["kind"] == "event"]


def wrong(events: list[dict]) -> list[str]:
    """The issues, and the tests that have begun and not ended."""
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


def main() -> int:
    minutes, arguments = float(sys.argv[1]), sys.argv[2:]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as events:
        status = run(arguments, events.name, minutes * 60)
        sys.stdout.flush()
        if status != 0:
            print("\n".join(wrong(read(events.name))), file=sys.stderr)
    return min(abs(status), 1)


sys.exit(main())
