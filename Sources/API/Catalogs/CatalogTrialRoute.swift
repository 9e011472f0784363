import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// What another text for a catalog changes of what people are told in their next days. Nothing of
/// it is in force.
struct CatalogTrialRoute: Sendable {
  let work: HeavyWork
  let limits: APILimits

  private static let daysUsual = 7

  var route: Route {
    Route(.post, "/v1/catalog-trials", .catalogTrial, answer: .support(answer))
  }

  private func answer(_ call: Call) async throws -> Response {
    let body = try await call.body(TrialBody.self, within: limits)
    let (days, planner) = (try body.days ?? Self.daysUsual, work.service.planner)
    let draft = try CatalogDraft(body.source, named: body.name, among: planner.catalog)
    let trial = try await work.share(of: call) {
      service throws(ServiceUnavailable) -> Result<CatalogTrial, CatalogErrors> in
      switch try await service.heavyWork({ draft.read() }) {
      case .success(let catalog):
        .success(try await service.trial(of: planner.with(catalog), days: days))
      case .failure(let errors): .failure(errors)
      }
    }
    switch trial {
    case .success(let trial): return Response(TrialPayload.self, trial)
    case .failure(let errors): throw draft.problem(errors)
    }
  }
}

struct TrialBody: RequestPayload {
  static let shape = BodyShape(Self())

  let name = Member("name", .catalogName, "In whose place it is; a further one if there is none")
  let source = Member("source", .catalogText, "YAML; at most 256 KiB")
  let days = Member("days", optional: .number(1...14), "7 unless given")
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
        schema: .of(TrialBody.self),
        example: ["name": "imanpath", "source": "catalog: imanpath\n", "days": 7])),
    answers: [
      Answer(
        "The changes, by how many of those who were looked at they are about",
        .of(TrialPayload.self))
    ],
    problems: [.invalidBody])
}
