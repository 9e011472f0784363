import Access
import CivilTime
import Cryptography
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders

/// Accepts an iCalendar file as events of one recipient, all or none (rules E13, E14).
struct CalendarImportRoute: Sendable {
  let intake: EventIntake
  let limits: APILimits
  let audit: (any AuditLog)?
  let refusals: RefusalCounts
  let eventLimiter: EventLimiter
  let work: HeavyWork
  let now: @Sendable () -> Instant

  static let path = "/v1/imports/icalendar"
  private static let mediaType = "text/calendar"
  /// The media types of the body. Common client generators do not support `text/calendar`.
  private static let mediaTypes = [mediaType, "application/octet-stream"]

  var route: Route { Route(.post, Self.path, .importCalendar, answer: .caller(answer)) }

  /// The events of a file, checked but not submitted.
  private struct PreparedImport {
    let content: CalendarImport
    /// How each event differs from the recipient's facts.
    let comparisons: [CalendarComparison]
    /// The new and changed events.
    let group: EventGroup
  }

  private func answer(_ call: Call, _ caller: Caller) async throws -> Response {
    let prepared: PreparedImport
    do {
      prepared = try await prepare(call, caller)
    } catch let problem as Problem {
      refusals.count(problem, of: nil)
      throw problem
    }
    var value = CalendarImportPayload.Value(
      content: prepared.content, comparisons: prepared.comparisons)
    if !prepared.comparisons.contains(where: \.isReported) { call.audit.omit() }
    if !call.isDryRun {
      let answers = try await eventLimiter.submit(
        prepared.group, to: intake, for: caller, from: call.scope.origin)
      // All events have one owner, so a fault of the service concerns all of them.
      for case .refused(let problem) in answers.map(\.result) where problem.isServiceFault {
        throw problem
      }
      value.answers = answers
    }
    return Response(
      WholeResponse(
        CalendarImportPayload.self, value,
        status: value.counts.refused == 0 ? .ok : EventRoute.multiStatus))
  }

  /// Reads the file, and compares its events with the recipient's facts.
  private func prepare(_ call: Call, _ caller: Caller) async throws -> PreparedImport {
    let reporter = try EventReporter(caller, audit: audit)
    let (planner, now) = (intake.service.planner, now())
    let name = try caller.recipient(named: call.parameters["recipient"], isReport: true)
    try Self.checkType(call.request.headers)
    _ = try call.isSet("dryRun")
    let mapping = try Self.mapping(call, planner.catalog)
    let (allDay, ignoresAlarms) = (try Self.allDay(call), try call.isSet("ignoreAlarms"))
    let body = Array(try await call.body(within: limits).readableBytesView)
    let recipient =
      try await intake.service.result(of: RecipientQuery(name)) ?? Recipient(name: name, now: now)
    let options = CalendarImport.Options(
      recipient: recipient, allDay: allDay, ignoresAlarms: ignoresAlarms, digest: SHA256.digest)
    let reader = EventReader(planner: planner, namespace: caller.scope.sourceNamespace)
    let content = try await work.run(for: call) { service throws(ServiceUnavailable) in
      try await service.work(.trial) {
        CalendarImport(body, mapping, options, reader: reader, now: now)
      }
    }
    if let problem = Problem(content.flaws) { throw problem }
    let group = EventGroup(
      planner: planner, reporter: reporter, now: now, refusals: refusals,
      mayBeForwarded: intake.forwarding != nil)
    // The caller must have the right to report all events, including the known ones.
    if let problem = group.adding(content.entries).firstProblem { throw problem }
    let comparisons = try Self.comparisons(of: content, with: recipient, planner, now)
    let reported = zip(content.entries, comparisons).filter { $1.isReported }.map(\.0)
    return PreparedImport(content: content, comparisons: comparisons, group: group.adding(reported))
  }

  /// Compares the events with the recipient's facts. Throws a refusal of the whole import if the
  /// recipient would have too many entities with the events to report (rule H12).
  private static func comparisons(
    of content: CalendarImport, with recipient: Recipient, _ planner: Planner, _ now: Instant
  ) throws(Problem) -> [CalendarComparison] {
    let result: Result<[CalendarComparison], UnfinishedPlan>
    do throws(Refusal) {
      result = try recipient.answer { recipient throws(Refusal) in
        let comparisons = content.comparisons(with: recipient, now: now, planner: planner)
        var collected = Intake()
        for (entry, comparison) in zip(content.entries, comparisons) where comparison.isReported {
          do throws(Refusal) {
            try collected.check(entry.event, of: recipient, now: now, planner: planner)
          } catch {
            throw error.inFile(at: entry)
          }
          let arrival = Arrival(entry.event, order: Int64(entry.line))
          collected.add(arrival, of: recipient, now: now, planner: planner)
        }
        return comparisons
      }
    } catch {
      let problem = Problem(error)
      throw Problem(problem.kind, problem.detail + "; nothing was imported", path: problem.path)
    }
    return try result.mapError(Problem.init).get()
  }

  // MARK: - The request

