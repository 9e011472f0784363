import JSON
import Outbox
import Synchronization
import Testing

@testable import API

/// Rule H3: a batch may have 8 MiB, and few of that size are in memory at once.
@Suite(.timeLimit(.minutes(2))) struct LargeBatchTests {
  private final class Log: Sendable {
    let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private static func batch(bytes: Int) -> String {
    let event = #"{"specversion":"1.0","id":"1","source":"app","type":"relapse","subject":"u1"}"#
    let filler = String(repeating: " ", count: bytes - event.utf8.count - 2)
    return "[" + event + filler + "]"
  }

  /// `ConnectionTests` proves that a batch with one byte more is refused.
  @Test func `H3: a batch of eight mebibytes is accepted`() async throws {
    try await TestServer.serving(FakeService()) { server in
      for type in ["application/json", "application/cloudevents-batch+json"] {
        let reply = try await server.post(Self.batch(bytes: 8 << 20), as: type)
        #expect(reply.status == 200)
      }
    }
  }

  @Test func `H3: a single event longer than one mebibyte is refused`() async throws {
    let event = String(Self.batch(bytes: 1 << 20 + 3).dropFirst().dropLast())
    try await TestServer.serving(FakeService()) { server in
      let reply = try await server.post(event)
      #expect(reply.status == 413)
      #expect(reply.text.contains("longer than 1048576 bytes"))
    }
  }

  @Test func `H3: the refusal of a long body says what its route allows`() async throws {
    let body = "{\"a\":\"" + String(repeating: "a", count: 1 << 20) + "\"}"
    try await TestServer.serving(FakeService()) { server in
      let batch = try await server.post(Self.batch(bytes: 9 << 20))
      #expect(batch.status == 413)
      #expect(batch.text.contains("send smaller batches"))
      let change = try await server.call(
        "PATCH", "/v1/recipients/u1/preferences", headers: ["content-type": "application/json"],
        body: body)
      #expect(change.status == 413)
      #expect(change.text.contains("nothing was changed; send a shorter one\""))
    }
  }

  @Test func `H3: many large batches at once are all answered`() async throws {
    let body = Self.batch(bytes: 2 << 20)
    try await TestServer.serving(FakeService()) { server in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<12 { group.addTask { try await server.post(body).status } }
        for try await status in group { #expect(status == 200) }
      }
    }
  }

  @Test func `H3: a large batch waits while another is in memory`() async throws {
    let bodies = AsyncSemaphore(1)
    let log = Log()
    let (hasEntered, entrySignal) = AsyncStream<Void>.makeStream()
    let (mayLeave, exitSignal) = AsyncStream<Void>.makeStream()
    async let first: Void = bodies.withPermit {
      log.add("first in")
      entrySignal.finish()
      for await _ in mayLeave {}
      log.add("first out")
    }
    for await _ in hasEntered {}
    async let second: Void = bodies.withPermit { log.add("second in") }
    exitSignal.finish()
    _ = await (first, second)
    #expect(log.lines.withLock { $0 } == ["first in", "first out", "second in"])
    await bodies.withPermit { log.add("third in") }
  }
}
