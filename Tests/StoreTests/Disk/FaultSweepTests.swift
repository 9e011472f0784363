import FaultyDisk
import Foundation
import GRDB
import Store
import TestSupport
import Testing

@testable import Reminders
@testable import SQLiteStore

/// Fails each disk call of a store operation in turn: that call alone, or also all later calls. The
/// operation must report a failed disk and no damage. Everything acknowledged before or during the
/// operation must be stored exactly once afterwards.
@Suite struct FaultSweepTests {
  enum Operation: String, CaseIterable, Sendable {
    case make, open, openAfterKill, commit, fire, moveLog, checkpoint, erase, backup
  }

  let disk: FaultyDisk
  /// A store that was shut down, and one that was killed with all its rows in the log.
  let stopped: TemporaryDirectory
  let killed: TemporaryDirectory

  init() throws {
    disk = try #require(FaultyDisk(name: "disk-\(UUID().uuidString)"))
    stopped = try TemporaryDirectory.inMemory()
    killed = try TemporaryDirectory.inMemory()
    let store = try SQLiteStore(directory: stopped.path)
    for number in 1...3 {
      let name = "person-\(number)"
      let stored = try store.take(Fixtures.event("\(number)", recipient: name, data: name))
      try store.record(Fixtures.record(row: stored.row, key: 1, title: name, isCommon: false))
    }
    try stopped.copy(to: killed)
    try store.shutDown()
  }

  /// The distance between the calls that fail, if an operation has six or more calls of a kind. The
  /// seed selects the first of them.
  ///
  /// If the environment variable `CHIMED_SWEEP` is set, each call fails in one of the runs, and the
  /// test takes half a minute.
  private static let spacing: UInt64 =
    ProcessInfo.processInfo.environment["CHIMED_SWEEP"] == nil ? 3 : 1

  /// The fault of one run: the kind of call, the first call that fails, its error, and the number
  /// of failing calls (nil for all later ones).
  struct Fault {
    let call: FaultyDisk.Call
    let n: Int
    let code: ResultCode
    let times: Int?

    static let codes: [FaultyDisk.Call: [ResultCode]] = [
      .open: [.SQLITE_CANTOPEN], .read: [.SQLITE_IOERR_READ, .SQLITE_IOERR_CORRUPTFS],
      .write: [.SQLITE_IOERR_WRITE, .SQLITE_FULL], .sync: [.SQLITE_IOERR_FSYNC],
      .truncate: [.SQLITE_IOERR_TRUNCATE], .size: [.SQLITE_IOERR_FSTAT],
      .lock: [.SQLITE_IOERR_LOCK], .share: [.SQLITE_IOERR_SHMMAP],
      .delete: [.SQLITE_IOERR_DELETE], .access: [.SQLITE_IOERR_ACCESS],
    ]
  }

  /// The acknowledged events and notifications.
  struct Acknowledged {
    var events = ["1", "2", "3"]
    var notifications = 3
    var isErased = false
  }

  private func template(_ operation: Operation) -> TemporaryDirectory? {
    switch operation {
    case .make: nil
    case .openAfterKill, .checkpoint: killed
    default: stopped
    }
  }

  /// Performs an operation and adds to `acknowledged` what was acknowledged.
  private func perform(
    _ operation: Operation, _ store: SQLiteStore?, in directory: TemporaryDirectory,
    _ acknowledged: inout Acknowledged
  ) throws(StoreError) {
    switch operation {
    case .make, .open, .openAfterKill:
      _ = try SQLiteStore(directory: directory.path, vfs: disk.name)
    case .commit:
      for event in ["4", "5"] {
        try store?.take(Fixtures.event(event, recipient: "person-2", data: "new"))
        acknowledged.events.append(event)
      }
    case .fire:
      for key in 2...3 {
        try store?.record((1...3).map { Fixtures.record(row: $0, key: Int64(key)) })
        acknowledged.notifications += 3
      }
    case .moveLog:
      for event in ["4", "5", "6"] {
        try store?.take(Fixtures.event(event, recipient: "person-2", data: "new"))
        acknowledged.events.append(event)
      }
    case .checkpoint: try store?.shutDown()
    case .erase:
      try store?.transaction { transaction in
        guard let stored = try transaction.recipient(named: "person-1") else { throw Unexpected() }
        try transaction.erase(stored, at: Fixtures.noon)
      }
      acknowledged.isErased = true
      _ = try store?.finishErasure()
    case .backup: _ = try SQLiteBackup(ofStoreIn: directory.path, vfs: disk.name)
    }
  }

