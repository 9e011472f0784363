import CivilTime
package import JSON

/// The values of a setting, and their JSON form. Internally every setting is one number.
package enum SettingKind: Hashable, Sendable {
  /// true or false, stored as 1 or 0.
  case toggle
  /// A local time "HH:mm", stored as the minute of the day.
  case time
  /// Several local times in ascending order, stored as a `NumberList` of minutes.
  case times
  /// Days of the week ["mon", "sat"], stored as a bit set with Monday as the lowest bit.
  case days
  /// A local date "2026-03-10", stored as the days since 1970-01-01; may be unset.
  case date
  /// A duration such as "PT15M" or "15m", stored in milliseconds; may be unset.
  case duration
  /// A duration within a range of milliseconds, stored in milliseconds.
  case span(ClosedRange<Int64>)
  /// A whole number within a range.
  case count(ClosedRange<Int64>)
  /// A whole number within a range; may be unset.
  case limit(ClosedRange<Int64>)
  /// Several whole numbers within a range, which lies in 0...1439, stored as a `NumberList`.
  case counts(ClosedRange<Int64>)
  /// One of several words, stored as its index.
  case choice([String])
  /// Several of at most 62 words, stored as a bit set with the first word as the lowest bit.
  case selection([String])

  /// The stored number of an unset value: JSON's null.
  package static let unset = Int64.min

  /// Returns the internal number for a JSON value.
  package func number(from value: JSONValue) throws(SettingRefusal) -> Int64 {
    switch (self, value) {
    case (.toggle, .bool(let isOn)): return isOn ? 1 : 0
    case (.time, .string(let text)): return Int64(try Self.minute(text))
    case (.times, .array(let times)): return try Self.minutes(times)
    case (.days, .array(let names)): return try Self.dayBits(names)
    case (.date, .string(let text)): return try Self.day(text)
    case (.duration, .string(let text)): return try Self.milliseconds(text)
    case (.span(let range), .string(let text)):
      return try Self.milliseconds(text, within: range)
    case (.date, .null), (.duration, .null), (.limit, .null): return Self.unset
    case (.count(let range), _), (.limit(let range), _):
      guard let number = value.integerValue else { break }
      return try Self.checked(number, range)
    case (.counts(let range), .array(let numbers)): return try Self.numbers(numbers, range)
    case (.choice(let words), .string(let text)): return try Self.index(of: text, among: words)
    case (.selection(let words), .array(let chosen)):
      return try Self.wordBits(of: chosen, among: words)
    default: break
    }
    throw SettingRefusal("must be \(expectation); it is \(value.kind)")
  }

  /// Returns the JSON value for an internal number.
  package func value(of number: Int64) -> JSONValue {
    if number == Self.unset { return .null }
    switch self {
    case .toggle: return .bool(number != 0)
    case .time: return .string(Self.time(number).description)
    case .times: return .array(NumberList(code: number).numbers.map(Self.timeValue))
    case .days:
      return .array(Weekday.allCases.filter { number & $0.bit != 0 }.map { .string($0.name) })
    case .date: return .string(LocalDate(daysSinceEpoch: Int(clamping: number)).description)
    case .duration, .span: return .string(TimeSpan(milliseconds: number).iso8601)
    case .count, .limit: return .integer(number)
    case .counts: return .array(NumberList(code: number).numbers.map { .integer(Int64($0)) })
    case .choice(let words):
      return .string(words.indices.contains(Int(clamping: number)) ? words[Int(number)] : "")
    case .selection(let words):
      return .array(words.indices.filter { number & 1 << $0 != 0 }.map { .string(words[$0]) })
    }
  }

  private static func timeValue(_ minute: Int) -> JSONValue {
    .string(time(Int64(minute)).description)
  }

  private static func time(_ minute: Int64) -> LocalTime {
    LocalTime(minuteOfDay: Int(clamping: minute)) ?? .midnight
  }

  private var expectation: String {
    switch self {
    case .toggle: "true or false"
    case .time: "a time of day such as \"21:00\""
    case .times: "a list of times of day such as [\"08:00\", \"20:00\"]"
    case .days: "a list of days such as [\"mon\", \"sat\"]"
    case .date: "a date such as \"2026-03-10\", or null"
    case .duration: "a duration such as \"PT15M\", or null"
    case .span: "a duration such as \"PT15M\""
    case .count: "a whole number"
    case .limit: "a whole number, or null for none"
    case .counts: "a list of whole numbers"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .selection(let words): "a list of some of \(words.joined(separator: ", "))"
    }
  }
}

/// The reason why a setting refuses a value: the rest of a sentence that begins with the setting's
/// path.
package struct SettingRefusal: Error, Hashable {
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}

extension Weekday {
  /// The day's bit in a set of days. Monday has the lowest bit.
  package var bit: Int64 { 1 << Int64(rawValue - Weekday.monday.rawValue) }
}

/// A list of at most six small numbers in one 64-bit number, for settings such as several times of
/// a day.
///
/// Each number plus 1 is a digit to base 1441; the digit 0 marks the end.
package struct NumberList: Hashable, Sendable {
  package static let countMax = 6
  private static let base: Int64 = 1_441

  package let code: Int64

  package init(code: Int64) {
    self.code = code
  }

  /// Returns nil for more than ``countMax`` numbers, or for a number outside 0...1439.
  package init?(_ numbers: [Int]) {
    guard numbers.count <= Self.countMax, numbers.allSatisfy((0..<1_440).contains) else {
      return nil
    }
    code = numbers.reversed().reduce(0) { $0 * Self.base + Int64($1) + 1 }
  }

  /// The numbers in their order. An invalid code yields arbitrary numbers.
  package var numbers: [Int] {
    var numbers: [Int] = []
    var rest = code
    while rest > 0 {
      let digit = rest % Self.base
      if digit > 0 { numbers.append(Int(digit) - 1) }
      rest /= Self.base
    }
    return numbers
  }
}
