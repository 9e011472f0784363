import ArgumentParser
import JSON
import Store
import Testing

@testable import chimectl

/// The data that is going to be removed, as printed for operators (rule H7).
@Suite struct PruneTests {
  @Test func `H7: all pages of a part are one answer`() async throws {
    try await TestService.serving { socket in
      try await ServiceClient.connected(to: socket) { client in
        let forecast = try await PruneCommand.forecast(
          of: "events", client, Progress(isShown: false))
        #expect(
          JSONValue.object(forecast) == [
            "part": "events", "kept": "P90D", "count": 5, "oldest": "1970-01-01T00:00:01.000Z",
            "next": nil,
          ])
      }
    }
  }

  @Test func `H7: each part that the service removes is shown`() async throws {
    try await TestService.serving { socket in
      try await ServiceClient.connected(to: socket) { client in
        let forecasts = try await PruneCommand.forecasts(client, Progress(isShown: false))
        #expect(
          forecasts.map { $0["part"]?.stringValue } == RetentionPart.allCases.map { $0.rawValue })
      }
    }
  }

  @Test func `H7: each part is one line`() throws {
    let text = try PruneCommand.text([
      ["part": "attempts", "kept": "P30D", "count": 0, "oldest": nil],
      ["part": "events", "kept": nil, "count": 12, "oldest": "2026-03-02T21:00:00.000Z"],
    ])
    #expect(
      text == """
        PART      KEPT FOR  TO REMOVE  OLDEST
        attempts  P30D      0          -
        events    ever      12         2026-03-02T21:00:00.000Z

        """)
  }

  @Test func `H7: prune requires --dry-run, because nothing is removed by hand`() {
    let error = #expect(throws: (any Error).self) { try PruneCommand.parse([]) }
    #expect(error.map { PruneCommand.message(for: $0).contains("use --dry-run") } == true)
  }
}
