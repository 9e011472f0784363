import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// The whole story of one dose: no answer, a text message, a message to the carer, the answer, the
/// withdrawal of both, a late receipt and an undo.
@Suite struct MedicineStoryTests {
  private static let catalog = """
    catalog: medicine
    roles: [carer]
    events:
      medicine.planned: {medicine: identifier, name: text, schedule: plan}
      dose.taken: {medicine: identifier, from: recipient}
      dose.untaken: {medicine: identifier, from: recipient}
    categories:
      DOSE:
        {title: Doses, urgency: critical, withdraw: true, channels: {push: true, sms: true}}
    groups:
      doses: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        channels: push
        since: medicine.planned
        every: {plan: schedule}
        unless: dose.taken
        expires: 3h
        escalate:
          - {after: 15m, channels: sms}
          - after: 45m
            to: carer
            channels: push
            messages: [{title: "{{subject.name}}", body: "{{name}}"}]
        actions:
          taken: {title: Taken, event: dose.taken, undo: dose.untaken}
          later: {snooze: 10m}
        messages: [{title: Dose, body: "{{name}}"}]
    """

  private let stage: Stage

  init() throws {
    stage = try Stage(catalog: Self.catalog, at: "2026-03-02 06:00")
    stage.sink = NamedSink(name: "push", needsAddressee: true, canWithdraw: true)
    stage.others = [NamedSink(name: "sms")]
    stage.routes = Routes([.push: ["push"], .sms: ["sms"]])
    try stage.restart()
    try stage.take("recipient.updated", ["name": "Amina", "phone": "+491701234567"])
    for device in ["phone", "tablet"] {
      try stage.take(
        "device.registered",
        ["deviceId": .string(device), "platform": "ios", "token": .string("t-\(device)")])
    }
    try stage.take(
      "device.registered", ["deviceId": "c", "platform": "ios", "token": "t-c"], of: "carla")
    try stage.take(
      "relation.added", ["person": "carla", "role": "carer", "consent": "both"])
    try stage.take(
      "medicine.planned",
      ["medicine": "a", "name": "Iron", "schedule": ["times": ["08:00"]]])
  }

  private var lines: [String] {
    stage.attempts.map { delivery in
      let devices = delivery.addressee?.devices.count ?? 0
      let word = delivery.isWithdrawal ? "withdrawn" : delivery.body
      return "\(delivery.recipient) \(delivery.channel.name) \(word) \(devices)"
    }
  }

  private func answer(_ name: String) throws -> ActionAnswer {
    let delivery = try #require(stage.attempts.first { $0.recipient == "amina" })
    let found = try #require(try stage.query(AnsweredNotificationQuery(delivery.identifier)))
    return try ActionAnswer(
      name, to: found.notification, of: found.recipient, planner: stage.planner, now: stage.now)
  }

  private func report(_ fact: ActionAnswer.AnswerEvent) throws {
    try stage.take(fact.type, .object(fact.data))
  }

  @Test func `G17: a dose without an answer reaches the carer, and the answer withdraws it`() throws
  {
    try stage.run(to: "2026-03-02 08:50")
    try stage.crash()
    let answer = try answer("taken")
    try report(answer.fact)
    try stage.run(to: "2026-03-02 09:00")
    let push = try #require(stage.attempts.first { $0.recipient == "amina" })
    try stage.take(
      "notification.received", ["notification": .string(push.identifier), "channel": "push"])
    try report(try #require(answer.undo))
    try stage.run(to: "2026-03-02 20:00")
    #expect(
      lines == [
        "amina push Iron 2", "amina sms Iron 0", "carla push Iron 1",
        "amina push withdrawn 2", "carla push withdrawn 1",
      ])
    try stage.run(to: "2026-03-03 08:01")
    #expect(lines.last == "amina push Iron 2")
  }

  @Test func `G17: an answer to a second round withdraws the messages of both rounds`() throws {
    try stage.run(to: "2026-03-02 08:50")
    try report(try answer("later").fact)
    try stage.run(to: "2026-03-02 10:00")
    try stage.take("dose.taken", ["medicine": "a"])
    try stage.run(to: "2026-03-02 20:00")
    #expect(
      Array(lines.prefix(7)) == [
        "amina push Iron 2", "amina sms Iron 0", "carla push Iron 1", "amina push withdrawn 2",
        "amina push Iron 2", "amina sms Iron 0", "carla push Iron 1",
      ])
    // One cycle withdraws all of them.
    #expect(
      lines.dropFirst(7).sorted() == [
        "amina push withdrawn 2", "carla push withdrawn 1", "carla push withdrawn 1",
      ])
  }

  @Test func `G17: a snooze moves the steps, and the carer gets one message`() throws {
    try stage.run(to: "2026-03-02 08:10")
    try report(try answer("later").fact)
    try stage.run(to: "2026-03-02 20:00")
    let times = stage.attempts.filter { !$0.isWithdrawal }.map {
      "\($0.at.description.dropFirst(11).prefix(5)) \($0.recipient)"
    }
    #expect(
      times == ["08:00 amina", "08:20 amina", "08:35 amina", "09:05 carla"])
  }
}
