internal import CivilTime

/// Parses one VEVENT and collects all its flaws.
struct EventReader {
  private let lines: EventLines
  private(set) var flaws: [(line: Int, flaw: HolidaySyntaxError)] = []

  /// The maximum number of days that an event may last.
  private static let lengthMax = 366
  /// The name of an event without SUMMARY.
  private static let defaultName = "Holiday"

  init(_ lines: EventLines) {
    self.lines = lines
  }

  /// Returns the event; nil if there are ``flaws``.
  mutating func read() -> HolidayEvent? {
    let start = parsedProperty("DTSTART", DateValue.init(of:))
    if lines.single["DTSTART"] == nil {
      report(
        lines.number, HolidaySyntaxError("the event has no DTSTART; add it, or remove the event"))
    }
    let name = parsedProperty("SUMMARY", TextValue.line(of:)) ?? ""
    let length = start.map { self.length(from: $0) }
    let rule = parsedProperty("RRULE", YearlyRule.init(of:))
    let additionalDates = dates(lines.additionalDates)
    let excludedDates = dates(lines.excludedDates)
    let regions = parsedProperty(ChimedProperty.regions, ChimedProperty.codes(of:))
    guard let start, let length, flaws.isEmpty else { return nil }
    return HolidayEvent(
      line: lines.number, name: name.isEmpty ? Self.defaultName : name, series: series,
      start: start, length: length, rule: rule,
      additionalDates: additionalDates, excludedDates: Set(excludedDates), regions: regions)
  }

  var isCancelled: Bool { lines.single["STATUS"]?.trimmedText.uppercased() == "CANCELLED" }

  /// Returns the date that this event replaces, and the identifier of the repeated event that has
  /// the date; nil if this event replaces no date.
  mutating func replacement() -> (identifier: String, date: LocalDate)? {
    guard let line = lines.single["RECURRENCE-ID"] else { return nil }
    guard let identifier = lines.single["UID"]?.trimmedText else {
      report(
        line.number,
        HolidaySyntaxError("RECURRENCE-ID needs a UID; add the UID of the event to change"))
      return nil
    }
    return parsedProperty("RECURRENCE-ID", Self.replacedDate(of:)).map { (identifier, $0) }
  }

  private static func replacedDate(of line: ContentLine) throws(HolidaySyntaxError) -> LocalDate {
    guard line.parameter("RANGE") == nil else {
      throw HolidaySyntaxError(
        "RECURRENCE-ID with RANGE is not understood; end the RRULE, and add a new event after it")
    }
    return try DateValue(of: line).date
  }

  /// The UID by which replacement events refer to this event; nil if it is itself a replacement.
  private var series: String? {
    lines.single["RECURRENCE-ID"] == nil ? lines.single["UID"]?.trimmedText : nil
  }

  private mutating func dates(_ lines: [ContentLine]) -> [LocalDate] {
    var dates: [LocalDate] = []
    for line in lines {
      do {
        dates += try DateValue.dates(of: line)
      } catch {
        report(line.number, error)
      }
    }
    return dates
  }

  /// Returns the number of dates on which the event lasts; the event's end is exclusive.
  private mutating func length(from start: DateValue) -> Int {
    if lines.single["DTEND"] != nil, let duration = lines.single["DURATION"] {
      report(
        duration.number, HolidaySyntaxError("the event has both DTEND and DURATION; remove one"))
    }
    let lengthByEnd = parsedProperty("DTEND") { line throws(HolidaySyntaxError) in
      try Self.length(from: start, end: line)
    }
    let lengthByDuration = parsedProperty("DURATION") { line throws(HolidaySyntaxError) in
      try Self.length(from: start, duration: line)
    }
    return lengthByEnd ?? lengthByDuration ?? 1
  }

  private static func length(from start: DateValue, end line: ContentLine)
    throws(HolidaySyntaxError) -> Int
  {
    let end = try DateValue(of: line)
    guard (end.secondOfDay == nil) == (start.secondOfDay == nil) else {
      throw HolidaySyntaxError(
        "DTEND must be a date if DTSTART is a date, or else a date and time; correct one of them")
    }
    return try length(from: start, seconds: end.seconds - start.seconds)
  }

  private static func length(from start: DateValue, duration line: ContentLine)
    throws(HolidaySyntaxError) -> Int
  {
    var text = line.trimmedText
    if text.hasPrefix("+") { text.removeFirst() }
    guard text.hasPrefix("P"), let span = TimeSpan(text) else {
      throw HolidaySyntaxError(
        "DURATION must be such as P1D, P2W or PT8H; it is \(NameRefusal.quoted(text))")
    }
    let seconds = Int(span.milliseconds / 1_000)
    guard start.secondOfDay != nil || seconds % 86_400 == 0 else {
      throw HolidaySyntaxError("DURATION must be whole days, such as P1D, if DTSTART is a date")
    }
    return try length(from: start, seconds: seconds)
  }

  private static func length(from start: DateValue, seconds: Int) throws(HolidaySyntaxError) -> Int
  {
    guard seconds >= 0 else {
      throw HolidaySyntaxError("the event ends before it begins; correct its dates")
    }
    let lastSecond = (start.secondOfDay ?? 0) + max(seconds, 1) - 1
    let length = lastSecond / 86_400 + 1
    guard length <= lengthMax else {
      throw HolidaySyntaxError(
        "the event lasts \(length) days; at most \(lengthMax) are allowed; correct its end")
    }
    return length
  }

  /// Returns the value of a property; nil if the event lacks it, or if it has a flaw.
  private mutating func parsedProperty<Value>(
    _ name: String, _ read: (ContentLine) throws(HolidaySyntaxError) -> Value
  ) -> Value? {
    guard let line = lines.single[name] else { return nil }
    do {
      return try read(line)
    } catch {
      report(line.number, error)
      return nil
    }
  }

  private mutating func report(_ line: Int, _ flaw: HolidaySyntaxError) {
    flaws.append((line, flaw))
  }
}

/// The relevant lines of one VEVENT.
struct EventLines {
  /// The number of the event's first line in the file.
  let number: Int
  /// The properties that an event may have only once, by name.
  private(set) var single: [String: ContentLine] = [:]
  /// The lines of RDATE.
  private(set) var additionalDates: [ContentLine] = []
  /// The lines of EXDATE.
  private(set) var excludedDates: [ContentLine] = []

  private static let singleNames: Set = [
    "DTEND", "DTSTART", "DURATION", "RECURRENCE-ID", "RRULE", "STATUS", "SUMMARY", "UID",
    ChimedProperty.regions,
  ]

  init(number: Int) {
    self.number = number
  }

  mutating func add(_ line: ContentLine) throws(HolidaySyntaxError) {
    switch line.name {
    case "RDATE": additionalDates.append(line)
    case "EXDATE": excludedDates.append(line)
    case "EXRULE":
      throw HolidaySyntaxError("EXRULE is not understood; list the excluded dates with EXDATE")
    case let name where Self.singleNames.contains(name):
      guard single.updateValue(line, forKey: name) == nil else {
        throw HolidaySyntaxError(
          "\(name) is given twice in the event of line \(number); remove one")
      }
    default: try ChimedProperty.refuse(line)
    }
  }
}
