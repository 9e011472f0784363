import FaultyDisk
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Tests the simulated disk that other tests use, with a small database and with a store.
@Suite struct FaultyDiskTests {
  let directory: TemporaryDirectory
  let disk: FaultyDisk

  init() throws {
    directory = try TemporaryDirectory()
    disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
  }

  private func open() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    return try DatabaseQueue(
      path: "file:\(directory.path)/diary?vfs=\(disk.name)", configuration: configuration)
  }

  private func write(_ rows: ClosedRange<Int>, synced: Bool, to queue: DatabaseQueue) throws {
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA synchronous = \(synced ? "FULL" : "OFF");
          CREATE TABLE IF NOT EXISTS day (id INTEGER PRIMARY KEY, text TEXT);
          """)
      for row in rows {
        let text = String(repeating: "\(row) ", count: 300)
        try database.execute(sql: "INSERT INTO day VALUES (?, ?)", arguments: [row, text])
      }
    }
  }

  private func rows() throws -> [Int] {
    let queue = try open()
    defer { try? queue.close() }
    return try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM day ORDER BY id") }
  }

  /// Writes five synced rows and five unsynced ones, and crashes without closing. Returns the rows
  /// that are left.
  private func rows(after crash: FaultyDisk.Crash, syncing: Bool = true) throws -> [Int] {
    disk.ignoreSyncs(!syncing)
    let queue = try open()
    try write(1...5, synced: true, to: queue)
    try write(6...10, synced: false, to: queue)
    disk.halt(at: 1)
    #expect(disk.isHalted == false)
    try? queue.close()
    #expect(disk.isHalted)
    try disk.crash(crash)
    #expect(!disk.isHalted)
    return try rows()
  }

  @Test func `a killed process loses nothing`() throws {
    #expect(try rows(after: .killed) == Array(1...10))
  }

  @Test func `a power cut loses only unsynced writes`() throws {
    #expect(try rows(after: .lost) == Array(1...5))
  }

  @Test func `a disk that ignores syncs loses writes it confirmed`() throws {
    let error = #expect(throws: DatabaseError.self) { try rows(after: .lost, syncing: false) }
    #expect(error?.message?.contains("no such table") == true)
  }

  @Test(arguments: Seeds.all)
  func `a torn write keeps synced rows and is the same for the same seed`(seed: UInt64) throws {
    let first = try rows(after: .torn(seed: seed))
    #expect(first.starts(with: 1...5), "seed \(seed)")
    for name in try directory.names { unlink(directory.path + "/" + name) }
    #expect(try rows(after: .torn(seed: seed)) == first, "seed \(seed)")
  }

  @Test func `different seeds tear writes differently`() throws {
    let logs = try (0..<32).map { seed in
      for name in try directory.names { unlink(directory.path + "/" + name) }
      let queue = try open()
      try write(1...5, synced: true, to: queue)
      try write(6...40, synced: false, to: queue)
      disk.halt(at: 1)
      try? queue.close()
      try disk.crash(.torn(seed: UInt64(seed)))
      return try directory.content(of: "diary-wal")
    }
    #expect(Set(logs).count > 16)
  }

  @Test func `an unsynced deletion is undone by a power cut`() throws {
    let queue = try open()
    try write(1...5, synced: true, to: queue)
    try queue.close()
    #expect(try directory.names == ["diary"])
    try disk.crash(.lost)
    #expect(try directory.names == ["diary", "diary-wal"])
    #expect(try rows() == Array(1...5))
  }

  @Test func `a fault applies only to the calls that it names`() throws {
    let queue = try open()
    try write(1...1, synced: true, to: queue)
    disk.fail(.sync, at: 2, with: ResultCode.SQLITE_IOERR_FSYNC.rawValue, times: 2)
    let faults = disk.faults
    try write(2...2, synced: true, to: queue)
    for row in 3...4 {
      let error = #expect(throws: DatabaseError.self) {
        try write(row...row, synced: true, to: queue)
      }
      #expect(error?.extendedResultCode == .SQLITE_IOERR_FSYNC)
    }
    #expect(disk.faults == faults + 2)
    try write(5...5, synced: true, to: queue)
    disk.fail(nil, at: 1, with: ResultCode.SQLITE_IOERR_WRITE.rawValue, times: nil)
    for _ in 0..<3 {
      #expect(throws: DatabaseError.self) { try write(6...6, synced: true, to: queue) }
    }
    disk.stopFailing()
    try write(6...6, synced: true, to: queue)
    try queue.close()
  }

  /// The disk behaves like Linux: the pages of a failed sync count as clean, so a later sync does
  /// not write them.
  @Test func `pages of a failed sync are lost although the next sync succeeds`() throws {
    let queue = try open()
    try write(1...1, synced: true, to: queue)
    try write(2...2, synced: false, to: queue)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    disk.fail(.sync, at: 1, with: ResultCode.SQLITE_IOERR_FSYNC.rawValue)
    #expect(throws: DatabaseError.self) {
      try queue.writeWithoutTransaction { _ = try $0.checkpoint(.full) }
    }
    disk.halt(at: 1)
    try? queue.close()
    disk.halt(at: 0)
    let reopened = try open()
    try reopened.read { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM day") }
    try write(3...3, synced: true, to: reopened)
    disk.halt(at: 1)
    try? reopened.close()
    try disk.crash(.lost)
    #expect(try rows() == [1])
  }

  @Test func `a full disk refuses what does not fit until it has space again`() throws {
    let queue = try open()
    try write(1...5, synced: true, to: queue)
    let size = try directory.names.filter { !$0.hasSuffix("-shm") }
      .reduce(0) { try $0 + directory.content(of: $1).count }
    disk.limit(to: size + 1_000)
    let error = #expect(throws: DatabaseError.self) { try write(6...6, synced: true, to: queue) }
    #expect(error?.resultCode == .SQLITE_FULL)
    #expect(disk.faults == 1)
    disk.limit(to: nil)
    try write(6...6, synced: true, to: queue)
    try queue.close()
    #expect(try rows() == Array(1...6))
  }

  /// The kind of crash depends on the call and the seed.
  @Test func `E3: a crash at any call loses no acknowledged event`() throws {
    let seed = try #require(Seeds.all.last)
    var n = 0
    var hasCrashed = true
    while hasCrashed {
      n += 1
      let crash = Self.crash(at: n, seed: seed)
      let directory = try TemporaryDirectory()
      disk.halt(at: n)
      var acknowledged: [String] = []
      do {
        let store = try SQLiteStore(directory: directory.path, vfs: disk.name)
        for number in 1...3 {
          try store.take(Fixtures.event("\(number)"))
          acknowledged.append("\(number)")
        }
        try store.shutDown()
        try store.take(Fixtures.event("4"))
        acknowledged.append("4")
      } catch {
        if case .damaged = error { Issue.record("at call \(n): \(error)") }
      }
      hasCrashed = disk.isHalted
      disk.halt(at: 0)
      try disk.crash(crash)
      let reopened = try SQLiteStore(directory: directory.path, vfs: disk.name)
      for identifier in acknowledged {
        #expect(try !reopened.match(Fixtures.event(identifier)).isNew, "call \(n), seed \(seed)")
      }
      #expect(try ask(directory, "PRAGMA integrity_check") == ["ok"], "call \(n), seed \(seed)")
    }
    #expect(n > 50)
  }

  private static func crash(at n: Int, seed: UInt64) -> FaultyDisk.Crash {
    let seed = seed &+ UInt64(n)
    return switch seed % 4 {
    case 0: .killed
    case 1: .lost
    default: .torn(seed: seed)
    }
  }

  @Test func `E3: on a disk that ignores syncs a power cut loses events`() throws {
    do {
      let store = try SQLiteStore(directory: directory.path, vfs: disk.name)
      try store.take(Fixtures.event("1"))
      disk.ignoreSyncs()
      try store.take(Fixtures.event("2"))
      disk.halt(at: 1)
    }
    try disk.crash(.lost)
    let reopened = try SQLiteStore(directory: directory.path, vfs: disk.name)
    #expect(try !reopened.match(Fixtures.event("1")).isNew)
    #expect(try reopened.match(Fixtures.event("2")).isNew)
  }
}