  /// Performs one run with or without a fault. All runs start from the same files.
  ///
  /// - Returns: the number of calls of each kind in the operation.
  @discardableResult
  private func run(_ operation: Operation, _ fault: Fault?) throws -> [FaultyDisk.Call: Int] {
    let directory = try TemporaryDirectory.inMemory()
    try template(operation)?.copy(to: directory)
    var acknowledged = Acknowledged()
    if operation == .make { acknowledged = Acknowledged(events: [], notifications: 0) }
    var calls: [FaultyDisk.Call: Int] = [:]
    do {
      let opens = [Operation.make, .open, .openAfterKill].contains(operation)
      let store =
        opens
        ? nil
        : try SQLiteStore(
          directory: directory.path, vfs: disk.name,
          logSize: operation == .moveLog ? 8_192 : SQLiteStore.logSize)
      for call in FaultyDisk.Call.allCases { calls[call] = -disk.calls(call) }
      let faults = disk.faults
      if let fault {
        disk.fail(fault.call, at: fault.n, with: fault.code.rawValue, times: fault.times)
      }
      do throws(StoreError) {
        try perform(operation, store, in: directory, &acknowledged)
      } catch {
        try expect(error, names: fault, faults: disk.faults - faults, of: operation)
      }
      for call in FaultyDisk.Call.allCases { calls[call, default: 0] += disk.calls(call) }
      // A process whose disk failed ends and writes nothing else.
      if fault?.times == nil, fault != nil { disk.halt(at: 1) }
    }
    disk.stopFailing()
    disk.halt(at: 0)
    try disk.crash(fault?.n.isMultiple(of: 2) == true ? .lost : .killed)
    let run = "\(operation) \(fault.map { "\($0)" } ?? "")"
    do {
      try check(directory, acknowledged, run)
    } catch {
      Issue.record("\(run): \(error)")
    }
    return calls
  }

  private func expect(
    _ error: StoreError, names fault: Fault?, faults: Int, of operation: Operation
  ) throws {
    let fault = try #require(fault, "\(operation): \(error)")
    #expect(faults > 0, "\(operation), \(fault): \(error)")
    switch error {
    case .failed, .unreadable:
      #expect(fault.code != .SQLITE_FULL, "\(operation), \(fault): \(error)")
    case .full: #expect(fault.code == .SQLITE_FULL, "\(operation), \(fault): \(error)")
    default: Issue.record("\(operation), \(fault): \(error)")
    }
  }

  /// Checks the files with a healthy disk.
  private func check(
    _ directory: TemporaryDirectory, _ acknowledged: Acknowledged, _ run: String
  ) throws {
    let store = try SQLiteStore(directory: directory.path)
    for event in acknowledged.events {
      let number = Int(event) ?? 0
      let name = number > 3 ? "person-2" : "person-\(number)"
      let match = try store.match(
        Fixtures.event(event, recipient: name, data: number > 3 ? "new" : name))
      #expect(!match.isNew, "\(run): event \(event)")
    }
    let duplicates: [Int] = try ask(
      directory,
      """
      SELECT count(*) FROM event WHERE type <> '' GROUP BY source, identifier HAVING count(*) > 1
      UNION ALL SELECT count(*) FROM notification
      GROUP BY recipient, reminder, occurrence, channel_group, round HAVING count(*) > 1
      """)
    #expect(duplicates.isEmpty, "\(run)")
    let notifications: [Int] = try ask(directory, "SELECT count(*) FROM notification")
    // Unsynced writes may have reached the disk, including an erasure.
    let isErasing = acknowledged.isErased || run.hasPrefix("\(Operation.erase)")
    #expect(notifications[0] >= acknowledged.notifications - (isErasing ? 1 : 0), "\(run)")
    #expect(store.loss == nil, "\(run)")
    #expect(!store.isErasureOpen, "\(run)")
    let personExists = try store.recipient("person-1") != nil
    #expect(!acknowledged.isErased || !personExists, "\(run)")
    if !personExists {
      for name in try directory.names {
        let content = try directory.content(of: name)
        #expect(content.range(of: Data("person-1".utf8)) == nil, "\(run): \(name)")
      }
    }
    #expect(try ask(directory, "PRAGMA integrity_check") == ["ok"], "\(run)")
  }

  @Test(arguments: Operation.allCases)
  func `E3: no failure of the disk loses what was acknowledged`(operation: Operation) throws {
    let seed = Seeds.all[Seeds.all.count - 1]
    let spacing = Self.spacing
    let calls = try run(operation, nil)
    #expect(calls.values.contains { $0 > 0 })
    for call in FaultyDisk.Call.allCases {
      let count = calls[call] ?? 0
      for n in 0..<count where count < 6 || UInt64(n) % spacing == seed % spacing {
        for (index, code) in (Fault.codes[call] ?? []).enumerated() {
          let isOnce = (n + index + Int(seed % 97)).isMultiple(of: 2)
          try run(operation, Fault(call: call, n: n + 1, code: code, times: isOnce ? 1 : nil))
        }
      }
    }
  }
}
