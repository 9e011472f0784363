import CivilTime
import Holidays
import JSON

/// A VEVENT or VTODO that becomes one event.
struct CalendarEntry {
  let component: CalendarComponent
  let times: CalendarTimes
  let mapping: CalendarMapping
  let options: CalendarImport.Options

  /// The properties that may occur once.
  private static let single = [
    "UID", "DTSTART", "DUE", "RRULE", "SUMMARY", "LOCATION", "STATUS",
  ]
  /// The properties that a component must not have, with the reasons.
  private static let refused = [
    ("EXDATE", "leaves out dates, which a plan cannot; end the RRULE, or remove the line"),
    ("EXRULE", "leaves out dates, which a plan cannot; remove the line"),
    ("RDATE", "adds dates, which a plan cannot; make each a separate event"),
    ("COMPLETED", "ends the task; remove the task, and report its end by an event"),
  ]

  var uid: String { component.text("UID") ?? "" }
  private var rule: ContentLine? { component.property("RRULE") }
  private var isTask: Bool { component.name == "VTODO" }

  /// Returns the event as JSON, and checks it.
  ///
  /// - Parameter reader: reads the event, with the zones and the catalog.
  func event(
    _ reader: EventReader, now: Instant
  ) throws(CalendarFlaw) -> (event: Event, document: JSONValue) {
    try check()
    let start = try start()
    var data: JSONObject = [
      mapping.identifier: .string(identifier), mapping.plan: .object(try plan(from: start)),
    ]
    for (field, property) in mapping.texts {
      data[field.name] = try text(property, isRequired: field.isRequired)
    }
    let document: JSONValue = .object([
      "specversion": "1.0", "id": .string(eventIdentifier(data)),
      "source": .string(CalendarImport.source), "type": .string(mapping.schema.type),
      "subject": .string(options.recipient.name), "data": .object(data),
    ])
    let event: Event
    do {
      event = try reader.event(document, now: now)
    } catch {
      throw flaw(error, start)
    }
    try checkFirstDose(of: event, start)
    return (event, document)
  }

  /// The parts of the alarms that the event does not express.
  var alarmFlaws: [CalendarFlaw] {
    let start = try? start()
    return CalendarAlarms(
      isDue: isTask && component.property("DUE") != nil, instant: start?.instant,
      areIgnored: options.ignoresAlarms
    ).flaws(of: component)
  }

  private func check() throws(CalendarFlaw) {
    for (name, reason) in Self.refused {
      if let line = component.property(name) { throw CalendarFlaw(line, reason) }
    }
    for name in Self.single {
      if let second = component.properties.filter({ $0.name == name }).dropFirst().first {
        throw CalendarFlaw(second, "is given twice; remove one")
      }
    }
    if let status = component.property("STATUS"),
      ["CANCELLED", "COMPLETED"].contains(status.trimmedText.uppercased())
    {
      throw CalendarFlaw(
        status,
        "is \(status.trimmedText); remove the component, and report its end by an event")
    }
    try checkPrivacy()
  }

  /// Refuses a component that is not public if other people get its texts. RFC 5545 wants unknown
  /// classes to be treated as private.
  private func checkPrivacy() throws(CalendarFlaw) {
    let line = component.properties.first {
      $0.name == "CLASS" && $0.trimmedText.uppercased() != "PUBLIC"
    }
    guard let line, mapping.isRelayed else { return }
    throw CalendarFlaw(
      line,
      "is \(NameRefusal.quoted(line.trimmedText)), but messages to other people contain the texts "
        + "of \(mapping.schema.type); remove the line, or import as a type without such messages")
  }

  // MARK: - Identifiers and texts

  /// The UID; its hash if it is too long for an identifier.
  private var identifier: String {
    (1...128).contains(uid.utf8.count) && !uid.hasControlCharacters
      ? uid : options.name(of: Array(uid.utf8))
  }

