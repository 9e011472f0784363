import CivilTime
import Holidays
import JSON

/// A VEVENT or VTODO that becomes one event, or that changes one date of a series.
struct CalendarEntry {
  let component: CalendarComponent
  let times: CalendarTimes
  let mapping: CalendarMapping
  let options: CalendarImport.Options
  /// The zone of the recipient, which floating times follow.
  let zone: Zone
  /// The components that change dates of this series.
  var changes: [CalendarEntry] = []

  /// The properties that may occur once.
  private static let single = [
    "UID", "DTSTART", "DUE", "RRULE", "SUMMARY", "LOCATION", "STATUS", "RECURRENCE-ID",
  ]
  /// The properties that a component must not have, with the reasons.
  private static let refused = [
    ("EXRULE", "leaves out dates by a rule, which a plan cannot; list the dates as EXDATE"),
    ("COMPLETED", "ends the task; remove the task, and report its end by an event"),
  ]
  private static let endings = ["CANCELLED", "COMPLETED"]

  var uid: String { component.text("UID") ?? "" }
  /// The property that names the date of a series that the component changes; nil if the component
  /// changes none.
  var changedDate: ContentLine? { component.property("RECURRENCE-ID") }
  var isTask: Bool { component.name == "VTODO" }
  /// Whether the component has several dates, or changed dates.
  var isSeries: Bool {
    rule != nil || !changes.isEmpty
      || ["RDATE", "EXDATE"].contains { component.property($0) != nil }
  }
  /// Whether the event is cancelled, or the task completed.
  var isEnded: Bool { ending != nil || component.property("COMPLETED") != nil }
  private var rule: ContentLine? { component.property("RRULE") }
  private var ending: ContentLine? {
    component.property("STATUS").flatMap {
      Self.endings.contains($0.trimmedText.uppercased()) ? $0 : nil
    }
  }

  /// Returns the dates of the series that differ from its rule.
  func dates() throws(CalendarFlaw) -> CalendarDates {
    try check()
    let start = try start()
    let document = JSONValue.object(try plan(from: start))
    let plan: EntityPlan
    do throws(Refusal) {
      plan = try PlanReader(document, "data.\(mapping.plan)").plan(nil)
    } catch {
      throw flaw(error, start)
    }
    try checkFirstDose(of: plan, start)
    return CalendarDates(of: self, from: start, plan)
  }

  /// Returns the event as JSON, and checks it.
  ///
  /// - Parameters:
  ///   - dates: the dates that differ from the rule.
  ///   - reader: reads the event, with the zones and the catalog.
  func event(
    _ dates: CalendarDates, _ reader: EventReader, now: Instant
  ) throws(CalendarFlaw) -> (event: Event, document: JSONValue) {
    let start = try start()
    var data: JSONObject = [
      mapping.identifier: .string(identifier),
      mapping.plan: .object(try plan(from: start, with: dates)),
    ]
    for (field, property) in mapping.texts {
      data[field.name] = try text(property, isRequired: field.isRequired)
    }
    let document: JSONValue = .object([
      "specversion": "1.0", "id": .string(eventIdentifier(data)),
      "source": .string(CalendarImport.source), "type": .string(mapping.schema.type),
      "subject": .string(options.recipient.name), "data": .object(data),
    ])
    do {
      return (try reader.event(document, now: now), document)
    } catch {
      throw flaw(error, start, hasExceptions: !dates.exceptions.isEmpty)
    }
  }

  /// The parts of the alarms that the event does not express.
  ///
  /// - Parameter isSeries: whether the alarms ring on several dates.
  func alarmParts(isSeries: Bool) -> (flaws: [CalendarFlaw], ignored: [CalendarFlaw]) {
    CalendarAlarms(
      isDue: isTask && component.property("DUE") != nil, start: try? start(), zone: zone,
      isSeries: isSeries, areIgnored: options.ignoresAlarms
    ).parts(of: component)
  }

  private func check() throws(CalendarFlaw) {
    for (name, reason) in Self.refused {
      if let line = component.property(name) { throw CalendarFlaw(line, reason) }
    }
    if let status = ending {
      throw CalendarFlaw(
        status,
        "is \(status.trimmedText); remove the component, and report its end by an event")
    }
    try checkRepeatedProperties()
    try checkPrivacy()
  }

