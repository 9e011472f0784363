import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Reports how a draft of a catalog would change recipients' notifications in the next days. The
/// draft is not loaded.
struct CatalogTrialRoute: Sendable {
  let work: HeavyWork
  let limits: APILimits

  private static let daysDefault = 7

  var route: Route {
    Route(.post, "/v1/catalog-trials", .catalogTrial, answer: .support(answer))
  }

  private func answer(_ call: Call) async throws -> Response {
    let body = try await call.body(TrialBody.self, within: limits)
    let (days, planner) = (try body.days ?? Self.daysDefault, work.service.planner)
    let draft = try CatalogDraft(body.source, named: body.name, among: planner.catalog)
    let trial = try await work.run(for: call) {
      service throws(ServiceUnavailable) -> Result<CatalogTrial, CatalogErrors> in
      switch try await service.work(.trial, { draft.read() }) {
      case .success(let catalog):
        .success(
          try await service.answer(CatalogTrialQuery(of: planner.with(catalog), days: days)))
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

  let name = Member("name", .catalogName, "The catalog to replace; a new name adds a catalog")
  let source = Member("source", .catalogText, "YAML; at most 256 KiB")
  let days = Member("days", optional: .number(1...14), "Default: 7")
}

struct TrialPayload: Payload {
  typealias Value = CatalogTrial
  static let shape = PayloadShape(Self())

  let now = Member("now", .instant) { $0.now }
  let through = Member("through", .instant) { $0.end }
  let people = Member("people", .count) { $0.people }
  let asked = Member("asked", .count) { $0.simulatedCount }
  let exact = Member("exact", .boolean) { $0.simulatedCount == $0.people }
  let changed = Member("changed", .count, "The number of examined recipients with any change") {
    $0.changedCount
  }
  let changes = Member("changes", .list(.payload(TrialChangePayload.self))) { trial in
    trial.counts.map(TrialChangePayload.Value.init).sorted { $0.rank < $1.rank }
  }
}

struct TrialChangePayload: Payload {
  struct Value {
    let change: CatalogTrial.Change
    let count: CatalogTrial.Count

    /// The sort key: changes that affect the most recipients come first.
    fileprivate var rank: (Int, String, String) {
      (-count.people, change.reminder, change.kind.rawValue)
    }
  }

  static let shape = PayloadShape(Self())

  let reminder = Member("reminder", .text) { $0.change.reminder }
  let change = Member("change", .word) { $0.change.kind }
  let notifications = Member("notifications", .count) { $0.count.notifications }
  let people = Member("people", .count) { $0.count.people }
  let examples = Member("examples", .list(.recipient), "Some of the affected recipients") {
    $0.count.examples
  }
}

extension Operation {
  static let catalogTrial = Operation(
    identifier: "catalogTrial",
    summary: "Report what a draft of a catalog would change for recipients; nothing is changed",
    details: """
      Simulates each recipient's next days with the loaded catalogs and with the draft, and \
      compares them. The simulation assumes that no events arrive. If there are many recipients, \
      only an even sample is examined: people is the number of recipients, asked is the size of \
      the sample, and exact is true if all were examined. A notification counts once for each \
      channel group.
      """,
    body: Body(
      Content(
        schema: .of(TrialBody.self),
        example: ["name": "imanpath", "source": "catalog: imanpath\n", "days": 7])),
    answers: [
      Answer(
        "The changes, by the number of examined recipients that they affect",
        .of(TrialPayload.self))
    ],
    problems: [.invalidBody])
}
