"""Searches the journal for the deliveries of the events in the given files, which have one event
per line. Exits with 1 if an event has no delivery, or has deliveries under different ids."""

import collections
import json
import subprocess
import sys

command = [
    "journalctl", "--quiet", "--output", "json", "--output-fields",
    "MESSAGE_ID,CHIME_RECIPIENT,CHIME_NOTIFICATION",
    "_SYSTEMD_UNIT=chimed.service", "CHIME_SINK=journal",
]
delivered = collections.defaultdict(list)
journal = subprocess.Popen(command, stdout=subprocess.PIPE)
for line in journal.stdout:
    entry = json.loads(line)
    # The journal sink writes a delivery without a message id; the service's own entries have one.
    if "MESSAGE_ID" not in entry:
        delivered[entry["CHIME_RECIPIENT"]].append(entry["CHIME_NOTIFICATION"])

people = [json.loads(line)["subject"] for path in sys.argv[1:] for line in open(path)]
lost = [name for name in people if not delivered[name]]
twice = [name for name in people if len(set(delivered[name])) > 1]
repeated = sum(len(delivered[name]) - 1 for name in people if delivered[name])
print(f"#   of {len(people)} acknowledged: {len(lost)} lost, {len(twice)} sent under two ids, "
      f"{repeated} repeated under the same id")
sys.exit(1 if lost or twice or not people else 0)
