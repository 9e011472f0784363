package import CivilTime

/// A category's wait for a receipt (rule D13).
package struct Confirmation: Hashable, Sendable {
  /// The maximum time from the acceptance of a delivery by the sink's service to its receipt.
  package var within: TimeSpan
  /// The channel on which the notification is sent if no receipt arrives.
  package var channel: Channel

  package init(within: TimeSpan, channel: Channel) {
    self.within = within
    self.channel = channel
  }
}

extension Catalog {
  /// Whether any category waits for receipts.
  package var hasConfirmations: Bool { categories.contains { $0.confirmation != nil } }

  /// Returns the wait of a category; nil if it does not wait for receipts.
  package func confirmation(of category: String) -> Confirmation? {
    categories.first { $0.name == category }?.confirmation
  }
}
