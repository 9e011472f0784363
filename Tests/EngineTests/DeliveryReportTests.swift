import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rules D11 and D10: reports of devices and services about deliveries.
@Suite struct DeliveryReportTests {
  private let stage: Stage

  /// Amina and Bilal have a note at 12:00, by push and e-mail. It is 12:15.
  init() throws {
    let text = Fixtures.notes(channels: "push: true, email: true, sms: fallback")
    stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    for name in ["amina", "bilal"] {
      try stage.take("recipient.updated", ["email": "\(name)@a.example"], of: name)
    }
    try stage.run(to: "2026-03-02 12:15")
  }

  private func identifier(of name: String = "amina") throws -> String {
    try #require(stage.attempts.first { $0.recipient == name }).identifier
  }

  private func states(of name: String = "amina") throws -> [NotificationState] {
    try #require(try stage.history(of: name) { $0.states = nil }?.entries.last).deliveries
      .map(\.state)
  }

  private func report(
    _ state: String, on channel: String = "push", of name: String = "amina", sent: String? = nil
  ) throws {
    var data: JSONObject = [
      "notification": .string(try identifier(of: name)), "channel": .string(channel),
      "state": .string(state), "reason": "words",
    ]
    if let sent { data["sent"] = .string("\(try utc(sent))") }
    try stage.take("delivery.reported", .object(data), of: name)
  }

  @Test func `D11: a device's receipt makes its delivery received, and no other`() throws {
    #expect(try states() == [.accepted, .accepted])
    try stage.take("notification.received", ["notification": .string(try identifier())])
    #expect(try states() == [.received, .accepted])
    #expect(try states(of: "bilal") == [.accepted, .accepted])
    let entry = try #require(try stage.history()?.entries.last)
    #expect(entry.state == .received && entry.deliveries[0].at == stage.now)
  }

  @Test func `D11: a receipt for another recipient's notification changes nothing`() throws {
    let receipt: JSONValue = ["notification": .string(try identifier(of: "bilal"))]
    try stage.take("notification.received", receipt)
    try stage.take("notification.received", ["notification": "x-1"])
    #expect(try states() == [.accepted, .accepted])
    #expect(try states(of: "bilal") == [.accepted, .accepted])
  }

  @Test func `D11: a receipt creates no recipient`() throws {
    let receipt: JSONValue = ["notification": .string(try identifier())]
    guard case .duplicate = try stage.take("notification.received", receipt, of: "dana") else {
      Issue.record("accepted")
      return
    }
    #expect(try stage.stored("dana") == nil)
  }

  @Test func `D11: every order of the same reports gives the same state`() throws {
    let states = ["failed", "bounced", "received", "complained"]
    for count in 1...states.count {
      let prefix = states.prefix(count)
      for state in Array(prefix.reversed()) + prefix { try report(state) }
      #expect(try self.states().first?.rawValue == states[count - 1])
    }
  }

  @Test func `D11: a report that arrives before the sink's answer stays`() throws {
    let stage = stage
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-03 12:00")
    let last = try #require(stage.attempts.last { $0.channel == .push && $0.recipient == "amina" })
    try stage.take("notification.received", ["notification": .string(last.identifier)])
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-03 13:00")
    let entry = try #require(try stage.history()?.entries.first)
    #expect(entry.deliveries.map(\.state) == [.received, .accepted])
  }

  @Test func `M2: a report counts once`() throws {
    for _ in 1...2 {
      try report("received")
      try report("failed")
      try report("bounced", on: "email")
    }
    let date = try #require(LocalDate("2026-03-02"))
    let lines = try stage.query(UsageQuery(from: date, through: date)).lines
    #expect(lines.contains("NOTE push 12 received 1") && lines.contains("NOTE email 12 bounced 1"))
    #expect(!lines.contains { $0.contains("failed") })
  }

  // MARK: - Suppressed addresses

  /// Runs to 13:00 of a day, and returns the channels of the attempts for Amina until then.
  private func channels(on day: String) throws -> [Channel] {
    let previousCount = stage.attempts.count
    try stage.run(to: "\(day) 13:00")
    return stage.attempts.dropFirst(previousCount).filter { $0.recipient == "amina" }.map(\.channel)
  }

  @Test(arguments: ["bounced", "complained"])
  func `D10: an address is not used until it is reported again`(state: String) throws {
    try report(state, on: "email")
    let facts = try #require(try stage.stored()?.recipient.facts)
    #expect(facts.suppression(of: .email)?.reason.name == state)
    #expect(facts.suppression(of: .sms) == nil)
    #expect(try channels(on: "2026-03-03") == [.push])
    try stage.take("recipient.updated", ["email": "amina@a.example"])
    #expect(try channels(on: "2026-03-04") == [.push, .email])
  }

  @Test(arguments: ["failed", "received"])
  func `D10: other reports suppress nothing`(state: String) throws {
    try report(state, on: "email")
    #expect(try channels(on: "2026-03-03") == [.push, .email])
  }

  @Test(arguments: ["x-1", "bilal"])
  func `D10: a bounce of an unknown delivery is refused`(target: String) throws {
    let id = try target == "bilal" ? identifier(of: "bilal") : target
    let receipt = try stage.take(
      "delivery.reported", ["notification": .string(id), "channel": "email", "state": "bounced"])
    #expect(
      receipt.word == "refused: data.notification \"\(id)\" is no notification of this recipient; "
        + "report the id of a delivery")
    #expect(try stage.stored()?.recipient.facts.suppression(of: .email) == nil)
    #expect(try channels(on: "2026-03-03") == [.push, .email])
  }

  @Test func `D10: a late bounce does not suppress an address that was reported since`() throws {
    try stage.take("recipient.updated", ["email": "new@a.example"])
    try stage.run(to: "2026-03-02 12:30")
    try report("bounced", on: "email", sent: "2026-03-02 12:00")
    #expect(try channels(on: "2026-03-03") == [.push, .email])
  }

  @Test func `D10: a suppressed address is named as the obstacle`() throws {
    try report("bounced", on: "email")
    let facts = try #require(try stage.stored()?.recipient.facts)
    let context = PlanningContext(facts: facts, planner: stage.planner)
    #expect(context.obstacle(on: .email)?.contains("bounced at") == true)
  }
}
