import GRDB
internal import Glibc
package import Reminders

/// What a restored store holds, for the person who restores it.
package struct RestoredStore: Sendable {
  package let recipients: Int
  package let notifications: Int
  /// Where the store that was there before has been put; nil if there was none.
  package let replaced: String?
}

extension SQLiteStore {
  /// Puts a backup in the place of a state directory's store.
  ///
  /// Notifications to come are numbered far beyond those of the backup, so that what was decided
  /// after it and is lost now does not share a delivery's id with what is decided from now on.
  ///
  /// - Parameter isReplacing: whether a store that is there is put aside; it is an error otherwise.
  /// - Throws: what is wrong with the backup or the directory; nothing has changed then.
  package static func restore(
    _ backup: String, to directory: String, isReplacing: Bool
  ) throws(StoreError) -> RestoredStore {
    let state = try StateDirectory(locking: directory)
    guard isReplacing || !state.hasDatabase else { throw .present(file: state.database) }
    do {
      let counts = try examine(backup)
      let partial = directory + "/restore.partial"
      defer { unlink(partial) }
      try copy(backup, to: partial)
      try prepare(partial)
      let replaced = try putAside(state)
      try place(partial, in: state)
      return RestoredStore(
        recipients: counts.recipients, notifications: counts.notifications, replaced: replaced)
    } catch {
      throw StoreError(error, file: backup)
    }
  }

  /// A backup says that it has a log beside it, as the store has; none came with it.
  private static func examine(
    _ backup: String
  ) throws -> (recipients: Int, notifications: Int) {
    guard access(backup, R_OK) == 0 else {
      throw StoreError.unreadable(directory: backup, reason: String(cString: strerror(errno)))
    }
    let address = "file:\(escaped(backup))?immutable=1"
    try inspect(reading: address, backup)
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: address, configuration: configuration).read { database in
      let flaws = try String.fetchAll(database, sql: "PRAGMA integrity_check(5)")
      guard flaws == ["ok"] else {
        throw StoreError.damaged(file: backup, reason: flaws.joined(separator: "; "))
      }
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return (try count("recipient"), try count("notification"))
    }
  }

  /// How many notifications may have been decided since any backup that is worth restoring.
  private static let gap: Int64 = 1_000_000_000

  private static func prepare(_ file: String) throws {
    let queue = try DatabaseQueue(path: file)
    try queue.write { database in
      let last = try Int64.fetchOne(database, sql: "SELECT max(id) FROM notification") ?? 0
      let sql = "SELECT value FROM meta WHERE key = 'next notification'"
      let floor = try String.fetchOne(database, sql: sql).flatMap(Int64.init) ?? 0
      try database.execute(
        sql: "INSERT OR REPLACE INTO meta VALUES ('next notification', ?)",
        arguments: [String(max(last + 1, floor) + gap)])
    }
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try queue.close()
  }

  // MARK: - Files

  private static func copy(_ file: String, to path: String) throws(StoreError) {
    let source = open(file, O_RDONLY | O_CLOEXEC)
    let target = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer {
      close(source)
      close(target)
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while source >= 0, target >= 0 {
      let count = read(source, &buffer, buffer.count)
      if count == 0, fsync(target) == 0 { return }
      guard count > 0, write(target, buffer, count) == count else { break }
    }
    throw .failed(reason: "\(file) cannot be copied: \(String(cString: strerror(errno)))")
  }

  /// - Returns: where what was there is now.
  private static func putAside(_ state: StateDirectory) throws(StoreError) -> String? {
    guard state.hasDatabase else { return nil }
    let aside = state.path + "/replaced"
    guard mkdir(aside, 0o700) == 0 else {
      throw .unreadable(
        directory: aside,
        reason: "\(String(cString: strerror(errno))); it holds the store that an earlier "
          + "restoration replaced: move it away, or delete it")
    }
    for suffix in [""] + suffixes {
      let path = state.database + suffix
      guard access(path, F_OK) == 0 else { continue }
      guard rename(path, aside + "/chimed.sqlite" + suffix) == 0 else {
        throw .failed(reason: "\(path) cannot be moved: \(String(cString: strerror(errno)))")
      }
    }
    return aside
  }
}
