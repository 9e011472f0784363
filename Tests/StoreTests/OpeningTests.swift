import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Which stores can be opened, and which are refused.
@Suite struct OpeningTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func `E3: every commit is synced`() throws {
    let store = try SQLiteStore(directory: directory.path)
    try store.take(Fixtures.event())
    #expect(try store.synchronousLevel() == 2)
    #expect(try store.queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
  }

  @Test func `a page has 4,096 bytes`() throws {
    _ = try SQLiteStore(directory: directory.path)
    #expect(try ask(directory, "PRAGMA page_size") == [4_096])
  }

  @Test func `every table is strict`() throws {
    _ = try SQLiteStore(directory: directory.path)
    let tables: [String] = try ask(
      directory,
      """
      SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'
      """)
    #expect(tables.isEmpty)
    let strict: [Int] = try ask(directory, "SELECT count(*) FROM pragma_table_list WHERE strict")
    #expect(strict[0] > 12)
  }

  @Test func `a second service on the store is refused`() throws {
    let store = try SQLiteStore(directory: directory.path)
    for _ in 0..<3 {
      let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path) }
      guard case .inUse(directory.path) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    #expect(try store.match(Fixtures.event()).isNew)
  }

  @Test func `the lock is released with the store`() throws {
    _ = try SQLiteStore(directory: directory.path)
    #expect(throws: Never.self) { try SQLiteStore(directory: directory.path) }
  }

  @Test func `a store keeps an instance name that no other has`() throws {
    let instance = try SQLiteStore(directory: directory.path).instance
    let otherDirectory = try TemporaryDirectory()
    #expect(!instance.isEmpty)
    #expect(try SQLiteStore(directory: directory.path).instance == instance)
    #expect(try SQLiteStore(directory: otherDirectory.path).instance != instance)
  }

  @Test func `an empty file becomes a new store`() throws {
    try directory.write(Data(), to: "chimed.sqlite")
    let store = try SQLiteStore(directory: directory.path)
    #expect(try store.recipient("amina") == nil)
  }

  /// The directory contains files that a crash during the creation of the store has left.
  @Test func `a partly created store is created again`() throws {
    let remnant = Data(repeating: 0xa5, count: 4_096)
    let suffixes = ["", "-journal", "-wal", "-shm"]
    for suffix in suffixes { try directory.write(remnant, to: "making.partial" + suffix) }
    for suffix in suffixes.dropFirst() {
      try directory.write(remnant, to: "chimed.sqlite" + suffix)
    }
    let store = try SQLiteStore(directory: directory.path)
    try store.take(Fixtures.event())
    #expect(try store.recipient("amina") != nil)
    #expect(try directory.names.filter { !$0.hasPrefix("chimed.sqlite") } == ["lock"])
  }

  @Test func `a store of a later version is left unchanged`() throws {
    _ = try SQLiteStore(directory: directory.path)
    try tamper(directory, "PRAGMA user_version = 9999")
    let originalContent = try directory.content(of: "chimed.sqlite")
    let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path) }
    guard case .newer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try directory.content(of: "chimed.sqlite") == originalContent)
  }

  @Test(arguments: ["DELETE", "WAL"])
  func `the database of another program is left unchanged`(mode: String) throws {
    try tamper(directory, "PRAGMA journal_mode = \(mode)")
    try tamper(directory, "CREATE TABLE mail (subject TEXT)")
    let originalContent = try directory.content(of: "chimed.sqlite")
    let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path) }
    #expect("\(try #require(error))".contains("the database of another program"))
    #expect(try directory.content(of: "chimed.sqlite") == originalContent)
  }

  @Test(arguments: [40, 100, 512, 4_096, 100_000])
  func `a file that is no database is left unchanged`(size: Int) throws {
    let garbage = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
    try directory.write(garbage, to: "chimed.sqlite")
    let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path) }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try directory.content(of: "chimed.sqlite") == garbage)
    #expect(try directory.names == ["chimed.sqlite", "lock"])
  }

  @Test func `a damaged store is reported as damaged`() throws {
    _ = try SQLiteStore(directory: directory.path)
    var content = try directory.content(of: "chimed.sqlite")
    content.replaceSubrange(100..<16_384, with: Data(repeating: 0xa5, count: 16_284))
    try directory.write(content, to: "chimed.sqlite")
    let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory.path) }
    #expect("\(try #require(error))".contains("chimed.sqlite is damaged"))
  }

  @Test func `a path that cannot be a directory is reported`() throws {
    try directory.write(Data(), to: "file")
    let path = directory.path + "/file/state"
    let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: path) }
    #expect(
      error?.description == "the state directory \(path) cannot be used: Not a directory")
  }
}
