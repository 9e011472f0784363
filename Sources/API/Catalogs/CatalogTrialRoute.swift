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
    return Response { writer in trial?.write(to: &writer) }
  }

  private static func days(_ value: JSONValue?) throws(Problem) -> Int {
    guard let value, !value.isNull else { return Int(daysUsual) }
    if let days = value.integerValue, (1...daysMax).contains(days) { return Int(days) }
    throw Problem(.invalidBody, "must be a number from 1 to \(daysMax)", path: "days")
  }
}

extension CatalogTrial {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("now", now.description)
    writer.member("through", end.description)
    writer.member("people", people)
    writer.member("asked", asked)
    writer.member("exact", asked == people)
    writer.member("changed", changed)
    writer.key(constant: "changes")
    writer.beginArray()
    let sorted = counts.sorted { one, other in
      (other.value.people, one.key.reminder, one.key.kind.rawValue)
        < (one.value.people, other.key.reminder, other.key.kind.rawValue)
    }
    for (change, count) in sorted {
      writer.beginObject()
      writer.member("reminder", change.reminder)
      writer.member("change", change.kind.rawValue)
      writer.member("notifications", count.notifications)
      writer.member("people", count.people)
      writer.member("examples", .array(count.examples.map { .string($0) }))
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
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
        .object(
          .init("now", .instant), .init("through", .instant), .init("people", .count),
          .init("asked", .count), .init("exact", .boolean),
          .init("changed", .count.described("Of those asked, for how many anything changes")),
          .init("changes", .list(change))))
    ],
    problems: [.invalidBody])

  private static let change = Schema.object(
    .init("reminder", .text),
    .init("change", .word(CatalogTrial.Kind.allCases.map(\.rawValue))),
    .init("notifications", .count), .init("people", .count),
    .init("examples", Schema.list(.recipient).described("Some of them")))
}
