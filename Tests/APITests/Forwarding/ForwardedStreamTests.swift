import API
import Access
import CivilTime
import JSON
import Testing

@testable import Engine

/// A client may open a stream at any node, and continue it at another (rules F3, F9 and F10).
@Suite(.timeLimit(.minutes(1))) struct ForwardedStreamTests {
  private let fleet = FakeFleet()
  private let owner: LiveService
  private let tokens = FakeTokens()

  init() throws {
    owner = try LiveService("rooms", at: "2025-07-04T12:00:00.000Z")
  }

  /// Has the owner ingest an event: pete likes the room with this number.
  private func like(_ number: Int) async throws {
    let data: JSONValue = [
      "room": ["id": "room-1", "name": .string("Room \(number)")],
      "actor": ["id": "id-pete", "username": "pete"],
    ]
    try await owner.ingest("room.liked", data, of: "me")
  }

  /// Returns the numbers of the rooms in the stream's push notifications.
  private func rooms(_ stream: EventStreamReader) -> [String] {
    stream.notifications.filter { $0.data["channel"] == "push" }
      .compactMap { $0.data["body"]?.stringValue?.split(separator: " ").last.map(String.init) }
  }

  @Test func `F10: a stream continues at the next owner after the last event received`()
    async throws
  {
    try await owner.ingest("recipient.updated", ["locale": "en"], of: "me")
    fleet.give("me", to: "b")
    try await TestServer.serving(FakeService(), fleet: fleet.link("a")) { node in
      var lastEventID: String?
      try await TestServer.serving(owner, fleet: fleet.link("b")) { first in
        try await RawConnection.opened(to: node) { connection in
          try await connection.openStream()
          _ = try await connection.stream { $0.lastEventID != nil }
          try await like(1)
          lastEventID = try await connection.stream { $0.notifications.count == 2 }.lastEventID
          await first.stop()
          // The stream's own end is forwarded, and then the end of the response.
          let last = try await connection.stream { $0.events.last?.name == "end" }
          #expect(last.events.last?.data["reason"] == "stopping")
          #expect(try await connection.receive(until: "\r\n0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        }
      }
      try await like(2)
      fleet.give("me", to: "c")
      try await TestServer.serving(owner, fleet: fleet.link("c")) { _ in
        try await RawConnection.opened(to: node) { connection in
          try await connection.openStream("Last-Event-ID: \(lastEventID ?? "")")
          let stream = try await connection.stream { $0.notifications.count == 2 }
          #expect(rooms(stream) == ["2"])
        }
      }
    }
  }

  /// A node that hangs or is cut off cannot report that it has lost its shards.
  @Test func `F10: a stream ends when its node has lost the shard without reporting it`()
    async throws
  {
    try await owner.ingest("recipient.updated", ["locale": "en"], of: "me")
    fleet.give("me", to: "b")
    try await fleet.serving([try FakeService(), owner]) { nodes in
      try await RawConnection.opened(to: nodes[0]) { connection in
        try await connection.openStream()
        _ = try await connection.stream { $0.lastEventID != nil }
        fleet.give("me", to: "c")
        let last = try await connection.stream { $0.events.last?.name == "end" }
        #expect(last.events.last?.data["reason"] == "stopping")
        #expect(try await connection.receive(until: "\r\n0\r\n\r\n").hasSuffix("0\r\n\r\n"))
      }
    }
  }

  @Test func `F9: revoking its token ends a forwarded stream`() async throws {
    try await owner.ingest("recipient.updated", ["locale": "en"], of: "me")
    fleet.give("me", to: "b")
    let token = tokens.make(.recipient("me"))
    let access = APIAccess(tokens: tokens)
    let services: [any ReminderService] = [try FakeService(), owner]
    try await fleet.serving(services, access: access) { nodes in
      try await RawConnection.opened(to: nodes[0]) { connection in
        try await connection.openStream(query: "", "Authorization: Bearer \(token)")
        _ = try await connection.stream { $0.lastEventID != nil }
        let record = try #require(tokens.tokens.first)
        _ = try await tokens.revoke(record.identifier, at: Fixtures.now)
        try await like(1)
        let received = try await connection.receive(until: "\r\n0\r\n\r\n")
        #expect(!received.contains("event: notification"))
      }
    }
  }
}
