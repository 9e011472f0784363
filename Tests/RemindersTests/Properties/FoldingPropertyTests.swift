import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule E1: facts are folded by the time of events, not by their order of arrival.
@Suite struct FoldingPropertyTests {
  @Test(arguments: Seeds.all)
  func `E1: any order of arrival yields the same facts`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let events = try Self.events(seed: random.next())
      let expected = try Self.foldedFacts(events)
      for _ in 0..<10 {
        let facts = try Self.foldedFacts(events.shuffled(using: &random))
        try #require(facts == expected, "seed \(seed)")
        try #require(facts.encoded == expected.encoded, "seed \(seed)")
      }
    }
  }

  @Test func `E1: of two reports with the same time, the one that arrives later counts`() throws {
    let planner = try Fixtures.planner()
    let time = try utc("2026-03-02 12:00")
    var player = Player(planner: planner, now: time)
    try player.take("recipient.updated", ["timezone": "Asia/Tokyo", "locale": "ja"])
    try player.take("recipient.updated", ["timezone": "Europe/Paris"])
    #expect(player.recipient.facts.zoneName == "Europe/Paris")
    #expect(player.recipient.facts.profile(.locale) == "ja")
  }

  private static func foldedFacts(_ events: [(event: Event, order: Int64)]) throws -> Facts {
    let catalog = try Fixtures.planner().catalog
    return events.reduce(into: Facts()) { facts, entry in
      facts.fold(
        entry.event, order: entry.order, memory: catalog.event(entry.event.type)?.memory)
    }
  }

  /// Returns the events of a random life, and further events about the profile, all at different
  /// times.
  private static func events(seed: UInt64) throws -> [(event: Event, order: Int64)] {
    let life = try Life(seed: seed, days: 40)
    let profile: [JSONValue] = [
      ["email": "amina@example.org"], ["phone": "+32 2 123 45 67", "locale": "fr"],
      ["email": nil], ["name": "Amina", "timezone": nil],
    ]
    let profileEvents = profile.enumerated().map { index, data in
      Life.Happening(
        time: life.start + .milliseconds(index + 1), type: "recipient.updated", data: data)
    }
    let announcements: [(String, JSONValue)] = [
      ("vacation.started", ["from": "2026-07-01", "until": "2026-07-14"]),
      ("vacation.ended", ["from": "2026-07-01"]), ("vacation.ended", [:]),
      ("vacation.started", ["from": "2026-07-01", "until": "2026-07-10"]),
      ("vacation.started", ["from": "2026-09-01", "until": "2026-09-02"]),
    ]
    let vacations = announcements.enumerated().map { index, entry in
      Life.Happening(
        time: life.start + .milliseconds(index + 10), type: entry.0, data: entry.1)
    }
    let reader = EventReader(planner: try Fixtures.planner())
    return try (life.happenings + profileEvents + vacations).enumerated().map { index, happening in
      let json: JSONValue = [
        "specversion": "1.0", "id": "1", "source": "test", "type": .string(happening.type),
        "subject": "amina", "time": .string(happening.time.description), "data": happening.data,
      ]
      return (try reader.event(json, now: nil), Int64(index))
    }
  }
}
