import FaultyDisk
import Foundation
import GRDB
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Tests that a long log is moved into the database while commits continue.
@Suite struct CheckpointerTests {
  /// The size in bytes at which the log is moved, reached by about eight commits.
  private static let logSizeMax: Int64 = 32 * 4_096
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory.inMemory() }

  private func event(_ number: Int) -> Event { Fixtures.event("\(number)") }

  /// Opens a copy of the database file without the log.
  private func storeWithoutLog() throws -> SQLiteStore {
    let copy = try TemporaryDirectory.inMemory()
    try copy.write(directory.content(of: "chimed.sqlite"), to: "chimed.sqlite")
    return try SQLiteStore(directory: copy.path)
  }

  /// The current size in bytes of the log.
  private var logSize: Int {
    get throws { try directory.content(of: "chimed.sqlite-wal").count }
  }

  @Test func `a long log is moved on a separate thread`() throws {
    let store = try SQLiteStore(directory: directory.path, logSize: Self.logSizeMax)
    try store.take(event(0))
    #expect(try !storeWithoutLog().match(event(0)).isSame)
    for number in 1...40 { try store.take(event(number)) }
    store.checkpointer.end()
    #expect(try storeWithoutLog().match(event(0)).isSame)
    #expect(try store.match(event(40)).isSame)
  }

  /// The log's file grows in steps of 512 KiB.
  @Test func `the log restarts although commits never pause`() throws {
    let disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    let store = try SQLiteStore(
      directory: directory.path, vfs: disk.name, logSize: Self.logSizeMax)
    for number in 1...50 { try store.take(event(number)) }
    let size = try logSize
    for number in 51...1_000 { try store.take(event(number)) }
    #expect(try logSize == size)
  }

  @Test func `a log that is being read restarts after the reader has ended`() throws {
    let disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    let store = try SQLiteStore(
      directory: directory.path, vfs: disk.name, logSize: Self.logSizeMax)
    try store.readers.read { _ in
      for number in 1...300 { try store.take(event(number)) }
    }
    let size = try logSize
    #expect(size > 4 * Self.logSizeMax)
    for number in 301...600 { try store.take(event(number)) }
    #expect(try logSize == size)
    #expect(try storeWithoutLog().match(event(300)).isSame)
  }

  /// After a failed sync, SQLite treats pages as moved although they were not synced. A power cut
  /// would lose them even if the next sync succeeded.
  @Test(arguments: 2...6) func `E3: a failed sync loses no moved page`(at n: Int) throws {
    let disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    var eventCount = 0
    do {
      let store = try SQLiteStore(
        directory: directory.path, vfs: disk.name, logSize: Self.logSizeMax)
      try store.readers.read { _ in
        while try logSize < 2 * Self.logSizeMax || eventCount < 40 {
          try store.take(event(eventCount))
          eventCount += 1
        }
      }
      disk.fail(.sync, at: n, with: ResultCode.SQLITE_IOERR_FSYNC.rawValue)
      #expect(throws: StoreError.self) {
        for _ in 0..<100 {
          try store.take(event(eventCount))
          eventCount += 1
        }
      }
    }
    try disk.crash(.lost)
    let store = try SQLiteStore(directory: directory.path)
    for number in 0..<eventCount { #expect(try store.match(event(number)).isSame, "\(number)") }
  }

  @Test func `a log is never moved into another database of the same name`() throws {
    let otherDirectory = try TemporaryDirectory.inMemory()
    try SQLiteStore(directory: otherDirectory.path).shutDown()
    let foreignContent = try otherDirectory.content(of: "chimed.sqlite")
    let store = try SQLiteStore(directory: directory.path, logSize: Self.logSizeMax)
    try store.take(event(0))
    let path = directory.path + "/chimed.sqlite"
    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    try directory.write(foreignContent, to: "chimed.sqlite")
    for number in 1...60 { try store.take(event(number)) }
    store.checkpointer.end()
    #expect(try directory.content(of: "chimed.sqlite") == foreignContent)
    #expect(try directory.names.contains("chimed.sqlite-wal"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
    #expect(try storeWithoutLog().match(event(0)).isSame)
  }

  /// The committing thread moves the pages, since the checkpointer's thread cannot open the file.
  @Test func `a checkpointer that cannot open the file fails no commit`() throws {
    let disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    let store = try SQLiteStore(
      directory: directory.path, vfs: disk.name, logSize: Self.logSizeMax)
    store.checkpointer.pause()
    for number in 1...20 { try store.take(event(number)) }
    store.checkpointer.resume()
    // The checkpointer's thread first opens its own connection.
    disk.fail(.open, at: 1, with: ResultCode.SQLITE_CANTOPEN.rawValue, times: nil)
    try store.take(event(21))
    #expect(try !storeWithoutLog().match(event(20)).isSame)
    try store.take(event(22))
    #expect(try storeWithoutLog().match(event(21)).isSame)
  }
}
