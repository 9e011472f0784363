import CivilTime
import JSON
import Outbox
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine
@testable import SQLiteStore

/// Rule S1: a change of sinks and routes while deliveries are in flight.
@Suite struct AdoptTests {
  private static let people = ["amina", "bilal", "dawud", "hafsa", "idris"]

  /// Returns a service with five recipients who are due at noon. Their notifications are sent to
  /// the sink `one`, a single delivery at a time.
  private func stage(
    _ routes: [Channel: [String]] = [.push: ["one"]], channels: String = "push: true"
  ) throws -> Stage {
    let stage = try Stage(
      catalog: Fixtures.notes(channels: channels, expires: "6h"), at: "2026-03-02 09:00")
    stage.sink = NamedSink(name: "one", window: 1)
    stage.others = [NamedSink(name: "two", window: 1)]
    stage.routes = Routes(routes)
    try stage.restart()
    for person in Self.people { try stage.take("relapse", of: person) }
    return stage
  }

  /// Returns the attempts as texts of sink and recipient, such as "one amina".
  private func attemptTexts(_ stage: Stage) -> [String] {
    zip(stage.attemptSinkNames, stage.attempts).map { "\($0) \($1.recipient)" }
  }

  private func isEveryoneNotified(_ stage: Stage) -> Bool {
    stage.delivered.map(\.recipient).sorted() == Self.people
  }

  private func deadLetters(_ stage: Stage) throws -> [DeadLetter] {
    try stage.core().store.commit { try $0.deadLetters(of: nil, after: nil, limit: 99) }
  }

  /// Returns a service with five recipients who were due at noon. The first delivery is in flight
  /// at `one`, which does not answer.
  private func busyStage() throws -> Stage {
    let stage = try stage()
    stage.mute = ["one"]
    try stage.run(to: "2026-03-02 12:00")
    return stage
  }

  /// Removes `one`, so that `two` is the only sink.
  private func adoptTwoAlone(on stage: Stage, for channel: Channel = .push) throws {
    stage.sink = NamedSink(name: "two", window: 1)
    stage.others = []
    stage.routes = Routes([channel: ["two"]])
    try stage.adopt(keeping: ["two"])
  }

  /// The next engine must know which removed sinks have not answered.
  @Test func `S1: a removed sink with a batch in flight is retired`() throws {
    let stage = try busyStage()
    try adoptTwoAlone(on: stage)
    #expect(stage.world.retired == [0])
    #expect(stage.world.closed == [])
  }

  private func unmuteSinks(_ stage: Stage) throws {
    stage.mute = []
    stage.muteLanes = []
    try stage.answer()
  }

  // MARK: - A removed sink

  @Test func `a removed sink still answers for its batch, and the rest is rerouted`() throws {
    let stage = try busyStage()
    try adoptTwoAlone(on: stage)
    try stage.run(to: stage.now)
    #expect(stage.delivered.count == 4, "no delivery waits for the busy sink")
    #expect(Set(stage.attemptSinkNames) == ["two"])
    #expect(stage.world.closed.isEmpty, "the removed sink has not answered")
    try unmuteSinks(stage)
    #expect(isEveryoneNotified(stage))
    #expect(attemptTexts(stage).last == "one amina")
    #expect(stage.world.closed == [0])
    #expect(try stage.status().lanes.map(\.sink) == ["two"])
    try stage.run(to: "2026-03-02 20:00")
    #expect(isEveryoneNotified(stage))
  }

  private static let refusals: [Stage.Reply] = [
    Stage.failing, { .success($0.map { _ in .retry(after: nil, reason: "busy") }) },
    { .success($0.map { _ in .rejected(reason: "no") }) },
  ]

  @Test(arguments: 0..<3)
  func `deliveries that a removed sink does not accept are rerouted at once`(refusal: Int) throws {
    let stage = try busyStage()
    stage.replies["one"] = Self.refusals[refusal]
    try adoptTwoAlone(on: stage)
    try unmuteSinks(stage)
    try stage.run(to: stage.now)
    #expect(isEveryoneNotified(stage), "at once")
    #expect(stage.attemptSinkNames.filter { $0 == "one" }.count == 1)
    #expect(try deadLetters(stage).isEmpty)
  }

  @Test func `a removed sink without deliveries is closed at once`() throws {
    let stage = try stage()
    stage.others = []
    try stage.adopt(keeping: ["one"])
    #expect(stage.world.closed == [1])
    try stage.run(to: "2026-03-02 12:00")
    #expect(isEveryoneNotified(stage))
  }

