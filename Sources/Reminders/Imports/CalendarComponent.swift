import Holidays

/// A component of an iCalendar file, such as a VEVENT, with the components inside it.
struct CalendarComponent {
  /// The component's name, in capitals.
  let name: String
  /// The number of the line that begins the component.
  let line: Int
  private(set) var properties: [ContentLine] = []
  private(set) var children: [CalendarComponent] = []

  private init(name: String, line: Int) {
    (self.name, self.line) = (name, line)
  }

  /// Returns the first property with a name; nil if there is none.
  func property(_ name: String) -> ContentLine? { properties.first { $0.name == name } }

  /// Returns the value of the first property with a name, without surrounding spaces.
  func text(_ name: String) -> String? { property(name)?.trimmedText }
}

extension CalendarComponent {
  /// The maximum size of a file in bytes.
  private static let fileMax = 1 << 20
  /// The maximum depth of nested components; iCalendar has three levels.
  private static let depthMax = 4
  /// The maximum number of components of all kinds.
  private static let countMax = 2_000

  /// Reads the calendars of a file.
  ///
  /// - Throws: a flaw at the first line that cannot be read or exceeds a limit.
  static func calendars(in bytes: [UInt8]) throws(CalendarFlaw) -> [CalendarComponent] {
    guard bytes.count <= fileMax else {
      throw CalendarFlaw(
        1, "", "the file has \(bytes.count) bytes; at most \(fileMax) are allowed; split it")
    }
    var (calendars, open, count): ([CalendarComponent], [CalendarComponent], Int) = ([], [], 0)
    for unfolded in UnfoldedLines(bytes) {
      let line = try content(of: unfolded)
      switch line.name {
      case "BEGIN":
        count += 1
        open.append(try component(line, in: open, count))
      case "END":
        let component = try closed(line, &open)
        guard let last = open.indices.last else {
          calendars.append(component)
          continue
        }
        open[last].children.append(component)
      default:
        guard let last = open.indices.last else {
          throw CalendarFlaw(line, "is outside of a VCALENDAR; remove it")
        }
        open[last].properties.append(line)
      }
    }
    if let component = open.last {
      throw CalendarFlaw(component.line, component.name, "has no END; export the file again")
    }
    guard !calendars.isEmpty else {
      throw CalendarFlaw(1, "", "the file has no VCALENDAR; export the calendar as iCalendar")
    }
    return calendars
  }

  private static func content(of line: UnfoldedLine) throws(CalendarFlaw) -> ContentLine {
    guard !line.bytes.contains(0) else {
      throw CalendarFlaw(line.number, "", "the line has a NUL byte; export the file again")
    }
    guard String(validating: line.bytes, as: UTF8.self) != nil else {
      throw CalendarFlaw(line.number, "", "the line is not UTF-8; save the file in that encoding")
    }
    do throws(HolidaySyntaxError) {
      return try ContentLine(line)
    } catch {
      throw CalendarFlaw(line.number, "", error.message)
    }
  }

  /// Returns the component that a BEGIN opens.
  private static func component(
    _ line: ContentLine, in open: [CalendarComponent], _ count: Int
  ) throws(CalendarFlaw) -> CalendarComponent {
    let name = line.trimmedText.uppercased()
    guard open.isEmpty == (name == "VCALENDAR") else {
      throw CalendarFlaw(
        line,
        open.isEmpty
          ? "must be of a VCALENDAR here; remove the component"
          : "of a VCALENDAR is inside another component; add the missing END")
    }
    guard open.count < depthMax else {
      throw CalendarFlaw(line, "is nested more than \(depthMax) deep; remove the component")
    }
    guard count <= countMax else {
      throw CalendarFlaw(line, "exceeds the \(countMax) components of a file; split it")
    }
    return CalendarComponent(name: name, line: line.number)
  }

  /// Returns the component that an END closes.
  private static func closed(
    _ line: ContentLine, _ open: inout [CalendarComponent]
  ) throws(CalendarFlaw) -> CalendarComponent {
    guard let component = open.popLast(), component.name == line.trimmedText.uppercased() else {
      throw CalendarFlaw(line, "does not match the last BEGIN; export the file again")
    }
    return component
  }
}
