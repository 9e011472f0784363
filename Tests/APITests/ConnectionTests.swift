import API
import JSON
import Testing

/// Clients that behave badly, by mistake or on purpose.
@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
  private func head(_ fields: String...) -> String {
    let all = ["POST /v1/events HTTP/1.1", "Host: a", "Content-Type: application/json"] + fields
    return all.joined(separator: "\r\n") + "\r\n\r\n"
  }

  @Test func `a half-sent body changes nothing`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        let event = Fixtures.event("e1")
        try await connection.send(head("Content-Length: \(event.utf8.count + 9)") + event)
        connection.finish()
        let answer = try await connection.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 400"))
        #expect(answer.contains("the connection ended before the body did"))
      }
    }
    #expect(service.groups == [])
  }

  @Test func `an unfinished body is discarded`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      for partial in ["{", Fixtures.event("e1")] {
        try await RawConnection.opened(to: server) { connection in
          try await connection.send(head("Content-Length: 1000") + partial)
        }
      }
      #expect(try await server.get("/healthz").status == 200)
    }
    #expect(service.groups == [])
  }

  @Test func `a slow body is refused at its deadline`() async throws {
    let service = try FakeService()
    var limits = APILimits()
    limits.bodyDeadline = .milliseconds(50)
    try await TestServer.serving(service, limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(head("Content-Length: 1000") + "{")
        let answer = try await connection.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 408"))
        #expect(answer.contains("Connection: close"))
        #expect(answer.contains("urn:chimed:problem:slow-body"))
      }
    }
    #expect(service.groups == [])
  }

  @Test(arguments: ["", "POST /v1/events HTTP/1.1\r\nHo"])
  func `a silent connection is closed`(beginning: String) async throws {
    var limits = APILimits()
    // On a busy machine it takes a while to send the beginning.
    limits.idle = .seconds(1)
    try await TestServer.serving(FakeService(), limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        if !beginning.isEmpty { try await connection.send(beginning) }
        let answer = try await connection.receiveAll()
        #expect(answer == "")
      }
    }
  }

  @Test func `a body announced as too long is refused before it is sent`() async throws {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(head("Content-Length: 8388609"))
        let answer = try await connection.receive(until: "\"}")
        #expect(answer.hasPrefix("HTTP/1.1 413"))
        #expect(answer.contains("Connection: close"))
      }
    }
  }

  @Test func `a client that sends a body that is too long can read the refusal`() async throws {
    let service = try FakeService()
    let body = "\"" + String(repeating: "a", count: 3 << 20) + "\""
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(head("Content-Length: \(body.utf8.count)") + body)
        let answer = try await connection.receive(until: "\"}")
        #expect(answer.contains("the body is longer than 1048576 bytes; nothing was changed"))
        #expect(answer.contains("application/x-ndjson"))
      }
    }
    #expect(service.groups == [])
  }

  @Test func `a body of unknown length is refused once it is too long`() async throws {
    let service = try FakeService()
    var limits = APILimits()
    (limits.body, limits.batch) = (100, 100)
    try await TestServer.serving(service, limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(head("Transfer-Encoding: chunked"))
        try await connection.send("80\r\n" + String(repeating: " ", count: 0x80) + "\r\n")
        #expect(try await connection.receive(until: "\"}").hasPrefix("HTTP/1.1 413"))
      }
    }
    #expect(service.groups == [])
  }

  @Test func `a client that keeps sending after its answer is disconnected`() async throws {
    var limits = APILimits()
    limits.linger = .milliseconds(50)
    limits.idle = .seconds(3_600)
    try await TestServer.serving(FakeService(), limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(
          "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
        let answer = try await connection.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 404"))
      }
    }
  }

  @Test func `a client that does not read is disconnected`() async throws {
    var limits = APILimits()
    limits.stallTimeout = .milliseconds(50)
    limits.idle = .seconds(3_600)
    try await TestServer.serving(FakeService(), limits: limits) { server in
      try await RawConnection.opened(to: server) { connection in
        let request = "GET /v1/status HTTP/1.1\r\nHost: a\r\n\r\n"
        await #expect(throws: (any Error).self) {
          while true { try await connection.send(String(repeating: request, count: 1_000)) }
        }
      }
    }
  }

  @Test func `Expect: 100-continue is answered before the body is sent`() async throws {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        let event = Fixtures.event("e1")
        try await connection.send(
          head("Expect: 100-continue", "Content-Length: \(event.utf8.count)"))
        let interimAnswer = try await connection.receive(until: "\r\n\r\n")
        #expect(interimAnswer == "HTTP/1.1 100 Continue\r\n\r\n")
        try await connection.send(event)
        #expect(try await connection.receive(until: "accepted").contains("HTTP/1.1 202 Accepted"))
      }
    }
  }

  @Test func `a connection serves many requests`() async throws {
    let service = try FakeService()
    try await TestServer.serving(service) { server in
      try await RawConnection.opened(to: server) { connection in
        for number in 1...3 {
          let event = Fixtures.event("e\(number)")
          try await connection.send(head("Content-Length: \(event.utf8.count)") + event)
        }
        #expect(try await connection.receive(until: "\"e3\"").contains("\"e1\""))
      }
    }
    #expect(service.groups == [["e1"], ["e2"], ["e3"]])
  }

  @Test func `a connection beyond the limit waits until another ends`() async throws {
    let service = try FakeService()
    var limits = APILimits()
    limits.connections = 1
    limits.evictionGrace = .seconds(3_600)
    func request(_ identifier: String) -> String {
      let event = Fixtures.event(identifier)
      return head("Content-Length: \(event.utf8.count)") + event
    }
    try await TestServer.serving(service, limits: limits) { server in
      try await RawConnection.opened(to: server) { first in
        try await first.send(request("e1"))
        _ = try await first.receive(until: "\"e1\"")
        try await RawConnection.opened(to: server) { second in
          try await second.send(request("late"))
          for number in 2...50 {
            try await first.send(request("e\(number)"))
            _ = try await first.receive(until: "\"e\(number)\"")
          }
          first.finish()
          #expect(try await second.receive(until: "late").contains("HTTP/1.1 202"))
        }
      }
    }
    #expect(service.groups == (1...50).map { ["e\($0)"] } + [["late"]])
  }

  @Test(arguments: ["hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{0}\r\n\r\n"])
  func `bytes that are not HTTP are refused`(bytes: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send(bytes)
        let answer = try await connection.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 400"))
      }
    }
  }

  @Test func `a head that is too long is refused`() async throws {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        let field = "X-A: " + String(repeating: "a", count: 100_000)
        try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
        #expect(try await connection.receive(until: "\"}").hasPrefix("HTTP/1.1 431"))
      }
    }
  }

  @Test(arguments: [
    "/v1/recipients/\u{e9}/pending", "/%", "/?%", "/v1/recipients/%ff/pending",
    "/v1/recipients/%0/pending", "/x?", "/#", "*",
  ])
  func `strange paths are answered with a client error`(path: String) async throws {
    try await TestServer.serving(FakeService()) { server in
      try await RawConnection.opened(to: server) { connection in
        try await connection.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let answer = try await connection.receiveAll()
        #expect(answer.hasPrefix("HTTP/1.1 40"))
      }
    }
  }
}
