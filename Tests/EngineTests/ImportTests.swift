import CivilTime
import JSON
import Outbox
import PostgresServer
import PostgresStore
import Reminders
import SQLiteStore
import Store
import TestSupport
import Testing

@testable import Engine

/// A SQLite store is imported into PostgreSQL, where the service continues.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct ImportTests {
  /// A service's store: a file before the move, a PostgreSQL database after it.
  private final class Stores {
    let directory: TemporaryDirectory
    let database: TemporaryPostgresDatabase
    var isMoved = false

    init() throws {
      directory = try TemporaryDirectory.inMemory()
      database = try TemporaryPostgresDatabase()
      try target.create(shards: 8, partitions: 2)
    }

    var target: PostgresDatabase { PostgresDatabase(database.location) }

    func open() throws -> any Store {
      guard isMoved else { return try SQLiteStore(directory: directory.path) }
      try database.disconnectAll()
      return try PostgresStore(target, node: "test", at: Instant(milliseconds: 0))
    }

    /// - Returns: the number of copied rows of each table.
    @discardableResult
    func move() throws -> [CopiedTable: Int] {
      let source = try SQLiteCopySource(directory: directory.path)
      let counts = try target.fill(from: source)
      isMoved = true
      return counts
    }
  }

  /// The store moves while the service has deliveries in flight. The timeline before and after
  /// equals a simulation's.
  @Test(arguments: Seeds.all.suffix(2))
  func `L1: the timeline continues after the import`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let population = try Population(seed: random.next(), planner: try Fixtures.smartPlanner())
    let stores = try Stores()
    let stage = try Stage(planner: population.planner, at: "2026-01-01 00:00", opening: stores.open)
    var stepsUntilMove = random.int(in: 3..<20)
    try stage.play(population) {
      stepsUntilMove -= 1
      guard stepsUntilMove == 0 else { return }
      stage.beforeAnswer = {
        stage.end()
        try stores.move()
        try stage.restart()
      }
    }
    try #require(stores.isMoved, "seed \(seed)")
    expectSame(
      try stage.timeline,
      try simulatedTimeline(population.events, population.planner, until: population.until),
      "seed \(seed)")
    // Known events are duplicates after the import, including those of erased recipients.
    let secondAnswers = try stage.submit(population.events).map(\.word)
    #expect(secondAnswers.allSatisfy { $0 == "duplicate" }, "seed \(seed): \(secondAnswers)")
  }

  @Test(arguments: Seeds.all.suffix(2))
  func `both stores give the same answers to every query`(seed: UInt64) throws {
    let population = try Population(seed: seed, planner: try Fixtures.smartPlanner())
    let stores = try Stores()
    let stage = try Stage(planner: population.planner, at: "2026-01-01 00:00", opening: stores.open)
    stage.reply = { deliveries in
      .success(deliveries.map { $0.notification % 3 == 0 ? .rejected(reason: "no") : .delivered })
    }
    var retention = Retention()
    retention.events = .days(4)
    try stage.core().maintenance.pruning.retention = retention
    try stage.play(population)
    let names = Set(population.events.map(\.recipient)).sorted()
    let before = try answers(of: stage.core().store, about: names, population.events)
    let instance = try stage.core().store.instance
    stage.end()
    try stores.move()
    let movedStore = try stores.open()
    let after = try answers(of: movedStore, about: names, population.events)
    for (one, other) in zip(before, after) { #expect(one == other, "seed \(seed)") }
    #expect(before.count == after.count && movedStore.instance == instance)
  }

  /// Most of the requests are stored in separate rows.
  @Test func `all requests are sent after the import`() throws {
    let stores = try Stores()
    let stage = try Stage(
      planner: try Fixtures.planner(catalog: Fixtures.notes(channels: "inapp: true")),
      at: "2026-03-02 08:00", opening: stores.open)
    let events = try (0..<Facts.requestsMax).map { number in
      try Fixtures.event(
        "request-\(number)", "notification.requested", of: "amina", at: stage.now,
        [
          "category": "NOTE", "title": "T", "body": "\(number)",
          "at": .string("\(stage.now + .seconds(60 + number))"),
        ], planner: stage.planner)
    }
    _ = try stage.submit(events)
    stage.end()
    let counts = try stores.move()
    #expect(counts[.request] ?? 0 > 10)
    try stage.restart()
    _ = try stage.submit([
      Fixtures.event(
        "cancel", "notification.cancelled", of: "amina", at: stage.now,
        ["notification": "request-500"], planner: stage.planner)
    ])
    try stage.run(to: "2026-03-02 10:00")
    let bodies = stage.attempts.map(\.message.body)
    #expect(bodies == (0..<Facts.requestsMax).filter { $0 != 500 }.map { "\($0)" })
  }

  private func answers(
    of store: any Store, about names: [String], _ events: [Event]
  ) throws -> [String] {
    var answers: [String] = []
    func note(_ value: Any) { answers.append("\(value)") }
    try store.commit { transaction in
      for name in names {
        guard let stored = try transaction.recipient(named: name) else {
          note(name)
          continue
        }
        note(stored.recipient.facts.encoded)
        note(stored.recipient.progress.encoded)
        note(try transaction.factBases(of: [stored.row]).values.map(\.encoded))
        note([stored.lastEvent, Int64(stored.row), Int64(stored.pending)])
        note([stored.due?.milliseconds ?? 0, stored.counts.head, stored.counts.cleared])
        note([stored.counts.recent, stored.counts.items, stored.counts.unread])
        note(try transaction.notificationHistory(of: stored, after: nil, limit: 1_000))
        note(try transaction.inbox(row: stored.row, after: nil, offset: 0, limit: 1_000))
        note(try transaction.events(of: stored.row, from: stored.lastEvent, limit: 1_000))
        note(try transaction.notifications(of: stored.row, after: 0, limit: 1_000))
        note(try transaction.analytics(of: stored.row, after: 0, limit: 1_000).count)
      }
      note(try transaction.lanes().sorted { $0.key < $1.key })
      note(try transaction.deadLetters(of: nil, after: nil, limit: 1_000))
      note(try transaction.deadLetterCount())
      note(try transaction.feed(before: nil, limit: 1_000))
      note(try transaction.latestNotification())
      note(try transaction.prunedThrough())
      note(try transaction.plan() ?? "")
      note(try transaction.tokens())
      note(try transaction.adoptions())
      note(try transaction.orders(of: events.map(\.identity)))
      note(try transaction.erasures(of: names).sorted { $0.key < $1.key })
      for event in events { note(try transaction.match(event, at: nil)) }
    }
    return answers
  }

  // MARK: - Refusals

  @Test func `a source that is in use or missing is refused, and so is a target with data`() throws
  {
    let stores = try Stores()
    #expect(throws: StoreError.self) { try stores.move() }
    let stage = try Stage(
      planner: try Fixtures.smartPlanner(), at: "2026-01-01 00:00", opening: stores.open)
    let error = #expect(throws: StoreError.self) { try stores.move() }
    guard case .inUse? = error else { throw Unexpected() }
    stage.end()
    try stores.move()
    let refusal = #expect(throws: StoreError.self) { try stores.move() }
    #expect(refusal.map { "\($0)".contains("its table lane is not empty") } == true)
  }

  private struct Unexpected: Error {}
}
