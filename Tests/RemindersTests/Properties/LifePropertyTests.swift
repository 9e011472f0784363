import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// The invariants that hold in every random life of a recipient.
@Suite struct LifePropertyTests {
  @Test(arguments: Seeds.all)
  func `V3: no notification is delivered in quiet hours`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      let life = try Life(seed: random.next(), changes: [.quietHours, .zones, .times])
      var checkedCount = 0
      _ = try Player.play(life) { player in
        let facts = player.recipient.facts
        let context = PlanningContext(facts: facts, planner: player.planner)
        for entry in player.entries[checkedCount...] where entry.outcome != .dropped {
          let quiet = QuietMinutes(
            context.settings.quietHours, in: context.zone, around: entry.at)
          #expect(!quiet[0], "seed \(seed): \(entry)")
        }
        checkedCount = player.entries.count
      }
    }
  }

  @Test(arguments: Seeds.all)
  func `T2: a reminder is sent at most once for each local date`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let life = try Life(seed: random.next())
      let entries = try Player.play(life).entries
      for reminder in ["daily-checkin-reminder", "first-lesson-reminder"] {
        let delivered = entries.filter { $0.reminder == reminder && $0.outcome != .dropped }
        let dates = try delivered.map { try Self.date(of: $0, in: life) }
        #expect(Set(dates).count == dates.count, "seed \(seed): \(delivered)")
      }
    }
  }

  @Test(arguments: Seeds.all)
  func `I6: consecutive messages of a reminder differ`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let life = try Life(seed: random.next())
      let player = try Player.play(life)
      let counts = Dictionary(
        uniqueKeysWithValues: player.planner.catalog.reminders.map {
          ($0.identifier, $0.messages.count)
        })
      for (reminder, entries) in Dictionary(grouping: player.entries, by: \.reminder) {
        guard counts[reminder, default: 1] > 1 else { continue }
        let bodies = entries.filter { $0.outcome != .dropped }.map(\.body)
        for (body, next) in zip(bodies, bodies.dropFirst()) {
          #expect(body != next, "seed \(seed): \(reminder)")
        }
      }
    }
  }

  /// Returns the local date of a planned instant in the recipient's zone of that time.
  private static func date(of entry: Player.Entry, in life: Life) throws -> LocalDate {
    let zones = life.happenings.filter { $0.time < entry.planned }
      .compactMap { $0.data["timezone"]?.stringValue }
    return try Fixtures.zone(try #require(zones.last)).date(at: entry.planned)
  }
}
