import ArgumentParser
import CivilTime
import Foundation
import JSON
import Reminders
import Testing

@testable import chimectl

@Suite struct EventDocumentTests {
  private let event = EventDocument(
    identifier: "i", source: "s", type: "relapse", recipient: "u \"1\"", time: nil, data: [:])

  @Test func `an event is a CloudEvent`() throws {
    var event = event
    event.time = Instant("2026-03-02T02:00:00Z")
    event.data = ["day": 3]
    #expect(
      try JSONParser.parse(event.bytes) == [
        "specversion": "1.0", "id": "i", "source": "s", "type": "relapse", "subject": "u \"1\"",
        "time": "2026-03-02T02:00:00.000Z", "data": ["day": 3],
      ])
  }

  @Test func `unset members are left out`() throws {
    #expect(
      try JSONParser.parse(event.bytes) == [
        "specversion": "1.0", "id": "i", "source": "s", "type": "relapse", "subject": "u \"1\"",
      ])
  }

  /// Counts up, so that generated identifiers are known.
  private struct Counter: RandomNumberGenerator {
    var count: UInt64 = 0

    mutating func next() -> UInt64 {
      count += 1
      return count
    }
  }

  @Test func `identifiers have 32 characters and differ`() {
    var counter = Counter()
    let identifiers = (0..<100).map { _ in EventDocument.identifier(using: &counter) }
    #expect(identifiers.allSatisfy { $0.utf8.count == 32 })
    #expect(Set(identifiers).count == 100)
  }

  @Test(arguments: [
    ("accepted", "accepted relapse of u \"1\", id i"),
    ("duplicate", "duplicate relapse of u \"1\", id i; it was stored already, nothing changed"),
  ])
  func `the printed text names the event's status`(status: String, text: String) {
    #expect(EventCommand.text(status: status, event) == text)
  }

  /// The example lines of the help, without the command's name, with quotes read as by a shell.
  private static let examples = EventCommand.configuration.discussion.split(separator: "\n").map {
    $0.replacing("'", with: "").split(separator: " ").dropFirst(2).map(String.init)
  }

  @Test(arguments: examples)
  func `the examples of the help are valid`(arguments: [String]) async throws {
    let command = try await EventCommand.asyncParse(arguments)
    let event = EventDocument(
      identifier: "i", source: "s", type: command.type, recipient: command.recipient, time: nil,
      data: try Assignment.data(command.data.map { try Assignment($0) }))
    let file = URL(filePath: #filePath).appending(path: "../../../config/catalogs/imanpath.yaml")
    let text = try String(contentsOf: file.standardized, encoding: .utf8)
    let catalog = try Catalog(reading: [CatalogSource(file: "imanpath.yaml", text: text)])
    let zones = try ZoneDatabase(generation: 1)
    let planner = Planner(
      catalog: catalog, zones: zones, defaultZone: try zones.zone(named: "UTC"))
    let now = Instant(milliseconds: 0)
    let parsed = try EventReader(planner: planner).event(JSONParser.parse(event.bytes), now: now)
    #expect(parsed.type == command.type)
  }
}
