import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Texts are stored exactly as they were sent, and common texts once for all recipients.
@Suite struct MessageTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
    for (number, name) in ["amina", "bilal"].enumerated() {
      try store.take(Fixtures.event("\(number)", recipient: name))
    }
  }

  private func count() throws -> Int { try ask(directory, "SELECT count(*) FROM message")[0] }

  private func titles() throws -> [[UInt8]] {
    try store.deliveries().deliveries.map { Array($0.title.utf8) }
  }

  /// Returns a record with the catalog's common text, or with a recipient's personal text.
  private func record(
    row: UInt32 = 1, key: Int64, _ title: String, isCommon: Bool = true,
    outcome: Outcome = .delivered
  ) -> NotificationRecord {
    Fixtures.record(row: row, key: key, outcome: outcome, title: title, isCommon: isCommon)
  }

  @Test func `E5: texts that differ only in Unicode form are stored separately`() throws {
    let spellings = ["caf\u{e9}", "cafe\u{301}"]
    for isCommon in [true, false] {
      let key = Int64(isCommon ? 10 : 20)
      try store.record([
        record(key: key, spellings[0], isCommon: isCommon),
        record(key: key + 1, spellings[1], isCommon: isCommon),
      ])
    }
    #expect(try titles() == (spellings + spellings).map { Array($0.utf8) })
  }

  @Test func `E5: events that differ only in Unicode form are distinguished`() throws {
    let otherDirectory = try TemporaryDirectory()
    let store = try SQLiteStore(
      directory: otherDirectory.path, identities: IdentityTests.pace, hash: IdentityHash(width: 0))
    try store.take(Fixtures.event("caf\u{e9}"))
    #expect(try store.match(Fixtures.event("cafe\u{301}")).isNew)
    try store.take(Fixtures.event("1", recipient: "ren\u{e9}"))
    #expect(try store.match(Fixtures.event("1", recipient: "rene\u{301}")).isOther)
    try store.transaction { transaction in
      for number in 0..<9 {
        let event = Fixtures.event("caf\u{e9}", source: "s\(number)")
        guard case .new(let slot) = try transaction.match(event) else { throw Unexpected() }
        _ = try transaction.append(event, slot: slot, row: 1, previous: 0, received: Fixtures.noon)
        #expect(
          try transaction.match(Fixtures.event("cafe\u{301}", source: "s\(number)")).isNew)
      }
    }
  }

  @Test func `a common text is stored once, a personal text once for each recipient`() throws {
    for (row, key) in [(1, 1), (2, 1), (1, 2)] as [(UInt32, Int64)] {
      try store.record(record(row: row, key: key, "Common"))
    }
    #expect(try count() == 1)
    for (row, key) in [(1, 3), (2, 3)] as [(UInt32, Int64)] {
      try store.record(record(row: row, key: key, "Own", isCommon: false))
    }
    #expect(try count() == 3)
    let hashed: [Int] = try ask(directory, "SELECT count(hash) FROM message")
    #expect(hashed == [1])
  }

  @Test func `a common text is found again after a restart`() throws {
    try store.record(record(key: 1, "Common"))
    let copy = try TemporaryDirectory()
    try directory.copy(to: copy)
    let reopened = try SQLiteStore(directory: copy.path)
    try reopened.record(record(row: 2, key: 1, "Common"))
    #expect(try ask(copy, "SELECT count(*) FROM message") == [1])
  }

  @Test func `both channel groups of an occurrence share one text`() throws {
    var other = record(key: 1, "Own", isCommon: false)
    other.channelGroup = .inapp
    try store.record([record(key: 1, "Own", isCommon: false), other])
    #expect(try count() == 1)
    #expect(try store.deliveries().deliveries.map(\.title) == ["Own", "Own"])
  }

  /// Rule H4: erasure would not find a text that no notification refers to.
  @Test func `H4: the text of a refused or replaced record is not kept`() throws {
    try store.record(record(key: 1, "Dropped", isCommon: false, outcome: .dropped))
    try store.record(record(key: 1, "Said", isCommon: false))
    try store.record(record(key: 1, "Repeated", isCommon: false))
    try store.record([
      record(key: 2, "Dropped", isCommon: false, outcome: .dropped),
      record(key: 2, "Said", isCommon: false),
    ])
    #expect(try ask(directory, "SELECT title FROM message") == ["Said", "Said"])
    #expect(try store.deliveries().deliveries.map(\.title) == ["Said", "Said"])
    let amina = try #require(try store.recipient("amina"))
    try store.transaction { try $0.erase(amina, at: Fixtures.noon) }
    #expect(try count() == 0)
  }

  @Test func `the number of an erased text is not used again`() throws {
    try store.record(record(key: 1, "Own", isCommon: false))
    let amina = try #require(try store.recipient("amina"))
    try store.transaction { try $0.erase(amina, at: Fixtures.noon) }
    let copy = try TemporaryDirectory()
    try directory.copy(to: copy)
    let reopened = try SQLiteStore(directory: copy.path)
    try reopened.record(record(row: 2, key: 1, "Own", isCommon: false))
    #expect(try ask(copy, "SELECT id FROM message") == [2])
  }
}
