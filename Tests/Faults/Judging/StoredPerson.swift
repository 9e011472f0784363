import Reminders
import SQLiteStore
import Store

/// All rows about a person in a store.
struct StoredPerson {
  private(set) var name: String
  private(set) var events: [PastEvent] = []
  private(set) var notifications: [RecordedNotification] = []
  /// The texts of the inbox.
  private(set) var inbox: [String] = []

  /// Reads the rows; an unknown person has none.
  init(_ name: String, in store: SQLiteStore) throws {
    self.name = name
    var copy = self
    try store.commit { transaction in
      guard let stored = try transaction.recipient(named: name) else { return }
      copy.events = try transaction.events(
        of: stored.row, from: stored.lastEvent, limit: .max
      ).events
      copy.notifications = try transaction.notifications(
        of: stored.row, after: 0, limit: 1_000_000
      ).notifications
      copy.inbox = try transaction.inbox(row: stored.row, after: nil, offset: 0, limit: 1_000_000)
        .map(\.message.body)
    }
    self = copy
  }

  /// Adds a line for each channel of each notification.
  ///
  /// - Parameter optionalLines: gets the lines of deliveries that the gates stopped before a
  ///   repeated attempt after a crash, because an event of the same instant had cancelled them. A
  ///   simulation has no crashes.
  func addLines(
    to lines: inout Set<Line>, _ optionalLines: inout Set<Line>, _ outside: Outside
  ) {
    for notification in notifications where notification.outcome != .bundled {
      for channel in notification.channels.channels {
        let destination = Outside.Destination(
          notification: notification.identifier, channel: channel)
        let line = Line(notification, name, channel)
        guard notification.attempts.contains(where: { $0.verdict == .dropped }) else {
          lines.insert(line)
          continue
        }
        optionalLines.insert(line)
        var delivered = notification
        delivered.outcome = .delivered
        if outside.receivedDeliveries[destination] == nil {
          optionalLines.insert(Line(delivered, name, channel))
        }
      }
    }
  }
}
