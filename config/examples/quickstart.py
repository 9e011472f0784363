#!/usr/bin/python3
"""Reports events, requests a notification and explains it. The argument is the Unix socket."""
import http.client, json, socket, sys

def ask(method, path, body=None):
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(sys.argv[1])
    connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = json.load(response)
    if response.status >= 300:
        sys.exit(answer["detail"])  # the fault, and what to do
    return answer

def event(identifier, kind, data):
    return {"specversion": "1.0", "source": "python", "id": identifier, "type": kind,
            "subject": "u2", "data": data}

answer = ask("POST", "/v1/events", [
    event("1", "recipient.updated", {"timezone": "Europe/Berlin"}),
    event("2", "lesson.completed", {"day": 1}),
    event("3", "notification.requested",
          {"category": "LESSON", "title": "Hello from Python", "body": "A word to you."}),
])
print("accepted", answer["accepted"], "duplicate", answer["duplicate"])
for reminder in ask("GET", "/v1/recipients/u2/pending")["pending"]:
    print(reminder["local"], reminder["title"])
latest = ask("GET", "/v1/recipients/u2/notifications?outcome=any")["notifications"][0]
why = ask("GET", "/v1/recipients/u2/explain?notification=" + latest["id"])["explanations"][0]
print(why["title"], why["outcome"], "at", why["local"])
