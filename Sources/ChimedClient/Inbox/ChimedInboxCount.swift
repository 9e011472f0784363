/// The counts of a recipient's inbox.
public struct ChimedInboxCount: Hashable, Sendable, Decodable {
  /// The number of unread items.
  public let unread: Int
  /// The number of all items.
  public let count: Int
  /// The number on the app's icon; nil if the recipient's badge is off.
  public let badge: Int?
}
