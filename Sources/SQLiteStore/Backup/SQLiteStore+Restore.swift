import GRDB
internal import Glibc
import Reminders
package import Store

/// The contents of a restored store, for the operator.
package struct RestoredStore: Sendable {
  /// The number of recipients.
  package let recipients: Int
  /// The number of notifications.
  package let notifications: Int
  /// The path of the directory to which the previous store was moved; nil if there was none.
  package let replaced: String?
}

extension SQLiteStore {
  /// Replaces the store of a state directory by a backup.
  ///
  /// If the process runs as root, it changes its user to the owner of the directory once it has
  /// opened the backup. The notifications that were recorded after the backup are lost. The numbers
  /// of new notifications begin far beyond those of the backup, so that no new delivery gets the id
  /// of a lost one.
  ///
  /// - Parameters:
  ///   - backup: the path of the backup.
  ///   - directory: the state directory, created if absent. If root creates it, it belongs to the
  ///     service's user, provided that this user exists.
  ///   - isReplacing: whether an existing store that is not blank is moved aside; if false, such a
  ///     store is an error.
  ///   - vfs: the VFS for access to the disk; nil for the default one.
  ///   - report: receives progress messages.
  /// - Throws: an error if the backup or the directory is unusable; then the previous store is
  ///   still in place. If only the last step fails, the previous store is in its new directory.
  package static func restore(
    _ backup: String, to directory: String, isReplacing: Bool, vfs: String? = nil,
    report: (String) -> Void = { _ in }
  ) throws(StoreError) -> RestoredStore {
    let source = try BackupFile(backup)
    try DirectoryOwner.become(of: directory)
    let state = try StateDirectory(locking: directory, vfs: vfs)
    guard isReplacing || !state.hasDatabase || isBlank(state) else {
      throw .present(file: state.database)
    }
    do {
      let partial = directory + "/restore.partial"
      defer { unlink(partial) }
      report("copying the backup")
      try source.copy(to: partial)
      report("examining the copy")
      let copied = DatabaseAddress(file: partial, vfs: vfs, isImmutable: true)
      let counts = try ReadFailure.confirmingDamage(of: copied) {
        do {
          return try examine(copied, of: backup)
        } catch {
          throw StoreError(error, file: backup)
        }
      }
      report("moving the copy into place")
      try skipNumbers(in: DatabaseAddress(file: partial, vfs: vfs))
      let replaced = try putAside(state)
      try install(partial, in: state)
      return RestoredStore(
        recipients: counts.recipients, notifications: counts.notifications, replaced: replaced)
    } catch {
      throw Self.failure(error, of: backup)
    }
  }

  /// Returns the error to report. The error of a damaged store advises the operator to restore a
  /// backup, so a damaged backup has another error.
  private static func failure(_ error: any Error, of backup: String) -> StoreError {
    let failure = StoreError(error, file: backup)
    guard case .damaged(file: backup, let reason) = failure else { return failure }
    return .damagedBackup(file: backup, reason: reason)
  }

  /// Checks a whole copy. The copy must be opened as immutable, because its header requires a
  /// write-ahead log and a backup has none.
  ///
  /// - Returns: the numbers of recipients and of notifications.
  private static func examine(
    _ copy: DatabaseAddress, of backup: String
  ) throws -> (recipients: Int, notifications: Int) {
    try inspect(copy, naming: backup)
    return try reading(copy) { database in
      let flaws = try String.fetchAll(database, sql: "PRAGMA integrity_check(5)")
      guard flaws == ["ok"] else {
        throw StoreError.damaged(file: backup, reason: flaws.joined(separator: "; "))
      }
      try SchemaCheck.check(database, file: backup)
      try RowCheck.all(database)
      return (try count("recipient", database), try count("notification", database))
    }
  }

  /// Returns whether a store is blank: its log is empty, and it has no recipients, notifications or
  /// tokens. Such a store can be replaced.
  private static func isBlank(_ state: StateDirectory) -> Bool {
    var status = stat()
    guard stat(state.database + "-wal", &status) != 0 || status.st_size == 0 else { return false }
    var address = state.address
    address.isImmutable = true
    do {
      try inspect(address)
      return try reading(address) { database in
        try ["recipient", "notification", "token"].allSatisfy { try count($0, database) == 0 }
      }
    } catch {
      return false
    }
  }

