package import CivilTime

/// How long a category waits for a receipt, and the channel that follows without one (rule D13).
package struct Confirmation: Hashable, Sendable {
  package var within: TimeSpan
  package var channel: Channel

  package init(within: TimeSpan, channel: Channel) {
    self.within = within
    self.channel = channel
  }
}

extension Catalog {
  /// Whether any category waits for receipts.
  package var hasConfirmations: Bool { categories.contains { $0.confirmation != nil } }

  /// Returns how long a category waits for a receipt; nil if it does not wait.
  package func confirmation(of category: String) -> Confirmation? {
    categories.first { $0.name == category }?.confirmation
  }
}
