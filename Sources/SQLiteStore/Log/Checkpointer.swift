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
/// commit fails for it. For whoever has the connection that writes, and one at a time.
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
    guard !isPaused else { return }
    let pages = Int(pages.pointee)
    guard let helper else { return take(pace.committed(pages), database) }
    guard let moved = helper.moved else { return }
    helper.wait()
    self.helper = nil
    take(pace.cameBack(moved: moved, of: pages), database)
  }

  private func take(_ step: CheckpointPace.Step, _ database: Database) {
    switch step {
    case .nothing: break
    case .beside: helper = Helper(address, in: place)
    case .here: _ = try? database.checkpoint(.passive)
    }
  }

  /// Whether nothing is being moved.
  var isIdle: Bool { helper.map { $0.moved != nil } ?? true }

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
    /// Negative while it is at it.
    let moved = Atomic(-1)
  }

  private let outcome = Outcome()
  private var thread: OperatingSystemThread?

  init(_ address: DatabaseAddress, in place: Checkpointer.Place) {
    let run = { @Sendable [outcome] in
      let moved = try? PlainConnection(address, isReadOnly: false).checkpoint()
      outcome.moved.store(max(0, moved ?? 0), ordering: .releasing)
    }
    switch place {
    case .callersThread: run()
    case .ownThread:
      do {
        thread = try OperatingSystemThread(name: "checkpoint", run)
      } catch {
        outcome.moved.store(0, ordering: .releasing)
      }
    }
  }

  /// How many pages of the log are in the database, 0 if that failed; nil while it is at it.
  var moved: Int? {
    let moved = outcome.moved.load(ordering: .acquiring)
    return moved < 0 ? nil : moved
  }

  func wait() {
    thread?.join()
    thread = nil
  }
}
