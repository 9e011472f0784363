import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders
import Store

/// Lists, counts, resends and discards dead letters (rule D9), one by one or by filter.
struct DeadLetterRoutes: Sendable {
  let service: any ReminderService
  let forwarding: RequestForwarding?

  var routes: [Route] {
    [
      Route(.get, "/v1/deadletters", .deadLetters, answer: .support(list)),
      Route(.get, "/v1/deadletter-groups", .deadLetterGroups, answer: .support(count)),
      Route(
        .delete, "/v1/deadletters", .discardDeadLetters,
        answer: .support { try await writePage(.discard, $0) }),
      Route(
        .post, "/v1/deadletter-resends", .resendDeadLetters,
        answer: .support { try await writePage(.resend, $0) }),
      Route(
        .post, "/v1/deadletters/{letter}/resend", .resendDeadLetter,
        answer: .support { try await writeOne(.resend, $0) }),
      Route(
        .delete, "/v1/deadletters/{letter}", .discardDeadLetter,
        answer: .support { try await writeOne(.discard, $0) }),
    ]
  }

  private func list(_ call: Call) async throws -> Response {
    let page = try await service.result(of: Self.query(call))
    return Response(DeadLetterPagePayload.self, page)
  }

  private func count(_ call: Call) async throws -> Response {
    let grouping: DeadLetterGrouping = try call.enumValue("by") ?? .reason
    let groups = try await service.result(
      of: DeadLetterGroupsQuery(grouping, Self.filter(call)))
    return Response(DeadLetterGroupsPayload.self, groups)
  }

  private func writePage(
    _ action: DeadLetterWrite.Action, _ call: Call
  ) async throws -> Response {
    let query = try Self.query(call)
    guard !query.filter.matchesAll else {
      throw Problem(
        .invalidParameter,
        "at least one of sink, recipient, category and reason is required; "
          + "nothing was changed",
        path: "sink")
    }
    if let recipient = query.filter.recipient,
      let response = try await forwarding?.response(
        to: call, of: .resendDeadLetters, about: recipient)
    {
      return response
    }
    let receipt = try await carryOut(DeadLetterWrite(action, .page(query)))
    return Response(
      DeadLetterReceiptPayload.self, receipt ?? DeadLetterReceipt(outcomes: [], next: nil))
  }

  private func writeOne(
    _ action: DeadLetterWrite.Action, _ call: Call
  ) async throws -> Response {
    let letter = call.segments[0]
    if let forwarding, let recipient = try await recipient(of: letter),
      let response = try await forwarding.response(
        to: call, of: .resendDeadLetter, about: recipient)
    {
      return response
    }
    guard let receipt = try await carryOut(DeadLetterWrite(action, .one(letter))) else {
      throw Problem(
        .unknownDeadLetter,
        "there is no dead letter \"\(letter.shortened)\"; GET /v1/deadletters lists them, each "
          + "with its id")
    }
    return Response(DeadLetterReceiptPayload.self, receipt)
  }

  /// Returns the recipient of a dead letter; nil if there is no such dead letter.
  private func recipient(of letter: String) async throws(Problem) -> String? {
    try await service.result(of: DeadLetterQuery(letter))?.delivery.recipient
  }

  private func carryOut(
    _ write: DeadLetterWrite
  ) async throws(Problem) -> DeadLetterReceipt? {
    do {
      return try await service.write(write)
    } catch {
      throw Problem(error)
    }
  }

  private static func query(_ call: Call) throws(Problem) -> DeadLettersQuery {
    DeadLettersQuery(
      filter(call), after: try validatedCursor(call.parameters["after"]),
      limit: try call.limit())
  }

  private static func filter(_ call: Call) -> DeadLetterFilter {
    let parameters = call.parameters
    return DeadLetterFilter(
      sink: parameters["sink"], recipient: parameters["recipient"],
      category: parameters["category"], reason: parameters["reason"])
  }

  /// Validates a cursor, which is the id of a dead letter; returns nil if there is no cursor.
  private static func validatedCursor(_ text: String?) throws(Problem) -> String? {
    guard let text else { return nil }
    guard DeadLetterID(text) != nil else {
      throw Problem(
        .invalidParameter,
        "after must be the \"next\" of the previous page; it is \"\(text.shortened)\"",
        path: "after")
    }
    return text
  }
}
