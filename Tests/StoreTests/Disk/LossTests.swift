import CivilTime
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// A store that has lost acknowledged rows.
@Suite struct LossTests {
  let directory: TemporaryDirectory
  /// The files of a killed process, with all rows in the log.
  let crashed: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    crashed = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    let amina = try store.take(Fixtures.event("1"))
    try store.take(Fixtures.event("2", time: Fixtures.noon + .minutes(1)))
    try store.record(Fixtures.record(row: amina.row, key: 1))
    try store.take(Fixtures.event("3", time: Fixtures.noon + .minutes(2)))
    try store.take(Fixtures.event("4", time: Fixtures.noon + .minutes(3)))
    try store.record(Fixtures.record(row: amina.row, key: 2))
    try directory.copy(to: crashed)
  }

  /// Flips a bit of the log, which invalidates everything after it.
  ///
  /// - Parameter fraction: 0 for the first byte of the log's content, 1 for the last.
  private func flip(at fraction: Double) throws {
    var log = try crashed.content(of: "chimed.sqlite-wal")
    // The file is padded with zeros, so its content ends at the last other byte.
    let last = log.lastIndex { $0 != 0 } ?? 0
    log[Int(Double(last) * fraction)] ^= 0x10
    try crashed.write(log, to: "chimed.sqlite-wal")
  }

  @Test func `E3: an intact store reports no loss`() throws {
    #expect(try SQLiteStore(directory: crashed.path).loss == nil)
    #expect(try SQLiteStore(directory: crashed.path).loss == nil)
    #expect(try !crashed.names.contains { $0.hasPrefix("damaged") })
  }

  @Test(arguments: [0, 0.001, 0.2, 0.5, 0.8, 0.999, 1])
  func `E3: a damaged log is reported and copied`(fraction: Double) throws {
    try flip(at: fraction)
    let log = try crashed.content(of: "chimed.sqlite-wal")
    let store = try SQLiteStore(directory: crashed.path)
    let loss = try #require(store.loss)
    let surviving = try (1...4).filter { try !store.match(Fixtures.event("\($0)")).isNew }
    let since = surviving.last.map { Fixtures.noon + .minutes($0 - 1) }
    #expect(loss.events == Int64(4 - surviving.count))
    #expect(loss.since == since)
    #expect(loss.events + loss.notifications > 0)
    #expect(try #require(loss.until) > Fixtures.noon)
    let logCopies = try crashed.names.filter { $0.hasPrefix("damaged-log-") }
    #expect(try logCopies.map { try crashed.content(of: $0) } == [log])
  }

  @Test func `E3: no number of a lost row is used again`() throws {
    try flip(at: 0.3)
    let last = try SQLiteStore(directory: directory.path).transaction { $0.lastNotification }
    for _ in 0..<2 {
      let store = try SQLiteStore(directory: crashed.path)
      #expect(store.statements.nextEvent == 5)
      #expect(try store.transaction { $0.lastNotification } >= last + 1_000_000_000)
    }
    let store = try SQLiteStore(directory: crashed.path)
    try store.take(Fixtures.event("5"))
    #expect(try ask(crashed, "SELECT max(id) FROM event") == [5])
  }

  @Test func `E3: a loss is reported until the store is shut down`() throws {
    try flip(at: 0.3)
    let loss = try SQLiteStore(directory: crashed.path).loss
    #expect(loss != nil)
    for _ in 0..<2 { #expect(try SQLiteStore(directory: crashed.path).loss == loss) }
    let store = try SQLiteStore(directory: crashed.path)
    try store.shutDown()
    #expect(store.loss == loss)
    try crashed.copy(to: directory)
    #expect(try SQLiteStore(directory: directory.path).loss == nil)
    #expect(try crashed.names.filter { $0.hasPrefix("damaged-log-") }.count == 1)
  }

  @Test func `a missing log is a loss`() throws {
    try FileManager.default.removeItem(atPath: crashed.path + "/chimed.sqlite-wal")
    let loss = try SQLiteStore(directory: crashed.path).loss
    #expect(loss?.events == 4 && loss?.notifications == 2 && loss?.since == nil)
    #expect(loss?.description.contains("no event remains") == true)
  }

  @Test(arguments: [Data(), Data("nonsense".utf8), Data(repeating: 0, count: 32)])
  func `an invalid high-water mark is replaced`(content: Data) throws {
    try crashed.write(content, to: "chimed.sqlite-mark")
    try flip(at: 0.3)
    #expect(try SQLiteStore(directory: crashed.path).loss == nil)
    #expect(try HighWaterMark(Array(crashed.content(of: "chimed.sqlite-mark"))) != nil)
  }

  @Test func `the mark of another store is ignored`() throws {
    let otherDirectory = try TemporaryDirectory()
    _ = try SQLiteStore(directory: otherDirectory.path)
    try otherDirectory.write(directory.content(of: "chimed.sqlite-mark"), to: "chimed.sqlite-mark")
    #expect(try SQLiteStore(directory: otherDirectory.path).loss == nil)
  }

  @Test func `a restored store reports no loss`() throws {
    let backup = try SQLiteBackup(ofStoreIn: directory.path)
    let file = crashed.path + "/copy"
    try Data(backup.bytes(at: 0, atMost: Int(backup.size))).write(to: URL(filePath: file))
    try SQLiteStore(directory: crashed.path).take(Fixtures.event("5"))
    _ = try SQLiteStore.restore(file, to: crashed.path, isReplacing: true)
    let restored = try SQLiteStore(directory: crashed.path)
    #expect(restored.loss == nil)
    #expect(try restored.match(Fixtures.event("5")).isNew)
    #expect(try SQLiteStore(directory: crashed.path + "/replaced").loss == nil)
  }

  @Test func `a mark is read back, and any changed byte is refused`() throws {
    let mark = HighWaterMark(instance: "a", event: 7, notification: 1 << 40)
    #expect(mark.bytes.count == HighWaterMark.byteCount)
    #expect(HighWaterMark(mark.bytes) == mark)
    for index in mark.bytes.indices {
      var bytes = mark.bytes
      bytes[index] ^= 1
      #expect(HighWaterMark(bytes) == nil, "byte \(index)")
    }
  }
}
