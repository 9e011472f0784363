import GRDB
internal import Glibc
import Store
import Synchronization

/// Connections for queries: each reads a snapshot of committed data, and does not wait for the
/// writing connection (rule H6).
///
/// Thread-safe. There are as many connections as concurrent queries, so callers have to limit the
/// number of concurrent queries. Connections stay open until the store is released. The log cannot
/// be restarted while a snapshot is open, so every query needs a limit in rows.
final class StoreReaders: StoreSnapshots {
  private struct State {
    /// The open connections that no query uses.
    var idle: [Reader] = []
    var isClosed = false
  }

  /// The path of the state directory, whose lock belongs to the store.
  private let directory: String
  private let address: DatabaseAddress
  /// The path of the database.
  let file: String
  private let hash: IdentityHash
  private let state = Mutex(State())

  /// - Parameter file: the path of the database, for messages.
  init(_ directory: StateDirectory, file: String, hash: IdentityHash) {
    self.directory = directory.path
    address = directory.address
    self.file = file
    self.hash = hash
  }

  /// - Throws: the store's error; `failed` once the readers are closed.
  package func read<Value>(
    _ body: (any StoreReader) throws -> Value
  ) throws(StoreError) -> Value {
    let reader = try acquireReader()
    defer { state.withLock { $0.idle.append(reader) } }
    return try reader.read(body)
  }

  package func backup() throws(StoreError) -> any StoreBackup {
    try SQLiteBackup(ofStoreIn: directory, vfs: address.vfs)
  }

  /// The size of the database and its log on disk, in bytes.
  package var size: Int64 {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return stat(file + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
    }
  }

  /// The used share of the file system; blocks that are reserved for root count as used.
  package var diskUse: Double? {
    var system = statvfs()
    guard statvfs(directory, &system) == 0, system.f_blocks > 0 else { return nil }
    return 1 - Double(system.f_bavail) / Double(system.f_blocks)
  }

  /// The names of files and directories with stores that a restoration has replaced, and with
  /// damaged logs.
  package var setAsideFiles: [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if SQLiteStore.asidePrefixes.contains(where: { name.hasPrefix($0) }) { names.append(name) }
    }
    return names.sorted()
  }

  /// Prevents new snapshots, so that the log can be emptied when the last one has ended.
  func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Returns a connection for one query: an idle one, or a new one.
  private func acquireReader() throws(StoreError) -> Reader {
    let (idle, isClosed) = state.withLock { ($0.isClosed ? nil : $0.idle.popLast(), $0.isClosed) }
    guard !isClosed else { throw .failed(reason: "the store is being closed") }
    if let idle { return idle }
    do {
      return try Reader(address, file: file, hash)
    } catch {
      throw StoreError(error, file: file)
    }
  }
}

/// One connection and its prepared statements. `@unchecked Sendable`, because only one thread uses
/// it at a time.
private final class Reader: @unchecked Sendable {
  private let queue: DatabaseQueue
  private let statements: Statements
  private let file: String

  init(_ address: DatabaseAddress, file: String, _ hash: IdentityHash) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(Double(SQLiteStore.lockTimeout) / 1_000)
    queue = try DatabaseQueue(path: address.path, configuration: configuration)
    statements = try queue.unsafeRead { database in
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
      return try Statements(database, UnwrittenIdentities.Pace(), hash)
    }
    self.file = file
  }

  /// Runs a query in a transaction, which is rolled back afterwards.
  func read<Value>(
    _ body: (any StoreReader) throws -> Value
  ) throws(StoreError) -> Value {
    do {
      return try queue.unsafeRead { database in
        do {
          try database.cachedStatement(sql: "BEGIN").execute()
          defer { try? database.cachedStatement(sql: "ROLLBACK").execute() }
          return try body(StoreTransaction(statements))
        } catch {
          throw SQLiteStore.error(error, on: database, file: file)
        }
      }
    } catch {
      throw StoreError(error, file: file)
    }
  }
}

extension StoreTransaction {
  func latestNotification() throws -> Int64 {
    let last = try statements.stream.last.first { $0.integer(0) } ?? 0
    guard let note = try note("next notification"), let next = Int64(note) else { return last }
    return max(last, next - 1)
  }
}
