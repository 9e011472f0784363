import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule D2: a delivery goes to the first sink of its channel, and to the next sink after a failure.
@Suite struct RouteTests {
  private static let threeChannels = "push: true, email: true, sms: fallback"

  private func stage(
    _ routes: [Channel: [String]], channels: String = threeChannels, expires: String = "12h"
  ) throws -> Stage {
    let stage = try Stage(
      catalog: Fixtures.notes(channels: channels, expires: expires), at: "2026-03-02 09:00")
    stage.sink = NamedSink(name: "one")
    stage.others = ["two", "three"].map { NamedSink(name: $0) }
    stage.routes = Routes(routes)
    try stage.restart()
    try stage.take("relapse")
    return stage
  }

  /// Returns the deliveries and their sinks in order: "one push, two email".
  private func dispatched(_ stage: Stage) -> String {
    zip(stage.attemptSinkNames, stage.attempts).map { "\($0) \($1.channel)" }.joined(
      separator: ", ")
  }

  private func states(_ stage: Stage) throws -> [DeliveryState] {
    try stage.core().store.commit {
      try $0.deliveryStates(of: [$0.lastNotification])[$0.lastNotification] ?? []
    }
  }

  @Test(
    arguments: [
      ("push: true, email: true", ["one", "two"]), ("push: true", ["one"]),
      ("email: true", ["two"]), ("push: true, sms: true", ["one"]), ("inapp: true", []),
    ] as [(String, [String])])
  func `S3: a note names the first sinks of an occurrence's channels`(
    channels: String, sinks: [String]
  ) throws {
    let stage = try stage(
      [.push: ["one", "three"], .email: ["two", "one"], .sms: ["one"]], channels: channels)
    try stage.run(to: "2026-03-02 21:30")
    let note = try #require(stage.notes.first { $0.reminder == "note" })
    #expect(note.sinks == sinks)
  }

  private func text(_ state: DeliveryState) -> String {
    "\(state.channel) \(state.sink) \(state.progress)"
  }

  private func rejecting(_ reason: String = "no") -> Stage.Reply {
    { .success($0.map { _ in .rejected(reason: reason) }) }
  }

  @Test func `D2: each channel uses its first sink`() throws {
    let stage = try stage([.push: ["one", "three"], .email: ["two"]])
    try stage.run(to: "2026-03-02 12:00")
    #expect(dispatched(stage) == "one push, two email")
    #expect(try stage.status().lanes.map(\.waiting) == [0, 0, 0])
    #expect(try states(stage).map(text) == ["push one delivered", "email two delivered"])
  }

  @Test func `D2: a channel without a sink is not sent`() throws {
    let stage = try stage([.email: ["two"]])
    try stage.run(to: "2026-03-02 12:00")
    #expect(dispatched(stage) == "two email")
    #expect(try states(stage).map(text) == ["email two delivered"])
  }

  @Test func `D2: a rejected delivery uses the next sink at once`() throws {
    let stage = try stage([.push: ["one", "three"], .email: ["two"]])
    stage.replies["one"] = rejecting()
    try stage.run(to: "2026-03-02 12:00")
    #expect(dispatched(stage).hasSuffix("three push"))
    #expect(Set(stage.attempts.map(\.identifier)).count == 1)
    let push = try #require(try states(stage).first)
    #expect(push.sink == "three" && push.progress == .delivered)
    #expect(push.attempts.map(\.verdict) == [.rejected, .delivered])
    #expect(push.attempts.map(\.sink) == ["one", "three"])
  }

  @Test func `D2: after the last sink the fallback channel is used`() throws {
    let stage = try stage(
      [.push: ["one", "three"], .sms: ["two"]], channels: "push: true, sms: fallback")
    stage.replies = ["one": rejecting(), "three": rejecting("never")]
    try stage.run(to: "2026-03-02 12:00")
    #expect(dispatched(stage) == "one push, three push, two sms")
    #expect(try states(stage).map(\.channel) == [.push, .sms])
    #expect(try stage.core().store.commit { try $0.deadLetterCount() } == 0)
  }

