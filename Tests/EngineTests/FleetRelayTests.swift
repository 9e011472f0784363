import CivilTime
import JSON
import Outbox
import Postgres
import PostgresServer
import PostgresStore
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rules G17, E12 and F11: a message about a recipient of one node to a person of another node.
@Suite(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
struct FleetRelayTests {
  private let town: FleetTown
  private let patient: String
  private let carer: String

  /// The first node owns the patient, the second one the carer, who accepts messages.
  init() throws {
    let planner = try Fixtures.planner(catalog: RelayTests.catalog)
    let town = try FleetTown(planner: planner, at: utc("2026-03-02 06:00"), "a", "b")
    try town.acquire([0, 1, 2, 3], by: "a")
    try town.acquire(FleetTown.allShards, by: "b")
    func recipient(of name: String) throws -> String {
      let names = (0..<100).map { "r\($0)" }
      let own = try names.first { try town.owner(of: town.shard(of: $0)) == name }
      return try #require(own)
    }
    (self.town, patient, carer) = (town, try recipient(of: "a"), try recipient(of: "b"))
    try submit("recipient.updated", ["name": "Amina"], of: patient)
    try submit("recipient.updated", ["name": "Carla"], of: carer)
    try submit(
      "relation.added", ["person": .string(carer), "role": "carer", "consent": "both"],
      of: patient)
    try town.ingestSubmissions("b")
    try submit(
      "medicine.planned", ["medicine": "a", "name": "Iron", "schedule": ["times": ["08:00"]]],
      of: patient)
    try town.run(to: utc("2026-03-02 08:50"))
  }

  private func submit(_ type: String, _ data: JSONValue = [:], of name: String) throws {
    let event = try Fixtures.event(
      "\(type) \(name)", type, of: name, at: town.now, data, planner: town.planner)
    try town.submit([event])
  }

  private var messages: [String] {
    town.attempts.filter { $0.recipient == carer }.map { "\($0.title): \($0.body)" }
  }

  /// The texts that the store has for the carer: of notifications, and the data of messages.
  private func storedTexts() throws -> String {
    try town["b"].store.commit { transaction in
      let stored = try #require(try transaction.recipient(named: carer))
      let notifications = try transaction.notifications(of: stored.row, after: 0, limit: 99)
        .notifications.map { "\($0.message.title) \($0.message.body)" }
      let data = try transaction.allEvents(of: stored).map {
        String(decoding: $0.data, as: UTF8.self)
      }
      return (notifications + data).joined(separator: "\n")
    }
  }

  @Test func `G17: a message reaches the carer on another node, once`() throws {
    #expect(messages.isEmpty)
    try town.ingestSubmissions("a", "b", "b")
    try town.run(to: utc("2026-03-02 12:00"))
    #expect(messages == ["Amina: Iron is not confirmed."])
    #expect(try storedTexts().contains("Iron"))
  }

  @Test(arguments: [true, false])
  func `E12: erasing the subject on one node erases the texts on another`(isCrossing: Bool) throws {
    if !isCrossing { try town.ingestSubmissions("b") }
    try submit("recipient.deleted", of: patient)
    try town.ingestSubmissions("b")
    try town.run(to: utc("2026-03-02 12:00"))
    #expect(messages.count == (isCrossing ? 0 : 1))
    let texts = try storedTexts()
    #expect(!texts.contains("Amina") && !texts.contains("Iron"))
    let facts = try town["b"].store.commit { transaction in
      try #require(try transaction.recipient(named: carer)).recipient.facts
    }
    #expect(facts.relations.isEmpty)
    #expect(!facts.items.contains { "\($0.details)".contains("Amina") })
    var waiting: Int64 = -1
    try PostgresConnection(town.database.location).query("SELECT count(*) FROM chimed.submission") {
      waiting = $0.integer(0)
    }
    #expect(waiting == 0)
  }
}