  /// Returns the event's id, which follows from the content, its version and the report that the
  /// event replaces. So a repeated request is a duplicate, but the same content after another
  /// report is a new event.
  private func eventIdentifier(_ data: JSONObject) -> String {
    var bytes: [UInt8] = []
    let version = ["UID", "SEQUENCE", "LAST-MODIFIED"].map { component.text($0) ?? "" }
    let replaced = options.recipient.facts.item(Symbol(mapping.schema.type), identifier)?.stamp
    let stamp = replaced.map { ["\($0.time.milliseconds)", "\($0.order)"] } ?? []
    for text in [options.recipient.name, mapping.schema.type] + version + stamp {
      bytes += Array(text.utf8) + [0]
    }
    return options.name(of: bytes + JSONWriter.canonical(.object(data)))
  }

  private func text(_ property: String, isRequired: Bool) throws(CalendarFlaw) -> JSONValue? {
    let line = component.property(property)
    do throws(HolidaySyntaxError) {
      if let line {
        let text = try TextValue.line(of: line)
        if !text.isEmpty { return .string(text) }
      }
    } catch {
      throw CalendarFlaw(line?.number ?? component.line, "", error.message)
    }
    guard isRequired else { return nil }
    throw CalendarFlaw(
      component.line, component.name,
      "has no \(property), which \(mapping.schema.type) needs; add it")
  }

  // MARK: - Plans

  /// The time of an event or a task, with its property.
  private struct Start {
    let line: ContentLine
    let time: CalendarTimes.Time
    let clock: LocalTime

    /// The instant; nil for a floating time.
    var instant: Instant? { time.zone?.instant(of: time.date, at: clock) }
    var dose: EntityPlan.Dose { .init(date: time.date, minute: clock.minuteOfDay) }
  }

  /// Reads the time: of a task, the time at which it is due.
  private func start() throws(CalendarFlaw) -> Start {
    let (start, due) = (component.property("DTSTART"), component.property("DUE"))
    guard let line = isTask ? due ?? start : start else {
      throw CalendarFlaw(
        component.line, component.name,
        "has no time; add DTSTART" + (isTask ? " or DUE" : ""))
    }
    if isTask, due == nil, let duration = component.property("DURATION") {
      throw CalendarFlaw(duration, "determines when the task is due; give the time as DUE instead")
    }
    if isTask, rule != nil, let start, let due, start.trimmedText != due.trimmedText {
      throw CalendarFlaw(due, "differs from DTSTART, and a plan has one time; remove one of them")
    }
    let time = try times.time(of: line)
    guard let second = time.secondOfDay ?? options.allDay?.secondOfDay else {
      throw CalendarFlaw(
        line, "is a whole day; give a time in the calendar, or one for all whole days (allDay)")
    }
    guard time.date.daysSinceEpoch >= 0 else {
      throw CalendarFlaw(
        line, "is before 1970; begin the series in 1970 or later, or remove the component")
    }
    guard second % 60 == 0, let clock = LocalTime(minuteOfDay: second / 60) else {
      throw CalendarFlaw(line, "has seconds; give the time in minutes")
    }
    return Start(line: line, time: time, clock: clock)
  }

  private func plan(from start: Start) throws(CalendarFlaw) -> JSONObject {
    var plan: JSONObject = [
      "times": .array([.string("\(start.clock)")]),
      "from": .string("\(start.time.date)T\(start.clock)"),
    ]
    if let zone = start.time.zone { plan["zone"] = .string(zone.name) }
    if let rule {
      plan["rule"] = .string(try CalendarRule(rule).text(start.time, at: start.clock))
    } else {
      plan["count"] = 1
    }
    return plan
  }

  /// Refuses a rule that does not select its start, because calendars disagree about its dates.
  private func checkFirstDose(of event: Event, _ start: Start) throws(CalendarFlaw) {
    if let rule, event.plan?.dose(1) != start.dose {
      throw CalendarFlaw(
        rule,
        "does not select \(start.time.date), the date of \(start.line.name); begin the series "
          + "on one of its dates")
    }
  }

  /// Returns the flaw of the property that leads to a refusal of the event.
  private func flaw(_ refusal: Refusal, _ start: Start) -> CalendarFlaw {
    let plan = "data.\(mapping.plan)"
    if let rule, refusal.path == plan || refusal.path == plan + ".rule" {
      return CalendarFlaw(rule, refusal.reason)
    }
    if refusal.path.hasPrefix(plan) { return CalendarFlaw(start.line, refusal.reason) }
    return CalendarFlaw(component.line, component.name, "makes no event: \(refusal)")
  }
}
