import JSON
import Reminders

@testable import chimectl

/// Sample documents of `/v1/status`.
enum StatusSamples {
  static let now = "2026-03-02T02:00:00.000Z"

  /// A healthy service.
  static func status(_ members: JSONObject = [:], lanes: [JSONValue] = [lane("jsonl")]) -> JSONValue
  {
    var status: JSONObject = [
      "version": .string(Version.current), "now": .string(now),
      "started": "2026-02-28T01:00:00.000Z",
      "recipients": 1_234_567, "pending": 3_000, "due": 0, "replanning": 0, "deadLetters": 0,
      "next": [
        [
          "reminder": "daily-checkin-reminder", "recipients": 100_000,
          "at": "2026-03-02T02:05:00.000Z",
        ]
      ],
      "events": ["accepted": 0, "duplicate": 0, "refused": 0, "unanswered": 0],
      "lateness": ["bounds": [0.001, 0.01, 1.0], "counts": [0, 0, 0, 0]],
      "routes": ["push": ["jsonl", "webhook"], "email": ["jsonl"]],
      "watchdog": [part("engine", age: 0.5)],
      "catalogs": ["imanpath", "rooms"], "zoneDatabase": "2026f", "defaultZone": "UTC",
      "dataWarnings": [], "endingTokens": [], "storeBytes": 0, "setAside": [], "analytics": nil,
      "outcomes": nil,
      "storageFailure": nil, "loss": nil, "erasureOpen": nil, "clockHold": nil, "clockLeap": nil,
      "reloadFailure": nil, "outdatedSinks": [],
    ]
    status["lanes"] = .array(lanes)
    for member in members { status[member.key] = member.value }
    return .object(status)
  }

  static func lane(_ sink: String, _ members: JSONObject = [:]) -> JSONValue {
    var lane: JSONObject = [
      "sink": .string(sink), "paused": false, "waiting": 0, "inFlight": 0, "retrying": 0,
      "deadLetters": 0,
      "oldestWaiting": nil, "oldestRetry": nil, "nextRetry": nil, "breaker": "closed",
      "failingSince": nil, "nextAttempt": nil, "failure": nil, "lastFailure": nil,
      "answers": answers(),
      "latency": ["bounds": [0.05, 1.0], "counts": [0, 0, 0]],
    ]
    for member in members { lane[member.key] = member.value }
    return .object(lane)
  }

  static func answers(
    delivered: Int64 = 0, retried: Int64 = 0, rejected: Int64 = 0, orphaned: Int64 = 0,
    setAside: Int64 = 0
  ) -> JSONValue {
    [
      "delivered": .integer(delivered), "retried": .integer(retried),
      "rejected": .integer(rejected), "outages": 0, "orphaned": .integer(orphaned),
      "setAside": .integer(setAside),
    ]
  }

  static func token(_ expires: String, isExpired: Bool) -> JSONValue {
    [
      "id": "a2", "name": "backend", "scope": "admin", "expires": .string(expires),
      "expired": .bool(isExpired), "successor": "chimectl token create backend --scope admin",
    ]
  }

  static func part(_ name: String, age: Double, isVital: Bool = true) -> JSONValue {
    ["part": .string(name), "age": .number(age), "allowance": 20.0, "vital": .bool(isVital)]
  }

  /// A lane whose sink has been in an outage for twelve minutes.
  static let stuck = lane(
    "webhook",
    [
      "waiting": 1_200, "inFlight": 0, "retrying": 3, "breaker": "open",
      "oldestWaiting": "2026-03-02T01:48:00.000Z", "failingSince": "2026-03-02T01:48:00.000Z",
      "nextAttempt": "2026-03-02T02:00:45.000Z", "failure": "connection\u{1b} refused",
      "lastFailure": ["at": "2026-03-02T01:59:30.000Z", "reason": "connection\u{1b} refused"],
    ])
}
