package import Reminders

/// The stored events of a recipient up to an instant.
package struct EventHistory: Sendable {
  /// The events in the order of arrival.
  package var events: [StoredEvent]
  /// Whether these are all events that have arrived until then. Otherwise the store has removed
  /// earlier ones by age (rule H7).
  package var isComplete: Bool

  package init(_ events: [StoredEvent], isComplete: Bool) {
    (self.events, self.isComplete) = (events, isComplete)
  }
}
