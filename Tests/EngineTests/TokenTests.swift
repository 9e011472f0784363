import Access
import CivilTime
import JSON
import Synchronization
import Testing

@testable import Engine

/// Rule H1: a token is valid once it is on disk and until it is revoked.
@Suite struct TokenTests {
  private func token(_ identifier: String, _ scope: AccessScope, _ stage: Stage) -> TokenRecord {
    TokenRecord(
      identifier: identifier, name: identifier, scope: scope, digest: Array(0..<32),
      created: stage.now)
  }

  /// Runs a cycle with a change and returns the answer.
  private func turn(_ stage: Stage, _ change: TokenChange) throws -> TokenRecord? {
    let answers = Mutex<[TokenRecord?]>([])
    try stage.turn([.token(change) { result in answers.withLock { $0.append(try? result.get()) } }])
    return try #require(answers.withLock(\.self).first)
  }

  @Test func `a token survives a restart`() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    let token = token("a", .recipient("u1"), stage)
    #expect(try turn(stage, .add(token)) == token)
    #expect(try stage.core().tokens["a"] == token)
    try stage.crash()
    #expect(try stage.core().tokens["a"] == token)
  }

  @Test func `a revocation takes effect at once and for good`() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .administrator, stage)))
    let revoked = try turn(stage, .revoke(identifier: "a", stage.now))
    #expect(revoked?.standing(at: stage.now) == .revoked(stage.now))
    #expect(try stage.core().tokens["a"] == revoked)
    #expect(try turn(stage, .revoke(identifier: "a", stage.now + .hours(1))) == revoked)
    try stage.crash()
    #expect(try stage.core().tokens["a"] == revoked)
  }

  @Test func `an unknown token cannot be revoked`() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    #expect(try turn(stage, .revoke(identifier: "a", stage.now)) == nil)
  }

  @Test func `H4: an erased recipient's tokens are removed`() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .recipient("u1"), stage)))
    _ = try turn(stage, .add(token("b", .recipient("u2"), stage)))
    try stage.take("recipient.updated", ["timezone": "UTC"], of: "u1")
    try stage.take("recipient.deleted", of: "u1")
    #expect(try stage.core().tokens.all.map(\.identifier) == ["b"])
    try stage.crash()
    #expect(try stage.core().tokens.all.map(\.identifier) == ["b"])
  }

  @Test func `H17: a token's last use is written once an hour and kept`() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .administrator, stage)))
    let table = try stage.core().tokens
    let times = [0, 1, 59, 60, 61].map { stage.now + .minutes($0) }
    #expect(times.map { table.recordUse(of: "a", at: $0) } == [true, false, false, true, false])
    #expect(!table.recordUse(of: "b", at: stage.now), "token b does not exist")
    _ = try turn(stage, .use(identifier: "a", times[3]))
    #expect(table["a"]?.lastUse == times[4], "the stored use is older")
    #expect(try turn(stage, .revoke(identifier: "a", stage.now))?.lastUse == times[3])
    try stage.crash()
    let restartedTable = try stage.core().tokens
    #expect(restartedTable["a"]?.lastUse == times[3] && restartedTable["a"]?.revoked == stage.now)
    #expect(!restartedTable.recordUse(of: "a", at: times[4]), "the stored use counts")
  }

  /// After a clock was years ahead, the token's last use is corrected, and later uses are written.
  @Test func `T6: a token's use in the future of a wrong clock is replaced by later uses`() throws {
    let stage = try Stage(at: "2026-03-02 02:00")
    _ = try turn(stage, .add(token("a", .administrator, stage)))
    let (table, right) = (try stage.core().tokens, stage.now + .minutes(5))
    let futureUse = stage.now + .days(4_000)
    #expect(table.recordUse(of: "a", at: futureUse))
    _ = try turn(stage, .use(identifier: "a", futureUse))
    #expect(table.recordUse(of: "a", at: right))
    #expect(!table.recordUse(of: "a", at: right - .seconds(1)), "threads may differ by a second")
    #expect(table["a"]?.lastUse == right)
    _ = try turn(stage, .use(identifier: "a", right))
    #expect(table["a"]?.lastUse == right)
  }

  /// The use was reported before the token was revoked.
  @Test func `a late use does not restore a revoked token`() throws {
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
