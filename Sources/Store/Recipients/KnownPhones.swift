package import Reminders

extension StoreReader {
  /// Returns the recipients with a telephone number, in the order of their rows.
  ///
  /// - Parameter limit: the maximum number of recipients to examine. Few people share a number.
  package func recipients(
    with number: PhoneNumber, limit: Int = 100
  ) throws -> [StoredRecipient] {
    try recipients(rows: try rows(of: number, limit: limit)[...])
      .filter { $0.recipient.facts.phone == number }
  }
}

extension Event {
  /// Whether the event can change the recipient's telephone number.
  package var mayChangePhone: Bool {
    guard case .profile(let changes) = content else { return false }
    return changes.contains { $0.field == .phone }
  }
}
