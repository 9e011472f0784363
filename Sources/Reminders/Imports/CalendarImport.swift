package import CivilTime
import Holidays
package import JSON

/// The events of an iCalendar file for one recipient (rule E13), and the parts that no event
/// expresses.
package struct CalendarImport: Sendable {
  package struct Options: Sendable {
    /// The recipient, whose facts have the reports that the events replace.
    let recipient: Recipient
    /// The time of whole days; nil if whole days are flaws.
    let allDay: LocalTime?
    /// Whether alarms are ignored; otherwise an alarm at another time than its event's is a flaw.
    let ignoresAlarms: Bool
    /// Returns a hash of at least 16 bytes, from which ids are derived.
    private let digest: @Sendable ([UInt8]) -> [UInt8]

    package init(
      recipient: Recipient, allDay: LocalTime? = nil, ignoresAlarms: Bool = false,
      digest: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) {
      (self.recipient, self.allDay, self.ignoresAlarms) = (recipient, allDay, ignoresAlarms)
      self.digest = digest
    }

    /// Returns an id of 32 hexadecimal digits, the beginning of the bytes' hash.
    func name(of bytes: [UInt8]) -> String {
      digest(bytes).prefix(16).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
  }

  /// An event with the component that it is made from.
  package struct Entry: Sendable {
    /// The number of the component's first line.
    package let line: Int
    package let uid: String
    package let event: Event
    /// The event as JSON.
    package let document: JSONValue
  }

  /// The source of all imported events.
  static let source = "icalendar"
  /// The maximum number of events and tasks of a file. A recipient has at most 64 open plans, and
  /// the latest 256 finished entities are remembered (rule H12).
  private static let entriesMax = 256

  /// The events, in the order of the file.
  package private(set) var entries: [Entry] = []
  /// The parts that prevent the import of the file, in the order of lines.
  package private(set) var flaws: [CalendarFlaw] = []
  /// The parts that are ignored, in the order of lines.
  package private(set) var ignored: [CalendarFlaw] = []

  /// - Parameters:
  ///   - reader: reads the events.
  ///   - now: the instant of the import.
  package init(
    _ bytes: [UInt8], _ mapping: CalendarMapping, _ options: Options, reader: EventReader,
    now: Instant
  ) {
    do throws(CalendarFlaw) {
      let calendars = try CalendarComponent.calendars(in: bytes)
      try Self.check(calendars)
      let zone = reader.planner.zone(of: options.recipient.facts)
      let entries = calendars.flatMap { calendar in
        let times = CalendarTimes(calendar, reader.planner.zones)
        return calendar.children.filter(Self.isPossibleEntry).map {
          CalendarEntry(
            component: $0, times: times, mapping: mapping, options: options, zone: zone)
        }
      }
      var series = CalendarSeries(entries)
      for entry in entries where entry.changedDate == nil { add(entry, &series, reader, now) }
      flaws += series.flawsOfOthers
    } catch {
      flaws = [error]
    }
    flaws.sort { $0.line < $1.line }
    ignored.sort { $0.line < $1.line }
  }

  private mutating func add(
    _ entry: CalendarEntry, _ series: inout CalendarSeries, _ reader: EventReader, _ now: Instant
  ) {
    do throws(CalendarFlaw) {
      let entry = try series.add(entry)
      addAlarms(entry.alarmParts(isSeries: entry.isSeries))
      for change in entry.changes where !change.isEnded {
        addAlarms(change.alarmParts(isSeries: false))
      }
      let dates = try entry.dates()
      ignored += dates.ignored
      flaws += dates.flaws
      guard dates.flaws.isEmpty else { return }
      let (event, document) = try entry.event(dates, reader, now: now)
      entries.append(
        Entry(line: entry.component.line, uid: entry.uid, event: event, document: document))
    } catch {
      flaws.append(error)
    }
  }

  private mutating func addAlarms(_ parts: (flaws: [CalendarFlaw], ignored: [CalendarFlaw])) {
    flaws += parts.flaws
    ignored += parts.ignored
  }

  private static func isPossibleEntry(_ component: CalendarComponent) -> Bool {
    ["VEVENT", "VTODO"].contains(component.name)
  }

  private static func check(_ calendars: [CalendarComponent]) throws(CalendarFlaw) {
    for calendar in calendars {
      if let method = calendar.property("METHOD"),
        !["PUBLISH", "REQUEST"].contains(method.trimmedText.uppercased())
      {
        throw CalendarFlaw(method, "must be PUBLISH or REQUEST; export the calendar itself")
      }
      if let scale = calendar.property("CALSCALE"), scale.trimmedText.uppercased() != "GREGORIAN" {
        throw CalendarFlaw(scale, "must be GREGORIAN; export the calendar as Gregorian")
      }
      for component in calendar.children where !isPossibleEntry(component) {
        if component.name == "VTIMEZONE" || component.name.hasPrefix("X-") { continue }
        throw CalendarFlaw(
          component.line, component.name, "is neither a VEVENT nor a VTODO; remove it")
      }
    }
    let entries = calendars.flatMap(\.children).filter {
      isPossibleEntry($0) && $0.property("RECURRENCE-ID") == nil
    }
    if let excess = entries.dropFirst(entriesMax).first {
      throw CalendarFlaw(
        excess.line, excess.name,
        "exceeds the \(entriesMax) events and tasks of a file; remove old ones, or split the file")
    }
  }
}
