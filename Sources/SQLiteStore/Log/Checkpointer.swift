import CSQLite
import GRDB
import GRDBSQLite
import Store
import Synchronization
import Systemd

/// Keeps the write-ahead log short by moving it into the database when it is long (a checkpoint).
/// Moving takes a tenth of a second. During that time, the committing thread could acknowledge
/// nothing. So nearly all of the log is moved by a helper, which has its own thread and connection.
///
/// If pages cannot be moved, no commit fails. They stay in the log, and are moved after the log has
/// grown a little more. But SQLite regards pages as moved before they are synced, and a failed sync
/// may lose any of these pages. After a failed sync, nothing is committed, and nothing is removed
/// from the log. At the next start the service reads all of the log again.
///
/// Not thread-safe: only the owner of the writing connection uses a checkpointer.
final class Checkpointer {
  /// The thread of the helper.
  enum HelperThread {
    case ownThread
    /// The caller's thread. The helper ends before the call returns, so that each run of a test
    /// makes the same calls to the disk.
    case callersThread
  }

  /// The size in bytes at which the log is moved.
  let size: Int64
  private let address: DatabaseAddress
  private let thread: HelperThread
  private var pace: CheckpointPace
  /// The helper of the current move, even if it has finished; nil if there is none.
  private var helper: Helper?
  /// Whether commits start no move.
  private var isPaused = false
  /// The error of a failed sync, after which moved pages may be missing in the database; nil if no
  /// sync has failed.
  private var failure: StoreError?
  /// The number of pages in the log after the last commit, which SQLite's hook writes.
  private let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  init(of address: DatabaseAddress, size: Int64, in thread: HelperThread, on database: Database)
    throws
  {
    (self.address, self.size, self.thread) = (address, size, thread)
    let pageSize = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
    pace = CheckpointPace(limit: Int(size / pageSize))
    pages.initialize(to: 0)
    // The hook replaces SQLite's automatic checkpoints.
    sqlite3_wal_hook(
      database.sqliteConnection,
      { context, _, _, pages in
        context?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, pages)
  }

  /// The connection must be closed, or must have made its last commit.
  deinit {
    helper?.wait()
    pages.deallocate()
  }

  /// Checkpoints as needed after a commit.
  func checkpointAfterCommit(_ database: Database) {
    guard !isPaused, failure == nil else { return }
    let pages = Int(pages.pointee)
    guard helper != nil else { return perform(pace.stepAfterCommit(pages), database) }
    guard let moved = removeFinishedHelper(database) else { return }
    perform(pace.stepAfterHelper(moved: moved, of: pages), database)
  }

  private func perform(_ step: CheckpointPace.Step, _ database: Database) {
    switch step {
    case .nothing: break
    case .startHelper where !Self.hasMoved(database): helper = Helper(address, on: thread)
    case .startHelper, .moveOnCommitter: try? move(.passive, on: database)
    }
  }

  /// Moves the log on the writing connection.
  ///
  /// - Throws: the error of the move, or of an earlier failed sync.
  func move(_ mode: Database.CheckpointMode, on database: Database) throws {
    try check(database)
    do {
      _ = try database.checkpoint(mode)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_FSYNC {
      fail(StoreError(error, file: address.file), database)
      throw error
    }
  }

  /// Throws if a sync of moved pages has failed.
  func check(_ database: Database) throws(StoreError) {
    if failure == nil, case .failure(let error) = helper?.result { fail(error, database) }
    if let failure { throw failure }
  }

  /// Removes the helper if it has finished, and returns the number of pages that it moved. Returns
  /// nil while it runs, or if its sync failed.
  private func removeFinishedHelper(_ database: Database) -> Int? {
    guard let result = helper?.result else { return nil }
    helper?.wait()
    helper = nil
    do {
      return try result.get()
    } catch {
      fail(error, database)
      return nil
    }
  }

  /// Records a failed sync, and makes the connection leave the log as it is.
  private func fail(_ error: StoreError, _ database: Database) {
    failure = error
    if let connection = database.sqliteConnection { _ = chime_sqlite_leave_log(connection) }
  }

  /// Returns whether another file now has the database's path. That file must not get the pages of
  /// this log.
  private static func hasMoved(_ database: Database) -> Bool {
    var hasMoved: Int32 = 0
    sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// Whether no helper is running.
  var isIdle: Bool { helper.map { $0.result != nil } ?? true }

  /// Prevents new checkpoints until `resume`.
  func pause() { isPaused = true }

  /// Allows new checkpoints.
  func resume() { isPaused = false }

  /// Pauses, and waits until no helper is running.
  func end() {
    pause()
    helper?.wait()
  }
}

/// Moves the log once.
private final class Helper {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Int, StoreError>?>(nil)
  }

  private let outcome = Outcome()
  private var thread: OperatingSystemThread?

  init(_ address: DatabaseAddress, on kind: Checkpointer.HelperThread) {
    let run = { @Sendable [outcome] in
      let result = Self.move(address)
      outcome.result.withLock { $0 = result }
    }
    switch kind {
    case .callersThread: run()
    case .ownThread:
      do {
        thread = try OperatingSystemThread(name: "checkpoint", run)
      } catch {
        outcome.result.withLock { $0 = .success(0) }
      }
    }
  }

  /// Moves the log through a separate connection.
  private static func move(_ address: DatabaseAddress) -> Result<Int, StoreError> {
    guard let connection = try? PlainConnection(address, isReadOnly: false) else {
      return .success(0)
    }
    return Result { () throws(StoreError) in try connection.checkpoint() }
  }

  /// The number of the log's pages that are in the database, or the error of a failed sync; nil
  /// while the helper runs. The number is 0 if no page could be moved.
  var result: Result<Int, StoreError>? { outcome.result.withLock { $0 } }

  /// Waits until the helper has finished.
  func wait() {
    thread?.join()
    thread = nil
  }
}
