import API
import Foundation
import JSON
import Testing

/// Requests in one piece, in several pieces, or several at once on one connection.
@Suite(.timeLimit(.minutes(1))) struct EventRequestHandlerTests {
  /// Returns a request that posts an event.
  private func request(_ event: String) -> String {
    """
    POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\
    Content-Length: \(event.utf8.count)\r\n\r\n\(event)
    """
  }

  private let query = "GET /v1/recipients/nobody/pending HTTP/1.1\r\nHost: a\r\n\r\n"

  /// The statuses of the answers, in order.
  private func statuses(in answers: String) -> [String] {
    answers.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
  }

  /// Reads until a number of answers has begun to arrive.
  private func receive(_ count: Int, on connection: RawConnection) async throws {
    while statuses(in: connection.received).count < count {
      guard try await connection.receiveMore() else { return }
    }
  }

  @Test func `pipelined requests are answered in order`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        let events = ["e1", "e2", "e1", "{", "e3"].map {
          request($0 == "{" ? $0 : Fixtures.event($0))
        }
        let requests = [
          query, events[0], events[1], query, query, events[2], events[3], events[4],
        ]
        try await connection.send(requests.joined())
        connection.finish()
        let answers = try await connection.receiveAll()
        #expect(
          statuses(in: answers) == ["404", "202", "202", "404", "404", "200", "400", "202"])
      }
    }
    #expect(service.groups == [["e1"], ["e2"], ["e1"], ["e3"]])
  }

  @Test func `a request may arrive in pieces of any length`() async throws {
    let service = try FakeService()
    let text = request(Fixtures.event("e1")) + request(Fixtures.event("e2"))
    try await TestServer.serving(service) { server in
      for pieceLength in [1, 7, text.utf8.count / 2, text.utf8.count] {
        try await RawConnection.opened(to: server) { connection in
          var rest = text[...]
          while !rest.isEmpty {
            try await connection.send(String(rest.prefix(pieceLength)))
            rest = rest.dropFirst(pieceLength)
          }
          connection.finish()
          #expect(try await statuses(in: connection.receiveAll()).count == 2)
        }
      }
    }
    #expect(service.groups == Array(repeating: [["e1"], ["e2"]], count: 4).flatMap(\.self))
  }

  @Test func `an invalid second request does not affect the first answer`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(request(Fixtures.event("e1")) + "no request\r\n\r\n")
        let answers = try await connection.receiveAll()
        #expect(statuses(in: answers).first == "202")
      }
    }
    #expect(service.groups == [["e1"]])
  }

  /// Rule H3: no part of a body beyond the limit is accepted.
  @Test func `a body that is too long is refused even if it arrives at once`() async throws {
    let service = try FakeService()
    let event = Fixtures.event("e1")
    var limits = APILimits()
    limits.body = event.utf8.count - 1
    let chunked =
      "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n" + String(event.utf8.count, radix: 16)
      + "\r\n\(event)\r\n0\r\n\r\n"
    try await TestServer.serving(service, limits: limits) { server in
      for text in [request(event), chunked] {
        try await RawConnection.opened(to: server) { connection in
          try await connection.send(text)
          connection.finish()
          let answers = try await connection.receiveAll()
          #expect(statuses(in: answers) == ["413"], "\(answers)")
        }
      }
    }
    #expect(service.groups == [])
  }

  @Test func `a request with Connection: close is the last`() async throws {
    let service = try FakeService()
    let text = request(Fixtures.event("e1"))
      .replacing("Host: a", with: "Host: a\r\nConnection: close")
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(text)
        #expect(try await statuses(in: connection.receiveAll()) == ["202"])
      }
    }
    #expect(service.groups == [["e1"]])
  }

  @Test func `a connection may alternate between events and other requests`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        for number in 1...3 {
          try await connection.send(query)
          try await receive(2 * number - 1, on: connection)
          try await connection.send(request(Fixtures.event("e\(number)")))
          try await receive(2 * number, on: connection)
        }
        #expect(
          statuses(in: connection.received) == ["404", "202", "404", "202", "404", "202"])
      }
    }
    #expect(service.groups == [["e1"], ["e2"], ["e3"]])
  }

  /// The decoder holds the beginning of a head. What follows belongs to that head, even if it looks
  /// like a request.
  @Test(arguments: [
    "POST /v1/events HTTP/1.1\r\nHost: a\r\nX-Note: ", "GET /healthz HTTP/1.1\r\nX-Note: ",
    "G",
  ])
  func `a request within an incomplete head is not accepted`(beginning: String) async throws {
    let service = try FakeService()
    var limits = APILimits()
    limits.headDeadline = .seconds(1)
    limits.linger = .milliseconds(50)
    try await TestServer.serving(service, limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(query + beginning)
        _ = try await connection.receive(until: "\"}")
        try await connection.send(request(Fixtures.event("e1")))
        let answers = try await connection.receiveAll()
        #expect(
          statuses(in: answers).count == 2 && !statuses(in: answers).contains("202"), "\(answers)")
      }
    }
    #expect(service.groups == [])
  }

  @Test func `a request within the body of another one is not accepted`() async throws {
    let service = try FakeService()
    let hidden = request(Fixtures.event("hidden"))
    let outer = "POST /nowhere HTTP/1.1\r\nHost: a\r\n"
    let bodies = [
      "Content-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
      "Transfer-Encoding: chunked\r\n\r\n\(String(hidden.utf8.count, radix: 16))\r\n\(hidden)\r\n"
        + "0\r\n\r\n",
    ]
    try await TestServer.serving(service) { server in
      for body in bodies {
        try await RawConnection.opened(to: server) { connection in
          let text = outer + body
          let head = text.prefix { $0 != "{" }
          try await connection.send(String(head))
          try await connection.send(String(text.dropFirst(head.count)) + query)
          connection.finish()
          #expect(try await statuses(in: connection.receiveAll()).first == "404")
        }
      }
    }
    #expect(service.groups == [])
  }

  @Test func `nothing is accepted after a request with Connection: close`() async throws {
    let service = try FakeService()
    let last = query.replacing("Host: a", with: "Host: a\r\nConnection: close")
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(last)
        let answer = try await connection.receive(until: "\"}")
        #expect(statuses(in: answer) == ["404"])
        try? await connection.send(request(Fixtures.event("e1")))
        _ = try? await connection.receiveAll()
      }
    }
    #expect(service.groups == [])
  }
}