  @Test func `D2: a channel that the recipient switched off is no fallback`() throws {
    let stage = try stage([.push: ["one"], .email: ["two"], .sms: ["two"]])
    try stage.take("preferences.updated", ["channels": ["sms": false]])
    stage.replies["one"] = rejecting()
    try stage.run(to: "2026-03-02 12:00")
    #expect(dispatched(stage) == "one push, two email")
    let letters = try stage.core().store.commit {
      try $0.deadLetters(of: nil, after: nil, limit: 9)
    }
    #expect(letters.map { "\($0.sink) \($0.attempts) \($0.reason)" } == ["one 1 no"])
  }

  @Test func `D2: a channel without a sink is no fallback`() throws {
    let stage = try stage([.push: ["one"], .email: ["two"]])
    stage.replies = ["one": rejecting(), "two": rejecting()]
    try stage.run(to: "2026-03-02 12:00")
    #expect(dispatched(stage) == "one push, two email")
    #expect(try stage.core().store.commit { try $0.deadLetterCount() } == 2)
    let words = stage.world.deliveryNotes.map { "\($0)".prefix(4) }
    #expect(words == ["dead", "dead"])
  }

  @Test func `D2: the next sink is used only after all retries`() throws {
    let stage = try stage(
      [.push: ["one", "three"]], channels: "push: true", expires: "60d")
    stage.replies["one"] = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:00")
    try stage.take("preferences.updated", ["reminders": ["notes": ["enabled": false]]])
    try stage.run(to: "2026-03-02 13:00")
    #expect(stage.attemptSinkNames.allSatisfy { $0 == "one" })
  }

  @Test func `D2: a retry that would be too late uses the next sink at once`() throws {
    let stage = try stage([.push: ["one", "three"]], channels: "push: true", expires: "3m")
    stage.replies["one"] = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:00:10")
    #expect(dispatched(stage) == "one push, one push, three push")
  }

  /// The retry schedule is 5 s, 5 min and 30 min, so the last attempt before the expiry comes after
  /// 35 minutes.
  @Test func `D2: deliveries that an outage would make too late use the next sink`() throws {
    let stage = try stage([.push: ["one", "three"]], channels: "push: true", expires: "2h")
    stage.replies["one"] = Stage.failing
    try stage.take("relapse", of: "bilal")
    try stage.run(to: "2026-03-02 12:35")
    #expect(stage.attemptSinkNames.allSatisfy { $0 == "one" })
    try stage.run(to: "2026-03-02 12:37")
    let moved = zip(stage.attemptSinkNames, stage.attempts).filter { $0.0 == "three" }.map(\.1)
    #expect(moved.map(\.recipient).sorted() == ["amina", "bilal"])
    let push = try #require(try states(stage).first)
    #expect(push.attempts.map(\.verdict) == [.retry, .delivered])
    #expect(push.attempts.map(\.sink) == ["one", "three"])
    #expect(push.attempts.first?.reason == "gone")
    try stage.crash()
    stage.replies = [:]
    try stage.run(to: "2026-03-02 20:00")
    #expect(stage.attemptSinkNames.count { $0 == "three" } == 2)
    #expect(stage.delivered.count == 2)
    #expect(try stage.status().lanes.map(\.waiting) == [0, 0, 0])
  }

  /// The delivery that can wait is the first in the queue.
  @Test func `D2: a delivery that can wait does not delay one that cannot`() throws {
    let stage = try stage([.push: ["one", "three"]], channels: "push: true", expires: "60d")
    stage.replies["one"] = Stage.failing
    try stage.run(to: "2026-03-02 12:00:10")
    try stage.take(
      "notification.requested",
      ["category": "NOTE", "title": "Now", "body": "Now.", "expires": "1m"])
    try stage.run(to: "2026-03-02 12:02")
    let moved = zip(stage.attemptSinkNames, stage.attempts).filter { $0.0 == "three" }.map(\.1)
    #expect(moved.map(\.message.title) == ["Now"])
    stage.replies = [:]
    try stage.run(to: "2026-03-02 12:10")
    #expect(stage.delivered.map(\.message.title).sorted() == ["Note", "Now"])
    try stage.restart()
    try stage.run(to: "2026-03-02 12:20")
    #expect(stage.delivered.count == 2)
  }

