import CFaultyDisk

/// A disk with injected faults, for a store opened by its VFS name; see `CFaultyDisk.h`.
///
/// Every connection must be closed before this object is released.
package final class FaultyDisk: @unchecked Sendable {
  package enum Call: Int32, CaseIterable, Sendable {
    case open, read, write, sync, truncate, size, lock, share, delete, access
  }

  /// The fate of unsynced data in a crash: all of it stays (only the process dies), none of it
  /// stays, or some sectors stay, chosen by the seed.
  package enum Crash: Sendable, Equatable {
    case killed, lost
    case torn(seed: UInt64)
  }

  /// The name of the VFS, for `SQLiteStore(directory:vfs:)`.
  package let name: String
  private let disk: OpaquePointer

  /// - Parameter name: a name that no other disk of the process has.
  package init?(name: String) {
    guard let disk = chime_disk_make(name) else { return nil }
    self.name = name
    self.disk = disk
  }

  deinit { chime_disk_free(disk) }

  /// Makes calls fail, beginning with the `n`-th call after this one (1 is the next). Replaces the
  /// previous rule of failures.
  ///
  /// - Parameters:
  ///   - call: the kind of call; any kind if nil.
  ///   - code: the SQLite error code that the calls return.
  ///   - times: the number of failures; unlimited if nil.
  package func fail(_ call: Call?, at n: Int, with code: Int32, times: Int? = 1) {
    chime_disk_fail(disk, call?.rawValue ?? -1, Int64(n), code, times.map(Int64.init) ?? -1)
  }

  /// Removes the rule that `fail` has set.
  package func stopFailing() {
    chime_disk_fail(disk, -1, 0, 0, 0)
  }

  /// Returns the number of calls of one kind, or of all kinds if nil.
  package func calls(_ call: Call? = nil) -> Int {
    Int(chime_disk_calls(disk, call?.rawValue ?? -1))
  }

  /// The number of failed calls.
  package var faults: Int { Int(chime_disk_faults(disk)) }

  /// Limits the total size of the files, in bytes; nil for no limit.
  package func limit(to bytes: Int?) {
    chime_disk_limit(disk, bytes.map(Int64.init) ?? -1)
  }

  /// Simulates the death of the process (a halt) at the `n`-th call from now; 1 is the next call.
  /// This call and all later calls fail. 0 ends the halt.
  package func halt(at n: Int) {
    chime_disk_halt(disk, Int64(n))
  }

  /// Whether the process has died in the simulation.
  package var isHalted: Bool { chime_disk_is_halted(disk) != 0 }

  /// Makes syncs succeed without effect, or ends this.
  package func ignoreSyncs(_ ignores: Bool = true) {
    chime_disk_ignore_sync(disk, ignores ? 1 : 0)
  }

  /// Changes the files as a crash does, and ends a halt. Every connection must be closed.
  ///
  /// - Throws: `Failure`, if the real files cannot be changed.
  package func crash(_ crash: Crash) throws {
    let (manner, seed): (chime_disk_manner, UInt64) =
      switch crash {
      case .killed: (CHIME_DISK_KILLED, 0)
      case .lost: (CHIME_DISK_LOST, 0)
      case .torn(let seed): (CHIME_DISK_TORN, seed)
      }
    let code = chime_disk_restore(disk, Int32(manner.rawValue), seed)
    guard code == 0 else { throw Failure(errno: code) }
  }

  /// A failed change of the real files.
  package struct Failure: Error {
    package let errno: Int32
  }
}
