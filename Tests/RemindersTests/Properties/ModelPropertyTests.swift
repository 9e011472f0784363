import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Each occurrence that is switched on, has not expired and passes the gates is delivered once, at
/// the time that the rules define.
@Suite struct ModelPropertyTests {
  @Test(arguments: Seeds.all)
  func `each occurrence is delivered once and at its time`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let life = try Life(seed: random.next(), changes: [], days: 30)
      let zone = try Fixtures.zone(life.happenings.first?.data["timezone"]?.stringValue ?? "")
      let entries = try Player.play(life).entries.map { entry in
        let line = DiaryLine.format(entry)
        return entry.reminder == "daily-lesson-reminder" ? line : DiaryLine.withoutTitle(line)
      }
      let expected = SimpleModel(life, zone: zone).entries
      guard entries.sorted() != expected.sorted() else { continue }
      let extra = Set(entries).subtracting(expected).sorted()
      let missing = Set(expected).subtracting(entries).sorted()
      Issue.record("seed \(seed): unexpected: \(extra); missing: \(missing)")
    }
  }
}
