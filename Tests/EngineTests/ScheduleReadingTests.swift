import CivilTime
import Engine
import Reminders
import SQLiteStore
import Store
import TestSupport
import Testing

/// A crowd is read by two threads at the start, and comes as if it were one.
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
    crowd: UInt32, beside snapshots: any StoreSnapshots
  ) throws -> [String] {
    try store.commit { transaction in
      var lines: [String] = []
      try ScheduleReading(crowd: crowd).forEach(in: transaction, beside: snapshots) {
        lines.append("\($0) \($1)")
      }
      return lines
    }
  }

  @Test func twoThreadsReadWhatOneDoes() throws {
    let alone = try lines(crowd: 1_000, beside: Broken(store.readers))
    #expect(alone.count == Self.count)
    #expect(try lines(crowd: 25, beside: store.readers) == alone)
    #expect(try lines(crowd: 1, beside: store.readers) == alone)
  }

  @Test func whatOneCannotReadIsSaid() {
    let error = #expect(throws: StoreError.self) {
      try lines(crowd: 1, beside: Broken(store.readers))
    }
    #expect(error?.description.contains("broken off") == true)
  }
}

/// Snapshots that cannot be read.
private struct Broken: StoreSnapshots {
  private let snapshots: any StoreSnapshots

  init(_ snapshots: any StoreSnapshots) { self.snapshots = snapshots }

  func read<Value>(_ body: (any StoreReader) throws -> Value) throws(StoreError) -> Value {
    throw .failed(reason: "broken off")
  }

  func shard(of recipient: String) -> Int { snapshots.shard(of: recipient) }
  var size: Int64 { snapshots.size }
  var setAside: [String] { snapshots.setAside }
  func backup() throws(StoreError) -> any StoreBackup { try snapshots.backup() }
}
