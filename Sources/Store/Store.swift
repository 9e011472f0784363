package import Access
package import CivilTime
package import Reminders

/// The port to the service's persistent state, which the engine uses and each kind of store
/// implements. It hides SQL, files and connections.
///
/// All changes are made by `commit`, in a unit of work. When `commit` returns, the unit of work is
/// durable as a whole; if `commit` throws, the unit has no effect (rule E3). The functions of a
/// unit of work accept batches, since each call to a server costs a round trip. Only the engine's
/// thread may use a store; `readers` are for any thread.
package protocol Store: AnyObject {
  /// The store's own name. Delivery ids begin with this name, so they differ from the ids in other
  /// stores.
  var instance: String { get }
  /// The part of the store that this process may write. Other writes are rejected.
  var ownership: Ownership { get }
  /// The number of the last recorded notification.
  var lastNotification: Int64 { get }
  /// The durations of commits that wrote something, in seconds.
  var commitTimes: Histogram { get }
  /// Acknowledged data that the store has lost; nil if nothing is missing.
  var loss: StoreLoss? { get }
  /// Whether apps may submit events through the store, in their own transactions.
  var acceptsSubmissions: Bool { get }
  /// Answers queries concurrently with the engine.
  var readers: any StoreSnapshots { get }

  /// Runs one unit of work. All of it is durable when this function returns. If this function
  /// throws, the unit of work has no effect.
  func commit<Value>(
    _ body: (any StoreWriter) throws -> Value
  ) throws(StoreError) -> Value

  /// Returns the key of links in notifications.
  func linkKey() throws(StoreError) -> LinkKey

  // MARK: - Pruning and erasure

  /// Removes some data that is older than its retention (rule H7), in its own unit of work.
  ///
  /// - Parameters:
  ///   - age: decides which rows are old.
  ///   - cursor: the cursor at which the previous step ended; 0 to begin.
  ///   - limit: the maximum number of rows to read.
  ///   - keeps: returns whether a recipient's occurrence, given by reminder and key, must stay
  ///     recorded, so that it is not sent again.
  ///   - fold: applies the removed events to the base of their recipient's facts (rule H30).
  func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws(StoreError) -> Pruned

  /// The time since which data of an erased recipient may be readable in the store's files; nil if
  /// the files contain no such data (rule H4).
  var erasureOpen: Instant? { get }

  /// A cleaner that removes erased data from the files, on this thread or another.
  var cleaner: any StoreCleaner { get }

  /// Cleans the files completely, in one call.
  ///
  /// - Returns: whether the files are clean; if not, call this function again later.
  func finishErasure() throws(StoreError) -> Bool

  /// Records that the files are clean, unless another recipient was erased meanwhile.
  ///
  /// - Parameter erasures: the number that the cleaner returned with `CleaningStep.done`.
  func endErasures(_ erasures: Int) throws(StoreError)

  /// Returns spare memory to the system. Cached data is read again when needed.
  func releaseMemory()

  /// Ends reading and writing, for a clean stop.
  func shutDown() throws(StoreError)
}

extension Store {
  package var ownership: Ownership { .all }
  package var isErasureOpen: Bool { erasureOpen != nil }
  package func releaseMemory() {}
}

/// Answers queries from snapshots of committed data, concurrently with the engine (rule H6). Any
/// thread may use it.
package protocol StoreSnapshots: Sendable {
  /// Runs a query on one snapshot, which contains all data committed before the call. Queries must
  /// be bounded, since a store may have to keep all data that an open snapshot contains.
  func read<Value>(_ body: (any StoreReader) throws -> Value) throws(StoreError) -> Value

  /// Returns the shard of a recipient, from 0; always 0 in a store without shards.
  func shard(of recipient: String) -> Int

  /// The size of the store in bytes.
  var size: Int64 { get }

  /// The share of the store's file system that is in use, from 0 to 1; nil if it is unknown, as on
  /// a server.
  var diskUse: Double? { get }

  /// The names of the files and directories of replaced stores next to this one. They may contain
  /// data of recipients that were erased later.
  var setAsideFiles: [String] { get }

  /// Returns a copy of the store at one instant. It takes as long as reading the whole store.
  func backup() throws(StoreError) -> any StoreBackup
}

extension StoreSnapshots {
  package var diskUse: Double? { nil }

  package var setAsideFiles: [String] { [] }

  package func shard(of recipient: String) -> Int { 0 }
}

/// A copy of a store at one instant.
package protocol StoreBackup: Sendable {
  /// The size in bytes.
  var size: Int64 { get }

  /// Reads at most `count` bytes at an offset; returns no bytes at the end.
  func bytes(at offset: Int64, atMost count: Int) throws(StoreError) -> [UInt8]
}

/// Cleans the store's files of erased data (rule H4), in short steps between which the engine
/// commits. Only one thread may use it.
package protocol StoreCleaner: AnyObject, Sendable {
  /// Cleans a part of the files.
  func step() throws(StoreError) -> CleaningStep

  /// Stops without a result. Cleaning has to start again later.
  func abandon()
}

/// The result of a step of cleaning.
package enum CleaningStep: Sendable {
  /// More steps are needed.
  case more
  /// A reader uses data that is to be cleaned; try again.
  case busy
  /// The files contain no data of the first `erasures` erasures since the start.
  case done(erasures: Int)
}
