import CivilTime

extension EntityPlan {
  func write(to writer: inout ByteWriter) {
    writer.count(minutes.count)
    for minute in minutes { writer.count(minute) }
    dates.write(to: &writer)
    writer.dose(first)
    writer.dose(last)
    writer.text(zoneName ?? "")
    guard hasChanges else { return }
    writer.count(exceptions.count)
    for date in exceptions { writer.count(Int(date.daysSinceEpoch)) }
    writer.count(additions.count)
    for dose in additions { writer.dose(dose) }
  }

  /// - Parameter hasChanges: whether the plan was written with exceptions or additions.
  init(from reader: inout ByteReader, hasChanges: Bool) throws(CodingFailure) {
    var minutes: [Int] = []
    for _ in 0..<(try reader.count()) { minutes.append(try reader.number(in: 0..<1_440)) }
    self.init(minutes: minutes)
    dates = try PlanDates(from: &reader)
    first = try reader.dose()
    last = try reader.dose()
    let zoneName = try reader.text()
    self.zoneName = zoneName.isEmpty ? nil : zoneName
    guard hasChanges else { return }
    for _ in 0..<(try reader.count()) {
      exceptions.append(LocalDate(daysSinceEpoch: try reader.number(in: Range(Self.days))))
    }
    for _ in 0..<(try reader.count()) {
      guard let dose = try reader.dose() else { throw reader.malformed }
      additions.append(dose)
    }
  }
}

extension PlanDates {
  fileprivate func write(to writer: inout ByteWriter) {
    switch self {
    case .days(let step): writer.numbers(0, step)
    case .weeks(let step, let days): writer.numbers(1, step, Int(days))
    case .months(let step): writer.numbers(2, step)
    case .cycle(let on, let off, let days): writer.numbers(3, on, off, Int(days))
    case .rule(let rule):
      writer.count(4)
      rule.write(to: &writer)
    }
  }

  fileprivate init(from reader: inout ByteReader) throws(CodingFailure) {
    let kind = try reader.byte()
    switch kind {
    case 0: self = .days(step: try reader.span())
    case 1: self = .weeks(step: try reader.span(), days: try reader.weekdays())
    case 2: self = .months(step: try reader.span())
    case 3:
      self = .cycle(on: try reader.span(), off: try reader.span(), days: try reader.weekdays())
    case 4: self = .rule(try PlanRule(from: &reader))
    default: throw CodingFailure.version(kind)
    }
  }
}

extension PlanRule {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.numbers(frequency.rawValue, interval, weekStart.rawValue)
    for list in [months, monthDays, positions] { writer.list(list) }
    writer.list(days.flatMap { [$0.ordinal ?? 0, $0.weekday.rawValue] })
  }

  fileprivate init(from reader: inout ByteReader) throws(CodingFailure) {
    guard let frequency = Frequency(rawValue: try reader.number(in: 0..<4)) else {
      throw reader.malformed
    }
    self.init(frequency: frequency)
    interval = try reader.span()
    weekStart = try reader.weekday(Int64(try reader.number(in: 1..<8)))
    months = try reader.list()
    monthDays = try reader.list()
    positions = try reader.list()
    let numbers = try reader.list()
    guard numbers.count % 2 == 0 else { throw reader.malformed }
    for index in stride(from: 0, to: numbers.count, by: 2) {
      let weekday = try reader.weekday(Int64(numbers[index + 1]))
      days.append(Day(ordinal: numbers[index] == 0 ? nil : numbers[index], weekday: weekday))
    }
  }
}

extension ByteWriter {
  fileprivate mutating func numbers(_ numbers: Int...) {
    for number in numbers { count(number) }
  }

  fileprivate mutating func list(_ list: [Int]) {
    count(list.count)
    for number in list { signed(Int64(number)) }
  }

  fileprivate mutating func dose(_ dose: EntityPlan.Dose?) {
    count(dose.map { Int($0.date.daysSinceEpoch) + 1 } ?? 0)
    if let dose { count(dose.minute) }
  }
}

extension ByteReader {
  /// Reads a number of days, weeks or months.
  fileprivate mutating func span() throws(CodingFailure) -> Int { try number(in: 1..<1_000) }

  /// Reads a set of days of the week, at least one.
  fileprivate mutating func weekdays() throws(CodingFailure) -> Int64 {
    Int64(try number(in: 1..<128))
  }

  fileprivate func weekday(_ number: Int64) throws(CodingFailure) -> Weekday {
    guard let weekday = Weekday(rawValue: Int(number)) else { throw malformed }
    return weekday
  }

  fileprivate mutating func list() throws(CodingFailure) -> [Int] {
    var list: [Int] = []
    for _ in 0..<(try count()) {
      let number = try signed()
      guard (-999...999).contains(number) else { throw malformed }
      list.append(Int(number))
    }
    return list
  }

  fileprivate mutating func number(in range: Range<Int>) throws(CodingFailure) -> Int {
    let number = Int(clamping: try unsigned())
    guard range.contains(number) else { throw malformed }
    return number
  }

  fileprivate mutating func dose() throws(CodingFailure) -> EntityPlan.Dose? {
    let day = try number(in: 0..<EntityPlan.days.upperBound + 2)
    guard day > 0 else { return nil }
    return EntityPlan.Dose(
      date: LocalDate(daysSinceEpoch: day - 1), minute: try number(in: 0..<1_440))
  }
}
