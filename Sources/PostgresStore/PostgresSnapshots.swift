import Postgres
import Store
import Synchronization

/// Connections that only read: a question is answered from a snapshot of what is committed, beside
/// the connection that writes (rule H6).
///
/// For any thread. There are as many connections as threads that ask at a time, so who asks bounds
/// them; they stay open until the store goes.
final class PostgresSnapshots: StoreSnapshots {
  private struct State: ~Copyable {
    var idle: [Reader] = []
    var isClosed = false
  }

  /// One thread has it at a time.
  private struct Reader: @unchecked Sendable {
    let connection: PostgresConnection
  }

  private let database: PostgresDatabase
  private let node: PostgresNode
  private let state = Mutex(State())

  init(_ database: PostgresDatabase, _ node: PostgresNode) {
    (self.database, self.node) = (database, node)
  }

  func read<Value>(_ body: (any StoreReader) throws -> Value) throws(StoreError) -> Value {
    let reader = try take()
    do {
      try reader.connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      let value = try body(PostgresWork(reader.connection, node))
      try reader.connection.rollBack()
      give(back: reader)
      return value
    } catch {
      // One that is broken is not asked again.
      if (try? reader.connection.rollBack()) != nil { give(back: reader) }
      throw StoreError(error, database: database.name)
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

  /// Begins no more snapshots.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.idle = []
    }
  }

  private func give(back reader: Reader) {
    state.withLock { state in
      if !state.isClosed { state.idle.append(reader) }
    }
  }

  private func take() throws(StoreError) -> Reader {
    let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
    guard !isClosed else { throw .failed(reason: "the store is being closed") }
    if let idle { return idle }
    do {
      return Reader(connection: try database.connect(isForQuestions: true))
    } catch {
      throw StoreError(error, database: database.name)
    }
  }
}
