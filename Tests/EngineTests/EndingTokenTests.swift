import Access
import CivilTime
import Synchronization
import Systemd
import Testing

@testable import Engine

/// Rule H17: a token of an app does not expire without a warning.
@Suite struct EndingTokenTests {
  private func token(
    _ identifier: String, at now: Instant, for lifetime: TimeSpan = TokenRecord.defaultLifetime
  ) -> TokenRecord {
    TokenRecord(
      identifier: identifier, name: "app \(identifier)", scope: .administrator,
      digest: Array(0..<32), created: now, expiry: now + lifetime)
  }

  @Test func `H17: the status names an app's token around its expiry unless it was revoked`()
    throws
  {
    let stage = try Stage(at: "2026-03-02 02:00")
    let start = stage.now
    for (name, days) in [("a", 30), ("b", 31)] {
      try stage.turn([.token(.add(token(name, at: start, for: .days(days)))) { _ in }])
    }
    func namedTokens(_ day: Int) throws -> [String] {
      try stage.core().questions.status(now: start + .days(day)).endingTokens.map(\.identifier)
    }
    let days = try [15, 16, 17, 43, 44, 45].map(namedTokens)
    #expect(days == [[], ["a"], ["a", "b"], ["a", "b"], ["b"], []])
    let status = try stage.core().questions.status(now: start + .days(30))
    let words =
      "; token a \"app a\" has expired: it was valid until 2026-04-01T02:00:00.000Z (and 1 more)"
    #expect(StatusReporter.line(status).contains(words))
    try stage.crash()
    #expect(try namedTokens(30) == ["a", "b"])
    try stage.turn([.token(.revoke(identifier: "a", stage.now)) { _ in }])
    #expect(try namedTokens(30) == ["b"])
  }

  @Test func `H17: warnings come daily from 14 days before a token's expiry to 13 after`() throws {
    let start = try utc("2026-03-02 02:00")
    let ending = [token("a", at: start)].compactMap(EndingToken.init)
    var watch = TokenWatch()
    var (now, warnings) = (start, [TimeSpan]())
    #expect(watch.warnings(about: ending, at: now).isEmpty)
    while let wake = watch.wake {
      now = wake
      if !watch.warnings(about: ending, at: now).isEmpty { warnings.append(now - start) }
      #expect(watch.warnings(about: ending, at: now + .seconds(1)).isEmpty, "one warning a day")
    }
    #expect(warnings == (16...43).map { .days($0) })
    #expect(now == start + .days(44), "the last wake ends the report")
  }

  @Test func `H17: an expiry between two daily warnings causes a warning of its own`() throws {
    let start = try utc("2026-03-02 02:00")
    let ending = [token("a", at: start)].compactMap(EndingToken.init)
    var watch = TokenWatch()
    let first = start + .days(29) + .hours(12)
    #expect(watch.warnings(about: ending, at: first) == ending)
    #expect(watch.wake == start + .days(30))
    #expect(watch.warnings(about: ending, at: start + .days(30)) == ending)
    #expect(watch.warnings(about: [], at: start + .days(30)).isEmpty && watch.wake == nil)
  }

  @Test func `T6: a clock that is set back does not delay a warning`() throws {
    let start = try utc("2026-03-02 02:00")
    let ending = [token("a", at: start)].compactMap(EndingToken.init)
    var watch = TokenWatch()
    #expect(watch.warnings(about: ending, at: start + .days(40)) == ending)
    #expect(watch.warnings(about: ending, at: start + .days(20)) == ending)
  }

  @Test func `H17: the table is read only after a change, at a wake, or when the clock went back`()
    throws
  {
    let start = try utc("2026-03-02 02:00")
    let table = TokenTable()
    table.update([token("a", at: start)])
    var watch = TokenWatch()
    func names(_ day: Int) -> [String] {
      watch.warnings(from: table, at: start + .days(day)).map(\.identifier)
    }
    #expect(names(1) == [] && watch.wake == start + .days(16))
    table.update([token("a", at: start)])
    #expect(table.endingChanges == 1, "nothing has changed")
    #expect(names(16) == ["a"] && names(16) == [])
    table.update([token("b", at: start)])
    #expect(names(16) == ["b"])
    #expect(names(44) == [] && table.ending.isEmpty && watch.wake == nil)
    #expect(names(40) == ["a", "b"], "the clock was set back")
  }

  @Test func `H17: the journal advises to create a successor, then to revoke`() throws {
    let stage = try LoopStage(at: "2026-03-02 02:00")
    let token = token("a", at: stage.host.now())
    stage.host.plan(at: stage.host.now()) { [host = stage.host] in
      host.requestQueue.post(.token(.add(token)) { _ in })
    }
    try stage.stop(at: "2026-03-18 12:00")
    #expect(try stage.run() == nil)
    #expect(
      stage.ring.items(after: 0).map(\.entry.message).last { $0.hasPrefix("token ") }
        == "token a \"app a\" expires at 2026-04-01T02:00:00.000Z; create its successor: "
        + "chimectl token create 'app a' --scope admin; give it to the app, then revoke this one: "
        + "chimectl token revoke a")
  }

  /// The loop wakes 29 times for the token and rarely for anything else. The host checks twice for
  /// each wake.
  @Test func `H17: the loop wakes for the warnings about a token`() throws {
    let stage = try LoopStage(at: "2026-03-02 02:00")
    let token = token("a", at: stage.host.now())
    stage.host.plan(at: stage.host.now()) { [host = stage.host] in
      host.requestQueue.post(.token(.add(token)) { _ in })
    }
    try stage.stop(at: "2026-05-02 02:00")
    #expect(try stage.run() == nil)
    #expect((58...80).contains(stage.host.checkCount), "\(stage.host.checkCount)")
  }
}
