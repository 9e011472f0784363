import CivilTime
import Engine
import JSON
import Reminders
import Testing

@testable import API

/// Rule V8 over HTTP: past, pending and hypothetical occurrences.
@Suite(.timeLimit(.minutes(1))) struct ExplainTests {
  private static let path = "/v1/recipients/r1/explain"
  private static let gates = Gate.unconditional + [.minimumInterval, .dailyCap]

  private static func service() throws -> FakeService {
    let service = try FakeService()
    let recipient = Recipient(name: "r1", now: Fixtures.now)
    var trace = GateTrace()
    for gate in Self.gates { trace.note(gate, .passes) }
    trace.note(.quietHours, .holds(until: Fixtures.now))
    let past = PastNotification(
      identifier: "abc-7", reminder: Symbol("daily-checkin-reminder"), key: 1,
      channelGroup: .interrupting, planned: Fixtures.now - .hours(5), at: Fixtures.now,
      expiry: Fixtures.now + .hours(7), outcome: .delivered, channels: [ChannelSet(.push)],
      isSilent: false, trace: trace,
      message: Message(
        reminder: "daily-checkin-reminder", category: "CHECKIN", title: "Daily Check-in",
        body: "How was your day?"))
    let history = History(
      recipient: recipient, notification: past, events: nil,
      deliveries: [
        DeliveryState(sink: "jsonl", channel: .push, progress: .delivered),
        DeliveryState(
          sink: "webhook", channel: .push,
          progress: .retrying(attempts: 2, due: Fixtures.now + .minutes(5), reason: "busy")),
        DeliveryState(sink: "smtp", channel: .push, progress: .dead(attempts: 9, reason: "no")),
      ])
    service.set { state in
      state.recipients["r1"] = recipient
      state.histories["abc-7"] = .found(history)
      state.histories["of-another"] = .unknownNotification
      state.histories["of-nobody"] = .unknownRecipient
    }
    return service
  }

  @Test func `V8: a past notification is explained with verdicts and deliveries`() async throws {
    try await TestServer.serving(try Self.service()) { server in
      let reply = try await server.get(Self.path + "?notification=abc-7")
      #expect(reply.status == 200)
      let document = try reply.json
      #expect(document["recipient"] == "r1")
      let past = try #require(document["explanations"]?.arrayValue?.first)
      #expect(past["notification"] == "abc-7")
      #expect(past["title"] == "Daily Check-in")
      #expect(past["outcome"] == "accepted")
      #expect(past["plannedLocal"] == "2026-03-01 21:00")
      #expect(past["local"] == "2026-03-02 02:00")
      #expect(past["rounds"] == nil)
      #expect(past["reasons"] == ["quiet_hours"])
      // The notification's events are not stored, so its decision cannot be computed again without
      // one of the gates.
      #expect(past["counterfactual"] == .null)
      #expect(past["without"] == .null)
      let verdicts = past["verdicts"]?.arrayValue ?? []
      #expect(verdicts.count == Self.gates.count)
      #expect(verdicts.contains(["gate": "quiet_hours", "verdict": "held"]))
      #expect(
        past["deliveries"] == [
          ["sink": "jsonl", "channel": "push", "state": "accepted"],
          [
            "sink": "webhook", "channel": "push", "state": "retrying", "failedAttempts": 2,
            "next": "2026-03-02T02:05:00.000Z", "nextLocal": "2026-03-02 02:05", "reason": "busy",
          ],
          [
            "sink": "smtp", "channel": "push", "state": "dead_letter", "failedAttempts": 9,
            "reason": "no",
          ],
        ])
    }
  }

  @Test(arguments: [
    ("notification=of-another", 404, "notification", "CHIME_NOTIFICATION"),
    ("notification=of-nobody", 404, "recipient", "creates them"),
    ("notification=abc-7&reminder=x", 400, "reminder", "cannot be combined"),
    ("notification=abc-7&at=2026-03-02T21:00:00Z", 400, "at", "cannot be combined"),
    ("reminder=x&at=2026-03-02T21:00:00Z", 400, "at", "leave it out"),
    ("category=CHECKIN&at=tomorrow", 400, "at", "must be a time"),
    ("category=CHEKIN", 400, "category", "did you mean \"CHECKIN\"?"),
    ("", 400, "", "notification=ID"),
    ("when=now", 400, "when", ""),
  ])
  func `V8: an invalid question is refused with advice`(
    query: String, status: Int, path: String, advice: String
  ) async throws {
    try await TestServer.serving(try Self.service()) { server in
      let reply = try await server.get(Self.path + "?" + query)
      #expect(reply.status == status)
      #expect(reply.contentType == "application/problem+json")
      #expect(try reply.json["detail"]?.stringValue?.contains(advice) == true || advice.isEmpty)
      let namedPath = try reply.json["path"]?.stringValue
      #expect(namedPath == path || status == 404 || path.isEmpty)
    }
  }

  @Test func `V8: a hypothetical occurrence is explained`() async throws {
    try await TestServer.serving(try Self.service()) { server in
      let reply = try await server.get(Self.path + "?category=CHECKIN&at=2026-03-02T21:00:00Z")
      #expect(reply.status == 200)
      let explanation = try reply.json["explanations"]?.arrayValue?.first
      #expect(explanation?["planned"] == "2026-03-02T21:00:00.000Z")
      let gates = explanation?["rounds"]?.arrayValue?.first?["gates"]?.arrayValue ?? []
      #expect(gates.count == 7)
      #expect(gates.contains { $0["kind"] == "no_quiet_hours" && $0["parameters"] == [:] })
    }
  }

  // MARK: - Order

  private static let noisy = """
    catalog: noisy
    categories:
      NOTE: {title: Notes, urgency: normal, quiet: drop, channels: {push: true, inapp: true}}
    groups:
      notes: {enabled: true, time: "12:00"}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """

  /// Returns a service with a recipient who is on vacation and has quiet hours, in which the
  /// category drops push.
  private static func serviceWithTraveller() throws -> FakeService {
    let service = try FakeService(Result { try Fixtures.planner(catalog: noisy) })
    var recipient = Recipient(name: "r1", now: Fixtures.now)
    let reports: [(type: String, data: JSONValue)] = [
      ("preferences.updated", ["quietHours": ["enabled": true, "start": "22:00", "end": "07:00"]]),
      ("vacation.started", ["until": "2026-03-05"]),
    ]
    for (index, report) in reports.enumerated() {
      let event = try EventReader(planner: service.planner).event(
        [
          "specversion": "1.0", "id": .string("e\(index)"), "source": "test",
          "type": .string(report.type), "subject": "r1", "data": report.data,
        ], now: Fixtures.now)
      recipient.apply(
        event, order: Int64(index + 1), now: Fixtures.now, planner: service.planner)
    }
    service.set { [recipient] in $0.recipients["r1"] = recipient }
    return service
  }

  private static let night = "?category=NOTE&at=2026-03-02T23:00:00Z"

  @Test(arguments: [
    ("", ["push", "inapp"]), ("&channel=push", ["push", "inapp"]),
    ("&channel=inapp", ["inapp", "push"]),
  ])
  func `V8: the explanation of the requested channel is first`(
    parameter: String, channels: [String]
  ) async throws {
    try await TestServer.serving(try Self.serviceWithTraveller()) { server in
      let reply = try await server.get(Self.path + Self.night + parameter)
      let explanations = try reply.json["explanations"]?.arrayValue ?? []
      #expect(
        explanations.map { $0["channels"] } == channels.map { [.string($0)] }, "\(reply.text)")
    }
  }

  @Test(arguments: [
    ("push", ["quiet_hours", "vacation", "expired", "master", "category", "address", "calendar"]),
    ("inapp", ["vacation", "expired", "master", "category", "address", "calendar", "quiet_hours"]),
  ])
  func `V8: the deciding gate is first, then other objections, then the rest in order`(
    channel: String, gates: [String]
  ) async throws {
    try await TestServer.serving(try Self.serviceWithTraveller()) { server in
      let reply = try await server.get(Self.path + Self.night + "&channel=" + channel)
      let explanation = try reply.json["explanations"]?.arrayValue?.first
      #expect(explanation?["channels"] == [.string(channel)])
      let round = explanation?["rounds"]?.arrayValue?.first
      let names = round?["gates"]?.arrayValue?.compactMap { $0["gate"]?.stringValue }
      #expect(names == gates)
    }
  }
}
