import Holidays
import TestSupport
import Testing

/// A file with any content is either read or rejected with a message.
@Suite struct MutationTests {
  private static let sample = Samples.calendar(lines: [
    "NAME:Atlantis", "X-CHIMED-YEARS:2024-2035", "X-CHIMED-REGIONS:XX,XX-N",
    "X-CHIMED-WEEKEND:FR,SA",
    "BEGIN:VEVENT", "UID:a", "DTSTART;VALUE=DATE:20240101", "DTEND;VALUE=DATE:20240103",
    "RRULE:FREQ=YEARLY;INTERVAL=2;UNTIL=20351231", "EXDATE:20260101", "SUMMARY:New\\, Year",
    "END:VEVENT",
    "BEGIN:VEVENT", "DTSTART;TZID=\"A/B\":20241128T120000", "DURATION:P1DT2H",
    "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH,-1FR;COUNT=9", "RDATE:20250101,20260102T000000Z",
    "X-CHIMED-REGIONS:XX-N", "SUMMARY:Día 🎄 of a", "  fold", "END:VEVENT",
    "BEGIN:VEVENT", "UID:a", "RECURRENCE-ID:20280101", "STATUS:CANCELLED", "END:VEVENT",
  ])
  private static let pieces = [
    "BEGIN:VEVENT\r\n", "END:VEVENT\r\n", "END:VCALENDAR\r\n", "\r\n ", "\n\t",
    "RRULE:FREQ=YEARLY\n",
    ";BYMONTHDAY=-31", ";BYDAY=-53SU,53MO", ";COUNT=99999", ";INTERVAL=9999", "00010101",
    "99991231",
    "T235960Z", "UNTIL=00010101", "DURATION:P366D\n", "DURATION:P99999999999999999W\n", "\u{0}",
    "\"",
    "=", ",", ";", ":", "-", "9", "\\", "\u{FEFF}", "X-CHIMED-YEARS:2000-2100\n",
  ].map { Array($0.utf8) }

  @Test func `a mutated file is read or rejected with a message`() {
    let seed = Seed.value
    print("mutated holiday files; repeat with CHIMED_SEED=\(seed)")
    var random = SplitMix64(seed: seed)
    var counts = (read: 0, refused: 0)
    for round in 0..<2_000 {
      let content = Self.mutatedContent(using: &random)
      do {
        let database = try HolidayDatabase(files: [CalendarFile(path: "XX.ics", content: content)])
        counts.read += 1
        #expect(!database.regions.isEmpty, "seed \(seed) round \(round)")
      } catch {
        counts.refused += 1
        #expect(!error.description.isEmpty, "seed \(seed) round \(round)")
      }
    }
    #expect(counts.read > 20 && counts.refused > 20, "\(counts) of seed \(seed)")
  }

  private static func mutatedContent(using random: inout SplitMix64) -> [UInt8] {
    var content = Array(sample.utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let index = Int.random(in: 0..<content.count, using: &random)
      let end = min(content.count, index + Int.random(in: 0...40, using: &random))
      switch Int.random(in: 0...4, using: &random) {
      case 0: content[index] = UInt8.random(in: 0...255, using: &random)
      case 1: content.removeSubrange(index..<end)
      case 2: content.insert(contentsOf: content[index..<end], at: index)
      case 3: content.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: index)
      default: content[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      if content.isEmpty { return content }
    }
    return content
  }
}
