import CSQLite
import GRDB
package import Reminders
package import Store

/// The state of the service on disk: one SQLite database, one connection that writes, one
/// transaction at a time.
///
/// For the thread of the engine alone. Every commit is synced (`synchronous=FULL`, rule E3), so
/// many events or firings should share one.
package final class SQLiteStore: Store {
  /// The file, for messages.
  package let file: String
  /// Distinguishes this store's delivery ids from another's.
  package var instance: String { statements.instance }
  /// The number of the last notification that was recorded.
  package var lastNotification: Int64 { statements.nextNotification - 1 }
  /// How long commits took that had something to write, in seconds: the sync, and now and then the
  /// end of a checkpoint.
  package private(set) var commitTimes = Histogram(bounds: [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
  ])
  /// What the store had acknowledged and has no more; nil after a start that followed on a stop as
  /// it should be and found nothing missing.
  package internal(set) var loss: StoreLoss?
  let directory: StateDirectory
  let markFile: MarkFile
  let queue: DatabaseQueue
  /// The connection that found the store or made it, closed. It is not let go, for with the first
  /// queue that goes libdispatch begins to look after its threads, each second for good, and an
  /// idle service would not sleep any more.
  private let first: DatabaseQueue
  let statements: Statements
  let checkpointer: Checkpointer
  /// What answers questions beside it.
  package var readers: any StoreSnapshots { connections }
  let connections: StoreReaders

  /// Opens or creates the store in a directory and takes the directory's lock.
  ///
  /// - Parameters:
  ///   - vfs: by which SQLite reaches the disk, called on the thread that calls the store; the
  ///     usual one if nil.
  ///   - hash: by which things are found; its keys are the store's.
  ///   - logSize: from how many bytes on the log is moved into the database.
  /// - Throws: what is wrong; nothing on disk is changed then, but for the lock file.
  package convenience init(
    directory path: String, vfs: String? = nil, hash: IdentityHash = IdentityHash(),
    logSize: Int64 = SQLiteStore.logSize
  ) throws(StoreError) {
    try self.init(
      directory: path, vfs: vfs, identities: RecentIdentities.Pace(), hash: hash, logSize: logSize)
  }

  init(
    directory path: String, vfs: String? = nil, identities pace: RecentIdentities.Pace,
    hash: IdentityHash = IdentityHash(), logSize: Int64 = SQLiteStore.logSize
  ) throws(StoreError) {
    let directory = try StateDirectory(locking: path, vfs: vfs)
    self.directory = directory
    file = directory.database
    let file = file
    SQLiteBackup.removePartialFile(in: path)
    _ = Self.isPrepared
    if directory.hasDatabase { try LeftoverWAL.secure(beside: directory.address) }
    (first, (queue, statements)) = try Self.open(directory, pace, hash)
    checkpointer = try Self.checkpointer(on: queue, directory.address, size: logSize)
    markFile = MarkFile(file + Self.markSuffix)
    connections = StoreReaders(directory, file: file, hash: hash)
    try findLoss()
    try writeIdentities()
    markFile.write(statements.mark)
    if isErasureOpen { _ = try finishErasure() }
  }

  /// The directory is let go, and the connection closed, when nobody else has them.
  deinit {
    queue.writeWithoutTransaction { database in
      checkpointer.end()
      try? checkpointer.check(database)
    }
  }

  /// What opens the store in a directory, when it is called.
  package static func opening(
    _ directory: String
  ) -> @Sendable () throws(StoreError) -> any Store {
    { () throws(StoreError) in try SQLiteStore(directory: directory) }
  }

  /// Writes what a crash has left to be written, lest crashes in a row leave more and more to be
  /// read at the start. A full disk is no reason not to start.
  private func writeIdentities() throws(StoreError) {
    do {
      try transaction { try $0.writeIdentities(all: true) }
    } catch {
      guard error.isPassing else { throw error }
    }
  }

  /// Once in a process, before its first database is opened; another is only a little slower.
  private static let isPrepared = chime_sqlite_stop_accounting() && chime_sqlite_spare_the_cache()

  /// For how many milliseconds the lock of another connection is waited for: less than the watchdog
  /// waits for the engine, a few times over.
  static let patience: Int32 = 2_000

  static func connect(_ address: DatabaseAddress) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(Double(patience) / 1_000)
    let log = BufferedWAL(over: address.vfs)
    configuration.prepareDatabase { database in
      // A page is the least that a commit writes: an event by itself changes one row in each of a
      // few pages. Longer ones would save nothing where rows stand together. Only a new file takes
      // it.
      try database.execute(sql: "PRAGMA page_size = 4096")
      // To be asked for a log, GRDB would write to it before anybody has looked what is in it. The
      // answer comes before the file is written to, and a failure of that behind it.
      let mode = try String.fetchAll(database, sql: "PRAGMA journal_mode = WAL").first
      guard mode == "wal" else {
        throw DatabaseError(message: "it cannot have a write-ahead log, but \(mode ?? "none")")
      }
      // The connection keeps what it was prepared by, and so its way to the disk.
      withExtendedLifetime(log) {}
    }
    let address = DatabaseAddress(file: address.file, vfs: log?.name ?? address.vfs)
    return try DatabaseQueue(path: address.path, configuration: configuration)
  }

  private static func open(
    _ directory: StateDirectory, _ pace: RecentIdentities.Pace, _ hash: IdentityHash
  ) throws(StoreError) -> (DatabaseQueue, (DatabaseQueue, Statements)) {
    try ReadFailure.confirmingDamage(of: directory.address) {
      let first =
        directory.hasDatabase ? try inspect(directory.address) : try make(in: directory)
      return (first, try open(directory.address, pace, hash))
    }
  }

  private static func open(
    _ address: DatabaseAddress, _ pace: RecentIdentities.Pace, _ hash: IdentityHash
  ) throws -> (DatabaseQueue, Statements) {
    let queue = try connect(address)
    return try queue.writeWithoutTransaction { database in
      try configure(database)
      let statements = try Statements(database, pace, hash)
      statements.connection = queue
      // As one: each question by itself would lock the file and look whether it has changed.
      try database.inTransaction(.deferred) {
        try StoreTransaction(statements).gatherIdentities()
        return .commit
      }
      return (queue, statements)
    }
  }

  /// Works on the connection, and tells a read that failed from damage.
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

  /// What is wrong, with a read that failed told from damage.
  static func error(_ error: any Error, on database: Database, file: String) -> StoreError {
    let error = StoreError(error, file: file)
    guard case .damaged = error else { return error }
    return ReadFailure.last(of: database) ?? error
  }

  /// GRDB sets `synchronous=NORMAL` with WAL; an acknowledged event must survive a power cut.
  private static func configure(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = FULL")
    // What is deleted is zeroed at once (rule H4), for later nobody knows where it was. It costs
    // little: rows are seldom deleted, and a page that is being written is in memory anyway.
    try database.execute(sql: "PRAGMA secure_delete = ON")
    try database.execute(sql: "PRAGMA temp_store = MEMORY")
    try PageCache.large.set(on: database)
  }

  /// How many bytes the log has when it is moved into the database, usually: so many that a crowd
  /// is not interrupted at every batch.
  package static let logSize: Int64 = 64 << 20

  private static func checkpointer(
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

  /// Runs one transaction: all of it is on disk when this returns, or nothing of it.
  func transaction<Value>(
    _ body: (borrowing StoreTransaction) throws -> Value
  ) throws(StoreError) -> Value {
    try withConnection { database in
      try checkpointer.check(database)
      try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      let changesBefore = database.totalChangesCount
      do {
        let transaction = StoreTransaction(statements)
        let value = try body(transaction)
        try transaction.writeArrivals()
        // What only reads writes nothing, so that it can be asked of a full disk, too.
        if database.totalChangesCount != changesBefore { try transaction.writeIdentities() }
        try commit(database, hasChanges: database.totalChangesCount != changesBefore)
        statements.settle()
        return value
      } catch {
        if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
        statements.rollBack()
        throw error
      }
    }
  }

  private func commit(_ database: Database, hasChanges: Bool) throws {
    let start = ContinuousClock.now
    try database.cachedStatement(sql: "COMMIT").execute()
    guard hasChanges else { return }
    checkpointer.committed(database)
    markFile.write(statements.mark)
    commitTimes.observe((ContinuousClock.now - start) / .seconds(1))
  }

  /// Whether commits are synced fully; for the test that holds it.
  package func synchronousLevel() throws -> Int {
    try queue.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
  }

  package func releaseMemory() {
    try? withConnection { try $0.execute(sql: "PRAGMA shrink_memory") }
    chime_give_back_memory()
  }

  /// Moves everything from the log into the database. What somebody still reads stays in the log,
  /// for the next start.
  package func shutDown() throws(StoreError) {
    do {
      try forgetLoss()
    } catch {
      // The next start tells it again.
      guard error.isPassing else { throw error }
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
