"""Generates a client from /openapi.json with openapi-python-client, and calls every operation.

Fails if the generator leaves out a part of the description, or if the generated client cannot call
an operation or read its answer.

Usage: generated_client.py GENERATOR CHIMED CATALOGS DIRECTORY
"""

import importlib
import io
import json
import re
import subprocess
import sys
import urllib.request

import httpx
import openapi_client
from openapi_client import Fault, check

# Content types that the generator does not support. It warns about them, and generates the rest of
# their operations.
KNOWN_WARNINGS = {"application/x-ndjson", "application/vnd.sqlite3", "text/calendar"}


def generate(generator, address, directory):
    """Writes the package `client` into the directory, and returns the description."""
    with urllib.request.urlopen(address + "/openapi.json") as response:
        description = json.load(response)
    with open(directory + "/openapi.json", "w") as file:
        json.dump(description, file)
    run = subprocess.run(
        [generator, "generate", "--meta", "none", "--path", directory + "/openapi.json",
         "--output-path", directory + "/client"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(run.returncode == 0, "no client was generated: " + run.stdout)
    omissions = re.findall(r"(?m)^(?:Unable to|Attempted to|ERROR).*", run.stdout)
    check(not omissions, "the generator leaves out: %s" % omissions[:5])
    warnings = run.stdout.count("WARNING parsing")
    types = re.findall(r"Unsupported content[ _]type ([^\s)]+)", run.stdout)
    check(warnings == len(types) and set(types) <= KNOWN_WARNINGS,
          "the generator warns: " + run.stdout)
    return description


def snake_case(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Calls:
    """Calls operations of the generated client by their identifiers, and records them."""

    def __init__(self, description, client, local):
        self.client = client
        # A client of the Unix socket, over which this process is an administrator.
        self.local = local
        self.modules = {}
        self.called = set()
        for methods in description["paths"].values():
            for operation in methods.values():
                tag, name = operation["tags"][0], operation["operationId"]
                module = "client.api.%s.%s" % (snake_case(tag), snake_case(name))
                self.modules[name] = importlib.import_module(module)

    def __call__(self, name, *path, status=(200,), is_local=False, **arguments):
        """Calls an operation and returns its parsed answer, or the bytes if it has no model. The
        answer must have one of the statuses."""
        self.called.add(name)
        client = self.local if is_local else self.client
        response = self.modules[name].sync_detailed(*path, client=client, **arguments)
        check(response.status_code in status,
              "%s answered %s: %s" % (name, response.status_code, response.content[:1_000]))
        return response.parsed if response.parsed is not None else response.content


def model(name):
    return getattr(importlib.import_module("client.models"), name)


def event(name, identifier, data=None, recipient="ana"):
    kind = model(name + "Event")
    value = {"specversion": "1.0", "id": identifier, "source": "generated", "subject": recipient,
             "type": re.sub(r"(?<!^)(?=[A-Z])", ".", name).lower()}
    if data is not None:
        value["data"] = data
    return kind.from_dict(value)


def report(call):
    first = event("RecipientUpdated", "e1", {"timezone": "Europe/Berlin", "email": "a@example.org"})
    check(call("sendEvents", body=first, status=(202,)).status == "accepted",
          "the event was not accepted")
    check(call("sendEvents", body=first).status == "duplicate", "the event was accepted twice")
    content = {"category": "ROOM_LIKE", "title": "Now", "body": "Sent now"}
    later = dict(content, title="Later", at="2030-01-01T12:00:00Z")
    batch = [event("NotificationRequested", "e2", content),
             event("NotificationRequested", "e3", later),
             event("NotificationRequested", "e4", content, "ben"),
             event("RoomLiked", "e5", {"room": {"id": "r1", "name": "Italy"},
                                       "actor": {"id": "pete", "username": "pete"}})]
    answer = call("sendEvents", body=batch)
    check(answer.accepted == 4, "a batch was answered %s" % answer.to_dict())


def import_calendar(call):
    client_file = getattr(importlib.import_module("client.types"), "File")
    calendar = client_file(payload=io.BytesIO(b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"))
    problem = call("importCalendar", body=calendar, as_="room.liked", recipient="ana",
                   status=(400,))
    check("plan" in problem.detail, "an event without a plan is answered %s" % problem.to_dict())


def look_ahead(call):
    page = call("pending", "ana", limit=100)
    check("Later" in [entry.title for entry in page.pending], "pending is %s" % page.to_dict())
    check(page.zone == "Europe/Berlin", "the zone is %s" % page.zone)
    check(call("ahead", "ana", days=3).recipient == "ana", "the days are of another recipient")
    trial = call("tryAhead", "ana", days=3, body=model("Preferences").from_dict(
        {"quietHours": {"enabled": True, "start": "20:00", "end": "08:00"}}))
    check(trial.quiet, "the quiet hours of the trial are missing")
    check(call("calendar", "ana").created is None, "the calendar has a link")
    problem = call("createCalendar", "ana", status=(404,))
    check("public-url" in problem.detail, "a link is created: %s" % problem.to_dict())
    check(call("revokeCalendar", "ana").created is None, "a link was revoked")
    check(call("calendarFeed", "none.ics", status=(404,)).status == 404, "a feed was made up")
    check(call("forecast", hours=3).exact is True, "the forecast leaves out recipients")
    page = call("recipientEvents", "ana", limit=2)
    check(len(page.events) == 2 and page.next_, "the events are %s" % page)
    check(call("recipient", "ana").zone == "Europe/Berlin", "the recipient has another zone")
    call("noteTextView", "ana", status=(204,))
    check("ROOM_LIKE" in call("catalog").categories, "the catalog lacks a category")
    names = [catalog.name for catalog in call("catalogs").catalogs]
    check("imanpath" in names, "the catalogs are %s" % names)
    text = call("catalogSource", "imanpath").source
    body = model("CheckCatalogBody").from_dict({"name": "imanpath", "source": text + "x: y\n"})
    check(call("checkCatalog", body=body).problems, "an invalid catalog has no problems")
    body = model("CatalogMessagesBody").from_dict({"name": "imanpath"})
    messages = call("catalogMessages", body=body)
    check("ar" in messages.languages, "the languages are %s" % messages.languages)
    body = model("CatalogTrialBody").from_dict({"name": "imanpath", "source": text})
    check(call("catalogTrial", body=body).changes == [], "an unchanged catalog has changes")
    body = model("ReplayBody").from_dict({"name": "imanpath", "source": text, "since": "1ms"})
    check(call("replay", body=body).changed == 0, "an unchanged catalog has differences")
    audit = call("replay", body=model("ReplayBody").from_dict({"since": "1ms"}))
    check(audit.differences == 0, "the record differs from its replay")
    begin = event("StreakStarted", "s1", {}, "persona").to_dict()
    begin["time"] = "2026-03-02T08:00:00Z"
    body = model("SimulateBody").from_dict(
        {"events": [begin], "days": 7, "from": "2026-03-02T08:00:00Z"})
    check(len(call("simulate", body=body).timeline) >= 7, "the persona has too few notifications")
    schema = call("preferencesSchema", "ana", language="de").to_dict()
    check(schema["type"] == "object", "the settings are described as %s" % schema)
    explained = call("explain", "ana", category="ROOM_LIKE")
    check(explained.explanations[0].rounds, "the category is not explained")
    check(isinstance(call("projection", "ana").projection, list), "there is no projection")
    later = [entry for entry in call("scheduled", "ana").scheduled if entry.title == "Later"]
    snooze = model("SnoozeScheduledBody").from_dict({"for": "30m"})
    check(call("snoozeScheduled", "ana", later[0].id, body=snooze).until,
          "the reminder is not snoozed")
    check(call("cancelScheduled", "ana", later[0].id).changes, "nothing is cancelled")
    check(call("resumeScheduled", "ana", later[0].id).changes, "nothing is resumed")


def read_notifications(call):
    delivered = call("notifications", "ana").notifications
    check("Now" in [entry.title for entry in delivered], "the list is %s" % delivered)
    check(call("explain", "ana", notification=delivered[0].id).explanations,
          "the notification is not explained")
    check(call("badge", "ana").badge >= 1, "there is no badge")
    check(call("inboxCount", "ana").unread >= 1, "all items of the inbox are read")
    item = call("inbox", "ana", unread=True).items[0].id
    check(call("readInboxItem", "ana", item).count >= 1, "the inbox is empty")
    check(call("roomsInbox", recipient="ana").data, "the inbox of the rooms app is empty")
    check(call("unreadCount", recipient="ana").data.unread_count >= 0, "there is no count")
    inbox = [entry.id for entry in call("roomsInbox", recipient="ana").data]
    body = model("MarkReadBody").from_dict({"notificationIds": inbox[:1]})
    check(call("markRead", recipient="ana", body=body).data.count == 1, "no item is marked as read")
    check("read" in call("markAllRead", recipient="ana").data.message, "some items are unread")
    check(call("readInbox", "ana").unread == 0, "some items are unread")
    snooze = model("SnoozeNotificationBody").from_dict({"for": "30m"})
    check(call("snoozeNotification", "ana", delivered[-1].id, body=snooze).until,
          "the reminder is not snoozed")
    call("dismissNotification", "ana", delivered[0].id)
    # If the first notification is this item, it is dismissed already.
    call("dismissInboxItem", "ana", item, status=(200, 404))
    call("clearNotifications", "ana")
    check(call("clearInbox", "ana").dismissed == 0, "the list was not cleared")


def change_preferences(call):
    preferences = call("preferences", "ana")
    check(preferences.master is True, "the preferences are %s" % preferences)
    change = model("Preferences").from_dict(
        {"quietHours": {"enabled": True, "start": "22:00", "end": "07:00"}})
    check(call("changePreferences", "ana", body=change, dry_run=True).dry_run,
          "the answer is not that of a dry run")
    check(call("changePreferences", "ana", body=change).version > 0,
          "the preferences were not changed")
    exported = call("exportPreferences", "ana")
    check(exported.preferences.quiet_hours.start == "22:00", "the export is %s" % exported)
    call("importPreferences", "ana", body=exported)
    call("savePreset", "ana", "custom")
    check("custom" in [preset.name for preset in call("presets", "ana").presets],
          "the preset is missing")
    check(call("preset", "ana", "custom").own, "the preset is not the person's own")
    call("applyPreset", "ana", "minimal")
    call("forgetPreset", "ana", "custom")
    call("resetPreferences", "ana")


def call_urbannest(call):
    check(call("customerPreferences", "ana").success, "there are no settings")
    body = model("CustomerPreferences").from_dict({"dnd": {"enabled": True}})
    check(call("changeCustomerPreferences", "ana", body=body).success,
          "the settings were not changed")
    body = model("RegisterTokenBody").from_dict(
        {"token": "t", "platform": "ios", "deviceId": "phone"})
    check(call("registerToken", "ana", body=body).success, "there is no token")


def operate(call):
    status = call("status")
    check(status.recipients == 2, "the status is %s" % status.to_dict())
    check(call("health").status == "ok", "the service is not healthy")
    check(call("readiness").status == "ready", "the service is not ready")
    check("chimed_pending" in str(call("metrics")), "there are no metrics")
    check(call("describe")["openapi"].startswith("3.1"), "the description is not OpenAPI 3.1")
    check(call("backup").startswith(b"SQLite format 3"), "this is no backup")
    ticket = call("createBackupTicket", status=(201,)).path.rsplit("/", 1)[1]
    check(call("downloadBackup", ticket).startswith(b"SQLite format 3"), "this is no backup")
    names = [setting.name for setting in call("configuration").settings]
    check("default-zone" in names, "the settings are %s" % names)
    check(call("checkConfiguration").sound is True, "the configuration is not valid")
    check(call("reload").status == "reloaded", "the configuration was not reloaded")
    check(sum(call("activity", hours=1).events) > 0, "no events were counted")
    feed = call("feed", limit=1)
    check(feed.notifications[0].recipient and feed.next_, "the feed is %s" % feed.to_dict())
    check(call("pauseSink", "jsonl").paused is True, "the sink is not paused")
    check(call("status").lanes[0].paused is True, "the sink is not paused")
    body = model("TestSinkBody").from_dict({"channel": "push"})
    check(call("testSink", "jsonl", body=body).verdict == "delivered",
          "the test was not delivered")
    check(call("resumeSink", "jsonl").paused is False, "the sink is still paused")
    check(call("pauseSink", "other", status=(404,)).status == 404, "the sink other exists")
    check(call("fleet", status=(404,)).status == 404, "there is a fleet")
    for name in ("drainNode", "undrainNode"):
        check(call(name, "north", status=(404,)).status == 404, "the node north exists")
    check(call("pushKey", status=(404,)).status == 404, "a key for web push exists")
    level = model("SetLogLevelBody").from_dict({"level": "warning"})
    check(call("setLogLevel", body=level).level == "warning", "the level was not changed")
    check(call("logLevel").level == "warning", "the level was not changed")
    actions = [entry.action for entry in call("log", changes=True).entries]
    check("setLogLevel" in actions, "the logged actions are %s" % actions)
    body = model("CreateTokenBody").from_dict(
        {"name": "phone", "scope": "recipient:ana", "for": "P1D"})
    created = call("createToken", status=(201,), is_local=True, body=body)
    check(created.token.startswith("chimed_"), "the secret of the token is missing")
    check(len(call("tokens", is_local=True).tokens) == 2, "there are other tokens")
    check(call("revokeToken", created.id, is_local=True).status == "revoked",
          "the token was not revoked")
    ticket = call("createConsoleTicket", status=(201,), is_local=True,
                  body=model("CreateConsoleTicketBody").from_dict({"scope": "observer"}))
    opened = call("openConsole", status=(201,),
                  body=model("OpenConsoleBody").from_dict({"ticket": ticket.path.split("=")[1]}))
    check(opened.scope == "observer", "the console is open to %s" % opened.scope)
    check(call("consoleSession").scope == "admin", "the scope is wrong")
    call("closeConsole", status=(404,), is_local=True)
    check(call("usage").usage is not None, "the counts of the usage are missing")
    prunable = call("retention", part=model("RetentionPart")("events"))
    check(prunable.count == 0, "events are to be pruned: %s" % prunable.to_dict())
    call("analyticsEvents")
    people = call("recipients", prefix="a").recipients
    check([person.recipient for person in people] == ["ana"], "the recipients are %s" % people)
    call("recipientAnalytics", "ana")
    test = model("TestBody").from_dict({"channel": "push"})
    check(b"delivered" in call("test", "ana", body=test), "the test did not arrive")


def handle_dead_letters(call):
    check(call("deadLetters").dead_letters == [], "there are dead letters")
    check(call("deadLetterGroups", by=model("DeadLetterGroupsBy")("recipient")).groups == [],
          "there are dead letters")
    check(call("resendDeadLetters", sink="jsonl").dead_letters == [], "a dead letter was resent")
    check(call("discardDeadLetters", sink="jsonl").dead_letters == [],
          "a dead letter was discarded")
    for name in ("resendDeadLetter", "discardDeadLetter"):
        check(call(name, "none", status=(404,)).status == 404, "the dead letter none exists")
    body = model("ReceiveReceiptsBody").from_dict({"id": "k-1", "state": "received"})
    check(call("receiveReceipts", "none", body=body, status=(404,)).status == 404,
          "the sink none has receipts")
    body = model("ReceiveRepliesBody").from_dict({"id": "m-1", "from": "+1", "text": "STOP"})
    check(call("receiveReplies", "none", body=body, status=(404,)).status == 404,
          "the sink none has replies")
    check(call("outcomes", limit=1).outcomes == [], "there are outcomes")
    for name in ("showUnsubscribing", "unsubscribe"):
        body = {"List-Unsubscribe": "One-Click"}
        arguments = {"body": model("UnsubscribeBody").from_dict(body)}
        call(name, "none", status=(404,), **arguments if name == "unsubscribe" else {})
    for name in ("showAction", "performAction"):
        call(name, "none", status=(404,))


def export_and_erase(call):
    ticket = call("createExportTicket", "ana", status=(201,)).path.rsplit("/", 1)[1]
    check(call("downloadExport", ticket).recipient == "ana", "the recipient is wrong")
    exported = call("export", "ana")
    check(exported.profile["email"] == "a@example.org", "the export is %s" % exported.to_dict())
    check(call("erase", "ana", status=(200, 202)).recipient == "ana",
          "another recipient was erased")
    check(call("pending", "ana", status=(404,)).status == 404, "the recipient still exists")


def main(generator, program, catalogs, directory):
    service = openapi_client.Service(
        program, catalogs, directory, ["--catalog", "urbannest", "--catalog", "imanpath"])
    try:
        address = "http://127.0.0.1:%d" % service.port
        description = generate(generator, address, directory)
        sys.path.insert(0, directory)
        package = importlib.import_module("client")
        client = package.AuthenticatedClient(
            base_url=address, token=service.token("admin"), timeout=openapi_client.TIMEOUT)
        socket = httpx.HTTPTransport(uds=directory + "/socket")
        local = package.Client(base_url="http://localhost", httpx_args={"transport": socket})
        call = Calls(description, client, local)
        for task in (report, import_calendar, look_ahead, read_notifications, change_preferences,
                     call_urbannest, operate, handle_dead_letters, export_and_erase):
            task(call)
        # A generated function would wait for the end of a stream; openapi_client.py follows one.
        uncalled = set(call.modules) - call.called - {"stream", "statusStream", "logStream"}
        check(not uncalled, "operations were not called: %s" % sorted(uncalled))
        print("%d operations were called with the generated client" % len(call.called))
    finally:
        service.process.kill()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Fault as fault:
        sys.exit("fault: %s" % fault)
