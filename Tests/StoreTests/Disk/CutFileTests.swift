import FaultyDisk
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Rule S7: a truncated store is reported at the start, and a failed read does not count as
/// damage.
@Suite struct CutFileTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Returns a copy of a store whose pages are in the database file.
  ///
  /// - Parameter hasLog: whether the store has one more commit, whose pages are in the log.
  private func fill(hasLog: Bool) throws -> TemporaryDirectory {
    let store = try SQLiteStore(directory: directory.path)
    let text = String(repeating: "text ", count: 300)
    for number in 1...60 { try store.take(Fixtures.event("\(number)", data: text)) }
    try store.shutDown()
    if hasLog { try store.take(Fixtures.event("61")) }
    let copy = try TemporaryDirectory()
    try directory.copy(to: copy)
    return copy
  }

  /// Returns whether opening the store reports damage; records any other error as an issue.
  private func isDamaged(_ directory: TemporaryDirectory) -> Bool {
    do {
      _ = try SQLiteStore(directory: directory.path)
      return false
    } catch {
      if case .damaged = error { return true }
      Issue.record("\(error)")
      return false
    }
  }

  /// If the log contains the missing part, the store is complete.
  @Test(arguments: [true, false])
  func `S7: a file cut anywhere is damaged unless its log has the rest`(hasLog: Bool) throws {
    let intact = try fill(hasLog: hasLog)
    let content = try intact.content(of: "chimed.sqlite")
    var refusals = 0
    for length in stride(from: 512, to: content.count, by: 2_048) {
      let cut = try TemporaryDirectory()
      try intact.copy(to: cut)
      try cut.write(content.prefix(length), to: "chimed.sqlite")
      if isDamaged(cut) {
        refusals += 1
        continue
      }
      #expect(hasLog, "cut at \(length) of \(content.count)")
      #expect(
        try ask(cut, "PRAGMA integrity_check") == ["ok"], "cut at \(length) of \(content.count)")
      #expect(try ask(cut, "SELECT count(*) FROM event") == [61])
    }
    #expect(refusals > content.count / 4_096)
    #expect(!isDamaged(intact))
  }

  @Test func `a file whose latest pages are still in the log is not damaged`() throws {
    let store = try SQLiteStore(directory: directory.path)
    for number in 1...60 { try store.take(Fixtures.event("\(number)", data: "text")) }
    let killed = try TemporaryDirectory()
    try directory.copy(to: killed)
    #expect(!isDamaged(killed))
    #expect(try !SQLiteStore(directory: killed.path).match(Fixtures.event("1")).isNew)
  }

  @Test func `S7: deleted rows are damage`() throws {
    let intact = try fill(hasLog: false)
    for sql in ["DELETE FROM schedule", "UPDATE meta SET value = '99' WHERE key LIKE 'ident%'"] {
      let copy = try TemporaryDirectory()
      try intact.copy(to: copy)
      try tamper(copy, sql)
      #expect(isDamaged(copy), "\(sql)")
    }
  }

  /// SQLite reports a read that fails with `EIO` as damage.
  @Test(arguments: [ResultCode.SQLITE_IOERR_READ, .SQLITE_IOERR_CORRUPTFS])
  func `S7: a failed read is not damage`(code: ResultCode) throws {
    let intact = try fill(hasLog: true)
    let disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    var (n, faults) = (0, -1)
    while disk.faults > faults {
      n += 1
      faults = disk.faults
      for times in [1, nil] {
        disk.fail(.read, at: n, with: code.rawValue, times: times)
        do {
          let store = try SQLiteStore(directory: intact.path, vfs: disk.name)
          #expect(try !store.match(Fixtures.event("1")).isNew, "read \(n)")
        } catch {
          guard case .failed = error else {
            Issue.record("read \(n), times \(String(describing: times)): \(error)")
            continue
          }
        }
        disk.stopFailing()
      }
    }
    #expect(n > 10)
    #expect(try !SQLiteStore(directory: intact.path).match(Fixtures.event("61")).isNew)
  }
}
