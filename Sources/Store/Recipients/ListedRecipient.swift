package import CivilTime

/// A recipient in a list.
package struct ListedRecipient: Hashable, Sendable {
  package var name: String
  /// How much is pending for them.
  package var pending: Int
  /// When something is due next.
  package var due: Instant?

  package init(name: String, pending: Int = 0, due: Instant? = nil) {
    self.name = name
    self.pending = pending
    self.due = due
  }
}
