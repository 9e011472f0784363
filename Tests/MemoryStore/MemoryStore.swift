package import Access
package import CivilTime
package import Reminders
package import Store
import Synchronization

/// A store in memory for tests, with the behaviour of the durable ones. Its data lasts as long as
/// the object, so that a service can be restarted with it.
package final class MemoryStore: Store, Sendable {
  package let instance = "memory"
  private let state = Mutex(MemoryState())
  private let isShutDown = Mutex(false)
  private let key = LinkKey((0..<UInt8(LinkKey.byteCount)).map { $0 })

  package init() {}

  package var lastNotification: Int64 { state.withLock { $0.nextNotification - 1 } }
  package var commitTimes: Histogram { Histogram(bounds: []) }
  package var loss: StoreLoss? { nil }
  package var readers: any StoreSnapshots { MemorySnapshots(store: self) }

  package func commit<Value>(
    _ body: (any StoreWriter) throws -> Value
  ) throws(StoreError) -> Value {
    let work = MemoryTransaction(snapshot, instance: instance)
    let value = try Self.withStoreErrors { try body(work) }
    work.state.admitted = [:]
    state.withLock { $0 = work.state }
    return value
  }

  package func linkKey() -> LinkKey { key }

  var snapshot: MemoryState { state.withLock { $0 } }

  /// Runs `body`, and wraps any error that is not a store error into `StoreError.failed`.
  static func withStoreErrors<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch {
      throw .failed(reason: "\(error)")
    }
  }

  package func shutDown() {
    isShutDown.withLock { $0 = true }
  }

  fileprivate var isReadable: Bool { !isShutDown.withLock { $0 } }
}

extension MemoryStore {
  package func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws(StoreError) -> Pruned {
    let work = MemoryTransaction(snapshot, instance: instance)
    let pruned = try Self.withStoreErrors {
      try work.prune(
        part, by: age, after: cursor, limit: limit, keeping: keeps, folding: fold)
    }
    state.withLock { $0 = work.state }
    return pruned
  }

  package var erasureOpen: Instant? { snapshot.erasureOpen }

  package var cleaner: any StoreCleaner { MemoryCleaner(store: self) }

  package func finishErasure() throws(StoreError) -> Bool {
    try endErasures(snapshot.erasureCount)
    return true
  }

  package func endErasures(_ erasures: Int) throws(StoreError) {
    state.withLock { state in
      if state.erasureCount == erasures { state.erasureOpen = nil }
    }
  }
}

private struct MemorySnapshots: StoreSnapshots {
  let store: MemoryStore

  func read<Value>(_ body: (any StoreReader) throws -> Value) throws(StoreError) -> Value {
    guard store.isReadable else { throw .failed(reason: "the store is closed") }
    return try MemoryStore.withStoreErrors {
      try body(MemoryTransaction(store.snapshot, instance: store.instance))
    }
  }

  var size: Int64 { 0 }

  func backup() throws(StoreError) -> any StoreBackup {
    throw .failed(reason: "a store in memory has no backup")
  }
}

/// A cleaner that has nothing to do, because a memory store has no files.
private final class MemoryCleaner: StoreCleaner {
  let store: MemoryStore

  init(store: MemoryStore) {
    self.store = store
  }

  func step() -> CleaningStep { .done(erasures: store.snapshot.erasureCount) }

  func abandon() {}
}