  @Test func `deliveries on a channel without a sink become dead letters`() throws {
    let stage = try busyStage()
    try adoptTwoAlone(on: stage, for: .email)
    #expect(try deadLetters(stage).count == 4)
    stage.replies["one"] = Stage.failing
    try unmuteSinks(stage)
    #expect(
      try deadLetters(stage).map(\.reason)
        == .init(repeating: "no sink carries push", count: 5))
  }

  // MARK: - A changed sink

  @Test func `a changed sink starts before the sink that it replaces has answered`() throws {
    let stage = try stage()
    stage.muteLanes = [0]
    try stage.run(to: "2026-03-02 12:00")
    stage.sink = NamedSink(name: "one", window: 8)
    try stage.adopt(keeping: ["two"])
    #expect(stage.attempts.map(\.recipient) == ["bilal", "dawud", "hafsa", "idris"])
    #expect(stage.world.closed.isEmpty)
    try unmuteSinks(stage)
    #expect(isEveryoneNotified(stage))
    #expect(stage.world.closed == [0])
    let metrics = try stage.core().metrics(now: stage.now)
    #expect(metrics.lanes.map(\.answers.delivered) == [5, 0], "counters stay with the sink's name")
    try stage.run(to: "2026-03-02 20:00")
    #expect(isEveryoneNotified(stage))
  }

  @Test func `the changed sink gets the deliveries that the previous sink did not accept`() throws {
    let stage = try stage()
    stage.muteLanes = [0]
    try stage.run(to: "2026-03-02 12:00")
    try stage.adopt(keeping: ["two"])
    stage.replies["one"] = Stage.failing
    stage.muteLanes = []
    stage.beforeAnswer = nil
    try stage.answer()
    stage.replies = [:]
    try stage.run(to: "2026-03-02 12:02")
    #expect(isEveryoneNotified(stage))
    #expect(Set(stage.attempts.map(\.identifier)).count == 5)
  }

  @Test func `a changed sink does not inherit an outage`() throws {
    let stage = try stage()
    stage.replies["one"] = Stage.failing
    try stage.run(to: "2026-03-02 12:00")
    #expect(try stage.status().lanes[0].failure != nil)
    stage.replies = [:]
    try stage.adopt(keeping: ["two"])
    try stage.run(to: stage.now)
    #expect(isEveryoneNotified(stage), "the changed sink does not wait for the old one's pause")
  }

  @Test func `retries go to the changed sink when they are due`() throws {
    let stage = try stage()
    stage.replies["one"] = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.run(to: "2026-03-02 12:00")
    stage.muteLanes = [0]
    try stage.run(to: "2026-03-02 12:00:10")
    stage.replies = [:]
    try stage.adopt(keeping: ["two"])
    try stage.run(to: "2026-03-02 12:00:10")
    #expect(stage.delivered.count == 4, "a delivery is in flight at the old sink")
    try unmuteSinks(stage)
    #expect(isEveryoneNotified(stage))
  }

  // MARK: - An unchanged sink

  @Test func `an unchanged sink keeps its lane and its outage`() throws {
    let stage = try stage()
    stage.replies["one"] = Stage.failing
    try stage.run(to: "2026-03-02 12:00")
    let before = try #require(try stage.core().outbox.dispatcher.lanes.first)
    stage.others = []
    try stage.adopt(keeping: ["one"])
    let after = try #require(try stage.core().outbox.dispatcher.lanes.first)
    #expect(after.number == before.number && after.lane.outages == before.lane.outages)
    #expect(after.lane.resumption == before.lane.resumption)
    stage.replies = [:]
    try stage.run(to: "2026-03-02 12:02")
    #expect(isEveryoneNotified(stage))
  }

  @Test func `an unchanged sink still answers for a channel that now uses another sink`() throws {
    let stage = try stage([.push: ["one"], .email: ["one"]], channels: "push: true, email: true")
    stage.mute = ["one"]
    try stage.run(to: "2026-03-02 12:00")
    stage.routes = Routes([.push: ["two"], .email: ["one"]])
    try stage.adopt(keeping: ["one", "two"])
    try stage.run(to: stage.now)
    #expect(stage.delivered.map(\.channel) == Array(repeating: .push, count: 4))
    #expect(Set(stage.attemptSinkNames) == ["two"])
    try unmuteSinks(stage)
    try stage.run(to: stage.now)
    let deliveriesByTarget = Dictionary(grouping: stage.delivered) {
      "\($0.recipient) \($0.channel)"
    }
    #expect(
      deliveriesByTarget.count == 10 && deliveriesByTarget.values.allSatisfy { $0.count == 1 })
    #expect(stage.world.closed.isEmpty)
    try stage.run(to: "2026-03-03 12:00")
    #expect(stage.delivered.count == 20)
  }

  @Test func `a sink added as a fallback gets the deliveries that the first sink rejects`() throws {
    let stage = try stage()
    stage.others.append(NamedSink(name: "three"))
    stage.routes = Routes([.push: ["one", "three"]])
    try stage.adopt(keeping: ["one", "two"])
    stage.replies["one"] = { .success($0.map { _ in .rejected(reason: "no") }) }
    try stage.run(to: "2026-03-02 12:00")
    #expect(isEveryoneNotified(stage))
    #expect(stage.attemptSinkNames.filter { $0 == "three" }.count == 5)
  }

  // MARK: - The end of the process

  @Test func `after a crash a removed sink's deliveries are rerouted`() throws {
    let stage = try busyStage()
    try adoptTwoAlone(on: stage)
    try stage.crash()
    try stage.run(to: "2026-03-02 12:01")
    #expect(isEveryoneNotified(stage))
    #expect(Set(stage.attempts.map(\.identifier)).count == 5)
  }

  @Test func `a stopping service waits for the answers of a removed sink`() throws {
    let stage = try busyStage()
    try stage.adopt(keeping: ["two"])
    stage.mute = []
    #expect(try !stage.core().hasNothingInFlight)
    try stage.core().isDraining = true
    #expect(throws: ServiceUnavailable.self) { try stage.adopt() }
    try stage.answer()
    #expect(try stage.core().hasNothingInFlight)
  }

  @Test func `a recipient erased during a reload leaves nothing behind`() throws {
    let stage = try busyStage()
    try adoptTwoAlone(on: stage)
    try stage.take("recipient.deleted")
    stage.replies["one"] = Stage.failing
    try unmuteSinks(stage)
    try stage.run(to: "2026-03-02 20:00")
    #expect(!stage.delivered.contains { $0.recipient == "amina" })
    #expect(try stage.core().outbox.dispatcher.leaving.isEmpty)
  }

  // MARK: - Random reloads

  /// Sinks are added, changed, removed, busy or down at random, while notifications go out. Each
  /// delivery arrives once.
  @Test(arguments: Seeds.all)
  func `random reloads neither lose nor repeat a delivery`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stage = try stage([.push: ["one"], .email: ["two"]], channels: "push: true, email: true")
    for step in 0..<100 {
      for number in 0..<Int.random(in: 0...6, using: &random) {
        try stage.take(
          "notification.requested", ["category": "NOTE", "title": "Hello", "body": "You."],
          of: "p\(step)-\(number)")
      }
      let names = ["one", "two", "three"].shuffled(using: &random)
      stage.mute = Int.random(in: 0..<3, using: &random) == 0 ? [] : [names[0]]
      stage.replies = [names[1]: Self.refusals[Int.random(in: 0...1, using: &random)]]
      try stage.run(to: stage.now + .seconds(.random(in: 0...20, using: &random)))
      try adopt(names, on: stage, &random)
    }
    stage.replies = [:]
    try unmuteSinks(stage)
    try stage.run(to: stage.now + .hours(1))
    let deliveriesByTarget = Dictionary(grouping: stage.delivered) {
      "\($0.identifier) \($0.channel)"
    }
    #expect(deliveriesByTarget.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
    let notifications = try stage.core().store.commit { Int($0.lastNotification) }
    #expect(notifications > 100, "seed \(seed)")
    #expect(deliveriesByTarget.count == notifications * 2, "seed \(seed)")
    #expect(try deadLetters(stage).isEmpty, "seed \(seed)")
  }

  private func adopt(
    _ names: [String], on stage: Stage, _ random: inout SplitMix64
  ) throws {
    let previousNames = stage.sinks.map(\.name)
    let names = names.prefix(.random(in: 1...3, using: &random))
    let sinks = names.map { NamedSink(name: $0, window: .random(in: 1...4, using: &random)) }
    let keptNames = names.filter { previousNames.contains($0) && Bool.random(using: &random) }
    stage.sink = sinks[0]
    stage.others = Array(sinks.dropFirst())
    stage.routes = Routes([
      .push: names.shuffled(using: &random), .email: names.shuffled(using: &random),
    ])
    try stage.adopt(keeping: Set(keptNames))
  }
}
