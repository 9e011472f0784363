import Engine
import Reminders

extension ReminderService {
  /// The recipient, or the problem that there is none.
  func known(_ name: String) async throws(Problem) -> Recipient {
    let found: Recipient?
    do {
      found = try await recipient(name)
    } catch {
      throw Problem(error)
    }
    if let found { return found }
    throw Problem.unknown(recipient: name)
  }
}

extension Problem {
  static func unknown(recipient name: String) -> Problem {
    Problem(
      .unknownRecipient,
      "nothing is known of the recipient \"\(name.shortened)\"; "
        + "an event about them, such as recipient.updated, makes them known")
  }
}
