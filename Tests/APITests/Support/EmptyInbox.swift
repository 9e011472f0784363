import Engine

/// A service by which nobody was ever told anything.
protocol EmptyInbox: ReminderService {}

extension EmptyInbox {
  func inbox(
    of recipient: String, offset: Int, limit: Int
  ) async throws(ServiceUnavailable) -> InboxPage {
    InboxPage()
  }

  func told(
    of recipient: String, _ question: ToldQuestion
  ) async throws(ServiceUnavailable) -> Told? {
    nil
  }

  func write(
    _ write: InboxWrite, of recipient: String
  ) async throws(ServiceUnavailable) -> InboxReceipt? {
    nil
  }
}
