internal import CivilTime

/// Parses an iCalendar file (RFC 5545): the events of its calendars, and the properties that define
/// their dates. Ignores other components and properties.
struct CalendarReader {
  private var file: HolidayFile
  private var findings: FileProblems
  /// The open components, each with the line of its BEGIN.
  private var openComponents: [(name: String, line: Int)] = []
  /// The number of calendars that have begun.
  private var calendarCount = 0
  /// The lines of the open event; nil outside of events.
  private var event: EventLines?
  /// The complete events, in the order of the file.
  private var events: [HolidayEvent] = []
  /// The dates of repeated events that other events replace, by the repeated event's identifier.
  private var replacedDates: [String: Set<LocalDate>] = [:]

  /// The maximum depth of nested components; iCalendar has three levels.
  private static let depthMax = 8
  /// The maximum number of years and dates that are computed for one file: enough for 5,000 yearly
  /// events without an end.
  private static let allowance = 1_000_000

  private init(path: String) {
    file = HolidayFile(path: path)
    findings = FileProblems(file: path)
  }

  /// Parses a file; throws all problems of the file.
  static func read(_ source: CalendarFile) throws(HolidayErrors) -> HolidayFile {
    var reader = CalendarReader(path: source.path)
    guard source.content.count <= CalendarFile.sizeMax else {
      let megabytes = CalendarFile.sizeMax >> 20
      reader.findings.add(
        0, HolidaySyntaxError("is larger than \(megabytes) MiB; split it into several files"))
      throw HolidayErrors(reader.findings.diagnostics)
    }
    for line in UnfoldedLines(source.content) { reader.read(line) }
    reader.finish()
    let diagnostics = reader.findings.diagnostics
    guard diagnostics.isEmpty else { throw HolidayErrors(diagnostics) }
    return reader.file
  }

  private mutating func read(_ unfolded: UnfoldedLine) {
    do {
      let line = try ContentLine(unfolded)
      switch line.name {
      case "BEGIN": try begin(line)
      case "END": try end(line)
      default: try readProperty(line)
      }
    } catch {
      findings.add(unfolded.number, error)
    }
  }

  private mutating func begin(_ line: ContentLine) throws(HolidaySyntaxError) {
    let name = line.trimmedText.uppercased()
    guard openComponents.count < Self.depthMax else {
      throw HolidaySyntaxError(
        "\(quoted(name)) is nested too deeply; at most \(Self.depthMax) levels are allowed")
    }
    openComponents.append((name, line.number))
    if openComponents.count == 1 {
      guard name == "VCALENDAR" else {
        throw HolidaySyntaxError(
          "\(quoted(name)) begins where BEGIN:VCALENDAR is expected; remove it")
      }
      calendarCount += 1
    } else if isInCalendar, openComponents.count == 2, name == "VEVENT" {
      event = EventLines(number: line.number)
    }
  }

  private mutating func end(_ line: ContentLine) throws(HolidaySyntaxError) {
    let name = line.trimmedText.uppercased()
    guard let last = openComponents.last, last.name == name else {
      let expected = openComponents.last.map { "the end of \(quoted($0.name)) of line \($0.line)" }
      // Either the line ends an outer component, or it is superfluous.
      if let index = openComponents.lastIndex(where: { $0.name == name }) { close(downTo: index) }
      throw HolidaySyntaxError(
        "\(quoted(name)) ends where \(expected ?? "a BEGIN") is expected; add the missing line, "
          + "or remove this one")
    }
    close(downTo: openComponents.count - 1)
  }

  private mutating func close(downTo count: Int) {
    openComponents.removeSubrange(count...)
    if openComponents.count < 2, let finished = event {
      event = nil
      add(finished)
    }
  }

  private func quoted(_ name: String) -> String { NameRefusal.quoted(name) }

  private var isInCalendar: Bool { openComponents.first?.name == "VCALENDAR" }

  private mutating func readProperty(_ line: ContentLine) throws(HolidaySyntaxError) {
    guard !openComponents.isEmpty else {
      throw HolidaySyntaxError(
        "\(line.name) is outside of any calendar; put it after a BEGIN:VCALENDAR")
    }
    guard isInCalendar else { return }
    if openComponents.count == 1 {
      try file.read(line)
    } else if openComponents.count == 2 {
      try event?.add(line)
    }
  }

  private mutating func add(_ lines: EventLines) {
    var reader = EventReader(lines)
    if let replaced = reader.replacement() {
      replacedDates[replaced.identifier, default: []].insert(replaced.date)
    }
    // A cancelled event only removes the date that it replaces; its other properties are ignored.
    if !reader.isCancelled, let event = reader.read() { events.append(event) }
    for (line, flaw) in reader.flaws { findings.add(line, flaw) }
  }

  private mutating func finish() {
    for component in openComponents {
      let name = quoted(component.name)
      findings.add(
        component.line,
        HolidaySyntaxError("\(name) has no END; add it, or restore the rest of a truncated file"))
    }
    if calendarCount == 0 {
      findings.add(
        0, HolidaySyntaxError("is no iCalendar file: it has no BEGIN:VCALENDAR; give another file"))
    }
    if calendarCount > 1, !file.regions.isEmpty {
      let regions = ChimedProperty.regions
      findings.add(
        0,
        HolidaySyntaxError("has several calendars, which \(regions) does not allow; split the file")
      )
    }
    var allowance = Self.allowance
    for event in events where allowance >= 0 { expand(event, allowance: &allowance) }
  }

  private mutating func expand(_ event: HolidayEvent, allowance: inout Int) {
    let replaced = event.series.flatMap { replacedDates[$0] }
    do {
      let dates = try event.dates(without: replaced ?? [], allowance: &allowance)
      file.holidays.append(
        Holiday(line: event.line, name: event.name, dates: dates, regions: event.regions))
    } catch {
      findings.add(event.line, error)
    }
  }
}
