import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Store

/// What is old enough to be removed, before it is (rule H7).
struct RetentionRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/retention", .retention, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    let question = PruningQuestion(
      try Self.part(call.parameters["part"]),
      after: try PageBounds.number(after: call.parameters["after"]))
    do {
      let forecast = try await service.prunable(question)
      return Response(json: forecast.write)
    } catch {
      throw Problem(error)
    }
  }

  private static func part(_ text: String?) throws(Problem) -> KeptPart {
    if let part = text.flatMap(KeptPart.init) { return part }
    let known = KeptPart.allCases.map(\.rawValue).joined(separator: ", ")
    throw Problem(.invalidParameter, "part must be one of \(known)", path: "part")
  }
}

extension PruningForecast {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("part", part.rawValue)
    writer.member("kept", kept.map { .string($0.iso8601) } ?? .null)
    writer.member("count", found.count)
    writer.member("oldest", found.oldest.map { .string($0.description) } ?? .null)
    writer.member("next", found.place.map { .string("\($0)") } ?? .null)
    writer.endObject()
  }
}
