import FaultyDisk
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule E3: what a start goes on with is on the disk before anything behind it is acknowledged.
@Suite struct LeftLogTests {
  let directory: TemporaryDirectory
  let disk: FaultyDisk

  init() throws {
    directory = try TemporaryDirectory.inMemory()
    disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(directory: directory.path, vfs: disk.name)
  }

  /// One process, and what its end leaves on the disk.
  private func live(
    then crash: FaultyDisk.Crash, _ body: (SQLiteStore) throws -> Void
  ) throws {
    do {
      let store = try open()
      try body(store)
      disk.mend()
      disk.halt(at: 1)
    }
    try disk.crash(crash)
  }

  /// An event that is written and not synced.
  private func fail(_ store: SQLiteStore) {
    disk.fail(.sync, at: 1, with: ResultCode.SQLITE_IOERR_FSYNC.rawValue)
    #expect(throws: StoreError.self) { try store.take(Fixtures.event("2")) }
  }

  private func isThere(_ identifier: String) throws -> Bool {
    try !open().match(Fixtures.event(identifier)).isNew
  }

  @Test(arguments: 1...3)
  func e3WhatIsWrittenBehindAFailedSyncOutlivesAPowerCut(commits: Int) throws {
    try live(then: .killed) { store in
      try store.take(Fixtures.event("1"))
      fail(store)
    }
    try live(then: .lost) { store in
      for number in 0..<commits { try store.take(Fixtures.event("after-\(number)")) }
    }
    #expect(try isThere("1"))
    for number in 0..<commits { #expect(try isThere("after-\(number)")) }
    #expect(try open().loss == nil)
  }

  @Test func e3WhatIsAnsweredAsADuplicateOutlivesAPowerCut() throws {
    try live(then: .killed) { store in
      try store.take(Fixtures.event("1"))
      fail(store)
    }
    var isTaken = false
    try live(then: .lost) { isTaken = try !$0.match(Fixtures.event("2")).isNew }
    #expect(isTaken)
    #expect(try isThere("2"))
  }

  @Test func aStoreThatStoppedAsItShouldHasNothingToSecure() throws {
    do {
      let store = try open()
      try store.take(Fixtures.event("1"))
      try store.shutDown()
    }
    let writes = disk.calls(.write)
    try LeftLog.secure(beside: DatabaseAddress(file: directory.path + "/chimed.sqlite"))
    #expect(disk.calls(.write) == writes)
  }
}
