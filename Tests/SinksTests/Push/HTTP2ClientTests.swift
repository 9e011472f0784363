import CivilTime
import Foundation
import JSON
import Outbox
import Sinks
import Testing

private let needsPushPeer = Testing.ConditionTrait.enabled(
  if: PushPeer.isAvailable, "h2 is missing; run `make test`, which fetches it")

/// The client against an independent HTTP/2 implementation.
@Suite(needsPushPeer) struct HTTP2ClientTests {
  let stage: PushStage
  let client: HTTP2Client

  init() async throws {
    stage = try await PushStage()
    client = try HTTP2Client(trust: stage.keys.trust)
    try await stage.peer.set("access", ["good": 4_000_000_000])
  }

  private func request(_ token: String, to port: Int? = nil, host: String = "localhost")
    -> ExchangeRequest
  {
    ExchangeRequest(
      posting: Array("{\"message\":{\"token\":\"\(token)\"}}".utf8),
      to: ExchangeOrigin(host: host, port: port ?? stage.peer.port),
      path: "/v1/projects/tests/messages:send", headers: [("authorization", "Bearer good")])
  }

  private func send(_ token: String, within span: Duration = .seconds(30))
    async throws(ExchangeError) -> ExchangeResponse
  {
    try await client.send(request(token), before: .now + span)
  }

  @Test func `one connection carries all requests`() async throws {
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<500 { group.addTask { try await send("t\(number)").status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 500))
    let state = try await stage.peer.state
    #expect(state.openedCount == 1)
    #expect(Set(state.pushes.compactMap { try? $0.body["message"]?["token"] }).count == 500)
  }

  @Test func `the server's limit of streams is respected`() async throws {
    try await stage.peer.set("streams", 1)
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<20 { group.addTask { try await send("t\(number)").status } }
      return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
    }
    #expect(count == 20)
    #expect(try await stage.peer.state.openedCount == 1)
  }

  @Test func `a refused stream is sent again on the same connection`() async throws {
    try await stage.peer.script("a", ["do": "refuse"])
    #expect(try await send("a").status == 200)
    let state = try await stage.peer.state
    #expect(state.pushes.count == 2)
    #expect(state.openedCount == 1)
  }

  @Test func `a stream that is always refused is given up`() async throws {
    try await stage.peer.script(
      "a", ["do": "refuse"], ["do": "refuse"], ["do": "refuse"], ["do": "refuse"])
    await #expect(throws: ExchangeError.unprocessed("it refuses the request")) {
      try await send("a")
    }
  }

  @Test func `requests beyond a GOAWAY are sent on another connection`() async throws {
    #expect(try await send("first").status == 200)
    try await stage.peer.script("a", ["do": "go away"])
    #expect(try await send("a").status == 200)
    let state = try await stage.peer.state
    #expect(state.pushes(to: "a").map(\.connection) == [1, 2])
  }

  @Test func `a GOAWAY between requests is handled silently`() async throws {
    #expect(try await send("a").status == 200)
    try await stage.peer.command(["do": "go away"])
    #expect(try await send("b").status == 200)
    #expect(try await stage.peer.state.openedCount == 2)
  }

  @Test func `a request that may have been processed is not sent again`() async throws {
    try await stage.peer.script("a", ["do": "hang up"])
    await #expect(throws: ExchangeError.lost("the connection broke")) { try await send("a") }
    try await stage.peer.script("b", ["do": "reset"])
    await #expect(throws: ExchangeError.lost("the connection broke")) { try await send("b") }
    #expect(try await stage.peer.state.pushes.count == 2)
    #expect(try await send("a").status == 200)
  }

  @Test func `after a missing answer the connection is not reused`() async throws {
    #expect(try await send("a").status == 200)
    try await stage.peer.script("a", ["do": "stall"])
    await #expect(throws: ExchangeError.overdue) {
      try await send("a", within: .milliseconds(80))
    }
    #expect(try await send("a").status == 200)
    #expect(try await stage.peer.state.openedCount == 2)
  }

  @Test func `an answer that is not completed is overdue`() async throws {
    #expect(try await send("a").status == 200)
    try await stage.peer.script("a", ["do": "half"])
    await #expect(throws: ExchangeError.overdue) {
      try await send("a", within: .milliseconds(80))
    }
  }

  @Test func `an endless answer is cut off`() async throws {
    try await stage.peer.script("a", ["do": "flood"])
    await #expect(throws: ExchangeError.lost("it answers with more than 65536 bytes")) {
      try await send("a")
    }
    #expect(try await send("a").status == 200)
    #expect(try await stage.peer.state.openedCount == 1)
  }

  @Test func `an absent server is reported, and used again when it is back`() async throws {
    #expect(try await send("a").status == 200)
    try await stage.peer.command(["do": "close"])
    let failure = await #expect(throws: ExchangeError.self) {
      // The sink may not have noticed the end of the connection yet.
      _ = try? await send("a")
      _ = try await send("a")
    }
    #expect(
      failure?.reason == "localhost:\(stage.peer.port) is unreachable: Connection refused")
    try await stage.peer.command(["do": "listen"])
    #expect(try await send("a").status == 200)
  }

  @Test func `a certificate of an unknown authority is refused`() async throws {
    let client = try HTTP2Client()
    let failure = await #expect(throws: ExchangeError.self) {
      try await client.send(request("a"), before: .now + .seconds(30))
    }
    #expect(failure?.reason.contains("its certificate is not trusted") == true)
    #expect(try await stage.peer.state.requests.isEmpty)
  }

  @Test func `a certificate for another name is refused`() async throws {
    let failure = await #expect(throws: ExchangeError.self) {
      try await client.send(request("a", host: "127.0.0.1"), before: .now + .seconds(30))
    }
    #expect(failure?.reason.contains("its certificate is for another name") == true)
  }

  @Test func `an unknown name is reported`() async throws {
    let failure = await #expect(throws: ExchangeError.self) {
      try await client.send(request("a", host: "nowhere.invalid"), before: .now + .seconds(30))
    }
    #expect(failure?.reason.contains("check the name and DNS") == true)
  }

  @Test func `a silent server is unreachable at the deadline`() async throws {
    let silent = try SilentServer()
    let failure = await #expect(throws: ExchangeError.self) {
      try await client.send(request("a", to: silent.port), before: .now + .milliseconds(100))
    }
    #expect(failure?.reason.contains("it did not answer in time") == true)
  }

  @Test func `releasing the client closes its connection`() async throws {
    var client: HTTP2Client? = try HTTP2Client(trust: stage.keys.trust)
    _ = try await client?.send(request("a"), before: .now + .seconds(30))
    #expect(try await stage.peer.state.openCount == 1)
    client = nil
    while try await stage.peer.state.openCount != 0 {}
  }

  @Test func `a printed request shows no secret`() {
    #expect("\(request("secret"))" == "(a request to localhost:\(stage.peer.port))")
  }
}
