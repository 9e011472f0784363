import API
import Access
import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import ServiceDouble
import Testing

/// The live stream of a recipient's deliveries: `GET /v1/recipients/{recipient}/stream`.
@Suite(.timeLimit(.minutes(1))) struct LiveStreamTests {
  private let service: LiveService
  private let tokens = FakeTokens()

  init() throws {
    service = try LiveService("rooms", at: "2025-07-04T12:00:00.000Z")
  }

  private func serving(
    _ limits: APILimits = APILimits(), _ body: (TestServer) async throws -> Void
  ) async throws {
    try await service.ingest("recipient.updated", ["locale": "en"], of: "me")
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens),
      limits: limits, body)
  }

  /// Reports a like of the recipient's room. The notification is sent on two channels.
  private func like(_ number: Int, of name: String = "me") async throws {
    let data: JSONValue = [
      "room": ["id": "room-1", "name": .string("Room \(number)")],
      "actor": ["id": "id-pete", "username": "pete"],
    ]
    try await service.ingest("room.liked", data, of: name)
  }

  private func texts(_ stream: EventStreamReader) -> [String] {
    stream.notifications.map {
      "\($0.data["channel"]?.stringValue ?? "") \($0.data["body"]?.stringValue ?? "")"
    }
  }

  private func expectedTexts(_ numbers: some Sequence<Int>) -> [String] {
    numbers.flatMap { number in
      ["push", "inapp"].map { "\($0) pete liked your room: Room \(number)" }
    }
  }

  @Test func `with state=true, the stream carries counters and preferences`() async throws {
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream(query: "?state=true")
        func states(_ count: Int) async throws -> [JSONValue] {
          try await connection.stream { $0.events.count { $0.name == "state" } >= count }
            .events.filter { $0.name == "state" }.map(\.data)
        }
        let first = try await states(1)[0]
        #expect(first["unread"] == 0 && first["badge"] == 0)
        try await like(1)
        #expect(try await states(2)[1]["unread"] == 1)
        _ = try await server.call("PUT", "/api/notifications/read-all?recipient=me")
        #expect(try await states(3)[2]["unread"] == 0)
        _ = try await server.call(
          "PATCH", "/v1/recipients/me/preferences", body: #"{"hints":{"badge":false}}"#)
        let last = try await states(4)[3]
        #expect(last["badge"] == .null)
        #expect(last["preferences"] != first["preferences"])
      }
    }
  }

  @Test func `deliveries appear at once, in the form that sinks get`() async throws {
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream()
        let opening = try await connection.stream { $0.lastEventID != nil }
        #expect(opening.retry == "2000")
        for number in 1...3 {
          try await like(number)
          let stream = try await connection.stream { $0.notifications.count == number * 2 }
          #expect(texts(stream) == expectedTexts(1...number))
        }
        let stream = try await connection.stream { _ in true }
        let document = try await server.get("/openapi.json").json
        let schema = try #require(document["components"]?["schemas"]?["Delivery"])
        for event in stream.events {
          #expect(SchemaCheck(document: document).findings(event.data, schema) == [])
          let words = [event.data["id"], event.data["channel"]].compactMap { $0?.stringValue }
          #expect(event.id == words.joined(separator: "-"))
        }
      }
    }
  }

  @Test func `the response head forbids proxies to buffer the stream`() async throws {
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream()
        let head = try await connection.receive(until: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200"))
        for field in [
          "Content-Type: text/event-stream\r\n", "Cache-Control: no-store\r\n",
          "X-Accel-Buffering: no\r\n",
        ] {
          #expect(head.contains(field))
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func `a stream that reconnects misses and repeats nothing`(isInHeader: Bool) async throws {
    try await serving { server in
      var (lastEventID, seen): (String?, [String]) = (nil, [])
      for round in 0..<4 {
        try await RawConnection.opened(to: server) { connection in
          if isInHeader, let lastEventID {
            try await connection.openStream(
              query: "?lastEventId=nonsense", "Last-Event-ID: \(lastEventID)")
          } else {
            try await connection.openStream(query: lastEventID.map { "?lastEventId=\($0)" } ?? "")
          }
          // The deliveries made while there was no connection come first.
          _ = try await connection.stream { $0.lastEventID != nil }
          try await like(round * 2)
          let wanted = round == 0 ? 2 : 4
          let stream = try await connection.stream { $0.notifications.count >= wanted }
          seen += texts(stream)
          lastEventID = stream.lastEventID
        }
        try await like(round * 2 + 1)
      }
      #expect(seen == expectedTexts(0..<7))
    }
  }

  @Test func `after a reconnect, all of thousands of missed deliveries arrive`() async throws {
    try await serving { server in
      var lastEventID: String?
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream()
        lastEventID = try await connection.stream { $0.lastEventID != nil }.lastEventID
      }
      let data: JSONValue = [
        "category": "ROOM_LIKE", "title": "T", "body": "B", "channels": ["inapp"],
      ]
      // At most 1,000 requested notifications may wait for a recipient. All requests of one
      // `ingest` wait at the same time, so the test ingests them in four groups.
      for _ in 0..<4 {
        try await service.ingest("notification.requested", data, of: "me", times: 500)
      }
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream(query: "?lastEventId=\(lastEventID ?? "")")
        _ = try await connection.receive(until: "-2000-inapp")
        let stream = try await connection.stream {
          $0.lastEventID?.hasSuffix("-2000-inapp") ?? false
        }
        #expect(stream.notifications.count == 2_000)
        #expect(Set(stream.notifications.map(\.id)).count == 2_000)
      }
    }
  }

  @Test(arguments: ["nonsense", "other-1", "other-1-push", "1", "%ff"])
  func `an unknown last event id is refused`(lastEventID: String) async throws {
    try await serving { server in
      let path = "/v1/recipients/me/stream?lastEventId=\(lastEventID)"
      let reply = try await server.call("GET", path)
      #expect(reply.status == (lastEventID == "%ff" ? 400 : 410))
      if lastEventID != "%ff" {
        #expect(try reply.json["type"] == "urn:chimed:problem:lost-cursor")
        #expect(reply.text.contains("open the stream without an id"))
      }
    }
  }

  @Test func `an invalid stream request is refused with a reason`() async throws {
    try await serving { server in
      let channels = try await server.call("GET", "/v1/recipients/me/stream?channels=inapp,fax")
      #expect(channels.status == 400)
      #expect(try channels.json["path"] == "channels")
      let unknown = try await server.call("GET", "/v1/recipients/nobody/stream")
      #expect(unknown.status == 404)
      let foreign = try await server.get(
        "/v1/recipients/me/stream", bearing: tokens.make(.recipient("you")))
      #expect(foreign.status == 403)
    }
  }

  /// A node that owns no recipient.
  private struct OtherNode: ServiceDouble {
    let planner: Planner

    func submit(_ events: [Event]) async throws(ServiceUnavailable) -> [Receipt] {
      events.map { _ in .elsewhere(shard: 3) }
    }

    func answer<Query: EngineQuery>(
      _ query: Query
    ) async throws(ServiceUnavailable) -> Query.Value {
      if let answer = query.answer(by: watch) { return answer }
      return try emptyAnswer(to: query)
    }

    private func watch(_ query: WatchQuery) -> WatchAnswer { .elsewhere(shard: 3) }
  }

  @Test func `F3: a node that does not own the recipient refuses to open a stream`() async throws {
    try await TestServer.serving(OtherNode(planner: service.planner)) { server in
      let reply = try await server.get("/v1/recipients/me/stream")
      #expect(reply.status == 503)
      #expect(reply["retry-after"] == "1")
      #expect(try reply.json["detail"]?.stringValue?.contains("shard 3") == true)
    }
  }

  @Test func `a stream may be limited to some channels`() async throws {
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream(query: "?channels=inapp")
        _ = try await connection.stream { $0.lastEventID != nil }
        for number in 0..<3 { try await like(number) }
        let stream = try await connection.stream { $0.notifications.count == 3 }
        #expect(texts(stream) == expectedTexts(0..<3).filter { $0.hasPrefix("inapp") })
      }
    }
  }

  @Test func `several streams of one recipient get the same deliveries`() async throws {
    try await service.ingest("recipient.updated", ["locale": "en"], of: "you")
    try await serving { server in
      try await RawConnection.opened(to: server) { first in
        try await RawConnection.opened(to: server) { second in
          try await RawConnection.opened(to: server) { other in
            for connection in [first, second] { try await connection.openStream() }
            try await other.openStream(of: "you")
            for connection in [first, second, other] {
              _ = try await connection.stream { $0.lastEventID != nil }
            }
            try await like(1)
            try await like(2, of: "you")
            for connection in [first, second] {
              let stream = try await connection.stream { $0.notifications.count == 2 }
              #expect(texts(stream) == expectedTexts([1]))
            }
            let stream = try await other.stream { $0.notifications.count == 2 }
            #expect(texts(stream) == expectedTexts([2]))
          }
        }
      }
    }
  }

  @Test func `heartbeats keep a silent stream open`() async throws {
    var limits = APILimits()
    limits.heartbeat = .milliseconds(150)
    limits.idle = .seconds(1)
    try await serving(limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream()
        let stream = try await connection.stream { $0.heartbeatCount >= 10 }
        #expect(stream.heartbeatCount >= 10)
        try await like(1)
        #expect(try await connection.stream { $0.notifications.count == 2 }.events.count == 2)
      }
    }
  }

  @Test func `the end of the service ends a stream at once`() async throws {
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream()
        _ = try await connection.stream { $0.lastEventID != nil }
        await server.stop()
        let text = try await connection.receiveAll()
        #expect(try EventStreamReader(text).events.map(\.data) == [["reason": "stopping"]])
        #expect(text.hasSuffix("\r\n0\r\n\r\n"))
      }
    }
  }

  @Test func `an erasure ends the recipient's stream`() async throws {
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream()
        _ = try await connection.stream { $0.lastEventID != nil }
        #expect(try await server.call("DELETE", "/v1/recipients/me").status == 200)
        let stream = try await connection.stream { !$0.events.isEmpty }
        #expect(stream.events.map(\.data) == [["reason": "erased"]])
        #expect(stream.events.map(\.name) == ["end"])
      }
    }
  }

  @Test func `revoking its token ends a stream`() async throws {
    try await serving { server in
      let token = tokens.make(.recipient("me"))
      try await RawConnection.opened(to: server, isOverTCP: true) { connection in
        try await connection.openStream("Authorization: Bearer \(token)")
        _ = try await connection.stream { $0.lastEventID != nil }
        try await like(1)
        _ = try await connection.stream { $0.notifications.count == 2 }
        let identifier = try #require(tokens.tokens.first?.identifier)
        #expect(try await server.call("DELETE", "/v1/tokens/\(identifier)").status == 200)
        try await like(2)
        let stream = try await connection.stream { $0.events.count > 2 }
        #expect(texts(stream) == expectedTexts([1]))
        #expect(stream.events.last?.data == ["reason": "unauthorized"])
      }
    }
  }

  private static let doses = """
    catalog: doses
    events:
      due: {dose: identifier}
      taken: {dose: identifier}
    categories:
      DOSE: {title: Doses, withdraw: true, channels: {push: true, inapp: true}}
    groups:
      doses: {enabled: true}
    reminders:
      dose:
        category: DOSE
        group: doses
        on: {event: due, delay: 1s}
        again: {every: 45m, times: 2, unless: taken}
        expires: 2h
        messages: [{title: Dose, body: Take it.}]
    """

  @Test func `D18: a withdrawal follows its notification, and a stream that continues repeats it`()
    async throws
  {
    let service = try LiveService(
      text: Self.doses, at: "2026-03-02T12:00:00Z", reply: { $0.map { _ in .delivered } },
      canWithdraw: true)
    func due(_ dose: JSONValue) async throws {
      try await service.ingest("due", ["dose": dose], of: "me")
      try service.run(to: (service.now + .seconds(2)).description)
    }
    func names(_ stream: EventStreamReader) -> [String] {
      stream.events.map { "\($0.name) \($0.data["id"]?.stringValue?.suffix(2) ?? "")" }
    }
    // Each dose is a notification by push and another one in the inbox.
    try await due("a")
    try await service.ingest("taken", ["dose": "a"], of: "me")
    try await TestServer.serving(service, listen: TCPAddress("127.0.0.1:0")) { server in
      func withConnection(
        _ query: String, _ body: (RawConnection) async throws -> Void
      ) async throws {
        try await RawConnection.opened(to: server) { connection in
          try await connection.openStream(query: query)
          _ = try await connection.stream { $0.lastEventID != nil }
          try await body(connection)
        }
      }
      var last: String?
      try await withConnection("?channels=push") { connection in
        try await due("b")
        try await service.ingest("taken", ["dose": "b"], of: "me")
        let stream = try await connection.stream { $0.events.count == 2 }
        #expect(names(stream) == ["notification -3", "notification.withdrawn -3"])
        #expect(stream.events[1].id == nil && stream.events[1].data["title"] == nil)
        #expect(stream.events[1].data["channel"] == "push")
        last = stream.lastEventID
      }
      try await due("c")
      try await withConnection("?channels=push&lastEventId=\(last ?? "")") { connection in
        let stream = try await connection.stream { $0.events.count == 3 }
        let withdrawn = ["notification.withdrawn -1", "notification.withdrawn -3"]
        #expect(names(stream) == ["notification -5"] + withdrawn)
      }
      try await withConnection("?channels=inapp") { connection in
        try await service.ingest("taken", ["dose": "c"], of: "me")
        try await due("d")
        let stream = try await connection.stream { $0.events.count == 1 }
        #expect(names(stream) == ["notification -8"])
      }
    }
  }

  @Test func `streams are limited for each caller and in total`() async throws {
    var limits = APILimits()
    limits.streams = 3
    limits.streamsOfBearer = 2
    try await serving(limits) { server in
      let token = tokens.make(.recipient("me"))
      let path = "/v1/recipients/me/stream"
      try await RawConnection.opened(to: server) { first in
        try await RawConnection.opened(to: server) { second in
          for connection in [first, second] {
            try await connection.openStream("Authorization: Bearer \(token)")
            _ = try await connection.stream { $0.lastEventID != nil }
          }
          let tooMany = try await server.get(path, bearing: token)
          #expect(tooMany.status == 429)
          #expect(tooMany["retry-after"] == "30")
          try await RawConnection.opened(to: server) { third in
            try await third.openStream()
            _ = try await third.stream { $0.lastEventID != nil }
            #expect(try await server.call("GET", path).status == 503)
            try await service.ingest("recipient.deleted", of: "me")
            for connection in [first, second, third] {
              _ = try await connection.stream { !$0.events.isEmpty }
            }
          }
        }
      }
      try await service.ingest("recipient.updated", ["locale": "en"], of: "me")
      for _ in 0..<5 { try await waitForFreeStream(server) }
    }
  }

  @Test func `a stream that is not read is cut off and can be resumed`() async throws {
    var limits = APILimits()
    limits.stallTimeout = .milliseconds(500)
    limits.idle = .seconds(3_600)
    limits.streams = 1
    let count = 400
    let data: JSONValue = [
      "category": "ROOM_LIKE", "title": "T", "channels": ["inapp"],
      "body": .string(String(repeating: "b", count: 4_000)),
    ]
    try await serving(limits) { server in
      var seen: [String?] = []
      var lastEventID: String?
      try await RawConnection.opened(to: server) { connection in
        try await connection.openStream()
        lastEventID = try await connection.stream { $0.lastEventID != nil }.lastEventID
        try await service.ingest("notification.requested", data, of: "me", times: count)
        try await waitForFreeStream(server)
        let stream = try EventStreamReader(try await connection.receiveAll())
        seen = stream.notifications.map(\.id)
        lastEventID = stream.lastEventID ?? lastEventID
      }
      #expect(seen.count < count)
      // If this test itself reads too slowly, its stream is cut off again.
      while seen.count < count {
        let previousCount = seen.count
        try await RawConnection.opened(to: server) { connection in
          try await connection.openStream(query: "?lastEventId=\(lastEventID ?? "")")
          let stream = try await connection.stream {
            $0.lastEventID?.hasSuffix("-\(count)-inapp") ?? false
          }
          seen += stream.notifications.map(\.id)
          lastEventID = stream.lastEventID ?? lastEventID
        }
        try #require(seen.count > previousCount)
        try await waitForFreeStream(server)
      }
      #expect(seen.count == count)
      #expect(Set(seen).count == count)
    }
  }

  /// Waits until another stream could be opened. A HEAD request opens none.
  private func waitForFreeStream(_ server: TestServer) async throws {
    while try await server.perform("HEAD", "/v1/recipients/me/stream").status == 503 {}
  }
}
