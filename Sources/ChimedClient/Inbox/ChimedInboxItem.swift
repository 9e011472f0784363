public import Foundation

/// An item of a recipient's inbox.
public struct ChimedInboxItem: Hashable, Sendable, Identifiable, Decodable {
  /// The id of the notification.
  public let id: String
  /// The identifier of the reminder that the catalog declares.
  public let reminder: String
  public let category: String
  public let title: String
  public let body: String
  /// When the notification arrived in the inbox.
  public let at: Date
  public let isRead: Bool
  /// Details of the event that requested the notification, such as `deepLink` and `actor`; nil if
  /// there are none.
  public let details: ChimedValue?

  private enum CodingKeys: String, CodingKey {
    case id, reminder, category, title, body, at
    case isRead = "read"
    case details
  }
}
