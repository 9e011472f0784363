import API
import Access
import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import Synchronization
import Testing

/// Streams of the status and of log entries: `/v1/status/stream` and `/v1/log/stream`.
@Suite(.timeLimit(.minutes(1))) struct ServiceStreamTests {
  /// A log to which the test writes.
  private final class Control: ServiceControl {
    private struct State {
      var entries: [LogEntry] = []
      var last: Int64 = 0
      var notify: (@Sendable () -> Void)?
    }

    private final class Watch: Sendable {}

    private let state = Mutex(State())

    func write(_ level: LogLevel = .info, _ fields: [(name: String, value: String)] = []) {
      let notify = state.withLock { state in
        state.last += 1
        state.entries.append(
          LogEntry(
            number: state.last, at: Fixtures.now, level: level, kind: "0123",
            message: "entry \(state.last)", fields: fields))
        return state.notify
      }
      notify?()
    }

    func removeAllEntries() { state.withLock { $0.entries = [] } }

    func reload() async throws(ReloadError) -> ReloadReport { ReloadReport() }
    var logLevel: LogLevel { .info }
    func setLogLevel(_ level: LogLevel) {}

    func log(_ question: LogQuery) -> LogPage {
      state.withLock { state in
        LogPage(
          question, from: state.entries.filter { $0.number > question.after ?? 0 }, last: state.last
        )
      }
    }

    func watchLog(_ notify: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
      state.withLock { $0.notify = notify }
      return Watch()
    }
  }

  private let service: LiveService
  private let control = Control()
  private let tokens = FakeTokens()

  init() throws {
    service = try LiveService("imanpath", at: "2026-03-02T12:00:00Z") { batch in
      batch.map { _ in .delivered }
    }
  }

  private func serving(
    _ limits: APILimits = APILimits(), _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.serving(
      service, listen: TCPAddress("127.0.0.1:0"), access: APIAccess(tokens: tokens),
      control: control, limits: limits, body)
  }

  private func open(
    _ path: String, on connection: RawConnection, _ fields: String...
  ) async throws {
    let head = ["GET \(path) HTTP/1.1", "Host: localhost"]
    try await connection.send((head + fields).joined(separator: "\r\n") + "\r\n\r\n")
  }

  private func numbers(_ stream: EventStreamReader) -> [Int64] {
    stream.events.filter { $0.name == "entry" }.compactMap { $0.data["number"]?.integerValue }
  }

  // MARK: - The status

  @Test func `the status is sent after each change`() async throws {
    var limits = APILimits()
    limits.statusPause = .milliseconds(50)
    try await serving(limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/status/stream", on: connection)
        let first = try await connection.stream { !$0.events.isEmpty }
        #expect(first.retry == "2000" && first.lastEventID == nil)
        #expect(first.events[0].name == "status" && first.events[0].data["recipients"] == 0)
        for (number, name) in ["amina", "bilal"].enumerated() {
          try await service.ingest("streak.started", of: name)
          let stream = try await connection.stream {
            $0.events.last?.data["recipients"]?.integerValue == Int64(number + 1)
          }
          #expect(stream.events.allSatisfy { $0.id == nil })
        }
        let status = try await server.get("/v1/status").json
        let last = try await connection.stream { !$0.events.isEmpty }.events.last?.data
        #expect(last?["lanes"]?[0]?["sink"] == status["lanes"]?[0]?["sink"])
      }
    }
  }

  @Test func `an unchanged status is sent from time to time`() async throws {
    var limits = APILimits()
    limits.statusPause = .milliseconds(20)
    try await serving(limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/status/stream", on: connection)
        let stream = try await connection.stream { $0.events.count >= 3 }
        #expect(stream.events.map(\.data).allSatisfy { $0["now"] != nil })
      }
    }
  }

  @Test func `the end of the service or revoking the token ends both streams`() async throws {
    var limits = APILimits()
    limits.statusPause = .milliseconds(20)
    limits.heartbeat = .milliseconds(20)
    try await serving(limits) { server in
      for path in ["/v1/status/stream", "/v1/log/stream"] {
        let token = tokens.make(.support)
        try await RawConnection.opened(to: server, isOverTCP: true) { connection in
          try await open(path, on: connection, "Authorization: Bearer \(token)")
          _ = try await connection.stream { $0.retry != nil }
          let identifier = try #require(tokens.tokens.last { $0.revoked == nil }?.identifier)
          #expect(try await server.call("DELETE", "/v1/tokens/\(identifier)").status == 200)
          let stream = try await connection.stream { $0.events.last?.name == "end" }
          #expect(stream.events.last?.data == ["reason": "unauthorized"])
        }
      }
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/log/stream", on: connection)
        _ = try await connection.stream { $0.retry != nil }
        await server.stop()
        let text = try await connection.receiveAll()
        #expect(try EventStreamReader(text).events.last?.data == ["reason": "stopping"])
      }
    }
  }

  @Test func `H5: each stream requires the right to read its document`() async throws {
    try await serving { server in
      for (path, scope) in [
        ("/v1/status/stream", AccessScope.recipient("amina")),
        ("/v1/log/stream", .recipient("amina")), ("/v1/log/stream", .observer),
      ] {
        let reply = try await server.get(path, bearing: tokens.make(scope))
        #expect(reply.status == 403)
      }
      let changes = "/v1/log/stream?changes=true"
      let refused = try await server.get(changes, bearing: tokens.make(.support))
      #expect(refused.status == 403)
      let invalid = try await server.get("/v1/log/stream?level=loud")
      #expect(invalid.status == 400)
    }
  }

  @Test func `H6: log streams are counted, and those beyond the limit are refused`() async throws {
    var limits = APILimits()
    limits.streams = 1
    try await serving(limits) { server in
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/log/stream", on: connection)
        _ = try await connection.stream { $0.retry != nil }
        #expect(try await server.call("GET", "/v1/status/stream").status == 503)
        #expect(try await server.call("GET", "/v1/log/stream").status == 503)
      }
    }
  }

  // MARK: - The log

  @Test func `each log entry is sent when it is written`() async throws {
    control.write()
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/log/stream?level=warning", on: connection)
        _ = try await connection.stream { $0.lastEventID != nil }
        for level in [LogLevel.warning, .info, .error] { control.write(level) }
        let stream = try await connection.stream { numbers($0).count == 2 }
        #expect(numbers(stream) == [2, 4])
        #expect(stream.events[0].data["message"] == "entry 2")
      }
    }
  }

  @Test func `H5: the stream for support leaves out audited changes`() async throws {
    try await serving { server in
      let token = tokens.make(.support)
      try await RawConnection.opened(to: server, isOverTCP: true) { connection in
        try await open("/v1/log/stream", on: connection, "Authorization: Bearer \(token)")
        _ = try await connection.stream { $0.lastEventID != nil }
        control.write(.notice, [("actor", "user 0")])
        control.write()
        #expect(try await numbers(connection.stream { !numbers($0).isEmpty }) == [2])
      }
    }
  }

  @Test func `a log stream that reconnects misses nothing`() async throws {
    try await serving { server in
      var lastEventID: String?
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/log/stream", on: connection)
        lastEventID = try await connection.stream { $0.lastEventID != nil }.lastEventID
        control.write()
        lastEventID = try await connection.stream { numbers($0) == [1] }.lastEventID
      }
      for _ in 0..<2_500 { control.write() }
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/log/stream", on: connection, "Last-Event-ID: \(lastEventID ?? "")")
        _ = try await connection.receive(until: "\"number\":2501")
        let stream = try await connection.stream { numbers($0).last == 2_501 }
        #expect(numbers(stream) == Array(2...2_501))
        #expect(!stream.events.contains { $0.name == "cut" })
      }
    }
  }

  @Test func `a gap in the log is reported by a cut event`() async throws {
    for _ in 0..<3 { control.write() }
    control.removeAllEntries()
    control.write()
    try await serving { server in
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/log/stream?after=1", on: connection)
        let stream = try await connection.stream { !numbers($0).isEmpty }
        #expect(stream.events.map(\.name) == ["cut", "entry"] && numbers(stream) == [4])
      }
      // Each start of the service numbers its entries from 1.
      try await RawConnection.opened(to: server) { connection in
        try await open("/v1/log/stream?lastEventId=other-1", on: connection)
        let stream = try await connection.stream { !numbers($0).isEmpty }
        #expect(stream.events.map(\.name) == ["cut", "entry"] && numbers(stream) == [4])
      }
      let lost = try await server.call("GET", "/v1/log/stream?lastEventId=nonsense")
      #expect(lost.status == 410)
    }
  }
}
