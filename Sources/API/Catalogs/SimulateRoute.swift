import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Simulates some weeks of one recipient with given events, as `chimed simulate` does (rule L1).
/// Uses the loaded catalogs; a draft may replace one of them. Writes nothing.
struct SimulateRoute: Sendable {
  let work: HeavyWork
  let limits: APILimits
  let now: @Sendable () -> Instant

  private static let daysDefault = 31
  /// The longest span between the first event and `from`. The simulation includes that span.
  private static let pastMax = TimeSpan.days(400)

  /// The limit of `from`. Instants after the year 9999 cannot be written, and texts mention
  /// instants up to about a year after `from`.
  private static let startLimit = Instant(milliseconds: 253_339_228_800_000)

  var route: Route { Route(.post, "/v1/simulate", .simulate, answer: .support(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let body = try await call.body(SimulateBody.self, within: limits)
    let (name, source, planner) = (try body.name, try body.source, work.service.planner)
    guard let source else { return try await run(body, by: planner, for: call) }
    guard let name else {
      throw Problem(
        .invalidBody, "name is missing; give the name of the catalog that \"source\" replaces",
        path: "name")
    }
    let draft = try CatalogDraft(source, named: name, among: planner.catalog)
    let result = try await work.run(for: call) { service throws(ServiceUnavailable) in
      try await service.work(.trial) { draft.read() }
    }
    switch result {
    case .success(let catalog): return try await run(body, by: planner.with(catalog), for: call)
    case .failure(let errors): throw draft.problem(errors)
    }
  }

  private func run(
    _ body: ReceivedBody<SimulateBody>, by planner: Planner, for call: Call
  ) async throws -> Response {
    let (start, days) = (try body.from ?? now(), try body.days ?? Self.daysDefault)
    guard start < Self.startLimit else {
      throw Problem(.invalidBody, "from must be before \(Self.startLimit)", path: "from")
    }
    let events = try Self.events(body.events, planner)
    if let index = events.firstIndex(where: { $0.time < start - Self.pastMax }) {
      let path = "events[\(index)].time"
      throw Problem(
        .invalidBody, "\(path) must be at most 400 days before the start (from)", path: path)
    }
    let end = start + .days(days)
    let timeline = try await work.run(for: call) { service throws(ServiceUnavailable) in
      try await service.work(.trial) {
        Result { () throws(UnfinishedPlan) in
          try SimulatedTimeline(of: events, from: start, through: end, planner: planner)
        }
      }
    }
    return Response(SimulationPayload.self, try timeline.mapError(Problem.init).get())
  }

  // MARK: - The body

  private static func events(
    _ values: [JSONValue], _ planner: Planner
  ) throws(Problem) -> [Event] {
    let reader = EventReader(planner: planner)
    var events: [Event] = []
    for (index, value) in values.enumerated() {
      do {
        events.append(try reader.event(value, now: nil))
      } catch {
        let path = ["events[\(index)]", error.path].filter { !$0.isEmpty }.joined(separator: ".")
        let refusal = Refusal(error.kind, path: path, error.reason)
        throw Problem(.invalidBody, refusal.description, path: path)
      }
    }
    guard Set(events.map { Array($0.recipient.utf8) }).count <= 1 else {
      throw Problem(.invalidBody, "events must all have the same subject", path: "events")
    }
    return events
  }
}

struct SimulateBody: RequestPayload {
  static let shape = BodyShape(Self())

  let name = Member("name", optional: .catalogName, "The catalog that `source` replaces")
  let source = Member("source", optional: .catalogText, "A catalog as YAML; at most 256 KiB")
  let events = Member(
    "events", .list(.event, of: "events", atMost: 200),
    "Events of one recipient as for /v1/events, each with its time")
  let from = Member("from", optional: .instant, "The start; default: now")
  let days = Member("days", optional: .number(1...62), "The number of days; default: 31")
}

/// The simulated notifications of one recipient, sent or dropped, and the refused events.
struct SimulatedTimeline: Sendable {
  let start: Instant
  let end: Instant
  /// The state of the recipient after the last event; its zone determines the local times.
  let context: PlanningContext
  /// The notifications, sent or dropped, from `start` on.
  var entries: [TimelineEntry] = []
  /// The events that the simulation refused, each with the reason.
  var refused: [EventAnswer] = []

  init(
    of events: [Event], from start: Instant, through end: Instant, planner: Planner
  ) throws(UnfinishedPlan) {
    (self.start, self.end) = (start, end)
    var recipient = Recipient(name: events.first?.recipient ?? "", now: start)
    let arrivals = events.enumerated().map { Arrival($1, order: Int64($0)) }
    recipient.apply(arrivals, now: end, planner: planner)
    context = PlanningContext(facts: recipient.facts, planner: planner)
    var simulation = Simulation(planner: planner, events: events, until: end)
    var entries: [TimelineEntry] = []
    do {
      try simulation.run { entries += $0.filter { $0.at >= start } }
    } catch let unfinished as UnfinishedPlan {
      throw unfinished
    } catch {
      // The simulation throws no other errors, because the closure throws none.
    }
    self.entries = entries
    refused = simulation.refused.map { refused in
      EventAnswer(
        position: 0, identifier: refused.event.identifier,
        result: .refused(Problem(refused.refusal)))
    }
  }
}

struct SimulationPayload: Payload {
  typealias Value = SimulatedTimeline
  static let shape = PayloadShape(Self())

  let zone = Member("zone", .text) { $0.context.zone.name }
  let from = Member("from", .instant) { $0.start }
  let through = Member("through", .instant) { $0.end }
  let days = Members(DaysPayload.self) {
    DaysPayload.Value(context: $0.context, start: $0.start, end: $0.end)
  }
  let timeline = Member("timeline", .list(.payload(SimulatedEntryPayload.self))) { timeline in
    timeline.entries.map { Zoned($0, in: timeline.context.zone) }
  }
  let refused = Member("refused", .list(.payload(EventResultPayload.self))) { $0.refused }
}

struct SimulatedEntryPayload: Payload {
  typealias Value = Zoned<TimelineEntry>
  static let shape = PayloadShape(Self())

  let at = Member("at", .instant) { $0.content.at }
  let local = Member("local", .localTime) { $0.local($0.content.at) }
  let reminder = Member("reminder", .text) { $0.content.message.reminder }
  let category = Member("category", .text) { $0.content.message.category }
  let channel = Member("channel", .text) { $0.content.channel.name }
  let outcome = Member("outcome", .word(["delivered", "dropped"])) { $0.content.outcome.name }
  let planned = Member("planned", .instant) { $0.content.planned }
  let plannedLocal = Member("plannedLocal", .localTime) { $0.local($0.content.planned) }
  let reasons = Member("reasons", .reasons) { $0.content.trace.reasons }
  let title = Member("title", .text) { $0.content.shownMessage.title }
  let body = Member("body", .text) {
    $0.content.shownMessage.body(on: $0.content.channel, $0.content.hints)
  }
}

extension Operation {
  static let simulate = Operation(
    identifier: "simulate",
    summary: "Simulate the notifications of a recipient with given events; nothing is written",
    details: """
      Simulates one recipient for at most 62 days. The loaded catalogs apply. If `source` is \
      given, this draft replaces the catalog `name`.
      """,
    body: Body(
      Content(
        schema: .of(SimulateBody.self),
        example: [
          "from": "2026-03-02T08:00:00Z", "days": 31,
          "events": [
            [
              "specversion": "1.0", "id": "1", "source": "lab", "type": "recipient.updated",
              "subject": "persona", "time": "2026-03-02T08:00:00Z",
              "data": ["timezone": "Europe/Berlin"],
            ]
          ],
        ])),
    answers: [Answer("The timeline", .of(SimulationPayload.self))], problems: [.invalidBody])
}
