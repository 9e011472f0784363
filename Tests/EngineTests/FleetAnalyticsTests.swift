import CivilTime
import JSON
import Outbox
import Postgres
import PostgresServer
import Reminders
import Store
import Testing

@testable import Engine

/// Rule M1: one node sends the analytics events of all nodes.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetAnalyticsTests {
  private let planner: Planner
  private let town: FleetTown

  init() throws {
    planner = try Fixtures.planner(catalog: Fixtures.notes())
    town = try FleetTown(
      planner: planner, at: utc("2026-03-02 09:00"),
      routes: Routes([.push: ["test"]], analytics: "test"), "a", "b")
    #expect(try town.acquire([0, 1, 2, 3], by: "a") == [0, 1, 2, 3])
    #expect(try town.acquire(FleetTown.allShards, by: "b") == [4, 5, 6, 7])
    for node in town.nodes.values { node.core.ingestion.submissionPoll.begin(at: town.now) }
  }

  /// Changes a switch of a recipient in a shard, which writes one event.
  private func changeSwitch(_ identifier: String, of shard: Int) throws {
    let name = try #require(
      (0..<200).map { "r\($0)" }.first { (try? town.shard(of: $0)) == shard })
    let data: JSONValue = ["channels": ["email": .bool(identifier.hasSuffix("n"))]]
    let event = try Fixtures.event(
      identifier, "preferences.updated", of: name, at: town.now, data, planner: planner)
    try town.submit([event])
  }

  /// Runs for a second, and returns the events that were sent to a node's sink since the last call.
  private func dispatched(_ name: String) throws -> [Int64] {
    try town.run(to: town.now + .seconds(1))
    return try town[name].world.takeAnalytics().flatMap(\.events).map(\.number)
  }

  private func answer(_ name: String, _ count: Int) throws {
    let lane = try #require(try town[name].core.outbox.dispatcher.analytics[.analytics]?.number)
    let answers = Array(repeating: SinkAnswer.delivered, count: count)
    try town.turn(name, [.analyticsAnswered(lane: lane, .success(answers))])
  }

  @Test func `M1: one node sends the events of all nodes in the order of their numbers`() throws {
    try changeSwitch("1", of: 5)
    try changeSwitch("2", of: 1)
    try changeSwitch("3", of: 6)
    let first = try dispatched("a")
    try answer("a", first.count)
    let numbers = first + (try dispatched("a"))
    #expect(numbers.count == 3 && numbers == numbers.sorted())
    try answer("a", 3 - first.count)
    try changeSwitch("4n", of: 1)
    try changeSwitch("5n", of: 5)
    let next = try dispatched("a")
    try answer("a", next.count)
    let last = next + (try dispatched("a"))
    #expect(last.count == 2 && last.allSatisfy { $0 > numbers[2] })
    #expect(try dispatched("b") == [])
    #expect(try town["b"].core.outbox.dispatcher.analytics.isEmpty)
  }

  @Test func `M1: another node takes over only when the sink has answered`() throws {
    try changeSwitch("1", of: 5)
    let first = try dispatched("a")
    #expect(first.count == 1)
    let answer = try town.ask("a") { .release([0], $0) }
    try changeSwitch("2", of: 6)
    #expect(try dispatched("a") == [])
    #expect(!answer.hasResult)
    try self.answer("a", 1)
    #expect(answer.hasResult)
    try town["a"].membership.free([0])
    #expect(try town.acquire([0], by: "b") == [0])
    let next = try dispatched("b")
    #expect(next.count == 1 && next[0] > first[0])
    #expect(try dispatched("a") == [])
  }

  @Test func `M1: events in flight at a dead node's sink are sent again by another node`() throws {
    try changeSwitch("1", of: 5)
    let first = try dispatched("a")
    try town.replace("a", with: "b")
    #expect(try dispatched("b") == first && first.count == 1)
  }

  /// If two nodes had uncommitted events at once, a reader of all events up to a number could miss
  /// an event. The missed event has a lower number, but the other node commits it later.
  @Test func `M1: only one node at a time has uncommitted analytics events`() throws {
    let connection = try PostgresConnection(town.database.location)
    func locks() throws -> Int64 {
      var count: Int64 = 0
      try connection.query(
        """
        SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND datname = current_database()
        """
      ) { count = $0.integer(0) }
      return count
    }
    let previousLocks = try locks()
    try changeSwitch("1", of: 1)
    try town["a"].store.commit { transaction in
      let events = try transaction.analytics(of: nil, after: 0, limit: 1).map(\.event)
      #expect(try locks() == previousLocks && events.count == 1)
      try transaction.append(events, of: 1)
      #expect(try transaction.analytics(of: nil, after: 0, limit: 9).count == 2)
      #expect(try locks() == previousLocks + 1)
    }
    #expect(try locks() == previousLocks)
  }
}
