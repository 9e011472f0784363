#!/usr/bin/python3
"""A sink of type pipe: appends each delivery to a file. The argument is the file."""
import json, sys

seen = set()  # all attempts at a delivery have the same id
for line in sys.stdin:  # ends when the service stops
    delivery = json.loads(line)
    key = delivery["id"], delivery["channel"]
    answer = {"id": delivery["id"], "outcome": "delivered"}
    if delivery["channel"] == "sms":
        answer.update(outcome="rejected", reason="a diary has no number")
    elif key not in seen:
        try:
            with open(sys.argv[1], "a") as diary:
                diary.write(f'{delivery["at"]} {delivery["recipient"]}: {delivery["title"]}\n')
            seen.add(key)
        except OSError as error:
            answer.update(outcome="retry", after=60, reason=error.strerror)
    print(json.dumps(answer), flush=True)
