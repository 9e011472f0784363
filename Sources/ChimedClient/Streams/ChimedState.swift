public import Foundation

/// The state of a recipient. An app reloads what it shows when a value changes.
public struct ChimedState: Hashable, Sendable, Decodable {
  /// The number on the app's icon; nil if the recipient's badge is off.
  public let badge: Int?
  /// The number of unread items of the inbox.
  public let unread: Int
  /// The number of delivered notifications that are not dismissed.
  public let recent: Int
  /// The number of pending occurrences. An occurrence is one instant of a reminder.
  public let pending: Int
  /// When the next occurrence is due; nil if none is pending.
  public let due: Date?
  /// The version of the preferences.
  public let preferences: Int64
}
