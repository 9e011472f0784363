package import CivilTime
package import Reminders
package import Store

/// Selects a page of the export of a recipient (rule H4); the answer is nil if the recipient is
/// unknown.
package struct ExportQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String
  package var cursor: ExportPage.Cursor

  package init(of recipient: String, _ cursor: ExportPage.Cursor) {
    self.recipient = recipient
    self.cursor = cursor
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> ExportPage? {
    try questions.readers.read { transaction in
      guard let stored = try transaction.recipient(named: recipient) else { return nil }
      switch cursor {
      case .events(let first, let limit):
        let first = first ?? stored.lastEvent
        var (events, next) = try transaction.events(of: stored.row, from: first, limit: limit)
        if next == 0 {
          let base = try transaction.factBases(of: [stored.row])[stored.row]
          next = base?.earlierEvents.last { $0 < first } ?? 0
        }
        let cursor: ExportPage.Cursor =
          next == 0 ? .notifications(after: 0) : .events(from: next, atMost: limit)
        return ExportPage(events: events, next: cursor)
      case .notifications(let number):
        let (notifications, last) = try transaction.notifications(
          of: stored.row, after: number, limit: ExportPage.length)
        let lastOfFullPage = notifications.count < ExportPage.length ? nil : last
        return ExportPage(
          notifications: notifications,
          next: lastOfFullPage.map { .notifications(after: $0) } ?? .refused(after: 0))
      case .refused(let number):
        let refused = try transaction.refusedSubmissions(
          of: recipient, after: number, bytes: ExportPage.refusedBytes)
        return ExportPage(
          refused: refused, next: refused.last.map { .refused(after: $0.number) })
      }
    }
  }
}

/// Selects the base of a recipient's facts (rule H30); the answer is nil if no event of the
/// recipient was removed, or if the recipient is unknown.
package struct FactBaseQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String

  package init(of recipient: String) {
    self.recipient = recipient
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> FactBase? {
    try questions.readers.read { transaction in
      guard let row = try transaction.recipient(named: recipient)?.row else { return nil }
      return try transaction.factBases(of: [row])[row]
    }
  }
}

/// A page of a recipient's data (rule H4). Pages keep each query short.
package struct ExportPage: Sendable {
  /// The start of a page.
  package enum Cursor: Sendable {
    /// The events, newest first, beginning with the given one; nil begins with the newest event.
    case events(from: Int64?, atMost: Int = ExportPage.length)
    /// The notifications after a notification's number, in the order in which they were decided.
    case notifications(after: Int64)
    /// The rejected submissions after the one with a number.
    case refused(after: Int64)
  }

  /// The default number of items of a page.
  package static let length = 500
  /// The total size of rejected events in bytes at which a page ends.
  static let refusedBytes = 8 << 20

  package var events: [PastEvent] = []
  package var notifications: [RecordedNotification] = []
  /// The rejected submissions of apps, on the pages after the notifications.
  package var refused: [RefusedSubmission] = []
  /// The next page; nil after the last one.
  package var next: Cursor?

  package init(
    events: [PastEvent] = [], notifications: [RecordedNotification] = [],
    refused: [RefusedSubmission] = [], next: Cursor? = nil
  ) {
    self.events = events
    self.notifications = notifications
    self.refused = refused
    self.next = next
  }
}
