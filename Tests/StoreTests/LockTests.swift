import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E3: a write during another program's lock fails and can be repeated.
@Suite struct LockTests {
  private let directory: TemporaryDirectory
  private let other: DatabaseQueue

  init() throws {
    directory = try TemporaryDirectory()
    try SQLiteStore(directory: directory.path).transaction { try $0.saveNote("word", "before") }
    other = try Self.queue(directory)
  }

  /// A connection that may stay inside a transaction between calls.
  private static func queue(_ directory: TemporaryDirectory) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(
      path: directory.path + "/chimed.sqlite", configuration: configuration)
  }

  private func lock() throws {
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
  }

  private func unlock() throws {
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
  }

  private func isLocked(_ body: () throws -> Void) -> Bool {
    let error = #expect(throws: StoreError.self) { try body() }
    return error?.isLock ?? false
  }

  @Test func `E3: a unit of work fails during another program's lock and can be repeated`() throws {
    let store = try SQLiteStore(directory: directory.path)
    try lock()
    #expect(isLocked { try store.transaction { try $0.saveNote("word", "after") } })
    #expect(try store.readers.read { try $0.note("word") } == "before")
    try unlock()
    try store.transaction { try $0.saveNote("word", "after") }
    #expect(try store.readers.read { try $0.note("word") } == "after")
  }

  @Test func `E11: a known lock has a short timeout, so that requests wait less than a second`()
    throws
  {
    let store = try SQLiteStore(directory: directory.path)
    func timeout() throws -> Int32? {
      try store.withConnection { try Int32.fetchOne($0, sql: "PRAGMA busy_timeout") }
    }
    #expect(try timeout() == SQLiteStore.lockTimeout)
    try lock()
    for _ in 1...2 {
      #expect(isLocked { try store.transaction { try $0.saveNote("word", "after") } })
      #expect(try timeout() == SQLiteStore.knownLockTimeout)
    }
    try unlock()
    try store.transaction { try $0.saveNote("word", "after") }
    #expect(try timeout() == SQLiteStore.lockTimeout)
    #expect(SQLiteStore.lockTimeout + SQLiteStore.knownLockTimeout < 1_000)
  }

  @Test func `E3: a store that another program has locked opens once unlocked`() throws {
    try lock()
    #expect(isLocked { _ = try SQLiteStore(directory: directory.path) })
    try unlock()
    let store = try SQLiteStore(directory: directory.path)
    #expect(try store.readers.read { try $0.note("word") } == "before")
  }

  @Test func `E3: a store stops although another program has locked it`() throws {
    let store = try SQLiteStore(directory: directory.path)
    try store.transaction { try $0.saveNote("word", "after") }
    try lock()
    #expect(throws: Never.self) { try store.shutDown() }
    try unlock()
  }

  /// A start writes the WAL of a killed process again, unless another program has the lock.
  @Test func `E3: the WAL of a killed process is left alone during another program's lock`()
    throws
  {
    let copy = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    try store.transaction { try $0.saveNote("word", "after") }
    for name in ["chimed.sqlite", "chimed.sqlite-wal"] {
      try copy.write(directory.content(of: name), to: name)
    }
    let writer = try Self.queue(copy)
    try writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let address = DatabaseAddress(file: copy.path + "/chimed.sqlite")
    #expect(isLocked { try LeftoverWAL.rewriteAndSync(beside: address) })
    try writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try LeftoverWAL.rewriteAndSync(beside: address)
  }
}
