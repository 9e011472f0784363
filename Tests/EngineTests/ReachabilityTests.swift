import CivilTime
import JSON
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule V17: devices that were not seen for long, and their return.
@Suite struct ReachabilityTests {
  /// A daily note at 12:00, by push, and by SMS if push does not reach the recipient. It is 08:00.
  private func stage(
    _ channels: String = "push: true, sms: fallback", expires: String = "5d", category: String = ""
  ) throws -> Stage {
    let text = Fixtures.notes(channels: channels, expires: expires).replacing(
      "urgency: normal,", with: "urgency: normal, \(category)")
    let stage = try Stage(catalog: text, at: "2026-03-01 08:00")
    try stage.take("recipient.updated", ["locale": "en"])
    return stage
  }

  private func channels(_ stage: Stage, to end: String) throws -> [Channel] {
    let before = stage.attempts.count
    try stage.run(to: end)
    return stage.attempts.dropFirst(before).map(\.channel)
  }

  @Test func `V17: after 30 days without a device another channel is used`() throws {
    let stage = try stage()
    try stage.take("device.seen")
    #expect(try Set(channels(stage, to: "2026-03-31 07:00")) == [.push])
    #expect(try channels(stage, to: "2026-04-02 13:00") == [.sms, .sms, .sms])
    try stage.take("device.seen", ["device": "phone"])
    #expect(try channels(stage, to: "2026-04-03 13:00").contains(.sms) == false)
  }

  @Test func `V17: nothing changes for people whose devices were never reported as seen`() throws {
    let stage = try stage()
    try stage.take("notification.opened", ["notification": "x-1"])
    #expect(try Set(channels(stage, to: "2026-05-02 13:00")) == [.push])
  }

  @Test func `V17: push stays if no other channel can carry the notification`() throws {
    let stage = try stage("push: true, inapp: true")
    try stage.take("device.seen")
    try stage.run(to: "2026-04-10 11:00")
    #expect(try Set(channels(stage, to: "2026-04-10 13:00")) == [.push, .inapp])
  }

  @Test(arguments: ["notification.opened", "notification.received"])
  func `V17: receipts and openings count as seen`(type: String) throws {
    let stage = try stage()
    try stage.take("device.seen")
    try stage.run(to: "2026-03-20 08:00")
    try stage.take(type, ["notification": "x-1"])
    #expect(try Set(channels(stage, to: "2026-04-18 13:00")) == [.push])
    #expect(try channels(stage, to: "2026-04-20 13:00").contains(.sms))
  }

  @Test func `V17: a category declares its span`() throws {
    let stage = try stage(category: "reachable: 2d,")
    try stage.take("device.seen")
    #expect(try channels(stage, to: "2026-03-04 07:00") == [.push, .push, .sms])
  }

