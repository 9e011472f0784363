internal import Foundation

extension ChimedClient {
  /// Reads a page of a recipient's inbox, the latest item first.
  ///
  /// - Parameters:
  ///   - cursor: `next` of the previous page; nil for the first.
  ///   - isOnlyUnread: whether items that were read are left out.
  ///   - limit: the maximum number of items.
  public func inbox(
    of recipient: String, after cursor: String? = nil, isOnlyUnread: Bool = false, limit: Int = 100
  ) async throws(ChimedError) -> ChimedInboxPage {
    var query = "?limit=\(limit)"
    if isOnlyUnread { query += "&unread=true" }
    if let cursor { query += "&after=\(Self.segment(cursor))" }
    return try await read(ChimedInboxPage.self, from: Self.path(of: recipient, "inbox") + query)
  }

  /// Counts the items of a recipient's inbox.
  public func inboxCount(of recipient: String) async throws(ChimedError) -> ChimedInboxCount {
    try await read(ChimedInboxCount.self, from: Self.path(of: recipient, "inbox/count"))
  }

  /// Marks an item as read. The request is sent only once.
  ///
  /// - Returns: the new counts of the inbox.
  /// - Throws: `ChimedError.refused` with status 404 if the inbox has no such item.
  @discardableResult
  public func markAsRead(
    _ item: String, of recipient: String
  ) async throws(ChimedError) -> ChimedInboxCount {
    try await changeInbox("POST", "inbox/\(Self.segment(item))/read", of: recipient)
  }

  /// Marks every item as read. The request is sent only once.
  ///
  /// - Returns: the new counts of the inbox.
  @discardableResult
  public func markAllAsRead(of recipient: String) async throws(ChimedError) -> ChimedInboxCount {
    try await changeInbox("POST", "inbox/read", of: recipient)
  }

  private func changeInbox(
    _ method: String, _ resource: String, of recipient: String
  ) async throws(ChimedError) -> ChimedInboxCount {
    let body = try await request(method, Self.path(of: recipient, resource))
    return try ChimedDocument.decode(ChimedInboxCount.self, from: body)
  }

  /// Dismisses an item. The request is sent only once.
  ///
  /// - Throws: `ChimedError.refused` with status 404 if the item is unknown, or dismissed already.
  public func dismiss(_ item: String, of recipient: String) async throws(ChimedError) {
    _ = try await request("DELETE", Self.path(of: recipient, "inbox/\(Self.segment(item))"))
  }

  /// Dismisses every item. The request is sent only once.
  public func dismissAll(of recipient: String) async throws(ChimedError) {
    _ = try await request("DELETE", Self.path(of: recipient, "inbox"))
  }
}
