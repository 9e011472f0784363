import CivilTime
import JSON

extension SettingKind {
  static func minute(_ text: String) throws(SettingRefusal) -> Int {
    guard let time = LocalTime(text) else {
      throw SettingRefusal("must be a time of day from \"00:00\" to \"23:59\"; it is \"\(text)\"")
    }
    return time.minuteOfDay
  }

  /// Returns the `NumberList` code of the times, sorted and without duplicates.
  static func minutes(_ times: [JSONValue]) throws(SettingRefusal) -> Int64 {
    var minutes: Set<Int> = []
    for time in times {
      guard case .string(let text) = time else {
        throw SettingRefusal("must contain only times of day such as \"21:00\"")
      }
      minutes.insert(try minute(text))
    }
    return try code(minutes.sorted())
  }

  /// Returns the bit set of days of the week.
  static func dayBits(_ names: [JSONValue]) throws(SettingRefusal) -> Int64 {
    var bits: Int64 = 0
    for name in names {
      guard case .string(let text) = name, let day = Weekday(name: text) else {
        throw SettingRefusal("must contain only mon, tue, wed, thu, fri, sat and sun")
      }
      bits |= day.bit
    }
    return bits
  }

  static func day(_ text: String) throws(SettingRefusal) -> Int64 {
    guard let date = LocalDate(text) else {
      throw SettingRefusal("must be a date such as \"2026-03-10\"; it is \"\(text)\"")
    }
    return Int64(date.daysSinceEpoch)
  }

  static func milliseconds(_ text: String) throws(SettingRefusal) -> Int64 {
    guard let span = TimeSpan(text) else {
      throw SettingRefusal("must be a duration such as \"PT15M\" or \"15m\"; it is \"\(text)\"")
    }
    return span.milliseconds
  }

  static func milliseconds(
    _ text: String, within range: ClosedRange<Int64>
  ) throws(SettingRefusal) -> Int64 {
    let number = try milliseconds(text)
    guard range.contains(number) else {
      let (least, most) = (
        TimeSpan(milliseconds: range.lowerBound), TimeSpan(milliseconds: range.upperBound)
      )
      throw SettingRefusal("must be from \(least) to \(most); it is \"\(text)\"")
    }
    return number
  }

  static func numbers(
    _ values: [JSONValue], _ range: ClosedRange<Int64>
  ) throws(SettingRefusal) -> Int64 {
    var numbers: [Int] = []
    for value in values {
      guard let number = value.integerValue else {
        throw SettingRefusal("must contain only whole numbers")
      }
      numbers.append(Int(try checked(number, range)))
    }
    return try code(numbers)
  }

  static func checked(
    _ number: Int64, _ range: ClosedRange<Int64>
  ) throws(SettingRefusal) -> Int64 {
    guard range.contains(number) else {
      throw SettingRefusal(
        "must be from \(range.lowerBound) to \(range.upperBound); it is \(number)")
    }
    return number
  }

  static func index(of word: String, among words: [String]) throws(SettingRefusal) -> Int64 {
    if let index = words.firstIndex(of: word) { return Int64(index) }
    throw SettingRefusal(
      "must be one of \(words.joined(separator: ", ")); it is \"\(word)\"" + hint(word, words))
  }

  /// Returns the bit set of the chosen words.
  static func wordBits(
    of chosen: [JSONValue], among words: [String]
  ) throws(SettingRefusal) -> Int64 {
    var bits: Int64 = 0
    for value in chosen {
      guard case .string(let word) = value else {
        throw SettingRefusal("must contain only texts; one of them is \(value.kind)")
      }
      guard let index = words.firstIndex(of: word) else {
        throw SettingRefusal(
          "must contain only \(words.joined(separator: ", ")); \"\(word)\" is not one of them"
            + hint(word, words))
      }
      bits |= 1 << Int64(index)
    }
    return bits
  }

  private static func code(_ numbers: [Int]) throws(SettingRefusal) -> Int64 {
    guard let list = NumberList(numbers) else {
      throw SettingRefusal(
        "must contain at most \(NumberList.countMax) values; it contains \(numbers.count)")
    }
    return list.code
  }
}
