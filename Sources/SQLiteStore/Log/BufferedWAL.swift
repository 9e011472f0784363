import CSQLite
import Synchronization

/// A VFS with which a commit of any number of pages is one write to the log; see `CSQLite.h`. The
/// connection that writes the store uses it.
final class BufferedWAL: Sendable {
  /// The name of the VFS.
  let name: String
  /// The VFS, which buffers the pages of a commit.
  nonisolated(unsafe) private let gathering: OpaquePointer

  /// The number of these VFSs in the process, for their names.
  private static let count = Atomic(0)

  /// Registers the VFS; returns nil if SQLite does not accept it.
  ///
  /// - Parameter vfs: the VFS that writes to disk; nil for the default one.
  init?(over vfs: String?) {
    let number = Self.count.add(1, ordering: .relaxed).newValue
    name = "chimed-\(number)"
    guard let gathering = chime_gathering_make(name, vfs) else { return nil }
    self.gathering = gathering
  }

  deinit { chime_gathering_free(gathering) }
}
