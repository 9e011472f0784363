import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule E12: an erased person is in no base of another recipient's facts.
@Suite struct FactBaseErasureTests {
  private let stage: Stage

  /// Relates Amina to Carla on 2 March, and keeps events for three days.
  init() throws {
    stage = try Stage(catalog: RelayTests.catalog, at: "2026-03-02 06:00")
    try stage.take("recipient.updated", ["name": "Amina"])
    try stage.take("recipient.updated", ["name": "Carla"], of: "carla")
    try stage.take(
      "relation.added", ["person": "carla", "role": "carer", "consent": "both"])
    var retention = Retention()
    retention.events = .days(3)
    try stage.core().maintenance.pruning.retention = retention
  }

  /// Returns the persons in the relations of Carla's base; nil if she has no base.
  private func relatedPersons() throws -> [String]? {
    let row = try #require(try stage.stored("carla")).row
    return try stage.core().store.commit {
      try $0.factBases(of: [row])[row]?.facts.relations.map(\.person)
    }
  }

  @Test func `E12: erasing a person removes them from the bases of others' facts`() throws {
    try stage.run(to: "2026-03-09 12:00")
    #expect(try relatedPersons() == ["amina"])
    try stage.take("recipient.deleted")
    #expect(try relatedPersons() == [])
  }

  /// The chain of stored events does not lead to the waiting request behind a removed event.
  @Test func `H4: erasing a recipient empties the event of a waiting request`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-01 09:00")
    var retention = Retention()
    retention.events = .days(9)
    try stage.core().maintenance.pruning.retention = retention
    try stage.take(
      "notification.requested",
      ["category": "NOTE", "title": "T", "body": "B", "at": "2026-06-01T09:00:00Z"])
    try stage.take("recipient.updated", ["timezone": "Asia/Tokyo"])
    try stage.run(to: "2026-03-12 09:00")
    func stored() throws -> [StoredEvent] {
      try stage.core().store.commit { try $0.events(orders: [1, 2]) }
    }
    #expect(try stored().map(\.type) == ["notification.requested"])
    try stage.take("recipient.deleted")
    #expect(try stored().allSatisfy { $0.type.isEmpty && $0.data.isEmpty })
  }

  @Test func `E12: a person who was erased before pruning is not in the bases of others' facts`()
    throws
  {
    try stage.run(to: "2026-03-04 00:00")
    try stage.take("recipient.deleted")
    try stage.run(to: "2026-03-06 06:00")
    #expect(try relatedPersons() == [])
  }
}