  @Test func `D1: a removed sink's queue and retries move to the new routes`() throws {
    let stage = try stage([.push: ["one"], .email: ["two"]])
    stage.replies = [
      "one": Stage.failing,
      "two": {
        .success(
          $0.map { _ in
            .retry(after: nil, reason: "busy")
          })
      },
    ]
    try stage.run(to: "2026-03-02 12:01")
    stage.routes = Routes([.push: ["three"], .email: ["three"]])
    stage.replies = [:]
    try stage.restart()
    try stage.run(to: "2026-03-02 12:10")
    let moved = zip(stage.attemptSinkNames, stage.attempts).filter { $0.0 == "three" }.map(
      \.1.channel)
    #expect(Set(moved) == [.push, .email] && moved.count == 2)
    try stage.restart()
    try stage.run(to: "2026-03-02 20:00")
    #expect(stage.delivered.count == 2)
  }

  @Test func `a new sink gets only deliveries decided after it was added`() throws {
    let stage = try stage([.push: ["one"]], channels: "push: true")
    try stage.run(to: "2026-03-02 12:01")
    stage.routes = Routes([.push: ["three"]])
    try stage.restart()
    try stage.run(to: "2026-03-03 12:01")
    #expect(dispatched(stage) == "one push, three push")
  }

  @Test func `a sink that needs addresses gets the recipient's addresses`() throws {
    let stage = try stage([.push: ["one"], .email: ["two"]])
    stage.others[0].needsAddressee = true
    try stage.restart()
    try stage.take(
      "recipient.updated", ["email": "a@example.org", "timezone": "UTC", "locale": "ar"])
    try stage.take(
      "device.registered", ["deviceId": "d", "platform": "ios", "token": "t"])
    stage.replies["two"] = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:00:07")
    let addressees = stage.attempts.map(\.addressee)
    #expect(addressees.count == 3 && addressees[0] == nil)
    for addressee in addressees.dropFirst() {
      #expect(addressee?.email == "a@example.org" && addressee?.zone == "UTC")
      #expect(addressee?.locale == "ar" && addressee?.devices.map(\.token) == ["t"])
    }
  }

  @Test func `D2: a device that is gone is removed, and its recipient is replanned`() throws {
    let zones = try ZoneDatabase(generation: 1)
    let stage = try Stage(
      planner: Planner(
        catalog: try Catalog(reading: [
          CatalogSource(file: "test.yaml", text: Fixtures.notes(channels: Self.threeChannels))
        ]), zones: zones, defaultZone: try zones.zone(named: "UTC"),
        requirements: [.push: .device]), at: "2026-03-02 09:00")
    try stage.take("device.registered", ["deviceId": "d", "platform": "ios", "token": "t"])
    stage.reply = { batch in
      .success(
        batch.map {
          $0.channel == .push
            ? SinkAnswer(.rejected(reason: "unregistered"), goneDevices: ["d", "x"]) : .delivered
        })
    }
    try stage.run(to: "2026-03-02 12:01")
    #expect(Set(stage.attempts.map(\.channel)) == [.push, .email])
    let stored = try stage.core().store.commit { try $0.recipient(named: "amina") }
    #expect(stored?.recipient.facts.devices.map(\.token) == [nil])
    try stage.run(to: "2026-03-03 12:01")
    #expect(
      stage.attempts.filter { "\($0.planned)".hasPrefix("2026-03-03") }.map(\.channel)
        == [.email])
  }

  @Test func `D3: a sink that fails in any way does not delay other sinks`() throws {
    let channels = ["push: true", "email: true", "sms: true"].joined(separator: ", ")
    let stage = try stage([.push: ["one"], .email: ["two"], .sms: ["three"]], channels: channels)
    stage.mute = ["one"]
    stage.replies["two"] = Stage.failing
    for number in 0..<50 { try stage.take("relapse", of: "u\(number)") }
    try stage.run(to: "2026-03-02 12:00")
    let sms = zip(stage.attemptSinkNames, stage.attempts).filter { $0.0 == "three" }.map(\.1)
    #expect(sms.count == 51)
    #expect(sms.allSatisfy { $0.at == $0.planned })
    try stage.run(to: "2026-03-03 12:00")
    let nextDay = zip(stage.attemptSinkNames, stage.attempts).filter { $0.0 == "three" }.map(\.1)
      .dropFirst(51)
    #expect(nextDay.count == 51 && nextDay.allSatisfy { $0.at == $0.planned })
    let waiting = try stage.status().lanes.map(\.waiting)
    #expect(waiting[0] == 102 && waiting[2] == 0)
  }
}
