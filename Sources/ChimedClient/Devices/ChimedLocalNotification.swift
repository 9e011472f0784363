public import Foundation

/// A notification that a device schedules by itself. Its properties are the values that an app
/// passes to UNUserNotificationCenter.
///
///     content.title = notification.title
///     content.threadIdentifier = notification.thread
///     let trigger = UNCalendarNotificationTrigger(
///       dateMatching: notification.components, repeats: false)
///     UNNotificationRequest(identifier: notification.id, content: content, trigger: trigger)
public struct ChimedLocalNotification: Hashable, Sendable {
  /// The id of the occurrence, which stays the same when the occurrence moves.
  public let id: String
  public let title: String
  public let body: String
  /// The category, by which the device groups notifications.
  public let thread: String
  /// Whether the notification appears without sound.
  public let isSilent: Bool
  /// When the notification is due.
  public let date: Date
  /// The due time in UTC, with its calendar and zone. So the device shows the notification at the
  /// planned instant in any zone, and only once when clocks are set back.
  public let components: DateComponents

  init(_ entry: Entry) {
    id = entry.id
    title = entry.title
    body = entry.body
    thread = entry.category
    isSilent = entry.silent
    date = entry.at
    components = Self.components(of: entry.at)
  }

  static func components(of date: Date) -> DateComponents {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var components = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: date)
    (components.calendar, components.timeZone) = (calendar, .gmt)
    return components
  }

  /// An entry of the projection.
  struct Entry: Decodable {
    let id: String
    /// When the notification is due.
    let at: Date
    let category: String
    let title: String
    let body: String
    let silent: Bool
  }
}

extension ChimedClient {
  /// Reads a recipient's next notifications for a device that schedules them itself (rule N5).
  ///
  /// - Parameter limit: from 1 to 64, the most that iOS keeps for an app.
  /// - Returns: the push notifications, the soonest first.
  public func localNotifications(
    of recipient: String, limit: Int = 64
  ) async throws(ChimedError) -> [ChimedLocalNotification] {
    let path = Self.path(of: recipient, "projection") + "?limit=\(limit)"
    return try await read(Projection.self, from: path).projection.map(ChimedLocalNotification.init)
  }

  private struct Projection: Decodable {
    let projection: [ChimedLocalNotification.Entry]
  }
}
