import Access
import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Tokens are read as they were written.
@Suite struct TokenTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
  }

  private func token(_ identifier: String, _ scope: AccessScope) -> TokenRecord {
    TokenRecord(
      identifier: identifier, name: "آمنة's phone", scope: scope, digest: Array(0..<32),
      created: Fixtures.noon)
  }

  @Test func `tokens are read as they were written`() throws {
    var tokens = [token("a", .administrator), token("b", .recipient("amina"))]
    tokens[1].created = Fixtures.noon + .hours(1)
    tokens[1].expiry = Fixtures.noon + .days(30)
    tokens[1].revoked = Fixtures.noon + .days(1)
    try store.transaction { for token in tokens { try $0.save(token) } }
    let saved = try store.transaction { try $0.tokens() }
    #expect(saved == tokens)
  }

  @Test func `a token is replaced`() throws {
    var changed = token("a", .administrator)
    try store.transaction { try $0.save(changed) }
    changed.revoked = Fixtures.noon
    try store.transaction { try $0.save(changed) }
    let saved = try store.transaction { try $0.tokens() }
    #expect(saved == [changed])
  }

  @Test func `H4: erasing a recipient removes its tokens`() throws {
    let others = [token("a", .administrator), token("c", .recipient("badr"))]
    try store.transaction { transaction in
      let stored = try transaction.insert(Recipient(name: "amina", now: Fixtures.noon))
      for token in others + [token("b", .recipient("amina"))] { try transaction.save(token) }
      try transaction.erase(stored, at: Fixtures.noon)
    }
    let saved = try store.transaction { try $0.tokens() }
    #expect(Set(saved) == Set(others))
  }
}
