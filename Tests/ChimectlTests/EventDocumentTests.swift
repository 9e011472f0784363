import CivilTime
import JSON
import Testing

@testable import chimectl

@Suite struct EventDocumentTests {
  private let event = EventDocument(
    identifier: "i", source: "s", type: "relapse", recipient: "u \"1\"", time: nil, data: [:])

  @Test func isACloudEvent() throws {
    var event = event
    event.time = Instant("2026-03-02T02:00:00Z")
    event.data = ["day": 3]
    #expect(
      try JSONParser.parse(event.bytes) == [
        "specversion": "1.0", "id": "i", "source": "s", "type": "relapse", "subject": "u \"1\"",
        "time": "2026-03-02T02:00:00.000Z", "data": ["day": 3],
      ])
  }

  @Test func saysNoMoreThanItKnows() throws {
    #expect(
      try JSONParser.parse(event.bytes) == [
        "specversion": "1.0", "id": "i", "source": "s", "type": "relapse", "subject": "u \"1\"",
      ])
  }

  /// Counts up, so that what is made of its numbers can be told.
  private struct Counter: RandomNumberGenerator {
    var count: UInt64 = 0

    mutating func next() -> UInt64 {
      count += 1
      return count
    }
  }

  @Test func identifiersAreAsLongAsTheirBits() {
    var counter = Counter()
    let identifiers = (0..<100).map { _ in EventDocument.identifier(using: &counter) }
    #expect(identifiers.allSatisfy { $0.utf8.count == 32 })
    #expect(Set(identifiers).count == 100)
  }

  @Test(arguments: [
    ("accepted", "accepted relapse of u \"1\", id i"),
    ("duplicate", "duplicate relapse of u \"1\", id i; it was there before, nothing changed"),
  ])
  func itsFateIsTold(status: String, text: String) {
    #expect(EventCommand.text(status: status, event) == text)
  }
}
