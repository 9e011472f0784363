internal import CivilTime

/// A date, or a date and time, as properties of iCalendar give it: "20260101" or
/// "20260101T080000", in UTC with a "Z" after it.
struct DateValue: Hashable {
  let date: LocalDate
  /// 0..<86400; nil for a date alone.
  let secondOfDay: Int?
  let isUTC: Bool

  var isDateAlone: Bool { secondOfDay == nil }

  /// Seconds since 1970-01-01 00:00 on the clock that the value is of.
  var seconds: Int { Int(date.daysSinceEpoch) * 86_400 + (secondOfDay ?? 0) }

  init?(_ text: ArraySlice<UInt8>) {
    let field = { (place: Int, length: Int) in
      Self.number(text.dropFirst(place).prefix(length))
    }
    guard [8, 15, 16].contains(text.count), let year = field(0, 4), let month = field(4, 2),
      let day = field(6, 2), let date = LocalDate(year: year, month: month, day: day)
    else { return nil }
    self.date = date
    isUTC = text.count == 16
    guard text.count > 8 else {
      secondOfDay = nil
      return
    }
    guard text.dropFirst(8).first == UInt8(ascii: "T"), !isUTC || text.last == UInt8(ascii: "Z"),
      let hour = field(9, 2), let minute = field(11, 2), let second = field(13, 2),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    secondOfDay = hour * 3_600 + minute * 60 + min(second, 59)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }
}

extension DateValue {
  /// The value of a property that stands for a local date: of a date and time the date counts, in
  /// UTC only at midnight, which is how some programs write a date alone.
  init(of line: ContentLine) throws(Flaw) {
    try self.init(line.trimmedValue, of: line)
  }

  /// The dates of a property that lists several, with commas between them.
  static func dates(of line: ContentLine) throws(Flaw) -> [LocalDate] {
    var dates: [LocalDate] = []
    for part in line.parts { dates.append(try DateValue(part, of: line).date) }
    return dates
  }

  private init(_ text: ArraySlice<UInt8>, of line: ContentLine) throws(Flaw) {
    let name = line.name
    let kind = line.parameter("VALUE")?.uppercased() ?? ""
    guard ["", "DATE", "DATE-TIME"].contains(kind) else {
      let quoted = NameRefusal.quoted(kind)
      throw Flaw("\(name) with VALUE=\(quoted) is not understood; give dates, one for each day")
    }
    guard let value = DateValue(text), kind.isEmpty || (kind == "DATE") == value.isDateAlone else {
      let form = kind == "DATE-TIME" ? "a date and time such as 20260101T000000" : Self.example
      let quoted = NameRefusal.quoted(String(decoding: text, as: UTF8.self))
      throw Flaw("\(name) must be \(form); it is \(quoted)")
    }
    guard !value.isUTC || value.secondOfDay == 0 else {
      let word = String(decoding: text, as: UTF8.self)
      throw Flaw(
        "\(name) \(word) is a time in UTC, which can be another date where people live; "
          + "write the date itself: \(name);VALUE=DATE:\(word.prefix(8))")
    }
    self = value
  }

  private static let example = "a date that exists, such as 20260101"
}
