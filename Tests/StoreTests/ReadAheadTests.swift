import CivilTime
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Looking up many rows at once gives the same results as looking up each row alone.
@Suite struct ReadAheadTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    // The store collects the identities of 8 new events before it writes them to their table. So
    // these tests look up collected identities and written ones.
    store = try SQLiteStore(
      directory: directory.path, identities: UnwrittenIdentities.Pace(generation: 8, piece: 1))
  }

  private func insert(_ names: some Sequence<String>) throws {
    try store.transaction { transaction in
      for name in names { _ = try transaction.insert(Recipient(name: name, now: Fixtures.noon)) }
    }
  }

  @Test(arguments: [1, 15, 16, 17, 50])
  func `the existing recipients among many names are found`(count: Int) throws {
    let names = (0..<count).map { "u\($0)" }
    try insert(names.reversed().filter { !$0.hasSuffix("3") } + ["another"])
    let found = try store.transaction { transaction in
      var found: [StoredRecipient] = []
      try transaction.forEachRecipient(named: names) { found.append($0) }
      return found
    }
    let expected = try names.compactMap { try store.recipient($0) }.sorted { $0.row < $1.row }
    #expect(found.map(\.row) == expected.map(\.row))
    #expect(found.map(\.recipient) == expected.map(\.recipient))
  }

  @Test func `rows that are far apart are found`() throws {
    try insert((1...600).map { "u\($0)" })
    let rows: [UInt32] = [1, 40, 41] + (3...20).map { $0 * 30 } + [9_000]
    let found = try store.transaction { try $0.recipients(rows: rows[...]) }
    #expect(found.map(\.row) == rows.dropLast())
    #expect(found.map(\.recipient.name) == rows.dropLast().map { "u\($0)" })
  }

  @Test(arguments: [1, 17, 40])
  func `many events matched at once give the same results as each alone`(count: Int) throws {
    let events = (0..<count).map { Fixtures.event("\($0)") }
    for event in events where !event.identifier.hasSuffix("3") { try store.take(event) }
    let others = events.map { Fixtures.event($0.identifier, data: #"{"a":1}"#) }
    for group in [events, others] {
      let matches = try store.transaction { transaction in
        let lookups = try transaction.lookups(of: [group])
        return try zip(group, lookups).map { try transaction.match($0, at: $1) }
      }
      let each = try group.map { try store.match($0) }
      #expect(matches.map(\.isNew) == each.map(\.isNew))
      #expect(matches.map(\.isSame) == each.map(\.isSame))
    }
  }
}
