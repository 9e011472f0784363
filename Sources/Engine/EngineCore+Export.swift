package import Reminders
import Store

/// A part of everything that is held of a recipient (rule H4): read one by one, so that nobody
/// waits for a long life.
package struct ExportPage: Sendable {
  /// Where a page begins.
  package enum Place: Sendable {
    /// The latest event, and then those before an event.
    case events(from: Int64?)
    case notifications(after: Int64)
  }

  package var events: [PastEvent] = []
  package var notifications: [KeptNotification] = []
  /// Where the next page begins; nil after the last one.
  package var next: Place?

  package init(
    events: [PastEvent] = [], notifications: [KeptNotification] = [], next: Place? = nil
  ) {
    self.events = events
    self.notifications = notifications
    self.next = next
  }
}

extension Questions {
  /// How many items a page has.
  private static let exportLimit = 500

  /// Nil for a recipient of whom nothing is known.
  func export(_ name: String, _ place: ExportPage.Place) throws(StoreError) -> ExportPage? {
    try readers.read { transaction in
      guard let stored = try transaction.recipient(named: name) else { return nil }
      switch place {
      case .events(let first):
        let (events, next) = try transaction.events(
          of: stored.row, from: first ?? stored.lastEvent, limit: Self.exportLimit)
        let place: ExportPage.Place =
          next == 0 ? .notifications(after: 0) : .events(from: next)
        return ExportPage(events: events, next: place)
      case .notifications(let number):
        let (notifications, last) = try transaction.notifications(
          of: stored.row, after: number, limit: Self.exportLimit)
        let isLast = notifications.count < Self.exportLimit
        return ExportPage(
          notifications: notifications,
          next: isLast ? nil : last.map { .notifications(after: $0) })
      }
    }
  }
}
