import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// What will come for one recipient (rule L2), worked out from a copy of the recipient by the
/// functions that fire.
struct AheadRoute: Sendable {
  let service: any ReminderService
  let now: @Sendable () -> Instant

  private static let daysMax = 366
  private static let usualDays = 7

  var route: Route {
    Route(.get, "/v1/recipients/{recipient}/ahead", .ahead, answer: .recipient(ahead))
  }

  private func ahead(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.known(name)
    let days = try Self.days(call.parameters["days"])
    let (planner, now) = (service.planner, now())
    let situation = Situation(facts: recipient.facts, planner: planner)
    let end = now + .days(days)
    let firings = recipient.ahead(from: now, through: end, planner: planner)
    return Response { writer in
      writer.beginObject()
      writer.member("recipient", recipient.name)
      writer.member("zone", situation.zone.name)
      writer.member("now", now.description)
      writer.member("through", end.description)
      writer.key(constant: "timeline")
      writer.beginArray()
      for firing in firings { firing.write(in: situation, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
  }

  private static func days(_ text: String?) throws(Problem) -> Int {
    guard let text else { return usualDays }
    if let days = Int(text), (1...daysMax).contains(days) { return days }
    throw Problem(
      .invalidParameter,
      "days must be a number from 1 to \(daysMax); it is \"\(text.shortened)\"", path: "days")
  }
}
