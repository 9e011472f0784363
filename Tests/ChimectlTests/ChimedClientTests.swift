import ChimedClient
import Testing

/// The Swift client together with the service's own interface.
@Suite struct ChimedClientTests {
  private struct Status: Decodable {
    let recipients: Int
  }

  private struct Page: Decodable {
    let recipient: String
    let next: String?
  }

  @Test func `an event is accepted`() async throws {
    try await TestService.serving { socket in
      let chimed = ChimedClient(.socket(socket))
      #expect(try await chimed.send(ChimedEvent("relapse", of: "u1")) == .accepted)
      let event = try ChimedEvent(
        "lesson.completed", of: "u1", source: "app", identifier: "e1", data: ["day": 2])
      #expect(try await chimed.send(event) == .accepted)
    }
  }

  @Test func `each event of a batch has its receipt`() async throws {
    try await TestService.serving { socket in
      var traced = ChimedEvent("relapse", of: "u1")
      traced.attributes = ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]
      let receipts = try await ChimedClient(.socket(socket)).send([
        traced, ChimedEvent("relaps", of: "u1"), ChimedEvent("checkin.completed", of: "u2"),
      ])
      #expect(receipts.count == 3 && receipts[0] == .accepted && receipts[2] == .accepted)
      guard case .refused(let problem) = receipts[1] else {
        Issue.record("\(receipts[1])")
        return
      }
      #expect(problem.status == 422)
      #expect(problem.type == "urn:chimed:problem:unacceptable-event")
      #expect(problem.path == "type")
    }
  }

  @Test func `a refusal has its reason`() async throws {
    try await TestService.serving { socket in
      let error = await #expect(throws: ChimedError.self) {
        try await ChimedClient(.socket(socket)).send(ChimedEvent("relaps", of: "u1"))
      }
      guard case .refused(let problem) = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(problem.status == 422)
      #expect(error?.description.contains("did you mean \"relapse\"?") == true)
    }
  }

  @Test func `a document is decoded as a type`() async throws {
    try await TestService.serving { socket in
      let chimed = ChimedClient(.socket(socket))
      #expect(try await chimed.read(Status.self, from: "/v1/status").recipients == 1)
      let name = ChimedClient.segment(TestService.recipient)
      let page = try await chimed.read(Page.self, from: "/v1/recipients/\(name)/pending?limit=1")
      #expect(page.recipient == TestService.recipient)
      #expect(page.next != nil)
      await #expect(throws: ChimedError.self) {
        try await chimed.read(Page.self, from: "/v1/status")
      }
    }
  }

  @Test func `a long response arrives in parts`() async throws {
    try await TestService.serving { socket in
      let name = ChimedClient.segment(TestService.recipient)
      let chimed = ChimedClient(.socket(socket))
      let path = "/v1/recipients/\(name)/pending?limit=1000"
      var bytes: [UInt8] = []
      for try await part in try await chimed.stream("GET", path) { bytes += part }
      #expect(bytes == (try await chimed.request("GET", path)))
      #expect(bytes.count > 100_000)
    }
  }

  @Test func `a missing service is unreachable`() async throws {
    let chimed = ChimedClient(.socket("/tmp/chimed-test-none"))
    let error = await #expect(throws: ChimedError.self) { try await chimed.request("GET", "/") }
    guard case .unreachable(let code?, _) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(code == 2)
  }

  /// An invalid token is refused although the socket's peer would be trusted.
  @Test func `the token is sent`() async throws {
    try await TestService.serving { socket in
      let chimed = ChimedClient(.socket(socket), token: "chimed_none_x")
      let error = await #expect(throws: ChimedError.self) {
        try await chimed.request("GET", "/v1/status")
      }
      guard case .refused(let problem) = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(problem.status == 401)
    }
  }

  @Test func `a URL is also accepted as the address`() {
    let chimed = ChimedClient(.url("https://chimed.example.org/"))
    #expect("\(chimed.address)" == "https://chimed.example.org/")
    #expect(ChimedClient.segment("a/b é") == "a%2Fb%20%C3%A9")
  }
}
