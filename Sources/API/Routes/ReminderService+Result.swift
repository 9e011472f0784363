import Engine
import Reminders

extension ReminderService {
  /// Returns the answer to a query.
  ///
  /// - Throws: the problem that callers receive while the service cannot answer.
  func result<Query: EngineQuery>(of query: Query) async throws(Problem) -> Query.Value {
    do {
      return try await answer(query)
    } catch {
      throw Problem(error)
    }
  }

  /// Returns the recipient, or throws if it is unknown.
  func recipient(named name: String) async throws(Problem) -> Recipient {
    if let recipient = try await result(of: RecipientQuery(name)) { return recipient }
    throw Problem.unknown(recipient: name)
  }
}

extension Problem {
  static func unknown(recipient name: String) -> Problem {
    Problem(
      .unknownRecipient,
      "the recipient \"\(name.shortened)\" is unknown; "
        + "an event about them, such as recipient.updated, creates them")
  }
}
