import CivilTime
package import JSON

/// What a setting may hold, and how it is written in JSON. Every setting is one number inside.
package enum SettingKind: Hashable, Sendable {
  /// true or false, kept as 1 or 0.
  case toggle
  /// A local time "HH:mm", kept as the minute of the day.
  case time
  /// Days of the week ["mon", "sat"], kept as a set of bits, Monday's the lowest.
  case days
  /// A whole number within a range.
  case count(ClosedRange<Int64>)

  /// The number inside for a JSON value.
  package func number(from value: JSONValue) throws(SettingRefusal) -> Int64 {
    switch (self, value) {
    case (.toggle, .bool(let isOn)): return isOn ? 1 : 0
    case (.time, .string(let text)): return try Self.minute(text)
    case (.days, .array(let names)): return try Self.bits(names)
    case (.count(let range), _):
      guard let number = value.integerValue else { break }
      guard range.contains(number) else {
        throw SettingRefusal(
          "must be from \(range.lowerBound) to \(range.upperBound); it is \(number)")
      }
      return number
    default: break
    }
    throw SettingRefusal("must be \(expectation); it is \(value.kind)")
  }

  /// The JSON value for a number inside.
  package func value(of number: Int64) -> JSONValue {
    switch self {
    case .toggle: .bool(number != 0)
    case .time: .string((LocalTime(minuteOfDay: Int(number)) ?? .midnight).description)
    case .days:
      .array(Weekday.allCases.filter { number & $0.bit != 0 }.map { .string($0.name) })
    case .count: .integer(number)
    }
  }

  private var expectation: String {
    switch self {
    case .toggle: "true or false"
    case .time: "a time of day such as \"21:00\""
    case .days: "a list of days such as [\"mon\", \"sat\"]"
    case .count: "a whole number"
    }
  }

  private static func minute(_ text: String) throws(SettingRefusal) -> Int64 {
    guard let time = LocalTime(text) else {
      throw SettingRefusal("must be a time of day from \"00:00\" to \"23:59\"; it is \"\(text)\"")
    }
    return Int64(time.minuteOfDay)
  }

  private static func bits(_ names: [JSONValue]) throws(SettingRefusal) -> Int64 {
    var bits: Int64 = 0
    for name in names {
      guard case .string(let text) = name, let day = Weekday(name: text) else {
        throw SettingRefusal("must hold only mon, tue, wed, thu, fri, sat and sun")
      }
      bits |= day.bit
    }
    return bits
  }
}

/// Why a value does not fit a setting: the rest of a sentence that begins with the setting's path.
package struct SettingRefusal: Error, Hashable {
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}

extension Weekday {
  /// The day's bit in a set of days; Monday's is the lowest.
  package var bit: Int64 { 1 << Int64(rawValue - Weekday.monday.rawValue) }
}
