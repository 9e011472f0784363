import API
import Engine
import JSON
import Testing

/// `POST /v1/events`: a stream of events is taken line by line, and answered with a line for each.
@Suite struct StreamTests {
  private let type = "application/x-ndjson"

  @Test(arguments: ["application/x-ndjson", "application/ndjson", "application/jsonl"])
  func `a bad line of a stream does not affect the other lines`(type: String) async throws {
    let service = try FakeService()
    let lines = [
      Fixtures.event("e1"), "", "{\"id\":\"e2\",}", Fixtures.event("e3", type: "relaps"), "  \r",
      Fixtures.event("e4"), Fixtures.event("e1"),
    ]
    try await TestServer.serving(service) { server in
      let reply = try await server.post(lines.joined(separator: "\n"), as: type)
      #expect(reply.status == 200)
      #expect(reply.contentType == "application/x-ndjson")
      let answers = try reply.lines
      #expect(answers.map { $0["line"] } == [1, 3, 4, 6, 7])
      try #require(answers.count == 5)
      #expect(
        answers.map { $0["status"] } == ["accepted", "refused", "refused", "accepted", "duplicate"])
      #expect(answers.map { $0["id"] } == ["e1", nil, "e3", "e4", "e1"])
      #expect(answers[1]["problem"]?["detail"] == "column 12: expected a key in quotes")
      #expect(answers[2]["problem"]?["path"] == "type")
    }
    #expect(service.groups.flatMap(\.self) == ["e1", "e4", "e1"])
  }

  @Test func `an empty stream has no answers`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      let reply = try await server.post("\n\n", as: type)
      #expect(reply.status == 200)
      #expect(reply.text == "")
    }
    #expect(service.groups == [])
  }

  @Test func `a stream may be longer than the limit of other bodies`() async throws {
    let service = try FakeService()
    let count = 20_000
    let lines = (1...count).map { Fixtures.event("e\($0)") }.joined(separator: "\n")
    #expect(lines.utf8.count > 1 << 20)
    try await TestServer.serving(service) { server in
      let answers = try await server.post(lines, as: type).lines
      #expect(answers.map { $0["line"] } == (1...count).map { .integer(Int64($0)) })
      #expect(answers.allSatisfy { $0["status"] == "accepted" })
    }
    #expect(service.groups.flatMap(\.self) == (1...count).map { "e\($0)" })
    #expect(service.groups.allSatisfy { (1...1_000).contains($0.count) })
  }

  @Test func `a line that is too long is refused, and the others are accepted`() async throws {
    let service = try FakeService()
    var limits = APILimits()
    limits.body = 1_000
    let longLine = Fixtures.event(
      "e2", members: #""data":{"a":"\#(String(repeating: "b", count: 999))"}"#)
    let lines = [Fixtures.event("e1"), longLine, Fixtures.event("e3")].joined(separator: "\n")
    try await TestServer.serving(service, limits: limits) { server in
      let answers = try await server.post(lines, as: type).lines
      #expect(answers.map { $0["line"] } == [1, 2, 3])
      try #require(answers.count == 3)
      #expect(answers.map { $0["status"] } == ["accepted", "refused", "accepted"])
      #expect(answers[1]["problem"]?["type"] == "urn:chimed:problem:line-too-long")
      #expect(answers[1]["problem"]?["detail"] == "the line is longer than 1000 bytes")
    }
    #expect(service.groups.flatMap(\.self) == ["e1", "e3"])
  }

  /// The head of a request whose body has an unknown length. The lines of a short body with a
  /// Content-Length would be submitted together.
  private static let head = """
    POST /v1/events HTTP/1.1\r
    Host: a\r
    Content-Type: application/x-ndjson\r
    Transfer-Encoding: chunked\r
    \r

    """

  private static func chunk(_ text: String) -> String {
    "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
  }

  @Test func `a stream stops at the line where the service becomes unavailable`() async throws {
    let service = try FakeService()
    service.set { $0.groupsLeft = 1 }
    var limits = APILimits()
    limits.groupLines = 2
    let lines = (1...5).map { Fixtures.event("e\($0)") }.joined(separator: "\n")
    try await TestServer.serving(service, limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(Self.head + Self.chunk(lines + "\n") + "0\r\n\r\n")
        let answer = try await connection.receive(until: "\r\n0\r\n\r\n")
        for line in 1...2 { #expect(answer.contains("\"line\":\(line),\"id\":\"e\(line)\"")) }
        #expect(answer.contains("\"line\":3,\"status\":\"stopped\""))
        #expect(answer.contains("\"status\":507") && answer.contains("the disk is full"))
        #expect(!answer.contains("\"line\":4"))
      }
    }
    #expect(service.groups == [["e1", "e2"]])
  }

  @Test func `each line is answered while the stream continues`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(
          "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n")
        for number in 1...3 {
          let line = Fixtures.event("e\(number)") + "\n"
          try await connection.send("\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n")
          let answers = try await connection.receive(until: "{\"line\":\(number)")
          #expect(answers.contains("\"id\":\"e\(number)\",\"status\":\"accepted\""))
        }
        try await connection.send("0\r\n\r\n")
        #expect(try await connection.receive(until: "\r\n0\r\n\r\n").hasSuffix("\r\n0\r\n\r\n"))
      }
    }
    #expect(service.groups == [["e1"], ["e2"], ["e3"]])
  }

  @Test func `a stream with invalid chunks is cut off`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        let line = Fixtures.event("e1") + "\n"
        try await connection.send(
          "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n"
            + "\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n")
        _ = try await connection.receive(until: "accepted")
        try await connection.send("no number\r\n")
        let answer = try await connection.receiveAll()
        #expect(answer.ranges(of: "HTTP/1.1").count == 1)
        #expect(!answer.hasSuffix("\r\n0\r\n\r\n"))
      }
    }
    #expect(service.groups == [["e1"]])
  }

  @Test func `the end of the service ends a stream of events`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(Self.head + Self.chunk(Fixtures.event("e1") + "\n"))
        _ = try await connection.receive(until: "accepted")
        await server.stop()
        let rest = try await connection.receiveAll()
        #expect(rest.contains("{\"line\":2,\"status\":\"stopped\""))
        #expect(rest.contains("the service is stopping; send the rest again"))
        #expect(rest.hasSuffix("\r\n0\r\n\r\n"))
      }
    }
    #expect(service.groups == [["e1"]])
  }

  @Test func `an unfinished last line is not accepted`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        let half = Fixtures.event("e2").dropLast()
        try await connection.send(Self.head + Self.chunk("\(Fixtures.event("e1"))\n\(half)"))
        connection.finish()
        let answer = try await connection.receiveAll()
        #expect(answer.contains("\"id\":\"e1\",\"status\":\"accepted\""))
        #expect(!answer.contains("\"line\":2"))
        #expect(!answer.hasSuffix("\r\n0\r\n\r\n"))
      }
    }
    #expect(service.groups == [["e1"]])
  }
}
