import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// What another text for a catalog changes of what people are told in their next days. Nothing of
/// it is in force.
struct CatalogTrialRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits

  private static let daysMax: Int64 = 14
  private static let daysUsual: Int64 = 7

  var route: Route {
    Route(.post, "/v1/catalog-trials", .catalogTrial, answer: .support(answer))
  }

  private func answer(_ call: Call) async throws -> Response {
    let body = try JSONObject(
      await call.body(within: limits), within: limits, known: ["name", "source", "days"])
    let (days, planner) = (try Self.days(body["days"]), service.planner)
    let draft = try CatalogDraft(body, among: planner.catalog)
    let (catalog, trial): (Result<Catalog, CatalogErrors>, CatalogTrial?)
    do {
      catalog = try await service.work { draft.read() }
      let other = try? catalog.get()
      trial =
        if let other { try await service.trial(of: planner.with(other), days: days) } else { nil }
    } catch {
      throw Problem(error)
    }
    if case .failure(let errors) = catalog {
      throw Problem(
        .invalidBody,
        "the catalog is not sound: \(draft.problems(errors).first?.message ?? "")", path: "source")
    }
    guard let trial else { throw Problem(.unexpected, "the trial did not come about; try again") }
    return Response(TrialPayload.self, trial)
  }

  private static func days(_ value: JSONValue?) throws(Problem) -> Int {
    guard let value, !value.isNull else { return Int(daysUsual) }
    if let days = value.integerValue, (1...daysMax).contains(days) { return Int(days) }
    throw Problem(.invalidBody, "must be a number from 1 to \(daysMax)", path: "days")
  }
}

struct TrialPayload: Payload {
  typealias Value = CatalogTrial
  static let shape = PayloadShape(Self())

  let now = Member("now", .instant) { $0.now }
  let through = Member("through", .instant) { $0.end }
  let people = Member("people", .count) { $0.people }
  let asked = Member("asked", .count) { $0.asked }
  let exact = Member("exact", .boolean) { $0.asked == $0.people }
  let changed = Member("changed", .count, "Of those asked, for how many anything changes") {
    $0.changed
  }
  let changes = Member("changes", .list(.payload(TrialChangePayload.self))) { trial in
    trial.counts.map(TrialChangePayload.Value.init).sorted { $0.rank < $1.rank }
  }
}

struct TrialChangePayload: Payload {
  struct Value {
    let change: CatalogTrial.Change
    let count: CatalogTrial.Count

    /// What is about the most people comes first.
    fileprivate var rank: (Int, String, String) {
      (-count.people, change.reminder, change.kind.rawValue)
    }
  }

  static let shape = PayloadShape(Self())

  let reminder = Member("reminder", .text) { $0.change.reminder }
  let change = Member("change", .word) { $0.change.kind }
  let notifications = Member("notifications", .count) { $0.count.notifications }
  let people = Member("people", .count) { $0.count.people }
  let examples = Member("examples", .list(.recipient), "Some of them") { $0.count.examples }
}

extension Operation {
  static let catalogTrial = Operation(
    identifier: "catalogTrial",
    summary: "What another text for a catalog would change for people now; nothing is changed",
    details: """
      Each person's next days are lived ahead by what is in force and by the text in its place, as \
      they would be if nothing else were reported, and compared. Of many people a sample is looked \
      at, evenly spread: people and asked say how many, exact whether it was everybody. A \
      notification counts once for each of its ways out.
      """,
    body: Body(
      Content(
        schema: .object(
          catalogText + [.optional("days", .integer(1...14).described("7 unless given"))]),
        example: ["name": "imanpath", "source": "catalog: imanpath\n", "days": 7])),
    answers: [
      Answer(
        "The changes, by how many of those who were looked at they are about",
        .of(TrialPayload.self))
    ],
    problems: [.invalidBody])
}
