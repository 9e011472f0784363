import CivilTime
import GRDB
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Transactions are atomic, also in a crash and on a full disk.
@Suite struct TransactionTests {
  let directory: TemporaryDirectory
  let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
  }

  /// Writes to several tables in a transaction, which then fails.
  private func runFailingTransaction() throws {
    let existing = try store.recipient("amina")
    try store.transaction { transaction in
      let event = Fixtures.event("lost")
      guard case .new(let slot) = try transaction.match(event) else { throw Unexpected() }
      let new = Recipient(name: "bilal", now: Fixtures.noon)
      let stored = try existing ?? transaction.insert(new)
      _ = try transaction.append(
        event, slot: slot, row: stored.row, previous: 0, received: event.time)
      _ = try transaction.recordAndKeep([Fixtures.record(key: 1, title: "New", body: "words")])
      try transaction.saveCursor(of: "journal", through: 5)
      try transaction.saveNote("plan", "lost")
      throw Unexpected()
    }
  }

  @Test func `a failed transaction leaves nothing behind`() throws {
    #expect(throws: StoreError.self) { try runFailingTransaction() }
    #expect(try store.match(Fixtures.event("lost")).isNew)
    #expect(try store.recipient("bilal") == nil)
    #expect(try store.transaction { try $0.lanes() } == [:])
    #expect(try store.transaction { try $0.note("plan") } == nil)
    for table in ["event", "event_identity", "recipient", "notification", "message", "retry"] {
      #expect(try ask(directory, "SELECT count(*) FROM \(table)") == [0], "\(table)")
    }
  }

  @Test func `the store works after a failed transaction`() throws {
    #expect(throws: StoreError.self) { try runFailingTransaction() }
    try store.take(Fixtures.event("lost"))
    #expect(try store.match(Fixtures.event("lost")).isSame)
    // The text that was rolled back is stored when it is needed again.
    let row = try #require(try store.recipient("amina")).row
    try store.record(Fixtures.record(row: row, key: 1, title: "New", body: "words"))
    let read = try store.deliveries().deliveries
    #expect(read.map(\.body) == ["words"])
  }

  @Test func `E3: acknowledged events survive a crash`() throws {
    for number in 1...50 {
      try store.take(Fixtures.event("\(number)", recipient: "u\(number % 7)"))
      try store.record(Fixtures.record(row: 1, key: Int64(number)))
      guard number % 10 == 0 else { continue }
      let crashed = try TemporaryDirectory()
      try directory.copy(to: crashed)
      let reopened = try SQLiteStore(directory: crashed.path)
      for earlier in 1...number {
        #expect(
          try reopened.match(Fixtures.event("\(earlier)", recipient: "u\(earlier % 7)")).isSame)
      }
      #expect(try reopened.transaction { $0.lastNotification } == Int64(number))
      #expect(try reopened.take(Fixtures.event("next")).lastEvent == Int64(number + 1))
    }
  }

  @Test func `uncommitted rows are lost in a crash`() throws {
    try store.take(Fixtures.event("kept"))
    let crashed = try TemporaryDirectory()
    try store.transaction { transaction in
      for number in 0..<5_000 {
        _ = try transaction.insert(Recipient(name: "u\(number)", now: Fixtures.noon))
      }
      try directory.copy(to: crashed)
    }
    #expect(try store.recipient("u4999") != nil)
    let reopened = try SQLiteStore(directory: crashed.path)
    #expect(try reopened.recipient("u0") == nil)
    #expect(try reopened.match(Fixtures.event("kept")).isSame)
  }

  @Test func `a checkpoint moves everything into the database file`() throws {
    try store.take(Fixtures.event())
    try store.shutDown()
    #expect(try directory.content(of: "chimed.sqlite-wal").isEmpty)
    let copy = try TemporaryDirectory()
    try copy.write(directory.content(of: "chimed.sqlite"), to: "chimed.sqlite")
    #expect(try SQLiteStore(directory: copy.path).match(Fixtures.event()).isSame)
  }

  @Test func `a full disk changes nothing, and the store recovers`() throws {
    try store.take(Fixtures.event("kept"))
    try limit("(SELECT * FROM pragma_page_count)")
    var refusedNumber: Int?
    for number in 0..<200 {
      do {
        try store.take(Fixtures.event("\(number)", data: String(repeating: "x", count: 9_000)))
      } catch .full {
        refusedNumber = number
        break
      }
    }
    let number = try #require(refusedNumber)
    #expect(try store.match(Fixtures.event("\(number)")).isNew)
    #expect(try store.match(Fixtures.event("kept")).isSame)
    try limit("1000000")
    try store.take(Fixtures.event("\(number)"))
    #expect(try store.match(Fixtures.event("\(number)")).isSame)
  }

  /// Limits the size of the database.
  ///
  /// - Parameter pages: an SQL expression of the number of pages.
  private func limit(_ pages: String) throws {
    try store.queue.writeWithoutTransaction { database in
      let count = try Int.fetchOne(database, sql: "SELECT \(pages)") ?? 0
      _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(count)")
    }
  }
}