  private static func checkType(_ headers: HTTPFields) throws(Problem) {
    let type = headers[.contentType]?.lowercased().prefix { $0 != ";" && $0 != " " }
    guard let type, mediaTypes.contains(String(type)),
      ["identity", nil].contains(headers[.contentEncoding]?.lowercased())
    else {
      throw Problem(
        .unsupportedMediaType, "send the calendar as \(mediaType) in UTF-8, without compression",
        headers: [.acceptPost: mediaTypes.joined(separator: ", ")])
    }
  }

  /// Returns the mapping from components to events of the type that the request names.
  private static func mapping(
    _ call: Call, _ catalog: Catalog
  ) throws(Problem) -> CalendarMapping {
    guard let type = call.parameters["as"] else {
      throw Problem(
        .invalidParameter, "as is missing; add as=EVENT, a type of event with a plan", path: "as")
    }
    do {
      return try CalendarMapping(type: type, in: catalog)
    } catch {
      throw Problem(.invalidParameter, error.description, path: "as")
    }
  }

  /// Returns the local time for the calendar's whole days; nil if the request gives none.
  private static func allDay(_ call: Call) throws(Problem) -> LocalTime? {
    guard let text = call.parameters["allDay"] else { return nil }
    if let time = LocalTime(text) { return time }
    throw Problem(
      .invalidParameter,
      "allDay must be a time such as 08:00; it is \"\(text.shortened)\"", path: "allDay")
  }
}

extension EventGroup {
  /// Returns the group with the events of components.
  fileprivate func adding(_ entries: [CalendarImport.Entry]) -> EventGroup {
    var group = self
    for (index, entry) in entries.enumerated() {
      group.add(entry.event, entry.document, at: index)
    }
    return group
  }
}

extension Refusal {
  /// Returns the refusal with the component of the file instead of the recipient, which the caller
  /// has named.
  fileprivate func inFile(at entry: CalendarImport.Entry) -> Refusal {
    guard path == "subject" else { return self }
    return Refusal(
      kind, path: "line \(entry.line)",
      "has \"\(entry.uid.shortened)\", one too many: the recipient \(reason)")
  }
}

extension Fault {
  /// The maximum number of flaws in an answer.
  private static let flawsMax = 100

  /// Returns the first 100 flaws, and the number of the others, such as "3 more parts are faulty".
  ///
  /// - Parameter words: the words after the number of the others.
  static func list(_ flaws: [CalendarFlaw], _ words: String) -> [Fault] {
    let others = flaws.count - flawsMax
    return flaws.prefix(flawsMax).map { Fault($0) }
      + (others > 0 ? [Fault(message: "\(others) more \(words)")] : [])
  }
}

extension Problem {
  /// The refusal of a calendar with flaws; nil if it has none.
  fileprivate init?(_ flaws: [CalendarFlaw]) {
    guard let first = flaws.first else { return nil }
    let others = flaws.count - 1
    self.init(
      .invalidBody,
      "\(first)"
        + (others == 0 ? "" : "; \(others) more \(others == 1 ? "part is" : "parts are") faulty")
        + "; nothing was imported",
      faults: Fault.list(flaws, "parts are faulty"))
  }
}

extension Operation {
  static let importCalendar = Operation(
    identifier: "importCalendar", summary: "Import an iCalendar file as events of one recipient",
    details: """
      Each VEVENT and VTODO of the file becomes an event of the type `as`, which has an identifier \
      and one field with a plan. EXDATE, RDATE and components with a RECURRENCE-ID change single \
      dates of the plan. The answer lists the events. If any part of the file cannot be expressed \
      by a plan, nothing is imported, and `problems` lists each such part with its line.

      `comparison` says how a component differs from the recipient's plans. Only new and changed \
      ones are reported, so the same file again changes nothing. A changed component replaces the \
      plan with its UID. An ended plan stays ended until its component begins on another date from \
      today. A component without a time to come is past.

      A calendar has at most 1 MiB, 256 events and tasks, and 2000 components of all kinds. The \
      same tokens may import as may send the events.
      """,
    parameters: [
      eventType,
      .recipient,
      .query("allDay", .text, "The local time of whole days, such as 08:00"),
      .query(
        "ignoreAlarms", .boolean,
        "Whether alarms are ignored; otherwise one at another time than its event's is a fault"),
      .query("dryRun", .boolean, "Whether the file is only checked; default: false"),
    ],
    body: Body(
      Content(type: "text/calendar", schema: .text.described("An iCalendar file (RFC 5545)")),
      Content(type: "application/octet-stream", schema: .bytes)),
    answers: [
      Answer("The events, with their results", .of(CalendarImportPayload.self)),
      Answer(
        status: EventRoute.multiStatus,
        "Some events were refused, because another request used up the recipient's limit",
        .of(CalendarImportPayload.self)),
    ],
    problems: [
      .invalidBody, .unacceptableEvent, .foreignEvent, .tooMuchWaiting, .unsupportedMediaType,
    ])
  private static var eventType: Parameter {
    var parameter = Parameter.query(
      "as", .text, "The type of the events, such as medication.planned")
    parameter.isRequired = true
    return parameter
  }
}
