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
ids_by_recipient = collections.defaultdict(list)
journal = subprocess.Popen(command, stdout=subprocess.PIPE)
for line in journal.stdout:
    entry = json.loads(line)
    # The journal sink writes a delivery without a message id; the service's own entries have one.
    if "MESSAGE_ID" not in entry:
        ids_by_recipient[entry["CHIME_RECIPIENT"]].append(entry["CHIME_NOTIFICATION"])

recipients = [json.loads(line)["subject"] for path in sys.argv[1:] for line in open(path)]
ids = [ids_by_recipient[recipient] for recipient in recipients]
lost_count = sum(1 for each in ids if not each)
ambiguous_count = sum(1 for each in ids if len(set(each)) > 1)
repetition_count = sum(len(each) - 1 for each in ids if each)
print(f"#   of {len(recipients)} acknowledged events: {lost_count} lost, "
      f"{ambiguous_count} sent under two ids, {repetition_count} repeated under the same id")
sys.exit(1 if lost_count or ambiguous_count or not recipients else 0)