  private static func reading<Value>(
    _ address: DatabaseAddress, _ body: (Database) throws -> Value
  ) throws -> Value {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: address.path, configuration: configuration).read(body)
  }

  private static func count(_ table: String, _ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
  }

  /// Skips the numbers of notifications that may be lost, and moves the write-ahead log into the
  /// database.
  private static func skipNumbers(in address: DatabaseAddress) throws {
    let queue = try DatabaseQueue(path: address.path)
    try queue.write { database in
      let last = try Int64.fetchOne(database, sql: "SELECT max(id) FROM notification") ?? 0
      let noted = try Notes.number("next notification", in: database) ?? 0
      try Notes.write("next notification", String(max(last + 1, noted) + skipCount), in: database)
    }
    try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    try queue.close()
  }

  // MARK: - Files

  /// Copies a file's content and syncs it.
  static func copy(_ file: String, to path: String) throws(StoreError) {
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
      guard count > 0, FileContent.write(buffer[..<count], to: target) else { break }
    }
    throw .failed(reason: "\(file) cannot be copied: \(String(cString: strerror(errno)))")
  }

  /// Moves the previous store to a new directory.
  ///
  /// - Returns: the path of that directory; nil if there was no store.
  private static func putAside(_ state: StateDirectory) throws(StoreError) -> String? {
    guard state.hasDatabase else { return nil }
    let aside = try makeDirectory(in: state)
    for suffix in [""] + suffixes {
      let path = state.database + suffix
      guard access(path, F_OK) == 0 else { continue }
      guard rename(path, aside + "/chimed.sqlite" + suffix) == 0 else {
        throw .failed(reason: "\(path) cannot be moved: \(String(cString: strerror(errno)))")
      }
    }
    return aside
  }

  /// The beginning of the names of directories with previous stores.
  static let replacedName = "replaced"

  /// Creates the directory for the previous store: "replaced", or the first of "replaced-2",
  /// "replaced-3", ... that does not exist.
  private static func makeDirectory(in state: StateDirectory) throws(StoreError) -> String {
    var number = 1
    while true {
      let path = state.path + "/" + replacedName + (number == 1 ? "" : "-\(number)")
      if mkdir(path, 0o700) == 0 { return path }
      guard errno == EEXIST else {
        throw .unreadable(directory: path, reason: String(cString: strerror(errno)))
      }
      number += 1
    }
  }
}

/// The owner of a state directory's files.
enum DirectoryOwner {
  /// The user that owns a directory created by root, if this user exists.
  static let serviceUser = "chimed"

  /// Changes the user of the process permanently from root to the owner of a directory. New files
  /// then belong to the owner, and no symbolic link of the owner can redirect root. In a process of
  /// any other user, this function does nothing.
  ///
  /// - Parameter directory: the directory, created if absent.
  static func become(of directory: String) throws(StoreError) {
    guard geteuid() == 0 else { return }
    try createIfMissing(directory)
    var status = stat()
    guard stat(directory, &status) == 0 else { throw unusable(directory) }
    let (user, group) = (status.st_uid, status.st_gid)
    guard user != 0 else { return }
    guard setgroups(0, nil) == 0, setgid(group) == 0,
      setuid(user) == 0
    else { throw unusable(directory) }
  }

  private static func createIfMissing(_ directory: String) throws(StoreError) {
    guard mkdir(directory, 0o700) == 0 else {
      guard errno == EEXIST else { throw unusable(directory) }
      return
    }
    guard let user = getpwnam(serviceUser)?.pointee else { return }
    guard chown(directory, user.pw_uid, user.pw_gid) == 0 else { throw unusable(directory) }
  }

  private static func unusable(_ directory: String) -> StoreError {
    .unreadable(directory: directory, reason: String(cString: strerror(errno)))
  }
}
