import FaultyDisk
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E3: the log that a start finds is synced before any later entry is acknowledged.
@Suite struct LeftoverWALTests {
  let directory: TemporaryDirectory
  let disk: FaultyDisk

  init() throws {
    directory = try TemporaryDirectory.inMemory()
    disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(directory: directory.path, vfs: disk.name)
  }

  /// Opens a store, runs the body, and crashes.
  private func openAndCrash(
    by crash: FaultyDisk.Crash, _ body: (SQLiteStore) throws -> Void
  ) throws {
    do {
      let store = try open()
      try body(store)
      disk.stopFailing()
      disk.halt(at: 1)
    }
    try disk.crash(crash)
  }

  /// Ingests an event whose sync fails: the event is written, but not acknowledged.
  private func takeWithoutSync(_ store: SQLiteStore) {
    disk.fail(.sync, at: 1, with: ResultCode.SQLITE_IOERR_FSYNC.rawValue)
    #expect(throws: StoreError.self) { try store.take(Fixtures.event("2")) }
  }

  private func isStored(_ identifier: String) throws -> Bool {
    try !open().match(Fixtures.event(identifier)).isNew
  }

  @Test(arguments: 1...3)
  func `E3: events written after a failed sync survive a power cut`(commits: Int) throws {
    try openAndCrash(by: .killed) { store in
      try store.take(Fixtures.event("1"))
      takeWithoutSync(store)
    }
    try openAndCrash(by: .lost) { store in
      for number in 0..<commits { try store.take(Fixtures.event("after-\(number)")) }
    }
    #expect(try isStored("1"))
    for number in 0..<commits { #expect(try isStored("after-\(number)")) }
    #expect(try open().loss == nil)
  }

  @Test func `E3: an event answered as a duplicate survives a power cut`() throws {
    try openAndCrash(by: .killed) { store in
      try store.take(Fixtures.event("1"))
      takeWithoutSync(store)
    }
    var isKnown = false
    try openAndCrash(by: .lost) { isKnown = try !$0.match(Fixtures.event("2")).isNew }
    #expect(isKnown)
    #expect(try isStored("2"))
  }

  @Test func `a store that was shut down has no log to sync`() throws {
    do {
      let store = try open()
      try store.take(Fixtures.event("1"))
      try store.shutDown()
    }
    let writes = disk.calls(.write)
    try LeftoverWAL.rewriteAndSync(beside: DatabaseAddress(file: directory.path + "/chimed.sqlite"))
    #expect(disk.calls(.write) == writes)
  }
}
