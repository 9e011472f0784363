import CivilTime
import Foundation
import GRDB
import Reminders
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// Backups of a store in use, and their restoration.
@Suite struct BackupTests {
  let directory: TemporaryDirectory
  let otherDirectory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    otherDirectory = try TemporaryDirectory()
  }

  private var file: String { otherDirectory.path + "/backup" }
  private var restoredPath: String { otherDirectory.path + "/state" }

  private func write(_ backup: SQLiteBackup) throws {
    var bytes: [UInt8] = []
    while true {
      let chunk = try backup.bytes(at: Int64(bytes.count), atMost: 4_096)
      guard !chunk.isEmpty else { break }
      bytes += chunk
    }
    #expect(Int64(bytes.count) == backup.size)
    try Data(bytes).write(to: URL(filePath: file))
  }

  private func filledStore() throws -> SQLiteStore {
    let store = try SQLiteStore(directory: directory.path)
    try store.take(Fixtures.event("1", recipient: "amina"))
    try store.take(Fixtures.event("2", recipient: "bilal"))
    return store
  }

  @Test func `a backup contains what the store contained when the backup began`() throws {
    let store = try filledStore()
    let backup = try SQLiteBackup(ofStoreIn: directory.path)
    try store.take(Fixtures.event("3", recipient: "chidi"))
    try write(backup)
    let result = try SQLiteStore.restore(file, to: restoredPath, isReplacing: false)
    #expect(result.recipients == 2)
    #expect(result.replaced == nil)
    let copy = try SQLiteStore(directory: restoredPath)
    #expect(copy.instance == store.instance)
    #expect(try copy.recipient("bilal") != nil)
    #expect(try copy.recipient("chidi") == nil)
    #expect(try !copy.match(Fixtures.event("1", recipient: "amina")).isNew)
    #expect(try copy.match(Fixtures.event("3", recipient: "chidi")).isNew)
  }

  @Test func `a backup leaves no file in the store's directory`() throws {
    let store = try filledStore()
    let filesBefore = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    let backup = try SQLiteBackup(ofStoreIn: directory.path)
    #expect(backup.size > 0)
    let filesAfter = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(filesAfter == filesBefore)
    #expect(store.instance.isEmpty == false)
  }

  @Test func `the next start removes the partial backup of a crash`() throws {
    try directory.write(Data("half".utf8), to: "backup.partial")
    _ = try SQLiteStore(directory: directory.path)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/backup.partial"))
  }

  @Test func `D1: after a restore no lost notification's number is reused`() throws {
    let store = try filledStore()
    try write(try SQLiteBackup(ofStoreIn: directory.path))
    _ = try SQLiteStore.restore(file, to: restoredPath, isReplacing: false)
    let lost = try store.transaction { $0.lastNotification }
    let copy = try SQLiteStore(directory: restoredPath)
    #expect(try copy.transaction { $0.lastNotification } >= lost + 1_000_000_000)
  }

  @Test func `a restore replaces an existing store only if asked to`() throws {
    do {
      let store = try filledStore()
      try write(try SQLiteBackup(ofStoreIn: directory.path))
      try store.take(Fixtures.event("3", recipient: "chidi"))
      #expect(throws: StoreError.self) {
        try SQLiteStore.restore(file, to: directory.path, isReplacing: true)
      }
    }
    #expect(throws: StoreError.self) {
      try SQLiteStore.restore(file, to: directory.path, isReplacing: false)
    }
    #expect(try SQLiteStore(directory: directory.path).recipient("chidi") != nil)
    let result = try SQLiteStore.restore(file, to: directory.path, isReplacing: true)
    let replacedPath = try #require(result.replaced)
    #expect(try SQLiteStore(directory: directory.path).recipient("chidi") == nil)
    #expect(try SQLiteStore(directory: replacedPath).recipient("chidi") != nil)
    let secondResult = try SQLiteStore.restore(file, to: directory.path, isReplacing: true)
    #expect(secondResult.replaced == replacedPath + "-2")
    #expect(try SQLiteStore(directory: replacedPath).recipient("chidi") != nil)
  }

  @Test func `replaced stores and damaged logs are listed`() throws {
    let store = try filledStore()
    #expect(store.readers.setAsideFiles == [])
    try write(try SQLiteBackup(ofStoreIn: directory.path))
    for _ in 0..<2 { _ = try SQLiteStore.restore(file, to: restoredPath, isReplacing: true) }
    try Data().write(to: URL(filePath: restoredPath + "/damaged-log-7-3"))
    let copy = try SQLiteStore(directory: restoredPath)
    #expect(copy.readers.setAsideFiles == ["damaged-log-7-3", "replaced"])
  }

  @Test func `a damaged backup is refused`() throws {
    try Data(repeating: 65, count: 100_000).write(to: URL(filePath: file))
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore.restore(file, to: restoredPath, isReplacing: false)
    }
    guard case .damagedBackup(file, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a restore replaces an empty store even if not asked to`() throws {
    _ = try filledStore()
    try write(try SQLiteBackup(ofStoreIn: directory.path))
    _ = try SQLiteStore(directory: restoredPath)
    let result = try SQLiteStore.restore(file, to: restoredPath, isReplacing: false)
    #expect(result.replaced == restoredPath + "/replaced")
    #expect(try SQLiteStore(directory: restoredPath).recipient("amina") != nil)
  }

  @Test func `the error of an unreadable backup names the file`() throws {
    do {
      _ = try SQLiteStore.restore(file, to: restoredPath, isReplacing: false)
      Issue.record("there was nothing to restore")
    } catch {
      #expect("\(error)".hasPrefix("\(file) cannot be read: No such file or directory; give"))
    }
    #expect(!FileManager.default.fileExists(atPath: restoredPath))
  }

  @Test(arguments: ["missing", "not a database", "truncated", "another database"])
  func `a restore from an invalid backup changes nothing`(kind: String) throws {
    _ = try filledStore()
    try write(try SQLiteBackup(ofStoreIn: directory.path))
    let url = URL(filePath: file)
    switch kind {
    case "missing": try FileManager.default.removeItem(at: url)
    case "not a database": try Data(repeating: 65, count: 100_000).write(to: url)
    case "truncated": try Data(contentsOf: url).prefix(40_000).write(to: url)
    default:
      try FileManager.default.removeItem(at: url)
      try DatabaseQueue(path: file).write { try $0.execute(sql: "CREATE TABLE diary (day)") }
    }
    #expect(throws: StoreError.self) {
      try SQLiteStore.restore(file, to: directory.path, isReplacing: true)
    }
    #expect(try SQLiteStore(directory: directory.path).recipient("amina") != nil)
  }
}