  @Test func `V17: explain names the last sight`() throws {
    let stage = try stage(category: "reachable: 2d,")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-04 08:00")
    let recipient = try #require(try stage.stored()).recipient
    let explanation = try #require(
      try recipient.explain(.pending(reminder: "note"), now: stage.now, planner: stage.planner)
        .first)
    #expect(explanation.channels == [.sms])
    let step = try #require(explanation.rounds.first?.steps.first { $0.gate == .address })
    #expect(step.finding == .passes)
    #expect(
      step.input
        == "a reachable address other than push: no device was seen since 2026-03-01 08:00 UTC")
    #expect(step.fact.kind == "unseen")
  }

  // MARK: - Returns

  @Test func `V17: a device that returns gets what it missed in one silent digest`() throws {
    let stage = try stage("push: true")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-03 13:00")
    let before = stage.attempts.count
    try stage.take("device.seen")
    let digest = try #require(stage.attempts.dropFirst(before).first)
    #expect(stage.attempts.count == before + 1)
    #expect(digest.reminder == "digest" && digest.channel == .push && digest.isSilent)
    #expect(digest.message.members == ["note", "note", "note"])
    #expect(digest.title == "3 reminders")
    try stage.take("device.seen")
    #expect(stage.attempts.count == before + 1)
  }

  @Test(arguments: [
    ("en", "Trial: Y ends in 2 days\nTrial: X ends tomorrow"),
    ("de", "Test: Y endet in 2 Tagen\nTest: X endet morgen"),
  ])
  func `G8: a digest of missed notifications has the distances of its own instant`(
    locale: String, body: String
  ) throws {
    let text = """
      catalog: trials
      events: {started: {trial: identifier, name: text, ends: instant}}
      categories: {TRIAL: {title: Trials, channels: {push: true}}}
      groups: {trials: {enabled: true}}
      reminders:
        ending:
          category: TRIAL
          group: trials
          before: {event: started, at: ends, days: 3, time: "09:00"}
          expires: 5d
          messages:
            - title: Trial
              body: "{{name}} ends {{days | =0: today | =1: tomorrow | other: in # days}}"
              locales:
                de:
                  title: Test
                  body: "{{name}} endet {{days | =0: heute | =1: morgen | other: in # Tagen}}"
      """
    let stage = try Stage(catalog: text, at: "2026-03-01 08:00")
    try stage.take("recipient.updated", ["locale": .string(locale)])
    try stage.take("device.seen")
    for (name, date) in [("W", "05"), ("X", "07"), ("Y", "08")] {
      try stage.take(
        "started",
        [
          "trial": .string(name), "name": .string(name),
          "ends": .string("2026-03-\(date)T20:00:00Z"),
        ])
    }
    try stage.run(to: "2026-03-06 12:00")
    #expect(stage.attempts.count == 3)
    try stage.take("device.seen")
    // The first of the three trials has ended.
    #expect(stage.attempts.last?.reminder == "digest")
    #expect(stage.attempts.last?.body == body)
  }

  @Test func `V17: only what still means something is sent again`() throws {
    let stage = try stage("push: true", expires: "30h")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-05 13:00")
    let before = stage.attempts.count
    try stage.take("device.seen")
    #expect(stage.attempts.last?.message.members.count == 2)
    #expect(stage.attempts.count == before + 1)
  }

  @Test func `V17: nothing is sent again about an entity that was muted since`() throws {
    let stage = try Stage(catalog: Fixtures.shortVisits(expires: "5d"), at: "2026-03-01 08:00")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-02 12:00")
    for name in ["a", "b", "c"] { try stage.take("visit", ["visit": .string(name)]) }
    try stage.run(to: "2026-03-03 13:00")
    try stage.take(
      "preferences.updated", ["reminders": ["visits": ["items": ["a": ["enabled": false]]]]])
    try stage.take("device.seen")
    #expect(stage.attempts.last?.message.members.count == 2)
  }

  /// The device's clock is a little behind, so the digest is sent after the time of the event.
  @Test func `V17: a digest is not sent again`() throws {
    let stage = try stage("push: true", expires: "30d")
    try stage.take("device.seen")
    for day in ["03", "06"] {
      try stage.run(to: "2026-03-\(day) 13:00")
      try stage.take("device.seen", at: stage.now - .milliseconds(300))
      #expect(stage.attempts.last?.message.members == ["note", "note", "note"])
    }
  }

  @Test(arguments: [true, false])
  func `E6: a notification that a request ends is not in the digest, in either order`(
    isFirst: Bool
  ) throws {
    let stage = try Stage(catalog: Fixtures.shortVisits(expires: "5d"), at: "2026-03-01 08:00")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-02 12:00")
    for name in ["a", "b", "c"] { try stage.take("visit", ["visit": .string(name)]) }
    try stage.run(to: "2026-03-03 13:00")
    let done = try Fixtures.event(
      "done", "done", of: "amina", at: stage.now, ["visit": "a"], planner: stage.planner)
    let seen = try Fixtures.event(
      "seen", "device.seen", of: "amina", at: stage.now, planner: stage.planner)
    let events = isFirst ? [seen, done] : [done, seen]
    #expect(try stage.submit(events).map(\.word) == ["accepted", "accepted"])
    #expect(stage.attempts.last?.message.members.count == 2)
    let simulated = try simulatedTimeline(
      [
        try Fixtures.event(
          "s", "device.seen", of: "amina", at: utc("2026-03-01 08:00"), planner: stage.planner)
      ]
        + ["a", "b", "c"].map { name in
          try Fixtures.event(
            name, "visit", of: "amina", at: utc("2026-03-02 12:00"), ["visit": .string(name)],
            planner: stage.planner)
        } + events, stage.planner, until: stage.now)
    #expect(simulated == (try stage.timeline))
  }

  /// The phone was in use on the day before, and three hours before. It uploads all at once.
  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func `E6: a request in any order tells when a device was in use`(order: [Int]) throws {
    let stage = try stage("push: true")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-05 13:00")
    let before = stage.attempts.count
    let times = [stage.now, stage.now - .hours(3), stage.now - .hours(20)]
    let events = try order.map { index in
      try Fixtures.event(
        "seen-\(index)", "device.seen", of: "amina", at: times[index], planner: stage.planner)
    }
    #expect(try stage.submit(events).allSatisfy { $0.word == "accepted" })
    #expect(stage.attempts.count == before)
  }

  @Test func `V17: an opening just before belongs to the return`() throws {
    let stage = try stage("push: true")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-03 13:00")
    let id = try #require(stage.attempts.last).identifier
    try stage.take("notification.opened", ["notification": .string(id)])
    try stage.run(to: "2026-03-03 13:05")
    try stage.take("device.seen")
    #expect(stage.attempts.last?.message.members.count == 3)
  }

  @Test func `V17: reports that arrive late send nothing again`() throws {
    let stage = try stage("push: true")
    try stage.take("device.seen")
    try stage.run(to: "2026-03-10 13:00")
    let before = stage.attempts.count
    for day in ["03", "05", "07"] {
      try stage.take("device.seen", at: utc("2026-03-\(day) 12:30"))
    }
    #expect(stage.attempts.count == before)
    for _ in 1...2 { try stage.take("device.seen") }
    #expect(stage.attempts.count == before + 1)
    #expect(stage.attempts.last?.message.members.count == 3)
  }

  @Test(arguments: ["notification.opened", "notification.received"])
  func `V17: the latest use of a device before the return is when it was last seen`(
    type: String
  ) throws {
    let stage = try stage("push: true")
    try stage.take("device.seen")
    for day in ["06", "07"] {
      try stage.run(to: "2026-03-\(day) 13:00")
      let id = try #require(stage.attempts.last).identifier
      try stage.take(type, ["notification": .string(id)])
    }
    try stage.run(to: "2026-03-07 13:05")
    let before = stage.attempts.count
    try stage.take("device.seen")
    #expect(stage.attempts.count == before)
  }

  @Test(arguments: ["received", "dismissed", "off", "brief"])
  func `V17: nothing is sent again that was read, or after a short absence`(case name: String)
    throws
  {
    let stage = try stage("push: true")
    try stage.take("device.seen")
    try stage.run(to: name == "brief" ? "2026-03-02 07:30" : "2026-03-02 13:00")
    let before = stage.attempts.count
    let ids = stage.attempts.map(\.identifier)
    switch name {
    case "received":
      for id in ids { try stage.take("notification.received", ["notification": .string(id)]) }
    case "dismissed": try stage.write(.clear)
    case "off": try stage.take("preferences.updated", ["channels": ["push": false]])
    default: break
    }
    try stage.take("device.seen")
    #expect(stage.attempts.count == before)
  }

  // MARK: - Simulation

  @Test(arguments: Seeds.all)
  func `V17: a simulation sends the same digests as the service`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let catalog = Fixtures.notes(channels: "push: true, sms: fallback", expires: "4d")
    let stage = try Stage(catalog: catalog, at: "2026-03-01 08:00")
    var events = [("device.seen", [:] as JSONValue, try utc("2026-03-01 08:00"))]
    for day in 4..<40 {
      let time = try utc("2026-03-01 08:00") + .days(day) + .hours(random.int(in: 0..<20))
      events.append(Self.event(&random, at: time))
    }
    events.insert(("device.seen", [:], try utc("2026-03-04 13:00")), at: 1)
    let planned = try events.enumerated().map { index, event in
      try Fixtures.event(
        "\(index)", event.0, of: "amina", at: event.2, event.1, planner: stage.planner)
    }
    for event in planned {
      try stage.run(to: event.time)
      try #require(stage.submit([event]).map(\.word) == ["accepted"], "seed \(seed)")
    }
    try stage.run(to: "2026-04-12 00:00")
    let simulated = try simulatedTimeline(
      planned, stage.planner, until: try utc("2026-04-12 00:00"))
    #expect(simulated.contains { $0.contains("amina digest") }, "seed \(seed)")
    expectSame(try stage.timeline, simulated, "seed \(seed)")
  }

  private static func event(
    _ random: inout SplitMix64, at time: Instant
  ) -> (String, JSONValue, Instant) {
    let isOn = JSONValue.bool(random.int(in: 0..<3) > 0)
    switch random.int(in: 0..<8) {
    case 0: return ("preferences.updated", ["channels": ["push": isOn]], time)
    case 1: return ("preferences.updated", ["reminders": ["notes": ["enabled": isOn]]], time)
    case 2: return ("notification.opened", ["notification": "n"], time)
    case 3: return ("recipient.updated", ["timezone": "America/New_York"], time)
    case 4: return ("preferences.updated", ["hints": ["sound": isOn]], time)
    default: return ("device.seen", [:], time)
    }
  }
}
