import API
import Access
import CivilTime
import JSON
import Testing

/// Log entries of the service: `GET /v1/log`.
@Suite struct LogRouteTests {
  private struct Control: ServiceControl {
    let entries: [LogEntry]

    func reload() async throws(ReloadError) -> ReloadReport { ReloadReport() }
    var logLevel: LogLevel { .info }
    func setLogLevel(_ level: LogLevel) {}
    func log(_ query: LogQuery) -> LogPage {
      LogPage(query, from: entries.filter { $0.number > query.after ?? 0 }, last: 4)
    }
  }

  private static func entry(
    _ number: Int64, _ level: LogLevel, _ fields: [(name: String, value: String)]
  ) -> LogEntry {
    LogEntry(
      number: number, at: Fixtures.now, level: level, kind: "0123", message: "entry \(number)",
      fields: fields)
  }

  private let tokens = FakeTokens()
  private let control = Control(entries: [
    entry(1, .info, [("recipient", "u1"), ("sink", "hook")]),
    entry(2, .warning, [("sink", "hook")]),
    entry(3, .notice, [("actor", "user 0"), ("action", "reload")]),
    entry(4, .info, [("recipient", "u2")]),
  ])

  private func serving(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.serving(
      FakeService(), access: APIAccess(tokens: tokens), control: control, body)
  }

  private func numbers(_ page: JSONValue) -> [Int64] {
    (page["entries"]?.arrayValue ?? []).compactMap { $0["number"]?.integerValue }
  }

  @Test(
    arguments: [
      ("", [1, 2, 3, 4]), ("?limit=2", [3, 4]), ("?after=2", [3, 4]), ("?after=1&limit=1", [2]),
      ("?level=notice", [2, 3]), ("?recipient=u1", [1]), ("?sink=hook&level=warning", [2]),
      ("?changes=true", [3]), ("?after=4", []),
    ] as [(String, [Int64])])
  func `log entries are filtered and listed oldest first`(query: String, expected: [Int64])
    async throws
  {
    try await serving { server in
      let page = try await server.get("/v1/log" + query).json
      #expect(numbers(page) == expected)
    }
  }

  @Test func `S3: an entry with several sinks is found by each of them`() throws {
    let entry = Self.entry(1, .info, [("sink", "hook"), ("sink", "lines"), ("reason", "a,b")])
    #expect(entry["sink"] == "hook,lines" && entry["verdict"] == nil)
    var query = LogQuery()
    for (sink, isFound) in [("hook", true), ("lines", true), ("hook,lines", true), ("b", false)] {
      query.fields = ["sink": sink]
      #expect(query.matches(entry) == isFound, "\(sink)")
    }
  }

  @Test func `a client that follows the log misses no stored entry`() async throws {
    try await serving { server in
      var (readNumbers, after): ([Int64], String) = ([], "0")
      for _ in 1...3 {
        let page = try await server.get("/v1/log?limit=2&after=\(after)").json
        readNumbers += numbers(page)
        #expect(page["cut"] == false)
        after = try #require(page["latest"]?.stringValue)
      }
      #expect(readNumbers == [1, 2, 3, 4] && after == "4")
    }
  }

  @Test func `H5: log entries about changes are for administrators`() async throws {
    try await serving { server in
      let support = tokens.make(.support)
      let page = try await server.get("/v1/log", bearing: support).json
      #expect(numbers(page) == [1, 2, 4])
      #expect(try await server.get("/v1/log?changes=true", bearing: support).status == 403)
      for scope in [AccessScope.observer, .recipient("u1")] {
        #expect(try await server.get("/v1/log", bearing: tokens.make(scope)).status == 403)
      }
    }
  }

  @Test(arguments: ["level=loud", "after=x", "limit=0", "changes=maybe", "actor=me"])
  func `an invalid query of the log is refused`(query: String) async throws {
    try await serving { server in
      let reply = try await server.get("/v1/log?" + query)
      #expect(reply.status == 400)
    }
  }
}
