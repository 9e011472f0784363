import JSON
import Reminders
import Testing

@testable import API

@Suite struct StatusTests {
  @Test func `the status has every documented member`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/v1/status")
      #expect(reply.status == 200)
      var status = try #require(try reply.json.objectValue)
      #expect(status["lanes"] == [Self.idleLane, Self.stuckLane])
      #expect(status["analytics"] == Self.stuckLane)
      #expect(
        status["routes"] == [
          "push": ["webhook", "journal"], "email": ["journal"], "analytics": ["webhook"],
        ])
      #expect(
        status["events"] == ["accepted": 7, "duplicate": 1, "refused": 0, "unanswered": 0])
      #expect(status["lateness"]?["counts"]?.arrayValue?.compactMap(\.integerValue).max() == 1)
      #expect(status["lateness"]?["bounds"]?[2]?.numberValue == 0.005)
      status["lanes"] = nil
      status["analytics"] = nil
      #expect(status["outcomes"] == .null)
      status["outcomes"] = nil
      status["events"] = nil
      status["lateness"] = nil
      status["routes"] = nil
      #expect(
        JSONValue.object(status) == [
          "version": .string(Version.current), "now": "2026-03-02T02:00:00.000Z",
          "started": "2026-03-02T00:00:00.000Z",
          "recipients": 3, "pending": 5, "due": 0, "recipientsSetAside": 0, "replanning": 2,
          "deadLetters": 0,
          "next": [
            [
              "reminder": "daily-checkin-reminder", "recipients": 2,
              "at": "2026-03-02T02:05:00.000Z",
            ],
            ["reminder": "lesson-reminder", "recipients": 1, "at": "2026-03-02T07:00:00.000Z"],
          ],
          "watchdog": [["part": "engine", "age": 0.25, "allowance": 20.0, "vital": true]],
          "catalogs": ["test"], "zoneDatabase": "2026f", "defaultZone": "UTC",
          "dataWarnings": [],
          "endingTokens": [
            [
              "id": "a2", "name": "backend", "scope": "admin",
              "expires": "2026-03-09T02:00:00.000Z", "expired": false,
              "successor": "chimectl token create backend --scope admin",
            ]
          ],
          "storeBytes": 0, "diskUse": 0.96, "setAside": [], "fleet": nil, "storageFailure": nil,
          "loss": nil,
          "erasureOpen": nil,
          "clockHold": nil,
          "clockLeap": nil,
          "reloadFailure": "the last reload was rejected: a.yaml:1:1: it is empty",
          "outdatedSinks": [],
          "audit": [
            "until": "2026-03-02T01:00:00.000Z", "audited": 12, "occurrences": 40,
            "differences": 2, "excused": 3,
          ],
        ])
    }
  }

  private static let latency: JSONValue = [
    "bounds": [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0],
    "counts": .array(Array(repeating: 0, count: 14)),
  ]

  private static let idleLane: JSONValue = [
    "sink": "journal", "type": "journal", "paused": false, "waiting": 0, "inFlight": 0,
    "retrying": 0, "deadLetters": 0,
    "oldestWaiting": nil, "oldestRetry": nil, "nextRetry": nil, "breaker": "closed",
    "failingSince": nil, "nextAttempt": nil, "failure": nil, "lastFailure": nil,
    "answers": [
      "delivered": 0, "retried": 0, "rejected": 0, "outages": 0, "orphaned": 0, "setAside": 0,
    ],
    "latency": latency, "lastHour": ["delivered": [], "failed": []],
  ]

  private static let stuckLane: JSONValue = [
    "sink": "webhook", "type": "webhook", "paused": false, "waiting": 4, "inFlight": 1,
    "retrying": 1, "deadLetters": 2,
    "oldestWaiting": "2026-03-02T01:57:00.000Z", "oldestRetry": "2026-03-02T01:00:00.000Z",
    "nextRetry": "2026-03-02T02:05:00.000Z", "breaker": "half_open",
    "failingSince": "2026-03-02T01:58:00.000Z", "nextAttempt": "2026-03-02T02:00:30.000Z",
    "failure": "connection refused",
    "lastFailure": ["at": "2026-03-02T01:59:59.000Z", "reason": "connection refused"],
    "answers": [
      "delivered": 5, "retried": 0, "rejected": 0, "outages": 2, "orphaned": 3, "setAside": 1,
    ],
    "latency": latency, "lastHour": ["delivered": [0, 2], "failed": [1, 0]],
  ]

  @Test(arguments: ["/v1/status", "/healthz", "/nowhere"])
  func `a response carries Date and Server fields`(path: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      for method in ["GET", "HEAD"] {
        let reply = try await server.call(method, path)
        #expect(reply["date"] == "Mon, 02 Mar 2026 02:00:00 GMT")
        #expect(reply["server"] == "chimed")
      }
    }
  }

  @Test(arguments: [("/healthz", "ok"), ("/readyz", "ready")])
  func `health and readiness are answered with one word`(path: String, word: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get(path)
      #expect(reply.status == 200)
      #expect(reply.text == "{\"status\":\"\(word)\"}")
    }
  }

  @Test func `S9: /readyz and the status mark the same sinks as unavailable`() async throws {
    let service = try FakeService()
    service.set { $0.hookFault = "its secret is missing" }
    try await TestServer.serving(service) { server in
      let ready = try await server.get("/readyz")
      #expect(ready.status == 200)
      #expect(
        try ready.json == ["status": "ready", "unavailable": ["hook: its secret is missing"]])
      let lanes = try await server.get("/v1/status").json["lanes"]?.arrayValue ?? []
      #expect(lanes.map { $0["sink"] } == ["journal", "webhook", "hook"])
      #expect(lanes.map { $0["unavailable"] } == [nil, nil, true])
    }
  }

  @Test func `S9: /readyz and the status name the sinks with former settings`() async throws {
    let service = try FakeService()
    let sentences = ["the sink hook continues with its former settings: its secret is empty"]
    service.set { $0.outdatedSinks = sentences }
    let expected = JSONValue.array(sentences.map { .string($0) })
    try await TestServer.serving(service) { server in
      let ready = try await server.get("/readyz")
      #expect(ready.status == 200)
      #expect(try ready.json == ["status": "ready", "outdated": expected])
      #expect(try await server.get("/v1/status").json["outdatedSinks"] == expected)
    }
  }

  /// A part is slow after half of the watchdog's interval. The engine's allowance, 20 s, is three
  /// quarters of the interval, so the engine is slow after 13.3 s.
  @Test(arguments: [(13.0, 200), (13.5, 503)])
  func `S2: the service is not ready while a part is slow`(age: Double, status: Int) async throws {
    let service = try FakeService()
    service.set { $0.engineAge = age }
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/readyz")
      #expect(reply.status == status)
    }
  }
}
