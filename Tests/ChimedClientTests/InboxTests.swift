import Foundation
import Testing

@testable import ChimedClient

/// The inbox as JSON.
@Suite struct InboxTests {
  @Test func `a page has items, counts and a cursor`() throws {
    let text = """
      {"recipient": "u1", "zone": "UTC", "unread": 1, "count": 2, "next": "17", "items": [
       {"id": "k-1", "reminder": "r", "category": "C", "title": "T", "body": "B",
        "at": "2026-03-02T21:00:00.000Z", "local": "2026-03-02T21:00:00.000", "read": false,
        "details": {"deepLink": {"type": "room"}}}]}
      """
    let page = try ChimedDocument.decode(ChimedInboxPage.self, from: Data(text.utf8))
    #expect(page.unread == 1 && page.count == 2 && page.next == "17")
    #expect(page.items.map(\.id) == ["k-1"] && page.items.first?.isRead == false)
    #expect(page.items.first?.details?.value(at: "deepLink.type") == .string("room"))
  }

  @Test func `a count has no badge if the badge is off`() throws {
    let text = #"{"unread": 1, "count": 2}"#
    let count = try ChimedDocument.decode(ChimedInboxCount.self, from: Data(text.utf8))
    #expect(count.badge == nil && count.unread == 1)
  }
}