  private func checkRepeatedProperties() throws(CalendarFlaw) {
    for name in Self.single {
      if let second = component.properties.filter({ $0.name == name }).dropFirst().first {
        throw CalendarFlaw(second, "is given twice; remove one")
      }
    }
  }

  /// Refuses a component that changes more than the time of one date of a series.
  func checkChange(of series: CalendarEntry) throws(CalendarFlaw) {
    if let line = changedDate, line.parameter("RANGE") != nil {
      throw CalendarFlaw(
        line,
        "changes all later dates too (RANGE), which a plan cannot; end the series before the date, "
          + "and add another series")
    }
    try checkRepeatedProperties()
    for name in ["RRULE", "RDATE", "EXDATE", "EXRULE"] {
      if let line = component.property(name) {
        throw CalendarFlaw(line, "repeats a changed date, which a plan cannot; remove the line")
      }
    }
    guard !isEnded else { return }
    try checkPrivacy()
    for (field, property) in mapping.texts {
      guard let line = component.property(property),
        try text(property, isRequired: field.isRequired)
          != series.text(property, isRequired: field.isRequired)
      else { continue }
      throw CalendarFlaw(
        line,
        "differs from that of the series, and a plan has one for all dates; remove the line, or "
          + "make the date a separate event")
    }
  }

  /// Refuses a component that is not public if messages to other people contain its texts. RFC 5545
  /// requires that unknown classes are treated as private.
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

  /// The UID. If the UID is no valid identifier, for example because it is too long, it is replaced
  /// by its hash.
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

  /// Returns the plan without changes of single dates.
  private func plan(from start: CalendarStart) throws(CalendarFlaw) -> JSONObject {
    var plan: JSONObject = [
      "times": .array([.string("\(start.clock)")]),
      "from": .string("\(start.time.date)T\(start.clock)"),
    ]
    if let zone = start.time.zone { plan["zone"] = .string(zone.name) }
    if let rule {
      plan["rule"] = .string(try CalendarRule(rule).text(start.time, at: start.clock))
    } else if isSeries {
      plan["until"] = .string("\(start.time.date)")
    } else {
      plan["count"] = 1
    }
    return plan
  }

  private func plan(
    from start: CalendarStart, with dates: CalendarDates
  ) throws(CalendarFlaw) -> JSONObject {
    var plan = try plan(from: start)
    if !dates.exceptions.isEmpty {
      plan["except"] = .array(dates.exceptions.sorted().map { .string("\($0)") })
    }
    if !dates.additions.isEmpty {
      plan["also"] = .array(
        dates.additions.sorted().map { dose in
          let time = LocalTime(minuteOfDay: dose.minute) ?? .midnight
          return .string("\(dose.date)T\(time)")
        })
    }
    return plan
  }

  /// Refuses a rule that does not select its start, because calendars disagree about its dates.
  private func checkFirstDose(of plan: EntityPlan, _ start: CalendarStart) throws(CalendarFlaw) {
    if let rule, plan.dose(1) != start.dose {
      throw CalendarFlaw(
        rule,
        "does not select \(start.time.date), the date of \(start.line.name); begin the series "
          + "on one of its dates")
    }
  }

  /// Returns the flaw of the property that causes the refusal of the event.
  private func flaw(
    _ refusal: Refusal, _ start: CalendarStart, hasExceptions: Bool = false
  ) -> CalendarFlaw {
    let plan = "data.\(mapping.plan)"
    if hasExceptions, refusal.path == plan {
      return CalendarFlaw(
        component.line, component.name, "has no date that is not left out; remove the component")
    }
    if let rule, refusal.path == plan || refusal.path == plan + ".rule" {
      return CalendarFlaw(rule, refusal.reason)
    }
    if refusal.path.hasPrefix(plan) { return CalendarFlaw(start.line, refusal.reason) }
    return CalendarFlaw(component.line, component.name, "makes no event: \(refusal)")
  }
}
