import CivilTime
package import Reminders
package import Store
import Synchronization
import Systemd

/// Reads everybody's schedule at the start. To step from row to row takes most of that time, so two
/// threads share a crowd, each with a connection of its own; what comes of it is the same. One
/// reads all of it where there is no second.
package struct ScheduleReading {
  /// From which row on a second thread is worth its connection.
  private let crowd: UInt32

  package init(crowd: UInt32 = 65_536) {
    self.crowd = max(1, crowd)
  }

  /// Calls `body` with everybody, in the order of their rows, on this thread.
  ///
  /// - Parameters:
  ///   - transaction: has changed no schedule.
  ///   - snapshots: of the same store.
  package func forEach(
    in transaction: any StoreWriter, beside snapshots: any StoreSnapshots,
    _ body: (UInt32, Schedule) -> Void
  ) throws {
    let last = try transaction.lastRecipient()
    let half = last / 2
    guard last >= crowd, let upper = try? ScheduleHalf(rows: half + 1...last, of: snapshots) else {
      return try transaction.forEachSchedule(in: 0...last, body)
    }
    let lower = Result { try transaction.forEachSchedule(in: 0...half, body) }
    // However the lower half ended, the thread is waited for.
    let entries = upper.take()
    try lower.get()
    switch entries {
    case .success(let entries): for (row, schedule) in entries { body(row, schedule) }
    // A start does not fail for want of a second connection, which has deadlines of its own; of
    // what is wrong with the rows themselves, the transaction says it better.
    case .failure: try transaction.forEachSchedule(in: half + 1...last, body)
    }
  }
}

/// The schedules of some rows, read on a thread of its own.
private final class ScheduleHalf: Sendable {
  typealias Entries = [(UInt32, Schedule)]

  private final class Outcome: Sendable {
    let entries = Mutex(Result<Entries, StoreError>.success([]))
  }

  private static let reservedMax = 1 << 20

  private let outcome = Outcome()
  private let thread: OperatingSystemThread

  init(
    rows: ClosedRange<UInt32>, of snapshots: any StoreSnapshots
  ) throws(SystemCallError) {
    thread = try OperatingSystemThread(name: "schedules") { [outcome] in
      let entries = Self.read(rows, of: snapshots)
      outcome.entries.withLock { $0 = entries }
    }
  }

  private static func read(
    _ rows: ClosedRange<UInt32>, of snapshots: any StoreSnapshots
  ) -> Result<Entries, StoreError> {
    Result { () throws(StoreError) in
      try snapshots.read { reader in
        var entries: Entries = []
        // Rows are never given out twice, so that there may be far fewer people than rows.
        entries.reserveCapacity(min(rows.count, Self.reservedMax))
        try reader.forEachSchedule(in: rows) { entries.append(($0, $1)) }
        return entries
      }
    }
  }

  /// Waits for them; to be called once.
  func take() -> Result<Entries, StoreError> {
    thread.join()
    return outcome.entries.withLock { $0 }
  }
}
