import Postgres
import Store
import Synchronization

/// Connections that only read: a question is answered from a snapshot of what is committed, beside
/// the connection that writes (rule H6).
///
/// For any thread. There are as many connections as threads that ask at a time, so who asks bounds
/// them; they stay open until the store goes. One that the server has ended while it rested is
/// replaced, and the question asked again.
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
    do {
      if let idle = try takeIdle() {
        do {
          return try read(by: idle, body)
        } catch {
          guard case .disconnected? = error as? PostgresError else { throw error }
          // What has ended one of them has most often ended all.
          state.withLock { $0.idle = [] }
        }
      }
      return try read(by: Reader(connection: database.connect(isForQuestions: true)), body)
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
      give(back: reader)
      return value
    } catch {
      // One that is broken is not asked again.
      if (try? reader.connection.rollBack()) != nil { give(back: reader) }
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

  private func takeIdle() throws(StoreError) -> Reader? {
    let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
    guard !isClosed else { throw .failed(reason: "the store is being closed") }
    return idle
  }
}
