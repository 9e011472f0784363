import CivilTime
import JSON
import Postgres
import PostgresServer
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// The same events give the same timeline, however shards move and nodes die.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetPropertyTests {
  @Test(arguments: Seeds.all.suffix(2))
  func `random moves and deaths do not change the timeline`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let population = try Population(
      seed: random.next(), days: 6, isErasing: false, planner: try Fixtures.smartPlanner())
    let town = try runFleet(
      population.events, population.planner, from: population.start, until: population.until,
      &random)
    let expected = try simulatedTimeline(
      population.events, population.planner, until: population.until)
    #expect(town.timeline == expected, "seed \(seed)")
    expectSameIdentifiers(town, seed)
    try expectAscendingNumbers(town, seed)
  }

  /// F3, G5: many named recipients belong to a different node than the event's recipient.
  @Test(arguments: Seeds.all.suffix(2))
  func `named recipients get the same notifications`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner(catalog: Fixtures.visits)
    let start = try utc("2026-03-02 00:00")
    var (time, events): (Instant, [Event]) = (start, [])
    for number in 0..<60 {
      if random.int(in: 0..<6) > 0 { time += .milliseconds(random.int(in: 1..<5_000_000)) }
      let (patient, carer) = (random.int(in: 0..<8), random.int(in: 0..<8))
      let visit = JSONValue.string("\(random.int(in: 0..<9))")
      let at = JSONValue.string((time + .milliseconds(random.int(in: 0..<9_000_000))).description)
      let data: JSONValue =
        random.int(in: 0..<3) > 0
        ? ["visit": visit, "at": at, "carer": .string("r\(carer)")]
        : ["visit": visit, "carer": .string("r\(carer)")]
      events.append(
        try Fixtures.event(
          "\(number)", data["at"] == nil ? "begun" : "booked", of: "r\(patient)", at: time, data,
          planner: planner))
    }
    let town = try runFleet(events, planner, from: start, until: time + .days(1), &random)
    let expected = try simulatedTimeline(events, planner, until: time + .days(1))
    #expect(!expected.isEmpty)
    #expect(town.timeline == expected, "seed \(seed)")
    expectSameIdentifiers(town, seed)
  }

  private func runFleet(
    _ events: [Event], _ planner: Planner, from start: Instant, until end: Instant,
    _ random: inout SplitMix64
  ) throws -> FleetTown {
    let town = try FleetTown(planner: planner, at: start - .milliseconds(1), "a", "b")
    try town.acquire(Set(FleetTown.allShards.filter { _ in random.int(in: 0..<2) == 0 }), by: "a")
    try town.acquire(FleetTown.allShards, by: "b")
    var events = events[...]
    while let first = events.first {
      try disturb(town, before: first.time, &random)
      try town.run(to: max(town.now, first.time))
      let simultaneous = events.prefix { $0.time <= town.now }
      try town.submit(Array(simultaneous))
      try town.ingestSubmissions("a", "b")
      events = events.dropFirst(simultaneous.count)
    }
    try town.run(to: end - .milliseconds(1))
    return town
  }

  /// Moves shards or ends a node, sometimes with deliveries in flight.
  private func disturb(
    _ town: FleetTown, before end: Instant, _ random: inout SplitMix64
  ) throws {
    if random.int(in: 0..<3) == 0, let wake = town.wake, wake <= end {
      for node in town.nodes.values { node.isMute = true }
      // The disturbance happens at exactly that instant, because the gates are evaluated again for
      // deliveries that wait longer.
      try town.run(to: wake)
    }
    let names = town.nodes.keys.sorted()
    let name = random.pick(names)
    let successor = try #require(names.first { $0 != name })
    switch random.int(in: 0..<8) {
    case 0..<3:
      let ownShards = try FleetTown.allShards.sorted().filter { try town[name].owns($0) }
      let movedShards = Set(ownShards.filter { _ in random.int(in: 0..<3) == 0 })
      if !movedShards.isEmpty { try town.move(movedShards, from: name, to: successor) }
    case 3:
      try town.replace(name, with: successor)
      try town.join(name)
    default: break
    }
    for name in names { try town.answer(name) }
  }

  /// Expects that a repeated delivery has the same id.
  private func expectSameIdentifiers(_ town: FleetTown, _ seed: UInt64) {
    struct DeliveryKey: Hashable {
      let recipient: String
      let reminder: String
      let key: Int64
      let channel: Channel
    }
    let attempts = Dictionary(grouping: town.attempts) {
      DeliveryKey(recipient: $0.recipient, reminder: $0.reminder, key: $0.key, channel: $0.channel)
    }
    let identifiers = attempts.values.map { Set($0.map(\.identifier)).count }
    #expect(identifiers.allSatisfy { $0 == 1 }, "seed \(seed)")
  }

  /// Expects that the later notifications of a recipient have higher numbers.
  private func expectAscendingNumbers(_ town: FleetTown, _ seed: UInt64) throws {
    var count: Int64 = -1
    try PostgresConnection(town.database.location).query(
      """
      SELECT count(*) FROM chimed.notification n JOIN chimed.notification o
      ON o.recipient = n.recipient AND o.id < n.id AND o.at > n.at
      """
    ) { count = $0.integer(0) }
    #expect(count == 0, "seed \(seed)")
  }
}
