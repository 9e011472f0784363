import CivilTime
import Engine
import MemoryStore
import PostgresServer
import PostgresStore
import Reminders
import Store
import TestSupport
import Testing

/// Rule L1: the service does what a simulation of the same events prints, whatever disturbs it.
@Suite struct SimulationPropertyTests {
  /// Actions on the service besides submitting the events.
  struct Disturbances: OptionSet {
    let rawValue: Int

    static let turns = Disturbances(rawValue: 1)
    static let restarts = Disturbances(rawValue: 2)
    static let crashes = Disturbances(rawValue: 4)
    static let repetitions = Disturbances(rawValue: 8)
    static let plans = Disturbances(rawValue: 16)
    static let queries = Disturbances(rawValue: 32)
    static let all: Disturbances = [
      .turns, .restarts, .crashes, .repetitions, .plans, .queries,
    ]
  }

  @Test(arguments: Seeds.all)
  func `L1: the service does what the simulation prints`(seed: UInt64) throws {
    try check(seed: seed, rounds: 3, [])
  }

  @Test(arguments: Seeds.all)
  func `L1: restarts and crashes change nothing`(seed: UInt64) throws {
    try check(seed: seed, rounds: 3, [.restarts, .crashes])
  }

  @Test(arguments: Seeds.all)
  func `E1: repeated events change nothing`(seed: UInt64) throws {
    try check(seed: seed, rounds: 2, [.repetitions])
  }

  @Test(arguments: Seeds.all)
  func `T5: a replan with the same settings changes nothing`(seed: UInt64) throws {
    try check(seed: seed, rounds: 2, [.plans])
  }

  @Test(arguments: Seeds.all)
  func `L1: all disturbances together change nothing`(seed: UInt64) throws {
    try check(seed: seed, rounds: 5, .all)
  }

  @Test(arguments: Seeds.all)
  func `L1: with a store in memory the service does the same`(seed: UInt64) throws {
    try check(seed: seed, rounds: 5, .all) {
      let store = MemoryStore()
      return { store }
    }
  }

  /// The test uses one seed, because each start takes long: it connects and prepares statements.
  @Test(
    .enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)),
    arguments: Seeds.all.suffix(1))
  func `L1: with PostgreSQL the service does the same`(seed: UInt64) throws {
    let database = try TemporaryPostgresDatabase()
    try PostgresDatabase(database.location).create(shards: 8, partitions: 2)
    try check(seed: seed, rounds: 1, .all) {
      {
        // The previous process may have died without closing its connections.
        try database.disconnectAll()
        return try PostgresStore(
          PostgresDatabase(database.location), node: "test", at: Instant(milliseconds: 0))
      }
    }
  }

  /// - Parameter making: Returns a closure that opens the store of a round. If nil, the store is
  ///   SQLite.
  private func check(
    seed: UInt64, rounds: Int, _ disturbances: Disturbances,
    making: (() -> () throws -> any Store)? = nil
  ) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<rounds {
      let population = try Population(seed: random.next(), planner: try Fixtures.smartPlanner())
      let stage = try Stage(planner: population.planner, at: "2026-01-01 00:00", opening: making?())
      var disturber = Disturber(seed: random.next(), disturbances)
      try stage.play(population) { try disturber.disturb(stage, population) }
      let expected = try simulatedTimeline(
        population.events, population.planner, until: population.until)
      expectSame(try stage.timeline, expected, "seed \(seed), round \(round)")
    }
  }
}

extension Stage {
  /// Submits the events of many recipients, each at its time.
  ///
  /// - Parameter beforeEach: Runs before each group of events.
  func play(_ population: Population, beforeEach: () throws -> Void = {}) throws {
    try jump(to: population.start - .milliseconds(1))
    var events = population.events[...]
    while let first = events.first {
      try beforeEach()
      try run(to: max(now, first.time))
      let simultaneous = events.prefix { $0.time <= now }
      let receipts = try submit(Array(simultaneous)).map(\.word)
      try #require(receipts.allSatisfy { $0 == "accepted" }, "\(receipts)")
      events = events.dropFirst(simultaneous.count)
    }
    try run(to: population.until)
  }
}

/// Disturbs a service at random in ways that must not change its output.
struct Disturber {
  private var random: SplitMix64
  private let disturbances: SimulationPropertyTests.Disturbances

  init(seed: UInt64, _ disturbances: SimulationPropertyTests.Disturbances) {
    random = SplitMix64(seed: seed)
    self.disturbances = disturbances
  }

  mutating func disturb(_ stage: Stage, _ population: Population) throws {
    if disturbances.contains(.turns), isOne(of: 1) { try stage.turn() }
    if disturbances.contains(.queries), isOne(of: 2) {
      _ = try stage.status()
      _ = try stage.agenda(of: "u1")
    }
    if disturbances.contains(.repetitions), isOne(of: 2) { try repeatSome(stage, population) }
    if disturbances.contains(.plans), isOne(of: 6) {
      try stage.plan(with: try Fixtures.smartPlanner())
    }
    if disturbances.contains(.restarts), isOne(of: 8) { try restart(stage) { try stage.restart() } }
    if disturbances.contains(.crashes), isOne(of: 8) { try restart(stage) { try stage.crash() } }
  }

  /// Restarts now, or the next time that a batch waits for the sink's answer.
  private mutating func restart(_ stage: Stage, _ body: @escaping () throws -> Void) throws {
    if Bool.random(using: &random) { try body() } else { stage.beforeAnswer = body }
  }

  private mutating func isOne(of rarity: Int) -> Bool { random.int(in: 0..<rarity) == 0 }

  private mutating func repeatSome(_ stage: Stage, _ population: Population) throws {
    let known = population.events.filter { $0.time <= stage.now - .milliseconds(1) }
    guard !known.isEmpty else { return }
    let repetitions = (0..<3).map { _ in random.pick(known) }
    let receipts = try stage.submit(repetitions).map(\.word)
    #expect(receipts.allSatisfy { $0 == "duplicate" })
  }
}

/// Expects two timelines to be equal, and reports where they differ.
func expectSame(
  _ actual: [String], _ expected: [String], _ comment: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  guard actual != expected else { return }
  let missing = Set(expected).subtracting(actual).sorted().prefix(3)
  let surplus = Set(actual).subtracting(expected).sorted().prefix(3)
  Issue.record(
    """
    \(comment): \(actual.count) lines, \(expected.count) expected
    missing:
      \(missing.joined(separator: "\n  "))
    surplus:
      \(surplus.joined(separator: "\n  "))
    """, sourceLocation: sourceLocation)
}
