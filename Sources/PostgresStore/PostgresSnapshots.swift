import Postgres
import Store
import Synchronization

/// Connections for queries. Each query reads a snapshot of committed data, while the writing
/// connection continues (rule H6).
///
/// Thread-safe. There are as many connections as concurrent queries, so callers have to limit the
/// number of concurrent queries. The connections stay open until the store is closed or released.
/// If the server has closed an idle connection, another one is opened, and the query is repeated.
final class PostgresSnapshots: StoreSnapshots {
  private struct State: ~Copyable {
    /// The open connections that no query uses.
    var idle: [Reader] = []
    var isClosed = false
  }

  /// A connection for queries, used by one thread at a time.
  private struct Reader: @unchecked Sendable {
    let connection: PostgresConnection
  }

  private let database: PostgresDatabase
  /// The node as it was when the store was opened; queries need only its constants.
  private let node: PostgresNode
  private let state = Mutex(State())

  init(_ database: PostgresDatabase, _ node: PostgresNode) {
    (self.database, self.node) = (database, node)
  }

  func read<Value>(_ body: (any StoreReader) throws -> Value) throws(StoreError) -> Value {
    do {
      if let idle = try takeIdle() {
        do {
          return try read(by: idle, body)
        } catch {
          guard case .disconnected? = error as? PostgresError else { throw error }
          // The cause has probably closed all connections.
          state.withLock { $0.idle = [] }
        }
      }
      return try read(by: Reader(connection: database.connect(onlyReads: true)), body)
    } catch {
      throw StoreError(error, database: database.name)
    }
  }

  private func read<Value>(by reader: Reader, _ body: (any StoreReader) throws -> Value) throws
    -> Value
  {
    do {
      try reader.connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      let value = try body(PostgresWork(reader.connection, node))
      try reader.connection.rollBack()
      release(reader)
      return value
    } catch {
      // A broken connection is not used again.
      if (try? reader.connection.rollBack()) != nil { release(reader) }
      throw error
    }
  }

  func shard(of recipient: String) -> Int { Int(node.hash.shard(of: recipient)) }

  var size: Int64 {
    let size = try? read { reader in
      try (reader as? PostgresWork)?.databaseSize()
    }
    return (size ?? nil) ?? 0
  }

  func backup() throws(StoreError) -> any StoreBackup {
    throw .noBackup(database: database.name)
  }

  /// Prevents new snapshots.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.idle = []
    }
  }

  private func release(_ reader: Reader) {
    state.withLock { state in
      if !state.isClosed { state.idle.append(reader) }
    }
  }

  /// Removes and returns an idle connection; nil if there is none.
  private func takeIdle() throws(StoreError) -> Reader? {
    let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
    guard !isClosed else { throw .failed(reason: "the store is being closed") }
    return idle
  }
}
