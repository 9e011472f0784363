import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

/// Rule G5: a recipient that an event names gets a copy in the transaction that ingests the event.
@Suite struct CopyTests {
  private let stage: Stage

  init() throws {
    stage = try Stage(catalog: Fixtures.visits, at: "2026-03-02 09:00")
  }

  private func book(_ visit: String, id: String) throws -> Receipt {
    try stage.take(
      "booked", ["visit": .string(visit), "at": "2026-03-02T10:00:00Z", "carer": "carla"], id: id)
  }

  @Test func `G5: a named carer has pending occurrences from another's event`() throws {
    #expect(try book("1", id: "a").word == "accepted")
    #expect(try stage.status().recipients == 2)
    #expect(try stage.agenda(of: "carla")?.entries.count == 1)
    #expect(try stage.agenda()?.entries.count == 0)
    try stage.crash()
    #expect(try stage.agenda(of: "carla")?.entries.count == 1)
    try stage.take("begun", ["visit": "1", "carer": "carla"])
    #expect(try stage.agenda(of: "carla")?.entries.count == 0)
  }

  @Test func `G5: a duplicate event copies nothing again`() throws {
    #expect(try book("1", id: "a").word == "accepted")
    try stage.take("recipient.deleted", of: "carla")
    #expect(try book("1", id: "a").word == "duplicate")
    #expect(try stage.agenda(of: "carla") == nil)
  }

  @Test func `G5: an event older than the carer's erasure copies nothing`() throws {
    let before = stage.now
    try stage.take("recipient.updated", ["name": "Carla"], of: "carla")
    try stage.run(to: before + .minutes(10))
    try stage.take("recipient.deleted", of: "carla")
    let receipt = try stage.take(
      "booked", ["visit": "1", "at": "2026-03-02T10:00:00Z", "carer": "carla"], at: before)
    #expect(receipt.word == "accepted")
    #expect(try stage.agenda(of: "carla") == nil)
  }
}
