import CSQLite
import GRDB
import GRDBSQLite
import Store
import Synchronization
import Systemd

/// Keeps the log short: moves it into the database (a checkpoint) whenever it has become long,
/// nearly all of it by a connection and on a thread of its own, for it takes a tenth of a second in
/// which nothing could be acknowledged.
///
/// What cannot be moved stays in the log, and is tried again when that has grown a little more: no
/// commit fails for it. But SQLite remembers pages as moved before they are synced, and a sync that
/// failed may have given up any of them: nothing is committed or taken from the log then, until a
/// start reads all of the log anew. For whoever has the connection that writes, and one at a time.
final class Checkpointer {
  /// Where what is moved beside the commits is moved.
  enum Place {
    case ownThread
    /// On the caller's, at once: so each run of a program makes the same calls to the disk.
    case callersThread
  }

  /// How many bytes the log has when it is moved.
  let size: Int64
  private let address: DatabaseAddress
  private let place: Place
  private var pace: CheckpointPace
  private var helper: Helper?
  private var isPaused = false
  /// Why the database is not known to have what was moved.
  private var failure: StoreError?
  /// How many pages the log had after the last commit. SQLite writes it.
  private let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  init(of address: DatabaseAddress, size: Int64, in place: Place, on database: Database) throws {
    (self.address, self.size, self.place) = (address, size, place)
    let pageSize = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
    pace = CheckpointPace(limit: Int(size / pageSize))
    pages.initialize(to: 0)
    // It takes the place of SQLite's own checkpoints.
    sqlite3_wal_hook(
      database.sqliteConnection,
      { context, _, _, pages in
        context?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, pages)
  }

  /// The connection must be closed, or commit nothing any more.
  deinit {
    helper?.wait()
    pages.deallocate()
  }

  /// Does what is to be done after a commit.
  func committed(_ database: Database) {
    guard !isPaused, failure == nil else { return }
    let pages = Int(pages.pointee)
    guard helper != nil else { return take(pace.committed(pages), database) }
    guard let moved = collect(database) else { return }
    take(pace.cameBack(moved: moved, of: pages), database)
  }

  private func take(_ step: CheckpointPace.Step, _ database: Database) {
    switch step {
    case .nothing: break
    case .beside where !Self.hasMoved(database): helper = Helper(address, in: place)
    case .beside, .here: try? move(.passive, on: database)
    }
  }

  /// Moves what is in the log on the connection that writes.
  ///
  /// - Throws: also where an earlier sync has failed.
  func move(_ mode: Database.CheckpointMode, on database: Database) throws {
    try check(database)
    do {
      _ = try database.checkpoint(mode)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_FSYNC {
      fail(StoreError(error, file: address.file), database)
      throw error
    }
  }

  /// Throws if a sync of what was moved has failed.
  func check(_ database: Database) throws(StoreError) {
    if failure == nil, case .failure(let error) = helper?.result { fail(error, database) }
    if let failure { throw failure }
  }

  /// Takes what came of the moving beside: how many pages; nil while it goes on, or if it failed.
  private func collect(_ database: Database) -> Int? {
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

  private func fail(_ error: StoreError, _ database: Database) {
    failure = error
    if let connection = database.sqliteConnection { _ = chime_sqlite_leave_log(connection) }
  }

  /// Whether another file has the name of the database, which must not get its log.
  private static func hasMoved(_ database: Database) -> Bool {
    var hasMoved: Int32 = 0
    sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// Whether nothing is being moved.
  var isIdle: Bool { helper.map { $0.result != nil } ?? true }

  /// Begins to move nothing until `resume`.
  func pause() { isPaused = true }

  func resume() { isPaused = false }

  /// Pauses, and returns when nothing is being moved.
  func end() {
    pause()
    helper?.wait()
  }
}

/// Who moves what is in the log at one time, once.
private final class Helper {
  private final class Outcome: Sendable {
    let result = Mutex<Result<Int, StoreError>?>(nil)
  }

  private let outcome = Outcome()
  private var thread: OperatingSystemThread?

  init(_ address: DatabaseAddress, in place: Checkpointer.Place) {
    let run = { @Sendable [outcome] in
      let result = Self.move(address)
      outcome.result.withLock { $0 = result }
    }
    switch place {
    case .callersThread: run()
    case .ownThread:
      do {
        thread = try OperatingSystemThread(name: "checkpoint", run)
      } catch {
        outcome.result.withLock { $0 = .success(0) }
      }
    }
  }

  private static func move(_ address: DatabaseAddress) -> Result<Int, StoreError> {
    guard let connection = try? PlainConnection(address, isReadOnly: false) else {
      return .success(0)
    }
    return Result { () throws(StoreError) in try connection.checkpoint() }
  }

  /// How many pages of the log are in the database, 0 if none could be moved, or why they are not
  /// known to be on the disk; nil while it is at it.
  var result: Result<Int, StoreError>? { outcome.result.withLock { $0 } }

  func wait() {
    thread?.join()
    thread = nil
  }
}
