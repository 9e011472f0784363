import CivilTime
import JSON
import Reminders
import Testing

@testable import Engine

/// Rule E12: the erasure of a person about whom others have long histories.
@Suite struct RelayErasureTests {
  @Test func `E12: an erasure finds the text about a person behind a thousand other ones`() throws {
    let stage = try Stage(catalog: RelayTests.catalog, at: "2026-03-02 06:00")
    try stage.take("recipient.updated", ["name": "Amina"])
    try stage.take("recipient.updated", ["name": "Carla"], of: "carla")
    try stage.take("relation.added", ["person": "carla", "role": "carer", "consent": "both"])
    try stage.take(
      "medicine.planned",
      ["medicine": "a", "name": "Iron", "schedule": ["times": ["08:00"]]])
    try stage.run(to: "2026-03-02 12:00")
    for number in 0..<1_030 {
      try stage.take(
        "notification.requested",
        ["category": "CARE", "title": "Shift", "body": .string("\(number)")], of: "carla")
      if number.isMultiple(of: 50) { try stage.run(to: stage.now + .seconds(1)) }
    }
    try stage.run(to: "2026-03-02 12:01")
    try #require(stage.delivered.count { $0.recipient == "carla" } > 1_024)
    func titles() throws -> [String] {
      try #require(try stage.query(ExportQuery(of: "carla", .notifications(after: 0))))
        .notifications.map(\.message.title)
    }
    #expect(try titles().first == "Amina")
    try stage.take("recipient.deleted")
    #expect(try titles().first == "")
  }
}
