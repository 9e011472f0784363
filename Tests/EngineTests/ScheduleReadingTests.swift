import CivilTime
import Engine
import Reminders
import SQLiteStore
import Store
import TestSupport
import Testing

/// At a start, two threads read the schedules of many recipients, with the same result as one
/// thread.
@Suite struct ScheduleReadingTests {
  private static let count = 25
  private let store: SQLiteStore
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory.inMemory()
    store = try SQLiteStore(directory: directory.path)
    try store.commit { transaction in
      let people = (1...Self.count).map { number in
        transaction.admit(Recipient(name: "u\(number)", now: Instant(milliseconds: 0)))
      }
      let schedules = people.map {
        Schedule(due: Instant(milliseconds: 1_000 * Int64($0.row)), pending: Int($0.row) % 3)
      }
      try transaction.save(people, schedules)
    }
  }

  private func lines(
    parallelMin: UInt32, beside snapshots: any StoreSnapshots
  ) throws -> [String] {
    try store.commit { transaction in
      var lines: [String] = []
      try ScheduleReading(parallelMin: parallelMin).forEach(in: transaction, beside: snapshots) {
        lines.append("\($0) \($1)")
      }
      return lines
    }
  }

  @Test func `two threads read the same schedules as one thread`() throws {
    let oneThreadLines = try lines(parallelMin: 1_000, beside: UnreadableSnapshots(store.readers))
    #expect(oneThreadLines.count == Self.count)
    #expect(try lines(parallelMin: 25, beside: store.readers) == oneThreadLines)
    #expect(try lines(parallelMin: 1, beside: store.readers) == oneThreadLines)
  }

  /// A failure of the second thread does not prevent the start.
  @Test func `rows that the second thread cannot read are read by the first thread`() throws {
    let oneThreadLines = try lines(parallelMin: 1_000, beside: store.readers)
    #expect(try lines(parallelMin: 1, beside: UnreadableSnapshots(store.readers)) == oneThreadLines)
  }

  @Test(arguments: [0...0, 12...13, 13...25, 1...25].map { Set($0) })
  func `erased recipients are skipped`(erased: Set<Int>) throws {
    for number in erased where number > 0 {
      try store.commit { transaction in
        let person = try #require(try transaction.recipient(row: UInt32(number)))
        try transaction.erase(person, at: Instant(milliseconds: 0))
      }
    }
    let remaining = try lines(parallelMin: 1, beside: store.readers)
    #expect(try lines(parallelMin: 1_000, beside: store.readers) == remaining)
    #expect(remaining.count == Self.count - erased.subtracting([0]).count)
  }

  @Test func `an empty store has no schedules`() throws {
    let empty = try SQLiteStore(directory: TemporaryDirectory.inMemory().path)
    try empty.commit { transaction in
      try ScheduleReading(parallelMin: 0).forEach(in: transaction, beside: empty.readers) {
        row, _ in
        Issue.record("row \(row) should not exist")
      }
    }
  }
}

/// Snapshots that cannot be read.
private struct UnreadableSnapshots: StoreSnapshots {
  private let snapshots: any StoreSnapshots

  init(_ snapshots: any StoreSnapshots) { self.snapshots = snapshots }

  func read<Value>(_ body: (any StoreReader) throws -> Value) throws(StoreError) -> Value {
    throw .failed(reason: "broken off")
  }

  func shard(of recipient: String) -> Int { snapshots.shard(of: recipient) }
  var size: Int64 { snapshots.size }
  var setAsideFiles: [String] { snapshots.setAsideFiles }
  func backup() throws(StoreError) -> any StoreBackup { try snapshots.backup() }
}
