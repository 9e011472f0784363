import CSQLite
import GRDB
import GRDBSQLite
package import Reminders
package import Store

/// The state of the service on disk: one SQLite database with one writing connection and one
/// transaction at a time.
///
/// Only the engine's thread uses it. Every commit is synced (`synchronous=FULL`, rule E3).
/// Therefore, a commit should contain many events or firings.
package final class SQLiteStore: Store {
  /// The path of the database, for messages.
  package let file: String
  /// The store's own name, which distinguishes its delivery ids from those of other stores.
  package var instance: String { statements.instance }
  /// The number of the last recorded notification.
  package var lastNotification: Int64 { statements.nextNotification - 1 }
  /// The durations of commits that wrote something, in seconds. Most of the time is that of the
  /// sync, and sometimes of the end of a checkpoint.
  package private(set) var commitTimes = Histogram(bounds: [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
  ])
  /// Acknowledged data that the store has lost; nil if no loss is known. An orderly stop forgets
  /// the loss.
  package internal(set) var loss: StoreLoss?
  let directory: StateDirectory
  let markFile: MarkFile
  /// The writing connection.
  let queue: DatabaseQueue
  /// The closed connection that inspected or created the store. This property prevents its release.
  /// After the release of a queue, libdispatch wakes every second to manage its threads, so an idle
  /// service would not sleep.
  private let openingQueue: DatabaseQueue
  let statements: Statements
  let checkpointer: Checkpointer
  /// Answers queries beside the writing connection.
  package var readers: any StoreSnapshots { connections }
  /// The connections for queries.
  let connections: StoreReaders

  /// Opens or creates the store in a directory, and acquires the directory's lock.
  ///
  /// - Parameters:
  ///   - vfs: the SQLite VFS, called on the thread that calls the store; nil for the default.
  ///   - hash: the hash of identities; the store sets its keys.
  ///   - logSize: the size in bytes from which the log is checkpointed.
  /// - Throws: an error if the store cannot be opened. The content of an existing store has not
  ///   changed then.
  package convenience init(
    directory path: String, vfs: String? = nil, hash: IdentityHash = IdentityHash(),
    logSize: Int64 = SQLiteStore.logSize
  ) throws(StoreError) {
    try self.init(
      directory: path, vfs: vfs, identities: UnwrittenIdentities.Pace(), hash: hash,
      logSize: logSize)
  }

  init(
    directory path: String, vfs: String? = nil, identities pace: UnwrittenIdentities.Pace,
    hash: IdentityHash = IdentityHash(), logSize: Int64 = SQLiteStore.logSize
  ) throws(StoreError) {
    let directory = try StateDirectory(locking: path, vfs: vfs)
    self.directory = directory
    file = directory.database
    let file = file
    SQLiteBackup.removePartialFile(in: path)
    _ = Self.isPrepared
    if directory.hasDatabase { try LeftoverWAL.rewriteAndSync(beside: directory.address) }
    (openingQueue, (queue, statements)) = try Self.open(directory, pace, hash)
    checkpointer = try Self.makeCheckpointer(on: queue, directory.address, size: logSize)
    markFile = MarkFile(file + Self.markSuffix)
    connections = StoreReaders(directory, file: file, hash: hash)
    try findLoss()
    try writeIdentities()
    markFile.write(statements.mark)
    if isErasureOpen { _ = try finishErasure() }
  }

  /// Ends checkpointing. The directory's lock and the connection are released when no other object
  /// holds them.
  deinit {
    queue.writeWithoutTransaction { database in
      checkpointer.end()
      try? checkpointer.check(database)
    }
  }

  /// Returns a function that opens the store in a directory.
  package static func opening(
    _ directory: String
  ) -> @Sendable () throws(StoreError) -> any Store {
    { () throws(StoreError) in try SQLiteStore(directory: directory) }
  }

  /// Writes the identities of events to their table, so that repeated crashes do not make starts
  /// slower and slower. A full disk does not prevent a start.
  private func writeIdentities() throws(StoreError) {
    do {
      try transaction { try $0.writeIdentities(all: true) }
    } catch {
      guard error.isTemporary else { throw error }
    }
  }

  /// Sets up SQLite once for the process, before the first database is opened. False if SQLite was
  /// already in use. Then the setup has no effect, and databases are a little slower.
  private static let isPrepared = chime_sqlite_stop_accounting() && chime_sqlite_spare_the_cache()

  /// The timeout of a lock that another connection holds, in milliseconds. Together with
  /// `knownLockTimeout` it is less than a second, because a request may wait for both (rule E11).
  static let lockTimeout: Int32 = 800
  /// The timeout, in milliseconds, of a transaction after one that failed because of a lock.
  static let knownLockTimeout: Int32 = 100

  /// Opens a writing connection with a write-ahead log.
  static func connect(_ address: DatabaseAddress) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Double(lockTimeout) / 1_000)
    let log = BufferedWAL(over: address.vfs)
    configuration.prepareDatabase { database in
      // A commit writes whole pages. A single event changes one row in each of a few pages, so
      // small pages are best. Where adjacent rows change, larger pages would not help. The size
      // applies to new files only.
      try database.execute(sql: "PRAGMA page_size = 4096")
      // GRDB's own way to enable the log would write to the log before its content is checked. This
      // statement returns the mode, then writes the file; all rows are read to get the error of
      // that write.
      let mode = try String.fetchAll(database, sql: "PRAGMA journal_mode = WAL").first
      guard mode == "wal" else {
        throw DatabaseError(
          message: "it has no write-ahead log; its journal mode is \(mode ?? "none")")
      }
      // The connection retains this closure, and so the closure retains the VFS of the connection.
      withExtendedLifetime(log) {}
    }
    let address = DatabaseAddress(file: address.file, vfs: log?.name ?? address.vfs)
    return try DatabaseQueue(path: address.path, configuration: configuration)
  }

  private static func open(
    _ directory: StateDirectory, _ pace: UnwrittenIdentities.Pace, _ hash: IdentityHash
  ) throws(StoreError) -> (DatabaseQueue, (DatabaseQueue, Statements)) {
    try ReadFailure.confirmingDamage(of: directory.address) {
      let first =
        directory.hasDatabase ? try inspect(directory.address) : try make(in: directory)
      return (first, try open(directory.address, pace, hash))
    }
  }

  private static func open(
    _ address: DatabaseAddress, _ pace: UnwrittenIdentities.Pace, _ hash: IdentityHash
  ) throws -> (DatabaseQueue, Statements) {
    let queue = try connect(address)
    return try queue.writeWithoutTransaction { database in
      try configure(database)
      let statements = try Statements(database, pace, hash)
      statements.connection = queue
      // One transaction contains all queries: each separate query would lock the file and check it
      // for changes.
      try database.inTransaction(.deferred) {
        try StoreTransaction(statements).gatherIdentities()
        return .commit
      }
      return (queue, statements)
    }
  }

  /// Runs the body on the writing connection. A failed read is not reported as damage.
  func withConnection<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
    do {
      return try queue.writeWithoutTransaction { database in
        do {
          return try body(database)
        } catch {
          throw Self.error(error, on: database, file: file)
        }
      }
    } catch {
      throw StoreError(error, file: file)
    }
  }

  /// Returns the store error of an SQLite error. SQLite reports a failed read as damage; this
  /// function distinguishes the two.
  static func error(_ error: any Error, on database: Database, file: String) -> StoreError {
    let error = StoreError(error, file: file)
    guard case .damaged = error else { return error }
    return ReadFailure.last(of: database) ?? error
  }

  /// Configures the writing connection. An acknowledged event must survive a power cut, but GRDB
  /// sets `synchronous=NORMAL` with a write-ahead log.
  private static func configure(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = FULL")
    // Deleted content is zeroed at once (rule H4), because its position is not known later. Zeroing
    // costs little: deletions are rare, and a page that is written is in memory anyway.
    try database.execute(sql: "PRAGMA secure_delete = ON")
    try database.execute(sql: "PRAGMA temp_store = MEMORY")
    try PageCache.large.set(on: database)
  }

  /// The default size in bytes from which the log is checkpointed. It is so large that a burst of
  /// due recipients is not interrupted at every batch.
  package static let logSize: Int64 = 64 << 20

  private static func makeCheckpointer(
    on queue: DatabaseQueue, _ address: DatabaseAddress, size: Int64
  ) throws(StoreError) -> Checkpointer {
    do {
      return try queue.writeWithoutTransaction { database in
        try Checkpointer(
          of: address, size: size, in: address.vfs == nil ? .ownThread : .callersThread,
          on: database)
      }
    } catch {
      throw StoreError(error, file: address.file)
    }
  }

  package func commit<Value>(
    _ body: (any StoreWriter) throws -> Value
  ) throws(StoreError) -> Value {
    try transaction { try body(copy $0) }
  }

  /// Runs one transaction. When this returns, all of its changes are on disk. If the body throws,
  /// none of them is.
  func transaction<Value>(
    _ body: (borrowing StoreTransaction) throws -> Value
  ) throws(StoreError) -> Value {
    try withConnection { database in
      try checkpointer.check(database)
      try begin(database)
      let changesBefore = database.totalChangesCount
      do {
        let transaction = StoreTransaction(statements)
        let value = try body(transaction)
        try transaction.writeArrivals()
        // A transaction that only reads writes nothing, so that it also works on a full disk.
        if database.totalChangesCount != changesBefore { try transaction.writeIdentities() }
        try commit(database, hasChanges: database.totalChangesCount != changesBefore)
        statements.endCommittedTransaction()
        return value
      } catch {
        if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
        statements.rollBack()
        throw error
      }
    }
  }

  /// Begins a transaction that holds the write lock from the start.
  private func begin(_ database: Database) throws {
    do {
      try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
    } catch let error as DatabaseError where error.isBusy {
      sqlite3_busy_timeout(database.sqliteConnection, Self.knownLockTimeout)
      throw error
    }
    sqlite3_busy_timeout(database.sqliteConnection, Self.lockTimeout)
  }

  private func commit(_ database: Database, hasChanges: Bool) throws {
    let start = ContinuousClock.now
    try database.cachedStatement(sql: "COMMIT").execute()
    guard hasChanges else { return }
    checkpointer.checkpointAfterCommit(database)
    markFile.write(statements.mark)
    commitTimes.observe((ContinuousClock.now - start) / .seconds(1))
  }

  /// The level of `PRAGMA synchronous`, for tests.
  package func synchronousLevel() throws -> Int {
    try queue.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
  }

  package func releaseMemory() {
    try? withConnection { try $0.execute(sql: "PRAGMA shrink_memory") }
    chime_give_back_memory()
  }

  /// Forgets a reported loss, prevents new snapshots, and moves the log into the database. Pages
  /// that a snapshot still reads stay in the log until the next start.
  package func shutDown() throws(StoreError) {
    do {
      try forgetLoss()
    } catch {
      // The note about the loss stays in the store, so the next start reports the loss again.
      guard error.isTemporary else { throw error }
    }
    connections.close()
    try withConnection { database in
      checkpointer.end()
      do {
        try checkpointer.move(.truncate, on: database)
      } catch let error as DatabaseError where error.isBusy {
        return
      }
    }
  }
}
