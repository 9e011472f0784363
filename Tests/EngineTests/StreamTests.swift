import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

@testable import Engine

/// A stream reads every delivery of its recipient, once and in order.
@Suite struct StreamTests {
  /// Returns a service after about 30 hours of two recipients' random events, with batches, several
  /// channels and drops.
  private func busyStage(seed: UInt64) throws -> Stage {
    var random = SplitMix64(seed: seed)
    let stage = try Stage.room()
    for _ in 0..<40 {
      let name = Bool.random(using: &random) ? "amina" : "bilal"
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try stage.act("room.liked", of: name)
      case 1: try stage.act("element.added", ["elements": [["type": "PHOTO"]]], of: name)
      case 2: try stage.act("user.followed", ["isFollowingBack": false], of: name)
      default:
        let isOn = Bool.random(using: &random)
        try stage.take("preferences.updated", ["channels": ["push": .bool(isOn)]], of: name)
      }
      try stage.run(to: stage.now + .minutes(Int.random(in: 1...90, using: &random)))
    }
    return stage
  }

  private func itemTexts(_ items: [StreamPage.Item]) -> [String] {
    items.map { "\($0.delivery.identifier) \($0.delivery.channel)" }
  }

  @Test(arguments: 1...6)
  func `from any position each later delivery is read once`(seed: UInt64) throws {
    let stage = try busyStage(seed: seed)
    let sent = stage.delivered.filter { $0.recipient == "amina" }
    let all = try stage.read(from: "\(stage.instance())-0-all")
    #expect(itemTexts(all) == sent.map { "\($0.identifier) \($0.channel)" }, "seed \(seed)")
    #expect(all.map(\.delivery) == sent, "seed \(seed)")
    try #require(all.count > 10)
    #expect(Set(all.map(\.cursor)).count == all.count)
    for (index, item) in all.enumerated() {
      let rest = try stage.read(from: item.cursor)
      #expect(itemTexts(rest) == itemTexts(Array(all[(index + 1)...])), "seed \(seed)")
    }
  }

  @Test func `a position stays valid after a restart and a crash`() throws {
    let stage = try busyStage(seed: 7)
    let all = try stage.read(from: "\(stage.instance())-0-all")
    let cursor = all[all.count / 2].cursor
    let rest = itemTexts(try stage.read(from: cursor))
    try stage.crash()
    #expect(itemTexts(try stage.read(from: cursor)) == rest)
    try stage.restart()
    #expect(itemTexts(try stage.read(from: cursor)) == rest)
  }

  @Test func `a stream can be limited to some channels`() throws {
    let stage = try busyStage(seed: 8)
    let start = "\(try stage.instance())-0-all"
    let all = try stage.read(from: start)
    for channel in [Channel.push, .inapp] {
      let limited = try stage.read(from: start, on: ChannelSet(channel))
      #expect(itemTexts(limited) == itemTexts(all.filter { $0.delivery.channel == channel }))
    }
    var stream = try stage.stream(from: start)
    #expect(try stage.read(&stream, on: ChannelSet(.sms)).isEmpty)
    // A client that saves this position gets no earlier delivery again.
    #expect(stream.cursor.hasSuffix("-all") == false)
    #expect(try stage.read(from: stream.cursor).isEmpty)
  }

  @Test func `a notification's id is the position after all its channels`() throws {
    let stage = try Stage(
      catalog: Fixtures.notes(channels: "push: true, email: true"), at: "2026-03-02 08:00")
    try stage.take("recipient.updated", ["email": "a@example.org"])
    try stage.run(to: "2026-03-04 00:00")
    let all = try stage.read(from: "\(stage.instance())-0-all")
    #expect(all.map(\.delivery.channel) == [.push, .email, .push, .email])
    #expect(itemTexts(try stage.read(from: all[0].cursor)) == itemTexts(Array(all[1...])))
    #expect(
      itemTexts(try stage.read(from: all[0].delivery.identifier)) == itemTexts(Array(all[2...])))
  }

  @Test func `a stream is notified once the delivery is on disk`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 08:00")
    for name in ["amina", "bilal"] {
      try stage.take("recipient.updated", ["locale": "en"], of: name)
    }
    var stream = try stage.stream()
    let others = try stage.stream(of: "bilal")
    #expect(try stage.read(&stream).isEmpty)
    try stage.take("preferences.updated", ["reminders": ["notes": ["enabled": false]]], of: "bilal")
    _ = others.signal.take()
    #expect(stream.signal.take() == [])
    try stage.run(to: "2026-03-02 13:00")
    #expect(stream.signal.take() == .deliveries)
    #expect(others.signal.take() == [])
    #expect(try stage.read(&stream).count == 1)
    #expect(try stage.read(&stream).isEmpty)
  }

  @Test func `a stream that ends is forgotten`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 08:00")
    try stage.take("recipient.updated", ["locale": "en"])
    var streams = try [stage.stream(), stage.stream()]
    #expect(try !stage.core().watchers.isEmpty)
    streams.removeLast()
    #expect(try !stage.core().watchers.isEmpty)
    streams.removeLast()
    #expect(try stage.core().watchers.isEmpty)
  }

  @Test func `positions of other recipients are refused like unknown positions`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 08:00")
    for name in ["amina", "bilal"] {
      try stage.take("recipient.updated", ["locale": "en"], of: name)
    }
    try stage.run(to: "2026-03-03 00:00")
    let foreignPosition = try #require(stage.delivered.first { $0.recipient == "bilal" }).identifier
    let position = try #require(stage.delivered.first { $0.recipient == "amina" }).identifier
    let instance = try stage.instance()
    let wrong = [
      foreignPosition, foreignPosition + "-push", "\(instance)-99", "\(instance)-99-all",
      "\(instance)-", "\(instance)--1", "\(instance)-01", "other-1", "1", "", position + "-",
      position + "-fax", position + "-push-1", " " + position, position + "\u{301}",
    ]
    for cursor in wrong {
      guard case .unknownCursor = try stage.watchAnswer(from: cursor) else {
        Issue.record("\(cursor) was accepted")
        continue
      }
    }
    guard case .unknownRecipient = try stage.watchAnswer(of: "nobody", from: position) else {
      Issue.record("an unknown recipient was accepted")
      return
    }
    #expect(throws: Never.self) { try stage.stream(from: position) }
  }

  @Test func `erasing the recipient ends the stream`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 08:00")
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-03 00:00")
    var stream = try stage.stream(from: "\(stage.instance())-0-all")
    let cursor = try #require(try stage.read(&stream).last?.cursor)
    try stage.take("recipient.deleted")
    #expect(stream.signal.isEnding)
    #expect(stream.signal.take() == .erasure)
    #expect(try stage.read(&stream).isEmpty)
    try stage.take("recipient.updated", ["locale": "en"])
    guard case .unknownCursor = try stage.watchAnswer(from: cursor) else {
      Issue.record("a position from before the erasure was accepted")
      return
    }
  }

  /// Returns a service that has sent `count` requested notifications.
  private func stage(requesting count: Int) throws -> Stage {
    let stage = try Stage(
      catalog: Fixtures.notes(channels: "inapp: true"), at: "2026-03-02 08:00")
    let events = try (0..<count).map { number in
      try Fixtures.event(
        "request-\(number)", "notification.requested", of: "amina", at: stage.now,
        ["category": "NOTE", "title": "T", "body": "\(number)", "channels": ["inapp"]],
        planner: stage.planner)
    }
    for start in stride(from: 0, to: count, by: Facts.requestsMax) {
      _ = try stage.submit(Array(events[start..<min(count, start + Facts.requestsMax)]))
      try stage.run(to: stage.now)
    }
    return stage
  }

  @Test func `3,000 missed deliveries are read page by page`() throws {
    let stage = try stage(requesting: 3_000)
    var stream = try stage.stream(from: "\(stage.instance())-0-all")
    var (bodies, pages): ([String], Int) = ([], 0)
    while let page = try stage.page(&stream) {
      #expect(page.items.count <= 100)
      bodies += page.items.map(\.delivery.body)
      pages += 1
      if !page.hasMore { break }
    }
    #expect(bodies == (0..<3_000).map { "\($0)" })
    #expect(pages < 40)
  }

  @Test func `a stream that has missed too many deliveries ends`() throws {
    let stage = try stage(requesting: Questions.backlogMax + 1)
    let instance = try stage.instance()
    var stream = try stage.stream(from: "\(instance)-0-all")
    var page = try stage.page(&stream)
    while page?.hasMore == true { page = try stage.page(&stream) }
    #expect(page == nil)
    #expect(try stage.read(from: "\(instance)-1").count == Questions.backlogMax)
  }
}
