import Access
import CivilTime
import JSON
import Synchronization
import Testing

@testable import Engine

/// Tokens count from when they are on disk, and no longer than until they are revoked (rule H1).
@Suite struct TokenTests {
  private func token(_ identifier: String, _ scope: AccessScope, _ stage: Stage) -> TokenRecord {
    TokenRecord(
      identifier: identifier, name: identifier, scope: scope, digest: Array(0..<32),
      created: stage.now)
  }

  /// Takes a turn; returns what was answered.
  private func turn(_ stage: Stage, _ change: TokenChange) throws -> TokenRecord? {
    let answers = Mutex<[TokenRecord?]>([])
    try stage.turn([.token(change) { result in answers.withLock { $0.append(try? result.get()) } }])
    return try #require(answers.withLock(\.self).first)
  }

  @Test func aTokenSurvivesARestart() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    let token = token("a", .recipient("u1"), stage)
    #expect(try turn(stage, .add(token)) == token)
    #expect(try stage.core().tokens["a"] == token)
    try stage.crash()
    #expect(try stage.core().tokens["a"] == token)
  }

  @Test func revocationCountsAtOnceAndForEver() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .administrator, stage)))
    let revoked = try turn(stage, .revoke(identifier: "a", stage.now))
    #expect(revoked?.standing(at: stage.now) == .revoked(stage.now))
    #expect(try stage.core().tokens["a"] == revoked)
    #expect(try turn(stage, .revoke(identifier: "a", stage.now + .hours(1))) == revoked)
    try stage.crash()
    #expect(try stage.core().tokens["a"] == revoked)
  }

  @Test func whatIsNotThereIsNotRevoked() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    #expect(try turn(stage, .revoke(identifier: "a", stage.now)) == nil)
  }

  /// Rule H4.
  @Test func whoIsErasedIsLetInNoMore() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .recipient("u1"), stage)))
    _ = try turn(stage, .add(token("b", .recipient("u2"), stage)))
    try stage.take("recipient.updated", ["timezone": "UTC"], of: "u1")
    try stage.take("recipient.deleted", of: "u1")
    #expect(try stage.core().tokens.all.map(\.identifier) == ["b"])
    try stage.crash()
    #expect(try stage.core().tokens.all.map(\.identifier) == ["b"])
  }

  /// Rule H5.
  @Test func aUseIsWrittenOnceAnHourAndOutlivesTheService() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .administrator, stage)))
    let table = try stage.core().tokens
    let times = [0, 1, 59, 60, 61].map { stage.now + .minutes($0) }
    #expect(times.map { table.noteUse(of: "a", at: $0) } == [true, false, false, true, false])
    #expect(!table.noteUse(of: "b", at: stage.now), "there is none")
    _ = try turn(stage, .use(identifier: "a", times[3]))
    #expect(table["a"]?.lastUse == times[4], "what is on disk is older")
    #expect(try turn(stage, .revoke(identifier: "a", stage.now))?.lastUse == times[3])
    try stage.crash()
    let after = try stage.core().tokens
    #expect(after["a"]?.lastUse == times[3] && after["a"]?.revoked == stage.now)
    #expect(!after.noteUse(of: "a", at: times[4]), "what was written counts")
  }

  /// A clock that was years ahead must not make a token look used until then, nor keep its uses
  /// from being written.
  @Test func t6AUseByAWrongClockDoesNotStay() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .administrator, stage)))
    let (table, right) = (try stage.core().tokens, stage.now + .minutes(5))
    let ahead = stage.now + .days(4_000)
    #expect(table.noteUse(of: "a", at: ahead))
    _ = try turn(stage, .use(identifier: "a", ahead))
    #expect(table.noteUse(of: "a", at: right))
    #expect(!table.noteUse(of: "a", at: right - .seconds(1)), "threads do not agree to the second")
    #expect(table["a"]?.lastUse == right)
    _ = try turn(stage, .use(identifier: "a", right))
    #expect(table["a"]?.lastUse == right)
  }

  /// A use that was on its way when the token was revoked does not bring it back.
  @Test func aUseBringsNothingBack() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .administrator, stage)))
    let now = stage.now
    try stage.turn([
      .token(.revoke(identifier: "a", now)) { _ in }, .token(.use(identifier: "a", now)) { _ in },
    ])
    #expect(try stage.core().tokens["a"]?.standing(at: now) == .revoked(now))
    try stage.crash()
    #expect(try stage.core().tokens["a"]?.standing(at: now) == .revoked(now))
  }
}
