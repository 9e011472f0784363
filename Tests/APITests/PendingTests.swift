import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

@Suite struct PendingTests {
  private func agenda(_ recipient: String, entries: [Agenda.Entry]) throws -> Agenda {
    let zones = try Fixtures.planner.get().zones
    return Agenda(
      recipient: recipient, zone: try zones.zone(named: "America/New_York"),
      isDefaultZone: false, now: Fixtures.now, entries: entries)
  }

  private func entry(_ number: Int) -> Agenda.Entry {
    let at = Fixtures.now + .hours(24 * (number / 2))
    return Agenda.Entry(
      reminder: "reminder-\(number)", category: "LESSON", channels: [.push], title: "T",
      body: "B", planned: at, at: at, outcome: .delivered, reasons: [])
  }

  @Test func `pending occurrences are shown in the recipient's local time`() async throws {
    let service = try FakeService()
    let held = Agenda.Entry(
      reminder: "daily-lesson-reminder", category: "LESSON", channels: [.push, .email],
      title: "Day 2", body: "Read \"it\".", planned: Fixtures.now + .minutes(90),
      at: Fixtures.now + .hours(9), outcome: .delivered, reasons: ["quiet_hours"])
    let agenda = try agenda("u1", entries: [held])
    service.set { $0.agendas["u1"] = agenda }
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/recipients/u1/pending")
      #expect(reply.status == 200)
      #expect(
        try reply.json == [
          "recipient": "u1", "zone": "America/New_York", "zoneIsDefault": false,
          "now": "2026-03-02T02:00:00.000Z",
          "pending": [
            [
              "reminder": "daily-lesson-reminder", "category": "LESSON",
              "channels": ["push", "email"], "title": "Day 2", "body": "Read \"it\".",
              "planned": "2026-03-02T03:30:00.000Z", "plannedLocal": "2026-03-01 22:30",
              "at": "2026-03-02T11:00:00.000Z", "local": "2026-03-02 06:00",
              "offset": "-05:00", "abbreviation": "EST", "outcome": "delivered",
              "reasons": ["quiet_hours"], "for": nil,
            ]
          ],
          "next": nil,
        ])
    }
  }

  @Test(arguments: [
    ("anna%20b", "anna b"), ("a%2Fb", "a/b"), ("%C3%A9", "é"), ("a+b", "a+b"), ("a%3fb", "a?b"),
  ])
  func `a recipient's id may contain any characters`(path: String, recipient: String) async throws {
    let service = try FakeService()
    let agenda = try agenda(recipient, entries: [])
    service.set { $0.agendas[recipient] = agenda }
    try await TestServer.serving(service) { server in
      let reply = try await server.get("/v1/recipients/\(path)/pending")
      #expect(try reply.json["recipient"] == .string(recipient))
    }
  }

  @Test func `a recipient without events is answered 404`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.get("/v1/recipients/nobody/pending")
      #expect(reply.status == 404)
      #expect(try reply.json["type"] == "urn:chimed:problem:unknown-recipient")
      #expect(try reply.json["detail"]?.stringValue?.contains("\"nobody\"") == true)
    }
  }

  @Test(arguments: [1, 2, 3, 5, 6, 7, 1_000])
  func `the pages together contain each pending occurrence once`(limit: Int) async throws {
    let service = try FakeService()
    let agenda = try agenda("u1", entries: (0..<6).map(entry))
    service.set { $0.agendas["u1"] = agenda }
    try await TestServer.serving(service) { server in
      var seen: [String] = []
      var cursor: String?
      repeat {
        let after = cursor.map { "&after=\($0)" } ?? ""
        let page = try await server.get("/v1/recipients/u1/pending?limit=\(limit)\(after)").json
        let reminders = page["pending"]?.arrayValue?.compactMap { $0["reminder"]?.stringValue }
        #expect((reminders ?? []).count <= limit)
        seen += reminders ?? []
        cursor = page["next"]?.stringValue
      } while cursor != nil && seen.count < 100
      #expect(seen == (0..<6).map { "reminder-\($0)" })
    }
  }

  @Test func `a page can be read even if the last entry of the previous page is gone`() async throws
  {
    let service = try FakeService()
    let completeAgenda = try agenda("u1", entries: (0..<6).map(entry))
    let remainingAgenda = try agenda("u1", entries: (4..<6).map(entry))
    service.set { $0.agendas["u1"] = completeAgenda }
    try await TestServer.serving(service) { server in
      let first = try await server.get("/v1/recipients/u1/pending?limit=3").json
      let cursor = first["next"]?.stringValue ?? ""
      service.set { $0.agendas["u1"] = remainingAgenda }
      let second = try await server.get("/v1/recipients/u1/pending?after=\(cursor)").json
      let reminders = second["pending"]?.arrayValue?.map { $0["reminder"] }
      #expect(reminders == ["reminder-4", "reminder-5"])
    }
  }
}
