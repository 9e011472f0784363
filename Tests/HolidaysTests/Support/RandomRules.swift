import CivilTime
import TestSupport

/// Generates events with rules. The start of each event is a date of its rule.
struct RandomRules {
  private var random: SplitMix64
  private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  /// Returns the lines of a VEVENT.
  mutating func event() -> [String] {
    // From 1995 to 2063: some events begin before the supported years.
    let start = LocalDate(daysSinceEpoch: number(9_131...34_000))
    var rule = ["FREQ=YEARLY"] + parts(on: start)
    if chance(2) { rule.append("INTERVAL=\(number(1...4))") }
    switch number(0...2) {
    case 0: rule.append("COUNT=\(number(1...30))")
    case 1: rule.append("UNTIL=" + basic(start + number(0...9_000)))
    default: break
    }
    rule.shuffle(using: &random)
    var lines = ["BEGIN:VEVENT", "SUMMARY:Random", "DTSTART;VALUE=DATE:" + basic(start)]
    lines.append("RRULE:" + rule.joined(separator: ";"))
    if chance(3) { lines.append("DTEND;VALUE=DATE:" + basic(start + number(1...5))) }
    if chance(3) {
      lines.append("RDATE;VALUE=DATE:\(basic(start + number(0...900))),\(basic(start + 7))")
    }
    if chance(3) {
      let years = (0..<4).compactMap {
        LocalDate(year: start.year + $0, month: start.month, day: 1)
      }
      lines.append("EXDATE;VALUE=DATE:" + (years + [start]).map(basic).joined(separator: ","))
    }
    return lines + ["END:VEVENT"]
  }

  /// Returns the parts of a rule that select days, among them the start.
  private mutating func parts(on start: LocalDate) -> [String] {
    let months = list(start.month, 1...12).filter { $0 != 0 }
    let byMonth = "BYMONTH=" + months.map(String.init).joined(separator: ",")
    let monthDays = list(start.day, -31...31).filter { $0 != 0 }
    let byMonthDay = "BYMONTHDAY=" + monthDays.map(String.init).joined(separator: ",")
    let weekday = Self.weekdays[start.weekday.rawValue - 1]
    let other = Self.weekdays[number(0...6)]
    let ordinal = (start.day - 1) / 7 + 1
    switch number(0...8) {
    case 0: return []
    case 1: return [byMonth]
    case 2: return [byMonth, byMonthDay]
    case 3: return [byMonthDay]
    case 4: return [byMonth, byMonthDay, "BYDAY=\(weekday),\(other)"]
    case 5: return [byMonthDay, "BYDAY=\(weekday)"]
    case 6: return [byMonth, "BYDAY=\(ordinal)\(weekday),\(number(1...5))\(other),-1\(other)"]
    case 7: return [byMonth, "BYDAY=\(weekday),-2\(other)"]
    default: return ["BYDAY=\(ordinalInYear(start))\(weekday),\(number(1...53))\(other)"]
    }
  }

  /// Returns the ordinal of a date among the days of its weekday in the year, counted from the end
  /// in half of the calls.
  private mutating func ordinalInYear(_ date: LocalDate) -> Int {
    guard let first = LocalDate(year: date.year, month: 1, day: 1),
      let last = LocalDate(year: date.year, month: 12, day: 31)
    else { return 1 }
    return chance(2) ? (date - first) / 7 + 1 : -((last - date) / 7 + 1)
  }

  /// Returns `required` and up to two other numbers.
  private mutating func list(_ required: Int, _ range: ClosedRange<Int>) -> [Int] {
    ([required] + (0..<number(0...2)).map { _ in number(range) }).shuffled(using: &random)
  }

  /// Returns true with a probability of 1 in `times`.
  private mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  /// Returns a date such as "20260101".
  private func basic(_ date: LocalDate) -> String {
    date.description.filter { $0 != "-" }
  }
}
