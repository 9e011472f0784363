import Glibc
import Systemd

/// Notices when all or a part of the system's tz database is replaced (rule T1). A package manager
/// renames new files into the database's directories. An administrator may replace the top
/// directory or a link to it.
struct ZoneWatch {
  private let inotify: Descriptor
  private let directory: String
  /// The watch on the parent directory; negative if that directory cannot be watched.
  private let parent: Int32

  /// The inotify events to report for each watched directory.
  private static let changes = [
    IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF,
    IN_ONLYDIR,
  ].reduce(0) { $0 | UInt32($1) }

  /// Returns nil if the kernel cannot watch the directory.
  init?(directory: String) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    inotify = Descriptor(descriptor)
    self.directory = directory
    parent = inotify_add_watch(
      descriptor, Self.parent(of: directory), UInt32(IN_MOVED_TO | IN_CREATE))
    guard watchAgain() else { return nil }
  }

  /// The inotify descriptor; readable after a change.
  var descriptor: Int32 { inotify.number }

  /// Watches the current directories. Existing watches remain.
  ///
  /// - Returns: whether the top directory can be watched.
  @discardableResult
  func watchAgain() -> Bool { watch(directory, depth: 1) }

  /// The number of levels of directories that are watched. Zone names have at most three parts.
  private static let depthMax = 3

  private func watch(_ path: String, depth: Int) -> Bool {
    guard inotify_add_watch(descriptor, path, Self.changes) >= 0 else { return false }
    guard depth < Self.depthMax, let stream = opendir(path) else { return true }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let isDirectory = entry.pointee.d_type == DT_DIR || entry.pointee.d_type == DT_LNK
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Self.text($0) }
      // Adding a watch fails for anything but a directory.
      if isDirectory && !name.hasPrefix(".") { _ = watch(path + "/" + name, depth: depth + 1) }
    }
    return true
  }

  /// Reads all inotify events, and returns whether one of them concerns the database.
  func readChanges() -> Bool {
    var hasChanges = false
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return hasChanges }
      buffer[..<count].withUnsafeBytes { bytes in
        Self.forEachEvent(in: bytes) { watch, name in
          if watch != parent || name == Self.name(of: directory) { hasChanges = true }
        }
      }
    }
  }

  /// Calls `body` with the watch and the file name of each event; the name may be empty.
  private static func forEachEvent(
    in bytes: UnsafeRawBufferPointer, _ body: (Int32, String) -> Void
  ) {
    let headerSize = MemoryLayout<inotify_event>.size
    var remaining = bytes[...]
    while remaining.count >= headerSize {
      let event = UnsafeRawBufferPointer(rebasing: remaining).loadUnaligned(as: inotify_event.self)
      remaining = remaining.dropFirst(headerSize)
      body(event.wd, text(UnsafeRawBufferPointer(rebasing: remaining.prefix(Int(event.len)))))
      remaining = remaining.dropFirst(Int(event.len))
    }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? ""
  }

  private static func parent(of path: String) -> String {
    let parts = path.split(separator: "/").dropLast()
    return (path.hasPrefix("/") ? "/" : "./") + parts.joined(separator: "/")
  }
}

/// The effect of a change of the tz database, once all recipients are replanned (rule T1).
package struct ZoneUpdate: Hashable, Sendable {
  /// The current release of the database.
  package var version: String
  /// The zones whose rules have changed.
  package var zones: Set<String>
  /// How many recipients were replanned.
  package var recipients = 0
  /// How many of these recipients live in one of `zones`.
  package var affected = 0
  /// How many pending occurrences of the affected recipients have moved to another instant.
  package var moved = 0
  /// The zones that recipients have and the database has lost.
  package var lost = LostZones()
  /// Whether this is the check at a start, where the database may be unchanged.
  package var isStartCheck = false

  package init(version: String, zones: Set<String>) {
    self.version = version
    self.zones = zones
  }

  mutating func add(_ other: ZoneUpdate) {
    recipients += other.recipients
    affected += other.affected
    moved += other.moved
  }

  mutating func forgetCounts() { (recipients, affected, moved) = (0, 0, 0) }

  /// The text for the operator.
  package var description: String {
    let change = isStartCheck ? [] : [change]
    return (change + lost.sentences).joined(separator: "; ")
  }

  private var change: String {
    let start = "the tz database is now \(version)"
    guard !zones.isEmpty else { return start + "; no zone's rules have changed" }
    return start + ", with new rules for \(zoneList); \(affected) of \(recipients) recipients live "
      + "there and were replanned; \(moved) of their pending reminders have moved"
  }

  /// The first four zones.
  private var zoneList: String {
    let firstNames = zones.sorted().prefix(4).joined(separator: ", ")
    return zones.count > 4 ? "\(firstNames) and \(zones.count - 4) more" : firstNames
  }
}
