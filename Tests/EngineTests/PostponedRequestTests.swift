import Access
import CivilTime
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Requests without a waiting caller that could not be recorded.
@Suite struct PostponedRequestTests {
  /// Another node has added a token and paused a sink. Each heartbeat requests to read them.
  @Test func `E11: changes of other nodes are read as soon as the disk has room`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    let token = TokenRecord(
      identifier: "t", name: "t", scope: .administrator, digest: Array(0..<32), created: stage.now)
    try stage.core().store.commit { transaction in
      try transaction.save(tokens: [token])
      try transaction.saveNote("paused sinks", stage.sink.name)
    }
    try stage.limitPages(isFull: true)
    for round in 1...2 {
      let events = try (1...1_000).map { number in
        try Fixtures.event(
          "\(round)-\(number)", "relapse", of: "u\(number)", at: stage.now,
          planner: stage.planner)
      }
      #expect(throws: StoreError.self) {
        try stage.core().turn([.refresh, .submit(events, { _ in })], now: stage.now)
      }
      #expect(try stage.core().postponed.count == 1)
      #expect(try stage.core().tokens["t"] == nil)
    }
    try stage.limitPages(isFull: false)
    try stage.turn()
    #expect(try stage.core().postponed.isEmpty)
    #expect(try stage.core().tokens["t"] == token)
    #expect(try stage.core().outbox.dispatcher.paused == [stage.sink.name])
  }
}
