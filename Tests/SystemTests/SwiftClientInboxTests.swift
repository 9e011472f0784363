import ChimedClient
import JSON
import Testing

/// The Swift client and the inbox of the service (rule N11).
@OwnThread @Suite struct SwiftClientInboxTests {
  @Test func `N11: the inbox is listed, counted, read and dismissed`() async throws {
    let workspace = try Workspace()
    let port = try FreePort.any()
    let service = try Service(
      workspace,
      arguments: Service.arguments(workspace, sink: .file, catalog: "rooms")
        + ["--listen", "127.0.0.1:\(port)"])
    try service.waitUntilReady()
    let reply = try service.ask("POST", "/v1/tokens", #"{"name":"test","scope":"admin"}"#)
    let token = try #require(reply.body["token"]?.stringValue)
    let chimed = try ChimedClient("http://127.0.0.1:\(port)", token: token)
    for title in ["one", "two", "three"] {
      let data = ["category": "USER_FOLLOWED", "title": title, "body": "B"]
      try await chimed.send(ChimedEvent("notification.requested", of: "u1", data: data))
    }
    let first = try await chimed.inbox(of: "u1", limit: 2)
    #expect(first.items.map(\.title) == ["three", "two"])
    #expect(first.count == 3 && first.unread == 3 && first.items.allSatisfy { !$0.isRead })
    let second = try await chimed.inbox(of: "u1", after: first.next, limit: 2)
    #expect(second.items.map(\.title) == ["one"] && second.next == nil)
    #expect(try await chimed.markAsRead(first.items[0].id, of: "u1").unread == 2)
    let unread = try await chimed.inbox(of: "u1", isOnlyUnread: true)
    #expect(unread.items.map(\.title) == ["two", "one"])
    #expect(try await chimed.markAllAsRead(of: "u1").unread == 0)
    try await chimed.dismiss(first.items[1].id, of: "u1")
    #expect(try await chimed.inboxCount(of: "u1").count == 2)
    await #expect(throws: ChimedError.self) { try await chimed.dismiss("none", of: "u1") }
    try await chimed.dismissAll(of: "u1")
    #expect(try await chimed.inbox(of: "u1").items.isEmpty)
    #expect(!service.hasEnded)
  }
}
