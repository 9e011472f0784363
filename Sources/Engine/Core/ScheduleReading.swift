import CivilTime
package import Reminders
package import Store
import Synchronization
import Systemd

/// Reads all schedules at a start. Stepping from row to row takes most of the time, so two threads
/// share a large store, each with its own connection. The result is the same as on one thread.
/// Without a second connection, one thread reads everything.
package struct ScheduleReading {
  /// The lowest number of rows for which a second thread saves time.
  private let parallelMin: UInt32

  package init(parallelMin: UInt32 = 65_536) {
    self.parallelMin = max(1, parallelMin)
  }

  /// Calls `body` with every schedule in order of rows, on this thread.
  ///
  /// - Parameters:
  ///   - transaction: a transaction that has changed no schedule.
  ///   - snapshots: the snapshots of the same store.
  package func forEach(
    in transaction: any StoreWriter, beside snapshots: any StoreSnapshots,
    _ body: (UInt32, Schedule) -> Void
  ) throws {
    let last = try transaction.lastRecipient()
    let half = last / 2
    guard last >= parallelMin,
      let upperHalf = try? ScheduleHalf(rows: half + 1...last, of: snapshots)
    else {
      return try transaction.forEachSchedule(in: 0...last, body)
    }
    let lowerResult = Result { try transaction.forEachSchedule(in: 0...half, body) }
    // The thread is joined even if the lower half failed.
    let upperResult = upperHalf.waitForEntries()
    try lowerResult.get()
    switch upperResult {
    case .success(let entries): for (row, schedule) in entries { body(row, schedule) }
    // A start does not fail because of the second connection, which may run into timeouts of its
    // own. If the rows themselves are faulty, the transaction gives the better error.
    case .failure: try transaction.forEachSchedule(in: half + 1...last, body)
    }
  }
}

/// The schedules of a range of rows, read on a separate thread.
private final class ScheduleHalf: Sendable {
  typealias Entries = [(UInt32, Schedule)]

  private final class Outcome: Sendable {
    let entries = Mutex(Result<Entries, StoreError>.success([]))
  }

  /// The maximum number of entries for which memory is reserved.
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
        // Rows are never reused, so there may be far fewer recipients than rows.
        entries.reserveCapacity(min(rows.count, Self.reservedMax))
        try reader.forEachSchedule(in: rows) { entries.append(($0, $1)) }
        return entries
      }
    }
  }

  /// Waits for the schedules. Called once.
  func waitForEntries() -> Result<Entries, StoreError> {
    thread.join()
    return outcome.entries.withLock { $0 }
  }
}
