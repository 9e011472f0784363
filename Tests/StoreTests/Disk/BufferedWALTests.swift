import FaultyDisk
import Foundation
import GRDB
import TestSupport
import Testing

@testable import SQLiteStore

/// The log of the writing connection: each commit is one write, and the file extends beyond the
/// written part.
@Suite struct BufferedWALTests {
  let directory: TemporaryDirectory
  let disk: FaultyDisk

  init() throws {
    directory = try TemporaryDirectory()
    disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    let queue = try open()
    try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE diary (text TEXT)") }
    try queue.close()
  }

  private var address: DatabaseAddress {
    DatabaseAddress(file: directory.path + "/diary", vfs: disk.name)
  }

  /// Opens the database as the store does.
  private func open() throws -> DatabaseQueue {
    let queue = try SQLiteStore.connect(address)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return queue
  }

  private func write(_ count: Int, to queue: DatabaseQueue) throws {
    try queue.write { database in
      for number in 0..<count {
        try database.execute(
          sql: "INSERT INTO diary VALUES (?)",
          arguments: [String(repeating: "\(number % 10)", count: 3_000)])
      }
    }
  }

  /// The number of rows that another connection reads, after an integrity check.
  private func count() throws -> Int? {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: address.path, configuration: configuration).read { database in
      #expect(try String.fetchOne(database, sql: "PRAGMA integrity_check") == "ok")
      return try Int.fetchOne(database, sql: "SELECT count(*) FROM diary")
    }
  }

  @Test func `a commit of any size is one write`() throws {
    let queue = try open()
    try write(1, to: queue)
    for pages in [1, 4, 12] {
      let (writes, syncs) = (disk.calls(.write), disk.calls(.sync))
      try write(pages, to: queue)
      #expect(disk.calls(.write) == writes + 1, "\(pages)")
      #expect(disk.calls(.sync) == syncs + 1, "\(pages)")
    }
    #expect(try count() == 18)
  }

  @Test func `small commits seldom grow the file`() throws {
    let queue = try open()
    try write(1, to: queue)
    let size = try directory.content(of: "diary-wal").count
    for _ in 0..<20 { try write(1, to: queue) }
    #expect(try directory.content(of: "diary-wal").count == size)
    #expect(try count() == 21)
  }

  @Test func `an unsynced commit is visible to other connections`() throws {
    let queue = try open()
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    // A log that restarts is synced once.
    try write(1, to: queue)
    let syncs = disk.calls(.sync)
    try write(5, to: queue)
    #expect(disk.calls(.sync) == syncs)
    #expect(try count() == 6)
  }

  @Test func `a transaction reads pages that the cache had to spill`() throws {
    let queue = try open()
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = 2") }
    try queue.write { database in
      for number in 0..<100 {
        try database.execute(
          sql: "INSERT INTO diary VALUES (?)",
          arguments: [String(repeating: "x", count: 1_000 + number)])
        try database.execute(sql: "UPDATE diary SET text = text || 'y' WHERE rowid % 7 = 0")
      }
      let texts = try String.fetchAll(database, sql: "SELECT text FROM diary ORDER BY rowid")
      #expect(texts.prefix(3).map(\.count) == [1_000, 1_001, 1_002])
      #expect(texts[6].count == 1_006 + 94)
    }
    #expect(try count() == 100)
    try queue.close()
    try disk.crash(.lost)
    #expect(try count() == 100)
  }

  @Test func `a transaction that does not fit on the disk is rolled back`() throws {
    let queue = try open()
    try write(1, to: queue)
    let size = try directory.names.reduce(0) { try $0 + directory.content(of: $1).count }
    disk.limit(to: size)
    #expect(throws: DatabaseError.self) { try write(300, to: queue) }
    #expect(try count() == 1)
    disk.limit(to: nil)
    try write(300, to: queue)
    #expect(try count() == 301)
  }
}
