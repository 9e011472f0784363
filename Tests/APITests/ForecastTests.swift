import API
import JSON
import Testing

/// The expected volume of notifications, `GET /v1/forecast`, and a person's days under other
/// preferences.
@Suite(.timeLimit(.minutes(1))) struct ForecastTests {
  private let service: LiveService

  init() async throws {
    service = try LiveService("imanpath", at: "2026-03-02T02:00:00Z")
    for name in ["a", "b", "c"] { try await service.ingest("streak.started", of: name) }
  }

  @Test func `the forecast is the sum of all recipients' coming days`() async throws {
    try await TestServer.serving(service) { server in
      let forecast = try await server.get("/v1/forecast?hours=24&minutes=60").json
      #expect(forecast["people"] == 3 && forecast["asked"] == 3 && forecast["exact"] == true)
      let parts = try #require(forecast["parts"]?.arrayValue)
      #expect(parts.count == 24)
      var expected = [Int64](repeating: 0, count: 24)
      for name in ["a", "b", "c"] {
        let days = try await server.get("/v1/recipients/\(name)/ahead?days=1").json
        for entry in days["timeline"]?.arrayValue ?? [] where entry["outcome"] == "delivered" {
          let at = try #require(entry["at"]?.stringValue)
          guard at < "2026-03-03T02" else { continue }
          // The forecast begins at 02:00, so the hour 2 is its first part.
          let hour = try #require(Int(at.dropFirst(11).prefix(2)))
          expected[(hour + 22) % 24] += 1
        }
      }
      #expect(expected.reduce(0, +) > 0)
      #expect(parts.map { $0["count"]?.integerValue } == expected)
      #expect(parts[19]["categories"] == ["CHECKIN": 3])
      let categories = try #require(forecast["categories"]?.arrayValue)
      for category in categories {
        let name = try #require(category["category"]?.stringValue)
        let counts = parts.compactMap { $0["categories"]?[name]?.integerValue }
        #expect(category["count"]?.integerValue == counts.reduce(0, +))
        #expect(category["title"]?.stringValue?.isEmpty == false)
      }
      let counts = categories.compactMap { $0["count"]?.integerValue }
      #expect(counts == counts.sorted(by: >) && counts.reduce(0, +) == expected.reduce(0, +))
    }
  }

  @Test(arguments: [(15, "2026-03-02T02:00:00.000Z"), (5, "2026-03-02T02:05:00.000Z")])
  func `the parts of a forecast begin at multiples of their length`(minutes: Int, first: String)
    async throws
  {
    let service = try LiveService("imanpath", at: "2026-03-02T02:07:00Z")
    try await service.ingest("streak.started", of: "a")
    try await TestServer.serving(service) { server in
      let forecast = try await server.get("/v1/forecast?hours=24&minutes=\(minutes)").json
      let parts = try #require(forecast["parts"]?.arrayValue)
      #expect(parts.first?["at"]?.stringValue == first)
      #expect(parts.count == 24 * 60 / minutes + 1)
      let days = try await server.get("/v1/recipients/a/ahead?days=2").json["timeline"]?.arrayValue
      let entries = try #require(days).filter { $0["outcome"] == "delivered" }
        .compactMap { $0["at"]?.stringValue }.filter { $0 < "2026-03-03T02:07" }
      #expect(!entries.isEmpty)
      let starts = parts.compactMap { $0["at"]?.stringValue }
      var expected: [String: Int64] = [:]
      for entry in entries { expected[starts.last { $0 <= entry } ?? "", default: 0] += 1 }
      for part in parts {
        #expect(part["count"]?.integerValue == expected[part["at"]?.stringValue ?? ""] ?? 0)
      }
    }
  }

  @Test func `a forecast names categories in the requested language`() async throws {
    try await TestServer.serving(service) { server in
      func titles(_ query: String) async throws -> [String?] {
        let forecast = try await server.get("/v1/forecast\(query)").json
        return (forecast["categories"]?.arrayValue ?? []).map { $0["title"]?.stringValue }
      }
      let defaultTitles = try await titles("")
      #expect(!defaultTitles.isEmpty)
      #expect(try await titles("?language=en") == defaultTitles)
      let arabic = try await titles("?language=ar")
      #expect(arabic != defaultTitles && arabic.count == defaultTitles.count)
      #expect(try await titles("?language=tlh") == defaultTitles)
      #expect(try await server.get("/v1/forecast?language=%20").status == 400)
    }
  }

  @Test func `L2: the days with other preferences are shown without writing these`() async throws {
    try await TestServer.serving(service) { server in
      let path = "/v1/recipients/a/ahead"
      let current = try await server.get(path).json
      let quiet = #"{"quietHours":{"enabled":true,"start":"20:00","end":"07:00"}}"#
      let trial = try await server.post(quiet, to: path).json
      #expect(trial["timeline"] != current["timeline"])
      #expect(trial["quiet"]?.arrayValue?.isEmpty == false)
      #expect(try await server.get(path).json["timeline"] == current["timeline"])
      _ = try await server.call("PATCH", "/v1/recipients/a/preferences", body: quiet)
      #expect(try await server.get(path).json["timeline"] == trial["timeline"])
      #expect(try await server.post(#"{"quiet":{}}"#, to: path).status == 422)
    }
  }

  @Test func `a recipient's events are paged`() async throws {
    try await service.ingest("lesson.completed", ["day": 1], of: "a")
    try await TestServer.serving(service) { server in
      let path = "/v1/recipients/a/events"
      let page = try await server.get(path + "?limit=1").json
      #expect(page["events"]?[0]?["type"] == "lesson.completed")
      let next = try #require(page["next"]?.stringValue)
      let nextPage = try await server.get(path + "?limit=1&after=\(next)").json
      #expect(nextPage["events"]?[0]?["type"] == "streak.started" && nextPage["next"] == .null)
      #expect(try await server.get("/v1/recipients/nobody/events").status == 404)
    }
  }
}
