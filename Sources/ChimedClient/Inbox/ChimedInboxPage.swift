/// A page of a recipient's inbox.
public struct ChimedInboxPage: Hashable, Sendable, Decodable {
  /// The items, the latest first. A page may have fewer items than the limit without being the
  /// last.
  public let items: [ChimedInboxItem]
  /// The number of unread items of the whole inbox.
  public let unread: Int
  /// The number of items of the whole inbox.
  public let count: Int
  /// The cursor of the next page; nil on the last one.
  public let next: String?
}
