import FaultyDisk
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// A store of which a part is missing says so at the start, and a disk that does not give back what
/// it holds is no such store (rule S7).
@Suite struct CutFileTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Leaves a database with so many pages in the file, and what came last in the log.
  private func fill(logged: Bool) throws -> TemporaryDirectory {
    let store = try SQLiteStore(directory: directory.path)
    let text = String(repeating: "text ", count: 300)
    for number in 1...60 { try store.take(Fixtures.event("\(number)", data: text)) }
    try store.shutDown()
    if logged { try store.take(Fixtures.event("61")) }
    let copy = try TemporaryDirectory()
    try directory.copy(to: copy)
    return copy
  }

  /// Anything else that is wrong is no damage.
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

  /// Or else what was cut off is in the log, and nothing is missing.
  @Test(arguments: [true, false])
  func s7AFileThatIsCutAnywhereIsDamaged(logged: Bool) throws {
    let whole = try fill(logged: logged)
    let content = try whole.content(of: "chimed.sqlite")
    var refusals = 0
    for length in stride(from: 512, to: content.count, by: 2_048) {
      let cut = try TemporaryDirectory()
      try whole.copy(to: cut)
      try cut.write(content.prefix(length), to: "chimed.sqlite")
      if isDamaged(cut) {
        refusals += 1
        continue
      }
      #expect(logged, "cut at \(length) of \(content.count)")
      #expect(
        try ask(cut, "PRAGMA integrity_check") == ["ok"], "cut at \(length) of \(content.count)")
      #expect(try ask(cut, "SELECT count(*) FROM event") == [61])
    }
    #expect(refusals > content.count / 4_096)
    #expect(!isDamaged(whole))
  }

  @Test func aFileThatHasNotYetWhatTheLogHasIsWhole() throws {
    let store = try SQLiteStore(directory: directory.path)
    for number in 1...60 { try store.take(Fixtures.event("\(number)", data: "text")) }
    let killed = try TemporaryDirectory()
    try directory.copy(to: killed)
    #expect(!isDamaged(killed))
    #expect(try !SQLiteStore(directory: killed.path).match(Fixtures.event("1")).isNew)
  }

  @Test func s7RowsThatAreGoneAreDamage() throws {
    let whole = try fill(logged: false)
    for sql in ["DELETE FROM schedule", "UPDATE meta SET value = '99' WHERE key LIKE 'ident%'"] {
      let copy = try TemporaryDirectory()
      try whole.copy(to: copy)
      try tamper(copy, sql)
      #expect(isDamaged(copy), "\(sql)")
    }
  }

  /// SQLite calls a read that fails with `EIO` damage.
  @Test(arguments: [ResultCode.SQLITE_IOERR_READ, .SQLITE_IOERR_CORRUPTFS])
  func s7AReadThatFailsIsNoDamage(code: ResultCode) throws {
    let whole = try fill(logged: true)
    let disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    var (n, faults) = (0, -1)
    while disk.faults > faults {
      n += 1
      faults = disk.faults
      for times in [1, nil] {
        disk.fail(.read, at: n, with: code.rawValue, times: times)
        do {
          let store = try SQLiteStore(directory: whole.path, vfs: disk.name)
          #expect(try !store.match(Fixtures.event("1")).isNew, "read \(n)")
        } catch {
          guard case .failed = error else {
            Issue.record("read \(n), times \(String(describing: times)): \(error)")
            continue
          }
        }
        disk.mend()
      }
    }
    #expect(n > 10)
    #expect(try !SQLiteStore(directory: whole.path).match(Fixtures.event("61")).isNew)
  }
}
