import CivilTime
import JSON

/// A person in Berlin whose three days have caps, quiet hours, snoozes, a vacation, and entities
/// that are moved and cancelled.
enum BusyPerson {
  /// The times of the events in March 2026 (UTC), with their types and data.
  private static let entries: [(time: String, type: String, data: String)] = [
    ("10T00:20:00", "recipient.updated", #"{"timezone": "Europe/Berlin"}"#),
    (
      "10T00:20:02", "preferences.updated",
      """
      {"quietHours": {"enabled": true, "start": "22:00", "end": "07:00"},
       "caps": {"perDay": 6, "minInterval": "PT30M"},
       "reminders": {"b": {"enabled": false}, "d": {"enabled": false}}}
      """
    ),
    ("10T05:00:00", "visit.booked", #"{"visit": "v1", "at": "2026-03-11T12:00:00Z"}"#),
    ("10T05:00:10", "visit.booked", #"{"visit": "v2", "at": "2026-03-12T12:00:00Z"}"#),
    ("10T09:00:00", "visit.booked", #"{"visit": "v1", "at": "2026-03-12T16:00:00Z"}"#),
    ("10T09:10:00", "pending.snoozed", #"{"reminder": "n-often", "for": "2h"}"#),
    ("10T10:20:00", "thing.said", #"{"thing": "t1", "name": "one"}"#),
    ("10T12:30:00", "notification.requested", note("NORM", "first")),
    ("10T12:31:00", "notification.requested", note("LOW", "second")),
    ("10T12:40:00", "notification.requested", note("HIGH", "third")),
    ("10T12:41:00", "notification.requested", note("PLAIN", "fourth")),
    ("10T15:00:00", "alarm.raised", #"{"alarm": "k1"}"#),
    ("10T19:00:00", "vacation.started", #"{"until": "2026-03-11"}"#),
    ("10T22:00:00", "thing.said", #"{"thing": "t2", "name": "two"}"#),
    ("11T03:00:00", "thing.unsaid", #"{"thing": "t2"}"#),
    ("11T09:00:00", "notification.requested", note("NORM", "fifth")),
    ("11T09:05:00", "notification.requested", note("LOW", "sixth")),
    ("11T10:00:00", "notification.requested", note("CARE", "seventh")),
    ("11T13:00:00", "visit.cancelled", #"{"visit": "v2"}"#),
    ("12T09:00:00", "thing.said", #"{"thing": "t3", "name": "three"}"#),
    ("12T09:30:00", "pending.snoozed", #"{"reminder": "n-often", "for": "1h"}"#),
    ("12T17:00:00", "notification.requested", note("DROP", "eighth")),
    ("12T21:30:00", "notification.requested", note("CRIT", "ninth")),
  ]

  /// The data of a requested notification that expires after two days.
  private static func note(_ category: String, _ title: String) -> String {
    #"{"category": "\#(category)", "title": "\#(title)", "body": "b", "expires": "2d"}"#
  }

  static func events() throws -> [(time: Instant, event: JSONValue)] {
    try entries.enumerated().map { index, entry in
      let text = "2026-03-\(entry.time)Z"
      guard let time = Instant(text) else { throw Failure("\(text) is not an instant") }
      let event: JSONValue = [
        "specversion": "1.0", "id": .string("busy.\(index)"), "source": "tests",
        "type": .string(entry.type), "subject": "busy", "time": .string(time.description),
        "data": try JSONParser.parse(Array(entry.data.utf8)),
      ]
      return (time, event)
    }
  }
}
